//! Client transports for the A2A protocol.
//!
//! [`Transport`] is the seam: every operation of the protocol, object safe, so that an agent can be reached
//! over whatever carries messages. With the feature `client` (part of `tls`, which is on by default) this crate
//! has those of the protocol itself: [`CardResolver`] finds an agent's card, [`connect`] chooses one of its
//! interfaces and makes the transport, [`HttpClient`] is the pool of connections that all of them share.
//!
//! ```
//! # #[cfg(feature = "client")] {
//! use a2a_transport::{CallOptions, ClientOptions, Credentials, HttpClient, HttpConfig, Transport, connect};
//! use a2a_types::{AgentCard, AgentInterface, GetTaskRequest};
//!
//! # async fn example() -> Result<(), a2a_transport::TransportError> {
//! let http = HttpClient::new(HttpConfig::default())?;
//! let interface = AgentInterface::new("https://agent.example/rpc", AgentInterface::JSONRPC, "1.0");
//! let card = AgentCard::new("Agent", vec![interface]);
//! let options = ClientOptions::default().with_credentials(Credentials::new().with_token("secret"));
//! let transport = connect(&card, &http, options)?;
//! let task = transport.get_task(GetTaskRequest::new("t-1"), CallOptions::default()).await?;
//! println!("{}", task.status.state);
//! # Ok(())
//! # }
//! # }
//! ```
//!
//! # What is sent, and what is taken
//!
//! A message is never sent twice. Only reads are repeated, once, when a connection ended before their answer; and
//! calls that a 401 turned away, if there are other credentials. Redirects are followed for cards only.
//! Credentials, headers and bodies never go to another origin by a redirect.
//!
//! An answer is judged by its status first, then by its encoding, its media type and its body. Everything a
//! peer can fill is bounded, and its limit is a setting of [`HttpConfig`] or named in the error. There are limits
//! on silence, none on the duration of a call.
//!
//! # Cancel safety
//!
//! | operation | dropping it | may be repeated |
//! |---|---|---|
//! | a call in one piece | closes its connection; the peer may still carry it out | only reads |
//! | [`ResponseStream`] | closes its connection within milliseconds; the task goes on | by subscribing |
//! | `next()` of a stream | loses nothing | yes |
//!
//! Over HTTP/2 a stream of the connection is reset instead. What has arrived in full is kept: its connection serves the next call.
//! A call over HTTP/1.1 has no task; only connections of HTTP/2, and the closing of unused ones, have.

#![cfg_attr(
    not(feature = "client"),
    allow(rustdoc::broken_intra_doc_links, reason = "the crate's page speaks of the client")
)]

#[cfg(feature = "client")]
mod client;
mod error;
mod options;
mod sse;
mod stream;
mod transport;

#[cfg(feature = "http2")]
pub use client::Http2;
#[cfg(feature = "oauth2")]
pub use client::OAuthClientCredentials;
#[cfg(all(feature = "client", feature = "tracing"))]
pub use client::TracingInterceptor;
#[cfg(feature = "client")]
pub use client::{
    Answered, Authorizer, Binding, CardResolver, CardVerifier, ClientOptions, Credential, CredentialProvider,
    CredentialRequest, Credentials, HttpClient, HttpConfig, InterceptedCall, Interceptor,
    InterfacePreferences, JsonRpcTransport, Outcome, ProtocolVersion, ResolvedCard, RestTransport, Secret,
    Selected, TransportFactory, connect, select_interface, v03,
};
pub use error::{ErrorKind, TransportError};
pub use options::CallOptions;
pub use sse::{SSE_KEEP_ALIVE, SseDecoder, SseEncodeError, SseError, SseEvent, encode_event};
pub use stream::ResponseStream;
pub use transport::{CallFuture, Transport};

/// The examples of the README, compiled.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../README.md")]
struct Readme;
