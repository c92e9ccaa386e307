//! What messages are made of: content blocks and their sources, in AgentScope's JSON.

use std::fmt;

use a2a_types::Metadata;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Error as _},
    ser::SerializeMap as _,
};
use serde_json::{Map, Value};

use crate::{
    url,
    wire::{closed_enum, record, tagged},
};

tagged! {
    /// A piece of content. Text and data can be sent to a remote agent; the rest is read and kept.
    pub enum ContentBlock, untyped(type_of_block) {
        /// Text.
        Text(TextBlock) = "text";
        /// Bytes, or where to fetch them.
        Data(DataBlock) = "data";
        /// Reasoning of a model.
        Thinking(ThinkingBlock) = "thinking";
        /// A hint to a model.
        Hint(HintBlock) = "hint";
        /// A call of a tool.
        ToolCall(ToolCallBlock) = "tool_call";
        /// What a tool answered.
        ToolResult(ToolResultBlock) = "tool_result";
    }
}

impl ContentBlock {
    /// The value of the `type` member.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Data(_) => "data",
            Self::Thinking(_) => "thinking",
            Self::Hint(_) => "hint",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
        }
    }

    /// The id of the block.
    pub fn id(&self) -> &str {
        match self {
            Self::Text(block) => &block.id,
            Self::Data(block) => &block.id,
            Self::Thinking(block) => &block.id,
            Self::Hint(block) => &block.id,
            Self::ToolCall(block) => &block.id,
            Self::ToolResult(block) => &block.id,
        }
    }

    /// The text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            Self::Data(_) | Self::Thinking(_) | Self::Hint(_) | Self::ToolCall(_) | Self::ToolResult(_) => {
                None
            }
        }
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        TextBlock::new(text).into()
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        TextBlock::new(text).into()
    }
}

record! {
    /// A block of text.
    pub struct TextBlock {
        type "text";
        /// The text.
        pub text: String;
        /// Id; empty until the message is stamped.
        pub id: String = String::new();
        /// When it began; empty until the message is stamped.
        pub created_at: String = String::new();
        /// When it was complete.
        pub finished_at: Option<String> = None;
    }
}

impl TextBlock {
    /// A block with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), id: String::new(), created_at: String::new(), finished_at: None }
    }
}

record! {
    /// A block of data: bytes, or where to fetch them.
    pub struct DataBlock {
        type "data";
        /// Id; empty until the message is stamped.
        pub id: String = String::new();
        /// The data.
        pub source: Source;
        /// File name.
        pub name: Option<String> = None;
        /// When it began; empty until the message is stamped.
        pub created_at: String = String::new();
        /// When it was complete.
        pub finished_at: Option<String> = None;
    }
}

impl DataBlock {
    /// A block with this source.
    pub fn new(source: impl Into<Source>) -> Self {
        Self {
            id: String::new(),
            source: source.into(),
            name: None,
            created_at: String::new(),
            finished_at: None,
        }
    }

    /// A block that carries bytes as base64 (standard alphabet, padded). Checked when a request is built.
    pub fn base64(data: impl Into<String>, media_type: impl Into<String>) -> Self {
        Self::new(Base64Source { data: data.into(), media_type: media_type.into() })
    }

    /// A block that carries these bytes.
    pub fn bytes(bytes: impl AsRef<[u8]>, media_type: impl Into<String>) -> Self {
        Self::base64(crate::base64::encode(bytes.as_ref()), media_type)
    }

    /// A block that names where its data is: an absolute URL. Checked when a request is built.
    pub fn url(url: impl Into<String>, media_type: impl Into<String>) -> Self {
        Self::new(UrlSource { url: url.into(), media_type: media_type.into() })
    }

    /// The same block with a file name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

tagged! {
    /// Where the data of a [`DataBlock`] is.
    pub enum Source, untyped(type_of_source) {
        /// In the message.
        Base64(Base64Source) = "base64";
        /// Elsewhere.
        Url(UrlSource) = "url";
    }
}

impl Source {
    /// Media type of the data.
    pub fn media_type(&self) -> &str {
        match self {
            Self::Base64(source) => &source.media_type,
            Self::Url(source) => &source.media_type,
        }
    }
}

record! {
    /// Bytes in the message.
    pub struct Base64Source {
        type "base64";
        /// The bytes as base64; not checked when read.
        pub data: String;
        /// Media type of the bytes.
        pub media_type: String;
    }
}

record! {
    /// A URL.
    ///
    /// Read from JSON it must be absolute and takes its normal form (`https://Example.com` becomes
    /// `https://example.com/`); in the message of a reply it stays as the remote agent wrote it.
    pub struct UrlSource {
        type "url";
        /// The URL.
        pub url: String, via absolute_url;
        /// Media type of what is there.
        pub media_type: String;
    }
}

/// A block of reasoning. Members this version does not know are kept.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ThinkingBlock {
    /// The reasoning.
    pub thinking: String,
    /// Id; empty until the message is stamped.
    pub id: String,
    /// When it began; empty until the message is stamped.
    pub created_at: String,
    /// When it was complete.
    pub finished_at: Option<String>,
    /// Everything else, such as a signature.
    pub other: Map<String, Value>,
}

