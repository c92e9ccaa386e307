//! Parameters of the operations.

use serde::{Deserialize, Deserializer, Serializer};

use super::{
    JsonRpc, Rest,
    push::{PushConfig, PushConfigOf, TASKS},
    write::{Dialect, Encode, Object},
};
use crate::{
    json::Metadata,
    message::Message,
    request::{
        CancelTaskRequest, GetTaskRequest, SendMessageConfiguration, SendMessageRequest,
        SubscribeToTaskRequest,
    },
    wire::{Decode, V03, decode, read_object},
};

/// `message/send` and `message/stream`.
#[derive(Default)]
struct SendParams {
    message: Message,
    configuration: Option<Configuration>,
    metadata: Option<Metadata>,
}

#[derive(Default)]
struct Configuration {
    accepted_output_modes: Vec<String>,
    blocking: Option<bool>,
    history_length: i32,
    push: Option<PushConfig>,
}

impl Decode<V03> for SendParams {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => SendParams {
            message = "message" | "request",
            configuration = "configuration",
            metadata = "metadata",
        })
    }
}

impl Decode<V03> for Configuration {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => Configuration {
            accepted_output_modes = "acceptedOutputModes" | "accepted_output_modes",
            blocking = "blocking",
            history_length = "historyLength" | "history_length",
            push = "pushNotificationConfig" | "pushNotification" | "push_notification" | "push_notification_config",
        })
    }
}

impl SendParams {
    fn into_request(self, blocking_by_default: bool) -> SendMessageRequest {
        let configuration = self.configuration.map(|configuration| SendMessageConfiguration {
            accepted_output_modes: configuration.accepted_output_modes,
            task_push_notification_config: configuration.push.map(PushConfig::into_config),
            history_length: limited(configuration.history_length),
            return_immediately: !configuration.blocking.unwrap_or(blocking_by_default),
        });
        SendMessageRequest {
            message: self.message,
            configuration,
            metadata: self.metadata,
            ..SendMessageRequest::default()
        }
    }
}

/// In 0.3 a history length of 0 is no limit.
fn limited(history_length: i32) -> Option<i32> {
    (history_length != 0).then_some(history_length)
}

/// Without `blocking` the call blocks.
impl<'de> Deserialize<'de> for JsonRpc<SendMessageRequest> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode::<V03, _, _>(deserializer).map(|params: SendParams| Self(params.into_request(true)))
    }
}

/// Without `configuration` the call blocks; with one, an absent `blocking` is `false`, as in protobuf.
impl<'de> Deserialize<'de> for Rest<SendMessageRequest> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode::<V03, _, _>(deserializer).map(|params: SendParams| Self(params.into_request(false)))
    }
}

impl Encode for SendMessageRequest {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("message", &self.message)?;
        // `blocking` is always said: what its absence means depends on the peer.
        match &self.configuration {
            Some(configuration) => object.required("configuration", configuration)?,
            None => object.required("configuration", &SendMessageConfiguration::default())?,
        }
        object.member("metadata", &self.metadata)?;
        object.end()
    }
}

impl Encode for SendMessageConfiguration {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("blocking", &!self.return_immediately)?;
        object.member("acceptedOutputModes", &self.accepted_output_modes)?;
        object.member("historyLength", &self.history_length.and_then(limited))?;
        if let Some(config) = &self.task_push_notification_config {
            let name = match dialect {
                Dialect::Schema => "pushNotificationConfig",
                Dialect::Proto => "pushNotification",
            };
            object.required(name, &PushConfigOf(config))?;
        }
        object.end()
    }
}

impl Decode<V03> for GetTaskRequest {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => GetTaskRequest {
            id = "id",
            history_length = "historyLength" | "history_length",
        })?;
        self.history_length = self.history_length.and_then(limited);
        Ok(())
    }
}

impl Encode for GetTaskRequest {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("id", &self.id)?;
        object.member("historyLength", &self.history_length.and_then(limited))?;
        object.end()
    }
}

impl Decode<V03> for CancelTaskRequest {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        #[derive(Default)]
        struct CancelParams {
            id: String,
            name: String,
            metadata: Option<Metadata>,
        }
        let mut params = CancelParams::default();
        read_object!(value as V03, &mut params => CancelParams {
            id = "id",
            name = "name",
            metadata = "metadata",
        })?;
        self.id = match params.name.strip_prefix(TASKS) {
            Some(id) if params.id.is_empty() => id.to_owned(),
            Some(_) | None => params.id,
        };
        self.metadata = params.metadata;
        Ok(())
    }
}

impl Encode for CancelTaskRequest {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        match dialect {
            Dialect::Schema => {
                object.required("id", &self.id)?;
                object.member("metadata", &self.metadata)?;
            }
            // Over HTTP the path names the task.
            Dialect::Proto if self.id.is_empty() => {}
            Dialect::Proto => object.required("name", &format!("{TASKS}{}", self.id))?,
        }
        object.end()
    }
}

impl Decode<V03> for SubscribeToTaskRequest {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => SubscribeToTaskRequest {
            id = "id",
        })
    }
}

impl Encode for SubscribeToTaskRequest {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("id", &self.id)?;
        object.end()
    }
}
