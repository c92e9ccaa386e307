//! Our client at an agent of another SDK, beyond the scenarios: operations, credentials, and what is done when a
//! stream breaks.

use a2a_agent::{AgentCard, CallOptions, Event, TaskState, TransportError};
use a2a_types::{
    DeleteTaskPushNotificationConfigRequest, ErrorCode, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, Message, Part, Role, SendMessageRequest, SendMessageResponse, Task,
    TaskPushNotificationConfig,
};
use futures::StreamExt as _;
use serde_json::Value;

use super::{
    cut::Cut,
    fleet::{Agent, TENANT, TOKEN},
    orders::UNARY,
    ours::{Credential, Target, by_both, explain, message, program_is_refused, reply},
    suite::{Row, Run},
};

/// Everything, at one agent over one binding.
pub(super) async fn operations(run: &Run<'_>, agent: Agent, server: &str, binding: &'static str) -> Vec<Row> {
    let at = |variant: &str| Target::new(format!("{server}/{variant}"), binding);
    let here = at(agent.variant);
    let mut rows: Vec<Row> = Vec::new();
    macro_rules! row {
        ($name:literal, $check:expr) => {
            if run.wants($name) {
                rows.push(($name.to_owned(), $check.await));
            }
        };
    }
    row!("get and list", get_and_list(&here, agent));
    row!("not found", not_found(&here));
    row!("extended card", extended_card(&here));
    row!("webhooks", webhooks(&here));
    row!("extension", extension(&here));
    row!("cancel", cancel(&here));
    row!("resume", resume(&here));
    row!("cut stream", cut_stream(&here));
    if agent.variant == "plain" {
        let bearer = Credential::Bearer(TOKEN);
        row!("bearer", admitted(run, &at("bearer"), bearer));
        row!("API key", admitted(run, &at("apikey"), Credential::ApiKey("X-API-Key", TOKEN)));
        row!("no streaming", not_streaming(run, &at("unary")));
        if agent.version == "1.0" {
            row!("tenant", tenant(run, &at("tenant")));
        }
    }
    rows
}

fn plain(error: &TransportError) -> String {
    format!("{}: {error}", error.kind().as_str())
}

/// Sends a message in one call, and expects a task.
async fn task(target: &Target, text: &str) -> Result<(a2a_agent::A2aAgent, Task), String> {
    let agent = target.connect().await.map_err(|error| explain(&error))?;
    let message = Message::new(format!("message-{text}"), Role::User, vec![Part::text(text)]);
    let sent = agent.transport().send_message(SendMessageRequest::new(message), CallOptions::default()).await;
    match sent.map_err(|error| plain(&error))? {
        SendMessageResponse::Task(task) => Ok((agent, *task)),
        other => Err(format!("no task, but {other:?}")),
    }
}

async fn get_and_list(target: &Target, peer: Agent) -> Result<(), String> {
    let (agent, task) = task(target, "artifact 3").await?;
    let transport = agent.transport();
    let got = transport.get_task(GetTaskRequest::new(&task.id), CallOptions::default()).await;
    let got = got.map_err(|error| plain(&error))?;
    let text: String =
        got.artifacts.iter().flat_map(|artifact| &artifact.parts).filter_map(Part::as_text).collect();
    if got.status.state != TaskState::Completed || text != "chunk-1 chunk-2 chunk-3 " {
        return Err(format!("got a task in {:?} with {text:?}", got.status.state));
    }
    let mut request = ListTasksRequest::default();
    request.context_id.clone_from(&task.context_id);
    let listed = transport.list_tasks(request, CallOptions::default()).await;
    match listed {
        // 0.3 has no such operation.
        Err(_) if peer.version == "0.3" => Ok(()),
        Ok(list) if list.tasks.iter().map(|task| &task.id).eq([&task.id]) => Ok(()),
        Ok(list) => Err(format!("{} tasks listed instead of one", list.tasks.len())),
        Err(error) => Err(plain(&error)),
    }
}

