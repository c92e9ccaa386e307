//! The tasks of this process that somebody works on or follows.

use std::{
    collections::HashMap,
    fmt,
    ops::Deref,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a2a_types::RpcError;
use futures::FutureExt as _;

use super::{
    Shared,
    driver::{Command, Driver},
    live::{Event, LiveTask},
};
use crate::{
    errors::{broke_down, store_error},
    store::{Owner, TaskRecord},
};

/// Every live task by its id. An entry lives as long as a [`Handle`] to it.
#[derive(Debug, Default)]
pub(super) struct Registry {
    tasks: Mutex<HashMap<String, Arc<LiveTask>>>,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<LiveTask>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn close_idle(&self) {
        self.lock().values().for_each(|live| live.close_if_idle());
    }
}

/// Keeps a task live.
///
/// Nobody but handles and the registry holds a [`LiveTask`], so that the last handle can tell that it is
/// the last.
pub(crate) struct Handle {
    live: Option<Arc<LiveTask>>,
    shared: Arc<Shared>,
}

impl Handle {
    /// The live task of this id, made live if it is not.
    pub(super) fn open(shared: &Arc<Shared>, id: &str) -> Self {
        let mut tasks = shared.registry.lock();
        let live = match tasks.get(id) {
            Some(live) => Arc::clone(live),
            None => {
                let live = Arc::new(LiveTask::new(id.to_owned(), shared.limits.max_queued_events));
                tasks.insert(id.to_owned(), Arc::clone(&live));
                live
            }
        };
        Self { live: Some(live), shared: Arc::clone(shared) }
    }

    /// The live task of this id, if it is live.
    pub(super) fn find(shared: &Arc<Shared>, id: &str) -> Option<Self> {
        let live = shared.registry.lock().get(id).cloned()?;
        Some(Self { live: Some(live), shared: Arc::clone(shared) })
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Puts a command into the inbox and sees to it that somebody works on it.
    pub(super) fn submit(&self, command: Command) {
        if LiveTask::submit(self, command) {
            tokio::spawn(self.clone().drive());
        }
    }

    /// The task in the store, if it is this owner's.
    pub(super) async fn read(&self, owner: &Owner) -> Result<Option<TaskRecord>, RpcError> {
        let found = self.shared.store.get(owner.clone(), self.id().to_owned()).await;
        found.map_err(|error| store_error(&error))
    }

    /// Agents are caught when they panic; this is for stores, and for what is dropped with an agent's future.
    async fn drive(self) {
        if AssertUnwindSafe(Driver::new(self.clone()).run()).catch_unwind().await.is_err() {
            tracing::error!(task = self.id(), "the driver of a task panicked");
            self.abandon(&Event::error(broke_down()));
        }
    }
}

impl Deref for Handle {
    type Target = LiveTask;

    fn deref(&self) -> &LiveTask {
        self.live.as_ref().expect("only a dropped handle is empty")
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        Self { live: self.live.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut tasks = self.shared.registry.lock();
        let Some(live) = self.live.take() else { return };
        // One is ours and one the registry's. Nobody can get another while the registry is locked, but for
        // somebody who has one already.
        if Arc::strong_count(&live) == 2 {
            tasks.remove(live.id());
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.id()).finish()
    }
}
