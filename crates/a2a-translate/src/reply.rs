//! The machine: payloads of the remote agent in, events of one reply out.
//!
//! [`ReplyTranslator`] does no I/O and never waits. [`handle`](ReplyTranslator::handle) puts a payload in,
//! [`poll_event`](ReplyTranslator::poll_event) takes events out until there are none, and
//! [`finish`](ReplyTranslator::finish) says that no more will come, and why. Where payloads come from is the caller's
//! affair: a stream, a second stream after the first one broke, a single answer, or a file.
//!
//! ```text
//!                  ┌─────────┐
//!                  │ Opening │
//!                  └────┬────┘
//!         W ┌───────────┼──────────────┐ S
//!           ▼           │ A            ▼
//!      ┌─────────┐ A ┌──▼───────────┐ S ┌─────────┐
//!      │ Running ├──►│ AuthRequired ├──►│ Settled │
//!      │         │◄──┤              │◄──┤         │
//!      └───┬──▲──┘ W └──────────────┘ A └──┬───▲──┘
//!          │  └─────────────── W ──────────┘   │
//!          └────────────────── S ──────────────┘
//!
//!                 any ── finish() ──► Ended
//! ```
//!
//! * `W`: a status or snapshot of a task at work (SUBMITTED, WORKING, none, unknown); in `Opening` also an artifact
//! * `A`: AUTH_REQUIRED
//! * `S`: a message, COMPLETED, CANCELED, FAILED, REJECTED, INPUT_REQUIRED
//!
//! Anything else leaves the phase as it is: artifacts later on, messages of the user, what is not understood. The last
//! status decides how the reply ends, whichever task it is of; a message counts as completion. A snapshot that only
//! repeats how a known task stood before the reply ([`ReplyContext::known_task`]) does not settle it.

use std::{mem, sync::Arc};

use a2a_types::{
    Message, Role as WireRole, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use serde_json::{Map, Value};

use crate::{
    artifacts::Artifacts,
    error::{TranslateError, Warning},
    event::{Event, ReplyEndEvent, ReplyStartEvent},
    msg::{ErrorInfo, ErrorType, ReplyFinishedReason, Role},
    parts::{DataParts, Flow, Origin, Writer, a2a_metadata},
    source::{Clock, IdSource},
    statuses::Statuses,
};

/// What a reply begins with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReplyContext {
    /// Groups the replies of one adapter in their events.
    pub session_id: Arc<str>,
    /// Name of the remote agent.
    pub name: Arc<str>,
    /// Id of the reply; `None` for a new one.
    pub reply_id: Option<Arc<str>>,
    /// The conversation so far.
    pub context_id: Option<String>,
    /// The task that the message continues.
    pub task_id: Option<String>,
    /// That task as it was before, if it was looked up.
    pub known_task: Option<Task>,
}

impl ReplyContext {
    /// A reply of this agent, in no conversation yet.
    pub fn new(session_id: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self {
            session_id: session_id.into(),
            name: name.into(),
            reply_id: None,
            context_id: None,
            task_id: None,
            known_task: None,
        }
    }

    /// The same reply, in this conversation.
    #[must_use]
    pub fn with_context_id(mut self, context_id: Option<String>) -> Self {
        self.context_id = context_id;
        self
    }

    /// The same reply, to a message that continues this task.
    #[must_use]
    pub fn with_task_id(mut self, task_id: Option<String>) -> Self {
        self.task_id = task_id;
        self
    }

    /// The same reply, to a message that continues a task which was looked up. Some servers begin such a reply with
    /// the task as it was: what that says again is not translated again, and does not end the turn.
    #[must_use]
    pub fn with_known_task(mut self, task: Option<Task>) -> Self {
        self.known_task = task;
        self
    }

    /// The same reply with this id.
    #[must_use]
    pub fn with_reply_id(mut self, reply_id: impl Into<Arc<str>>) -> Self {
        self.reply_id = Some(reply_id.into());
        self
    }
}

