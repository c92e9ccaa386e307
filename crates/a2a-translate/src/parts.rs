//! From parts to the events of blocks.
//!
//! Text flows into the open text block, or opens one. Bytes and URLs are data blocks. Bytes that are appended to an
//! artifact flow into its open data block if they are of the same file. Whatever does not flow into the open block
//! ends it first.

use std::{collections::VecDeque, fmt, sync::Arc};

use a2a_types::{Metadata, Part, PartContent};
use serde_json::{Map, Value};

use crate::{
    base64,
    error::{TranslateError, Warning},
    event::{
        DataBlockDeltaEvent, DataBlockEndEvent, DataBlockStartEvent, Event, TextBlockDeltaEvent,
        TextBlockEndEvent, TextBlockStartEvent,
    },
    seen::Key,
    source::{Clock, IdSource},
};

/// What becomes of a part with structured data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataParts {
    /// The reply fails with [`TranslateError::UnsupportedPart`], as with AgentScope.
    #[default]
    Error,
    /// A data block with the JSON text as base64, numbers as the peer wrote them. Its media type is the part's, or
    /// `application/json`.
    Json,
    /// Nothing, but a [`Warning`]. So it goes with parts that have no content at all.
    Skip,
}

/// What content belongs to. The end of a block says it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin<'a> {
    Message { message_id: &'a str },
    Artifact { task_id: &'a str, artifact_id: &'a str },
    Status { task_id: &'a str },
}

impl Origin<'_> {
    fn metadata(self) -> Metadata {
        let mut a2a = Map::new();
        let mut name = |key: &str, id: &str| a2a.insert(key.to_owned(), Value::String(id.to_owned()));
        match self {
            Origin::Message { message_id } => {
                name("message_id", message_id);
            }
            Origin::Artifact { task_id, artifact_id } => {
                name("task_id", task_id);
                name("artifact_id", artifact_id);
            }
            Origin::Status { task_id } => {
                name("task_id", task_id);
            }
        }
        a2a_metadata(a2a)
    }
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message { message_id } => write!(f, "message {message_id:?}"),
            Self::Artifact { task_id, artifact_id } => {
                write!(f, "artifact {artifact_id:?} of task {task_id:?}")
            }
            Self::Status { task_id } => write!(f, "the status of task {task_id:?}"),
        }
    }
}

/// `{"a2a": …}`.
pub(crate) fn a2a_metadata(a2a: Map<String, Value>) -> Metadata {
    let mut metadata = Metadata::new();
    metadata.insert("a2a".to_owned(), Value::Object(a2a));
    metadata
}

/// A block that has started and not ended.
#[derive(Debug)]
pub(crate) struct OpenBlock {
    id: Arc<str>,
    /// Which of the blocks of the reply it is, in the order in which they opened.
    order: u64,
    kind: OpenKind,
}

#[derive(Debug)]
enum OpenKind {
    Text,
    Raw { media_type: Arc<str>, name: Option<String> },
}

impl OpenBlock {
    pub(crate) fn order(&self) -> u64 {
        self.order
    }

    fn is_text(&self) -> bool {
        matches!(self.kind, OpenKind::Text)
    }

    /// Whether these bytes are more of the file this block carries. They need not say again what it is.
    pub(crate) fn takes_raw(&self, part: &Part) -> bool {
        match &self.kind {
            OpenKind::Text => false,
            OpenKind::Raw { media_type, name } => {
                (part.media_type.is_empty() || **media_type == *part.media_type)
                    && (part.filename.is_empty() || name.as_deref() == Some(&*part.filename))
            }
        }
    }
}

/// How parts follow what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// They are content of their own: bytes are always a new block.
    Whole,
    /// They continue the artifact: the first may be more bytes of the file before.
    Appended,
    /// They are, or continue, an artifact as a snapshot has it: there the pieces of a file stand side by side, told
    /// by its name.
    Snapshot,
}

impl Flow {
    /// Whether bytes may flow into the block before them; `place` is that of their part.
    fn joins(self, place: usize, part: &Part) -> bool {
        match self {
            Self::Whole => false,
            Self::Appended => place == 0,
            Self::Snapshot => place == 0 || !part.filename.is_empty(),
        }
    }
}

