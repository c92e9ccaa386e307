//! What a caller may say about one call.

use std::time::Duration;

use http::HeaderMap;

/// Options of one call. The default asks for nothing beyond what the transport is configured with.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// Headers to send besides the transport's own; they win over configured ones of the same name.
    pub headers: HeaderMap,
    /// URIs of the extensions to activate, besides the transport's own.
    pub extensions: Vec<String>,
    /// Longest silence, before the head of the response as well as between its pieces; `None`: as configured.
    pub idle_timeout: Option<Duration>,
}
