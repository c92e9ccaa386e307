//! The error taxonomy: one table of JSON-RPC codes, reasons, HTTP and gRPC statuses (§3.3.2, §5.4).

use std::fmt;

use serde::Deserializer;
use serde_json::{Map, Value, json};

use crate::wire::{Decode, NameOrNumber, V1};

/// Domain of every A2A `ErrorInfo`.
pub const ERROR_DOMAIN: &str = "a2a-protocol.org";

/// `@type` of the detail that names an error's reason.
pub const ERROR_INFO_TYPE: &str = "type.googleapis.com/google.rpc.ErrorInfo";

macro_rules! error_codes {
    ($( $(#[$meta:meta])* $variant:ident = $code:literal, $reason:literal, $http:literal, $grpc:literal; )*) => {
        /// What went wrong at the peer, by its JSON-RPC code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $( $(#[$meta])* $variant, )*
            /// A code this version does not know.
            Other(i64),
        }

        impl ErrorCode {
            /// The JSON-RPC code.
            pub fn code(self) -> i64 {
                match self {
                    $( Self::$variant => $code, )*
                    Self::Other(code) => code,
                }
            }

            /// The kind of error with this JSON-RPC code.
            pub fn from_code(code: i64) -> Self {
                match code {
                    $( $code => Self::$variant, )*
                    other => Self::Other(other),
                }
            }

            /// `ErrorInfo.reason`, upper case with underscores.
            pub fn reason(self) -> &'static str {
                match self {
                    $( Self::$variant => $reason, )*
                    Self::Other(_) => "UNKNOWN",
                }
            }

            /// The kind of error with this `ErrorInfo.reason`.
            pub fn from_reason(reason: &str) -> Option<Self> {
                match reason {
                    $( $reason => Some(Self::$variant), )*
                    _ => None,
                }
            }

            /// The HTTP status of the HTTP+JSON binding.
            pub fn http_status(self) -> u16 {
                match self {
                    $( Self::$variant => $http, )*
                    Self::Other(_) => 500,
                }
            }

            /// The gRPC status name, also `error.status` of the HTTP+JSON binding.
            pub fn grpc_status(self) -> &'static str {
                match self {
                    $( Self::$variant => $grpc, )*
                    Self::Other(_) => "UNKNOWN",
                }
            }
        }
    };
}

error_codes! {
    /// Unknown or inaccessible task, or push configuration.
    TaskNotFound = -32001, "TASK_NOT_FOUND", 404, "NOT_FOUND";
    /// Cancel on a terminal task.
    TaskNotCancelable = -32002, "TASK_NOT_CANCELABLE", 400, "FAILED_PRECONDITION";
    /// The capability is not declared.
    PushNotificationNotSupported = -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION";
    /// No streaming, a terminal task, no extended card.
    UnsupportedOperation = -32004, "UNSUPPORTED_OPERATION", 400, "FAILED_PRECONDITION";
    /// Media type of a part not accepted.
    ContentTypeNotSupported = -32005, "CONTENT_TYPE_NOT_SUPPORTED", 400, "INVALID_ARGUMENT";
    /// The agent produced a non-conforming answer.
    InvalidAgentResponse = -32006, "INVALID_AGENT_RESPONSE", 500, "INTERNAL";
    /// Extended card declared but absent.
    ExtendedAgentCardNotConfigured = -32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", 400, "FAILED_PRECONDITION";
    /// A required extension was not activated.
    ExtensionSupportRequired = -32008, "EXTENSION_SUPPORT_REQUIRED", 400, "FAILED_PRECONDITION";
    /// `A2A-Version` unknown to the interface.
    VersionNotSupported = -32009, "VERSION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION";
    /// Invalid JSON.
    ParseError = -32700, "PARSE_ERROR", 400, "INVALID_ARGUMENT";
    /// Not a JSON-RPC request.
    InvalidRequest = -32600, "INVALID_REQUEST", 400, "INVALID_ARGUMENT";
    /// Unknown operation.
    MethodNotFound = -32601, "METHOD_NOT_FOUND", 404, "NOT_FOUND";
    /// Parameters that cannot be read, or break a rule.
    InvalidParams = -32602, "INVALID_PARAMS", 400, "INVALID_ARGUMENT";
    /// A fault of the server.
    InternalError = -32603, "INTERNAL_ERROR", 500, "INTERNAL";
}

impl ErrorCode {
    /// Whether the code is one of A2A's own (-32001 to -32099) rather than JSON-RPC's.
    pub fn is_a2a(self) -> bool {
        (-32099..=-32001).contains(&self.code())
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(code) => write!(f, "{code}"),
            known => write!(f, "{} ({})", known.reason(), known.code()),
        }
    }
}

/// What an error without code is.
impl Default for ErrorCode {
    fn default() -> Self {
        Self::InternalError
    }
}

/// A number; an error is not lost for a code in another form.
impl Decode<V1> for ErrorCode {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        *self = value.deserialize_any(NameOrNumber {
            expecting: "JSON-RPC error",
            from_name: |name| match name.parse() {
                Ok(code) => Self::from_code(code),
                Err(_) => Self::from_reason(name).unwrap_or(Self::InternalError),
            },
            from_number: Self::from_code,
        })?;
        Ok(())
    }
}

/// An `ErrorInfo` detail: the machine-readable reason of an error.
pub fn error_info(reason: &str, metadata: Map<String, Value>) -> Value {
    let mut info = json!({ "@type": ERROR_INFO_TYPE, "reason": reason, "domain": ERROR_DOMAIN });
    if let (false, Some(members)) = (metadata.is_empty(), info.as_object_mut()) {
        members.insert("metadata".to_owned(), Value::Object(metadata));
    }
    info
}

/// The reason in error details: that of the first `ErrorInfo` of the A2A domain, else of the first one.
pub fn error_reason(details: &Value) -> Option<&str> {
    let infos = || {
        let list = details.as_array().map_or_else(|| std::slice::from_ref(details), Vec::as_slice);
        list.iter().filter(|detail| detail.get("@type").and_then(Value::as_str) == Some(ERROR_INFO_TYPE))
    };
    let ours = |info: &&Value| info.get("domain").and_then(Value::as_str) == Some(ERROR_DOMAIN);
    infos().find(ours).or_else(|| infos().next())?.get("reason")?.as_str()
}
