//! What one reader sees of a task.

use std::{fmt, future::poll_fn, sync::Arc};

use a2a_types::RpcError;

use super::{
    live::{Event, Follow, Next},
    registry::Handle,
};
use crate::{errors::task_not_found, store::Owner};

/// A place in the events of a task; dropping it ends the subscription.
pub(crate) struct Subscription {
    handle: Handle,
    owner: Owner,
    id: u64,
    /// Version of the task that the reader has.
    seen: u64,
    /// Whether the reader needs the task from the store before any further event.
    needs_snapshot: bool,
    /// Whether the reader knows that nothing more comes.
    over: bool,
}

impl Subscription {
    pub(super) fn new(handle: Handle, owner: Owner, follow: Follow) -> Self {
        let id = handle.subscribe(follow);
        Self { handle, owner, id, seen: 0, needs_snapshot: false, over: false }
    }

    pub(super) fn of(handle: Handle, owner: Owner, id: u64) -> Self {
        Self { handle, owner, id, seen: 0, needs_snapshot: false, over: false }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn task_id(&self) -> &str {
        self.handle.id()
    }

    /// The next event; `None` at the end.
    ///
    /// Cancel safe: no event is lost.
    pub(crate) async fn next(&mut self) -> Option<Arc<Event>> {
        while !self.over {
            if self.needs_snapshot {
                let event = self.snapshot().await;
                self.needs_snapshot = false;
                return Some(event);
            }
            match poll_fn(|cx| self.handle.poll_next(self.id, cx)).await {
                Next::Event(event) if event.version() == 0 => return Some(event),
                Next::Event(event) if event.version() <= self.seen => {}
                Next::Event(event) => {
                    self.seen = event.version();
                    return Some(event);
                }
                Next::Snapshot => self.needs_snapshot = true,
                Next::End => self.over = true,
            }
        }
        None
    }

    async fn snapshot(&mut self) -> Arc<Event> {
        match self.handle.read(&self.owner).await {
            Ok(Some(record)) => {
                self.seen = record.version;
                // It may have ended before this subscription began.
                self.over = record.task.status.state.is_terminal();
                Event::new(record.version, record.task.into())
            }
            // The task was removed meanwhile; nothing more will come.
            Ok(None) => self.last(task_not_found(self.handle.id())),
            Err(error) => self.last(error),
        }
    }

    fn last(&mut self, error: RpcError) -> Arc<Event> {
        self.over = true;
        Event::error(error)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.handle.unsubscribe(self.id);
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("task_id", &self.task_id()).finish_non_exhaustive()
    }
}
