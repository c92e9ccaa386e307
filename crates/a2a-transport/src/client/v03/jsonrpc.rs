//! The JSON-RPC binding of 0.3.

use a2a_types::{
    AgentCard, AgentInterface, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, Method,
    SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    v03::{self, JsonRpc, StreamEvent},
};
use futures::TryFutureExt as _;

use super::{limit_history, limit_history_of_answer};
use crate::{
    CallFuture, CallOptions, HttpClient, ProtocolVersion, ResponseStream, Transport, TransportError,
    client::{channel::Channel, credentials::Authorizer, rpc::RpcCaller},
};

/// Calls an agent by JSON-RPC as version 0.3 has it.
#[derive(Debug)]
pub struct JsonRpcTransport {
    caller: RpcCaller,
}

impl JsonRpcTransport {
    /// A transport to this interface, whose URL is used as it is.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::ErrorKind::Config): the URL cannot be used.
    pub fn new(http: HttpClient, interface: &AgentInterface) -> Result<Self, TransportError> {
        let channel = Channel::new(http, ProtocolVersion::V0_3);
        Ok(Self { caller: RpcCaller::new(channel, &interface.url)? })
    }

    /// Sends credentials with every call.
    #[must_use]
    pub fn with_authorizer(mut self, authorizer: Authorizer) -> Self {
        self.caller.channel_mut().set_authorizer(authorizer);
        self
    }
}

macro_rules! call {
    ($transport:ident.$run:ident$(::<$answer:ty>)?($method:ident, $params:expr, $options:ident)) => {{
        // Every operation that is implemented has a name.
        let name = v03::method_name(Method::$method).unwrap_or_default();
        $transport.caller.$run$(::<$answer>)?(name, $params, $options)
    }};
}

impl Transport for JsonRpcTransport {
    fn send_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, SendMessageResponse> {
        let limit_history = limit_history_of_answer(&request);
        let answer =
            call!(self.unary::<JsonRpc<SendMessageResponse>>(SendMessage, JsonRpc(request), options));
        Box::pin(answer.map_ok(move |JsonRpc(answer)| limit_history(answer)))
    }

    fn send_streaming_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(call!(self.streaming::<JsonRpc<StreamEvent>>(
            SendStreamingMessage,
            JsonRpc(request),
            options
        )))
    }

    fn subscribe_to_task(
        &self,
        request: SubscribeToTaskRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(call!(self.streaming::<JsonRpc<StreamEvent>>(SubscribeToTask, JsonRpc(request), options)))
    }

    fn get_task(&self, request: GetTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        let limit_history = limit_history(&request);
        let answer = call!(self.unary::<JsonRpc<Task>>(GetTask, JsonRpc(request), options));
        Box::pin(answer.map_ok(move |JsonRpc(task)| limit_history(task)))
    }

    fn cancel_task(&self, request: CancelTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        let answer = call!(self.unary::<JsonRpc<Task>>(CancelTask, JsonRpc(request), options));
        Box::pin(answer.map_ok(|JsonRpc(task)| task))
    }

    fn create_push_config(
        &self,
        config: TaskPushNotificationConfig,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        let answer = call!(self.unary::<JsonRpc<TaskPushNotificationConfig>>(
            CreateTaskPushNotificationConfig,
            JsonRpc(config),
            options
        ));
        Box::pin(answer.map_ok(|JsonRpc(config)| config))
    }

    fn get_push_config(
        &self,
        request: GetTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        let answer = call!(self.unary::<JsonRpc<TaskPushNotificationConfig>>(
            GetTaskPushNotificationConfig,
            JsonRpc(request),
            options
        ));
        Box::pin(answer.map_ok(|JsonRpc(config)| config))
    }

    fn list_push_configs(
        &self,
        request: ListTaskPushNotificationConfigsRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ListTaskPushNotificationConfigsResponse> {
        let answer = call!(self.unary::<JsonRpc<ListTaskPushNotificationConfigsResponse>>(
            ListTaskPushNotificationConfigs,
            JsonRpc(request),
            options
        ));
        Box::pin(answer.map_ok(|JsonRpc(configs)| configs))
    }

    fn delete_push_config(
        &self,
        request: DeleteTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ()> {
        Box::pin(call!(self.confirmed(DeleteTaskPushNotificationConfig, JsonRpc(request), options)))
    }

    fn get_extended_agent_card(
        &self,
        _request: GetExtendedAgentCardRequest,
        options: CallOptions,
    ) -> CallFuture<'_, AgentCard> {
        let no_params = serde_json::Map::new();
        let answer = call!(self.unary::<JsonRpc<AgentCard>>(GetExtendedAgentCard, no_params, options));
        Box::pin(answer.map_ok(|JsonRpc(card)| card))
    }
}
