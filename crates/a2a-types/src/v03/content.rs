//! Parts, messages and artifacts.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use super::{
    kind::Kind,
    write::{Dialect, Encode, Object},
};
use crate::{
    base64,
    json::{Metadata, RawJson},
    message::{Message, Part, PartContent, Role},
    task::Artifact,
    wire::{Decode, Kept, NameOrNumber, RawMember, V03, read_object},
};

/// Metadata that says a data part holds `{"value": …}` in place of a value that is not an object.
const WRAPPED_DATA: &str = "data_part_compat";

impl Decode<V03> for Role {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        *self = value.deserialize_any(NameOrNumber {
            expecting: "Role",
            from_name: |name| match name {
                "user" | "ROLE_USER" => Self::User,
                _ => Self::Agent,
            },
            from_number: |number| match number {
                1 => Self::User,
                _ => Self::Agent,
            },
        })?;
        Ok(())
    }
}

impl Encode for Role {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match (dialect, self) {
            (Dialect::Schema, Self::User) => "user",
            (Dialect::Schema, Self::Agent | Self::Unspecified | Self::Other(_)) => "agent",
            (Dialect::Proto, Self::User) => "ROLE_USER",
            (Dialect::Proto, Self::Agent | Self::Unspecified | Self::Other(_)) => "ROLE_AGENT",
        })
    }
}

impl Decode<V03> for Message {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => Message {
            message_id = "messageId" | "message_id",
            context_id = "contextId" | "context_id",
            task_id = "taskId" | "task_id",
            role = "role",
            parts = "parts" | "content",
            metadata = "metadata",
            extensions = "extensions",
            reference_task_ids = "referenceTaskIds" | "reference_task_ids",
        })?;
        self.fill_in_role();
        Ok(())
    }
}

impl Message {
    /// In 0.3 a message without role is the agent's.
    pub(super) fn fill_in_role(&mut self) {
        if self.role == Role::Unspecified {
            self.role = Role::Agent;
        }
    }
}

impl Encode for Message {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.kind("message")?;
        object.required("messageId", &self.message_id)?;
        object.member("contextId", &self.context_id)?;
        object.member("taskId", &self.task_id)?;
        object.required("role", &self.role)?;
        match dialect {
            Dialect::Schema => object.required("parts", &self.parts)?,
            Dialect::Proto => object.required("content", &self.parts)?,
        }
        object.member("metadata", &self.metadata)?;
        object.member("extensions", &self.extensions)?;
        if dialect == Dialect::Schema {
            object.member("referenceTaskIds", &self.reference_task_ids)?;
        }
        object.end()
    }
}

impl Decode<V03> for Artifact {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V03, self => Artifact {
            artifact_id = "artifactId" | "artifact_id",
            name = "name",
            description = "description",
            parts = "parts",
            metadata = "metadata",
            extensions = "extensions",
        })
    }
}

impl Encode for Artifact {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required("artifactId", &self.artifact_id)?;
        object.member("name", &self.name)?;
        object.member("description", &self.description)?;
        object.required("parts", &self.parts)?;
        object.member("metadata", &self.metadata)?;
        object.member("extensions", &self.extensions)?;
        object.end()
    }
}

impl Decode<V03> for Part {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        let mut members = PartMembers::default();
        read_object!(value as V03, &mut members => PartMembers, rest unknown {
            kind = "kind",
            text = "text",
            file = "file",
            data = "data",
            metadata = "metadata",
            raw = "raw",
            url = "url",
            filename = "filename",
            media_type = "mediaType" | "media_type",
        })?;
        *self = members.into_part()?;
        Ok(())
    }
}

/// The members of a part in either dialect, and in 1.0.
#[derive(Default)]
struct PartMembers {
    kind: Kind,
    text: Option<String>,
    file: Option<File>,
    data: RawMember,
    metadata: Option<Metadata>,
    raw: Option<base64::Decoded>,
    url: Option<String>,
    filename: String,
    media_type: String,
    unknown: Kept,
}

impl PartMembers {
    /// `kind` decides between several contents; without it there must be only one.
    fn into_part<E: de::Error>(mut self) -> Result<Part, E> {
        let file = match (self.file, self.raw, self.url) {
            (None, None, None) => None,
            (Some(file), _, _) => {
                self.filename = file.name;
                self.media_type = file.mime_type;
                file.content
            }
            (None, Some(base64::Decoded(bytes)), _) => Some(PartContent::Raw(bytes)),
            (None, None, Some(url)) => Some(PartContent::Url(url)),
        };
        let content = match (self.kind.as_str(), self.text, file, self.data.0) {
            ("text", text, _, _) => PartContent::Text(text.unwrap_or_default()),
            ("file", _, Some(file), _) => file,
            ("data", _, _, Some(data)) => PartContent::Data(unwrap_value(data, &mut self.metadata)),
            (_, Some(text), None, None) => PartContent::Text(text),
            (_, None, Some(file), None) => file,
            (_, None, None, Some(data)) => {
                let data = only_member(&data, "data").filter(is_object).unwrap_or(data);
                PartContent::Data(unwrap_value(data, &mut self.metadata))
            }
            (_, None, None, None) => {
                let mut unknown = self.unknown.unwrap_or_default();
                if !self.kind.as_str().is_empty() {
                    unknown.insert("kind".to_owned(), Value::String(self.kind.into_string()));
                }
                PartContent::Unknown(unknown)
            }
            _ => return Err(E::custom("a part without `kind` has only one of `text`, `file` and `data`")),
        };
        Ok(Part { content, metadata: self.metadata, filename: self.filename, media_type: self.media_type })
    }
}

