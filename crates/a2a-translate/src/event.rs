//! The events of a reply, in AgentScope's JSON.
//!
//! Ids and times are shared strings: `reply_id` and `block_id` are made once and every event holds a reference.

use std::sync::Arc;

use a2a_types::Metadata;

use crate::{
    msg::{ErrorInfo, ReplyFinishedReason, Role},
    wire::{record, tagged, unknown_type},
};

tagged! {
    /// What happens in the course of a reply.
    ///
    /// A reply is one `ReplyStart`, blocks, and one `ReplyEnd`. A block is a start, any number of deltas, and an
    /// end; blocks may be open at the same time, told apart by `block_id`.
    pub enum Event, untyped(unknown_type) {
        /// The reply begins.
        ReplyStart(ReplyStartEvent) = "REPLY_START";
        /// A text block opens.
        TextBlockStart(TextBlockStartEvent) = "TEXT_BLOCK_START";
        /// Text is added to a block.
        TextBlockDelta(TextBlockDeltaEvent) = "TEXT_BLOCK_DELTA";
        /// A text block is complete.
        TextBlockEnd(TextBlockEndEvent) = "TEXT_BLOCK_END";
        /// A data block opens.
        DataBlockStart(DataBlockStartEvent) = "DATA_BLOCK_START";
        /// Bytes, or the URL, are added to a data block.
        DataBlockDelta(DataBlockDeltaEvent) = "DATA_BLOCK_DELTA";
        /// A data block is complete.
        DataBlockEnd(DataBlockEndEvent) = "DATA_BLOCK_END";
        /// The reply is over.
        ReplyEnd(ReplyEndEvent) = "REPLY_END";
    }
}

impl Event {
    /// The value of the `type` member.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ReplyStart(_) => "REPLY_START",
            Self::TextBlockStart(_) => "TEXT_BLOCK_START",
            Self::TextBlockDelta(_) => "TEXT_BLOCK_DELTA",
            Self::TextBlockEnd(_) => "TEXT_BLOCK_END",
            Self::DataBlockStart(_) => "DATA_BLOCK_START",
            Self::DataBlockDelta(_) => "DATA_BLOCK_DELTA",
            Self::DataBlockEnd(_) => "DATA_BLOCK_END",
            Self::ReplyEnd(_) => "REPLY_END",
        }
    }

    /// The event's own id.
    pub fn id(&self) -> &str {
        match self {
            Self::ReplyStart(event) => &event.id,
            Self::TextBlockStart(event) => &event.id,
            Self::TextBlockDelta(event) => &event.id,
            Self::TextBlockEnd(event) => &event.id,
            Self::DataBlockStart(event) => &event.id,
            Self::DataBlockDelta(event) => &event.id,
            Self::DataBlockEnd(event) => &event.id,
            Self::ReplyEnd(event) => &event.id,
        }
    }

    /// When it happened.
    pub fn created_at(&self) -> &str {
        match self {
            Self::ReplyStart(event) => &event.created_at,
            Self::TextBlockStart(event) => &event.created_at,
            Self::TextBlockDelta(event) => &event.created_at,
            Self::TextBlockEnd(event) => &event.created_at,
            Self::DataBlockStart(event) => &event.created_at,
            Self::DataBlockDelta(event) => &event.created_at,
            Self::DataBlockEnd(event) => &event.created_at,
            Self::ReplyEnd(event) => &event.created_at,
        }
    }

    /// The reply it belongs to.
    pub fn reply_id(&self) -> &str {
        match self {
            Self::ReplyStart(event) => &event.reply_id,
            Self::TextBlockStart(event) => &event.reply_id,
            Self::TextBlockDelta(event) => &event.reply_id,
            Self::TextBlockEnd(event) => &event.reply_id,
            Self::DataBlockStart(event) => &event.reply_id,
            Self::DataBlockDelta(event) => &event.reply_id,
            Self::DataBlockEnd(event) => &event.reply_id,
            Self::ReplyEnd(event) => &event.reply_id,
        }
    }

    /// The block it belongs to; `None` for the start and the end of the reply.
    pub fn block_id(&self) -> Option<&str> {
        match self {
            Self::ReplyStart(_) | Self::ReplyEnd(_) => None,
            Self::TextBlockStart(event) => Some(&event.block_id),
            Self::TextBlockDelta(event) => Some(&event.block_id),
            Self::TextBlockEnd(event) => Some(&event.block_id),
            Self::DataBlockStart(event) => Some(&event.block_id),
            Self::DataBlockDelta(event) => Some(&event.block_id),
            Self::DataBlockEnd(event) => Some(&event.block_id),
        }
    }
}

