//! The HTTP+JSON binding of 1.0 (§11).

use a2a_types::{
    AgentCard, AgentInterface, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, ListTasksRequest,
    ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, TaskState, rest,
};
use serde_json::{Map, Value};

use crate::{
    CallFuture, CallOptions, HttpClient, ProtocolVersion, ResponseStream, Transport, TransportError,
    client::{
        channel::Channel,
        credentials::Authorizer,
        rest_caller::{RestCaller, refused_v1},
        route::{Base, Route},
        rpc::to_json,
    },
};

/// Calls an agent by HTTP with JSON bodies.
#[derive(Debug)]
pub struct RestTransport {
    caller: RestCaller,
    tenant: String,
}

impl RestTransport {
    /// A transport to this interface, to whose URL routes are appended, below its tenant if it has one.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::ErrorKind::Config): the URL cannot be used.
    pub fn new(http: HttpClient, interface: &AgentInterface) -> Result<Self, TransportError> {
        let channel = Channel::new(http, ProtocolVersion::V1_0).reading_errors_by(refused_v1);
        let base = Base::new(&interface.url)?;
        let caller = RestCaller::new(channel, base, "application/a2a+json", rest::error_from_body);
        Ok(Self { caller, tenant: interface.tenant.clone() })
    }

    /// Sends credentials with every call.
    #[must_use]
    pub fn with_authorizer(mut self, authorizer: Authorizer) -> Self {
        self.caller.channel_mut().set_authorizer(authorizer);
        self
    }

    /// The route below the tenant of a request, else that of the interface.
    fn route(&self, tenant: &mut String, path: &str) -> Result<Route, TransportError> {
        if tenant.is_empty() {
            tenant.clone_from(&self.tenant);
        }
        Route::of_tenant(tenant, path)
    }

    fn push_configs(&self, tenant: &mut String, task_id: &str) -> Result<Route, TransportError> {
        Ok(self.route(tenant, "/tasks")?.id("task id", task_id)?.then("/pushNotificationConfigs"))
    }
}

impl Transport for RestTransport {
    fn send_message(
        &self,
        mut request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, SendMessageResponse> {
        Box::pin(async move {
            let route = self.route(&mut request.tenant, "/message:send")?;
            self.caller.post(route, to_json(&request)?, options).await
        })
    }

    fn send_streaming_message(
        &self,
        mut request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(async move {
            let route = self.route(&mut request.tenant, "/message:stream")?;
            self.caller.stream::<StreamResponse>(route, to_json(&request)?, options).await
        })
    }

    fn subscribe_to_task(
        &self,
        mut request: SubscribeToTaskRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(async move {
            let route = self.route(&mut request.tenant, "/tasks")?.id("task id", &request.id)?;
            self.caller.subscribe::<StreamResponse>(route.then(":subscribe"), options).await
        })
    }

    fn get_task(&self, mut request: GetTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(async move {
            let route = self.route(&mut request.tenant, "/tasks")?.id("task id", &request.id)?;
            self.caller.get(route.query("historyLength", request.history_length), options).await
        })
    }

    fn list_tasks(
        &self,
        mut request: ListTasksRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ListTasksResponse> {
        Box::pin(async move {
            let status = Some(&request.status).filter(|status| **status != TaskState::Unspecified);
            let since = request.status_timestamp_after.as_ref();
            let route = self
                .route(&mut request.tenant, "/tasks")?
                .query_text("contextId", &request.context_id)
                .query("status", status)
                .query("pageSize", request.page_size)
                .query_text("pageToken", &request.page_token)
                .query("historyLength", request.history_length)
                .query("statusTimestampAfter", since.map(|since| since.to_canonical()))
                .query("includeArtifacts", request.include_artifacts);
            self.caller.get(route, options).await
        })
    }

    fn cancel_task(&self, mut request: CancelTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(async move {
            let route =
                self.route(&mut request.tenant, "/tasks")?.id("task id", &request.id)?.then(":cancel");
            // What stands in the path does not stand in the body.
            let mut body = Map::new();
            if !request.tenant.is_empty() {
                body.insert("tenant".to_owned(), Value::String(request.tenant));
            }
            if let Some(metadata) = request.metadata {
                body.insert("metadata".to_owned(), Value::Object(metadata));
            }
            self.caller.post(route, to_json(&body)?, options).await
        })
    }

    fn create_push_config(
        &self,
        mut config: TaskPushNotificationConfig,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        Box::pin(async move {
            let route = self.push_configs(&mut config.tenant, &config.task_id)?;
            self.caller.post(route, to_json(&config)?, options).await
        })
    }

    fn get_push_config(
        &self,
        mut request: GetTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        Box::pin(async move {
            let route = self.push_configs(&mut request.tenant, &request.task_id)?;
            self.caller.get(route.id("push configuration id", &request.id)?, options).await
        })
    }

    fn list_push_configs(
        &self,
        mut request: ListTaskPushNotificationConfigsRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ListTaskPushNotificationConfigsResponse> {
        Box::pin(async move {
            let route = self
                .push_configs(&mut request.tenant, &request.task_id)?
                .query("pageSize", Some(request.page_size).filter(|size| *size != 0))
                .query_text("pageToken", &request.page_token);
            self.caller.get(route, options).await
        })
    }

    fn delete_push_config(
        &self,
        mut request: DeleteTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ()> {
        Box::pin(async move {
            let route = self.push_configs(&mut request.tenant, &request.task_id)?;
            self.caller.delete(route.id("push configuration id", &request.id)?, options).await
        })
    }

    fn get_extended_agent_card(
        &self,
        mut request: GetExtendedAgentCardRequest,
        options: CallOptions,
    ) -> CallFuture<'_, AgentCard> {
        Box::pin(async move {
            let route = self.route(&mut request.tenant, "/extendedAgentCard")?;
            self.caller.get(route, options).await
        })
    }
}
