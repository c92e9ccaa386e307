//! One reply as a state machine, polled by its stream.
//!
//! ```text
//! Ready ─► LookingUp ─► Starting ─► Sending ─► Listening ─► Ended
//!   │                      ▲           │         │  ▲  │
//!   └──────────────────────┘           │    cut  ▼  │  │ settled
//!   (resume)                           │    Reattaching
//!   └─────────────────────────────────►│         │ not by streaming
//!                                      └────► Polling ─► Ended
//! ```
//!
//! Whatever the phase, events that are ready go out first, and a failure is the last item: the translator
//! closes its blocks and ends the reply before the error is given. The agent's state is brought up to date
//! after every payload.

mod calls;
mod cancellation;
mod opening;
mod recovery;

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use a2a_translate::{End, Event, Msg, Phase as TranslatorPhase, ReplyTranslator};
use a2a_transport::ResponseStream;
use a2a_types::{StreamResponse, Task, TaskState};
use futures::{FutureExt as _, StreamExt as _};
use tokio::time::{Sleep, sleep};

use self::{
    calls::{Answer, Call, Caller},
    cancellation::Cancellation,
    recovery::Recovery,
};
use crate::{A2aAgent, AgentError};

/// Where a reply stands.
pub(crate) struct Turn {
    phase: Phase,
    input: Vec<Msg>,
    /// `None` until the reply starts.
    translator: Option<Box<ReplyTranslator>>,
    /// The task that is followed, as long as no payload has named it.
    resumed: Option<String>,
    /// Whether the peer has sent any payload.
    answered: bool,
    /// The error that ends the reply, once the events before it are out.
    failure: Option<AgentError>,
    /// Runs once the turn has settled.
    grace: Option<Pin<Box<Sleep>>>,
    cancellation: Cancellation,
    /// Cancels the task if the turn is dropped before its end.
    on_drop: Option<Caller>,
    recovery: Recovery,
    /// Whether to ask for streams: the card has them, and the transport has not said otherwise.
    streaming: bool,
}

enum Phase {
    Ready,
    Resuming,
    LookingUp { task_id: String, call: Call<Task> },
    Starting,
    Sending(Call<Answer>),
    Listening(ResponseStream),
    Reattaching(Call<ResponseStream>),
    Polling(Call<Task>),
    Ended,
}

impl Turn {
    /// The turn that sends these messages.
    pub(crate) fn reply(agent: &A2aAgent, input: Vec<Msg>) -> Self {
        Self::new(agent, Phase::Ready, input)
    }

    /// The turn that follows the running task.
    pub(crate) fn resume(agent: &A2aAgent) -> Self {
        Self::new(agent, Phase::Resuming, Vec::new())
    }

    fn new(agent: &A2aAgent, phase: Phase, input: Vec<Msg>) -> Self {
        Self {
            phase,
            input,
            translator: None,
            resumed: None,
            answered: false,
            failure: None,
            grace: None,
            cancellation: Cancellation::None,
            on_drop: agent.options.cancel_on_drop.then(|| Caller::of(agent)),
            recovery: Recovery::default(),
            streaming: agent.streaming,
        }
    }

