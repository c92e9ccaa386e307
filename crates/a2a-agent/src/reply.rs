//! The stream of a reply.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use a2a_translate::{Event, Msg, Places};
use a2a_types::TaskState;
use futures::{Stream, StreamExt as _, stream::FusedStream};

use crate::{A2aAgent, A2aAgentState, AgentError, CancelHandle, turn::Turn};

/// A reply as it arrives: events, and at the end the message they make up.
///
/// The first event is `REPLY_START` and the last `REPLY_END`, however the reply ends. An error is the last item;
/// an error before `REPLY_START` is the only one. Fused.
///
/// # Cancel safety
///
/// `next()` may be dropped at any time without losing an event. Dropping the stream closes its connection; the
/// remote task goes on, unless [`AgentOptions::cancel_on_drop`](crate::AgentOptions::cancel_on_drop) says otherwise.
#[must_use = "a reply does nothing unless it is polled"]
pub struct ReplyStream<'a> {
    events: ReplyEvents<'a>,
    message: Msg,
    places: Places,
}

impl<'a> ReplyStream<'a> {
    pub(crate) fn new(agent: &'a mut A2aAgent, turn: Turn) -> Self {
        Self { events: ReplyEvents { agent, turn }, message: Msg::reply(), places: Places::default() }
    }

    /// The message as far as it has come; `None` before `REPLY_START`. Also there after an error.
    pub fn message(&self) -> Option<&Msg> {
        (!self.message.id.is_empty()).then_some(&self.message)
    }

    /// The agent's state, up to date with every payload.
    pub fn state(&self) -> &A2aAgentState {
        &self.events.agent.state
    }

    /// The state of the task as the peer has last told it; `None` if it has not, or answered with a message.
    pub fn task_state(&self) -> Option<&TaskState> {
        self.events.turn.task_state()
    }

    /// Cancels this reply, from anywhere.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.events.agent.cancel.clone()
    }

    /// Reads the reply to its end and gives the message. After an error that the stream has already given, it is
    /// what had arrived: an empty message if that was nothing.
    ///
    /// # Errors
    ///
    /// What the stream ends with, if that was not given before.
    ///
    /// # Cancel safety
    ///
    /// Not cancel-safe: as dropping the stream.
    pub async fn finish(mut self) -> Result<Msg, AgentError> {
        while let Some(event) = self.next().await {
            event?;
        }
        Ok(self.message)
    }

    /// The events alone: nothing is kept, so that memory does not grow with the length of the reply.
    pub fn into_events(self) -> ReplyEvents<'a> {
        self.events
    }
}

impl Stream for ReplyStream<'_> {
    type Item = Result<Event, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { events, message, places } = &mut *self;
        let polled = events.poll_next_unpin(cx);
        if let Poll::Ready(Some(Ok(event))) = &polled {
            message.append_event_at(event, places);
        }
        polled
    }
}

impl FusedStream for ReplyStream<'_> {
    fn is_terminated(&self) -> bool {
        self.events.is_terminated()
    }
}

impl fmt::Debug for ReplyStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyStream").field("agent", &self.events.agent).finish_non_exhaustive()
    }
}

/// The events of a reply, without the message: see [`ReplyStream::into_events`].
#[must_use = "a reply does nothing unless it is polled"]
pub struct ReplyEvents<'a> {
    agent: &'a mut A2aAgent,
    turn: Turn,
}

impl Stream for ReplyEvents<'_> {
    type Item = Result<Event, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { agent, turn } = &mut *self;
        turn.poll_next(agent, cx)
    }
}

impl FusedStream for ReplyEvents<'_> {
    fn is_terminated(&self) -> bool {
        self.turn.is_ended()
    }
}

impl fmt::Debug for ReplyEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyEvents").field("agent", &self.agent).finish_non_exhaustive()
    }
}
