//! A case, played against the real agent.

use std::sync::Arc;

use a2a_agent::{A2aAgent, A2aAgentState, AgentCard, AgentError, AgentOptions, Event, Input, Msg, Transport};
use a2a_testkit::{Answer, ScriptedTransport, Step};
use a2a_types::{ErrorCode, Method, StreamResponse};
use futures::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What the turns of a case come to, one result each, as they came.
///
/// # Errors
///
/// The case is not well-formed, or a value has not the form it must have; see `check_forms`.
pub fn run(case: &Value) -> Result<Vec<Value>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    runtime.block_on(play(case))
}

async fn play(case: &Value) -> Result<Vec<Value>, String> {
    let transport = ScriptedTransport::new()
        .always(Method::GetTask, Answer::rpc_error(ErrorCode::TaskNotFound, "not scripted"));
    let mut card =
        AgentCard::new(case.get("agent_name").and_then(Value::as_str).unwrap_or("Remote"), Vec::new());
    card.capabilities.streaming = Some(true);
    let state: A2aAgentState = match case.get("state") {
        Some(state) => read(state, "state")?,
        None => A2aAgentState::new(),
    };
    let agent = A2aAgent::builder(card)
        .transport(Arc::new(transport.clone()) as Arc<dyn Transport>)
        .state(state)
        .options(AgentOptions::default().with_recovery(None))
        .build()
        .map_err(|error| error.to_string())?;

    let mut adapter = Adapter::Open(Box::new(agent));
    let mut results = Vec::new();
    for turn in case.get("turns").and_then(Value::as_array).into_iter().flatten() {
        results.push(play_turn(turn, &mut adapter, &transport).await?);
    }
    Ok(results)
}

/// A closed agent is gone here; the suite remembers that it was.
enum Adapter {
    Open(Box<A2aAgent>),
    Closed(A2aAgentState),
}

impl Adapter {
    fn state(&self) -> &A2aAgentState {
        match self {
            Self::Open(agent) => agent.state(),
            Self::Closed(state) => state,
        }
    }

    async fn close(self) -> Self {
        Self::Closed(match self {
            Self::Open(agent) => agent.close().await,
            Self::Closed(state) => state,
        })
    }
}

async fn play_turn(
    turn: &Value,
    adapter: &mut Adapter,
    transport: &ScriptedTransport,
) -> Result<Value, String> {
    let before = transport.calls().len();
    script(turn, transport);
    if turn.get("close") == Some(&Value::Bool(true)) {
        let open = std::mem::replace(adapter, Adapter::Closed(A2aAgentState::new()));
        *adapter = open.close().await;
    }
    let reply = match adapter {
        Adapter::Open(agent) => play_reply(turn, agent).await?,
        Adapter::Closed(_) => Reply {
            events: Vec::new(),
            message: Value::Null,
            error: json!({"kind": "closed", "type": "moved value", "message": "the agent is closed"}),
        },
    };
    let mut get_task_request = Value::Null;
    let mut request = Value::Null;
    for call in transport.calls().into_iter().skip(before) {
        match call.method {
            Method::GetTask => get_task_request = call.request,
            Method::SendStreamingMessage => request = canonical(call.request),
            method => return Err(format!("{method} was called")),
        }
    }
    Ok(json!({
        "get_task_request": get_task_request,
        "request": request,
        "events": reply.events,
        "final": reply.message,
        "state_after": write(adapter.state())?,
        "error": reply.error,
    }))
}

struct Reply {
    events: Vec<Value>,
    message: Value,
    error: Value,
}

async fn play_reply(turn: &Value, agent: &mut A2aAgent) -> Result<Reply, String> {
    if let Some(messages) = turn.get("observe") {
        agent.observe(read::<Vec<Msg>>(messages, "observe")?);
    }
    if turn.get("compress_context") == Some(&Value::Bool(true)) {
        agent.compress_context().await;
    }
    let input: Input = match turn.get("input") {
        Some(Value::Null) | None => ().into(),
        Some(messages) => read::<Vec<Msg>>(messages, "input")?.into(),
    };
    let limit = turn.get("drop_after").and_then(Value::as_u64).map(|limit| limit as usize);

    let mut stream = agent.reply_stream(input);
    let mut events: Vec<Event> = Vec::new();
    let mut failure = None;
    while limit.is_none_or(|limit| events.len() < limit) {
        match stream.next().await {
            Some(Ok(event)) => events.push(event),
            Some(Err(error)) => failure = Some(error),
            None => break,
        }
    }
    let message = if failure.is_some() || limit.is_some() {
        Value::Null
    } else {
        let message = stream.finish().await.map_err(|error| format!("an error after the end: {error}"))?;
        check_forms(&events, &message)?;
        write(&message)?
    };
    Ok(Reply {
        events: events.iter().map(write).collect::<Result<_, _>>()?,
        message,
        error: failure.as_ref().map_or(Value::Null, error_value),
    })
}

