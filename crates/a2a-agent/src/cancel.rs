//! Cancelling a reply from outside of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Context,
};

use futures::task::AtomicWaker;

/// Cancels the reply that its agent is giving. Cheap to clone; may be used from any thread or task.
#[derive(Debug, Clone, Default)]
pub struct CancelHandle {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    requested: AtomicBool,
    waker: AtomicWaker,
}

impl CancelHandle {
    /// Asks for the reply to be cancelled: the stream, when polled, asks the peer to cancel the task as soon
    /// as its id is known, and ends as interrupted. Calling it again changes nothing; when no reply is being
    /// given, neither does it.
    pub fn cancel(&self) {
        self.shared.requested.store(true, Ordering::Release);
        self.shared.waker.wake();
    }

    /// Forgets a request that was meant for an earlier reply.
    pub(crate) fn reset(&self) {
        self.shared.requested.store(false, Ordering::Release);
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.shared.requested.load(Ordering::Acquire)
    }

    /// Whether it was asked for; if not, the task is woken when it is.
    pub(crate) fn poll_requested(&self, cx: &Context<'_>) -> bool {
        self.shared.waker.register(cx.waker());
        self.is_requested()
    }
}
