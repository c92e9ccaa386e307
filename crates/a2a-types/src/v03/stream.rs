//! What a 0.3 server answers: bare objects with a `kind`, or wrapped ones.

use std::borrow::Borrow;

use serde::{Deserializer, Serializer, de};
use serde_json::Value;

use super::{
    kind::Kind,
    write::{As, Dialect, Encode, Object},
};
use crate::{
    json::Metadata,
    message::{Message, Part, Role},
    stream::{SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent},
    task::{Artifact, Task, TaskState, TaskStatus},
    wire::{Decode, Kept, V03, decode, read_object},
};

/// One payload of a 0.3 stream, with its end mark.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct StreamEvent<R = StreamResponse> {
    /// The payload, owned or borrowed.
    pub response: R,
    /// Whether a status update says that it is the last payload; a client stops reading then. Has no meaning
    /// with other payloads.
    pub is_final: bool,
}

impl<R> StreamEvent<R> {
    /// A payload that says whether it is the last one.
    pub fn new(response: R, is_final: bool) -> Self {
        Self { response, is_final }
    }
}

/// Final is a status update whose state is terminal or waits for input, as 0.3 wants it.
impl From<StreamResponse> for StreamEvent {
    fn from(response: StreamResponse) -> Self {
        let is_final = ends_stream(&response);
        Self { response, is_final }
    }
}

fn ends_stream(response: &StreamResponse) -> bool {
    match response {
        StreamResponse::StatusUpdate(update) => {
            let state = &update.status.state;
            state.is_terminal() || *state == TaskState::InputRequired
        }
        StreamResponse::Task(_)
        | StreamResponse::Message(_)
        | StreamResponse::ArtifactUpdate(_)
        | StreamResponse::Unknown(_) => false,
    }
}

impl Decode<V03> for StreamEvent {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        let mut payload = Payload::default();
        read_object!(value as V03, &mut payload => Payload, rest unknown {
            kind = "kind",
            task = "task",
            message = "message" | "msg",
            status_update = "statusUpdate" | "status_update",
            artifact_update = "artifactUpdate" | "artifact_update",
            id = "id",
            context_id = "contextId" | "context_id",
            task_id = "taskId" | "task_id",
            status = "status",
            is_final = "final",
            artifacts = "artifacts",
            history = "history",
            artifact = "artifact",
            append = "append",
            last_chunk = "lastChunk" | "last_chunk",
            message_id = "messageId" | "message_id",
            role = "role",
            parts = "parts" | "content",
            extensions = "extensions",
            reference_task_ids = "referenceTaskIds" | "reference_task_ids",
            metadata = "metadata",
        })?;
        *self = payload.into_event()?;
        Ok(())
    }
}

/// The members of every payload: of the wrapper, and of the bare objects. What is large is boxed, as only one of
/// them is there.
#[derive(Default)]
struct Payload {
    kind: Kind,
    task: Option<Box<Task>>,
    message: Option<Box<Message>>,
    status_update: Option<Box<StatusUpdate>>,
    artifact_update: Option<Box<TaskArtifactUpdateEvent>>,
    id: Option<String>,
    context_id: String,
    task_id: String,
    status: Option<Box<TaskStatus>>,
    is_final: bool,
    artifacts: Vec<Artifact>,
    history: Vec<Message>,
    artifact: Option<Artifact>,
    append: bool,
    last_chunk: bool,
    message_id: Option<String>,
    role: Role,
    parts: Option<Vec<Part>>,
    extensions: Vec<String>,
    reference_task_ids: Vec<String>,
    metadata: Option<Metadata>,
    unknown: Kept,
}

impl Payload {
    fn into_event<E: de::Error>(mut self) -> Result<StreamEvent, E> {
        let wrapped = match (
            self.task.take(),
            self.message.take(),
            self.status_update.take(),
            self.artifact_update.take(),
        ) {
            (None, None, None, None) => None,
            (Some(task), None, None, None) => Some(StreamEvent::new(task.into(), false)),
            (None, Some(message), None, None) => Some(StreamEvent::new(message.into(), false)),
            (None, None, Some(update), None) => Some((*update).into()),
            (None, None, None, Some(update)) => Some(StreamEvent::new(update.into(), false)),
            _ => {
                return Err(E::custom(
                    "only one of `task`, `message`, `statusUpdate` and `artifactUpdate` may be set",
                ));
            }
        };
        Ok(wrapped.unwrap_or_else(|| self.into_bare()))
    }

