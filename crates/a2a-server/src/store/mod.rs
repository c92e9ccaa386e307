//! Where tasks are kept.
//!
//! A store knows nothing of HTTP or of running agents, and assumes nothing of the process it runs in: every
//! write names the version it is based on, and a write based on an old one is refused. So several processes
//! can share a database.

mod cursor;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::fmt::Debug;

use a2a_types::{
    Artifact, Message, StreamResponse, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState,
    TaskStatus, Timestamp,
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{auth::Caller, executor::BoxError, weight};

pub use cursor::Cursor;
pub use memory::{MemoryStore, MemoryStoreStats};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

/// What an operation of a [`TaskStore`] gives.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Keeps tasks and their push configurations.
///
/// What a future has confirmed must survive as long as the store promises: the engine tells clients of an
/// update only afterwards.
///
/// # Cancel safety
///
/// The engine may drop a future; whether the operation then happens is open, but never half of it.
pub trait TaskStore: Debug + Send + Sync + 'static {
    /// Adds a task, with version 1.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if the id exists; [`StoreError::Full`].
    fn create(&self, owner: Owner, task: Task) -> StoreFuture<'_, ()>;

    /// Changes a task of this version, as [`TaskChange::apply`] does, and counts its version up.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] if the version is another one, or the task is gone.
    fn update(&self, id: String, version: u64, change: TaskChange) -> StoreFuture<'_, ()>;

    /// Looks a task up, if it is this owner's.
    fn get(&self, owner: Owner, id: String) -> StoreFuture<'_, Option<TaskRecord>>;

    /// A page of an owner's tasks, newest status first. A store may end a page early, lest it become too large:
    /// the stores of this crate do after 16 MiB.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidToken`] if the page token is not one of this store's.
    fn list(&self, query: TaskQuery) -> StoreFuture<'_, TaskPage>;

    /// Tasks of all owners in a state that only a running agent can end (submitted or working).
    fn unfinished(&self) -> StoreFuture<'_, Vec<TaskRecord>>;

    /// Adds or replaces a push configuration of a task, by its id.
    ///
    /// # Errors
    ///
    /// [`StoreError::Full`] if the task has `limit` others.
    fn put_push_config(&self, config: PushConfig, limit: usize) -> StoreFuture<'_, ()>;

    /// The push configurations of a task, in order of id.
    fn push_configs(&self, task_id: String) -> StoreFuture<'_, Vec<PushConfig>>;

    /// Removes a push configuration; does nothing if there is none.
    fn delete_push_config(&self, task_id: String, id: String) -> StoreFuture<'_, ()>;
}

/// Who a task belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Owner {
    /// Tenant; empty for none.
    pub tenant: String,
    /// Id of the caller; empty for anonymous ones.
    pub caller: String,
}

impl Owner {
    /// This caller, at this tenant.
    pub fn new(tenant: &str, caller: &Caller) -> Self {
        Self { tenant: tenant.to_owned(), caller: caller.id.clone() }
    }
}

/// A task, as a store has it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskRecord {
    /// The task, with everything that belongs to it.
    pub task: Task,
    /// Whose it is.
    pub owner: Owner,
    /// How often it was written.
    pub version: u64,
}

impl TaskRecord {
    /// A task of this version.
    pub fn new(task: Task, owner: Owner, version: u64) -> Self {
        Self { task, owner, version }
    }
}

/// A push configuration, as a store has it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PushConfig {
    /// The configuration; its id and task id are filled in.
    pub config: TaskPushNotificationConfig,
    /// Whether the webhook wants the payloads of protocol 0.3.
    pub legacy: bool,
}

impl PushConfig {
    /// A configuration that wants payloads of protocol 1.0.
    pub fn new(config: TaskPushNotificationConfig) -> Self {
        Self { config, legacy: false }
    }
}

/// One change of a task. All changes of a task, applied in order, make it what it is; a store may keep them
/// as JSON, one after the other, and only sum them up now and then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum TaskChange {
    /// The client has sent a further message.
    Continue {
        /// The message.
        message: Box<Message>,
        /// The status while it is worked on.
        status: Box<TaskStatus>,
    },
    /// The status is another one.
    Status {
        /// The new status; the message of the old one moves to the history.
        status: Box<TaskStatus>,
    },
    /// An artifact is new, replaced or longer.
    Artifact(Box<TaskArtifactUpdateEvent>),
    /// Status, artifacts and metadata are replaced by those of this task.
    Snapshot(Box<Task>),
}

