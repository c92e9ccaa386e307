//! Payloads in a word, and what becomes of them.

use a2a_translate::{
    CountingClock, CountingIds, End, Event, Msg, ReplyContext, ReplyFinishedReason, ReplyTranslator,
    TranslateError, TranslateOptions,
};
use a2a_types::{
    Artifact, Message, Part, Role, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};

pub(crate) fn message(id: &str, parts: Vec<Part>) -> Message {
    Message::new(id, Role::Agent, parts)
}

pub(crate) fn status(task: &str, state: TaskState, text: &str) -> StreamResponse {
    let mut status = TaskStatus::new(state);
    if !text.is_empty() {
        status = status.with_message(message("s-1", vec![text.into()]));
    }
    TaskStatusUpdateEvent::new(task, "c-1", status).into()
}

pub(crate) fn task(id: &str, state: TaskState, artifacts: Vec<Artifact>) -> StreamResponse {
    let mut task = Task::new(id, "c-1", TaskStatus::new(state));
    task.artifacts = artifacts;
    task.into()
}

pub(crate) fn artifact(task: &str, id: &str, parts: Vec<Part>) -> TaskArtifactUpdateEvent {
    TaskArtifactUpdateEvent::new(task, "c-1", Artifact::new(id, parts))
}

/// A reply that is over.
pub(crate) struct Reply {
    pub(crate) translator: ReplyTranslator,
    pub(crate) events: Vec<Event>,
    pub(crate) error: Option<TranslateError>,
}

impl Reply {
    pub(crate) fn new(payloads: impl IntoIterator<Item = StreamResponse>) -> Self {
        Self::within(ReplyContext::new("session", "Remote"), payloads)
    }

    pub(crate) fn within(context: ReplyContext, payloads: impl IntoIterator<Item = StreamResponse>) -> Self {
        let mut translator = ReplyTranslator::new(
            context,
            TranslateOptions::default(),
            CountingIds::default(),
            CountingClock::default(),
        );
        let error = payloads.into_iter().find_map(|payload| translator.handle(payload).err());
        translator.finish(error.as_ref().map_or(End::Ended, |error| End::Failed(error.to_error_info())));
        let events = std::iter::from_fn(|| translator.poll_event()).collect();
        Self { translator, events, error }
    }

    pub(crate) fn msg(&self) -> Msg {
        Msg::from_events(&self.events)
    }

    pub(crate) fn finished_reason(&self) -> ReplyFinishedReason {
        self.translator.outcome().unwrap().finished_reason
    }

    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        self.events.iter().map(Event::kind).collect()
    }

    /// The texts of the text blocks.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.msg().content.iter().filter_map(|block| block.as_text().map(str::to_owned)).collect()
    }

    /// The `a2a` metadata of the ends of blocks.
    pub(crate) fn origins(&self) -> Vec<serde_json::Value> {
        let ends = self.events.iter().filter_map(|event| match event {
            Event::TextBlockEnd(end) => Some(&end.metadata),
            Event::DataBlockEnd(end) => Some(&end.metadata),
            _ => None,
        });
        ends.map(|metadata| metadata["a2a"].clone()).collect()
    }
}