/// What the peer will answer in this turn.
fn script(turn: &Value, transport: &ScriptedTransport) {
    transport.clear_answers();
    if let Some(answer) = turn.get("get_task") {
        let answer = match answer.get("error").and_then(Value::as_str) {
            Some("not_found") => Answer::rpc_error(ErrorCode::TaskNotFound, "injected"),
            Some(_) => Answer::fail("http_status"),
            None => Answer::json(answer.get("task").unwrap_or(&Value::Null).to_string()),
        };
        transport.push(Method::GetTask, answer);
    }
    let payloads = turn.get("payloads").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut steps: Vec<Step> = payloads.iter().map(payload).collect();
    if let Some(limit) = turn.get("transport_error_after").and_then(Value::as_u64) {
        steps.truncate(limit as usize);
        steps.push(Step::fail("stream_cut"));
    }
    transport.push(Method::SendStreamingMessage, Answer::stream(steps));
}

/// A payload that is none fails the stream, as it would on the wire.
fn payload(payload: &Value) -> Step {
    let text = payload.to_string();
    match a2a_types::from_str::<StreamResponse>(&text) {
        Ok(_) => Step::json(text),
        Err(_) => Step::fail("decode"),
    }
}

/// The request without what canonical ProtoJSON leaves out.
fn canonical(mut request: Value) -> Value {
    let message = request.get_mut("message").and_then(Value::as_object_mut);
    if let Some(message) = message.filter(|message| message.get("parts") == Some(&json!([]))) {
        message.remove("parts");
    }
    request
}

fn error_value(error: &AgentError) -> Value {
    let (kind, variant) = match error {
        AgentError::Transport(_) => ("transport", "Transport"),
        AgentError::Unfinished { .. } => ("stream_cut", "Unfinished"),
        AgentError::NotUnderstood => ("decode", "NotUnderstood"),
        error => (error.kind().as_str(), "AgentError"),
    };
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    json!({"kind": kind, "type": variant, "message": message})
}

/// What normalisation hides: the form of ids and times, and which of them are the same.
///
/// # Errors
///
/// Says what is wrong.
fn check_forms(events: &[Event], message: &Msg) -> Result<(), String> {
    let ids = events.iter().map(Event::id).chain(message.content.iter().map(|block| block.id()));
    let ids: Vec<&str> = ids.chain([message.id.as_str()]).collect();
    for (at, id) in ids.iter().enumerate() {
        if id.len() != 32 || !id.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("{id:?} is not an id"));
        }
        if ids.iter().skip(at + 1).any(|other| other == id) {
            return Err(format!("the id {id:?} was given out twice"));
        }
    }
    let is_time = |time: &str| {
        let form: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        matches!(form.as_str(), "0000-00-00T00:00:00.000000" | "0000-00-00T00:00:00")
    };
    if let Some(event) = events.iter().find(|event| !is_time(event.created_at())) {
        return Err(format!("{:?} is not a time", event.created_at()));
    }
    if message.finished_at.as_deref() != events.last().map(Event::created_at) {
        return Err("the message is not finished with its last event".to_owned());
    }
    for block in &message.content {
        let end = events.iter().rev().find(|event| event.block_id() == Some(block.id()));
        let finished_at = match block {
            a2a_agent::ContentBlock::Text(block) => &block.finished_at,
            a2a_agent::ContentBlock::Data(block) => &block.finished_at,
            _ => return Err("a block that is neither text nor data".to_owned()),
        };
        if finished_at.as_deref() != end.map(Event::created_at) {
            return Err("a block is not finished with its last event".to_owned());
        }
    }
    Ok(())
}

fn read<T: DeserializeOwned>(value: &Value, what: &str) -> Result<T, String> {
    T::deserialize(value).map_err(|error| format!("{what}: {error}"))
}

fn write(value: &impl serde::Serialize) -> Result<Value, String> {
    serde_json::to_value(value).map_err(|error| error.to_string())
}
