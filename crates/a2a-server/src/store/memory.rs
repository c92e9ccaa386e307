//! Tasks in memory, bounded.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use a2a_types::{Task, TaskState};
use futures::future::ready;

use super::{
    Cursor, Owner, PushConfig, StoreError, StoreFuture, TaskChange, TaskPage, TaskQuery, TaskRecord,
    TaskStore, cursor::millis,
};

/// Keeps tasks in memory, up to a number.
///
/// When a task is added to a full store, the finished task with the oldest status makes room; if none is
/// finished, the oldest that waits for its client; if all are running, adding fails.
#[derive(Debug)]
pub struct MemoryStore {
    max_tasks: usize,
    inner: Mutex<Inner>,
}

/// Counters of a [`MemoryStore`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStoreStats {
    /// Tasks now.
    pub tasks: usize,
    /// Tasks added so far.
    pub created: u64,
    /// Tasks removed to make room.
    pub evicted: u64,
    /// Tasks refused because all others were running.
    pub refused: u64,
}

#[derive(Debug, Default)]
struct Inner {
    records: HashMap<String, TaskRecord>,
    configs: HashMap<String, BTreeMap<String, PushConfig>>,
    /// All tasks, oldest status first.
    order: BTreeSet<Cursor>,
    /// The finished ones, and those that wait, in the same order.
    finished: BTreeSet<Cursor>,
    waiting: BTreeSet<Cursor>,
    stats: MemoryStoreStats,
}

impl MemoryStore {
    /// Tasks that [`new`](Self::new) keeps.
    pub const DEFAULT_MAX_TASKS: usize = 10_000;

    /// A store for [`DEFAULT_MAX_TASKS`](Self::DEFAULT_MAX_TASKS) tasks.
    pub fn new() -> Self {
        Self::with_max_tasks(Self::DEFAULT_MAX_TASKS)
    }

    /// A store for so many tasks, at least one.
    pub fn with_max_tasks(max_tasks: usize) -> Self {
        Self { max_tasks: max_tasks.max(1), inner: Mutex::default() }
    }

