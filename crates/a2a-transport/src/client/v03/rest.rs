//! The HTTP+JSON binding of 0.3. Requests are in the dialect of its protobuf definition, which the SDKs speak;
//! answers are read in either dialect.

use a2a_types::{
    AgentCard, AgentInterface, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    v03::{self, CreatePushConfigBody, Rest},
};

use super::{EventFromPeer, FromPeer, limit_history, limit_history_of_answer};
use crate::{
    CallFuture, CallOptions, HttpClient, ProtocolVersion, ResponseStream, Transport, TransportError,
    client::{
        channel::Channel,
        credentials::Authorizer,
        rest_caller::{RestCaller, refused_v0_3},
        route::{Base, Route},
        rpc::to_json,
    },
};

/// Calls an agent by HTTP with JSON bodies as version 0.3 has it.
#[derive(Debug)]
pub struct RestTransport {
    caller: RestCaller,
}

impl RestTransport {
    /// A transport to this interface, to whose URL `/v1` and routes are appended.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::ErrorKind::Config): the URL cannot be used.
    pub fn new(http: HttpClient, interface: &AgentInterface) -> Result<Self, TransportError> {
        let channel = Channel::new(http, ProtocolVersion::V0_3).reading_errors_by(refused_v0_3);
        let base = Base::new(&interface.url)?.below("/v1");
        let caller = RestCaller::new(channel, base, "application/json", v03::error_from_body);
        Ok(Self { caller })
    }

    /// Sends credentials with every call.
    #[must_use]
    pub fn with_authorizer(mut self, authorizer: Authorizer) -> Self {
        self.caller.channel_mut().set_authorizer(authorizer);
        self
    }
}

fn task(id: &str) -> Result<Route, TransportError> {
    Route::new("/tasks").id("task id", id)
}

fn push_configs(task_id: &str) -> Result<Route, TransportError> {
    Ok(task(task_id)?.then("/pushNotificationConfigs"))
}

impl Transport for RestTransport {
    fn send_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, SendMessageResponse> {
        Box::pin(async move {
            let limit_history = limit_history_of_answer(&request);
            let body = to_json(&Rest(request))?;
            let answer: FromPeer<_> = self.caller.post(Route::new("/message:send"), body, options).await?;
            Ok(limit_history(answer.0))
        })
    }

    fn send_streaming_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(async move {
            let body = to_json(&Rest(request))?;
            self.caller.stream::<EventFromPeer>(Route::new("/message:stream"), body, options).await
        })
    }

    fn subscribe_to_task(
        &self,
        request: SubscribeToTaskRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        Box::pin(async move {
            let route = task(&request.id)?.then(":subscribe");
            self.caller.subscribe::<EventFromPeer>(route, options).await
        })
    }

    fn get_task(&self, request: GetTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(async move {
            let limit_history = limit_history(&request);
            let history_length = request.history_length.filter(|length| *length != 0);
            let route = task(&request.id)?.query("historyLength", history_length);
            let answer: FromPeer<_> = self.caller.get(route, options).await?;
            Ok(limit_history(answer.0))
        })
    }

    fn cancel_task(&self, request: CancelTaskRequest, options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(async move {
            let route = task(&request.id)?.then(":cancel");
            let answer: FromPeer<_> = self.caller.post(route, to_json(&Rest(request))?, options).await?;
            Ok(answer.0)
        })
    }

    fn create_push_config(
        &self,
        config: TaskPushNotificationConfig,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        Box::pin(async move {
            let route = || push_configs(&config.task_id);
            let body = to_json(&CreatePushConfigBody::new(&config))?;
            let created: Result<Rest<_>, _> = self.caller.post(route()?, body, options.clone()).await;
            match created {
                // The SDKs do not agree on the body: some servers want what is in `config` alone.
                Err(refusal) if refusal.http_status() == Some(400) => {
                    let (route, bare) = (route()?, to_json(&Rest(config))?);
                    let created: Result<Rest<_>, _> = self.caller.post(route, bare, options).await;
                    Ok(created.map_err(|_| refusal)?.0)
                }
                created => Ok(created?.0),
            }
        })
    }

    fn get_push_config(
        &self,
        request: GetTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        Box::pin(async move {
            let route = push_configs(&request.task_id)?.id("push configuration id", &request.id)?;
            let answer: Rest<_> = self.caller.get(route, options).await?;
            Ok(answer.0)
        })
    }

    fn list_push_configs(
        &self,
        request: ListTaskPushNotificationConfigsRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ListTaskPushNotificationConfigsResponse> {
        Box::pin(async move {
            let answer: Rest<_> = self.caller.get(push_configs(&request.task_id)?, options).await?;
            Ok(answer.0)
        })
    }

    fn delete_push_config(
        &self,
        request: DeleteTaskPushNotificationConfigRequest,
        options: CallOptions,
    ) -> CallFuture<'_, ()> {
        Box::pin(async move {
            let route = push_configs(&request.task_id)?.id("push configuration id", &request.id)?;
            self.caller.delete(route, options).await
        })
    }

    fn get_extended_agent_card(
        &self,
        _request: GetExtendedAgentCardRequest,
        options: CallOptions,
    ) -> CallFuture<'_, AgentCard> {
        Box::pin(async move {
            let answer: Rest<_> = self.caller.get(Route::new("/card"), options).await?;
            Ok(answer.0)
        })
    }
}
