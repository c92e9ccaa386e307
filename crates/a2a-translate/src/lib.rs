//! Turns A2A response payloads into AgentScope-compatible events and messages, and messages into requests.
//!
//! Plain data in, plain data out: no async, no I/O, no clock, no randomness. The same payloads give the same events,
//! byte for byte. [`ReplyTranslator`] is the machine, [`Msg::append_event`] folds its events into the final message,
//! [`build_request`] goes the other way.
//!
//! ```
//! use a2a_translate::{CountingClock, CountingIds, End, Msg, ReplyContext, ReplyTranslator, TranslateOptions};
//!
//! let payload = r#"{"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "Hello"}]}}"#;
//! let context = ReplyContext::new("session", "Remote");
//! let mut translator =
//!     ReplyTranslator::new(context, TranslateOptions::default(), CountingIds::default(), CountingClock::default());
//! translator.handle(a2a_types::from_str(payload)?)?;
//! translator.finish(End::Ended);
//!
//! let events: Vec<_> = std::iter::from_fn(|| translator.poll_event()).collect();
//! let kinds: Vec<_> = events.iter().map(|event| event.kind()).collect();
//! assert_eq!(kinds, ["REPLY_START", "TEXT_BLOCK_START", "TEXT_BLOCK_DELTA", "TEXT_BLOCK_END", "REPLY_END"]);
//! assert_eq!(Msg::from_events(&events).text_content(), "Hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use fold::Places;
pub use msg::{Content, ErrorInfo, ErrorType, Msg, ReplyFinishedReason, Role, Usage};
pub use parts::DataParts;
pub use reply::{End, Phase, ReplyContext, ReplyOutcome, ReplyTranslator, TranslateOptions};
pub use request::{RequestOptions, build_request};
pub use source::{Clock, CountingClock, CountingIds, IdSource};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