/// What the translation leaves open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranslateOptions {
    /// What becomes of a part with structured data.
    pub data_parts: DataParts,
}

impl TranslateOptions {
    /// The same options with this choice for structured data.
    #[must_use]
    pub fn with_data_parts(mut self, data_parts: DataParts) -> Self {
        self.data_parts = data_parts;
        self
    }
}

/// How far a reply has come. The module documentation has the diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Nothing was understood yet.
    Opening,
    /// The agent is at work.
    Running,
    /// The task waits for an authorisation that travels outside of A2A, and may go on by itself.
    AuthRequired,
    /// The turn is over: a message came, the task ended, or it waits for input. What still comes is translated.
    Settled,
    /// `REPLY_END` was made.
    Ended,
}

/// Why no more payloads will come.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum End {
    /// The agent ended the stream.
    Ended,
    /// The stream broke. If the turn was over by then, or waits, the reply ends as if nothing had happened.
    Cut(ErrorInfo),
    /// The reply failed, whatever came before.
    Failed(ErrorInfo),
    /// The caller gave up. If the turn was over by then, the reply ends as if nothing had happened.
    Cancelled,
}

/// How a reply ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReplyOutcome {
    /// What `REPLY_END` says.
    pub finished_reason: ReplyFinishedReason,
    /// What went wrong, if it says `error`.
    pub error: Option<ErrorInfo>,
}

/// Translates the payloads of one reply.
///
/// ```
/// use a2a_translate::{CountingClock, CountingIds, End, Msg, ReplyContext, ReplyTranslator, TranslateOptions};
///
/// let payloads = vec![
///     r#"{"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": {"artifactId": "a", "parts": [{"text": "Hello "}]}}}"#,
///     r#"{"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": {"artifactId": "a", "parts": [{"text": "world"}]}, "append": true, "lastChunk": true}}"#,
///     r#"{"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}}"#,
/// ];
///
/// let context = ReplyContext::new("session", "Remote");
/// let mut translator =
///     ReplyTranslator::new(context, TranslateOptions::default(), CountingIds::default(), CountingClock::default());
/// let mut msg = Msg::reply();
/// for payload in payloads {
///     translator.handle(a2a_types::from_str(payload)?)?;
///     while let Some(event) = translator.poll_event() {
///         msg.append_event(&event);
///     }
/// }
/// translator.finish(End::Ended);
/// while let Some(event) = translator.poll_event() {
///     msg.append_event(&event);
/// }
/// assert_eq!(msg.text_content(), "Hello world");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReplyTranslator {
    session_id: Arc<str>,
    name: Arc<str>,
    writer: Writer,
    started: bool,
    artifacts: Artifacts,
    statuses: Statuses,
    last: Last,
    context_id: Option<String>,
    task_id: Option<String>,
    running_task_id: Option<String>,
    /// The task as it was before the reply, until it changes.
    known: Option<Known>,
    outcome: Option<ReplyOutcome>,
}

/// How a task stood before the reply.
#[derive(Debug)]
struct Known {
    task_id: String,
    status: TaskStatus,
    /// Whether the last payload about its status said just that.
    repeated: bool,
}

/// What the last payload that says so said about the state of the reply.
#[derive(Debug)]
enum Last {
    Nothing { skipped: bool },
    Artifact,
    Message,
    Status { state: TaskState, text: Option<String> },
}

impl ReplyTranslator {
    /// A machine for one reply. Ids and times come from the caller, by sources that may be boxed already.
    pub fn new(
        context: ReplyContext,
        options: TranslateOptions,
        ids: impl Into<Box<dyn IdSource>>,
        clock: impl Into<Box<dyn Clock>>,
    ) -> Self {
        let writer = Writer::new(context.reply_id, options.data_parts, ids.into(), clock.into());
        let mut artifacts = Artifacts::default();
        let known = context.known_task.map(|task| {
            artifacts.know(&writer, &task.id, &task.artifacts);
            Known { task_id: task.id, status: task.status, repeated: false }
        });
        Self {
            session_id: context.session_id,
            name: context.name,
            writer,
            started: false,
            artifacts,
            statuses: Statuses::default(),
            last: Last::Nothing { skipped: false },
            context_id: context.context_id,
            task_id: context.task_id,
            running_task_id: None,
            known,
            outcome: None,
        }
    }