    /// Told by `kind`, without it by the members that only one object has.
    fn into_bare(self) -> StreamEvent {
        let is_final = self.is_final;
        let response = match self.kind.as_str() {
            "task" => self.into_task().into(),
            "message" => self.into_message().into(),
            "status-update" => return StreamEvent::new(self.into_status_update().into(), is_final),
            "artifact-update" => self.into_artifact_update().into(),
            "" if self.artifact.is_some() => self.into_artifact_update().into(),
            "" if self.message_id.is_some() || self.parts.is_some() => self.into_message().into(),
            "" if self.id.is_some() => self.into_task().into(),
            "" if self.status.is_some() => {
                return StreamEvent::new(self.into_status_update().into(), is_final);
            }
            _ => self.into_unknown(),
        };
        StreamEvent::new(response, false)
    }

    fn into_task(self) -> Task {
        Task {
            id: self.id.unwrap_or_default(),
            context_id: self.context_id,
            status: self.status.map(|status| *status).unwrap_or_default(),
            artifacts: self.artifacts,
            history: self.history,
            metadata: self.metadata,
        }
    }

    fn into_message(self) -> Message {
        let mut message = Message {
            message_id: self.message_id.unwrap_or_default(),
            context_id: self.context_id,
            task_id: self.task_id,
            role: self.role,
            parts: self.parts.unwrap_or_default(),
            metadata: self.metadata,
            extensions: self.extensions,
            reference_task_ids: self.reference_task_ids,
        };
        message.fill_in_role();
        message
    }

    fn into_status_update(self) -> TaskStatusUpdateEvent {
        TaskStatusUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            status: self.status.map(|status| *status).unwrap_or_default(),
            metadata: self.metadata,
        }
    }

    fn into_artifact_update(self) -> TaskArtifactUpdateEvent {
        TaskArtifactUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            artifact: self.artifact.unwrap_or_default(),
            append: self.append,
            last_chunk: self.last_chunk,
            metadata: self.metadata,
        }
    }

    /// Keeps `kind` and the members that no payload has.
    fn into_unknown(self) -> StreamResponse {
        let mut unknown = self.unknown.unwrap_or_default();
        if !self.kind.as_str().is_empty() {
            unknown.insert("kind".to_owned(), Value::String(self.kind.into_string()));
        }
        StreamResponse::Unknown(unknown)
    }
}

/// A status update inside its wrapper, with the end mark.
#[derive(Default)]
struct StatusUpdate {
    task_id: String,
    context_id: String,
    status: TaskStatus,
    is_final: bool,
    metadata: Option<Metadata>,
}

impl Decode<V03> for StatusUpdate {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => StatusUpdate {
            task_id = "taskId" | "task_id",
            context_id = "contextId" | "context_id",
            status = "status",
            is_final = "final",
            metadata = "metadata",
        })
    }
}

impl From<StatusUpdate> for StreamEvent {
    fn from(update: StatusUpdate) -> Self {
        let event = TaskStatusUpdateEvent {
            task_id: update.task_id,
            context_id: update.context_id,
            status: update.status,
            metadata: update.metadata,
        };
        Self::new(event.into(), update.is_final)
    }
}

impl Decode<V03> for TaskArtifactUpdateEvent {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => TaskArtifactUpdateEvent {
            task_id = "taskId" | "task_id",
            context_id = "contextId" | "context_id",
            artifact = "artifact",
            append = "append",
            last_chunk = "lastChunk" | "last_chunk",
            metadata = "metadata",
        })
    }
}

impl Decode<V03> for StreamResponse {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        let event: StreamEvent = decode::<V03, _, _>(value)?;
        *self = event.response;
        Ok(())
    }
}

