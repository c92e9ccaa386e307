//! The JSON-RPC binding (§9).

use std::sync::atomic::{AtomicI64, Ordering};

use a2a_types::{
    AgentCard, AgentInterface, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest, JsonRpcRequest,
    JsonRpcResponse, ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Method, RequestId, RpcError, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, Uri};
use serde::{Serialize, de::DeserializeOwned, de::IgnoredAny};

use crate::{
    CallFuture, CallOptions, ErrorKind, HttpClient, ProtocolVersion, ResponseStream, SseEvent, Transport,
    TransportError,
    channel::{Answer, Channel, Outgoing, rpc_error, undecodable},
    http::at,
};

/// Calls an agent by JSON-RPC 2.0 over HTTP.
#[derive(Debug)]
pub struct JsonRpcTransport {
    channel: Channel,
    url: Uri,
    tenant: String,
    next_id: AtomicI64,
}

impl JsonRpcTransport {
    /// A transport to this interface, whose URL is used as it is and whose tenant goes into every request.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`]: the URL cannot be used.
    pub fn new(http: HttpClient, interface: &AgentInterface) -> Result<Self, TransportError> {
        let url = interface.url.trim().parse().map_err(|error: http::uri::InvalidUri| {
            TransportError::new(ErrorKind::Config, "the URL of the interface cannot be used")
                .with_source(error)
        })?;
        Ok(Self {
            channel: Channel::new(http, ProtocolVersion::V1_0, read_error),
            url,
            tenant: interface.tenant.clone(),
            next_id: AtomicI64::new(1),
        })
    }

    async fn unary<R: DeserializeOwned>(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<R, TransportError> {
        match self.answer(method, params, options).await? {
            Some(result) => Ok(result),
            None => Err(at(
                &self.url,
                TransportError::new(ErrorKind::Decode, "the answer has neither a result nor an error"),
            )),
        }
    }

    /// The result of a call; `None` where it is absent or `null`.
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

    async fn streaming(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<ResponseStream, TransportError> {
        let (id, outgoing) = self.outgoing(method, params, options)?;
        match self.channel.streaming(outgoing).await? {
            Answer::Events(body) => Ok(self.channel.payloads(body, move |event| read_event(event, &id))),
            Answer::Json(body) => match read_response(&body, &id) {
                Ok(Some(payload)) => Ok(ResponseStream::once(payload)),
                Ok(None) => Err(TransportError::new(
                    ErrorKind::Decode,
                    "the answer has neither a result nor an error",
                )),
                Err(error) => Err(error),
            }
            .map_err(|error| at(&self.url, error)),
        }
    }

    fn outgoing(
        &self,
        method: Method,
        params: impl Serialize,
        options: CallOptions,
    ) -> Result<(RequestId, Outgoing), TransportError> {
        let id = RequestId::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        let request = JsonRpcRequest::new(id.clone(), method.as_str(), params);
        let body = serde_json::to_vec(&request).map_err(|error| {
            TransportError::new(ErrorKind::Config, "the request cannot be written as JSON").with_source(error)
        })?;
        let outgoing = Outgoing {
            method: http::Method::POST,
            url: self.url.clone(),
            body: Some((HeaderValue::from_static("application/json"), Bytes::from(body))),
            options,
        };
        Ok((id, outgoing))
    }

    /// The tenant of a request: its own, else that of the interface.
    fn set_tenant(&self, tenant: &mut String) {
        if tenant.is_empty() {
            tenant.clone_from(&self.tenant);
        }
    }
}

macro_rules! with_tenant {
    ($transport:expr, $request:ident) => {{
        let mut request = $request;
        $transport.set_tenant(&mut request.tenant);
        request
    }};
}

impl Transport for JsonRpcTransport {
    fn send_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, SendMessageResponse> {
        Box::pin(self.unary(Method::SendMessage, with_tenant!(self, request), options))
    }

    fn send_streaming_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(self.streaming(Method::SendStreamingMessage, with_tenant!(self, request), options))
    }

    fn subscribe_to_task(
        &self,
        request: SubscribeToTaskRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(self.streaming(Method::SubscribeToTask, with_tenant!(self, request), options))
    }

    fn get_task(&self, request: GetTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(self.unary(Method::GetTask, with_tenant!(self, request), options))
    }

    fn list_tasks(
        &self,
        request: ListTasksRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ListTasksResponse> {
        Box::pin(self.unary(Method::ListTasks, with_tenant!(self, request), options))
    }

    fn cancel_task(&self, request: CancelTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(self.unary(Method::CancelTask, with_tenant!(self, request), options))
    }

    fn create_push_config(
        &self,
        config: TaskPushNotificationConfig,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        Box::pin(self.unary(Method::CreateTaskPushNotificationConfig, with_tenant!(self, config), options))
    }

    fn get_push_config(
        &self,
        request: GetTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        Box::pin(self.unary(Method::GetTaskPushNotificationConfig, with_tenant!(self, request), options))
    }

    fn list_push_configs(
        &self,
        request: ListTaskPushNotificationConfigsRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ListTaskPushNotificationConfigsResponse> {
        Box::pin(self.unary(Method::ListTaskPushNotificationConfigs, with_tenant!(self, request), options))
    }

    fn delete_push_config(
        &self,
        request: DeleteTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ()> {
        let request = with_tenant!(self, request);
        Box::pin(async move {
            let method = Method::DeleteTaskPushNotificationConfig;
            // Peers confirm with `null`, an empty object, or no result at all.
            self.answer::<IgnoredAny>(method, request, options).await.map(drop)
        })
    }

    fn get_extended_agent_card(
        &self,
        request: GetExtendedAgentCardRequest,
        options: CallOptions,
    ) -> CallFuture<'_, AgentCard> {
        Box::pin(self.unary(Method::GetExtendedAgentCard, with_tenant!(self, request), options))
    }
}

/// The result in a response object; `None` where it is absent or `null`.
fn read_response<R: DeserializeOwned>(body: &[u8], id: &RequestId) -> Result<Option<R>, TransportError> {
    let response: JsonRpcResponse<R> =
        a2a_types::from_slice(body).map_err(|error| undecodable("the answer", &error))?;
    accept(response, id)
}

/// The payload of an event, which carries a response object; an empty one carries nothing.
fn read_event(event: SseEvent<'_>, id: &RequestId) -> Result<Option<StreamResponse>, TransportError> {
    if event.data.trim().is_empty() {
        return Ok(None);
    }
    let response: JsonRpcResponse<StreamResponse> =
        a2a_types::from_str(event.data).map_err(|error| undecodable("an event", &error))?;
    match accept(response, id)? {
        Some(payload) => Ok(Some(payload)),
        None => Err(TransportError::new(ErrorKind::Decode, "an event has neither a result nor an error")),
    }
}

fn accept<R>(response: JsonRpcResponse<R>, id: &RequestId) -> Result<Option<R>, TransportError> {
    // One response belongs to one request, by the connection; an id that says otherwise is only worth a word.
    if response.id != *id && response.id != RequestId::Null {
        crate::log::warn!("the answer has the id {:?} instead of {id:?}", response.id);
    }
    match response.error {
        Some(rpc) => Err(rpc_error(&rpc).with_rpc(rpc)),
        None => Ok(response.result),
    }
}

/// The error object in the body of a refusal.
fn read_error(_status: StatusCode, body: &[u8]) -> Option<RpcError> {
    let response: JsonRpcResponse<IgnoredAny> = a2a_types::from_slice(body).ok()?;
    // A gateway's error object has an HTTP status for a code.
    response.error.filter(|error| error.code.code() < 0)
}
