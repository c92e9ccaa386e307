//! How an agent behaves, where users may differ.

use std::time::Duration;

use a2a_translate::{DataParts, RequestOptions};
use a2a_transport::CallOptions;

/// Options of an agent. Each field says its default.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgentOptions {
    /// How long a stream is still read after the turn has settled, for a closing snapshot. 1 s.
    pub settle_grace: Duration,
    /// How long a cancelled reply waits for the id of its task, and then for the peer's answer. 10 s.
    pub cancel_grace: Duration,
    /// Whether dropping an unfinished stream cancels the remote task. No.
    ///
    /// The call runs as a task of the tokio runtime that the stream is dropped in; without one it is not made.
    pub cancel_on_drop: bool,
    /// How a broken turn is recovered; `None` for not at all.
    pub recovery: Option<RecoveryOptions>,
    /// How a running task is followed that cannot be streamed.
    pub polling: PollingOptions,
    /// What becomes of structured data parts: an error.
    pub data_parts: DataParts,
    /// What every request says besides its message: nothing.
    pub request: RequestOptions,
    /// Headers, extensions and the longest silence of every call: as the transport is configured.
    pub call: CallOptions,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            settle_grace: Duration::from_secs(1),
            cancel_grace: Duration::from_secs(10),
            cancel_on_drop: false,
            recovery: Some(RecoveryOptions::default()),
            polling: PollingOptions::default(),
            data_parts: DataParts::default(),
            request: RequestOptions::default(),
            call: CallOptions::default(),
        }
    }
}

impl AgentOptions {
    /// Sets [`settle_grace`](Self::settle_grace).
    #[must_use]
    pub fn with_settle_grace(mut self, grace: Duration) -> Self {
        self.settle_grace = grace;
        self
    }

    /// Sets [`cancel_grace`](Self::cancel_grace).
    #[must_use]
    pub fn with_cancel_grace(mut self, grace: Duration) -> Self {
        self.cancel_grace = grace;
        self
    }

    /// Sets [`cancel_on_drop`](Self::cancel_on_drop).
    #[must_use]
    pub fn with_cancel_on_drop(mut self, cancel: bool) -> Self {
        self.cancel_on_drop = cancel;
        self
    }

    /// Sets [`recovery`](Self::recovery); `None` switches it off.
    #[must_use]
    pub fn with_recovery(mut self, recovery: impl Into<Option<RecoveryOptions>>) -> Self {
        self.recovery = recovery.into();
        self
    }

    /// Sets [`polling`](Self::polling).
    #[must_use]
    pub fn with_polling(mut self, polling: PollingOptions) -> Self {
        self.polling = polling;
        self
    }

    /// Sets [`data_parts`](Self::data_parts).
    #[must_use]
    pub fn with_data_parts(mut self, data_parts: DataParts) -> Self {
        self.data_parts = data_parts;
        self
    }

    /// Sets [`request`](Self::request).
    #[must_use]
    pub fn with_request(mut self, request: RequestOptions) -> Self {
        self.request = request;
        self
    }

    /// Sets [`call`](Self::call).
    #[must_use]
    pub fn with_call(mut self, call: CallOptions) -> Self {
        self.call = call;
        self
    }
}

/// How a broken turn is recovered: the peer is asked for the rest with SubscribeToTask, waiting longer before
/// every further attempt, with jitter. An attempt that brings something new starts the count again.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RecoveryOptions {
    /// Attempts in a row that bring nothing. 5.
    pub max_attempts: u32,
    /// Delay before the second attempt (the first is made at once), doubled for each further one. 2 s: about 30 s
    /// in all.
    pub initial_delay: Duration,
    /// Longest delay. 16 s.
    pub max_delay: Duration,
}

impl Default for RecoveryOptions {
    fn default() -> Self {
        Self { max_attempts: 5, initial_delay: Duration::from_secs(2), max_delay: Duration::from_secs(16) }
    }
}

impl RecoveryOptions {
    /// Sets [`max_attempts`](Self::max_attempts).
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets [`initial_delay`](Self::initial_delay) and [`max_delay`](Self::max_delay).
    #[must_use]
    pub fn with_delays(mut self, initial: Duration, max: Duration) -> Self {
        self.initial_delay = initial;
        self.max_delay = max;
        self
    }

    /// The delay before the attempt of this number, from 0, without jitter.
    pub(crate) fn delay(&self, attempt: u32) -> Duration {
        match attempt.checked_sub(1) {
            Some(doublings) => doubled(self.initial_delay, doublings, self.max_delay),
            None => Duration::ZERO,
        }
    }
}

/// How a running task is followed with GetTask, where it cannot be streamed.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PollingOptions {
    /// Delay before the first look, doubled for each further one that shows nothing new. 250 ms.
    pub initial_delay: Duration,
    /// Longest delay. 5 s.
    pub max_delay: Duration,
    /// Looks in a row that show nothing new before the reply gives up. 120: about ten minutes.
    pub max_idle_polls: u32,
}

impl Default for PollingOptions {
    fn default() -> Self {
        Self {
            initial_delay: Duration::from_millis(250),
            max_delay: Duration::from_secs(5),
            max_idle_polls: 120,
        }
    }
}

impl PollingOptions {
    /// Sets [`initial_delay`](Self::initial_delay) and [`max_delay`](Self::max_delay).
    #[must_use]
    pub fn with_delays(mut self, initial: Duration, max: Duration) -> Self {
        self.initial_delay = initial;
        self.max_delay = max;
        self
    }

    /// Sets [`max_idle_polls`](Self::max_idle_polls).
    #[must_use]
    pub fn with_max_idle_polls(mut self, polls: u32) -> Self {
        self.max_idle_polls = polls;
        self
    }

    /// The delay before the look that follows this many that showed nothing new, without jitter.
    pub(crate) fn delay(&self, idle_polls: u32) -> Duration {
        doubled(self.initial_delay, idle_polls, self.max_delay)
    }
}

fn doubled(initial: Duration, times: u32, max: Duration) -> Duration {
    initial.saturating_mul(2_u32.saturating_pow(times)).min(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_takes_about_thirty_seconds() {
        let options = RecoveryOptions::default();
        let total: Duration = (0..options.max_attempts).map(|attempt| options.delay(attempt)).sum();
        assert_eq!(total, Duration::from_secs(30));
        assert_eq!(options.delay(u32::MAX), options.max_delay);
    }

    #[test]
    fn polling_gives_up_after_about_ten_minutes_of_nothing_new() {
        let options = PollingOptions::default();
        let total: Duration = (0..options.max_idle_polls).map(|polls| options.delay(polls)).sum();
        assert!((550..650).contains(&total.as_secs()), "{total:?}");
    }
}