/// A file: its bytes if there are any, else where it is.
#[derive(Default)]
struct File {
    content: Option<PartContent>,
    mime_type: String,
    name: String,
}

impl Decode<V03> for File {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        #[derive(Default)]
        struct FileMembers {
            bytes: Option<base64::Decoded>,
            uri: Option<String>,
            mime_type: String,
            name: String,
        }
        let mut file = FileMembers::default();
        read_object!(value as V03, &mut file => FileMembers {
            bytes = "bytes" | "fileWithBytes" | "file_with_bytes" | "data",
            uri = "uri" | "fileWithUri" | "file_with_uri" | "url",
            mime_type = "mimeType" | "mime_type" | "mediaType",
            name = "name" | "filename",
        })?;
        self.content = match (file.bytes, file.uri) {
            (Some(base64::Decoded(bytes)), _) => Some(PartContent::Raw(bytes)),
            (None, uri) => uri.map(PartContent::Url),
        };
        self.mime_type = file.mime_type;
        self.name = file.name;
        Ok(())
    }
}

fn is_object(json: &RawJson) -> bool {
    json.as_str().starts_with('{')
}

/// The value of an object's only member, if it has this name.
fn only_member(object: &RawJson, name: &str) -> Option<RawJson> {
    let mut members: BTreeMap<String, RawJson> = serde_json::from_str(object.as_str()).ok()?;
    let value = members.remove(name)?;
    members.is_empty().then_some(value)
}

/// Undoes what [`DataOf`] does to data that is not an object.
fn unwrap_value(data: RawJson, metadata: &mut Option<Metadata>) -> RawJson {
    let is_wrapped = |metadata: &Metadata| metadata.get(WRAPPED_DATA) == Some(&Value::Bool(true));
    let Some(members) = metadata.as_mut().filter(|metadata| is_wrapped(metadata)) else { return data };
    let Some(value) = only_member(&data, "value") else { return data };
    members.remove(WRAPPED_DATA);
    if members.is_empty() {
        *metadata = None;
    }
    value
}

impl Encode for Part {
    /// Content of an unknown kind came from 0.3 if it says so, and only then goes back.
    fn is_carried(&self) -> bool {
        match &self.content {
            PartContent::Unknown(members) => members.contains_key("kind"),
            PartContent::Text(_) | PartContent::Raw(_) | PartContent::Url(_) | PartContent::Data(_) => true,
        }
    }

    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        let mut metadata = Cow::Borrowed(&self.metadata);
        match &self.content {
            PartContent::Text(text) => {
                object.kind("text")?;
                object.required("text", text)?;
            }
            PartContent::Raw(bytes) => {
                object.kind("file")?;
                let name = if dialect == Dialect::Schema { "bytes" } else { "fileWithBytes" };
                object.required("file", &FileOf { part: self, name, content: &base64::Encoded(bytes) })?;
            }
            PartContent::Url(url) => {
                object.kind("file")?;
                let name = if dialect == Dialect::Schema { "uri" } else { "fileWithUri" };
                object.required("file", &FileOf { part: self, name, content: url })?;
            }
            PartContent::Data(data) => {
                object.kind("data")?;
                object.required("data", &DataOf(data))?;
                if !is_object(data) {
                    let marked = metadata.to_mut().get_or_insert_default();
                    marked.insert(WRAPPED_DATA.to_owned(), Value::Bool(true));
                }
            }
            PartContent::Unknown(members) => object.extend(members)?,
        }
        object.member("metadata", metadata.as_ref())?;
        object.end()
    }
}

/// The `file` member of a part.
struct FileOf<'a, T> {
    part: &'a Part,
    name: &'static str,
    content: &'a T,
}

impl<T: Encode> Encode for FileOf<'_, T> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::open(serializer, dialect)?;
        object.required(self.name, self.content)?;
        object.member("mimeType", &self.part.media_type)?;
        object.member("name", &self.part.filename)?;
        object.end()
    }
}

/// The `data` member of a part: an object, whatever the data is.
struct DataOf<'a>(&'a RawJson);

impl Encode for DataOf<'_> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        let value = Only("value", self.0);
        match (dialect, is_object(self.0)) {
            (Dialect::Schema, true) => self.0.serialize(serializer),
            (Dialect::Schema, false) => value.serialize(serializer),
            (Dialect::Proto, true) => Only("data", self.0).serialize(serializer),
            (Dialect::Proto, false) => Only("data", &value).serialize(serializer),
        }
    }
}

/// An object with one member.
struct Only<'a, T>(&'static str, &'a T);

impl<T: Serialize> Serialize for Only<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, self.1)])
    }
}
