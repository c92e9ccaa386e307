//! The calls a turn makes, each as a future that owns what it needs.

use std::{sync::Arc, time::Duration};

use a2a_transport::{CallOptions, ResponseStream, Transport, TransportError};
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
    Payload(StreamResponse),
}

/// Makes one call.
pub(super) struct Caller {
    transport: Arc<dyn Transport>,
    options: CallOptions,
}

impl Caller {
    pub(super) fn of(agent: &A2aAgent) -> Self {
        Self { transport: Arc::clone(&agent.transport), options: agent.options.call.clone() }
    }

    /// Sends a message.
    pub(super) fn send_message(self, request: SendMessageRequest, streaming: bool) -> Call<Answer> {
        let Self { transport, options } = self;
        Box::pin(async move {
            if streaming {
                transport.send_streaming_message(request, options).await.map(Answer::Stream)
            } else {
                transport.send_message(request, options).await.map(|answer| Answer::Payload(answer.into()))
            }
        })
    }

    /// Looks the task up, after a delay.
    pub(super) fn get_task(self, task_id: &str, delay: Duration) -> Call<Task> {
        let Self { transport, options } = self;
        let request = GetTaskRequest::new(task_id);
        Box::pin(async move {
            sleep(delay).await;
            transport.get_task(request, options).await
        })
    }

    /// Follows the task, after a delay.
    pub(super) fn subscribe(self, task_id: &str, delay: Duration) -> Call<ResponseStream> {
        let Self { transport, options } = self;
        let request = SubscribeToTaskRequest::new(task_id);
        Box::pin(async move {
            sleep(delay).await;
            transport.subscribe_to_task(request, options).await
        })
    }

    /// Cancels the task.
    pub(super) fn cancel_task(self, task_id: &str) -> Call<Task> {
        let Self { transport, options } = self;
        let request = CancelTaskRequest::new(task_id);
        Box::pin(async move { transport.cancel_task(request, options).await })
    }
}