async fn not_found(target: &Target) -> Result<(), String> {
    let agent = target.connect().await.map_err(|error| explain(&error))?;
    let got = agent.transport().get_task(GetTaskRequest::new("no-such-task"), CallOptions::default()).await;
    match got {
        Err(error) if error.rpc().is_some_and(|rpc| rpc.code == ErrorCode::TaskNotFound) => Ok(()),
        // The body of a 404 says no more in 0.3.
        Err(error) if error.http_status() == Some(404) => Ok(()),
        Err(error) => Err(plain(&error)),
        Ok(task) => Err(format!("found {}", task.id)),
    }
}

async fn extended_card(target: &Target) -> Result<(), String> {
    let agent = target.connect().await.map_err(|error| explain(&error))?;
    let is_extended = |card: &AgentCard| card.skills.iter().any(|skill| skill.id == "extended");
    if is_extended(agent.card()) {
        return Err("the public card is the extended one".to_owned());
    }
    let request = GetExtendedAgentCardRequest::default();
    match agent.transport().get_extended_agent_card(request, CallOptions::default()).await {
        Ok(card) if is_extended(&card) => Ok(()),
        Ok(_) => Err("a card without the extended skill".to_owned()),
        Err(error) => Err(plain(&error)),
    }
}

async fn webhooks(target: &Target) -> Result<(), String> {
    let (agent, task) = task(target, "input").await?;
    let transport = agent.transport();
    let options = CallOptions::default;
    let mut config = TaskPushNotificationConfig::new("http://127.0.0.1:9/hook");
    config.task_id.clone_from(&task.id);
    "config-1".clone_into(&mut config.id);
    let made = transport.create_push_config(config, options()).await;
    let made = made.map_err(|error| format!("create: {}", plain(&error)))?;
    let mut request = GetTaskPushNotificationConfigRequest::default();
    request.task_id.clone_from(&task.id);
    request.id.clone_from(&made.id);
    let got = transport.get_push_config(request, options()).await;
    let got = got.map_err(|error| format!("get: {}", plain(&error)))?;
    if (got.id.as_str(), got.url.as_str()) != ("config-1", "http://127.0.0.1:9/hook") {
        return Err(format!("got {} to {}", got.id, got.url));
    }
    let list = || {
        let mut request = ListTaskPushNotificationConfigsRequest::default();
        request.task_id.clone_from(&task.id);
        transport.list_push_configs(request, options())
    };
    let listed = list().await.map_err(|error| format!("list: {}", plain(&error)))?;
    let mut request = DeleteTaskPushNotificationConfigRequest::default();
    request.task_id.clone_from(&task.id);
    request.id.clone_from(&made.id);
    transport
        .delete_push_config(request, options())
        .await
        .map_err(|error| format!("delete: {}", plain(&error)))?;
    let left = list().await.map_or(0, |list| list.configs.len());
    if (listed.configs.len(), left) == (1, 0) {
        Ok(())
    } else {
        Err(format!("{} listed, {left} left", listed.configs.len()))
    }
}

/// What the agent says about a request, as it saw it.
async fn described(target: &Target) -> Result<Value, String> {
    let mut agent = target.connect().await.map_err(|error| explain(&error))?;
    let reply = reply(&mut agent, message("request", &[])?).await;
    let text = reply.message["content"][0]["text"].as_str().unwrap_or_default();
    serde_json::from_str(text).map_err(|_| format!("{text:?}, {:?}", reply.error))
}

async fn extension(target: &Target) -> Result<(), String> {
    let uri = "urn:a2a:interop:echo";
    let seen = described(&target.clone().with_extension(uri)).await?;
    match seen["extensions"].as_array() {
        Some(activated) if *activated == [Value::from(uri)] => Ok(()),
        _ => Err(format!("the agent saw {}", seen["extensions"])),
    }
}

