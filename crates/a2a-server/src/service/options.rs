//! Options of the HTTP side.

use std::time::Duration;

use super::Cors;

/// Options of an [`A2aService`](crate::A2aService) and of serving it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Path of the JSON-RPC binding, with or without a slash at its end. Default `/`.
    pub rpc_path: String,
    /// What stands before the paths of the HTTP+JSON binding. Default empty.
    pub rest_prefix: String,
    /// Whether 0.3 is spoken too, at the same paths (HTTP+JSON below `/v1`), and a caller that does not ask
    /// for 1.0 gets a card with the members of 0.3 besides, if it lists interfaces of 0.3. Default no.
    pub legacy: bool,
    /// Largest request body, in bytes; it is held in memory. Default 16 MiB.
    pub max_body_bytes: usize,
    /// Bytes of request bodies held at the same time; what is too much is answered with 503. Default 512 MiB.
    pub max_buffered_bytes: usize,
    /// Longest silence in the middle of a request body, and longest time for the whole of it, but for one second
    /// more for every 64 KiB that came. Default 30 s.
    pub body_timeout: Duration,
    /// Longest time for which a client may take nothing of a response that is ready for it; then its connection
    /// is closed. Default 60 s.
    pub write_timeout: Duration,
    /// Silence after which an event stream sends a comment. Default 15 s.
    pub keep_alive: Duration,
    /// How long a stream waits for its first event, so that an error which comes first can be an ordinary
    /// error response; afterwards it is opened, and an error is an event. Default 3 s.
    pub max_head_delay: Duration,
    /// How long clients may keep the card, in whole seconds. Default 5 min.
    pub card_max_age: Duration,
    /// Whether the card needs authentication too. Default no.
    pub protect_card: bool,
    /// Which web pages may call the agent. Default none.
    pub cors: Option<Cors>,
    /// Longest time for the head of a request, and for the next request on an idle connection. Default 30 s.
    pub header_timeout: Duration,
    /// Connections at the same time; further ones wait. Default 16,384.
    pub max_connections: usize,
    /// How long open responses may go on after the server was told to stop. Default 30 s.
    pub shutdown_grace: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            rpc_path: "/".to_owned(),
            rest_prefix: String::new(),
            legacy: false,
            max_body_bytes: 16 << 20,
            max_buffered_bytes: 512 << 20,
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(60),
            keep_alive: Duration::from_secs(15),
            max_head_delay: Duration::from_secs(3),
            card_max_age: Duration::from_secs(300),
            protect_card: false,
            cors: None,
            header_timeout: Duration::from_secs(30),
            max_connections: 16_384,
            shutdown_grace: Duration::from_secs(30),
        }
    }
}

impl HttpOptions {
    pub(super) fn is_rpc_path(&self, path: &str) -> bool {
        path.trim_end_matches('/') == self.rpc_path.trim_end_matches('/')
    }
}
