//! What can go wrong in translation.

use std::fmt;

use crate::msg::{ErrorInfo, ErrorType};

/// Why something could not be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranslateError {
    /// The remote agent sent a part that cannot become a block: structured data where the options do not allow
    /// it, or a part without any content.
    UnsupportedPart {
        /// What was in the part: `data`, or `empty`.
        content: &'static str,
        /// Where it was: `message m-1`, `artifact a-1 of task t-1`, `status of task t-1`.
        place: String,
    },
    /// A block of a message cannot be sent: only text and data can.
    UnsupportedBlock {
        /// The kind of block, such as `thinking`.
        kind: &'static str,
    },
    /// The data of a block is not base64 in the standard alphabet with padding.
    InvalidBase64 {
        /// File name or id of the block, if it has one.
        name: Option<String>,
    },
    /// The URL of a block is not an absolute URL.
    InvalidUrl {
        /// What is wrong with it.
        reason: String,
    },
}

impl TranslateError {
    /// The error as the end of a reply tells it.
    pub fn to_error_info(&self) -> ErrorInfo {
        let kind = match self {
            Self::UnsupportedPart { .. } => ErrorType::Upstream,
            Self::UnsupportedBlock { .. } | Self::InvalidBase64 { .. } | Self::InvalidUrl { .. } => {
                ErrorType::InvalidRequest
            }
        };
        ErrorInfo::new(kind, self.to_string())
    }
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsupportedPart { content: "empty", place } => {
                write!(f, "a part without content in {place}: only text, raw and url parts are translated")
            }
            Self::UnsupportedPart { content, place } => {
                write!(
                    f,
                    "unsupported {content} part in {place}: only text, raw and url parts are translated"
                )
            }
            Self::UnsupportedBlock { kind } => {
                write!(f, "a {kind} block cannot be sent: only text and data blocks can")
            }
            Self::InvalidBase64 { name: Some(name) } => {
                write!(f, "the data of block {name:?} is not valid base64")
            }
            Self::InvalidBase64 { name: None } => f.write_str("the data of a block is not valid base64"),
            Self::InvalidUrl { reason } => write!(f, "the url of a block cannot be sent: {reason}"),
        }
    }
}

impl std::error::Error for TranslateError {}

/// Something of the remote agent that was passed over. The reply goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A payload of a kind this version does not know.
    UnknownPayload {
        /// The names of its members.
        members: Vec<String>,
    },
    /// A part whose kind of content this version does not know.
    UnknownPart {
        /// The names of its members.
        members: Vec<String>,
        /// Where it was.
        place: String,
    },
    /// A part that the options say to skip.
    SkippedPart {
        /// What was in the part: `data`, or `empty`.
        content: &'static str,
        /// Where it was.
        place: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPayload { members } if members.is_empty() => f.write_str("skipped an empty payload"),
            Self::UnknownPayload { members } => {
                write!(f, "skipped a payload of unknown kind ({})", members.join(", "))
            }
            Self::UnknownPart { members, place } => {
                write!(f, "skipped a part of unknown kind ({}) in {place}", members.join(", "))
            }
            Self::SkippedPart { content: "empty", place } => {
                write!(f, "skipped a part without content in {place}")
            }
            Self::SkippedPart { content, place } => write!(f, "skipped a {content} part in {place}"),
        }
    }
}
