//! The calls a turn makes, each as a future that owns what it needs.

use std::{sync::Arc, time::Duration};

use a2a_transport::{CallOptions, ErrorKind, ResponseStream, Transport, TransportError};
use a2a_types::{
    CancelTaskRequest, GetTaskRequest, SendMessageRequest, StreamResponse, SubscribeToTaskRequest, Task,
};
use futures::future::BoxFuture;
use tokio::time::sleep;

use crate::A2aAgent;

pub(super) type Call<T> = BoxFuture<'static, Result<T, TransportError>>;

/// What a message is answered with.
pub(super) enum Answer {
    Stream(ResponseStream),
    Payload(Box<StreamResponse>),
}

/// What every call of a turn needs.
#[derive(Clone)]
pub(super) struct Caller {
    transport: Arc<dyn Transport>,
    options: CallOptions,
    /// Whether the card has streaming.
    pub(super) streaming: bool,
}

impl Caller {
    pub(super) fn of(agent: &A2aAgent) -> Self {
        Self {
            transport: Arc::clone(&agent.transport),
            options: agent.options.call.clone(),
            streaming: agent.streaming,
        }
    }

    /// Sends a message, once: as a stream if both the card and the transport have streaming.
    pub(super) fn send_message(&self, request: SendMessageRequest) -> Call<Answer> {
        let Self { transport, options, streaming } = self.clone();
        Box::pin(async move {
            if streaming {
                match transport.send_streaming_message(request.clone(), options.clone()).await {
                    // Nothing was sent: the transport does not have the operation.
                    Err(error) if error.kind() == ErrorKind::Unsupported => {}
                    answer => return answer.map(Answer::Stream),
                }
            }
            let response = transport.send_message(request, options).await?;
            Ok(Answer::Payload(Box::new(response.into())))
        })
    }

    /// Looks the task up, after a delay.
    pub(super) fn get_task(&self, task_id: &str, delay: Duration) -> Call<Task> {
        let Self { transport, options, .. } = self.clone();
        let request = GetTaskRequest::new(task_id);
        Box::pin(async move {
            sleep(delay).await;
            transport.get_task(request, options).await
        })
    }

    /// Follows the task, after a delay.
    pub(super) fn subscribe(&self, task_id: &str, delay: Duration) -> Call<ResponseStream> {
        let Self { transport, options, .. } = self.clone();
        let request = SubscribeToTaskRequest::new(task_id);
        Box::pin(async move {
            sleep(delay).await;
            transport.subscribe_to_task(request, options).await
        })
    }

    /// Cancels the task.
    pub(super) fn cancel_task(&self, task_id: &str) -> Call<Task> {
        let Self { transport, options, .. } = self.clone();
        let request = CancelTaskRequest::new(task_id);
        Box::pin(async move { transport.cancel_task(request, options).await })
    }
}
