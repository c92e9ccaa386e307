//! The JSON-RPC binding of 1.0 (§9).

use a2a_types::{
    AgentCard, AgentInterface, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, ListTasksRequest,
    ListTasksResponse, Method, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};

use crate::{
    CallFuture, CallOptions, HttpClient, ProtocolVersion, ResponseStream, Transport, TransportError,
    client::{channel::Channel, credentials::Authorizer, rpc::RpcCaller},
};

/// Calls an agent by JSON-RPC 2.0 over HTTP.
#[derive(Debug)]
pub struct JsonRpcTransport {
    caller: RpcCaller,
    tenant: String,
}

impl JsonRpcTransport {
    /// A transport to this interface, whose URL is used as it is and whose tenant goes into every request that
    /// has none.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::ErrorKind::Config): the URL cannot be used.
    pub fn new(http: HttpClient, interface: &AgentInterface) -> Result<Self, TransportError> {
        let channel = Channel::new(http, ProtocolVersion::V1_0);
        let caller = RpcCaller::new(channel, &interface.url, |method| Some(method.as_str()))?;
        Ok(Self { caller, tenant: interface.tenant.clone() })
    }

    /// Sends credentials with every call.
    #[must_use]
    pub fn with_authorizer(mut self, authorizer: Authorizer) -> Self {
        self.caller.channel_mut().set_authorizer(authorizer);
        self
    }
}

macro_rules! operations {
    ($($operation:ident($request:ty) -> $answer:ty = $run:ident$(::<$payload:ty>)? $method:ident;)*) => {
        impl Transport for JsonRpcTransport {
            $(
                fn $operation(&self, mut request: $request, options: CallOptions) -> CallFuture<'_, $answer> {
                    if request.tenant.is_empty() {
                        request.tenant.clone_from(&self.tenant);
                    }
                    Box::pin(self.caller.$run$(::<$payload>)?(Method::$method, request, options))
                }
            )*
        }
    };
}

operations! {
    send_message(SendMessageRequest) -> SendMessageResponse = unary SendMessage;
    send_streaming_message(SendMessageRequest) -> ResponseStream
        = streaming::<StreamResponse> SendStreamingMessage;
    subscribe_to_task(SubscribeToTaskRequest) -> ResponseStream
        = streaming::<StreamResponse> SubscribeToTask;
    get_task(GetTaskRequest) -> Task = unary GetTask;
    list_tasks(ListTasksRequest) -> ListTasksResponse = unary ListTasks;
    cancel_task(CancelTaskRequest) -> Task = unary CancelTask;
    create_push_config(TaskPushNotificationConfig) -> TaskPushNotificationConfig
        = unary CreateTaskPushNotificationConfig;
    get_push_config(GetTaskPushNotificationConfigRequest) -> TaskPushNotificationConfig
        = unary GetTaskPushNotificationConfig;
    list_push_configs(ListTaskPushNotificationConfigsRequest) -> ListTaskPushNotificationConfigsResponse
        = unary ListTaskPushNotificationConfigs;
    delete_push_config(DeleteTaskPushNotificationConfigRequest) -> ()
        = confirmed DeleteTaskPushNotificationConfig;
    get_extended_agent_card(GetExtendedAgentCardRequest) -> AgentCard = unary GetExtendedAgentCard;
}
