//! What the database is asked.

use a2a_types::{Task, TaskPushNotificationConfig};
use rusqlite::{Connection, OptionalExtension as _, Row, named_params, params};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    store::{
        Cursor, MAX_PAGE_BYTES, Owner, PushConfig, StoreError, TaskChange, TaskPage, TaskQuery, TaskRecord,
        cursor::millis,
    },
    weight,
};

/// Version of the schema, in `user_version`.
const SCHEMA_VERSION: i64 = 1;

const SCHEMA: &str = "
CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    caller TEXT NOT NULL,
    context_id TEXT NOT NULL,
    state TEXT NOT NULL,
    finished INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    millis INTEGER NOT NULL,
    version INTEGER NOT NULL,
    snapshot TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_by_owner ON tasks (tenant, caller, millis, id);
CREATE INDEX tasks_by_context ON tasks (tenant, caller, context_id, millis, id);
CREATE INDEX unfinished_tasks ON tasks (id) WHERE NOT finished AND NOT waiting;
CREATE INDEX finished_tasks ON tasks (millis) WHERE finished;
CREATE TABLE changes (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    change TEXT NOT NULL,
    PRIMARY KEY (task_id, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE push_configs (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    legacy INTEGER NOT NULL,
    config TEXT NOT NULL,
    PRIMARY KEY (task_id, id)
) STRICT, WITHOUT ROWID;
";

/// Sets a connection up, and the database if it is empty.
pub(super) fn prepare(database: &Connection) -> Result<(), StoreError> {
    let set_up = || -> rusqlite::Result<i64> {
        database.busy_timeout(std::time::Duration::from_secs(10))?;
        database.pragma_update(None, "journal_mode", "wal")?;
        database.pragma_update(None, "synchronous", "normal")?;
        database.pragma_update(None, "foreign_keys", true)?;
        database.execute_batch("BEGIN IMMEDIATE")?;
        let mut version = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            database.execute_batch(SCHEMA)?;
            database.pragma_update(None, "user_version", SCHEMA_VERSION)?;
            version = SCHEMA_VERSION;
        }
        database.execute_batch("COMMIT")?;
        Ok(version)
    };
    match set_up().map_err(StoreError::failed)? {
        SCHEMA_VERSION => Ok(()),
        other => Err(StoreError::failed(format!("the database is of version {other}, not {SCHEMA_VERSION}"))),
    }
}

pub(super) fn create(database: &Connection, owner: &Owner, task: &Task) -> Result<(), StoreError> {
    let sql = "INSERT INTO tasks VALUES (:id, :tenant, :caller, :context, :state, :finished, :waiting, :millis, 1, :snapshot)
               ON CONFLICT DO NOTHING";
    let mut insert = database.prepare_cached(sql).map_err(StoreError::failed)?;
    let state = &task.status.state;
    let inserted = insert.execute(named_params! {
        ":id": task.id,
        ":tenant": owner.tenant,
        ":caller": owner.caller,
        ":context": task.context_id,
        ":state": state.as_str(),
        ":finished": state.is_terminal(),
        ":waiting": state.is_interrupted(),
        ":millis": Cursor::of(task).millis,
        ":snapshot": to_json(task)?,
    });
    expect_one(inserted)
}

pub(super) fn update(
    database: &Connection,
    id: &str,
    version: u64,
    change: TaskChange,
) -> Result<(), StoreError> {
    let version = i64::try_from(version).map_err(StoreError::failed)?;
    let next = version + 1;
    let Some(status) = change.status() else {
        let sql = "UPDATE tasks SET version = ?3 WHERE id = ?1 AND version = ?2";
        expect_one(
            database.prepare_cached(sql).and_then(|mut update| update.execute(params![id, version, next])),
        )?;
        return append(database, id, next, &change);
    };
    let state = status.state.clone();
    let sql = "UPDATE tasks SET version = ?3, state = ?4, finished = ?5, waiting = ?6, millis = ?7
               WHERE id = ?1 AND version = ?2";
    let millis = status.timestamp.as_ref().map_or(0, millis);
    expect_one(database.prepare_cached(sql).and_then(|mut update| {
        let (finished, waiting) = (state.is_terminal(), state.is_interrupted());
        update.execute(params![id, version, next, state.as_str(), finished, waiting, millis])
    }))?;
    if state.is_terminal() || state.is_interrupted() {
        sum_up(database, id, change)
    } else {
        append(database, id, next, &change)
    }
}

fn append(database: &Connection, id: &str, version: i64, change: &TaskChange) -> Result<(), StoreError> {
    let sql = "INSERT INTO changes VALUES (?1, ?2, ?3)";
    let change = to_json(change)?;
    let appended =
        database.prepare_cached(sql).and_then(|mut insert| insert.execute(params![id, version, change]));
    appended.map(drop).map_err(StoreError::failed)
}

/// Makes the last change, and one snapshot of all of them.
fn sum_up(database: &Connection, id: &str, last: TaskChange) -> Result<(), StoreError> {
    let Some(mut record) = read(database, id)? else { return Err(StoreError::Conflict) };
    last.apply(&mut record.task);
    let snapshot = to_json(&record.task)?;
    let sql = "UPDATE tasks SET snapshot = ?2 WHERE id = ?1";
    expect_one(database.prepare_cached(sql).and_then(|mut update| update.execute(params![id, snapshot])))?;
    let sql = "DELETE FROM changes WHERE task_id = ?1";
    let deleted = database.prepare_cached(sql).and_then(|mut delete| delete.execute(params![id]));
    deleted.map(drop).map_err(StoreError::failed)
}

pub(super) fn read(database: &Connection, id: &str) -> Result<Option<TaskRecord>, StoreError> {
    let sql = "SELECT id, tenant, caller, version, snapshot FROM tasks WHERE id = ?1";
    let mut select = database.prepare_cached(sql).map_err(StoreError::failed)?;
    let found = select.query_row(params![id], stored).optional().map_err(StoreError::failed)?;
    found.map(|stored| stored.with_changes(database)).transpose()
}

pub(super) fn unfinished(database: &rusqlite::Savepoint<'_>) -> Result<Vec<TaskRecord>, StoreError> {
    let sql = "SELECT id, tenant, caller, version, snapshot FROM tasks WHERE NOT finished AND NOT waiting";
    let mut select = database.prepare_cached(sql).map_err(StoreError::failed)?;
    let found: rusqlite::Result<Vec<Stored>> = select.query_map([], stored).and_then(|rows| rows.collect());
    found.map_err(StoreError::failed)?.into_iter().map(|stored| stored.with_changes(database)).collect()
}

pub(super) fn list(database: &Connection, query: &TaskQuery) -> Result<TaskPage, StoreError> {
    let from = match query.page_token.as_str() {
        "" => Cursor { millis: i64::MAX, id: String::new() },
        token => Cursor::from_token(token).ok_or(StoreError::InvalidToken)?,
    };
    let filter = "tenant = :tenant AND caller = :caller
        AND (:context IS NULL OR context_id = :context)
        AND (:state IS NULL OR state = :state)
        AND (:since IS NULL OR millis >= :since)";
    let context = query.context_id.as_deref();
    let state = query.state.as_ref().map(|state| state.as_str());
    let since = query.status_since.as_ref().map(millis);
    let count = format!("SELECT count(*) FROM tasks WHERE {filter}");
    let total: i64 = database
        .prepare_cached(&count)
        .and_then(|mut select| {
            select.query_row(
                named_params! {
                    ":tenant": query.owner.tenant, ":caller": query.owner.caller,
                    ":context": context, ":state": state, ":since": since,
                },
                |row| row.get(0),
            )
        })
        .map_err(StoreError::failed)?;
    let limit = i64::try_from(query.page_size).unwrap_or(i64::MAX).saturating_add(1);
    let page = format!(
        "SELECT id, tenant, caller, version, snapshot FROM tasks
         WHERE {filter} AND (millis, id) < (:from_millis, :from_id)
         ORDER BY millis DESC, id DESC LIMIT :limit"
    );
    let mut select = database.prepare_cached(&page).map_err(StoreError::failed)?;
    let mut rows = select
        .query(named_params! {
            ":tenant": query.owner.tenant, ":caller": query.owner.caller,
            ":context": context, ":state": state, ":since": since,
            ":from_millis": from.millis, ":from_id": from.id, ":limit": limit,
        })
        .map_err(StoreError::failed)?;
    let mut page = TaskPage { total: usize::try_from(total).unwrap_or_default(), ..TaskPage::default() };
    let mut bytes = 0;
    while let Some(row) = rows.next().map_err(StoreError::failed)? {
        if page.tasks.len() >= query.page_size || bytes >= MAX_PAGE_BYTES {
            let last = page.tasks.last().map(|task| Cursor::of(task).to_token());
            page.next_page_token = last.unwrap_or_default();
            break;
        }
        let mut task = stored(row).map_err(StoreError::failed)?.with_changes(database)?.task;
        if !query.with_artifacts {
            task.artifacts.clear();
        }
        bytes += weight::task(&task);
        page.tasks.push(task);
    }
    Ok(page)
}

pub(super) fn remove_finished(database: &Connection, before: i64) -> Result<usize, StoreError> {
    let sql = "DELETE FROM tasks WHERE finished AND millis < ?1";
    let deleted = database.prepare_cached(sql).and_then(|mut delete| delete.execute(params![before]));
    deleted.map_err(StoreError::failed)
}

pub(super) fn put_push_config(
    database: &Connection,
    config: &PushConfig,
    limit: usize,
) -> Result<(), StoreError> {
    let PushConfig { config, legacy } = config;
    let sql = "SELECT (SELECT count(*) FROM tasks WHERE id = ?1),
                      (SELECT count(*) FROM push_configs WHERE task_id = ?1 AND id <> ?2)";
    let (tasks, others): (i64, i64) = database
        .prepare_cached(sql)
        .and_then(|mut select| {
            select.query_row(params![config.task_id, config.id], |row| Ok((row.get(0)?, row.get(1)?)))
        })
        .map_err(StoreError::failed)?;
    if tasks == 0 {
        return Err(StoreError::Conflict);
    }
    if usize::try_from(others).unwrap_or(usize::MAX) >= limit {
        return Err(StoreError::Full { limit: format!("{limit} push configurations") });
    }
    let sql = "INSERT OR REPLACE INTO push_configs VALUES (?1, ?2, ?3, ?4)";
    let json = to_json(config)?;
    expect_one(
        database
            .prepare_cached(sql)
            .and_then(|mut insert| insert.execute(params![config.task_id, config.id, legacy, json])),
    )
}

pub(super) fn push_configs(database: &Connection, task_id: &str) -> Result<Vec<PushConfig>, StoreError> {
    let sql = "SELECT config, legacy FROM push_configs WHERE task_id = ?1 ORDER BY id";
    let mut select = database.prepare_cached(sql).map_err(StoreError::failed)?;
    let found: rusqlite::Result<Vec<(String, bool)>> = select
        .query_map(params![task_id], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(|rows| rows.collect());
    let read = |(config, legacy): (String, bool)| {
        let config: TaskPushNotificationConfig = from_json(&config)?;
        Ok(PushConfig { config, legacy })
    };
    found.map_err(StoreError::failed)?.into_iter().map(read).collect()
}

pub(super) fn delete_push_config(database: &Connection, task_id: &str, id: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM push_configs WHERE task_id = ?1 AND id = ?2";
    let deleted = database.prepare_cached(sql).and_then(|mut delete| delete.execute(params![task_id, id]));
    deleted.map(drop).map_err(StoreError::failed)
}

/// A row of `tasks`.
struct Stored {
    id: String,
    owner: Owner,
    version: i64,
    snapshot: String,
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let owner = Owner { tenant: row.get(1)?, caller: row.get(2)? };
    Ok(Stored { id: row.get(0)?, owner, version: row.get(3)?, snapshot: row.get(4)? })
}

impl Stored {
    fn with_changes(self, database: &Connection) -> Result<TaskRecord, StoreError> {
        let mut task: Task = from_json(&self.snapshot)?;
        let sql = "SELECT change FROM changes WHERE task_id = ?1 ORDER BY version";
        let mut select = database.prepare_cached(sql).map_err(StoreError::failed)?;
        let mut rows = select.query(params![self.id]).map_err(StoreError::failed)?;
        while let Some(row) = rows.next().map_err(StoreError::failed)? {
            let change: String = row.get(0).map_err(StoreError::failed)?;
            from_json::<TaskChange>(&change)?.apply(&mut task);
        }
        let version = u64::try_from(self.version).map_err(StoreError::failed)?;
        Ok(TaskRecord::new(task, self.owner, version))
    }
}

/// Exactly one row must have been written.
fn expect_one(written: rusqlite::Result<usize>) -> Result<(), StoreError> {
    match written.map_err(StoreError::failed)? {
        1 => Ok(()),
        _ => Err(StoreError::Conflict),
    }
}

fn to_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::failed)
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(StoreError::failed)
}