impl Serialize for ThinkingBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("type", "thinking")?;
        object.serialize_entry("thinking", &self.thinking)?;
        object.serialize_entry("id", &self.id)?;
        object.serialize_entry("created_at", &self.created_at)?;
        object.serialize_entry("finished_at", &self.finished_at)?;
        for (name, value) in &self.other {
            object.serialize_entry(name, value)?;
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for ThinkingBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut other = Map::deserialize(deserializer)?;
        let kind = other.remove("type");
        if kind.is_some_and(|kind| kind != "thinking") {
            return Err(D::Error::custom("`type` is not \"thinking\""));
        }
        let mut text = |name: &'static str| match other.remove(name) {
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(D::Error::custom(format_args!("`{name}` is not a string"))),
            None => Ok(None),
        };
        Ok(Self {
            thinking: text("thinking")?.ok_or_else(|| D::Error::missing_field("thinking"))?,
            id: text("id")?.unwrap_or_default(),
            created_at: text("created_at")?.unwrap_or_default(),
            finished_at: match other.remove("finished_at") {
                None | Some(Value::Null) => None,
                Some(Value::String(time)) => Some(time),
                Some(_) => return Err(D::Error::custom("`finished_at` is not a string")),
            },
            other,
        })
    }
}

record! {
    /// A hint to a model.
    pub struct HintBlock {
        type "hint";
        /// The hint.
        pub hint: TextOrBlocks;
        /// Id; empty until the message is stamped.
        pub id: String = String::new();
        /// Who gave it.
        pub source: Option<String> = None;
        /// When it began; empty until the message is stamped.
        pub created_at: String = String::new();
        /// When it was complete; empty until the message is stamped.
        pub finished_at: Option<String> = Some(String::new());
    }
}

closed_enum! {
    /// Where a tool call stands.
    pub enum ToolCallState {
        /// Not looked at yet.
        Pending = "pending";
        /// The user is asked.
        Asking = "asking";
        /// May run.
        Allowed = "allowed";
        /// Handed out for execution.
        Submitted = "submitted";
        /// Done.
        Finished = "finished";
    }
}

record! {
    /// A call of a tool.
    pub struct ToolCallBlock {
        type "tool_call";
        /// Id of the call.
        pub id: String;
        /// Name of the tool.
        pub name: String;
        /// The arguments, as JSON text.
        pub input: String;
        /// Where it stands.
        pub state: ToolCallState = ToolCallState::Pending;
        /// Permission rules, not interpreted.
        pub suggested_rules: Vec<Value> = Vec::new();
        /// When it began; empty until the message is stamped.
        pub created_at: String = String::new();
        /// When it was complete.
        pub finished_at: Option<String> = None;
    }
}

closed_enum! {
    /// How a tool call ended.
    pub enum ToolResultState {
        /// It worked.
        Success = "success";
        /// It failed.
        Error = "error";
        /// It was interrupted.
        Interrupted = "interrupted";
        /// It was not allowed.
        Denied = "denied";
        /// It has not ended.
        Running = "running";
    }
}

record! {
    /// What a tool answered.
    pub struct ToolResultBlock {
        type "tool_result";
        /// Id of the call.
        pub id: String;
        /// Name of the tool.
        pub name: String;
        /// The answer.
        pub output: TextOrBlocks;
        /// How the call ended.
        pub state: ToolResultState = ToolResultState::Running;
        /// Free-form.
        pub metadata: Metadata = Metadata::new();
        /// When it began; empty until the message is stamped.
        pub created_at: String = String::new();
        /// When it was complete.
        pub finished_at: Option<String> = None;
    }
}

/// Plain text, or text and data blocks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TextOrBlocks {
    /// Plain text.
    Text(String),
    /// Text and data blocks.
    Blocks(Vec<ContentBlock>),
}

impl Serialize for TextOrBlocks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for TextOrBlocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> de::Visitor<'de> for Either {
            type Value = TextOrBlocks;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of blocks")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<TextOrBlocks, E> {
                Ok(TextOrBlocks::Text(text.to_owned()))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<TextOrBlocks, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = list.next_element::<ContentBlock>()? {
                    if !matches!(block, ContentBlock::Text(_) | ContentBlock::Data(_)) {
                        return Err(A::Error::custom(format_args!(
                            "a {} block is not allowed here",
                            block.kind()
                        )));
                    }
                    blocks.push(block);
                }
                Ok(TextOrBlocks::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

fn type_of_block(object: &Map<String, Value>) -> Option<&'static str> {
    if object.contains_key("text") {
        Some("text")
    } else if object.contains_key("source") {
        Some("data")
    } else {
        None
    }
}

fn type_of_source(object: &Map<String, Value>) -> Option<&'static str> {
    if object.contains_key("data") {
        Some("base64")
    } else if object.contains_key("url") {
        Some("url")
    } else {
        None
    }
}

fn absolute_url<E: de::Error>(text: String) -> Result<String, E> {
    url::normalize(&text).map_err(|error| E::custom(format_args!("`url`: {error}")))
}
