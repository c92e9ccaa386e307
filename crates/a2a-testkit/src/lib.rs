//! Test support of the workspace.
//!
//! - [`ScriptedTransport`]: a [`Transport`](a2a_transport::Transport) that answers from a script and remembers
//!   what it was asked.
//! - [`Loopback`]: an HTTP server on 127.0.0.1 that writes exactly the bytes it is told to, when it is told to,
//!   and remembers the bytes it was sent.
//! - [`RawClient`]: a plain HTTP client that sees everything as it comes.
//! - [`transcript`]: payloads from JSON Lines.
//! - [`Gate`]: lets a test decide when a script goes on.
//!
//! Meant for integration tests (`tests/it`). Wrong use panics: it is a fault of the test.

mod client;
mod gate;
mod loopback;
mod request;
mod scripted;
pub mod transcript;

pub use client::{RawClient, RawResponse};
pub use gate::Gate;
pub use loopback::{Exchange, Io, Loopback, Wrap};
pub use request::RawRequest;
pub use scripted::{Answer, Call, ScriptedTransport, Step};