/// Makes events, and queues them until they are polled.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) reply_id: Arc<str>,
    /// What remembered content is hashed with.
    pub(crate) key: Key,
    pub(crate) events: VecDeque<Event>,
    pub(crate) warnings: VecDeque<Warning>,
    pub(crate) data_parts: DataParts,
    ids: Box<dyn IdSource>,
    clock: Box<dyn Clock>,
    /// The time of the input that is being handled, once it was needed.
    now: Option<Arc<str>>,
    /// How many blocks were opened.
    blocks: u64,
}

impl Writer {
    pub(crate) fn new(
        reply_id: Option<Arc<str>>,
        data_parts: DataParts,
        mut ids: Box<dyn IdSource>,
        clock: Box<dyn Clock>,
    ) -> Self {
        let reply_id = reply_id.unwrap_or_else(|| ids.next_id());
        Self {
            key: Key::new(&reply_id),
            reply_id,
            events: VecDeque::new(),
            warnings: VecDeque::new(),
            data_parts,
            ids,
            clock,
            now: None,
            blocks: 0,
        }
    }

    /// A new input: its events get a new time, and the warnings of the last one are gone.
    pub(crate) fn begin_input(&mut self) {
        self.now = None;
        self.warnings.clear();
    }

    pub(crate) fn next_id(&mut self) -> Arc<str> {
        self.ids.next_id()
    }

    pub(crate) fn now(&mut self) -> Arc<str> {
        Arc::clone(self.now.get_or_insert_with(|| self.clock.now()))
    }

    /// Writes parts of one origin, one after the other. `open` is the block they may flow into, and the one that is
    /// left open.
    pub(crate) fn write(
        &mut self,
        parts: impl IntoIterator<Item = Part>,
        flow: Flow,
        open: &mut Option<OpenBlock>,
        origin: Origin<'_>,
    ) -> Result<(), TranslateError> {
        for (place, part) in parts.into_iter().enumerate() {
            let joins = flow.joins(place, &part);
            self.write_part(part, joins, open, origin)?;
        }
        Ok(())
    }

    fn write_part(
        &mut self,
        part: Part,
        joins: bool,
        open: &mut Option<OpenBlock>,
        origin: Origin<'_>,
    ) -> Result<(), TranslateError> {
        match part.content {
            PartContent::Text(text) => self.write_text(text, open, origin),
            PartContent::Raw(ref bytes) => {
                let data = base64::encode(bytes);
                let block = match open.take() {
                    Some(block) if joins && block.takes_raw(&part) => block,
                    before => {
                        self.end(before, origin);
                        let (media_type, name) = (media_type_of(&part, OCTETS).into(), name_of(&part));
                        self.start_data(media_type, name)
                    }
                };
                if !data.is_empty() {
                    self.data_delta(&block, Some(data), None);
                }
                *open = Some(block);
            }
            PartContent::Url(ref url) => {
                self.end(open.take(), origin);
                let block = self.start_data(media_type_of(&part, OCTETS).into(), name_of(&part));
                self.data_delta(&block, None, Some(url.clone()));
                self.end(Some(block), origin);
            }
            PartContent::Data(ref data) => match self.data_parts {
                DataParts::Error => {
                    return Err(TranslateError::UnsupportedPart {
                        content: "data",
                        place: origin.to_string(),
                    });
                }
                DataParts::Json => {
                    self.end(open.take(), origin);
                    let block =
                        self.start_data(media_type_of(&part, "application/json").into(), name_of(&part));
                    self.data_delta(&block, Some(base64::encode(data.as_str().as_bytes())), None);
                    self.end(Some(block), origin);
                }
                DataParts::Skip => {
                    self.warnings
                        .push_back(Warning::SkippedPart { content: "data", place: origin.to_string() });
                }
            },
            PartContent::Unknown(members) if members.is_empty() => match self.data_parts {
                DataParts::Error | DataParts::Json => {
                    return Err(TranslateError::UnsupportedPart {
                        content: "empty",
                        place: origin.to_string(),
                    });
                }
                DataParts::Skip => {
                    self.warnings
                        .push_back(Warning::SkippedPart { content: "empty", place: origin.to_string() });
                }
            },
            PartContent::Unknown(members) => self.warnings.push_back(Warning::UnknownPart {
                members: members.keys().cloned().collect(),
                place: origin.to_string(),
            }),
            _ => self
                .warnings
                .push_back(Warning::UnknownPart { members: Vec::new(), place: origin.to_string() }),
        }
        Ok(())
    }

