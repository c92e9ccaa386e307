//! Messages and their parts (§4.1.4, §4.1.6).

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap as _};
use serde_json::{Map, Value};

use crate::{
    base64,
    json::{Metadata, RawJson},
    wire::{Decode, Kept, RawMember, V1, decode, open_enum, read_object, wire_struct},
};

open_enum! {
    /// Who sent a message (§4.1.5).
    pub enum Role {
        /// Not given. Invalid on the wire; a receiver treats it as the agent.
        Unspecified = 0, "ROLE_UNSPECIFIED";
        /// Client to server.
        User = 1, "ROLE_USER";
        /// Server to client.
        Agent = 2, "ROLE_AGENT";
    }
}

wire_struct! {
    /// One turn of a conversation (§4.1.4).
    pub struct Message {
        /// Chosen by the sender, unique.
        pub message_id: String = "messageId", required;
        /// Conversation it belongs to; empty for a new one.
        pub context_id: String = "contextId";
        /// Task it continues; empty for none.
        pub task_id: String = "taskId";
        /// Who sent it.
        pub role: Role = "role", required;
        /// Content, at least one part.
        pub parts: Vec<Part> = "parts", required;
        /// Free-form; keys are often extension URIs.
        pub metadata: Option<Metadata> = "metadata";
        /// URIs of the extensions used in this message.
        pub extensions: Vec<String> = "extensions";
        /// Other tasks given as context.
        pub reference_task_ids: Vec<String> = "referenceTaskIds";
    }
}

impl Message {
    /// A message with these parts, in no context yet.
    pub fn new(message_id: impl Into<String>, role: Role, parts: Vec<Part>) -> Self {
        Self { message_id: message_id.into(), role, parts, ..Self::default() }
    }
}

/// A piece of content (§4.1.6): one kind of content, and what describes it.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// The content.
    pub content: PartContent,
    /// Free-form.
    pub metadata: Option<Metadata>,
    /// File name, legal with every kind of content; empty for none.
    pub filename: String,
    /// Media type, legal with every kind of content; empty for none.
    pub media_type: String,
}

/// The content of a [`Part`]: exactly one member of the wire object.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PartContent {
    /// Plain text (`text`).
    Text(String),
    /// Bytes (`raw`, base64 on the wire).
    Raw(Vec<u8>),
    /// Where the content can be fetched (`url`).
    Url(String),
    /// Any JSON value (`data`), `null` included; numbers as they were written.
    Data(RawJson),
    /// None of the above; the unknown members are kept. Empty: the part has no content at all.
    Unknown(Map<String, Value>),
}

impl Default for PartContent {
    fn default() -> Self {
        Self::Unknown(Map::new())
    }
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        PartContent::Text(text.into()).into()
    }

    /// A part that carries bytes.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        PartContent::Raw(bytes.into()).into()
    }

    /// A part that names where its content is.
    pub fn url(url: impl Into<String>) -> Self {
        PartContent::Url(url.into()).into()
    }

    /// A part that carries structured data.
    pub fn data(data: impl Into<RawJson>) -> Self {
        PartContent::Data(data.into()).into()
    }

    /// The same part with a file name.
    #[must_use]
    pub fn with_filename(mut self, filename: impl Into<String>) -> Self {
        self.filename = filename.into();
        self
    }

    /// The same part with a media type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = media_type.into();
        self
    }

    /// The text, if this is a text part.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            PartContent::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<PartContent> for Part {
    fn from(content: PartContent) -> Self {
        Self { content, ..Self::default() }
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        match &self.content {
            PartContent::Text(text) => object.serialize_entry("text", text)?,
            PartContent::Raw(bytes) => object.serialize_entry("raw", &base64::Encoded(bytes))?,
            PartContent::Url(url) => object.serialize_entry("url", url)?,
            PartContent::Data(data) => object.serialize_entry("data", data)?,
            PartContent::Unknown(members) => {
                for (name, value) in members {
                    object.serialize_entry(name, value)?;
                }
            }
        }
        if let Some(metadata) = &self.metadata {
            object.serialize_entry("metadata", metadata)?;
        }
        if !self.filename.is_empty() {
            object.serialize_entry("filename", &self.filename)?;
        }
        if !self.media_type.is_empty() {
            object.serialize_entry("mediaType", &self.media_type)?;
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode::<V1, _, _>(deserializer)
    }
}

impl Decode<V1> for Part {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        let mut members = PartMembers::default();
        read_object!(value as V1, &mut members => PartMembers, rest unknown {
            text = "text",
            raw = "raw",
            url = "url",
            data = "data",
            metadata = "metadata",
            filename = "filename",
            media_type = "mediaType" | "media_type",
        })?;
        self.content = match (members.text, members.raw, members.url, members.data.0) {
            (Some(text), None, None, None) => PartContent::Text(text),
            (None, Some(base64::Decoded(bytes)), None, None) => PartContent::Raw(bytes),
            (None, None, Some(url), None) => PartContent::Url(url),
            (None, None, None, Some(data)) => PartContent::Data(data),
            (None, None, None, None) => PartContent::Unknown(members.unknown.unwrap_or_default()),
            _ => return Err(de::Error::custom("a part has only one of `text`, `raw`, `url` and `data`")),
        };
        self.metadata = members.metadata;
        self.filename = members.filename;
        self.media_type = members.media_type;
        Ok(())
    }
}

/// The members of a part as they come.
#[derive(Default)]
struct PartMembers {
    text: Option<String>,
    raw: Option<base64::Decoded>,
    url: Option<String>,
    data: RawMember,
    metadata: Option<Metadata>,
    filename: String,
    media_type: String,
    unknown: Kept,
}
