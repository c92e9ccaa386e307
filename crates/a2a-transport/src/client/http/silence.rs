//! How long a peer may be silent.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    task::unconstrained,
    time::{Instant, Sleep},
};

/// A limit on waiting, one timer for a whole exchange: it counts only while somebody waits for the peer, and is cheap
/// to start and stop.
pub(super) struct SilenceTimer {
    /// `None`: the peer may be silent for ever.
    pub(super) limit: Option<Duration>,
    deadline: Option<Instant>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl SilenceTimer {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit: Some(limit), deadline: None, sleep: None }
    }

    /// The peer was heard of.
    pub(super) fn stop(&mut self) {
        self.deadline = None;
    }

    /// Ready with the limit once it has passed.
    pub(super) fn poll_elapsed(&mut self, cx: &mut Context<'_>) -> Poll<Duration> {
        let Some(limit) = self.limit else { return Poll::Pending };
        // A limit beyond the end of time is none.
        let Some(deadline) = self.deadline.or_else(|| Instant::now().checked_add(limit)) else {
            return Poll::Pending;
        };
        self.deadline = Some(deadline);
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if sleep.deadline() > deadline {
            sleep.as_mut().reset(deadline);
        }
        loop {
            // A peer that floods must not use up what the runtime grants the timer, too.
            ready!(pin!(unconstrained(sleep.as_mut())).poll(cx));
            if sleep.deadline() >= deadline {
                return Poll::Ready(limit);
            }
            // It was set for an earlier wait: only now it has to be set anew.
            sleep.as_mut().reset(deadline);
        }
    }
}
