//! What the driver knows of the task in the store, and its writes.

use std::collections::HashMap;

use a2a_types::{Artifact, RpcError, StreamResponse, Task, TaskState};

use super::{limits::Limits, live::Event, registry::Handle};
use crate::{
    errors::task_not_found,
    store::{Owner, StoreError, TaskChange, TaskRecord},
    weight,
};

/// Why an update was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The task, or the turn, is over: it was cancelled, or the agent ended it.
    #[error("the turn is over")]
    Ended,
    /// The protocol does not allow the update here.
    #[error("invalid update: {0}")]
    Invalid(&'static str),
    /// The update cannot be stored.
    #[error("the update cannot be stored")]
    Store(#[source] StoreError),
}

/// How far a task has come.
#[derive(Debug)]
pub(super) enum Progress {
    /// Nothing is stored (or not known to be).
    New,
    /// It became a direct reply.
    Replied,
    Stored(Stored),
}

#[derive(Debug)]
pub(super) struct Stored {
    pub(super) version: u64,
    pub(super) state: TaskState,
    /// Bytes of each artifact.
    artifacts: HashMap<String, usize>,
    /// Bytes of the whole task.
    bytes: usize,
}

impl Stored {
    fn of(record: &TaskRecord) -> Self {
        let task = &record.task;
        Self {
            version: record.version,
            state: task.status.state.clone(),
            artifacts: weights(task),
            bytes: weight::task(task),
        }
    }
}

fn weights(task: &Task) -> HashMap<String, usize> {
    let weigh = |artifact: &Artifact| (artifact.artifact_id.clone(), weight::artifact(artifact));
    task.artifacts.iter().map(weigh).collect()
}

impl Progress {
    pub(super) fn is_new(&self) -> bool {
        matches!(self, Self::New)
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Stored(stored) if stored.state.is_terminal())
    }

    pub(super) async fn create(handle: &Handle, owner: &Owner, task: Task) -> Result<Self, UpdateError> {
        let stored = Stored::of(&TaskRecord::new(task.clone(), owner.clone(), 1));
        handle.shared().store.create(owner.clone(), task).await.map_err(UpdateError::Store)?;
        Ok(Self::Stored(stored))
    }

    /// Reads where the task stands, unless that is known.
    pub(super) async fn load(&mut self, handle: &Handle, owner: &Owner) -> Result<(), RpcError> {
        if matches!(self, Self::Stored(_)) {
            return Ok(());
        }
        let Some(record) = handle.read(owner).await? else { return Err(task_not_found(handle.id())) };
        *self = Self::Stored(Stored::of(&record));
        Ok(())
    }

    /// The change that an update means, if it is allowed.
    pub(super) fn change(&self, update: &StreamResponse, limits: &Limits) -> Result<TaskChange, UpdateError> {
        let Self::Stored(stored) = self else { return Err(UpdateError::Invalid("there is no task")) };
        if stored.state.is_terminal() {
            return Err(UpdateError::Ended);
        }
        match update {
            StreamResponse::StatusUpdate(update)
                if update.status.state == TaskState::Submitted && stored.state != TaskState::Submitted =>
            {
                return Err(UpdateError::Invalid("the task was submitted before"));
            }
            StreamResponse::ArtifactUpdate(update) => {
                let id = &update.artifact.artifact_id;
                if id.is_empty() || update.artifact.parts.is_empty() {
                    return Err(UpdateError::Invalid("an artifact needs an id and at least one part"));
                }
                if update.append && !stored.artifacts.contains_key(id) {
                    return Err(UpdateError::Invalid(
                        "nothing can be appended to an artifact that was never begun",
                    ));
                }
            }
            _ => {}
        }
        let change = TaskChange::of(update).ok_or(UpdateError::Invalid("unknown payload"))?;
        // What ends the task must always be possible.
        let ends = change.status().is_some_and(|status| status.state.is_terminal());
        if !ends && stored.bytes_after(&change) > limits.max_task_bytes {
            return Err(UpdateError::Invalid("the task is too large"));
        }
        Ok(change)
    }

    /// Makes a change. Gives the version of the task that has it.
    ///
    /// A task that somebody else has changed meanwhile is read again: if it is not over, the change is made
    /// on top.
    pub(super) async fn write(
        &mut self,
        handle: &Handle,
        owner: &Owner,
        change: TaskChange,
    ) -> Result<u64, UpdateError> {
        loop {
            let Self::Stored(stored) = self else { return Err(UpdateError::Ended) };
            let store = &handle.shared().store;
            match store.update(handle.id().to_owned(), stored.version, change.clone()).await {
                Ok(()) => {
                    stored.version += 1;
                    stored.note(&change);
                    return Ok(stored.version);
                }
                Err(StoreError::Conflict) => {}
                Err(error) => return Err(UpdateError::Store(error)),
            }
            let found = store.get(owner.clone(), handle.id().to_owned()).await.map_err(UpdateError::Store)?;
            let Some(record) = found.filter(|record| record.version != stored.version) else {
                return Err(UpdateError::Store(StoreError::Conflict));
            };
            *stored = Stored::of(&record);
            handle.publish(&Event::new(record.version, record.task.into()));
            if stored.state.is_terminal() {
                return Err(UpdateError::Ended);
            }
        }
    }
}

impl Stored {
    fn bytes_after(&self, change: &TaskChange) -> usize {
        let replaced = match change {
            TaskChange::Artifact(update) if !update.append => {
                self.artifacts.get(&update.artifact.artifact_id).copied().unwrap_or_default()
            }
            TaskChange::Snapshot(_) => self.artifacts.values().sum(),
            TaskChange::Artifact(_) | TaskChange::Status { .. } | TaskChange::Continue { .. } => 0,
        };
        self.bytes.saturating_sub(replaced).saturating_add(change.weight())
    }

    fn note(&mut self, change: &TaskChange) {
        self.bytes = self.bytes_after(change);
        if let Some(status) = change.status() {
            self.state = status.state.clone();
        }
        match change {
            TaskChange::Artifact(update) => {
                let added = weight::artifact(&update.artifact);
                match self.artifacts.get_mut(&update.artifact.artifact_id) {
                    Some(bytes) if update.append => *bytes += added,
                    Some(bytes) => *bytes = added,
                    None => drop(self.artifacts.insert(update.artifact.artifact_id.clone(), added)),
                }
            }
            TaskChange::Snapshot(task) => self.artifacts = weights(task),
            TaskChange::Status { .. } | TaskChange::Continue { .. } => {}
        }
    }
}

/// A task is in one of the states of the protocol.
pub(super) fn check_state(update: &StreamResponse) -> Result<(), UpdateError> {
    let state = match update {
        StreamResponse::StatusUpdate(update) => &update.status.state,
        StreamResponse::Task(task) => &task.status.state,
        _ => return Ok(()),
    };
    match state {
        TaskState::Unspecified | TaskState::Other(_) => Err(UpdateError::Invalid("unknown state")),
        _ => Ok(()),
    }
}
