//! Tasks in an SQLite database.
//!
//! A task is kept as a snapshot and the changes since. A change costs one small row, however large the task
//! has become; when the task ends or waits, they are summed up.

mod queries;
mod worker;

use std::{fmt, path::Path, time::SystemTime};

use a2a_types::Task;
use rusqlite::Connection;

use super::{
    Owner, PushConfig, StoreError, StoreFuture, TaskChange, TaskPage, TaskQuery, TaskRecord, TaskStore,
    cursor::millis,
};
use worker::Worker;

/// Keeps tasks in a file.
///
/// One thread does all the work; what comes in meanwhile becomes one transaction. What is confirmed survives
/// the end of the process, however sudden. (If the machine itself loses power, the last moments may be lost,
/// but nothing is damaged.) Several processes may share the file.
///
/// Nothing is removed by itself: see [`remove_finished`](Self::remove_finished).
pub struct SqliteStore {
    worker: Worker,
}

impl SqliteStore {
    /// Opens a database, and creates it if there is none.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, is no such database, or is of a newer version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::with(Connection::open(path).map_err(StoreError::failed)?)
    }

    /// A database in memory, for tests.
    ///
    /// # Errors
    ///
    /// There is not enough memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::with(Connection::open_in_memory().map_err(StoreError::failed)?)
    }

    fn with(connection: Connection) -> Result<Self, StoreError> {
        queries::prepare(&connection)?;
        Ok(Self { worker: Worker::start(connection).map_err(StoreError::failed)? })
    }

    /// Removes the tasks that ended before this time. Gives their number.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn remove_finished(&self, before: SystemTime) -> Result<usize, StoreError> {
        let before = millis(&before.into());
        self.worker.run(move |database| queries::remove_finished(database, before)).await
    }
}

impl TaskStore for SqliteStore {
    fn create(&self, owner: Owner, task: Task) -> StoreFuture<'_, ()> {
        self.worker.run(move |database| queries::create(database, &owner, &task))
    }

    fn update(&self, id: String, version: u64, change: TaskChange) -> StoreFuture<'_, ()> {
        self.worker.run(move |database| queries::update(database, &id, version, change))
    }

    fn get(&self, owner: Owner, id: String) -> StoreFuture<'_, Option<TaskRecord>> {
        self.worker
            .run(move |database| Ok(queries::read(database, &id)?.filter(|record| record.owner == owner)))
    }

    fn list(&self, query: TaskQuery) -> StoreFuture<'_, TaskPage> {
        self.worker.run(move |database| queries::list(database, &query))
    }

    fn unfinished(&self) -> StoreFuture<'_, Vec<TaskRecord>> {
        self.worker.run(queries::unfinished)
    }

    fn put_push_config(&self, config: PushConfig, limit: usize) -> StoreFuture<'_, ()> {
        self.worker.run(move |database| queries::put_push_config(database, &config, limit))
    }

    fn push_configs(&self, task_id: String) -> StoreFuture<'_, Vec<PushConfig>> {
        self.worker.run(move |database| queries::push_configs(database, &task_id))
    }

    fn delete_push_config(&self, task_id: String, id: String) -> StoreFuture<'_, ()> {
        self.worker.run(move |database| queries::delete_push_config(database, &task_id, &id))
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
