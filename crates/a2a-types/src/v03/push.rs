//! Push notification configurations: nested in 0.3, flat in 1.0.

use std::fmt;

use serde::{
    Deserializer, Serialize, Serializer,
    de::{
        self, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use super::write::{Dialect, Encode, Object};
use crate::{
    push::{
        AuthenticationInfo, DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
        ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
        TaskPushNotificationConfig,
    },
    wire::{Decode, V03, read_object},
};

/// What the name of a task begins with in the protobuf definition.
pub(super) const TASKS: &str = "tasks/";
const CONFIGS: &str = "/pushNotificationConfigs/";

/// The task and the configuration in `tasks/{task}/pushNotificationConfigs/{config}`.
fn ids_in_name(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(TASKS)?.rsplit_once(CONFIGS)
}

fn name_of(config: &TaskPushNotificationConfig) -> String {
    format!("{TASKS}{}{CONFIGS}{}", config.task_id, config.id)
}

/// A webhook without its task.
#[derive(Default)]
pub(super) struct PushConfig {
    id: String,
    url: String,
    token: String,
    authentication: Option<Authentication>,
}

/// 1.0 has one scheme, 0.3 a list.
#[derive(Default)]
struct Authentication {
    schemes: Vec<String>,
    credentials: String,
}

impl Decode<V03> for PushConfig {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => PushConfig {
            id = "id",
            url = "url",
            token = "token",
            authentication = "authentication",
        })
    }
}

impl Decode<V03> for Authentication {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => Authentication {
            schemes = "schemes",
            credentials = "credentials",
        })
    }
}

impl PushConfig {
    pub(super) fn into_config(self) -> TaskPushNotificationConfig {
        let authentication = self.authentication.map(|authentication| AuthenticationInfo {
            scheme: authentication.schemes.into_iter().next().unwrap_or_default(),
            credentials: authentication.credentials,
        });
        TaskPushNotificationConfig {
            id: self.id,
            url: self.url,
            token: self.token,
            authentication,
            ..TaskPushNotificationConfig::default()
        }
    }
}

/// How a webhook without its task is written.
pub(super) struct PushConfigOf<'a>(pub(super) &'a TaskPushNotificationConfig);

impl Encode for PushConfigOf<'_> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.member("id", &self.0.id)?;
        object.required("url", &self.0.url)?;
        object.member("token", &self.0.token)?;
        object.member("authentication", &self.0.authentication)?;
        object.end()
    }
}

impl Encode for AuthenticationInfo {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("schemes", &vec![self.scheme.clone()])?;
        object.member("credentials", &self.credentials)?;
        object.end()
    }
}

/// Read from every form there is: with `taskId` or a resource `name`, as the body that creates one, or flat.
impl Decode<V03> for TaskPushNotificationConfig {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        #[derive(Default)]
        struct Members {
            task_id: String,
            push: Option<PushConfig>,
            name: String,
            parent: String,
            config_id: String,
            config: Option<TaskPushNotificationConfig>,
            id: String,
            url: String,
            token: String,
            authentication: Option<Authentication>,
        }
        let mut members = Members::default();
        read_object!(value as V03, &mut members => Members {
            task_id = "taskId" | "task_id",
            push = "pushNotificationConfig" | "push_notification_config",
            name = "name",
            parent = "parent",
            config_id = "configId" | "config_id",
            config = "config",
            id = "id",
            url = "url",
            token = "token",
            authentication = "authentication",
        })?;
        let flat = PushConfig {
            id: members.id,
            url: members.url,
            token: members.token,
            authentication: members.authentication,
        };
        *self = match members.config {
            Some(config) => config,
            None => members.push.unwrap_or(flat).into_config(),
        };
        let (task_in_name, id_in_name) = ids_in_name(&members.name).unwrap_or_default();
        let parent = members.parent.strip_prefix(TASKS).unwrap_or_default();
        fill(&mut self.task_id, [&members.task_id, parent, task_in_name]);
        fill(&mut self.id, [&members.config_id, id_in_name]);
        Ok(())
    }
}