    /// Whether nothing more will come.
    pub(crate) fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended) && self.failure.is_none()
    }

    /// The last state of the task.
    pub(crate) fn task_state(&self) -> Option<&TaskState> {
        self.translator.as_ref()?.last_state()
    }

    /// The next event, or the error that ends the reply.
    pub(crate) fn poll_next(
        &mut self,
        agent: &mut A2aAgent,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Event, AgentError>>> {
        loop {
            if let Some(event) = self.translator.as_mut().and_then(|translator| translator.poll_event()) {
                self.recovery.succeed();
                return Poll::Ready(Some(Ok(event)));
            }
            if let Some(error) = self.failure.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if matches!(self.phase, Phase::Ended) {
                return Poll::Ready(None);
            }
            if self.poll_cancellation(agent, cx).is_ready() || self.poll_phase(agent, cx).is_ready() {
                continue;
            }
            // Only who waits has to be woken by a cancellation.
            if !matches!(self.cancellation, Cancellation::None) || !agent.cancel.poll_requested(cx) {
                return Poll::Pending;
            }
        }
    }

    /// Moves the turn on by one step.
    fn poll_phase(&mut self, agent: &mut A2aAgent, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.phase {
            Phase::Ready => self.begin(agent),
            Phase::Resuming => self.begin_resuming(agent),
            Phase::LookingUp { task_id, call } => {
                let answer = ready!(call.poll_unpin(cx));
                let task_id = std::mem::take(task_id);
                self.looked_up(agent, task_id, answer);
            }
            Phase::Starting => self.send(agent),
            Phase::Sending(call) => {
                let answer = ready!(call.poll_unpin(cx));
                self.answered(agent, answer);
            }
            Phase::Listening(stream) => match stream.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(payload))) => self.payload(agent, payload),
                Poll::Ready(Some(Err(error))) => self.stream_ended(agent, Some(error)),
                Poll::Ready(None) => self.stream_ended(agent, None),
                // What has arrived comes before any timer.
                Poll::Pending => {
                    let Some(grace) = &mut self.grace else { return Poll::Pending };
                    ready!(grace.poll_unpin(cx));
                    self.finish(agent, End::Ended);
                }
            },
            Phase::Reattaching(call) => match ready!(call.poll_unpin(cx)) {
                Ok(stream) => {
                    self.recovery.untried = true;
                    self.phase = Phase::Listening(stream);
                }
                Err(error) => self.reattaching_failed(agent, error),
            },
            Phase::Polling(call) => match ready!(call.poll_unpin(cx)) {
                Ok(task) => self.polled(agent, task),
                Err(error) => self.polling_failed(agent, error),
            },
            Phase::Ended => {}
        }
        Poll::Ready(())
    }
}

// What a payload does, and how a turn ends.
impl Turn {
    fn payload(&mut self, agent: &mut A2aAgent, payload: StreamResponse) {
        let Some(translator) = &mut self.translator else { return };
        self.answered = true;
        self.recovery.untried = false;
        // The peer has answered: what was observed has arrived.
        agent.state.observed_context.clear();
        let translated = translator.handle(payload);
        while let Some(warning) = translator.poll_warning() {
            tracing::warn!(agent = agent.name(), "{warning}");
        }
        agent.commit(translator);
        if let Err(error) = translated {
            self.fail(agent, AgentError::Translate(error));
        } else if !translator.settled() {
            self.grace = None;
        } else if self.grace.is_none() {
            self.grace = Some(Box::pin(sleep(agent.options.settle_grace)));
        }
    }

    /// Whether the reply would end as complete now: the turn has settled, or waits for something outside of it.
    fn is_over(&self) -> bool {
        let phase = self.translator.as_deref().map(ReplyTranslator::phase);
        matches!(phase, Some(TranslatorPhase::Settled | TranslatorPhase::AuthRequired))
    }

    /// The task that is at work.
    fn running_task(&self) -> Option<String> {
        let running = self.translator.as_deref().and_then(ReplyTranslator::running_task_id);
        running.or(self.resumed.as_deref()).map(str::to_owned)
    }

    /// Ends the reply as what was translated says.
    fn finish(&mut self, agent: &mut A2aAgent, end: End) {
        self.phase = Phase::Ended;
        if let Some(translator) = &mut self.translator {
            translator.finish(end);
            agent.commit(translator);
        }
    }

    /// Ends the reply with an error: its last event says so, then the error is given. Before the reply has
    /// started there is only the error.
    fn fail(&mut self, agent: &mut A2aAgent, error: AgentError) {
        self.finish(agent, End::Failed(error.info()));
        self.failure = Some(error);
    }
}
