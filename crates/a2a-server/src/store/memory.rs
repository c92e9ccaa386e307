//! Tasks in memory, bounded.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use a2a_types::{Artifact, Task, TaskState};
use futures::future::ready;

use super::{
    Cursor, MAX_PAGE_BYTES, Owner, PushConfig, StoreError, StoreFuture, TaskChange, TaskPage, TaskQuery,
    TaskRecord, TaskStore, cursor::millis,
};
use crate::weight;

/// Keeps tasks in memory, up to a number and a size.
///
/// When a task is added to a full store, or grows, the finished task with the oldest status makes room; if none
/// is finished, the oldest that waits for its client; if all are running, adding fails.
#[derive(Debug)]
pub struct MemoryStore {
    room: Room,
    inner: Mutex<Inner>,
}

/// Counters of a [`MemoryStore`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStoreStats {
    /// Tasks now.
    pub tasks: usize,
    /// About how many bytes they take.
    pub bytes: usize,
    /// Tasks added so far.
    pub created: u64,
    /// Tasks removed to make room.
    pub evicted: u64,
    /// Tasks refused because all others were running.
    pub refused: u64,
}

/// What there is room for.
#[derive(Debug, Clone, Copy)]
struct Room {
    max_tasks: usize,
    max_bytes: usize,
}

#[derive(Debug)]
struct Kept {
    record: TaskRecord,
    /// What it counts for.
    bytes: usize,
}

#[derive(Debug, Default)]
struct Inner {
    tasks: HashMap<String, Kept>,
    bytes: usize,
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

    /// Bytes that [`new`](Self::new) keeps: 1 GiB.
    pub const DEFAULT_MAX_BYTES: usize = 1 << 30;

    /// A store for [`DEFAULT_MAX_TASKS`](Self::DEFAULT_MAX_TASKS) tasks and
    /// [`DEFAULT_MAX_BYTES`](Self::DEFAULT_MAX_BYTES).
    pub fn new() -> Self {
        Self::with_max_tasks(Self::DEFAULT_MAX_TASKS)
    }

    /// A store for so many tasks, at least one.
    pub fn with_max_tasks(max_tasks: usize) -> Self {
        let room = Room { max_tasks: max_tasks.max(1), max_bytes: Self::DEFAULT_MAX_BYTES };
        Self { room, inner: Mutex::default() }
    }

    /// The same store for so many bytes of tasks; what tasks take is estimated.
    #[must_use]
    pub fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.room.max_bytes = max_bytes;
        self
    }

    /// The counters now.
    pub fn stats(&self) -> MemoryStoreStats {
        let inner = self.lock();
        MemoryStoreStats { tasks: inner.tasks.len(), bytes: inner.bytes, ..inner.stats }
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
    fn create(&mut self, room: Room, owner: Owner, task: Task) -> Result<(), StoreError> {
        if self.tasks.contains_key(&task.id) {
            return Err(StoreError::Conflict);
        }
        let bytes = weight::task(&task);
        while self.tasks.len() >= room.max_tasks {
            self.evict(&task.id, || format!("{} running tasks", room.max_tasks))?;
        }
        self.make_room(room, bytes, &task.id)?;
        self.stats.created += 1;
        self.bytes += bytes;
        self.index(&task);
        self.tasks.insert(task.id.clone(), Kept { record: TaskRecord::new(task, owner, 1), bytes });
        Ok(())
    }

    /// Makes room for more bytes of a task, which stays itself.
    fn make_room(&mut self, room: Room, bytes: usize, keep: &str) -> Result<(), StoreError> {
        while self.bytes.saturating_add(bytes) > room.max_bytes {
            self.evict(keep, || format!("{} bytes of running tasks", room.max_bytes))?;
        }
        Ok(())
    }

    /// Removes the task that is missed least, but for one.
    fn evict(&mut self, keep: &str, limit: impl Fn() -> String) -> Result<(), StoreError> {
        let mut order = self.finished.iter().chain(&self.waiting);
        let Some(oldest) = order.find(|place| place.id != keep).cloned() else {
            self.stats.refused += 1;
            return Err(StoreError::Full { limit: limit() });
        };
        self.remove(&oldest.id);
        self.stats.evicted += 1;
        Ok(())
    }

    fn update(&mut self, room: Room, id: &str, version: u64, change: TaskChange) -> Result<(), StoreError> {
        let Some(Kept { record, .. }) = self.tasks.get(id).filter(|kept| kept.record.version == version)
        else {
            return Err(StoreError::Conflict);
        };
        let replaced = match &change {
            TaskChange::Artifact(update) if !update.append => {
                let same = |known: &&Artifact| known.artifact_id == update.artifact.artifact_id;
                record.task.artifacts.iter().find(same).map_or(0, weight::artifact)
            }
            TaskChange::Snapshot(_) => {
                weight::artifacts(&record.task.artifacts) + weight::metadata(record.task.metadata.as_ref())
            }
            TaskChange::Artifact(_) | TaskChange::Status { .. } | TaskChange::Continue { .. } => 0,
        };
        let added = change.weight();
        // What ends a task must always be possible: afterwards it can make room itself.
        let made = self.make_room(room, added.saturating_sub(replaced), id);
        if !change.status().is_some_and(|status| status.state.is_terminal()) {
            made?;
        }
        let Some(Kept { record, bytes }) = self.tasks.get_mut(id) else { return Err(StoreError::Conflict) };
        let before = change.status().is_some().then(|| Cursor::of(&record.task));
        change.apply(&mut record.task);
        record.version += 1;
        let after = (*bytes + added).saturating_sub(replaced);
        self.bytes = self.bytes + after - *bytes;
        *bytes = after;
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
        let (mut last, mut bytes) = (None, 0);
        for place in
            self.order.iter().rev().take_while(|place| since.is_none_or(|since| place.millis >= since))
        {
            let Some(Kept { record, .. }) = self.tasks.get(&place.id) else { continue };
            if record.owner != query.owner || !matches(&record.task) {
                continue;
            }
            page.total += 1;
            if from.as_ref().is_some_and(|from| place >= from) {
                continue;
            }
            if page.tasks.len() < query.page_size && bytes < MAX_PAGE_BYTES {
                let task = view(&record.task, query.with_artifacts);
                bytes += weight::task(&task);
                page.tasks.push(task);
                last = Some(place);
            } else if page.next_page_token.is_empty() {
                page.next_page_token = last.map(Cursor::to_token).unwrap_or_default();
            }
        }
        Ok(page)
    }

    fn remove(&mut self, id: &str) {
        if let Some(kept) = self.tasks.remove(id) {
            self.bytes -= kept.bytes;
            self.unindex(&Cursor::of(&kept.record.task));
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
        Box::pin(ready(self.lock().create(self.room, owner, task)))
    }

    fn update(&self, id: String, version: u64, change: TaskChange) -> StoreFuture<'_, ()> {
        Box::pin(ready(self.lock().update(self.room, &id, version, change)))
    }

    fn get(&self, owner: Owner, id: String) -> StoreFuture<'_, Option<TaskRecord>> {
        let record = self
            .lock()
            .tasks
            .get(&id)
            .map(|kept| &kept.record)
            .filter(|record| record.owner == owner)
            .cloned();
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
        let records = self.lock().tasks.values().map(|kept| &kept.record).filter(running).cloned().collect();
        Box::pin(ready(Ok(records)))
    }

    fn put_push_config(&self, config: PushConfig, limit: usize) -> StoreFuture<'_, ()> {
        let mut inner = self.lock();
        if !inner.tasks.contains_key(&config.config.task_id) {
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
