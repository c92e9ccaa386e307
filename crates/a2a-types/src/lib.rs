//! The wire schema of the A2A (Agent2Agent) protocol, version 1.0, as plain data.
//!
//! Everything the specification allows and the official SDKs emit can be read: either spelling of a member,
//! enums by name or number, `null` for absent, any base64 alphabet, members and values from newer versions.
//! What is written is canonical ProtoJSON. Absent strings, lists and numbers are empty or zero, as in
//! protobuf; `Option` is where absent and empty differ.
//!
//! ```
//! use a2a_types::{PartContent, StreamResponse};
//!
//! let text = r#"{"artifact_update": {"taskId": "t", "contextId": "c", "append": true,
//!     "artifact": {"artifactId": "a", "parts": [{"text": "Hello"}], "extensions": null}}}"#;
//! let StreamResponse::ArtifactUpdate(update) = a2a_types::from_str(text)? else { unreachable!() };
//! assert_eq!(update.artifact.parts[0].content, PartContent::Text("Hello".into()));
//! assert_eq!(
//!     serde_json::to_string(&StreamResponse::from(update))?,
//!     r#"{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"Hello"}]},"append":true}}"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base64;
mod card;
mod decode;
mod error;
mod json;
mod jsonrpc;
mod message;
mod push;
mod request;
pub mod rest;
mod security;
#[cfg(feature = "signatures")]
pub mod signatures;
mod stream;
mod surrogates;
mod task;
mod timestamp;
pub mod v03;
mod validate;
mod wire;

pub use card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentProvider,
    AgentSkill,
};
pub use decode::{DecodeError, DecodeErrorKind, from_slice, from_str};
pub use error::{ERROR_DOMAIN, ERROR_INFO_TYPE, ErrorCode, error_info, error_reason};
pub use json::{Metadata, RawJson};
pub use jsonrpc::{IncomingRequest, JsonRpcRequest, JsonRpcResponse, Method, RequestId, RpcError};
pub use message::{Message, Part, PartContent, Role};
pub use push::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    TaskPushNotificationConfig,
};
pub use request::{
    CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest,
};
pub use security::{
    ApiKeySecurityScheme, AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow, DeviceCodeOAuthFlow,
    HttpAuthSecurityScheme, ImplicitOAuthFlow, MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows,
    OpenIdConnectSecurityScheme, PasswordOAuthFlow, SecurityRequirement, SecurityScheme, StringList,
};
pub use stream::{SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use task::{Artifact, Task, TaskState, TaskStatus};
pub use timestamp::Timestamp;
pub use validate::CardIssue;

/// The examples of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
