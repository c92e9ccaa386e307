//! JSON-RPC 2.0 over HTTP (§9), whatever the version of the protocol in it.

use std::sync::atomic::{AtomicI64, Ordering};

use a2a_types::{JsonRpcRequest, JsonRpcResponse, Method, RequestId, RpcError};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, Uri};
use serde::{
    Serialize,
    de::{DeserializeOwned, IgnoredAny},
};

use crate::{
    CallOptions, ErrorKind, ResponseStream, SseEvent, TransportError,
    client::{
        channel::{Answer, Channel, Outgoing},
        events::Piece,
        http::at,
        refusal::{rpc_error, undecodable},
    },
};

/// The name of a method, if the version has it.
pub(crate) type MethodName = fn(Method) -> Option<&'static str>;

/// Calls methods at one URL.
#[derive(Debug)]
pub(crate) struct RpcCaller {
    channel: Channel,
    url: Uri,
    method_name: MethodName,
    next_id: AtomicI64,
}

impl RpcCaller {
    /// A caller at this URL, which is used as it is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`]: it is not a URL.
    pub(crate) fn new(channel: Channel, url: &str, method_name: MethodName) -> Result<Self, TransportError> {
        let url = url.trim().parse().map_err(|error: http::uri::InvalidUri| {
            TransportError::new(ErrorKind::Config, "the URL of the interface cannot be used")
                .with_source(error)
        })?;
        let channel = channel.reading_errors_by(read_error);
        Ok(Self { channel, url, method_name, next_id: AtomicI64::new(1) })
    }

    pub(crate) fn channel_mut(&mut self) -> &mut Channel {
        &mut self.channel
    }

    /// The result of a method.
    pub(crate) async fn unary<R: DeserializeOwned>(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<R, TransportError> {
        let result = self.answer(method, params, options).await?;
        result.ok_or_else(|| at(&self.url, no_result("the answer")))
    }

    /// Waits until a method is carried out: peers confirm with `null`, an object, or no result at all.
    pub(crate) async fn confirmed(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<(), TransportError> {
        self.answer::<IgnoredAny>(method, params, options).await.map(drop)
    }

    /// The stream that a method is answered with.
    pub(crate) async fn streaming<P>(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<ResponseStream, TransportError>
    where
        P: DeserializeOwned + Into<Piece> + 'static,
    {
        let (id, outgoing) = self.outgoing(method, params, options)?;
        match self.channel.streaming(outgoing).await? {
            Answer::Events(body) => Ok(self.channel.payloads(body, move |event| read_event::<P>(event, &id))),
            Answer::Json(body) => match read_response::<P>(&body, &id) {
                Ok(Some(payload)) => Ok(ResponseStream::once(payload.into().payload)),
                Ok(None) => Err(at(&self.url, no_result("the answer"))),
                Err(error) => Err(at(&self.url, error)),
            },
        }
    }

    /// The result of a method; `None` where it is absent or `null`.
    async fn answer<R: DeserializeOwned>(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<Option<R>, TransportError> {
        let (id, outgoing) = self.outgoing(method, params, options)?;
        let body = self.channel.unary(outgoing).await?;
        read_response(&body, &id).map_err(|error| at(&self.url, error))
    }

    fn outgoing(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<(RequestId, Outgoing), TransportError> {
        let Some(name) = (self.method_name)(method) else { return Err(TransportError::unsupported(method)) };
        let id = RequestId::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        let request = JsonRpcRequest::new(id.clone(), name, params);
        let outgoing = Outgoing {
            method: http::Method::POST,
            url: self.url.clone(),
            body: Some((HeaderValue::from_static("application/json"), to_json(&request)?)),
            is_read: is_read(method),
            options,
        };
        Ok((id, outgoing))
    }
}

/// Whether an operation changes nothing, so that it can be repeated.
fn is_read(method: Method) -> bool {
    matches!(
        method,
        Method::GetTask
            | Method::ListTasks
            | Method::SubscribeToTask
            | Method::GetTaskPushNotificationConfig
            | Method::ListTaskPushNotificationConfigs
            | Method::GetExtendedAgentCard
    )
}

/// The request as JSON text.
pub(crate) fn to_json(request: &impl Serialize) -> Result<Bytes, TransportError> {
    serde_json::to_vec(request).map(Bytes::from).map_err(|error| {
        TransportError::new(ErrorKind::Config, "the request cannot be written as JSON").with_source(error)
    })
}

/// The result in a response object; `None` where it is absent or `null`.
fn read_response<R: DeserializeOwned>(body: &[u8], id: &RequestId) -> Result<Option<R>, TransportError> {
    let response: JsonRpcResponse<R> =
        a2a_types::from_slice(body).map_err(|error| undecodable("the answer", &error))?;
    accept(response, id)
}

/// The payload of an event, which carries a response object.
fn read_event<P: DeserializeOwned + Into<Piece>>(
    event: SseEvent<'_>,
    id: &RequestId,
) -> Result<Piece, TransportError> {
    let response: JsonRpcResponse<P> =
        a2a_types::from_str(event.data).map_err(|error| undecodable("an event", &error))?;
    match accept(response, id)? {
        Some(payload) => Ok(payload.into()),
        None => Err(no_result("an event")),
    }
}

#[inline]
fn accept<R>(response: JsonRpcResponse<R>, id: &RequestId) -> Result<Option<R>, TransportError> {
    // One response belongs to one request, by the connection; an id that says otherwise is only worth a word.
    if response.id != *id && response.id != RequestId::Null {
        crate::client::log::warn!("the answer has the id {:?} instead of {id:?}", response.id);
    }
    match response.error {
        Some(rpc) => Err(rpc_error(rpc)),
        None => Ok(response.result),
    }
}

fn no_result(what: &str) -> TransportError {
    TransportError::new(ErrorKind::Decode, format!("{what} has neither a result nor an error"))
}

/// The error object in the body of a refusal.
fn read_error(_status: StatusCode, body: &[u8]) -> Option<RpcError> {
    let response: JsonRpcResponse<IgnoredAny> = a2a_types::from_slice(body).ok()?;
    // A gateway's error object has an HTTP status for a code.
    response.error.filter(|error| error.code.code() < 0)
}