impl Decode<V03> for SendMessageResponse {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        let event: StreamEvent = decode::<V03, _, _>(value)?;
        *self = match event.response {
            StreamResponse::Task(task) => Self::Task(task),
            StreamResponse::Message(message) => Self::Message(message),
            StreamResponse::Unknown(members) => Self::Unknown(members),
            // What looks like one may be a task without `kind` and `id`, and says as much about a task.
            StreamResponse::StatusUpdate(update) => Self::from(Task {
                metadata: update.metadata,
                ..Task::new(update.task_id, update.context_id, update.status)
            }),
            StreamResponse::ArtifactUpdate(_) => {
                return Err(de::Error::custom("expected a task or a message, found an artifact update"));
            }
        };
        Ok(())
    }
}

/// What a payload is written from.
enum PayloadOf<'a> {
    Task(&'a Task),
    Message(&'a Message),
    StatusUpdate(StatusUpdateOf<'a>),
    ArtifactUpdate(&'a TaskArtifactUpdateEvent),
    Unknown(&'a Metadata),
}

impl<'a> PayloadOf<'a> {
    fn new(response: &'a StreamResponse, is_final: bool) -> Self {
        match response {
            StreamResponse::Task(task) => Self::Task(task),
            StreamResponse::Message(message) => Self::Message(message),
            StreamResponse::StatusUpdate(event) => Self::StatusUpdate(StatusUpdateOf { event, is_final }),
            StreamResponse::ArtifactUpdate(event) => Self::ArtifactUpdate(event),
            StreamResponse::Unknown(members) => Self::Unknown(members),
        }
    }
}

/// Bare in the schema dialect, wrapped in the other.
impl Encode for PayloadOf<'_> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        fn put<T: Encode, S: Serializer>(
            name: &str,
            value: &T,
            dialect: Dialect,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match dialect {
                Dialect::Schema => value.encode(dialect, serializer),
                Dialect::Proto => serializer.collect_map([(name, As(value, dialect))]),
            }
        }
        match self {
            Self::Task(task) => put("task", *task, dialect, serializer),
            Self::Message(message) => put("message", *message, dialect, serializer),
            Self::StatusUpdate(update) => put("statusUpdate", update, dialect, serializer),
            Self::ArtifactUpdate(update) => put("artifactUpdate", *update, dialect, serializer),
            Self::Unknown(members) => members.encode(dialect, serializer),
        }
    }
}

struct StatusUpdateOf<'a> {
    event: &'a TaskStatusUpdateEvent,
    is_final: bool,
}

impl Encode for StatusUpdateOf<'_> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.kind("status-update")?;
        object.required("taskId", &self.event.task_id)?;
        object.required("contextId", &self.event.context_id)?;
        object.required("status", &self.event.status)?;
        match dialect {
            Dialect::Schema => object.required("final", &self.is_final)?,
            Dialect::Proto => object.member("final", &self.is_final)?,
        }
        object.member("metadata", &self.event.metadata)?;
        object.end()
    }
}

impl Encode for TaskArtifactUpdateEvent {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.kind("artifact-update")?;
        object.required("taskId", &self.task_id)?;
        object.required("contextId", &self.context_id)?;
        object.required("artifact", &self.artifact)?;
        object.member("append", &self.append)?;
        object.member("lastChunk", &self.last_chunk)?;
        object.member("metadata", &self.metadata)?;
        object.end()
    }
}

impl<R: Borrow<StreamResponse>> Encode for StreamEvent<R> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        PayloadOf::new(self.response.borrow(), self.is_final).encode(dialect, serializer)
    }
}

impl Encode for StreamResponse {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        PayloadOf::new(self, ends_stream(self)).encode(dialect, serializer)
    }
}

impl Encode for SendMessageResponse {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let payload = match self {
            Self::Task(task) => PayloadOf::Task(task),
            Self::Message(message) => PayloadOf::Message(message),
            Self::Unknown(members) => PayloadOf::Unknown(members),
        };
        payload.encode(dialect, serializer)
    }
}
