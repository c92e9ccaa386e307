//! What one reader sees of a task.

use std::{fmt, future::poll_fn, sync::Arc};

use a2a_types::{RpcError, StreamResponse, Task};

use super::{
    live::{Event, Follow, Next},
    registry::Handle,
};
use crate::{errors::store_error, store::Owner};

/// A place in the events of a task; dropping it ends the subscription.
pub(crate) struct Subscription {
    handle: Handle,
    owner: Owner,
    id: u64,
    /// Version of the task that the reader has.
    seen: u64,
    /// Whether the reader needs the task from the store before any further event.
    needs_snapshot: bool,
}

impl Subscription {
    pub(super) fn new(handle: Handle, owner: Owner, follow: Follow) -> Self {
        let id = handle.subscribe(follow);
        Self { handle, owner, id, seen: 0, needs_snapshot: false }
    }

    pub(super) fn of(handle: Handle, owner: Owner, id: u64) -> Self {
        Self { handle, owner, id, seen: 0, needs_snapshot: false }
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
        loop {
            if self.needs_snapshot {
                let event = self.snapshot().await;
                self.needs_snapshot = false;
                return event;
            }
            match poll_fn(|cx| self.handle.poll_next(self.id, cx)).await {
                Next::Event(event) if event.version() == 0 => return Some(event),
                Next::Event(event) if event.version() <= self.seen => {}
                Next::Event(event) => {
                    self.seen = event.version();
                    return Some(event);
                }
                Next::Snapshot => self.needs_snapshot = true,
                Next::End => return None,
            }
        }
    }

    async fn snapshot(&mut self) -> Option<Arc<Event>> {
        let store = &self.handle.shared().store;
        match store.get(self.owner.clone(), self.handle.id().to_owned()).await {
            Ok(Some(record)) => {
                self.seen = record.version;
                Some(Event::new(record.version, StreamResponse::Task(record.task)))
            }
            // The task was removed meanwhile; nothing more will come.
            Ok(None) => None,
            Err(error) => Some(Event::error(store_error(&error))),
        }
    }

    /// The task as the store has it now.
    pub(super) async fn task(&self) -> Result<Option<Task>, RpcError> {
        let store = &self.handle.shared().store;
        let found = store.get(self.owner.clone(), self.handle.id().to_owned()).await;
        found.map(|record| record.map(|record| record.task)).map_err(|error| store_error(&error))
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
