//! Version 0.3 of the protocol, as another encoding of the same types.
//!
//! 0.3 says what 1.0 says in other words, so there is one model, that of 1.0, and this module reads and writes
//! it as 0.3 does. [`JsonRpc`] and [`Rest`] are the two dialects 0.3 is spoken in: wrap a value to serialise it,
//! deserialise the wrapper to read one. What 0.3 has and 1.0 has not is the end mark of a stream, which is in
//! [`StreamEvent`].
//!
//! Both dialects are read by the same reader, since real peers mix them: with or without `kind`, `parts` or
//! `content`, states and roles in either spelling, results bare or wrapped, and 1.0 objects too. Where a peer
//! leaves out or garbles what 1.0 requires, the reader fills it in: an unknown state is
//! [`Unspecified`](crate::TaskState::Unspecified), a role that is not `user` is the agent's.
//!
//! What 0.3 cannot say is left out when writing: `tenant`, media type and file name of text and data parts, parts
//! without content, `referenceTaskIds` over HTTP+JSON, PKCE and device code flows. Data that is not an object is
//! wrapped the way the official SDKs do, and unwrapped when read.
//!
//! ```
//! use a2a_types::{JsonRpcResponse, StreamResponse, v03};
//!
//! let text = r#"{"jsonrpc": "2.0", "id": 1, "result": {"kind": "status-update", "taskId": "t", "contextId": "c",
//!     "status": {"state": "completed"}, "final": true}}"#;
//! let response: JsonRpcResponse<v03::JsonRpc<v03::StreamEvent>> = a2a_types::from_str(text)?;
//! let Some(v03::JsonRpc(event)) = response.result else { unreachable!() };
//! assert!(event.is_final && matches!(&event.response, StreamResponse::StatusUpdate(_)));
//! assert_eq!(
//!     serde_json::to_string(&v03::Rest(&event))?,
//!     r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"final":true}}"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod card;
mod content;
mod error;
mod kind;
mod nested_base64;
mod push;
mod request;
mod stream;
mod task;
mod version;
mod write;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use card::{DualCard, LegacyCard, read_card};
pub use error::{error_body, error_for_caller, error_from_body, method_from_name, method_name};
pub use nested_base64::{CarriesParts, decode_nested_base64};
pub use push::CreatePushConfigBody;
pub use stream::StreamEvent;
pub use version::{Version, version_of};

use crate::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, Message, SendMessageRequest, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    wire::{V03, decode},
};
use write::{Dialect, Encode as _};

/// A value in the dialect of the 0.3 JSON schema, which its JSON-RPC binding speaks.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper and nothing more")]
pub struct JsonRpc<T>(
    /// The value.
    pub T,
);

/// A value in the dialect of the 0.3 protobuf definition, which its HTTP+JSON binding speaks.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper and nothing more")]
pub struct Rest<T>(
    /// The value.
    pub T,
);

/// Implements reading of these types in one dialect.
macro_rules! reads {
    ($wrapper:ident: $($name:ty),* $(,)?) => { $(
        impl<'de> Deserialize<'de> for $wrapper<$name> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                decode::<V03, _, _>(deserializer).map(Self)
            }
        }
    )* };
}

/// Implements writing of these types in one dialect, owned or borrowed.
macro_rules! writes {
    ($wrapper:ident as $dialect:ident: $($name:ty),* $(,)?) => { $(
        impl Serialize for $wrapper<$name> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.encode(Dialect::$dialect, serializer)
            }
        }

        impl Serialize for $wrapper<&$name> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.encode(Dialect::$dialect, serializer)
            }
        }
    )* };
}

reads! {
    JsonRpc:
    SendMessageResponse, StreamResponse, StreamEvent, Task, Message, AgentCard,
    GetTaskRequest, CancelTaskRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig, GetTaskPushNotificationConfigRequest,
    DeleteTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
}

writes! {
    JsonRpc as Schema:
    SendMessageRequest, SendMessageResponse, StreamResponse, StreamEvent, StreamEvent<&StreamResponse>,
    Task, Message, GetTaskRequest, CancelTaskRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig, GetTaskPushNotificationConfigRequest,
    DeleteTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
}

reads! {
    Rest:
    SendMessageResponse, StreamResponse, StreamEvent, Task, Message, AgentCard,
    CancelTaskRequest, TaskPushNotificationConfig, ListTaskPushNotificationConfigsResponse,
}

writes! {
    Rest as Proto:
    SendMessageRequest, SendMessageResponse, StreamResponse, StreamEvent, StreamEvent<&StreamResponse>,
    Task, Message, CancelTaskRequest, TaskPushNotificationConfig, ListTaskPushNotificationConfigsResponse,
}
