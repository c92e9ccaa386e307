//! HTTP requests with JSON bodies, whatever the version of the protocol in them.

use std::sync::atomic::{AtomicBool, Ordering};

use a2a_types::{DecodeError, ErrorCode, RpcError};
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    CallOptions, ErrorKind, ResponseStream, SseEvent, TransportError,
    client::{
        channel::{Answer, Channel, Outgoing},
        events::Piece,
        http::at,
        refusal::{rpc_error, said, undecodable},
        route::{Base, Route},
    },
};

/// Reads an error object, given the HTTP status it came with.
pub(crate) type ReadError = fn(u16, &Value) -> Option<RpcError>;

/// Calls routes below one URL.
#[derive(Debug)]
pub(crate) struct RestCaller {
    channel: Channel,
    base: Base,
    media_type: HeaderValue,
    read_error: ReadError,
    /// Peers disagree on the verb of subscribing: this one was found to want GET.
    subscribes_by_get: AtomicBool,
}

impl RestCaller {
    pub(crate) fn new(channel: Channel, base: Base, media_type: &'static str, read_error: ReadError) -> Self {
        Self {
            channel,
            base,
            media_type: HeaderValue::from_static(media_type),
            read_error,
            subscribes_by_get: AtomicBool::new(false),
        }
    }

    pub(crate) fn channel_mut(&mut self) -> &mut Channel {
        &mut self.channel
    }

    pub(crate) async fn get<R: DeserializeOwned>(
        &self,
        route: Route,
        options: CallOptions,
    ) -> Result<R, TransportError> {
        self.unary(Method::GET, route, None, options).await
    }

    pub(crate) async fn post<R: DeserializeOwned>(
        &self,
        route: Route,
        body: Bytes,
        options: CallOptions,
    ) -> Result<R, TransportError> {
        self.unary(Method::POST, route, Some(body), options).await
    }

    /// Deletes what is at a route; the answer may be empty.
    pub(crate) async fn delete(&self, route: Route, options: CallOptions) -> Result<(), TransportError> {
        let outgoing = self.outgoing(Method::DELETE, &route, None, options)?;
        self.channel.unary(outgoing).await.map(drop)
    }

    pub(crate) async fn stream<P>(
        &self,
        route: Route,
        body: Bytes,
        options: CallOptions,
    ) -> Result<ResponseStream, TransportError>
    where
        P: DeserializeOwned + Into<Piece> + 'static,
    {
        self.streaming::<P>(Method::POST, &route, Some(body), options).await
    }

    /// Follows a task, by POST, or by GET if the peer does not know that.
    pub(crate) async fn subscribe<P>(
        &self,
        route: Route,
        options: CallOptions,
    ) -> Result<ResponseStream, TransportError>
    where
        P: DeserializeOwned + Into<Piece> + 'static,
    {
        if !self.subscribes_by_get.load(Ordering::Relaxed) {
            match self.streaming::<P>(Method::POST, &route, None, options.clone()).await {
                Err(error) if is_wrong_verb(&error) => {}
                answered => return answered,
            }
        }
        let answered = self.streaming::<P>(Method::GET, &route, None, options).await;
        // A peer that knows the route by GET says so also by refusing with an error of its own.
        let knows =
            answered.as_ref().err().is_none_or(|error| error.rpc().is_some_and(|rpc| rpc.reason().is_some()));
        if knows {
            self.subscribes_by_get.store(true, Ordering::Relaxed);
        }
        answered
    }

    async fn unary<R: DeserializeOwned>(
        &self,
        method: Method,
        route: Route,
        body: Option<Bytes>,
        options: CallOptions,
    ) -> Result<R, TransportError> {
        let outgoing = self.outgoing(method, &route, body, options)?;
        let url = outgoing.url.clone();
        let body = self.channel.unary(outgoing).await?;
        read_body(&body, self.read_error).map_err(|error| at(&url, error))
    }

    async fn streaming<P>(
        &self,
        method: Method,
        route: &Route,
        body: Option<Bytes>,
        options: CallOptions,
    ) -> Result<ResponseStream, TransportError>
    where
        P: DeserializeOwned + Into<Piece> + 'static,
    {
        let outgoing = self.outgoing(method, route, body, options)?;
        let url = outgoing.url.clone();
        let read_error = self.read_error;
        match self.channel.streaming(outgoing).await? {
            Answer::Events(body) => {
                Ok(self.channel.payloads(body, move |event| read_event::<P>(event, read_error)))
            }
            Answer::Json(body) => match read_body::<P>(&body, read_error) {
                Ok(payload) => Ok(ResponseStream::once(payload.into().payload)),
                Err(error) => Err(at(&url, error)),
            },
        }
    }