    /// Makes `REPLY_START`, unless it was made before. The other inputs do so by themselves.
    pub fn start(&mut self) {
        if mem::replace(&mut self.started, true) {
            return;
        }
        let start = Event::ReplyStart(ReplyStartEvent {
            id: self.writer.next_id(),
            created_at: self.writer.now(),
            metadata: Map::new(),
            session_id: Arc::clone(&self.session_id),
            reply_id: Arc::clone(&self.writer.reply_id),
            name: Arc::clone(&self.name),
            role: Role::Assistant,
        });
        self.writer.events.push_back(start);
    }

    /// Takes in the next payload. Its events can be polled then. After [`finish`](Self::finish) it is ignored.
    ///
    /// # Errors
    ///
    /// [`TranslateError::UnsupportedPart`]: what came before the part is translated, and the payload's ids and
    /// state are taken. The reply is still open; the caller ends it with [`End::Failed`].
    pub fn handle(&mut self, payload: StreamResponse) -> Result<(), TranslateError> {
        if self.outcome.is_some() {
            return Ok(());
        }
        self.writer.begin_input();
        self.start();
        match payload {
            StreamResponse::Task(task) => self.task(task),
            StreamResponse::Message(message) => self.message(*message),
            StreamResponse::StatusUpdate(update) => self.status_update(update),
            StreamResponse::ArtifactUpdate(update) => self.artifact_update(update),
            StreamResponse::Unknown(members) => {
                self.skip(members.keys().cloned().collect());
                Ok(())
            }
            _ => {
                self.skip(Vec::new());
                Ok(())
            }
        }
    }

    /// Ends the reply: open blocks are closed and `REPLY_END` is made. Only the first call counts.
    pub fn finish(&mut self, end: End) -> &ReplyOutcome {
        let outcome = match self.outcome.take() {
            Some(outcome) => outcome,
            None => self.end(end),
        };
        self.outcome.insert(outcome)
    }

    /// The next event, if there is one.
    #[must_use]
    pub fn poll_event(&mut self) -> Option<Event> {
        self.writer.events.pop_front()
    }

    /// The next warning about the last payload, if there is one. Warnings that are not polled before the next
    /// payload are dropped.
    #[must_use]
    pub fn poll_warning(&mut self) -> Option<Warning> {
        self.writer.warnings.pop_front()
    }

    /// How far the reply has come.
    pub fn phase(&self) -> Phase {
        if self.outcome.is_some() {
            return Phase::Ended;
        }
        match &self.last {
            Last::Nothing { .. } => Phase::Opening,
            Last::Artifact => Phase::Running,
            Last::Message => Phase::Settled,
            Last::Status { state: TaskState::AuthRequired, .. } => Phase::AuthRequired,
            Last::Status { state, .. } if state.is_terminal() || state.is_interrupted() => Phase::Settled,
            Last::Status { .. } => Phase::Running,
        }
    }

    /// Whether the turn is over, so that there is no need to listen on. A snapshot that only says how the task
    /// stood before the reply does not settle it, though the reply would end by it if nothing else came.
    pub fn settled(&self) -> bool {
        let repeated = self.known.as_ref().is_some_and(|known| known.repeated);
        match self.phase() {
            Phase::Settled => !repeated,
            Phase::Ended => true,
            Phase::Opening | Phase::Running | Phase::AuthRequired => false,
        }
    }

    /// Whether any payload was understood.
    pub fn understood(&self) -> bool {
        !matches!(self.last, Last::Nothing { .. })
    }