async fn cancel(target: &Target) -> Result<(), String> {
    let mut agent = target.connect().await.map_err(|error| explain(&error))?;
    let mut stream = agent.reply_stream(message("slow 20", &[])?);
    let mut id = None;
    while let Some(event) = stream.next().await {
        let event = event.map_err(|error| explain(&error))?;
        if matches!(event, Event::TextBlockEnd(_)) && id.is_none() {
            id = stream.state().running_task_id.clone();
            stream.cancel_handle().cancel();
        }
    }
    let message = stream.finish().await.map_err(|error| explain(&error))?;
    let message = serde_json::to_value(&message).unwrap_or_default();
    if message["finished_reason"] != "interrupted" {
        return Err(format!("ended as {}", message["finished_reason"]));
    }
    let request = GetTaskRequest::new(id.ok_or("the task was never known")?);
    let task = agent.transport().get_task(request, CallOptions::default()).await;
    match task.map_err(|error| plain(&error))?.status.state {
        TaskState::Canceled => Ok(()),
        state => Err(format!("the task is {state:?}")),
    }
}

/// The stream is dropped; what is left of the task is seen by following it.
async fn resume(target: &Target) -> Result<(), String> {
    let mut agent = target.connect().await.map_err(|error| explain(&error))?;
    let mut stream = agent.reply_stream(message("slow 2", &[])?);
    while let Some(event) = stream.next().await {
        if matches!(event.map_err(|error| explain(&error))?, Event::TextBlockEnd(_)) {
            break;
        }
    }
    drop(stream);
    let message = agent.resume().finish().await.map_err(|error| explain(&error))?;
    let message = serde_json::to_value(&message).unwrap_or_default();
    ends_with_the_answer(&message)
}

/// The connection breaks; the reply goes on as if it had not.
async fn cut_stream(target: &Target) -> Result<(), String> {
    let (_, rest) = target.url.split_once("://").ok_or("not a URL")?;
    let server = rest.split('/').next().unwrap_or_default().to_owned();
    let cut = Cut::before(server, 4).await.map_err(|error| error.to_string())?;
    let mut agent =
        target.clone().through(&cut.authority).connect().await.map_err(|error| explain(&error))?;
    let reply = reply(&mut agent, message("slow 2", &[])?).await;
    if !cut.happened() {
        return Err("the stream was not cut".to_owned());
    }
    if let Some(error) = reply.error {
        return Err(error);
    }
    ends_with_the_answer(&reply.message)?;
    let blocks = reply.message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    let all = texts.len();
    texts.sort_unstable();
    texts.dedup();
    if texts.len() == all { Ok(()) } else { Err(format!("something is said twice: {texts:?}")) }
}

fn ends_with_the_answer(message: &Value) -> Result<(), String> {
    let last = message["content"].as_array().and_then(|blocks| blocks.last()).map(|block| &block["text"]);
    if message["finished_reason"] == "completed" && last.is_some_and(|text| text == "slow answer") {
        return Ok(());
    }
    Err(format!("ended as {} with {last:?}", message["finished_reason"]))
}

/// With the credential the agent answers, without it is refused.
async fn admitted(run: &Run<'_>, target: &Target, credential: Credential) -> Result<(), String> {
    let mut agent = target.connect().await.map_err(|error| explain(&error))?;
    let refused = reply(&mut agent, message("echo hello world", &[])?).await.error.unwrap_or_default();
    if !refused.starts_with("auth:") {
        return Err(format!("without a credential: {refused:?}"));
    }
    program_is_refused(run.places, target).await?;
    let target = target.clone().with_credential(credential);
    for name in ["echo", "artifact"] {
        by_both(run, &target, run.book.scenario(name)?).await?;
    }
    Ok(())
}

async fn not_streaming(run: &Run<'_>, target: &Target) -> Result<(), String> {
    for name in UNARY {
        let result = by_both(run, target, run.book.scenario(name)?).await;
        result.map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    Ok(())
}

async fn tenant(run: &Run<'_>, target: &Target) -> Result<(), String> {
    for name in ["artifact", "input"] {
        let result = by_both(run, target, run.book.scenario(name)?).await;
        result.map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    match described(target).await?["tenant"].as_str() {
        Some(TENANT) => Ok(()),
        other => Err(format!("the agent saw the tenant {other:?}")),
    }
}
