//! A transport of someone's own, an agent in the same process without HTTP, and `A2aAgent` on top of it as it is.

use std::sync::{Arc, Mutex};

use a2a_agent::{A2aAgent, Msg};
use a2a_transport::{CallFuture, CallOptions, ErrorKind, ResponseStream, Transport, TransportError};
use a2a_types::{
    AgentCard, AgentInterface, Artifact, CancelTaskRequest, ErrorCode, GetTaskRequest, Message, Part,
    RpcError, SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use futures::future::ready;

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
async fn an_agent_speaks_over_a_transport_of_ones_own() {
    for streaming in [true, false] {
        let interface = AgentInterface::new("in-process", "https://bindings.example/in-process", "1.0");
        let mut card = AgentCard::new("Echo", vec![interface]);
        card.capabilities.streaming = Some(streaming);
        let mut agent = A2aAgent::builder(card).transport(Arc::new(Echo::default())).build().unwrap();
        for text in ["low tide at noon", "high tide at six"] {
            let reply = agent.reply(Msg::user("user", text)).await.unwrap();
            assert_eq!(reply.text_content(), text, "streaming: {streaming}");
        }
    }
}
