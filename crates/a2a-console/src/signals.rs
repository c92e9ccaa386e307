//! Being told to stop.

use std::io;

use crate::failure::Failure;

/// Who wants the program to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The user, with Ctrl-C.
    Interrupt,
    /// The system: SIGTERM, or the terminal is gone.
    Terminate,
}

/// Signals, from the time this is made: they no longer end the process by themselves.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// The next one. Cancel-safe.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.interrupt.recv() => Stop::Interrupt,
            _ = self.terminate.recv() => Stop::Terminate,
            _ = self.hangup.recv() => Stop::Terminate,
        }
    }

    /// The next one. Cancel-safe.
    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) -> Stop {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Stop::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }

    /// Waits for a call, unless the program is told to stop before it is done.
    ///
    /// # Errors
    ///
    /// Those of the call, and that it was not waited for.
    pub(crate) async fn unless_stopped<T, E>(
        &mut self,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure>
    where
        Failure: From<E>,
    {
        tokio::select! {
            biased;
            done = call => Ok(done?),
            _ = self.next() => Err(Failure::cancelled("stopped before the agent answered")),
        }
    }
}
