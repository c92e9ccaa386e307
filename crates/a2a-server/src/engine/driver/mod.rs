//! Works on one task: runs the agent's turns and makes every change of the task, one after another.
//!
//! ```text
//!            first update                  turn ends          message
//!   New ───────────────────► Stored, running ────────► Stored ────────► Stored, running …
//!    │ first update is a message       │ terminal state: over, whoever is still running is dropped
//!    └──────────────────► Replied      └ cancel: the agent is asked, then dropped
//! ```
//!
//! A driver is started when something is put into the inbox of a task that nobody drives, and stops when
//! nothing is left to do. The agent's future is polled by the driver itself, so dropping it is all it takes
//! to stop it, and no update can slip in afterwards.

mod cancel;
mod update;

use std::{
    any::Any,
    collections::VecDeque,
    future::poll_fn,
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
};

use a2a_types::{ErrorCode, RpcError, StreamResponse, Task, TaskState, TaskStatus};
use futures::{
    FutureExt as _,
    future::{BoxFuture, CatchUnwind},
};
use tokio::sync::oneshot;

use super::{
    limits::Permit,
    live::Event,
    push,
    record::{Progress, UpdateError},
    registry::Handle,
    stamp,
    turn::TurnHandle,
};
use crate::{
    errors::{store_error, task_not_found, task_over},
    executor::{BoxError, RequestContext},
    store::{Owner, PushConfig, StoreError, TaskChange},
    system,
    updater::TaskUpdater,
};

pub(super) use self::cancel::CancelRequest;
use self::cancel::Cancelling;

/// What can be asked of a driver. A command that is dropped is answered by the end of its channel.
#[derive(Debug)]
pub(crate) enum Command {
    /// Work on a message.
    Start(Box<Turn>),
    /// An update of the running turn.
    Update { update: Box<StreamResponse>, done: oneshot::Sender<Result<(), UpdateError>> },
    /// Fail the task, whose turn was interrupted by the end of another process.
    Fail { owner: Owner, done: oneshot::Sender<()> },
    /// Cancel the task.
    Cancel { request: CancelRequest, done: oneshot::Sender<Result<Task, RpcError>> },
}

impl Command {
    pub(super) fn is_update(&self) -> bool {
        matches!(self, Self::Update { .. })
    }
}

/// A message to be worked on.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(super) kind: TurnKind,
    pub(super) context: RequestContext,
    pub(super) owner: Owner,
    /// Who waits for the turn.
    pub(super) subscriber: Option<u64>,
    /// Webhook to register before the first update.
    pub(super) push: Option<PushConfig>,
    pub(super) permit: Permit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnKind {
    /// The message may create a task.
    New,
    /// The message continues the task.
    Continue,
    /// The message was worked on when the server was stopped.
    Resume,
}

type Outcome = Result<Result<(), BoxError>, Box<dyn Any + Send>>;
type Work = CatchUnwind<AssertUnwindSafe<BoxFuture<'static, Result<(), BoxError>>>>;

/// The turn that the agent works on.
struct Running {
    work: Work,
    owner: Owner,
    context: RequestContext,
    push: Option<PushConfig>,
    _permit: Permit,
}

pub(super) struct Driver {
    handle: Handle,
    progress: Progress,
    waiting: VecDeque<Box<Turn>>,
    running: Option<Running>,
    cancelling: Option<Cancelling>,
}

enum Step {
    Command(Command),
    Start(Box<Turn>),
    TurnEnded(Outcome),
    /// Nobody waits for the turn any more, and nobody else knows of it.
    Abandoned,
    CancelAnswered(Outcome),
    Rest,
}