    fn outgoing(
        &self,
        method: Method,
        route: &Route,
        body: Option<Bytes>,
        options: CallOptions,
    ) -> Result<Outgoing, TransportError> {
        let url = self.base.join(route)?;
        // What is posted without a body is only a wish to listen.
        let is_read = method == Method::GET || (method == Method::POST && body.is_none());
        let body = body.map(|body| (self.media_type.clone(), body));
        Ok(Outgoing { method, url, body, is_read, options })
    }
}

/// Whether a refusal to subscribe may be about the verb, and not about the task.
fn is_wrong_verb(error: &TransportError) -> bool {
    let has_reason = error.rpc().is_some_and(|rpc| rpc.reason().is_some());
    matches!(error.http_status(), Some(404 | 405 | 501)) && !has_reason
}

/// The value in a body, or the error.
fn read_body<R: DeserializeOwned>(body: &[u8], read_error: ReadError) -> Result<R, TransportError> {
    if body.trim_ascii().is_empty() {
        return Err(TransportError::new(ErrorKind::Decode, "the answer is empty"));
    }
    if let Some(rpc) = leading_error(body, read_error) {
        return Err(rpc_error(rpc));
    }
    a2a_types::from_slice(body).map_err(|error| misread("the answer", body, &error, read_error))
}

/// The payload of an event, or the error.
fn read_event<P: DeserializeOwned + Into<Piece>>(
    event: SseEvent<'_>,
    read_error: ReadError,
) -> Result<Piece, TransportError> {
    let error = leading_error(event.data.as_bytes(), read_error);
    if let Some(rpc) =
        error.or_else(|| (event.event == "error").then(|| unnamed_error(event.data, read_error)))
    {
        return Err(rpc_error(rpc));
    }
    let read = a2a_types::from_str::<P>(event.data);
    let payload = read.map_err(|error| misread("an event", event.data.as_bytes(), &error, read_error))?;
    Ok(payload.into())
}

/// What was not of the expected shape: perhaps an error that does not begin as one.
#[cold]
fn misread(what: &str, body: &[u8], error: &DecodeError, read_error: ReadError) -> TransportError {
    error_object(body, read_error).map_or_else(|| undecodable(what, error), rpc_error)
}

/// The error in a body that begins with one. Nothing else begins so: no object of the protocol has such a member.
/// The official Rust server streams the object of the error itself.
fn leading_error(body: &[u8], read_error: ReadError) -> Option<RpcError> {
    let inside = body.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start();
    if !inside.starts_with(b"\"error\"") && !inside.starts_with(b"\"code\"") {
        return None;
    }
    error_object(body, read_error)
}

/// The error that a body is, in an envelope or bare.
fn error_object(body: &[u8], read_error: ReadError) -> Option<RpcError> {
    let body: Value = a2a_types::from_slice(body).ok()?;
    error_in(&body, read_error).or_else(|| {
        body.get("code")?;
        error_in(&json!({ "error": body }), read_error)
    })
}

fn error_in(body: &Value, read_error: ReadError) -> Option<RpcError> {
    let code = body.get("error").and_then(|error| error.get("code")).and_then(Value::as_u64);
    let status = code.and_then(|code| u16::try_from(code).ok()).unwrap_or(500);
    read_error(status, body)
}

/// What an event of the type `error` says in words of its own.
fn unnamed_error(data: &str, read_error: ReadError) -> RpcError {
    let object = a2a_types::from_str::<Value>(data).ok();
    object.and_then(|object| error_in(&object, read_error)).unwrap_or_else(|| {
        let said = said(data.as_bytes()).unwrap_or_else(|| "the stream failed".to_owned());
        RpcError::new(ErrorCode::InternalError, said)
    })
}

/// The error object in the body of a refusal, by 1.0.
pub(crate) fn refused_v1(status: StatusCode, body: &[u8]) -> Option<RpcError> {
    a2a_types::rest::error_from_body(status.as_u16(), &a2a_types::from_slice(body).ok()?)
}

/// The error object in the body of a refusal, by 0.3.
pub(crate) fn refused_v0_3(status: StatusCode, body: &[u8]) -> Option<RpcError> {
    a2a_types::v03::error_from_body(status.as_u16(), &a2a_types::from_slice(body).ok()?)
}
