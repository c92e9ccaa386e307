//! An agent of the integration test kit: it does what the instruction in a message says, which may be to call
//! another agent with an instruction of its own.

mod instruction;

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use a2a_agent::{CardResolver, HttpClient, HttpConfig, InterfacePreferences};
use a2a_server::{AgentExecutor, BoxError, ExecuteFuture, RequestContext, TaskUpdater};
use a2a_transport::{CallOptions, Transport, connect};
use a2a_types::{
    AgentInterface, CancelTaskRequest, Message, Part, PartContent, Role, SendMessageConfiguration,
    SendMessageRequest, StreamResponse, SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use futures::{StreamExt as _, future::BoxFuture};
use tokio::time::sleep;

use instruction::{Behavior, CallAgent, Instruction};

/// Follows instructions.
#[derive(Debug, Clone)]
pub struct ItkAgent {
    http: HttpClient,
}

impl ItkAgent {
    /// An agent that calls others with this client.
    ///
    /// # Errors
    ///
    /// The client cannot be set up.
    pub fn new() -> Result<Self, BoxError> {
        Ok(Self { http: HttpClient::new(HttpConfig::default())? })
    }

    async fn work(&self, context: &RequestContext, updater: &TaskUpdater) -> Result<(), BoxError> {
        let instruction = find_instruction(&context.message).ok_or("the message has no instruction")?;
        let answer = self.follow(&instruction).await?.join("\n");
        if instruction.holds() {
            updater.working(format!("{answer}\n{FINISHED}")).await?;
            for _ in 0..HOLD_UPDATES {
                sleep(HOLD_PAUSE).await;
                updater.working(()).await?;
            }
        }
        updater.complete(answer).await?;
        Ok(())
    }

    /// Does what an instruction says. Gives the texts that come of it.
    fn follow<'a>(&'a self, instruction: &'a Instruction) -> BoxFuture<'a, Result<Vec<String>, BoxError>> {
        Box::pin(async move {
            match instruction {
                Instruction::ReturnResponse { response, .. } => Ok(vec![response.clone()]),
                Instruction::Steps(steps) => {
                    let mut results = Vec::new();
                    for step in steps {
                        results.extend(self.follow(step).await?);
                    }
                    Ok(results)
                }
                Instruction::CallAgent(call) => self.call(call).await,
            }
        })
    }

    async fn call(&self, call: &CallAgent) -> Result<Vec<String>, BoxError> {
        let binding = match call.transport.to_ascii_uppercase().as_str() {
            "JSONRPC" => AgentInterface::JSONRPC,
            "HTTP_JSON" | "HTTP+JSON" | "REST" => AgentInterface::HTTP_JSON,
            other => return Err(format!("this agent does not speak {other}").into()),
        };
        let card = CardResolver::new(self.http.clone()).resolve(&call.agent_card_uri).await?;
        let preferences = InterfacePreferences::default().pinned_to(binding);
        let transport = connect(&card, &self.http, &preferences)?;
        let mut request = SendMessageRequest::new(wrap(&call.instruction));
        if let Behavior::PushNotification { url } = &call.behavior {
            let base = if url.starts_with("http") { url.clone() } else { format!("http://{url}") };
            let mut config = TaskPushNotificationConfig::new(format!("{base}/notifications"));
            config.token = "itk-token".to_owned();
            let mut configuration = SendMessageConfiguration::default();
            configuration.task_push_notification_config = Some(config);
            request.configuration = Some(configuration);
        }
        if matches!(call.behavior, Behavior::Resubscribe) {
            return resubscribe(&*transport, request).await;
        }
        if !call.streaming {
            let response = transport.send_message(request, CallOptions::default()).await?;
            return Ok(texts(&response.into()));
        }
        let mut stream = transport.send_streaming_message(request, CallOptions::default()).await?;
        let mut results = Vec::new();
        while let Some(payload) = stream.next().await {
            results.extend(texts(&payload?));
        }
        Ok(results)
    }
}

impl AgentExecutor for ItkAgent {
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        Box::pin(async move {
            // Before anything else: a caller that comes back later needs the id of the task.
            updater.submit().await?;
            updater.working(()).await?;
            self.work(&context, &updater).await
        })
    }
}

/// Starts a task, leaves its stream, comes back, and cancels the task once it has said that it has finished.
async fn resubscribe(
    transport: &dyn Transport,
    request: SendMessageRequest,
) -> Result<Vec<String>, BoxError> {
    let mut stream = transport.send_streaming_message(request, CallOptions::default()).await?;
    let first = stream.next().await.ok_or("the stream ended before its first payload")??;
    let id = match first {
        StreamResponse::Task(task) => task.id,
        StreamResponse::StatusUpdate(update) => update.task_id,
        _ => return Err("the stream did not begin with a task".into()),
    };
    drop(stream);
    let mut stream =
        transport.subscribe_to_task(SubscribeToTaskRequest::new(&id), CallOptions::default()).await?;
    let results = loop {
        let payload = stream.next().await.ok_or("the stream ended before the task had finished")??;
        let mut said = texts(&payload);
        if let StreamResponse::Task(task) = &payload {
            let earlier = task.history.iter().filter(|message| message.role == Role::Agent);
            said.extend(earlier.flat_map(texts_of));
        }
        if let Some(text) = said.into_iter().find(|text| text.contains(FINISHED)) {
            break vec![text.replace(&format!("\n{FINISHED}"), "")];
        }
    };
    transport.cancel_task(CancelTaskRequest::new(&id), CallOptions::default()).await?;
    Ok(results)
}

/// What an agent says in a payload.
fn texts(payload: &StreamResponse) -> Vec<String> {
    match payload {
        StreamResponse::Message(message) => texts_of(message),
        StreamResponse::Task(task) => task.status.message.as_ref().map(texts_of).unwrap_or_default(),
        StreamResponse::StatusUpdate(update) => {
            update.status.message.as_ref().map(texts_of).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn texts_of(message: &Message) -> Vec<String> {
    message.parts.iter().filter_map(Part::as_text).map(str::to_owned).collect()
}

/// The instruction in a message: as bytes, or as base64 text.
fn find_instruction(message: &Message) -> Option<Instruction> {
    message.parts.iter().find_map(|part| match &part.content {
        PartContent::Raw(bytes) => Instruction::decode(bytes),
        // A part of bytes reads base64, so that a text can be read as one.
        PartContent::Text(text) => {
            let json = serde_json::json!({ "raw": text });
            let part: Part = serde_json::from_value(json).ok()?;
            match part.content {
                PartContent::Raw(bytes) => Instruction::decode(&bytes),
                _ => None,
            }
        }
        _ => None,
    })
}

fn wrap(instruction: &[u8]) -> Message {
    let part =
        Part::raw(instruction).with_media_type("application/x-protobuf").with_filename("instruction.bin");
    Message::new(message_id(), Role::User, vec![part])
}

/// An id that no other message of this process has.
fn message_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("itk-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

const FINISHED: &str = "task-finished";
const HOLD_UPDATES: u32 = 5;
const HOLD_PAUSE: Duration = Duration::from_secs(2);
