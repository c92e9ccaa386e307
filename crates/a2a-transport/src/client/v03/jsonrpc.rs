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
        Ok(Self { caller: RpcCaller::new(channel, &interface.url, v03::method_name)? })
    }

    /// Sends credentials with every call.
    #[must_use]
    pub fn with_authorizer(mut self, authorizer: Authorizer) -> Self {
        self.caller.channel_mut().set_authorizer(authorizer);
        self
    }
}

impl Transport for JsonRpcTransport {
    fn send_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, SendMessageResponse> {
        let limit_history = limit_history_of_answer(&request);
        let answer =
            self.caller.unary::<JsonRpc<SendMessageResponse>>(Method::SendMessage, JsonRpc(request), options);
        Box::pin(answer.map_ok(move |JsonRpc(answer)| limit_history(answer)))
    }

    fn send_streaming_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(self.caller.streaming::<JsonRpc<StreamEvent>>(
            Method::SendStreamingMessage,
            JsonRpc(request),
            options,
        ))
    }

    fn subscribe_to_task(
        &self,
        request: SubscribeToTaskRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(self.caller.streaming::<JsonRpc<StreamEvent>>(
            Method::SubscribeToTask,
            JsonRpc(request),
            options,
        ))
    }

    fn get_task(&self, request: GetTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        let limit_history = limit_history(&request);
        let answer = self.caller.unary::<JsonRpc<Task>>(Method::GetTask, JsonRpc(request), options);
        Box::pin(answer.map_ok(move |JsonRpc(task)| limit_history(task)))
    }

    fn cancel_task(&self, request: CancelTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        let answer = self.caller.unary::<JsonRpc<Task>>(Method::CancelTask, JsonRpc(request), options);
        Box::pin(answer.map_ok(|JsonRpc(task)| task))
    }

    fn create_push_config(
        &self,
        config: TaskPushNotificationConfig,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        let answer = self.caller.unary::<JsonRpc<TaskPushNotificationConfig>>(
            Method::CreateTaskPushNotificationConfig,
            JsonRpc(config),
            options,
        );
        Box::pin(answer.map_ok(|JsonRpc(config)| config))
    }

    fn get_push_config(
        &self,
        request: GetTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        let answer = self.caller.unary::<JsonRpc<TaskPushNotificationConfig>>(
            Method::GetTaskPushNotificationConfig,
            JsonRpc(request),
            options,
        );
        Box::pin(answer.map_ok(|JsonRpc(config)| config))
    }

    fn list_push_configs(
        &self,
        request: ListTaskPushNotificationConfigsRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ListTaskPushNotificationConfigsResponse> {
        let answer = self.caller.unary::<JsonRpc<ListTaskPushNotificationConfigsResponse>>(
            Method::ListTaskPushNotificationConfigs,
            JsonRpc(request),
            options,
        );
        Box::pin(answer.map_ok(|JsonRpc(configs)| configs))
    }

    fn delete_push_config(
        &self,
        request: DeleteTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ()> {
        Box::pin(self.caller.confirmed(Method::DeleteTaskPushNotificationConfig, JsonRpc(request), options))
    }

    fn get_extended_agent_card(
        &self,
        _request: GetExtendedAgentCardRequest,
        options: CallOptions,
    ) -> CallFuture<'_, AgentCard> {
        let no_params = serde_json::Map::new();
        let answer =
            self.caller.unary::<JsonRpc<AgentCard>>(Method::GetExtendedAgentCard, no_params, options);
        Box::pin(answer.map_ok(|JsonRpc(card)| card))
    }
}
