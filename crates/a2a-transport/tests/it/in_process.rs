//! A transport of someone's own: an agent in the same process, without HTTP.

use std::sync::{Arc, Mutex};

use a2a_transport::{CallFuture, CallOptions, ErrorKind, ResponseStream, Transport, TransportError};
use a2a_types::{
    Artifact, CancelTaskRequest, ErrorCode, GetTaskRequest, ListTasksRequest, Message, Part, Role, RpcError,
    SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState,
    TaskStatus, TaskStatusUpdateEvent,
};
use futures::{StreamExt as _, future::ready};

/// Says everything back, word by word, and remembers its tasks.
#[derive(Debug, Default)]
struct Echo {
    tasks: Mutex<Vec<Task>>,
}

impl Echo {
    fn payloads(&self, message: &Message) -> Vec<StreamResponse> {
        let mut tasks = self.tasks.lock().unwrap();
        let (task_id, context_id) = (format!("t-{}", tasks.len()), "c".to_owned());
        let status = |state| TaskStatus::new(state);
        let mut task = Task::new(&task_id, &context_id, status(TaskState::Working));
        let mut payloads = vec![StreamResponse::from(task.clone())];
        let text: String = message.parts.iter().filter_map(Part::as_text).collect();
        for (index, word) in text.split_inclusive(' ').enumerate() {
            let chunk = Artifact::new("echo", vec![Part::text(word)]);
            let mut update = TaskArtifactUpdateEvent::new(&task_id, &context_id, chunk);
            update.append = index > 0;
            payloads.push(update.into());
        }
        task.status = status(TaskState::Completed);
        task.artifacts = vec![Artifact::new("echo", vec![Part::text(text)])];
        tasks.push(task);
        payloads.push(TaskStatusUpdateEvent::new(task_id, context_id, status(TaskState::Completed)).into());
        payloads
    }

    fn task(&self, id: &str) -> Result<Task, TransportError> {
        let found = self.tasks.lock().unwrap().iter().find(|task| task.id == id).cloned();
        found.ok_or_else(|| {
            TransportError::new(ErrorKind::Rpc, "no such task")
                .with_rpc(RpcError::new(ErrorCode::TaskNotFound, "no such task"))
        })
    }
}

impl Transport for Echo {
    fn send_message(
        &self,
        request: SendMessageRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, SendMessageResponse> {
        self.payloads(&request.message);
        let task = self.tasks.lock().unwrap().last().cloned().unwrap();
        Box::pin(ready(Ok(task.into())))
    }

    fn send_streaming_message(
        &self,
        request: SendMessageRequest,
        _options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        let payloads = self.payloads(&request.message);
        Box::pin(ready(Ok(ResponseStream::new(futures::stream::iter(payloads.into_iter().map(Ok))))))
    }

    fn get_task(&self, request: GetTaskRequest, _options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(ready(self.task(&request.id)))
    }

    fn cancel_task(&self, request: CancelTaskRequest, _options: CallOptions) -> CallFuture<'_, Task> {
        Box::pin(ready(self.task(&request.id)))
    }
}

#[tokio::test]
async fn a_transport_is_written_in_an_afternoon() {
    let transport: Arc<dyn Transport> = Arc::new(Echo::default());
    let message = Message::new("m-1", Role::User, vec![Part::text("low tide at noon")]);
    let request = SendMessageRequest::new(message);
    let stream = transport.send_streaming_message(request.clone(), CallOptions::default()).await.unwrap();
    let payloads: Vec<_> = stream.map(Result::unwrap).collect().await;
    assert_eq!(payloads.len(), 6);

    let sent = transport.send_message(request, CallOptions::default()).await.unwrap();
    assert!(matches!(sent, SendMessageResponse::Task(task) if task.id == "t-1"));
    let task = transport.get_task(GetTaskRequest::new("t-0"), CallOptions::default()).await.unwrap();
    assert_eq!(task.artifacts[0].parts[0].as_text(), Some("low tide at noon"));
    let error = transport.get_task(GetTaskRequest::new("t-9"), CallOptions::default()).await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, ErrorCode::TaskNotFound);

    // What it does not have it says.
    let error = transport.list_tasks(ListTasksRequest::default(), CallOptions::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("ListTasks"), "{error}");
}
