//! Turns A2A response payloads into AgentScope-compatible events and messages, and messages into requests.
//!
//! Plain data in, plain data out: no async, no I/O, no clock, no randomness. The same payloads give the same events,
//! byte for byte.

mod artifacts;
mod base64;
mod block;
mod error;
mod event;
mod fold;
mod msg;
mod parts;
mod reply;
mod request;
mod seen;
mod source;
mod statuses;
mod url;
mod wire;

pub use block::{
    Base64Source, ContentBlock, DataBlock, HintBlock, Source, TextBlock, TextOrBlocks, ThinkingBlock,
    ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState, UrlSource,
};
pub use error::{TranslateError, Warning};
pub use event::{
    DataBlockDeltaEvent, DataBlockEndEvent, DataBlockStartEvent, Event, ReplyEndEvent, ReplyStartEvent,
    TextBlockDeltaEvent, TextBlockEndEvent, TextBlockStartEvent,
};
pub use msg::{Content, ErrorInfo, ErrorType, Msg, ReplyFinishedReason, Role, Usage};
pub use parts::DataParts;
pub use reply::{End, Phase, ReplyContext, ReplyOutcome, ReplyTranslator, TranslateOptions};
pub use request::{RequestOptions, build_request};
pub use source::{Clock, CountingClock, CountingIds, IdSource};