    /// The counters now.
    pub fn stats(&self) -> MemoryStoreStats {
        let inner = self.lock();
        MemoryStoreStats { tasks: inner.records.len(), ..inner.stats }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Inner {
    fn create(&mut self, max_tasks: usize, owner: Owner, task: Task) -> Result<(), StoreError> {
        if self.records.contains_key(&task.id) {
            return Err(StoreError::Conflict);
        }
        if self.records.len() >= max_tasks {
            let Some(oldest) = self.finished.first().or_else(|| self.waiting.first()).cloned() else {
                self.stats.refused += 1;
                return Err(StoreError::Full { limit: format!("{max_tasks} running tasks") });
            };
            self.remove(&oldest.id);
            self.stats.evicted += 1;
        }
        self.stats.created += 1;
        self.index(&task);
        self.records.insert(task.id.clone(), TaskRecord::new(task, owner, 1));
        Ok(())
    }

    fn update(&mut self, id: &str, version: u64, change: TaskChange) -> Result<(), StoreError> {
        let Some(record) = self.records.get_mut(id).filter(|record| record.version == version) else {
            return Err(StoreError::Conflict);
        };
        let before = change.status().is_some().then(|| Cursor::of(&record.task));
        change.apply(&mut record.task);
        record.version += 1;
        if let Some(before) = before {
            let (after, state) = (Cursor::of(&record.task), record.task.status.state.clone());
            self.unindex(&before);
            self.index_at(after, &state);
        }
        Ok(())
    }

    fn list(&self, query: &TaskQuery) -> Result<TaskPage, StoreError> {
        let from = match query.page_token.as_str() {
            "" => None,
            token => Some(Cursor::from_token(token).ok_or(StoreError::InvalidToken)?),
        };
        let since = query.status_since.as_ref().map(millis);
        let matches = |task: &Task| {
            query.context_id.as_ref().is_none_or(|id| *id == task.context_id)
                && query.state.as_ref().is_none_or(|state| *state == task.status.state)
        };
        let mut page = TaskPage::default();
        let mut last = None;
        for place in
            self.order.iter().rev().take_while(|place| since.is_none_or(|since| place.millis >= since))
        {
            let Some(record) = self.records.get(&place.id) else { continue };
            if record.owner != query.owner || !matches(&record.task) {
                continue;
            }
            page.total += 1;
            if from.as_ref().is_some_and(|from| place >= from) {
                continue;
            }
            if page.tasks.len() < query.page_size {
                page.tasks.push(view(&record.task, query.with_artifacts));
                last = Some(place);
            } else if page.next_page_token.is_empty() {
                page.next_page_token = last.map(Cursor::to_token).unwrap_or_default();
            }
        }
        Ok(page)
    }

    fn remove(&mut self, id: &str) {
        if let Some(record) = self.records.remove(id) {
            self.unindex(&Cursor::of(&record.task));
        }
        self.configs.remove(id);
    }

    fn index(&mut self, task: &Task) {
        self.index_at(Cursor::of(task), &task.status.state);
    }

    fn index_at(&mut self, place: Cursor, state: &TaskState) {
        if state.is_terminal() {
            self.finished.insert(place.clone());
        } else if state.is_interrupted() {
            self.waiting.insert(place.clone());
        }
        self.order.insert(place);
    }

    fn unindex(&mut self, place: &Cursor) {
        self.order.remove(place);
        self.finished.remove(place);
        self.waiting.remove(place);
    }
}

fn view(task: &Task, with_artifacts: bool) -> Task {
    if with_artifacts {
        return task.clone();
    }
    let mut view = Task::new(&*task.id, &*task.context_id, task.status.clone());
    view.history.clone_from(&task.history);
    view.metadata.clone_from(&task.metadata);
    view
}

impl TaskStore for MemoryStore {
    fn create(&self, owner: Owner, task: Task) -> StoreFuture<'_, ()> {
        Box::pin(ready(self.lock().create(self.max_tasks, owner, task)))
    }

    fn update(&self, id: String, version: u64, change: TaskChange) -> StoreFuture<'_, ()> {
        Box::pin(ready(self.lock().update(&id, version, change)))
    }

    fn get(&self, owner: Owner, id: String) -> StoreFuture<'_, Option<TaskRecord>> {
        let record = self.lock().records.get(&id).filter(|record| record.owner == owner).cloned();
        Box::pin(ready(Ok(record)))
    }

    fn list(&self, query: TaskQuery) -> StoreFuture<'_, TaskPage> {
        Box::pin(ready(self.lock().list(&query)))
    }

    fn unfinished(&self) -> StoreFuture<'_, Vec<TaskRecord>> {
        let running = |record: &&TaskRecord| {
            let state = &record.task.status.state;
            !state.is_terminal() && !state.is_interrupted()
        };
        let records = self.lock().records.values().filter(running).cloned().collect();
        Box::pin(ready(Ok(records)))
    }

    fn put_push_config(&self, config: PushConfig, limit: usize) -> StoreFuture<'_, ()> {
        let mut inner = self.lock();
        if !inner.records.contains_key(&config.config.task_id) {
            return Box::pin(ready(Err(StoreError::Conflict)));
        }
        let configs = inner.configs.entry(config.config.task_id.clone()).or_default();
        if configs.len() >= limit && !configs.contains_key(&config.config.id) {
            return Box::pin(ready(Err(StoreError::Full { limit: format!("{limit} push configurations") })));
        }
        configs.insert(config.config.id.clone(), config);
        Box::pin(ready(Ok(())))
    }

    fn push_configs(&self, task_id: String) -> StoreFuture<'_, Vec<PushConfig>> {
        let configs = self.lock().configs.get(&task_id).map(|configs| configs.values().cloned().collect());
        Box::pin(ready(Ok(configs.unwrap_or_default())))
    }

    fn delete_push_config(&self, task_id: String, id: String) -> StoreFuture<'_, ()> {
        if let Some(configs) = self.lock().configs.get_mut(&task_id) {
            configs.remove(&id);
        }
        Box::pin(ready(Ok(())))
    }
}