impl TaskChange {
    /// Makes the change.
    pub fn apply(self, task: &mut Task) {
        match self {
            Self::Continue { message, status } => {
                set_status(task, *status);
                task.history.push(*message);
            }
            Self::Status { status } => set_status(task, *status),
            Self::Artifact(update) => set_artifact(&mut task.artifacts, *update),
            Self::Snapshot(snapshot) => {
                task.artifacts = snapshot.artifacts;
                task.metadata = snapshot.metadata;
                set_status(task, snapshot.status);
            }
        }
    }

    /// The change that a payload tells of; `None` if it tells of none.
    pub(crate) fn of(update: &StreamResponse) -> Option<Self> {
        Some(match update {
            StreamResponse::StatusUpdate(update) => Self::Status { status: Box::new(update.status.clone()) },
            StreamResponse::ArtifactUpdate(update) => Self::Artifact(update.clone()),
            StreamResponse::Task(task) => Self::Snapshot(task.clone()),
            _ => return None,
        })
    }

    /// About how many bytes it brings.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Continue { message, status } => weight::message(message) + weight::status(status),
            Self::Status { status } => weight::status(status),
            Self::Artifact(update) => weight::artifact(&update.artifact),
            Self::Snapshot(task) => {
                weight::status(&task.status)
                    + weight::artifacts(&task.artifacts)
                    + weight::metadata(task.metadata.as_ref())
            }
        }
    }

    /// The status afterwards, if the change sets one.
    pub fn status(&self) -> Option<&TaskStatus> {
        match self {
            Self::Continue { status, .. } | Self::Status { status } => Some(status),
            Self::Snapshot(task) => Some(&task.status),
            Self::Artifact(_) => None,
        }
    }
}

fn set_status(task: &mut Task, status: TaskStatus) {
    let old = std::mem::replace(&mut task.status, status);
    task.history.extend(old.message);
}

fn set_artifact(artifacts: &mut Vec<Artifact>, update: TaskArtifactUpdateEvent) {
    let chunk = update.artifact;
    match artifacts.iter_mut().find(|artifact| artifact.artifact_id == chunk.artifact_id) {
        None => artifacts.push(chunk),
        Some(artifact) if !update.append => *artifact = chunk,
        Some(artifact) => {
            artifact.parts.extend(chunk.parts);
            if let Some(metadata) = chunk.metadata {
                artifact.metadata.get_or_insert_default().extend(metadata);
            }
        }
    }
}

/// Which tasks to list.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskQuery {
    /// Only tasks of this owner.
    pub owner: Owner,
    /// Only tasks of this conversation.
    pub context_id: Option<String>,
    /// Only tasks in this state.
    pub state: Option<TaskState>,
    /// Only tasks whose status is at least so recent.
    pub status_since: Option<Timestamp>,
    /// Tasks per page.
    pub page_size: usize,
    /// Where the page begins: [`TaskPage::next_page_token`] of the one before, empty for the first.
    pub page_token: String,
    /// Whether tasks come with their artifacts.
    pub with_artifacts: bool,
}

impl TaskQuery {
    /// All tasks of this owner, without their artifacts, 50 per page.
    pub fn new(owner: Owner) -> Self {
        Self { owner, page_size: 50, ..Self::default() }
    }
}

/// A page of tasks.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskPage {
    /// The tasks, newest status first.
    pub tasks: Vec<Task>,
    /// Where the next page begins; empty if this is the last.
    pub next_page_token: String,
    /// Matching tasks on all pages.
    pub total: usize,
}

/// After about so many bytes a page ends.
const MAX_PAGE_BYTES: usize = 16 << 20;

/// Why a store cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The task was changed by somebody else, or is gone, or exists already.
    #[error("the task was changed meanwhile")]
    Conflict,
    /// A limit is reached.
    #[error("the store is full: {limit}")]
    Full {
        /// Which limit.
        limit: String,
    },
    /// The page token is not one of this store's.
    #[error("unknown page token")]
    InvalidToken,
    /// The database failed.
    #[error("the store failed")]
    Failed(#[source] BoxError),
}

impl StoreError {
    /// The database failed for this reason.
    pub fn failed(cause: impl Into<BoxError>) -> Self {
        Self::Failed(cause.into())
    }
}
