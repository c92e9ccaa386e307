//! What a transport has without writing it.

use a2a_transport::{CallFuture, CallOptions, ErrorKind, Transport, TransportError};
use a2a_types::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, SendMessageRequest, SendMessageResponse,
    SubscribeToTaskRequest, Task,
};
use futures::future::ready;

/// Has nothing but what every transport must have.
#[derive(Debug)]
struct Smallest;

fn fails<T: Send + 'static>() -> CallFuture<'static, T> {
    Box::pin(ready(Err(TransportError::new(ErrorKind::Config, "not today"))))
}

impl Transport for Smallest {
    fn send_message(&self, _: SendMessageRequest, _: CallOptions) -> CallFuture<'_, SendMessageResponse> {
        fails()
    }

    fn get_task(&self, _: GetTaskRequest, _: CallOptions) -> CallFuture<'_, Task> {
        fails()
    }

    fn cancel_task(&self, _: CancelTaskRequest, _: CallOptions) -> CallFuture<'_, Task> {
        fails()
    }
}

#[tokio::test]
async fn operations_that_are_not_written_are_unsupported() {
    let transport: &dyn Transport = &Smallest;
    let listed = transport.list_tasks(ListTasksRequest::default(), CallOptions::default()).await.unwrap_err();
    let request = SubscribeToTaskRequest::new("t");
    let subscribed = transport.subscribe_to_task(request, CallOptions::default()).await.unwrap_err();
    for (error, name) in [(listed, "ListTasks"), (subscribed, "SubscribeToTask")] {
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(name), "{error}");
    }
}
