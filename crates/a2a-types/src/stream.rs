//! What a server answers to a message: at once, or piece by piece (§3.2.3, §4.2).

use crate::{
    json::Metadata,
    message::Message,
    task::{Artifact, Task, TaskStatus},
    wire::{wire_oneof, wire_struct},
};

wire_oneof! {
    /// One payload of a response stream (§3.2.3), also the body of a push notification.
    ///
    /// What it holds is large and boxed, so that a payload is cheap to move.
    pub enum StreamResponse {
        /// A full snapshot.
        Task(Box<Task>) = "task" | "task";
        /// A direct reply; it ends the exchange.
        Message(Box<Message>) = "message" | "message";
        /// The status of a task changed.
        StatusUpdate(Box<TaskStatusUpdateEvent>) = "statusUpdate" | "status_update";
        /// An artifact is new, replaced or longer.
        ArtifactUpdate(Box<TaskArtifactUpdateEvent>) = "artifactUpdate" | "artifact_update";
    }
}

wire_oneof! {
    /// The answer to SendMessage (§3.2.2).
    pub enum SendMessageResponse {
        /// The task that was created or continued.
        Task(Box<Task>) = "task" | "task";
        /// A direct reply; no task exists.
        Message(Box<Message>) = "message" | "message";
    }
}

macro_rules! boxes {
    ($($name:ident: $($payload:ty),*;)*) => { $($(
        impl From<$payload> for $name {
            fn from(payload: $payload) -> Self {
                Box::new(payload).into()
            }
        }
    )*)* };
}

boxes! {
    StreamResponse: Task, Message, TaskStatusUpdateEvent, TaskArtifactUpdateEvent;
    SendMessageResponse: Task, Message;
}

impl From<SendMessageResponse> for StreamResponse {
    fn from(response: SendMessageResponse) -> Self {
        match response {
            SendMessageResponse::Task(task) => Self::Task(task),
            SendMessageResponse::Message(message) => Self::Message(message),
            SendMessageResponse::Unknown(members) => Self::Unknown(members),
        }
    }
}

wire_struct! {
    /// A new status of a task; it replaces the old one (§4.2.1).
    pub struct TaskStatusUpdateEvent {
        /// Task that changed.
        pub task_id: String = "taskId", required;
        /// Its conversation.
        pub context_id: String = "contextId", required;
        /// The new status.
        pub status: TaskStatus = "status", required;
        /// Free-form.
        pub metadata: Option<Metadata> = "metadata";
    }
}

impl TaskStatusUpdateEvent {
    /// An update without metadata.
    pub fn new(task_id: impl Into<String>, context_id: impl Into<String>, status: TaskStatus) -> Self {
        Self { task_id: task_id.into(), context_id: context_id.into(), status, metadata: None }
    }
}

wire_struct! {
    /// A new artifact, or a chunk of one (§4.2.2).
    pub struct TaskArtifactUpdateEvent {
        /// Task that owns the artifact.
        pub task_id: String = "taskId", required;
        /// Its conversation.
        pub context_id: String = "contextId", required;
        /// The artifact, or the chunk.
        pub artifact: Artifact = "artifact", required;
        /// Whether the parts are appended to the artifact of the same id; else they replace it.
        pub append: bool = "append";
        /// Whether the artifact is complete; `false` says nothing.
        pub last_chunk: bool = "lastChunk";
        /// Free-form.
        pub metadata: Option<Metadata> = "metadata";
    }
}

impl TaskArtifactUpdateEvent {
    /// An update that creates or replaces the artifact.
    pub fn new(task_id: impl Into<String>, context_id: impl Into<String>, artifact: Artifact) -> Self {
        Self { task_id: task_id.into(), context_id: context_id.into(), artifact, ..Self::default() }
    }
}
