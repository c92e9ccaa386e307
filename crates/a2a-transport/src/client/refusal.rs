//! Responses that are not what was asked for, as errors.

use std::time::Duration;

use a2a_types::{DecodeError, RpcError};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use jiff::{Timestamp, fmt::rfc2822};
use serde_json::Value;

use crate::{
    ErrorKind, TransportError,
    client::http::{HttpResponse, MediaType, at, without_secrets},
};

/// Finds the error object in a body, as a binding has it.
pub(crate) type ReadRefusal = fn(StatusCode, &[u8]) -> Option<RpcError>;

/// The error in a response whose status is not success.
pub(crate) async fn refusal(mut response: HttpResponse, read: ReadRefusal) -> TransportError {
    let status = response.status;
    // What cannot be read adds nothing; the status is what counts.
    let body = match response.body.collect_up_to(MAX_ERROR_BODY_BYTES).await {
        Ok((body, _)) => body,
        Err(_) => Bytes::new(),
    };
    let rpc = read(status, &body);
    let mut error = match (rpc, status) {
        (rpc, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
            let error = TransportError::new(ErrorKind::Auth, refused(status, &body));
            rpc.into_iter().fold(error, TransportError::with_rpc)
        }
        (Some(rpc), _) => rpc_error(rpc),
        (None, status) if status.is_redirection() => redirect(&response),
        (None, _) => TransportError::new(ErrorKind::HttpStatus, refused(status, &body)),
    };
    error = at(response.body.url(), error).with_http_status(status.as_u16());
    if let Some(challenge) = text_header(&response.headers, &header::WWW_AUTHENTICATE) {
        error = error.with_www_authenticate(challenge);
    }
    if let Some(delay) = retry_after(&response.headers) {
        error = error.with_retry_after(delay);
    }
    error
}

/// The error that a peer reports with an error object.
pub(crate) fn rpc_error(rpc: RpcError) -> TransportError {
    TransportError::new(ErrorKind::Rpc, format!("the peer answered with {rpc}")).with_rpc(rpc)
}

/// An answer that is not what the protocol says.
pub(crate) fn undecodable(what: &str, error: &DecodeError) -> TransportError {
    TransportError::new(ErrorKind::Decode, format!("{what} is not what the protocol says: {error}"))
}

/// A response of success with content of another kind.
pub(crate) fn unexpected(response: &HttpResponse, found: &MediaType, expected: &str) -> TransportError {
    let found = match found {
        MediaType::Json => "JSON",
        MediaType::EventStream => "an event stream",
        MediaType::Missing if response.status == StatusCode::NO_CONTENT => "no content",
        MediaType::Missing => "content without a media type",
        MediaType::Other(name) => name,
    };
    let message = format!("the peer answered HTTP {} with {found} instead of {expected}", response.status);
    let error = TransportError::new(ErrorKind::ContentType, message);
    at(response.body.url(), error).with_http_status(response.status.as_u16())
}

fn redirect(response: &HttpResponse) -> TransportError {
    let status = response.status;
    let message = match location(&response.headers) {
        Some(location) => {
            format!("the peer answered HTTP {status} and redirects to {location}, where calls do not follow")
        }
        None => format!("the peer answered HTTP {status}"),
    };
    TransportError::new(ErrorKind::Redirect, message)
}

/// Where a redirect leads, without query and credentials.
fn location(headers: &HeaderMap) -> Option<String> {
    let location = text_header(headers, &header::LOCATION)?;
    Some(match location.parse::<Uri>() {
        Ok(url) => without_secrets(&url),
        Err(_) => location.split(['?', '#']).next().unwrap_or_default().to_owned(),
    })
}

/// The status, and what the peer says about it if the body is JSON that says something.
fn refused(status: StatusCode, body: &[u8]) -> String {
    match said(body) {
        Some(said) => format!("the peer answered HTTP {status}: {said}"),
        None => format!("the peer answered HTTP {status}"),
    }
}

/// The human-readable member of an error body, in one of the places where it is usually found.
pub(crate) fn said(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error");
    let places = [
        error.and_then(|error| error.get("message")),
        error,
        body.get("message"),
        body.get("detail"),
        body.get("title"),
    ];
    let said = places.into_iter().flatten().find_map(Value::as_str)?;
    let end = said.char_indices().nth(MAX_SAID_CHARS).map_or(said.len(), |(end, _)| end);
    said.get(..end).map(str::to_owned)
}

/// `Retry-After`: seconds, or a date, which is measured by the clock of the peer.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = text_header(headers, &header::RETRY_AFTER)?;
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = date(&value)?;
    let now = date(&text_header(headers, &header::DATE)?)?;
    Some(until.duration_since(now).try_into().unwrap_or_default())
}

/// The point in time that an `IMF-fixdate` names (RFC 9110, section 5.6.7).
fn date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

pub(crate) fn text_header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Most of an error body that is read.
pub(crate) const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;
/// Most of what a peer says that goes into an error.
const MAX_SAID_CHARS: usize = 500;
