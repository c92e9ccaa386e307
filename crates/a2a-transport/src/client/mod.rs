//! Calls over HTTP. From the outside in: a card and what the caller wants give a transport (`dial`,
//! `interface`, `fallback`); a transport knows its binding (`jsonrpc`, `rest`, `v03`); what bindings share is a
//! caller each (`rpc`, `rest_caller`) and a channel (`channel`), which knows HTTP only by `http`.

mod card;
mod card_cache;
mod channel;
mod config;
mod credentials;
mod decorate;
mod dial;
mod events;
mod fallback;
mod http;
mod intercept;
mod interface;
mod jsonrpc;
mod location;
mod log;
#[cfg(feature = "oauth2")]
mod oauth;
mod parameters;
mod refusal;
mod rest;
mod rest_caller;
mod route;
mod rpc;
#[cfg(feature = "tracing")]
mod trace;
pub mod v03;
mod version;

pub use self::http::HttpClient;
pub use card::{CardResolver, CardVerifier, ResolvedCard};
#[cfg(feature = "http2")]
pub use config::Http2;
pub use config::HttpConfig;
pub use credentials::{Authorizer, Credential, CredentialProvider, CredentialRequest, Credentials, Secret};
pub use dial::{ClientOptions, connect};
pub use intercept::{Answered, InterceptedCall, Interceptor, Outcome};
pub use interface::{Binding, InterfacePreferences, Selected, TransportFactory, select_interface};
pub use jsonrpc::JsonRpcTransport;
#[cfg(feature = "oauth2")]
pub use oauth::OAuthClientCredentials;
pub use rest::RestTransport;
#[cfg(feature = "tracing")]
pub use trace::TracingInterceptor;
pub use version::ProtocolVersion;
