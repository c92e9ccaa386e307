//! Everything that can go wrong on the way to a peer and back.

use std::{error::Error, fmt, time::Duration};

use a2a_types::{Method, RpcError};

/// What went wrong, by whose fault it is: the caller's, the connection's, the peer's protocol, or an error
/// that the peer reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Caller: a URL, header, certificate or option that cannot be used.
    Config,
    /// Caller: the transport, or the peer by its card, does not have this operation.
    Unsupported,
    /// Caller: the card demands an extension that was not asked for.
    ExtensionRequired,
    /// Card: none found, or what was found is not a card.
    Card,
    /// Card: no interface that the client speaks.
    NoInterface,
    /// Connection: refused, unreachable, or the name does not resolve. Nothing was sent.
    Connect,
    /// Connection: the TLS handshake failed. Nothing was sent.
    Tls,
    /// Connection: silent for too long.
    Timeout,
    /// Connection: it ended before the response did.
    StreamCut,
    /// Peer: 401 or 403.
    Auth,
    /// Peer: another HTTP status that is not success, without an error object.
    HttpStatus,
    /// Peer: a redirect, which calls never follow.
    Redirect,
    /// Peer: a body of another media type or encoding.
    ContentType,
    /// Peer: a body or an event over its limit.
    TooLarge,
    /// Peer: a body that is not what the protocol says.
    Decode,
    /// Peer: an A2A or JSON-RPC error; see [`TransportError::rpc`].
    Rpc,
}

impl ErrorKind {
    /// A stable name, in lower case with underscores.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Unsupported => "unsupported",
            Self::ExtensionRequired => "extension_required",
            Self::Card => "card",
            Self::NoInterface => "no_interface",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::StreamCut => "stream_cut",
            Self::Auth => "auth",
            Self::HttpStatus => "http_status",
            Self::Redirect => "redirect",
            Self::ContentType => "content_type",
            Self::TooLarge => "too_large",
            Self::Decode => "decode",
            Self::Rpc => "rpc",
        }
    }
}

/// An error of a transport.
///
/// `Display` says what happened and where, on one level; the cause is the [`source`](Error::source). No text
/// contains a header value or a body.
pub struct TransportError {
    details: Box<Details>,
}

struct Details {
    kind: ErrorKind,
    message: String,
    url: Option<String>,
    http_status: Option<u16>,
    rpc: Option<RpcError>,
    www_authenticate: Option<String>,
    retry_after: Option<Duration>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl TransportError {
    /// An error of this kind. The message says what happened, in lower case without a full stop. Messages quote
    /// peers: what is beyond 4096 bytes is cut off.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MAX_MESSAGE_BYTES {
            let end = (0..=MAX_MESSAGE_BYTES).rev().find(|&end| message.is_char_boundary(end));
            message.truncate(end.unwrap_or_default());
            message.push('…');
        }
        Self {
            details: Box::new(Details {
                kind,
                message,
                url: None,
                http_status: None,
                rpc: None,
                www_authenticate: None,
                retry_after: None,
                source: None,
            }),
        }
    }

    pub(crate) fn unsupported(method: Method) -> Self {
        Self::new(ErrorKind::Unsupported, format!("{method} is not supported by this transport"))
    }

    /// The same error with where it happened, without query and credentials.
    #[must_use]
    pub fn with_url(mut self, url: impl Into<String>) -> Self {
        self.details.url = Some(url.into());
        self
    }

    /// The same error with the HTTP status of the response.
    #[must_use]
    pub fn with_http_status(mut self, status: u16) -> Self {
        self.details.http_status = Some(status);
        self
    }

    /// The same error with the error object the peer sent.
    #[must_use]
    pub fn with_rpc(mut self, rpc: RpcError) -> Self {
        self.details.rpc = Some(rpc);
        self
    }

    /// The same error with the challenge of a 401.
    #[must_use]
    pub fn with_www_authenticate(mut self, challenge: impl Into<String>) -> Self {
        self.details.www_authenticate = Some(challenge.into());
        self
    }

    /// The same error with how long the peer asks to wait.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.details.retry_after = Some(delay);
        self
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.details.source = Some(source.into());
        self
    }

    /// The same error as one of another kind, seen from further up: what it means there precedes what happened.
    #[cfg(feature = "client")]
    #[must_use]
    pub(crate) fn into_kind(mut self, kind: ErrorKind, meaning: &str) -> Self {
        self.details.kind = kind;
        self.details.message = format!("{meaning}: {}", self.details.message);
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.details.kind
    }

    /// Where, without query and credentials.
    pub fn url(&self) -> Option<&str> {
        self.details.url.as_deref()
    }

    /// The HTTP status, if a response arrived.
    pub fn http_status(&self) -> Option<u16> {
        self.details.http_status
    }

    /// The error object the peer sent.
    pub fn rpc(&self) -> Option<&RpcError> {
        self.details.rpc.as_ref()
    }

    /// The challenge of a 401.
    pub fn www_authenticate(&self) -> Option<&str> {
        self.details.www_authenticate.as_deref()
    }

    /// How long the peer asks to wait before another attempt.
    pub fn retry_after(&self) -> Option<Duration> {
        self.details.retry_after
    }

    /// Whether the peer was silent for too long.
    pub fn is_timeout(&self) -> bool {
        self.kind() == ErrorKind::Timeout
    }

    /// Whether no connection came about, so that nothing was sent.
    pub fn is_connect(&self) -> bool {
        matches!(self.kind(), ErrorKind::Connect | ErrorKind::Tls)
    }

    /// Whether the peer refused the credentials, or wants some.
    pub fn is_auth(&self) -> bool {
        self.kind() == ErrorKind::Auth
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportError")
            .field("kind", &self.details.kind)
            .field("message", &self.details.message)
            .field("url", &self.details.url)
            .field("http_status", &self.details.http_status)
            .field("rpc", &self.details.rpc)
            .field("source", &self.details.source)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.details.message)?;
        match &self.details.url {
            Some(url) => write!(f, " ({url})"),
            None => Ok(()),
        }
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.details.source.as_deref().map(|source| source as _)
    }
}

/// Longest message of an error.
const MAX_MESSAGE_BYTES: usize = 4096;
