//! The life of tasks, without HTTP: what the operations of A2A mean.

mod driver;
mod limits;
mod live;
mod message;
mod push;
mod queries;
mod record;
mod recovery;
mod registry;
mod stamp;
mod stream;
mod subscription;
mod turn;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use a2a_types::{
    AgentCard, CancelTaskRequest, GetTaskRequest, Method, RpcError, SendMessageConfiguration,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
};
use http::HeaderMap;
use tokio::sync::oneshot;

use self::{
    driver::{CancelRequest, Command, Turn, TurnKind},
    limits::{Resource, Usage},
    live::Follow,
    registry::{Handle, Registry},
    subscription::Subscription,
};
use crate::{
    auth::Caller,
    errors::{broke_down, invalid, store_error, task_not_found, task_over, unsupported},
    executor::{AgentExecutor, RequestContext},
    store::{Owner, PushConfig, TaskChange, TaskRecord, TaskStore},
    system,
    webhook::{WebhookOptions, Webhooks},
};

pub use limits::Limits;
pub use record::UpdateError;
pub use recovery::Recovery;
pub use stream::{Update, UpdateStream};
pub(crate) use turn::TurnHandle;

/// One agent and its tasks: every operation of the protocol, without a transport.
///
/// Clones share the tasks. The methods need a tokio runtime.
///
/// # Cancel safety
///
/// Dropping the future of [`send_message`](Self::send_message) or an [`UpdateStream`] does not stop the
/// agent once it has created a task; before, it does.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) card: AgentCard,
    pub(crate) executor: Arc<dyn AgentExecutor>,
    pub(crate) store: Arc<dyn TaskStore>,
    pub(crate) limits: Limits,
    pub(crate) extended_card: Option<AgentCard>,
    pub(crate) webhooks: Webhooks,
    registry: Registry,
    usage: Usage,
    /// Whether the server is about to stop.
    closing: AtomicBool,
}

impl Shared {
    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("store", &self.store)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// What an engine is made of.
pub(crate) struct EngineParts {
    pub(crate) card: AgentCard,
    pub(crate) extended_card: Option<AgentCard>,
    pub(crate) executor: Arc<dyn AgentExecutor>,
    pub(crate) store: Arc<dyn TaskStore>,
    pub(crate) limits: Limits,
    pub(crate) webhooks: WebhookOptions,
}

/// What an operation must know besides its request.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Call {
    /// Who calls.
    pub caller: Caller,
    /// Whether the call is of protocol 0.3.
    pub legacy: bool,
    /// URIs of the extensions the caller asks for.
    pub extensions: Vec<String>,
    /// Headers of the request, for the agent.
    pub headers: HeaderMap,
}

impl Call {
    /// A call of this caller, without extensions and headers.
    pub fn new(caller: Caller) -> Self {
        Self { caller, ..Self::default() }
    }
}

