//! What every call over HTTP has in common, whatever its binding: service parameters, and the order in which
//! a response is judged (status, encoding, media type, body).

use std::time::Duration;

use a2a_types::RpcError;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri, header};
use serde_json::Value;

use crate::{
    CallOptions, ErrorKind, HttpClient, ProtocolVersion, ResponseStream, SseEvent, TransportError,
    events::payloads,
    http::{HttpBody, HttpResponse, MediaType, at, without_secrets},
};

/// A way to one interface of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    http: HttpClient,
    version: ProtocolVersion,
    /// How the binding reports an error in a body.
    read_error: fn(StatusCode, &[u8]) -> Option<RpcError>,
}

/// One request of a binding.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) method: http::Method,
    pub(crate) url: Uri,
    /// Media type and content, if it has any.
    pub(crate) body: Option<(HeaderValue, Bytes)>,
    pub(crate) options: CallOptions,
}

/// What a streaming call was answered with.
pub(crate) enum Answer {
    Events(HttpBody),
    Json(Bytes),
}

impl Channel {
    pub(crate) fn new(
        http: HttpClient,
        version: ProtocolVersion,
        read_error: fn(StatusCode, &[u8]) -> Option<RpcError>,
    ) -> Self {
        Self { http, version, read_error }
    }

    /// The JSON that a call is answered with; empty if the status says that there is none.
    ///
    /// # Errors
    ///
    /// Every kind of [`ErrorKind`] that a response head or body can give, but [`ErrorKind::Decode`].
    pub(crate) async fn unary(&self, outgoing: Outgoing) -> Result<Bytes, TransportError> {
        let response = self.exchange(outgoing, JSON_ACCEPTED).await?;
        match response.media_type() {
            MediaType::Json | MediaType::Missing => self.json(response).await,
            other => Err(unexpected(&response, &other, "JSON")),
        }
    }

    /// What a streaming call is answered with: events, or JSON in their place.
    ///
    /// # Errors
    ///
    /// As [`unary`](Self::unary).
    pub(crate) async fn streaming(&self, outgoing: Outgoing) -> Result<Answer, TransportError> {
        let idle = outgoing.options.idle_timeout.or_else(|| self.http.config().stream_idle_timeout);
        let response = self.exchange(outgoing, EVENTS_ACCEPTED).await?;
        match response.media_type() {
            MediaType::EventStream => Ok(Answer::Events(response.body.with_idle_timeout(idle))),
            MediaType::Json => self.json(response).await.map(Answer::Json),
            other => Err(unexpected(&response, &other, "an event stream")),
        }
    }

    /// The payloads of an event stream.
    pub(crate) fn payloads<R>(&self, body: HttpBody, read: R) -> ResponseStream
    where
        R: FnMut(SseEvent<'_>) -> Result<Option<a2a_types::StreamResponse>, TransportError>
            + Send
            + Unpin
            + 'static,
    {
        payloads(body, self.http.config().max_event_bytes, read)
    }

    async fn json(&self, response: HttpResponse) -> Result<Bytes, TransportError> {
        let limit = self.http.config().max_body_bytes;
        let status = response.status.as_u16();
        response.body.collect(limit).await.map_err(|error| error.with_http_status(status))
    }

    /// Sends a request; the response has a status of success and no encoding.
    async fn exchange(
        &self,
        outgoing: Outgoing,
        accept: HeaderValue,
    ) -> Result<HttpResponse, TransportError> {
        let config = self.http.config();
        let head_timeout = outgoing.options.idle_timeout.unwrap_or(config.head_timeout);
        let body_timeout = outgoing.options.idle_timeout.unwrap_or(config.body_idle_timeout);
        let url = outgoing.url.clone();
        let request = self.request(outgoing, accept).map_err(|error| at(&url, error))?;
        let mut response = self.http.send(request, head_timeout).await?;
        response.body = response.body.with_idle_timeout(Some(body_timeout));
        if !response.status.is_success() {
            let error = refusal(response, self.read_error).await;
            return Err(at(&url, error));
        }
        if let Some(encoding) = response.content_encoding() {
            let message = format!("the response is encoded as {encoding}, which was not asked for");
            return Err(at(&url, TransportError::new(ErrorKind::ContentType, message)));
        }
        Ok(response)
    }

    fn request(&self, outgoing: Outgoing, accept: HeaderValue) -> Result<Request<Bytes>, TransportError> {
        let Outgoing { method, url, body, options } = outgoing;
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept);
        let (media_type, content) =
            body.map_or((None, Bytes::new()), |(name, content)| (Some(name), content));
        if let Some(media_type) = media_type {
            headers.insert(header::CONTENT_TYPE, media_type);
        }
        if self.version != ProtocolVersion::V0_3 {
            headers.insert(VERSION_HEADER, HeaderValue::from_static(self.version.as_str()));
        }
        if let Some(value) = extensions_value(&options.extensions)? {
            headers.insert(EXTENSIONS_HEADER, value);
        }
        override_headers(&mut headers, &self.http.config().headers)?;
        override_headers(&mut headers, &options.headers)?;
        let mut request = Request::new(content);
        *request.method_mut() = method;
        *request.uri_mut() = url;
        *request.headers_mut() = headers;
        Ok(request)
    }
}

