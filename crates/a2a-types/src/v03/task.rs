//! Tasks and their status.

use serde::{Deserializer, Serializer};

use super::write::{Dialect, Encode, Object};
use crate::{
    task::{Task, TaskState, TaskStatus},
    wire::{Decode, NameOrNumber, V03, read_object},
};

impl Decode<V03> for TaskState {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        *self = value.deserialize_any(NameOrNumber {
            expecting: "TaskState",
            from_name: |name| match name {
                "submitted" => Self::Submitted,
                "working" => Self::Working,
                "completed" => Self::Completed,
                "failed" => Self::Failed,
                "canceled" | "cancelled" | "TASK_STATE_CANCELLED" => Self::Canceled,
                "input-required" => Self::InputRequired,
                "rejected" => Self::Rejected,
                "auth-required" => Self::AuthRequired,
                name => Self::from_name(name).known(),
            },
            from_number: |number| Self::from_number(number).known(),
        })?;
        Ok(())
    }
}

impl TaskState {
    /// 0.3 has a state for what it does not know.
    fn known(self) -> Self {
        match self {
            Self::Other(_) => Self::Unspecified,
            known => known,
        }
    }
}

impl Encode for TaskState {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let (schema, proto) = match self {
            Self::Unspecified | Self::Other(_) => ("unknown", "TASK_STATE_UNSPECIFIED"),
            Self::Submitted => ("submitted", "TASK_STATE_SUBMITTED"),
            Self::Working => ("working", "TASK_STATE_WORKING"),
            Self::Completed => ("completed", "TASK_STATE_COMPLETED"),
            Self::Failed => ("failed", "TASK_STATE_FAILED"),
            Self::Canceled => ("canceled", "TASK_STATE_CANCELLED"),
            Self::InputRequired => ("input-required", "TASK_STATE_INPUT_REQUIRED"),
            Self::Rejected => ("rejected", "TASK_STATE_REJECTED"),
            Self::AuthRequired => ("auth-required", "TASK_STATE_AUTH_REQUIRED"),
        };
        serializer.serialize_str(if dialect == Dialect::Schema { schema } else { proto })
    }
}

impl Decode<V03> for TaskStatus {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => TaskStatus {
            state = "state",
            message = "message" | "update",
            timestamp = "timestamp",
        })
    }
}

impl Encode for TaskStatus {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("state", &self.state)?;
        object.member("message", &self.message)?;
        object.member("timestamp", &self.timestamp)?;
        object.end()
    }
}

impl Decode<V03> for Task {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => Task {
            id = "id",
            context_id = "contextId" | "context_id",
            status = "status",
            artifacts = "artifacts",
            history = "history",
            metadata = "metadata",
        })
    }
}

impl Encode for Task {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.kind("task")?;
        object.required("id", &self.id)?;
        object.required("contextId", &self.context_id)?;
        object.required("status", &self.status)?;
        object.member("artifacts", &self.artifacts)?;
        object.member("history", &self.history)?;
        object.member("metadata", &self.metadata)?;
        object.end()
    }
}