/// Sets an empty string to the first that is not.
fn fill<'a>(target: &mut String, candidates: impl IntoIterator<Item = &'a str>) {
    if target.is_empty() {
        *target = candidates.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned();
    }
}

impl Encode for TaskPushNotificationConfig {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        match dialect {
            Dialect::Schema => object.required("taskId", &self.task_id)?,
            Dialect::Proto => object.required("name", &name_of(self))?,
        }
        object.required("pushNotificationConfig", &PushConfigOf(self))?;
        object.end()
    }
}

/// The body that registers a webhook over HTTP+JSON, `POST /v1/tasks/{id}/pushNotificationConfigs`.
///
/// It differs from how the configuration is written anywhere else, which is
/// [`Rest`](super::Rest)`<TaskPushNotificationConfig>`; that reads it too.
#[derive(Debug, Clone, Copy)]
pub struct CreatePushConfigBody<'a>(&'a TaskPushNotificationConfig);

impl<'a> CreatePushConfigBody<'a> {
    /// The body for this configuration.
    pub fn new(config: &'a TaskPushNotificationConfig) -> Self {
        Self(config)
    }
}

impl Serialize for CreatePushConfigBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, Dialect::Proto)?;
        object.required("parent", &format!("{TASKS}{}", self.0.task_id))?;
        object.member("configId", &self.0.id)?;
        object.required("config", self.0)?;
        object.end()
    }
}

impl Decode<V03> for GetTaskPushNotificationConfigRequest {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => GetTaskPushNotificationConfigRequest {
            task_id = "id",
            id = "pushNotificationConfigId" | "push_notification_config_id",
        })
    }
}

impl Encode for GetTaskPushNotificationConfigRequest {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("id", &self.task_id)?;
        object.member("pushNotificationConfigId", &self.id)?;
        object.end()
    }
}

impl Decode<V03> for DeleteTaskPushNotificationConfigRequest {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => DeleteTaskPushNotificationConfigRequest {
            task_id = "id",
            id = "pushNotificationConfigId" | "push_notification_config_id",
        })
    }
}

impl Encode for DeleteTaskPushNotificationConfigRequest {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("id", &self.task_id)?;
        object.required("pushNotificationConfigId", &self.id)?;
        object.end()
    }
}

impl Decode<V03> for ListTaskPushNotificationConfigsRequest {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => ListTaskPushNotificationConfigsRequest {
            task_id = "id",
        })
    }
}

impl Encode for ListTaskPushNotificationConfigsRequest {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("id", &self.task_id)?;
        object.end()
    }
}

/// A bare list or an object with `configs`.
impl Decode<V03> for ListTaskPushNotificationConfigsResponse {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        struct ListOrObject<'a>(&'a mut ListTaskPushNotificationConfigsResponse);
        impl<'de> Visitor<'de> for ListOrObject<'_> {
            type Value = ();
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of push notification configurations")
            }
            fn visit_unit<E: de::Error>(self) -> Result<(), E> {
                Ok(())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
                Decode::<V03>::decode_into(&mut self.0.configs, SeqAccessDeserializer::new(seq))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
                let object = MapAccessDeserializer::new(map);
                read_object!(object as V03, self.0 => ListTaskPushNotificationConfigsResponse {
                    configs = "configs",
                    next_page_token = "nextPageToken" | "next_page_token",
                })
            }
        }
        value.deserialize_any(ListOrObject(self))
    }
}

impl Encode for ListTaskPushNotificationConfigsResponse {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        match dialect {
            Dialect::Schema => self.configs.encode(dialect, serializer),
            Dialect::Proto => {
                let mut object = Object::open(serializer, dialect)?;
                object.member("configs", &self.configs)?;
                object.member("nextPageToken", &self.next_page_token)?;
                object.end()
            }
        }
    }
}
