//! How an agent reports what it does.

use std::fmt;

use a2a_types::{
    Artifact, Message, Metadata, Part, Role, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};

use crate::{
    engine::{TurnHandle, UpdateError},
    system,
};

/// Reports the updates of one turn, in order: each is stored, then sent to everybody who follows the task.
///
/// A clone reports for the same turn; updates reported at the same time are put in some order.
///
/// # Cancel safety
///
/// An update whose future is dropped may or may not happen, but never half of it.
#[derive(Clone)]
pub struct TaskUpdater {
    turn: TurnHandle,
}

impl TaskUpdater {
    pub(crate) fn new(turn: TurnHandle) -> Self {
        Self { turn }
    }

    /// Answers with a message instead of a task. Nothing more can be reported afterwards.
    ///
    /// # Errors
    ///
    /// [`UpdateError::Invalid`] if there is a task already; else as [`publish`](Self::publish).
    pub async fn reply(&self, note: impl Into<Note>) -> Result<(), UpdateError> {
        let note = note.into();
        let mut message = note.message.unwrap_or_else(|| message_of(Vec::new()));
        message.metadata = message.metadata.or(note.metadata);
        self.publish(message).await
    }

    /// The work is accepted: creates the task, if this is the first update.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn submit(&self) -> Result<(), UpdateError> {
        self.status(TaskState::Submitted, ()).await
    }

    /// The work goes on, with a note for the client or `()`.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn working(&self, note: impl Into<Note>) -> Result<(), UpdateError> {
        self.status(TaskState::Working, note).await
    }

    /// The client must say more before the work can go on; its message is a turn of its own.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn input_required(&self, note: impl Into<Note>) -> Result<(), UpdateError> {
        self.status(TaskState::InputRequired, note).await
    }

    /// The client must authorise something. Either the turn ends here and the client sends a message when it
    /// is done, or the agent waits for it and goes on: streams stay open until the turn ends.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn auth_required(&self, note: impl Into<Note>) -> Result<(), UpdateError> {
        self.status(TaskState::AuthRequired, note).await
    }

    /// The task is done.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn complete(&self, note: impl Into<Note>) -> Result<(), UpdateError> {
        self.status(TaskState::Completed, note).await
    }

    /// The task has failed. Returning an error does the same.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn fail(&self, note: impl Into<Note>) -> Result<(), UpdateError> {
        self.status(TaskState::Failed, note).await
    }

    /// The agent will not do the task.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn reject(&self, note: impl Into<Note>) -> Result<(), UpdateError> {
        self.status(TaskState::Rejected, note).await
    }

    /// The task is in this state.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn status(&self, state: TaskState, note: impl Into<Note>) -> Result<(), UpdateError> {
        let note = note.into();
        let mut status = TaskStatus::new(state);
        status.message = note.message;
        let mut update = TaskStatusUpdateEvent::new("", "", status);
        update.metadata = note.metadata;
        self.publish(update).await
    }

    /// Begins an artifact with this id, to be sent in chunks. Nothing is sent yet.
    pub fn artifact(&self, id: impl Into<String>) -> ArtifactWriter {
        ArtifactWriter { updater: self.clone(), artifact: Artifact::new(id, Vec::new()), begun: false }
    }

    /// Sends a whole artifact; it replaces the one of the same id.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub async fn add_artifact(&self, artifact: Artifact) -> Result<(), UpdateError> {
        let mut update = TaskArtifactUpdateEvent::new("", "", artifact);
        update.last_chunk = true;
        self.publish(update).await
    }

    /// Reports any payload of the protocol; the other methods are made of this one. Whatever its ids of task
    /// and context are, they become those of the turn, and what is missing of message ids, roles and times
    /// is filled in.
    ///
    /// A [`Task`](StreamResponse::Task) replaces the status, the artifacts and the metadata of the task.
    ///
    /// # Errors
    ///
    /// [`UpdateError::Ended`] if the turn or the task is over, for instance cancelled;
    /// [`UpdateError::Invalid`] if the protocol does not allow the update here;
    /// [`UpdateError::Store`] if it cannot be stored.
    pub async fn publish(&self, update: impl Into<StreamResponse>) -> Result<(), UpdateError> {
        self.turn.publish(update.into()).await
    }
}

impl fmt::Debug for TaskUpdater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskUpdater").field("task_id", &self.turn.task_id()).finish_non_exhaustive()
    }
}

/// Sends one artifact in chunks.
#[derive(Debug)]
pub struct ArtifactWriter {
    updater: TaskUpdater,
    artifact: Artifact,
    begun: bool,
}

impl ArtifactWriter {
    /// The same artifact with a name for humans; call it before the first chunk.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.artifact.name = name.into();
        self
    }

    /// The same artifact with a description for humans; call it before the first chunk.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.artifact.description = description.into();
        self
    }

    /// Sends a chunk, after which more may come.
    ///
    /// # Errors
    ///
    /// As [`TaskUpdater::publish`].
    pub async fn chunk(&mut self, part: impl Into<Part>) -> Result<(), UpdateError> {
        self.send(part.into(), false).await
    }

    /// Sends the last chunk: the artifact is complete.
    ///
    /// # Errors
    ///
    /// As [`TaskUpdater::publish`].
    pub async fn last_chunk(mut self, part: impl Into<Part>) -> Result<(), UpdateError> {
        self.send(part.into(), true).await
    }

    async fn send(&mut self, part: Part, last: bool) -> Result<(), UpdateError> {
        let mut chunk = Artifact::new(self.artifact.artifact_id.clone(), vec![part]);
        if !self.begun {
            chunk.name.clone_from(&self.artifact.name);
            chunk.description.clone_from(&self.artifact.description);
        }
        let mut update = TaskArtifactUpdateEvent::new("", "", chunk);
        update.append = std::mem::replace(&mut self.begun, true);
        update.last_chunk = last;
        self.updater.publish(update).await
    }
}

/// What an agent says along with a status, or as its reply: text, parts, a whole message, or nothing (`()`).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Note {
    /// The message.
    pub message: Option<Message>,
    /// Metadata of the update.
    pub metadata: Option<Metadata>,
}

impl Note {
    /// The same note with metadata for the update it comes with.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = Some(metadata);
        self
    }
}

impl From<()> for Note {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<&str> for Note {
    fn from(text: &str) -> Self {
        Part::text(text).into()
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Part::text(text).into()
    }
}

impl From<Part> for Note {
    fn from(part: Part) -> Self {
        vec![part].into()
    }
}

impl From<Vec<Part>> for Note {
    fn from(parts: Vec<Part>) -> Self {
        message_of(parts).into()
    }
}

impl From<Message> for Note {
    fn from(message: Message) -> Self {
        Self { message: Some(message), metadata: None }
    }
}

fn message_of(parts: Vec<Part>) -> Message {
    Message::new(system::new_id(), Role::Agent, parts)
}