impl Driver {
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle, progress: Progress::New, waiting: VecDeque::new(), running: None, cancelling: None }
    }

    pub(super) async fn run(mut self) {
        loop {
            match poll_fn(|cx| self.poll_step(cx)).await {
                Step::Command(Command::Start(turn)) => self.accept(turn),
                Step::Command(Command::Update { update, done }) => {
                    let result = self.update(*update).await;
                    // The agent may have dropped the future of its update.
                    let _ = done.send(result);
                }
                Step::Command(Command::Fail { owner, done }) => {
                    self.fail(&owner).await;
                    let _ = done.send(());
                }
                Step::Command(Command::Cancel { request, done }) => self.cancel(request, done).await,
                Step::Start(turn) => self.start(*turn).await,
                Step::TurnEnded(outcome) => self.end_turn(outcome).await,
                Step::Abandoned => {
                    tracing::debug!(task = self.handle.id(), "the client left before the first update");
                    self.stop_turn();
                }
                Step::CancelAnswered(outcome) => self.cancel_answered(outcome).await,
                Step::Rest => {
                    if self.handle.shared().is_closing() {
                        self.handle.close_if_idle();
                    }
                    break;
                }
            }
        }
    }

    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        if let Poll::Ready(command) = self.handle.poll_command(cx) {
            return Poll::Ready(Step::Command(command));
        }
        if let Some(running) = &mut self.running {
            if self.progress.is_new() && !self.handle.is_awaited() {
                return Poll::Ready(Step::Abandoned);
            }
            if let Poll::Ready(outcome) = running.work.poll_unpin(cx) {
                return Poll::Ready(Step::TurnEnded(outcome));
            }
        }
        if let Some(cancelling) = &mut self.cancelling
            && let Poll::Ready(outcome) = cancelling.asked.poll_unpin(cx)
        {
            return Poll::Ready(Step::CancelAnswered(outcome));
        }
        if self.running.is_none() {
            if let Some(turn) = self.waiting.pop_front() {
                return Poll::Ready(Step::Start(turn));
            }
            if self.cancelling.is_none() && self.handle.rest() {
                return Poll::Ready(Step::Rest);
            }
        }
        Poll::Pending
    }

    fn accept(&mut self, turn: Box<Turn>) {
        let limit = self.handle.shared().limits.max_waiting_messages;
        if self.running.is_none() || self.waiting.len() < limit {
            self.waiting.push_back(turn);
        } else {
            let message = format!("the task is busy and {limit} messages wait for it already");
            self.refuse(&turn, RpcError::new(ErrorCode::UnsupportedOperation, message));
        }
    }

    fn refuse(&self, turn: &Turn, error: RpcError) {
        if let Some(subscriber) = turn.subscriber {
            self.handle.close(subscriber, Event::error(error));
        }
    }

    async fn start(&mut self, mut turn: Turn) {
        if turn.subscriber.is_some_and(|subscriber| !self.handle.is_subscribed(subscriber)) {
            // Nobody was told of it yet, and nobody waits for it any more.
            return;
        }
        if turn.kind == TurnKind::New {
            self.begin(turn, None);
            return;
        }
        match self.continue_task(&mut turn).await {
            Ok(first) => self.begin(turn, first),
            Err(error) => self.refuse(&turn, error),
        }
    }

    /// Puts the message of a turn into its task. Gives the task with it.
    async fn continue_task(&mut self, turn: &mut Turn) -> Result<Option<Arc<Event>>, RpcError> {
        self.progress.load(&self.handle, &turn.owner).await?;
        let Some(record) = self.handle.read(&turn.owner).await? else {
            return Err(task_not_found(self.handle.id()));
        };
        if self.progress.is_over() {
            return Err(task_over(self.handle.id(), &record.task.status.state));
        }
        register(&self.handle, turn.push.take()).await.map_err(|error| store_error(&error))?;
        push::follow(&self.handle, &turn.owner).await;
        turn.context.task = Some(record.task.clone());
        if turn.kind == TurnKind::Resume {
            return Ok(None);
        }
        let status = TaskStatus::new(TaskState::Working).with_timestamp(system::now());
        let change = TaskChange::Continue {
            message: Box::new(turn.context.message.clone()),
            status: Box::new(status.clone()),
        };
        let mut task = record.task;
        change.clone().apply(&mut task);
        let version =
            self.progress.write(&self.handle, &turn.owner, change).await.map_err(|error| match error {
                UpdateError::Store(error) => store_error(&error),
                UpdateError::Ended | UpdateError::Invalid(_) => {
                    task_over(self.handle.id(), &task.status.state)
                }
            })?;
        let update = a2a_types::TaskStatusUpdateEvent::new(task.id.clone(), task.context_id.clone(), status);
        self.handle.publish(&Event::new(version, update.into()));
        Ok(Some(Event::new(version, task.into())))
    }

    fn begin(&mut self, turn: Turn, first: Option<Arc<Event>>) {
        let turn_handle = TurnHandle::begin(self.handle.clone());
        if let Some(subscriber) = turn.subscriber {
            self.handle.activate(subscriber, first);
        }
        let executor = Arc::clone(&self.handle.shared().executor);
        let (context, updater) = (turn.context.clone(), TaskUpdater::new(turn_handle));
        let work = async move { executor.execute(context, updater).await };
        self.running = Some(Running {
            work: AssertUnwindSafe(work.boxed()).catch_unwind(),
            owner: turn.owner,
            context: turn.context,
            push: turn.push,
            _permit: turn.permit,
        });
    }

    async fn end_turn(&mut self, outcome: Outcome) {
        let Some(running) = &self.running else { return };
        let (owner, context_id) = (running.owner.clone(), running.context.context_id.clone());
        let failure = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::info!(task = self.handle.id(), %error, "the agent ended a turn with an error");
                Some(error)
            }
            Err(_) => {
                tracing::error!(task = self.handle.id(), "the agent panicked");
                Some("the agent failed unexpectedly".into())
            }
        };
        let text = match (&self.progress, failure) {
            (Progress::Replied, _) => None,
            (Progress::New, None) => {
                let error = RpcError::new(ErrorCode::InvalidAgentResponse, "the agent gave no answer");
                self.handle.publish(&Event::error(error));
                None
            }
            (Progress::New, Some(error)) => match error.downcast::<RpcError>() {
                Ok(error) => {
                    self.handle.publish(&Event::error(*error));
                    None
                }
                Err(error) => {
                    let submitted =
                        a2a_types::TaskStatusUpdateEvent::new("", "", TaskStatus::new(TaskState::Submitted));
                    match self.update(submitted.into()).await {
                        Ok(()) => Some(error.to_string()),
                        Err(error) => {
                            self.report(&error);
                            None
                        }
                    }
                }
            },
            (Progress::Stored(_), _) if self.progress.is_over() => None,
            (Progress::Stored(_), Some(error)) => Some(error.to_string()),
            (Progress::Stored(stored), None) if stored.state.is_interrupted() => None,
            (Progress::Stored(_), None) => Some("the agent ended without a result".to_owned()),
        };
        if let Some(text) = text {
            let status = TaskStatus::new(TaskState::Failed).with_message(stamp::message(text));
            if let Err(error) = self.set_status(&owner, &context_id, status).await {
                self.report(&error);
            }
        }
        self.stop_turn();
    }

    /// Drops the agent's future, wherever it is.
    fn stop_turn(&mut self) {
        self.running = None;
        self.handle.end_turn();
    }

    async fn fail(&mut self, owner: &Owner) {
        let Ok(Some(record)) = self.handle.read(owner).await else { return };
        if self.progress.load(&self.handle, owner).await.is_err() || self.progress.is_over() {
            return;
        }
        push::follow(&self.handle, owner).await;
        let note = stamp::message("the server was stopped while it worked on this".to_owned());
        let status = TaskStatus::new(TaskState::Failed).with_message(note);
        if let Err(error) = self.set_status(owner, &record.task.context_id, status).await {
            self.report(&error);
        }
    }
}

/// Registers the webhook that came with a message.
async fn register(handle: &Handle, push: Option<PushConfig>) -> Result<(), StoreError> {
    let Some(config) = push else { return Ok(()) };
    let shared = handle.shared();
    shared.store.put_push_config(config, shared.limits.max_push_configs).await
}