    /// The id of the reply.
    pub fn reply_id(&self) -> &Arc<str> {
        &self.writer.reply_id
    }

    /// The conversation, as the last payload that names one has it.
    pub fn context_id(&self) -> Option<&str> {
        self.context_id.as_deref()
    }

    /// The task to continue: as long as it waits for input or authorisation. Until a status or a message came, the
    /// one that the reply began with.
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }

    /// The task that was last seen at work, if it may still be.
    pub fn running_task_id(&self) -> Option<&str> {
        self.running_task_id.as_deref()
    }

    /// The state of the last status.
    pub fn last_state(&self) -> Option<&TaskState> {
        match &self.last {
            Last::Status { state, .. } => Some(state),
            Last::Nothing { .. } | Last::Artifact | Last::Message => None,
        }
    }

    /// How the reply ended, once it has.
    pub fn outcome(&self) -> Option<&ReplyOutcome> {
        self.outcome.as_ref()
    }

    fn task(&mut self, task: Box<Task>) -> Result<(), TranslateError> {
        self.enter_context(task.context_id);
        self.enter_state(&task.id, &task.status);
        // The artifacts of a task at work may still get longer.
        let over = task.status.state.is_terminal() || task.status.state == TaskState::InputRequired;
        self.artifacts.snapshot(&mut self.writer, &task.id, task.artifacts, over)?;
        match &mut self.known {
            Some(known) if known.task_id == task.id && known.status == task.status => {
                known.repeated = true;
                Ok(())
            }
            _ => {
                self.known = None;
                self.status_message(&task.id, task.status)
            }
        }
    }

    fn message(&mut self, message: Message) -> Result<(), TranslateError> {
        self.enter_context(message.context_id);
        // An echo of what the caller said.
        if message.role == WireRole::User {
            return Ok(());
        }
        self.last = Last::Message;
        self.known = None;
        self.task_id = None;
        self.running_task_id = None;
        let origin = Origin::Message { message_id: &message.message_id };
        let mut open = None;
        let written = self.writer.write(message.parts, Flow::Whole, &mut open, origin);
        self.writer.end(open, origin);
        written
    }

    fn status_update(&mut self, update: Box<TaskStatusUpdateEvent>) -> Result<(), TranslateError> {
        self.enter_context(update.context_id);
        self.enter_state(&update.task_id, &update.status);
        self.known = None;
        self.status_message(&update.task_id, update.status)
    }

    fn artifact_update(&mut self, update: Box<TaskArtifactUpdateEvent>) -> Result<(), TranslateError> {
        self.enter_context(update.context_id);
        if matches!(self.last, Last::Nothing { .. } | Last::Artifact) {
            self.last = Last::Artifact;
            note(&mut self.running_task_id, &update.task_id);
        }
        self.artifacts.update(
            &mut self.writer,
            &update.task_id,
            update.artifact,
            update.append,
            update.last_chunk,
        )
    }

    fn skip(&mut self, members: Vec<String>) {
        if let Last::Nothing { skipped } = &mut self.last {
            *skipped = true;
        }
        self.writer.warnings.push_back(Warning::UnknownPayload { members });
    }

    fn enter_context(&mut self, context_id: String) {
        if !context_id.is_empty() {
            self.context_id = Some(context_id);
        }
    }

    fn enter_state(&mut self, task_id: &str, status: &TaskStatus) {
        let state = status.state.clone();
        let waits = state.is_interrupted();
        let runs = !waits && !state.is_terminal();
        note(&mut self.task_id, if waits { task_id } else { "" });
        note(&mut self.running_task_id, if runs { task_id } else { "" });
        let text = match state {
            TaskState::Failed | TaskState::Rejected => status.message.as_ref().and_then(text_of),
            _ => None,
        };
        self.last = Last::Status { state, text };
    }

    fn status_message(&mut self, task_id: &str, status: TaskStatus) -> Result<(), TranslateError> {
        match status.message {
            Some(message) if message.role != WireRole::User => {
                self.statuses.write(&mut self.writer, task_id, message, &self.artifacts)
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, end: End) -> ReplyOutcome {
        self.writer.begin_input();
        self.start();
        self.artifacts.end(&mut self.writer);
        let outcome = self.conclude(end);
        if outcome.finished_reason == ReplyFinishedReason::Completed {
            self.running_task_id = None;
        }
        let mut a2a = Map::new();
        a2a.insert("context_id".to_owned(), self.context_id.clone().map_or(Value::Null, Value::String));
        let end = Event::ReplyEnd(ReplyEndEvent {
            id: self.writer.next_id(),
            created_at: self.writer.now(),
            metadata: a2a_metadata(a2a),
            session_id: Arc::clone(&self.session_id),
            reply_id: Arc::clone(&self.writer.reply_id),
            finished_reason: outcome.finished_reason,
            error: outcome.error.clone(),
        });
        self.writer.events.push_back(end);
        outcome
    }

    fn conclude(&self, end: End) -> ReplyOutcome {
        let settled = self.settled();
        let waits = self.phase() == Phase::AuthRequired;
        match end {
            End::Failed(error) => ReplyOutcome::failed(error),
            End::Cut(error) if !settled && !waits => ReplyOutcome::failed(error),
            End::Cancelled if !settled => {
                ReplyOutcome { finished_reason: ReplyFinishedReason::Interrupted, error: None }
            }
            End::Ended | End::Cut(_) | End::Cancelled => self.last.outcome(),
        }
    }
}

impl Last {
    /// How a reply ends that nobody broke off.
    fn outcome(&self) -> ReplyOutcome {
        let (state, text) = match self {
            Self::Artifact | Self::Message => return ReplyOutcome::completed(),
            Self::Nothing { skipped: false } => {
                return ReplyOutcome::failed(ErrorInfo::new(
                    ErrorType::Upstream,
                    "the stream ended before the agent said anything",
                ));
            }
            Self::Nothing { skipped: true } => {
                return ReplyOutcome::failed(ErrorInfo::new(
                    ErrorType::Upstream,
                    "the agent said nothing that could be understood",
                ));
            }
            Self::Status { state, text } => (state, text),
        };
        let failure = |kind: ErrorType, default: &str| {
            ReplyOutcome::failed(ErrorInfo::new(kind, text.clone().unwrap_or_else(|| default.to_owned())))
        };
        match state {
            TaskState::Completed | TaskState::InputRequired | TaskState::AuthRequired => {
                ReplyOutcome::completed()
            }
            TaskState::Canceled => {
                ReplyOutcome { finished_reason: ReplyFinishedReason::Interrupted, error: None }
            }
            TaskState::Failed => failure(ErrorType::Upstream, "the task failed"),
            TaskState::Rejected => failure(ErrorType::Upstream, "the agent rejected the task"),
            TaskState::Submitted | TaskState::Working => {
                failure(ErrorType::Connection, "the stream ended while the task was still running")
            }
            state => failure(
                ErrorType::Upstream,
                &format!("the stream ended while the state of the task was {state}"),
            ),
        }
    }
}

impl ReplyOutcome {
    fn completed() -> Self {
        Self { finished_reason: ReplyFinishedReason::Completed, error: None }
    }

    fn failed(error: ErrorInfo) -> Self {
        Self { finished_reason: ReplyFinishedReason::Error, error: Some(error) }
    }
}

/// Keeps an id, an empty one as none. Most often it is the one that is kept already.
fn note(kept: &mut Option<String>, id: &str) {
    let id = Some(id).filter(|id| !id.is_empty());
    if kept.as_deref() != id {
        *kept = id.map(str::to_owned);
    }
}

fn text_of(message: &Message) -> Option<String> {
    let text: String = message.parts.iter().filter_map(|part| part.as_text()).collect();
    (!text.is_empty() && message.role != WireRole::User).then_some(text)
}