/// The error in a response whose status is not success.
pub(crate) async fn refusal(
    mut response: HttpResponse,
    read_error: fn(StatusCode, &[u8]) -> Option<RpcError>,
) -> TransportError {
    let status = response.status;
    // What cannot be read adds nothing; the status is what counts.
    let body = match response.body.collect_up_to(MAX_ERROR_BODY_BYTES).await {
        Ok((body, _)) => body,
        Err(_) => Bytes::new(),
    };
    let rpc = read_error(status, &body);
    let mut error = match (&rpc, status) {
        (_, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
            TransportError::new(ErrorKind::Auth, refused(status, &body))
        }
        (Some(rpc), _) => rpc_error(rpc),
        (None, status) if status.is_redirection() => redirect(&response),
        (None, _) => TransportError::new(ErrorKind::HttpStatus, refused(status, &body)),
    };
    error = error.with_http_status(status.as_u16());
    if let Some(rpc) = rpc {
        error = error.with_rpc(rpc);
    }
    if let Some(challenge) = text_header(&response.headers, &header::WWW_AUTHENTICATE) {
        error = error.with_www_authenticate(challenge);
    }
    if let Some(delay) = retry_after(&response.headers) {
        error = error.with_retry_after(delay);
    }
    error
}

/// The error that a peer reports with an error object.
pub(crate) fn rpc_error(rpc: &RpcError) -> TransportError {
    TransportError::new(ErrorKind::Rpc, format!("the peer answered with {rpc}"))
}

/// An answer that is not what the protocol says.
pub(crate) fn undecodable(what: &str, error: &serde_json::Error) -> TransportError {
    TransportError::new(ErrorKind::Decode, format!("{what} is not what the protocol says: {error}"))
}

fn redirect(response: &HttpResponse) -> TransportError {
    let status = response.status;
    let location = text_header(&response.headers, &header::LOCATION).map(|location| {
        let parsed = location.parse::<Uri>().ok();
        parsed.map_or_else(
            || location.split(['?', '#']).next().unwrap_or_default().to_owned(),
            |uri| without_secrets(&uri),
        )
    });
    let message = match location {
        Some(location) => {
            format!("the peer answered HTTP {status} and redirects to {location}, where calls do not follow")
        }
        None => format!("the peer answered HTTP {status}"),
    };
    TransportError::new(ErrorKind::Redirect, message)
}

fn unexpected(response: &HttpResponse, found: &MediaType, expected: &str) -> TransportError {
    let found = match found {
        MediaType::Json => "JSON",
        MediaType::EventStream => "an event stream",
        MediaType::Missing => "content without a media type",
        MediaType::Other(name) => name,
    };
    let message = if response.status == StatusCode::NO_CONTENT {
        format!("the peer answered HTTP {} instead of {expected}", response.status)
    } else {
        format!("the peer answered with {found} instead of {expected}")
    };
    let error = TransportError::new(ErrorKind::ContentType, message);
    at(response.body.url(), error).with_http_status(response.status.as_u16())
}

/// The status, and what the peer says about it if the body is JSON that says something.
fn refused(status: StatusCode, body: &[u8]) -> String {
    match said(body) {
        Some(said) => format!("the peer answered HTTP {status}: {said}"),
        None => format!("the peer answered HTTP {status}"),
    }
}

/// The human-readable member of an error body, in one of the places where it is usually found.
fn said(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error");
    let said = [
        error.and_then(|error| error.get("message")),
        error,
        body.get("message"),
        body.get("detail"),
        body.get("title"),
    ]
    .into_iter()
    .flatten()
    .find_map(Value::as_str)?;
    let shortened = said.char_indices().nth(MAX_SAID_CHARS).and_then(|(end, _)| said.get(..end));
    Some(shortened.unwrap_or(said).to_owned())
}

/// `Retry-After` in seconds.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    text_header(headers, &header::RETRY_AFTER)?.trim().parse().ok().map(Duration::from_secs)
}

fn text_header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The value of `A2A-Extensions`: each URI once, in the order first named.
fn extensions_value(uris: &[String]) -> Result<Option<HeaderValue>, TransportError> {
    let mut named: Vec<&str> = Vec::new();
    for uri in uris.iter().map(|uri| uri.trim()).filter(|uri| !uri.is_empty()) {
        if !named.contains(&uri) {
            named.push(uri);
        }
    }
    if named.is_empty() {
        return Ok(None);
    }
    HeaderValue::from_str(&named.join(",")).map(Some).map_err(|error| {
        TransportError::new(ErrorKind::Config, "the URI of an extension cannot be sent").with_source(error)
    })
}

/// Replaces headers by those that a caller gave.
fn override_headers(headers: &mut HeaderMap, given: &HeaderMap) -> Result<(), TransportError> {
    for name in given.keys() {
        if CLIENT_HEADERS.contains(name) {
            let message = format!("the header `{name}` is the client's own and cannot be set");
            return Err(TransportError::new(ErrorKind::Config, message));
        }
        headers.remove(name);
        for value in given.get_all(name) {
            let mut value = value.clone();
            value.set_sensitive(true);
            headers.append(name, value);
        }
    }
    Ok(())
}

pub(crate) const VERSION_HEADER: HeaderName = HeaderName::from_static("a2a-version");
pub(crate) const EXTENSIONS_HEADER: HeaderName = HeaderName::from_static("a2a-extensions");
const JSON_ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, application/a2a+json");
/// A refused stream is answered in JSON.
const EVENTS_ACCEPTED: HeaderValue =
    HeaderValue::from_static("text/event-stream, application/json, application/a2a+json");
/// Headers on which the exchange itself depends.
const CLIENT_HEADERS: [HeaderName; 6] = [
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];
/// Most of an error body that is read.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;
/// Most of what a peer says that goes into an error.
const MAX_SAID_CHARS: usize = 500;
