//! Client transports for the A2A protocol.
//!
//! [`Transport`] is the seam: every operation of the protocol, object safe, so that an agent can be reached
//! over whatever carries messages.

#[cfg(feature = "client")]
mod card;
#[cfg(feature = "client")]
mod channel;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod config;
#[cfg(feature = "client")]
mod connect;
mod error;
#[cfg(feature = "client")]
mod events;
#[cfg(feature = "client")]
mod http;
#[cfg(feature = "client")]
mod interface;
#[cfg(feature = "client")]
mod jsonrpc;
#[cfg(feature = "client")]
mod log;
mod options;
mod sse;
mod stream;
mod transport;
#[cfg(feature = "client")]
mod version;

#[cfg(feature = "client")]
pub use card::CardResolver;
#[cfg(feature = "client")]
pub use client::connect;
#[cfg(feature = "client")]
pub use config::HttpConfig;
pub use error::{ErrorKind, TransportError};
#[cfg(feature = "client")]
pub use http::HttpClient;
#[cfg(feature = "client")]
pub use interface::{Binding, InterfacePreferences, Selected, TransportFactory, select_interface};
#[cfg(feature = "client")]
pub use jsonrpc::JsonRpcTransport;
pub use options::CallOptions;
pub use sse::{SSE_KEEP_ALIVE, SseDecoder, SseEncodeError, SseError, SseEvent, encode_event};
pub use stream::ResponseStream;
pub use transport::{CallFuture, Transport};
#[cfg(feature = "client")]
pub use version::ProtocolVersion;
