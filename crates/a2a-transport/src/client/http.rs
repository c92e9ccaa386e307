//! One HTTP exchange at a time over a pool of connections: timeouts, limits and what a failure means. Never
//! JSON-RPC or A2A. Besides `connect.rs` the only file that names hyper.

use std::{
    error::Error,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures::FutureExt as _;
use http::{
    HeaderMap, Request, StatusCode, Uri, header,
    uri::{Authority, Scheme},
};
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use hyper_util::{
    client::legacy::{self, Client},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::time::{Instant, Sleep};

use crate::{
    ErrorKind, HttpConfig, TransportError,
    client::{
        connect::{ConnectFailure, Connector},
        parameters::check_headers,
    },
};

/// A pool of connections with its settings. Clones share the pool, as do all transports made with it.
///
/// The client needs a Tokio runtime with I/O and time; it spawns nothing but the drivers of its connections.
#[derive(Clone)]
pub struct HttpClient {
    shared: Arc<Shared>,
}

struct Shared {
    client: Client<Connector, Full<Bytes>>,
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
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(config.pool_idle_timeout)
            .pool_max_idle_per_host(config.max_idle_connections)
            .http1_max_headers(MAX_RESPONSE_HEADERS)
            .http1_max_buf_size(MAX_RESPONSE_HEAD_BYTES);
        #[cfg(feature = "http2")]
        builder
            .http2_max_header_list_size(MAX_HTTP2_HEAD_BYTES)
            .http2_only(config.http2 == crate::Http2::Always);
        let client = builder.build(Connector::new(&config)?);
        Ok(Self { shared: Arc::new(Shared { client, config }) })
    }

    pub(crate) fn config(&self) -> &HttpConfig {
        &self.shared.config
    }

    /// Sends a request and waits for the head of its response.
    ///
    /// # Errors
    ///
    /// What [`failure`] makes of it, and [`ErrorKind::Timeout`].
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
        let mut responding = self.shared.client.request(request.map(Full::new));
        let mut silence = SilenceTimer::new(head_timeout);
        let responded = std::future::poll_fn(|cx| match responding.poll_unpin(cx) {
            Poll::Ready(responded) => Poll::Ready(Ok(responded)),
            // The time limit is looked at after the response, so that what is ready in time is never lost.
            Poll::Pending => silence.poll_elapsed(cx).map(Err),
        });
        match responded.await {
            Ok(Ok(response)) => {
                let (head, incoming) = response.into_parts();
                silence.stop();
                let body = HttpBody { incoming, url, silence, in_a_row: 0 };
                Ok(HttpResponse { status: head.status, headers: head.headers, body })
            }
            Ok(Err(error)) => Err(failure(&url, error)),
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

/// The body of a response, chunk by chunk. Dropping it before its end closes the connection.
pub(crate) struct HttpBody {
    incoming: Incoming,
    url: Uri,
    silence: SilenceTimer,
    /// Chunks that were there at once.
    in_a_row: u32,
}

impl HttpBody {
    pub(crate) fn url(&self) -> &Uri {
        &self.url
    }

    /// Limits the silence before each chunk.
    pub(crate) fn with_idle_timeout(mut self, limit: Option<Duration>) -> Self {
        self.silence.limit = limit;
        self
    }

    /// The next chunk; `None` at the proper end. A peer that never pauses is made to: whatever else the task waits
    /// for, such as a time limit or the user, gets its turn.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StreamCut`] and [`ErrorKind::Timeout`].
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, TransportError>>> {
        loop {
            if self.in_a_row >= MAX_CHUNKS_IN_A_ROW {
                self.in_a_row = 0;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            let Poll::Ready(frame) = Pin::new(&mut self.incoming).poll_frame(cx) else { break };
            self.in_a_row += 1;
            self.silence.stop();
            match frame {
                // Trailers mean nothing here.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(chunk) if !chunk.is_empty() => return Poll::Ready(Some(Ok(chunk))),
                    _ => continue,
                },
                Some(Err(error)) => {
                    let cut =
                        TransportError::new(ErrorKind::StreamCut, "the connection ended within the body");
                    return Poll::Ready(Some(Err(at(&self.url, cut.with_source(error)))));
                }
                None => return Poll::Ready(None),
            }
        }
        self.in_a_row = 0;
        let limit = ready!(self.silence.poll_elapsed(cx));
        let silent = TransportError::new(ErrorKind::Timeout, format!("the peer was silent for {limit:?}"));
        Poll::Ready(Some(Err(at(&self.url, silent))))
    }

    /// The whole body, if it is not larger than the limit.
    ///
    /// # Errors
    ///
    /// As [`poll_chunk`](Self::poll_chunk), and [`ErrorKind::TooLarge`].
    pub(crate) async fn collect(mut self, limit: usize) -> Result<Bytes, TransportError> {
        let url = self.url.clone();
        let too_large = || {
            let message = format!("the body is larger than {limit} bytes");
            at(&url, TransportError::new(ErrorKind::TooLarge, message))
        };
        if usize::try_from(self.incoming.size_hint().lower()).unwrap_or(usize::MAX) > limit {
            return Err(too_large());
        }
        let (whole, complete) = self.collect_up_to(limit).await?;
        if complete { Ok(whole) } else { Err(too_large()) }
    }

    /// The body up to so many bytes, and whether that was all of it.
    pub(crate) async fn collect_up_to(&mut self, limit: usize) -> Result<(Bytes, bool), TransportError> {
        let mut whole = BytesMut::new();
        let mut first = Bytes::new();
        while let Some(chunk) = std::future::poll_fn(|cx| self.poll_chunk(cx)).await {
            let chunk = chunk?;
            let held = first.len().saturating_add(whole.len());
            if chunk.len() > limit.saturating_sub(held) {
                whole = if whole.is_empty() { BytesMut::from(&*first) } else { whole };
                whole.extend(chunk.iter().take(limit.saturating_sub(held)));
                return Ok((whole.freeze(), false));
            }
            if held == 0 {
                // A body of one chunk is not copied.
                first = chunk;
                continue;
            }
            if whole.is_empty() {
                whole.reserve(held.saturating_add(chunk.len()));
                whole.extend_from_slice(&std::mem::take(&mut first));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok((if whole.is_empty() { first } else { whole.freeze() }, true))
    }
}

/// A limit on waiting, one timer for a whole exchange: it counts only while somebody waits for the peer, and is cheap
/// to start and stop.
struct SilenceTimer {
    /// `None`: the peer may be silent for ever.
    limit: Option<Duration>,
    deadline: Option<Instant>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl SilenceTimer {
    fn new(limit: Duration) -> Self {
        Self { limit: Some(limit), deadline: None, sleep: None }
    }

    /// The peer was heard of.
    fn stop(&mut self) {
        self.deadline = None;
    }

    /// Ready with the limit once it has passed.
    fn poll_elapsed(&mut self, cx: &mut Context<'_>) -> Poll<Duration> {
        let Some(limit) = self.limit else { return Poll::Pending };
        // A limit beyond the end of time is none.
        let Some(deadline) = self.deadline.or_else(|| Instant::now().checked_add(limit)) else {
            return Poll::Pending;
        };
        self.deadline = Some(deadline);
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if sleep.deadline() > deadline {
            sleep.as_mut().reset(deadline);
        }
        loop {
            ready!(sleep.as_mut().poll(cx));
            if sleep.deadline() >= deadline {
                return Poll::Ready(limit);
            }
            // It was set for an earlier wait: only now it has to be set anew.
            sleep.as_mut().reset(deadline);
        }
    }
}

/// Refuses URLs that cannot be called, or would be called elsewhere than they say.
pub(crate) fn check_url(url: &Uri) -> Result<(), TransportError> {
    let config = |message: &str| Err(at(url, TransportError::new(ErrorKind::Config, message)));
    let Some(authority) = url.authority() else { return config("the URL is not absolute") };
    if authority.as_str().contains('@') {
        return config("the URL contains credentials; give them as such, not in the URL");
    }
    if !has_usable_port(authority) {
        return config("the port in the URL is not a number from 0 to 65535");
    }
    match url.scheme() {
        Some(scheme) if *scheme == Scheme::HTTP => Ok(()),
        Some(scheme) if *scheme == Scheme::HTTPS => {
            if cfg!(feature = "tls") {
                Ok(())
            } else {
                config("https needs the feature `tls`")
            }
        }
        _ => config("the URL is neither http nor https"),
    }
}

/// Whether the port is one, or left out: connecting would take the default one for any other.
pub(crate) fn has_usable_port(authority: &Authority) -> bool {
    let after_host =
        authority.as_str().len() - authority.as_str().rfind(authority.host()).unwrap_or_default();
    authority.port().is_some() || after_host <= authority.host().len() + ":".len()
}

/// What became of a request that got no response.
fn failure(url: &Uri, error: legacy::Error) -> TransportError {
    let error = if let Some(connecting) = ConnectFailure::among_causes(&error) {
        TransportError::new(connecting.kind(), connecting.to_string()).with_source(error)
    } else {
        let from_hyper = error.source().and_then(|source| source.downcast_ref::<hyper::Error>());
        let (kind, message) = match from_hyper {
            // Which of the two is in the cause.
            Some(error) if error.is_parse() => {
                (ErrorKind::Decode, "the head of the response is not HTTP, or too large")
            }
            _ => (ErrorKind::StreamCut, "the connection ended before the response"),
        };
        TransportError::new(kind, message).with_source(error)
    };
    at(url, error)
}

/// The error with where it happened.
pub(crate) fn at(url: &Uri, error: TransportError) -> TransportError {
    error.with_url(without_secrets(url))
}

/// The URL without query and credentials.
pub(crate) fn without_secrets(url: &Uri) -> String {
    let scheme = url.scheme().map_or(String::new(), |scheme| format!("{scheme}://"));
    let authority = url.authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}{host}{}", url.path())
}

/// Largest head of a response over HTTP/2.
#[cfg(feature = "http2")]
const MAX_HTTP2_HEAD_BYTES: u32 = 256 * 1024;
/// Chunks of a body that are read without a pause.
const MAX_CHUNKS_IN_A_ROW: u32 = 32;
/// Most header fields in a response: hyper reads as many without allocating.
const MAX_RESPONSE_HEADERS: usize = 100;
/// Largest head of a response, and largest piece read from a socket at once.
const MAX_RESPONSE_HEAD_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_a_number_or_left_out() {
        for (authority, usable) in [
            ("desk", true),
            ("desk:", true),
            ("desk:80", true),
            ("[::1]", true),
            ("[::1]:65535", true),
            ("user:99999@desk", true),
            ("desk:65536", false),
            ("desk:99999", false),
            ("user:80@desk:http", false),
            ("[::1]:99999", false),
        ] {
            assert_eq!(has_usable_port(&authority.parse().unwrap()), usable, "{authority}");
        }
    }
}
