//! What an agent author writes.

use std::{error::Error, fmt, sync::Arc};

use a2a_types::{Message, Metadata, SendMessageConfiguration, Task};
use futures::future::{BoxFuture, ready};
use http::HeaderMap;

use crate::{
    auth::Caller,
    store::{Owner, StoreError, TaskQuery, TaskStore},
    updater::TaskUpdater,
};

/// Any error of an agent. An [`RpcError`](a2a_types::RpcError) inside keeps its code.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// What the methods of an [`AgentExecutor`] give.
pub type ExecuteFuture<'a> = BoxFuture<'a, Result<(), BoxError>>;

/// An agent: takes a message, reports what it does through a [`TaskUpdater`].
///
/// ```
/// use a2a_server::{AgentExecutor, ExecuteFuture, RequestContext, TaskUpdater};
///
/// /// Says every word back, one at a time.
/// #[derive(Debug)]
/// struct Parrot;
///
/// impl AgentExecutor for Parrot {
///     fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
///         Box::pin(async move {
///             if context.text().is_empty() {
///                 updater.input_required("What shall I say?").await?;
///                 return Ok(());
///             }
///             updater.working(()).await?;
///             let mut answer = updater.artifact("answer");
///             for word in context.text().split_inclusive(' ') {
///                 answer.chunk(word).await?;
///             }
///             updater.complete(()).await?;
///             Ok(())
///         })
///     }
/// }
/// ```
///
/// # One turn
///
/// [`execute`](Self::execute) is called once for every message, and what it does with the updater before it
/// returns is one turn. The first update decides what the answer is: [`TaskUpdater::reply`] answers with a
/// plain message and no task exists; any other update creates the task. A turn that leaves its task neither
/// finished nor waiting for the client fails it, as does an error or a panic. An error before the first
/// update is answered as it is if it is an [`RpcError`](a2a_types::RpcError).
///
/// # Cancel safety
///
/// The future is dropped, at whatever `await` it is, when the task is cancelled, and also when the client
/// goes away before the first update: until then, nobody else knows of the work. Afterwards the turn goes on
/// without the client.
pub trait AgentExecutor: Send + Sync + 'static {
    /// Answers a message.
    ///
    /// # Errors
    ///
    /// Whatever the agent cannot cope with; the task ends as failed, with the text of the error (its causes
    /// are not shown to the client).
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_>;

    /// Agrees to the cancellation of a task, or refuses it with an error. The default agrees.
    ///
    /// The turn goes on meanwhile. Afterwards its future is dropped and the task is cancelled, unless the
    /// turn has ended the task by itself. Undo here what the turn has done, if that is possible.
    ///
    /// # Errors
    ///
    /// The task cannot be cancelled; the client is told the text of the error.
    fn cancel(&self, _context: CancelContext) -> ExecuteFuture<'_> {
        Box::pin(ready(Ok(())))
    }
}

impl<E: AgentExecutor + ?Sized> AgentExecutor for Arc<E> {
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        (**self).execute(context, updater)
    }

    fn cancel(&self, context: CancelContext) -> ExecuteFuture<'_> {
        (**self).cancel(context)
    }
}

/// What an agent is told of the request it answers.
#[derive(Clone)]
#[non_exhaustive]
pub struct RequestContext {
    /// The message; its task and context id are filled in.
    pub message: Message,
    /// Id of the task: of the existing one, or of the one that the first update creates.
    pub task_id: String,
    /// Id of the conversation.
    pub context_id: String,
    /// The task that the message continues, as it was before.
    pub task: Option<Task>,
    /// Whether the turn is repeated because the server was restarted in the middle of it.
    pub resumed: bool,
    /// Options of the message.
    pub configuration: SendMessageConfiguration,
    /// Metadata of the request.
    pub metadata: Option<Metadata>,
    /// Who asks.
    pub caller: Caller,
    /// Tenant the request is for; empty for none.
    pub tenant: String,
    /// URIs of the extensions that are active: asked for, and declared in the card.
    pub extensions: Vec<String>,
    /// Whether the request is of protocol 0.3.
    pub legacy: bool,
    /// Headers of the request, credentials included.
    pub headers: HeaderMap,
    pub(crate) store: Arc<dyn TaskStore>,
}

impl RequestContext {
    /// The text parts of the message, joined by line feeds.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.message.parts.iter().filter_map(|part| part.as_text()).collect();
        texts.join("\n")
    }

    /// Media types the client can take; empty for any.
    pub fn accepted_output_modes(&self) -> &[String] {
        &self.configuration.accepted_output_modes
    }

    /// The tasks of this conversation before this message, oldest first, with their artifacts: the latest ones of the
    /// same caller in this context (at most 100, and not many more than 16 MiB of them), the one that the message continues last. Exchanges
    /// without a task are not kept.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub async fn earlier_tasks(&self) -> Result<Vec<Task>, StoreError> {
        let mut query = TaskQuery::new(Owner::new(&self.tenant, &self.caller));
        query.context_id = Some(self.context_id.clone());
        query.page_size = 100;
        query.with_artifacts = true;
        let page = self.store.list(query).await?;
        let others = page.tasks.into_iter().rev().filter(|task| task.id != self.task_id);
        Ok(others.chain(self.task.clone()).collect())
    }

    /// The messages of [`earlier_tasks`](Self::earlier_tasks), the agent's notes included.
    ///
    /// # Errors
    ///
    /// As [`earlier_tasks`](Self::earlier_tasks).
    pub async fn history(&self) -> Result<Vec<Message>, StoreError> {
        let tasks = self.earlier_tasks().await?;
        Ok(tasks.into_iter().flat_map(|task| task.history.into_iter().chain(task.status.message)).collect())
    }
}

impl fmt::Debug for RequestContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestContext")
            .field("task_id", &self.task_id)
            .field("context_id", &self.context_id)
            .field("message_id", &self.message.message_id)
            .field("continues", &self.task.is_some())
            .field("caller", &self.caller)
            .field("extensions", &self.extensions)
            .finish_non_exhaustive()
    }
}

/// What an agent is told of a request to cancel a task.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CancelContext {
    /// The task.
    pub task: Task,
    /// Metadata of the request.
    pub metadata: Option<Metadata>,
    /// Who asks.
    pub caller: Caller,
}
