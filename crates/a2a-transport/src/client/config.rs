//! What a client may be told about connections, limits and headers. Plain data, validated once by
//! [`HttpClient::new`](crate::HttpClient::new).

use std::{fmt, time::Duration};

use http::HeaderMap;

use crate::SseDecoder;

/// Settings of an [`HttpClient`](crate::HttpClient).
///
/// There is no limit on the duration of a whole call: an agent may think and stream as long as it is not silent.
#[derive(Clone)]
pub struct HttpConfig {
    pub(crate) connect_timeout: Duration,
    pub(crate) head_timeout: Duration,
    pub(crate) body_idle_timeout: Duration,
    pub(crate) stream_idle_timeout: Option<Duration>,
    pub(crate) pool_idle_timeout: Duration,
    pub(crate) max_idle_connections: usize,
    pub(crate) max_body_bytes: usize,
    pub(crate) max_card_bytes: usize,
    pub(crate) max_event_bytes: usize,
    pub(crate) headers: HeaderMap,
    #[cfg(feature = "tls")]
    pub(crate) extra_roots_pem: Vec<Vec<u8>>,
    #[cfg(feature = "tls")]
    pub(crate) built_in_roots: bool,
    #[cfg(feature = "tls")]
    pub(crate) client_identity_pem: Option<Vec<u8>>,
    #[cfg(feature = "proxy")]
    pub(crate) proxy_from_env: bool,
    #[cfg(feature = "http2")]
    pub(crate) http2: Http2,
}

/// When HTTP/2 is spoken.
#[cfg(feature = "http2")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Http2 {
    /// Never: each stream has a connection of its own, and cancelling closes it.
    #[default]
    Never,
    /// With servers that offer it in TLS. Cancelling resets a stream of the connection.
    IfOffered,
    /// With every server, without asking, in plain HTTP too.
    Always,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            head_timeout: Duration::from_secs(60),
            body_idle_timeout: Duration::from_secs(60),
            stream_idle_timeout: Some(Duration::from_secs(5 * 60)),
            pool_idle_timeout: Duration::from_secs(30),
            max_idle_connections: 64,
            max_body_bytes: 16 * 1024 * 1024,
            max_card_bytes: 1024 * 1024,
            max_event_bytes: SseDecoder::DEFAULT_MAX_EVENT_BYTES,
            headers: HeaderMap::new(),
            #[cfg(feature = "tls")]
            extra_roots_pem: Vec::new(),
            #[cfg(feature = "tls")]
            built_in_roots: true,
            #[cfg(feature = "tls")]
            client_identity_pem: None,
            #[cfg(feature = "proxy")]
            proxy_from_env: false,
            #[cfg(feature = "http2")]
            http2: Http2::Never,
        }
    }
}

impl HttpConfig {
    /// Longest time until a connection is there: name resolution, TCP and TLS. Default: 10 seconds.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Longest time from the start of a request to the head of its response, connecting included. An agent
    /// that answers in one piece thinks within this time. Default: 60 seconds.
    #[must_use]
    pub fn with_head_timeout(mut self, timeout: Duration) -> Self {
        self.head_timeout = timeout;
        self
    }

    /// Longest silence within a body that is not a stream. Default: 60 seconds.
    #[must_use]
    pub fn with_body_idle_timeout(mut self, timeout: Duration) -> Self {
        self.body_idle_timeout = timeout;
        self
    }

    /// Longest silence within a stream, where comments count as a sign of life; `None` for no limit.
    /// Default: 5 minutes.
    #[must_use]
    pub fn with_stream_idle_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.stream_idle_timeout = timeout;
        self
    }

    /// How long an unused connection is kept for the next call. Default: 30 seconds; many servers close it soon, too.
    #[must_use]
    pub fn with_pool_idle_timeout(mut self, timeout: Duration) -> Self {
        self.pool_idle_timeout = timeout;
        self
    }

    /// How many unused connections are kept per host. Default: 64.
    #[must_use]
    pub fn with_max_idle_connections(mut self, connections: usize) -> Self {
        self.max_idle_connections = connections;
        self
    }

    /// Largest body that is not a stream. Default: 16 MiB, since files travel as base64.
    #[must_use]
    pub fn with_max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }

    /// Largest agent card. Default: 1 MiB.
    #[must_use]
    pub fn with_max_card_bytes(mut self, bytes: usize) -> Self {
        self.max_card_bytes = bytes;
        self
    }

    /// Largest event of a stream; a stream holds at most about twice as much. Default: 16 MiB.
    #[must_use]
    pub fn with_max_event_bytes(mut self, bytes: usize) -> Self {
        self.max_event_bytes = bytes;
        self
    }

    /// Headers of every request, card fetches included. They never follow a redirect to another origin.
    #[must_use]
    pub fn with_headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Trusts these certificates (PEM) too. May be called repeatedly. Default: none.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_extra_roots_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.extra_roots_pem.push(pem.into());
        self
    }

    /// Whether the certificate authorities of the web (Mozilla's list, built in) are trusted. Default: yes.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_built_in_roots(mut self, trusted: bool) -> Self {
        self.built_in_roots = trusted;
        self
    }

    /// Certificate chain and private key (PEM, in one text) to present to servers that ask for one.
    /// Default: none.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_client_identity_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.client_identity_pem = Some(pem.into());
        self
    }

    /// Whether proxies named by `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` are used, by
    /// CONNECT. Loopback hosts are always reached directly. Default: no.
    #[cfg(feature = "proxy")]
    #[must_use]
    pub fn with_proxy_from_env(mut self, used: bool) -> Self {
        self.proxy_from_env = used;
        self
    }

    /// When HTTP/2 is spoken. Default: never.
    #[cfg(feature = "http2")]
    #[must_use]
    pub fn with_http2(mut self, when: Http2) -> Self {
        self.http2 = when;
        self
    }
}

impl HttpConfig {
    /// The protocols to offer in TLS.
    #[cfg(feature = "tls")]
    pub(crate) fn alpn_protocols(&self) -> Vec<Vec<u8>> {
        let http1 = b"http/1.1".to_vec();
        #[cfg(feature = "http2")]
        match self.http2 {
            Http2::Never => {}
            Http2::IfOffered => return vec![b"h2".to_vec(), http1],
            Http2::Always => return vec![b"h2".to_vec()],
        }
        vec![http1]
    }

    /// Whether the client can show who it is within TLS.
    pub(crate) fn has_client_identity(&self) -> bool {
        #[cfg(feature = "tls")]
        return self.client_identity_pem.is_some();
        #[cfg(not(feature = "tls"))]
        false
    }
}

/// Without the values of headers, nor keys.
impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConfig")
            .field("connect_timeout", &self.connect_timeout)
            .field("head_timeout", &self.head_timeout)
            .field("body_idle_timeout", &self.body_idle_timeout)
            .field("stream_idle_timeout", &self.stream_idle_timeout)
            .field("pool_idle_timeout", &self.pool_idle_timeout)
            .field("max_idle_connections", &self.max_idle_connections)
            .field("max_body_bytes", &self.max_body_bytes)
            .field("max_card_bytes", &self.max_card_bytes)
            .field("max_event_bytes", &self.max_event_bytes)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