impl Engine {
    pub(crate) fn new(parts: EngineParts) -> Self {
        let EngineParts { card, extended_card, executor, store, limits, webhooks } = parts;
        let shared = Shared {
            card,
            executor,
            store,
            limits,
            extended_card,
            webhooks: Webhooks::new(webhooks),
            registry: Registry::default(),
            usage: Usage::default(),
            closing: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The card of the agent.
    pub fn card(&self) -> &AgentCard {
        &self.shared.card
    }

    /// Tasks that somebody works on or follows now.
    pub fn live_tasks(&self) -> usize {
        self.shared.registry.len()
    }

    /// The extensions that are active in a call: asked for, and declared in the card.
    pub fn active_extensions(&self, call: &Call) -> Vec<String> {
        message::active_extensions(call, &self.shared.card)
    }

    /// Prepares for the end: streams end as soon as nobody works on their task, those of waiting tasks at
    /// once. What runs goes on.
    pub fn close(&self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        self.shared.registry.close_idle();
    }

    /// SendMessage (§3.1.1): gives the reply, or the task when it is over or waits for the client; at once
    /// if the configuration says so.
    ///
    /// # Errors
    ///
    /// Any error of the protocol.
    pub async fn send_message(
        &self,
        request: SendMessageRequest,
        call: Call,
    ) -> Result<SendMessageResponse, RpcError> {
        let configuration = request.configuration.clone().unwrap_or_default();
        let mut events = self.begin(request, call).await?;
        // The events make the task, so it is known even if the store has made room meanwhile.
        let mut task: Option<Task> = None;
        while let Some(event) = events.next().await {
            match (event.payload().map_err(RpcError::clone)?, &mut task) {
                (StreamResponse::Message(message), _) => return Ok(message.clone().into()),
                (StreamResponse::Task(snapshot), _) => task = Some(Task::clone(snapshot)),
                (update, Some(task)) => {
                    if let Some(change) = TaskChange::of(update) {
                        change.apply(task);
                    }
                }
                (_, None) => {}
            }
            // An agent that waits for authorisation may go on by itself later.
            let suffices =
                |task: &Task| configuration.return_immediately || task.status.state.is_interrupted();
            if task.as_ref().is_some_and(suffices) {
                break;
            }
        }
        let Some(task) = task else { return Err(task_not_found(events.task_id())) };
        Ok(with_history(task, configuration.history_length).into())
    }

    /// SendStreamingMessage (§3.1.2).
    ///
    /// # Errors
    ///
    /// Any error of the protocol; one that the agent raises before its first update is the first item of the
    /// stream.
    pub async fn send_streaming_message(
        &self,
        request: SendMessageRequest,
        call: Call,
    ) -> Result<UpdateStream, RpcError> {
        self.must_stream(Method::SendStreamingMessage)?;
        let history_length = request.configuration.as_ref().and_then(|options| options.history_length);
        let permit =
            self.shared.usage.take(Resource::Stream, &call.caller.id, self.shared.limits.max_streams)?;
        let events = self.begin(request, call).await?;
        Ok(UpdateStream::new(events, history_length, permit))
    }

    /// GetTask (§3.1.3).
    ///
    /// # Errors
    ///
    /// The task is not found (or another caller's), or the history length is negative.
    pub async fn get_task(&self, request: GetTaskRequest, call: Call) -> Result<Task, RpcError> {
        check_history_length(request.history_length)?;
        let owner = Owner::new(&request.tenant, &call.caller);
        let record = self.find(owner, &request.id).await?;
        Ok(with_history(record.task, request.history_length))
    }

    /// CancelTask (§3.1.5): stops the agent and gives the cancelled task. A task that was cancelled before
    /// is given as it is.
    ///
    /// # Errors
    ///
    /// The task is not found, over, or the agent refuses.
    pub async fn cancel_task(&self, request: CancelTaskRequest, call: Call) -> Result<Task, RpcError> {
        let owner = Owner::new(&request.tenant, &call.caller);
        self.find(owner.clone(), &request.id).await?;
        let (done, answer) = oneshot::channel();
        let cancel = CancelRequest { owner, caller: call.caller, metadata: request.metadata };
        let handle = Handle::open(&self.shared, &request.id);
        handle.submit(Command::Cancel { request: cancel, done });
        answer.await.unwrap_or_else(|_| Err(broke_down()))
    }

    /// SubscribeToTask (§3.1.6): the task as it is, then what happens to it, until it is over.
    ///
    /// # Errors
    ///
    /// The agent does not stream, or the task is not found or over.
    pub async fn subscribe_to_task(
        &self,
        request: SubscribeToTaskRequest,
        call: Call,
    ) -> Result<UpdateStream, RpcError> {
        self.must_stream(Method::SubscribeToTask)?;
        let permit =
            self.shared.usage.take(Resource::Stream, &call.caller.id, self.shared.limits.max_streams)?;
        let owner = Owner::new(&request.tenant, &call.caller);
        let record = self.find(owner.clone(), &request.id).await?;
        if record.task.status.state.is_terminal() {
            return Err(task_over(&request.id, &record.task.status.state));
        }
        let handle = Handle::open(&self.shared, &request.id);
        Ok(UpdateStream::new(Subscription::new(handle, owner, Follow::Task), None, permit))
    }

    /// Checks a message and gives it to the agent.
    async fn begin(&self, request: SendMessageRequest, call: Call) -> Result<Subscription, RpcError> {
        let shared = &self.shared;
        message::check(&request, &call, &shared.card)?;
        let configuration = request.configuration.unwrap_or_default();
        check_history_length(configuration.history_length)?;
        let permit = shared.usage.take(Resource::Turn, &call.caller.id, shared.limits.max_running_turns)?;
        let owner = Owner::new(&request.tenant, &call.caller);
        let mut message = request.message;
        let kind = if message.task_id.is_empty() {
            message.task_id = system::new_id();
            if message.context_id.is_empty() {
                message.context_id = system::new_id();
            }
            TurnKind::New
        } else {
            let task = self.find(owner.clone(), &message.task_id).await?.task;
            if !message.context_id.is_empty() && message.context_id != task.context_id {
                return Err(invalid("message.contextId", "the task belongs to another context"));
            }
            if task.status.state.is_terminal() {
                return Err(task_over(&task.id, &task.status.state));
            }
            message.context_id = task.context_id;
            TurnKind::Continue
        };
        let push = self.inline_push_config(&configuration, &message.task_id, call.legacy)?;
        let extensions = self.active_extensions(&call);
        let context = RequestContext {
            task_id: message.task_id.clone(),
            context_id: message.context_id.clone(),
            message,
            task: None,
            resumed: false,
            configuration,
            metadata: request.metadata,
            caller: call.caller,
            tenant: request.tenant,
            extensions,
            legacy: call.legacy,
            headers: call.headers,
            store: Arc::clone(&shared.store),
        };
        let handle = Handle::open(shared, &context.task_id);
        let subscription = Subscription::new(handle.clone(), owner.clone(), Follow::Turn);
        let subscriber = Some(subscription.id());
        let turn = Turn { kind, context, owner, subscriber, push, permit };
        handle.submit(Command::Start(Box::new(turn)));
        Ok(subscription)
    }

    /// The webhook that comes with a message.
    fn inline_push_config(
        &self,
        configuration: &SendMessageConfiguration,
        task_id: &str,
        legacy: bool,
    ) -> Result<Option<PushConfig>, RpcError> {
        let Some(mut config) = configuration.task_push_notification_config.clone() else { return Ok(None) };
        self.must_push()?;
        task_id.clone_into(&mut config.task_id);
        push::complete(&mut config, &self.shared.webhooks)?;
        Ok(Some(PushConfig { config, legacy }))
    }

    async fn find(&self, owner: Owner, id: &str) -> Result<TaskRecord, RpcError> {
        if id.is_empty() {
            return Err(invalid("id", "must not be empty"));
        }
        let found = self.shared.store.get(owner, id.to_owned()).await;
        found.map_err(|error| store_error(&error))?.ok_or_else(|| task_not_found(id))
    }

    fn must_stream(&self, method: Method) -> Result<(), RpcError> {
        match self.shared.card.capabilities.streaming {
            Some(true) => Ok(()),
            Some(false) | None => Err(unsupported(method)),
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("live_tasks", &self.live_tasks()).finish_non_exhaustive()
    }
}

fn check_history_length(length: Option<i32>) -> Result<(), RpcError> {
    match length {
        Some(..0) => Err(invalid("historyLength", "must not be negative")),
        Some(_) | None => Ok(()),
    }
}

/// The task with at most so many of its latest messages.
fn with_history(mut task: Task, length: Option<i32>) -> Task {
    if let Some(length) = length.and_then(|length| usize::try_from(length).ok()) {
        let older = task.history.len().saturating_sub(length);
        task.history.drain(..older);
    }
    task
}
