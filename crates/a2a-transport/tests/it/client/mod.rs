//! The client over HTTP, against a server on this machine.

mod answers;
mod callers;
mod cards;
mod connections;
mod credentials;
#[cfg(feature = "http2")]
mod http2;
#[cfg(feature = "http2")]
mod http2_peers;
mod intercept;
mod interfaces;
#[cfg(feature = "oauth2")]
mod oauth;
mod peers;
#[cfg(feature = "proxy")]
mod proxy;
mod requests;
mod runtimes;
mod streams;
mod support;
#[cfg(feature = "tls")]
mod tls;