    /// An empty text opens a block, but is no delta.
    fn write_text(&mut self, text: String, open: &mut Option<OpenBlock>, origin: Origin<'_>) {
        let block = match open.take() {
            Some(block) if block.is_text() => block,
            before => {
                self.end(before, origin);
                self.start_text()
            }
        };
        if !text.is_empty() {
            let delta = Event::TextBlockDelta(TextBlockDeltaEvent {
                id: self.next_id(),
                created_at: self.now(),
                metadata: Metadata::new(),
                reply_id: Arc::clone(&self.reply_id),
                block_id: Arc::clone(&block.id),
                delta: text,
            });
            self.events.push_back(delta);
        }
        *open = Some(block);
    }

    fn start_text(&mut self) -> OpenBlock {
        let block_id = self.next_id();
        let start = Event::TextBlockStart(TextBlockStartEvent {
            id: self.next_id(),
            created_at: self.now(),
            metadata: Metadata::new(),
            reply_id: Arc::clone(&self.reply_id),
            block_id: Arc::clone(&block_id),
        });
        self.events.push_back(start);
        self.open_block(block_id, OpenKind::Text)
    }

    fn start_data(&mut self, media_type: Arc<str>, name: Option<String>) -> OpenBlock {
        let block_id = self.next_id();
        let start = Event::DataBlockStart(DataBlockStartEvent {
            id: self.next_id(),
            created_at: self.now(),
            metadata: Metadata::new(),
            reply_id: Arc::clone(&self.reply_id),
            block_id: Arc::clone(&block_id),
            media_type: Arc::clone(&media_type),
            name: name.clone(),
        });
        self.events.push_back(start);
        self.open_block(block_id, OpenKind::Raw { media_type, name })
    }

    fn open_block(&mut self, id: Arc<str>, kind: OpenKind) -> OpenBlock {
        self.blocks += 1;
        OpenBlock { id, order: self.blocks, kind }
    }

    fn data_delta(&mut self, block: &OpenBlock, data: Option<String>, url: Option<String>) {
        let OpenKind::Raw { media_type, .. } = &block.kind else { return };
        let delta = Event::DataBlockDelta(DataBlockDeltaEvent {
            id: self.next_id(),
            created_at: self.now(),
            metadata: Metadata::new(),
            reply_id: Arc::clone(&self.reply_id),
            block_id: Arc::clone(&block.id),
            media_type: Arc::clone(media_type),
            data,
            url,
        });
        self.events.push_back(delta);
    }

    /// Ends a block, if there is one.
    pub(crate) fn end(&mut self, block: Option<OpenBlock>, origin: Origin<'_>) {
        let Some(block) = block else { return };
        let (id, created_at) = (self.next_id(), self.now());
        let (metadata, reply_id, block_id) = (origin.metadata(), Arc::clone(&self.reply_id), block.id);
        self.events.push_back(match block.kind {
            OpenKind::Text => Event::TextBlockEnd(TextBlockEndEvent {
                id,
                created_at,
                metadata,
                reply_id,
                block_id,
                text: None,
            }),
            OpenKind::Raw { .. } => {
                Event::DataBlockEnd(DataBlockEndEvent { id, created_at, metadata, reply_id, block_id })
            }
        });
    }
}

/// The media type of bytes nobody named.
const OCTETS: &str = "application/octet-stream";

fn media_type_of<'a>(part: &'a Part, default: &'a str) -> &'a str {
    if part.media_type.is_empty() { default } else { &part.media_type }
}

fn name_of(part: &Part) -> Option<String> {
    (!part.filename.is_empty()).then(|| part.filename.clone())
}
