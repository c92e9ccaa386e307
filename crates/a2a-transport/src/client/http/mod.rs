//! One HTTP exchange at a time over a pool of connections: timeouts, limits and what a failure means. Never
//! JSON-RPC or A2A. No file outside of this folder names hyper.
//!
//! From the outside in: a client ([`HttpClient`]) chooses one of its `connections`, which are kept in a `pool` and
//! driven by who waits for them (`connection`, which is `paced`), or `shared` by many exchanges; new ones are made by
//! `connect`. What a response brings is read as its `body`.

mod body;
mod connect;
mod connection;
mod connections;
mod failure;
mod paced;
mod pool;
#[cfg(feature = "http2")]
mod shared;
mod silence;
mod url;

use std::{fmt, future::poll_fn, pin::pin, sync::Arc, task::Poll, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::Full;

pub(crate) use self::{
    body::HttpBody,
    url::{at, check_url, has_usable_port, without_secrets},
};
use self::{connections::Connections, silence::SilenceTimer};
use crate::{ErrorKind, HttpConfig, TransportError, client::parameters::check_headers};

/// A pool of connections with its settings. Clones share the pool, as do all transports made with it.
///
/// The client needs a Tokio runtime with I/O and time. The connection of a call is driven by who waits for the call, not
/// by a task of its own; only connections of HTTP/2, and the closing of unused ones, have a task. It may be kept for as
/// long as the program runs, and be used in several runtimes: each has its own connections.
#[derive(Clone)]
pub struct HttpClient {
    shared: Arc<Shared>,
}

struct Shared {
    connections: Connections,
    config: HttpConfig,
}

impl HttpClient {
    /// A client with these settings.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`]: certificates or keys that cannot be used, or headers that are the client's own.
    pub fn new(config: HttpConfig) -> Result<Self, TransportError> {
        check_headers(&config.headers)?;
        let connections = Connections::new(&config)?;
        Ok(Self { shared: Arc::new(Shared { connections, config }) })
    }

    pub(crate) fn config(&self) -> &HttpConfig {
        &self.shared.config
    }

    /// Sends a request and waits for the head of its response.
    ///
    /// # Errors
    ///
    /// No connection ([`ErrorKind::Connect`], [`ErrorKind::Tls`]), one that ended before the response
    /// ([`ErrorKind::StreamCut`]), a head that is not HTTP ([`ErrorKind::Decode`]), and [`ErrorKind::Timeout`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection; the request may have been sent.
    pub(crate) async fn send(
        &self,
        request: Request<Bytes>,
        head_timeout: Duration,
    ) -> Result<HttpResponse, TransportError> {
        let url = request.uri().clone();
        check_url(&url)?;
        let mut silence = SilenceTimer::new(head_timeout);
        let exchanged = {
            let mut exchange = pin!(self.shared.connections.exchange(&url, request.map(Full::new)));
            poll_fn(|cx| match exchange.as_mut().poll(cx) {
                Poll::Ready(exchanged) => Poll::Ready(Ok(exchanged)),
                // The time limit is looked at after the response, so that what is ready in time is never lost.
                Poll::Pending => silence.poll_elapsed(cx).map(Err),
            })
            .await
        };
        match exchanged {
            Ok(Ok((response, line))) => {
                let (head, incoming) = response.into_parts();
                silence.stop();
                let body = HttpBody::new(incoming, line, url, silence);
                Ok(HttpResponse { status: head.status, headers: head.headers, body })
            }
            Ok(Err(failure)) => Err(failure.into_error(&url)),
            Err(limit) => {
                Err(at(&url, TransportError::new(ErrorKind::Timeout, format!("no answer within {limit:?}"))))
            }
        }
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("config", &self.shared.config).finish_non_exhaustive()
    }
}

/// The head of a response, and its body to come.
pub(crate) struct HttpResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: HttpBody,
}

/// What a body is, by its `Content-Type`: compared without case, parameters aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MediaType {
    Json,
    EventStream,
    Missing,
    Other(String),
}

impl HttpResponse {
    pub(crate) fn media_type(&self) -> MediaType {
        let Some(value) = self.headers.get(header::CONTENT_TYPE) else { return MediaType::Missing };
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        let essence = value.split(';').next().unwrap_or_default().trim();
        match essence {
            "" => MediaType::Missing,
            "text/event-stream" => MediaType::EventStream,
            "application/json" => MediaType::Json,
            other if other.starts_with("application/") && other.ends_with("+json") => MediaType::Json,
            other => MediaType::Other(other.to_owned()),
        }
    }

    /// The encoding of the body, unless it is none.
    pub(crate) fn content_encoding(&self) -> Option<String> {
        let value = String::from_utf8_lossy(self.headers.get(header::CONTENT_ENCODING)?.as_bytes());
        let value = value.trim();
        (!value.is_empty() && !value.eq_ignore_ascii_case("identity")).then(|| value.to_owned())
    }
}
