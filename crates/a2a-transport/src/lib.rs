//! Client transports for the A2A protocol.
//!
//! [`Transport`] is the seam: every operation of the protocol, object safe, so that an agent can be reached
//! over whatever carries messages.

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
