//! The proxy itself.

use std::{fmt, sync::Arc};

use a2a_translate::{Msg, ReplyContext, ReplyTranslator, TranslateError, TranslateOptions, build_request};
use a2a_transport::{CardResolver, HttpClient, HttpConfig, Transport};
use a2a_types::{AgentCard, CancelTaskRequest, SendMessageRequest, Task};

use crate::{
    A2aAgentBuilder, A2aAgentState, AgentError, AgentOptions, CancelHandle, Input, ReplyStream,
    system::Sources, turn::Turn,
};

/// A local proxy for a remote agent.
///
/// The remote side owns model, tools and context; the agent keeps what ties a conversation together
/// ([`A2aAgentState`]), sends messages, and turns what comes back into events and one message. It gives one
/// reply at a time, which the borrow checker sees to.
pub struct A2aAgent {
    name: Arc<str>,
    card: AgentCard,
    pub(crate) streaming: bool,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) state: A2aAgentState,
    pub(crate) options: AgentOptions,
    pub(crate) cancel: CancelHandle,
    sources: Sources,
}

impl A2aAgent {
    /// Connects to the agent at this URL: fetches its card, chooses an interface, and is ready to talk.
    ///
    /// # Errors
    ///
    /// There is no card, what is there is not one, or it has no interface that the client speaks.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future abandons the attempt.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), a2a_agent::AgentError> {
    /// let mut agent = a2a_agent::A2aAgent::connect("http://127.0.0.1:9999").await?;
    /// let reply = agent.reply("Plan me a weekend trip to Hangzhou.").await?;
    /// println!("{}", reply.text_content());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(url: &str) -> Result<Self, AgentError> {
        let http = HttpClient::new(HttpConfig::default())?;
        let card = CardResolver::new(http.clone()).resolve(url).await?;
        Self::builder(card).http(http).build()
    }

    /// Builds an agent from a card, with a transport, a state or options of one's own.
    pub fn builder(card: AgentCard) -> A2aAgentBuilder {
        A2aAgentBuilder::new(card)
    }

    pub(crate) fn new(
        card: AgentCard,
        transport: Arc<dyn Transport>,
        mut state: A2aAgentState,
        options: AgentOptions,
        sources: Sources,
    ) -> Self {
        if state.session_id.is_empty() {
            (sources.ids)().next_id().as_ref().clone_into(&mut state.session_id);
        }
        Self {
            name: card.name.as_str().into(),
            streaming: card.capabilities.streaming == Some(true),
            card,
            transport,
            state,
            options,
            cancel: CancelHandle::default(),
            sources,
        }
    }

    /// The name of the remote agent, and so of this one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The card of the remote agent.
    pub fn card(&self) -> &AgentCard {
        &self.card
    }

    /// What is worth keeping of the conversation, as of now.
    pub fn state(&self) -> &A2aAgentState {
        &self.state
    }

    /// The transport, to be shared with other agents or used for calls of one's own.
    pub fn transport(&self) -> &Arc<dyn Transport> {
        &self.transport
    }

    /// How the agent behaves.
    pub fn options(&self) -> &AgentOptions {
        &self.options
    }

    /// Sends the input and streams the reply. Nothing is sent before the stream is first polled.
    ///
    /// # Errors
    ///
    /// By the stream, whose last item is the error.
    ///
    /// # Cancel safety
    ///
    /// `next()` loses nothing when dropped. Dropping the stream stops listening; the remote task goes on and
    /// its id stays in [`A2aAgentState::running_task_id`].
    pub fn reply_stream(&mut self, input: impl Into<Input>) -> ReplyStream<'_> {
        self.cancel.reset();
        let turn = Turn::reply(self, input.into().messages);
        ReplyStream::new(self, turn)
    }

    /// Sends the input and waits for the whole reply: [`reply_stream`](Self::reply_stream), folded.
    ///
    /// A reply that the peer ended as failed is not an error here: its message says so in
    /// [`Msg::finished_reason`] and [`Msg::error`].
    ///
    /// # Errors
    ///
    /// See [`AgentError`]. What had arrived before the error is lost here; use the stream to keep it.
    ///
    /// # Cancel safety
    ///
    /// Not cancel-safe: as dropping the stream.
    pub async fn reply(&mut self, input: impl Into<Input>) -> Result<Msg, AgentError> {
        self.reply_stream(input).finish().await
    }

    /// Follows the task that was still running when its stream was last heard of, as a reply of its own that
    /// begins with what the task has produced so far.
    ///
    /// # Errors
    ///
    /// By the stream; [`AgentError::NothingToResume`] when no such task is known.
    pub fn resume(&mut self) -> ReplyStream<'_> {
        self.cancel.reset();
        let turn = Turn::resume(self);
        ReplyStream::new(self, turn)
    }

    /// Keeps messages, to be sent ahead of the next reply.
    pub fn observe(&mut self, messages: impl Into<Input>) {
        let mut messages = messages.into().messages;
        self.stamp(&mut messages);
        self.state.observed_context.append(&mut messages);
    }

    /// Does nothing: the remote side owns its context. There for the sake of AgentScope's interface.
    #[expect(clippy::unused_async, reason = "the interface of agents has it so")]
    pub async fn compress_context(&mut self) {}

    /// Cancels the task of the last turn, running or waiting, while no reply is being given; for a reply under
    /// way there is [`cancel_handle`](Self::cancel_handle). `None` when no task is known.
    ///
    /// # Errors
    ///
    /// The peer refused, or could not be reached. The state stays as it was.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves open whether the peer cancels. Calling again is harmless.
    pub async fn cancel(&mut self) -> Result<Option<Task>, AgentError> {
        let Some(task_id) = self.state.running_task_id.as_ref().or(self.state.task_id.as_ref()) else {
            return Ok(None);
        };
        let request = CancelTaskRequest::new(task_id);
        let task = self.transport.cancel_task(request, self.options.call.clone()).await?;
        if task.status.state.is_terminal() {
            self.state.running_task_id = None;
            self.state.task_id = None;
        }
        Ok(Some(task))
    }

    /// Cancels the reply under way, from anywhere.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// Forgets the conversation: the next reply begins a new one. Observed messages stay.
    pub fn start_over(&mut self) {
        self.state.context_id = None;
        self.state.task_id = None;
        self.state.running_task_id = None;
    }

    /// Fills in the ids and times that the application left open.
    fn stamp(&self, messages: &mut [Msg]) {
        let (mut ids, mut clock) = ((self.sources.ids)(), (self.sources.clock)());
        for message in messages {
            message.stamp(&mut *ids, &mut *clock);
        }
    }

    /// The machine for the next reply, which continues the task if there is one.
    pub(crate) fn new_translator(&self, task: Option<Task>) -> ReplyTranslator {
        let mut context = ReplyContext::new(self.state.session_id.as_str(), Arc::clone(&self.name));
        context.context_id.clone_from(&self.state.context_id);
        context.task_id.clone_from(&self.state.task_id);
        context.known_task = task;
        let options = TranslateOptions::default().with_data_parts(self.options.data_parts);
        ReplyTranslator::new(context, options, (self.sources.ids)(), (self.sources.clock)())
    }

    /// What was observed and the input, as one request.
    pub(crate) fn request(&self, input: &[Msg]) -> Result<SendMessageRequest, TranslateError> {
        build_request(
            self.state.observed_context.iter().chain(input),
            self.state.context_id.as_deref(),
            self.state.task_id.as_deref(),
            &self.options.request,
            &mut *(self.sources.ids)(),
        )
    }

    /// Brings the state up to date with what was translated.
    pub(crate) fn commit(&mut self, translator: &ReplyTranslator) {
        if translator.understood() {
            update(&mut self.state.context_id, translator.context_id());
            update(&mut self.state.task_id, translator.task_id());
            update(&mut self.state.running_task_id, translator.running_task_id());
        }
    }

    /// Ends the agent and gives what is worth keeping. Nothing is sent; a remote task goes on.
    #[expect(clippy::unused_async, reason = "the interface of agents has it so")]
    pub async fn close(self) -> A2aAgentState {
        self.state
    }
}

/// Keeps the string that is there if it is the same: most payloads change nothing.
fn update(kept: &mut Option<String>, now: Option<&str>) {
    if kept.as_deref() != now {
        *kept = now.map(str::to_owned);
    }
}

impl fmt::Debug for A2aAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aAgent")
            .field("name", &self.name)
            .field("transport", &self.transport)
            .field("context_id", &self.state.context_id)
            .field("task_id", &self.state.task_id)
            .field("running_task_id", &self.state.running_task_id)
            .field("observed", &self.state.observed_context.len())
            .finish_non_exhaustive()
    }
}
