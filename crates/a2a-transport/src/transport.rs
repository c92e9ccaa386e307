//! The seam between agents and what carries their messages.

use std::fmt::Debug;

use a2a_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Method, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use futures::future::{BoxFuture, ready};

use crate::{CallOptions, ResponseStream, TransportError};

/// What an operation of a [`Transport`] gives.
pub type CallFuture<'a, T> = BoxFuture<'a, Result<T, TransportError>>;

/// Carries the operations of A2A to one agent.
///
/// Object safe: used as `Arc<dyn Transport>`. The three operations that every agent has must be written; the
/// others answer [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) unless they are.
///
/// # Cancel safety
///
/// Dropping a future or a stream releases its connection; the peer may still execute the call. Only reads
/// (`get_task`, `list_tasks`, `subscribe_to_task`, cards and push configurations) are safe to repeat.
pub trait Transport: Debug + Send + Sync {
    /// Sends a message and waits until its task ends or waits for input (§3.1.1).
    fn send_message(
        &self,
        request: SendMessageRequest,
        options: CallOptions,
    ) -> CallFuture<'_, SendMessageResponse>;

    /// Looks a task up (§3.1.3).
    fn get_task(&self, request: GetTaskRequest, options: CallOptions) -> CallFuture<'_, Task>;

    /// Cancels a task (§3.1.5).
    fn cancel_task(&self, request: CancelTaskRequest, options: CallOptions) -> CallFuture<'_, Task>;

    /// Sends a message and streams what comes back (§3.1.2).
    ///
    /// The future is ready once the peer has answered with a stream, or with one payload in its place.
    fn send_streaming_message(
        &self,
        _request: SendMessageRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        unsupported(Method::SendStreamingMessage)
    }

    /// Follows a task (§3.1.6).
    fn subscribe_to_task(
        &self,
        _request: SubscribeToTaskRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        unsupported(Method::SubscribeToTask)
    }

    /// Lists tasks (§3.1.4).
    fn list_tasks(
        &self,
        _request: ListTasksRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, ListTasksResponse> {
        unsupported(Method::ListTasks)
    }

    /// Registers a webhook (§3.1.7).
    fn create_push_config(
        &self,
        _config: TaskPushNotificationConfig,
        _options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        unsupported(Method::CreateTaskPushNotificationConfig)
    }

    /// Looks a webhook up (§3.1.8).
    fn get_push_config(
        &self,
        _request: GetTaskPushNotificationConfigRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, TaskPushNotificationConfig> {
        unsupported(Method::GetTaskPushNotificationConfig)
    }

    /// Lists webhooks (§3.1.9).
    fn list_push_configs(
        &self,
        _request: ListTaskPushNotificationConfigsRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, ListTaskPushNotificationConfigsResponse> {
        unsupported(Method::ListTaskPushNotificationConfigs)
    }

    /// Removes a webhook (§3.1.10).
    fn delete_push_config(
        &self,
        _request: DeleteTaskPushNotificationConfigRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, ()> {
        unsupported(Method::DeleteTaskPushNotificationConfig)
    }

    /// Gets the card for authenticated callers (§3.1.11).
    fn get_extended_agent_card(
        &self,
        _request: GetExtendedAgentCardRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, AgentCard> {
        unsupported(Method::GetExtendedAgentCard)
    }
}

fn unsupported<T: Send + 'static>(method: Method) -> CallFuture<'static, T> {
    Box::pin(ready(Err(TransportError::unsupported(method))))
}