/// An event: the header every event has, then the fields of its own.
macro_rules! event {
    (
        $(#[$meta:meta])*
        pub struct $name:ident, $tag:literal {
            $( $(#[$fmeta:meta])* pub $field:ident: $ty:ty $(= $default:expr)?; )*
            $( check $check:path; )?
        }
    ) => {
        record! {
            $(#[$meta])*
            pub struct $name {
                /// Id of the event; empty if it was read from JSON without one.
                pub id: Arc<str> = "".into();
                /// When it happened; empty if it was read from JSON without one.
                pub created_at: Arc<str> = "".into();
                /// Free-form. `a2a` names where the content came from.
                pub metadata: Metadata = Metadata::new();
                type $tag;
                $( $(#[$fmeta])* pub $field: $ty $(= $default)?; )*
                $( check $check; )?
            }
        }
    };
}

event! {
    /// A reply begins: its first event.
    pub struct ReplyStartEvent, "REPLY_START" {
        /// Groups the replies of one adapter; never sent to the remote side.
        pub session_id: Arc<str>;
        /// The reply.
        pub reply_id: Arc<str>;
        /// Who replies.
        pub name: Arc<str>;
        /// The role of the message to be.
        pub role: Role = Role::Assistant;
    }
}

event! {
    /// A text block opens.
    pub struct TextBlockStartEvent, "TEXT_BLOCK_START" {
        /// The reply.
        pub reply_id: Arc<str>;
        /// The block.
        pub block_id: Arc<str>;
    }
}

event! {
    /// Text is added to a block.
    pub struct TextBlockDeltaEvent, "TEXT_BLOCK_DELTA" {
        /// The reply.
        pub reply_id: Arc<str>;
        /// The block.
        pub block_id: Arc<str>;
        /// The text to append.
        pub delta: String;
    }
}

event! {
    /// A text block is complete.
    pub struct TextBlockEndEvent, "TEXT_BLOCK_END" {
        /// The reply.
        pub reply_id: Arc<str>;
        /// The block.
        pub block_id: Arc<str>;
        /// The whole text, where it differs from the deltas; `None` for translated replies.
        pub text: Option<String> = None;
    }
}

event! {
    /// A data block opens.
    pub struct DataBlockStartEvent, "DATA_BLOCK_START" {
        /// The reply.
        pub reply_id: Arc<str>;
        /// The block.
        pub block_id: Arc<str>;
        /// Media type of the data.
        pub media_type: Arc<str>;
        /// File name.
        pub name: Option<String> = None;
    }
}

event! {
    /// Bytes, or the URL, are added to a data block: exactly one of `data` and `url` is set.
    pub struct DataBlockDeltaEvent, "DATA_BLOCK_DELTA" {
        /// The reply.
        pub reply_id: Arc<str>;
        /// The block.
        pub block_id: Arc<str>;
        /// Media type of the data.
        pub media_type: Arc<str>;
        /// Bytes to append, as base64. Each delta is encoded for itself.
        pub data: Option<String> = None;
        /// Where the data can be fetched.
        pub url: Option<String> = None;
        check either_data_or_url;
    }
}

event! {
    /// A data block is complete.
    pub struct DataBlockEndEvent, "DATA_BLOCK_END" {
        /// The reply.
        pub reply_id: Arc<str>;
        /// The block.
        pub block_id: Arc<str>;
    }
}

event! {
    /// A reply is over: its last event.
    pub struct ReplyEndEvent, "REPLY_END" {
        /// Groups the replies of one adapter; never sent to the remote side.
        pub session_id: Arc<str>;
        /// The reply.
        pub reply_id: Arc<str>;
        /// How it ended.
        pub finished_reason: ReplyFinishedReason = ReplyFinishedReason::Completed;
        /// What went wrong.
        pub error: Option<ErrorInfo> = None;
    }
}

fn either_data_or_url(event: &DataBlockDeltaEvent) -> Result<(), &'static str> {
    match (&event.data, &event.url) {
        (Some(_), None) | (None, Some(_)) => Ok(()),
        (None, None) => Err("a delta needs `data` or `url`"),
        (Some(_), Some(_)) => Err("a delta has only one of `data` and `url`"),
    }
}
