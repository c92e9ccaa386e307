//! A store with holes.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use a2a_server::{Owner, PushConfig, StoreFuture, TaskChange, TaskPage, TaskQuery, TaskRecord, TaskStore};
use a2a_types::{Task, TaskState};

/// A store that loses a doomed task as soon as it waits for input.
#[derive(Debug)]
pub struct ForgetfulStore {
    store: Arc<dyn TaskStore>,
    doomed: Mutex<HashSet<String>>,
}

impl ForgetfulStore {
    /// Forgets what is doomed, and leaves the rest to this store.
    pub fn new(store: Arc<dyn TaskStore>) -> Self {
        Self { store, doomed: Mutex::default() }
    }

    /// Dooms a task.
    pub fn doom(&self, id: &str) {
        self.doomed.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
    }

    fn is_doomed(&self, id: &str) -> bool {
        self.doomed.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }
}

impl TaskStore for ForgetfulStore {
    fn create(&self, owner: Owner, task: Task) -> StoreFuture<'_, ()> {
        self.store.create(owner, task)
    }

    fn update(&self, id: String, version: u64, change: TaskChange) -> StoreFuture<'_, ()> {
        self.store.update(id, version, change)
    }

    fn get(&self, owner: Owner, id: String) -> StoreFuture<'_, Option<TaskRecord>> {
        Box::pin(async move {
            let forgotten = self.is_doomed(&id);
            let found = self.store.get(owner, id).await?;
            Ok(found.filter(|record| !(forgotten && record.task.status.state == TaskState::InputRequired)))
        })
    }

    fn list(&self, query: TaskQuery) -> StoreFuture<'_, TaskPage> {
        self.store.list(query)
    }

    fn unfinished(&self) -> StoreFuture<'_, Vec<TaskRecord>> {
        self.store.unfinished()
    }

    fn put_push_config(&self, config: PushConfig, limit: usize) -> StoreFuture<'_, ()> {
        self.store.put_push_config(config, limit)
    }

    fn push_configs(&self, task_id: String) -> StoreFuture<'_, Vec<PushConfig>> {
        self.store.push_configs(task_id)
    }

    fn delete_push_config(&self, task_id: String, id: String) -> StoreFuture<'_, ()> {
        self.store.delete_push_config(task_id, id)
    }
}
