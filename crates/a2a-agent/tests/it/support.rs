//! Payloads in a word, and replies read to their end.

use std::sync::Arc;

use a2a_agent::{
    A2aAgent, A2aAgentBuilder, A2aAgentState, AgentCard, AgentError, Event, Msg, ReplyStream, TaskState,
    Transport,
};
use a2a_testkit::{Answer, ScriptedTransport, Step};
use futures::StreamExt as _;
use serde_json::json;

/// A builder for an agent whose card promises streaming.
pub(crate) fn builder(transport: &ScriptedTransport) -> A2aAgentBuilder {
    let mut card = AgentCard::new("Remote", Vec::new());
    card.capabilities.streaming = Some(true);
    let transport: Arc<dyn Transport> = Arc::new(transport.clone());
    A2aAgent::builder(card).transport(transport)
}

pub(crate) fn agent(transport: &ScriptedTransport) -> A2aAgent {
    builder(transport).build().unwrap()
}

/// An agent without streaming.
pub(crate) fn unary_agent(transport: &ScriptedTransport) -> A2aAgent {
    let transport: Arc<dyn Transport> = Arc::new(transport.clone());
    A2aAgent::builder(AgentCard::new("Remote", Vec::new())).transport(transport).build().unwrap()
}

/// An agent that remembers a task.
pub(crate) fn agent_with(transport: &ScriptedTransport, state: A2aAgentState) -> A2aAgent {
    builder(transport).state(state).build().unwrap()
}

pub(crate) fn waiting(task_id: &str) -> A2aAgentState {
    let mut state = A2aAgentState::new().with_context_id("c-1");
    state.task_id = Some(task_id.to_owned());
    state
}

pub(crate) fn running(task_id: &str) -> A2aAgentState {
    let mut state = A2aAgentState::new().with_context_id("c-1");
    state.running_task_id = Some(task_id.to_owned());
    state
}

/// Task `t-1` in this state, with one artifact if there is text for it.
pub(crate) fn task(state: TaskState, text: &str) -> serde_json::Value {
    let artifacts =
        if text.is_empty() { json!([]) } else { json!([{"artifactId": "a-1", "parts": [{"text": text}]}]) };
    json!({"id": "t-1", "contextId": "c-1", "status": {"state": state}, "artifacts": artifacts})
}

pub(crate) fn snapshot(state: TaskState, text: &str) -> Step {
    Step::value(json!({"task": task(state, text)}))
}

pub(crate) fn status(state: TaskState, text: &str) -> Step {
    let message = (!text.is_empty())
        .then(|| json!({"messageId": format!("m-{text}"), "role": "ROLE_AGENT", "parts": [{"text": text}]}));
    let status = json!({"state": state, "message": message});
    Step::value(json!({"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": status}}))
}

/// The first chunk of artifact `a-1`.
pub(crate) fn first(text: &str) -> Step {
    artifact(text, false)
}

/// A further chunk of artifact `a-1`.
pub(crate) fn more(text: &str) -> Step {
    artifact(text, true)
}

fn artifact(text: &str, append: bool) -> Step {
    let artifact = json!({"artifactId": "a-1", "parts": [{"text": text}]});
    Step::value(
        json!({"artifactUpdate": {"taskId": "t-1", "contextId": "c-1", "artifact": artifact, "append": append}}),
    )
}

pub(crate) fn message(text: &str) -> Step {
    Step::value(
        json!({"message": {"messageId": "m-1", "contextId": "c-1", "role": "ROLE_AGENT", "parts": [{"text": text}]}}),
    )
}

pub(crate) fn stream(steps: impl IntoIterator<Item = Step>) -> Answer {
    Answer::stream(steps)
}

/// A reply, read to its end.
pub(crate) struct Read {
    pub(crate) events: Vec<Event>,
    pub(crate) error: Option<AgentError>,
    pub(crate) message: Option<Msg>,
}

impl Read {
    pub(crate) fn text(&self) -> String {
        self.message.as_ref().map(|message| texts(message).concat()).unwrap_or_default()
    }

    /// The kinds of the events, one letter each: `<` start, `>` end, `(` `.` `)` of text, `[` `-` `]` of data.
    pub(crate) fn shape(&self) -> String {
        let letter = |event: &Event| match event {
            Event::ReplyStart(_) => '<',
            Event::ReplyEnd(_) => '>',
            Event::TextBlockStart(_) => '(',
            Event::TextBlockDelta(_) => '.',
            Event::TextBlockEnd(_) => ')',
            Event::DataBlockStart(_) => '[',
            Event::DataBlockDelta(_) => '-',
            Event::DataBlockEnd(_) => ']',
            _ => '?',
        };
        self.events.iter().map(letter).collect()
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        Some(self.message.as_ref()?.finished_reason?.as_str())
    }

    pub(crate) fn error_kind(&self) -> Option<&str> {
        Some(self.error.as_ref()?.kind().as_str())
    }
}

pub(crate) fn texts(message: &Msg) -> Vec<&str> {
    message.content.iter().filter_map(|block| block.as_text()).collect()
}

pub(crate) async fn read(mut stream: ReplyStream<'_>) -> Read {
    let (mut events, mut error) = (Vec::new(), None);
    while let Some(item) = stream.next().await {
        assert!(error.is_none(), "an error is the last item");
        match item {
            Ok(event) => events.push(event),
            Err(failure) => error = Some(failure),
        }
    }
    assert!(stream.next().await.is_none(), "the stream is fused");
    let message = stream.message().cloned();
    Read { events, error, message }
}
