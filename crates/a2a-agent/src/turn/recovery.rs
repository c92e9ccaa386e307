//! A turn that broke: how the rest of it is looked for.
//!
//! A stream that ended before its task did is taken up again with SubscribeToTask; where the peer does not have
//! that, or says that the task is over, the task is looked at with GetTask until it is. What comes again is not
//! translated again: the translator is the same.

use std::time::Duration;

use a2a_translate::End;
use a2a_transport::TransportError;
use a2a_types::Task;

use super::{Phase, Turn, calls::Caller};
use crate::{
    A2aAgent, AgentError,
    error::{is_task_not_found, may_pass},
    system::jittered,
};

/// How far the search has come.
#[derive(Default)]
pub(super) struct Recovery {
    /// Attempts, or looks, in a row that brought nothing new.
    attempts: u32,
    /// Whether the stream ended by itself, instead of being cut.
    ended_by_itself: bool,
    /// What cut the stream, or stood in the way of taking it up again.
    cause: Option<TransportError>,
    /// Whether the stream that is listened to came from an attempt and has not said anything yet.
    pub(super) untried: bool,
}

impl Recovery {
    /// Something new has come: what was is forgotten.
    pub(super) fn succeed(&mut self) {
        *self = Self::default();
    }
}

impl Turn {
    /// The stream has ended, by itself or not.
    pub(super) fn stream_ended(&mut self, agent: &mut A2aAgent, cause: Option<TransportError>) {
        if self.is_over() {
            return self.finish(agent, End::Ended);
        }
        match cause {
            Some(error) if self.recovery.untried => self.reattaching_failed(agent, error),
            Some(error) if !may_pass(&error) => self.fail(agent, error.into()),
            Some(error) => {
                self.recovery.cause = Some(error);
                self.reattach(agent);
            }
            None => {
                self.recovery.ended_by_itself |= self.recovery.cause.is_none();
                self.reattach(agent);
            }
        }
    }

    /// Asks for the rest, or gives up.
    pub(super) fn reattach(&mut self, agent: &mut A2aAgent) {
        let Some(options) = agent.options.recovery else { return self.give_up(agent) };
        let attempt = self.recovery.attempts;
        if attempt >= options.max_attempts {
            return self.give_up(agent);
        }
        self.recovery.attempts += 1;
        self.reattach_after(agent, jittered(options.delay(attempt)));
    }

    /// Asks for the rest after a delay; without a known task there is nothing to ask for.
    pub(super) fn reattach_after(&mut self, agent: &mut A2aAgent, delay: Duration) {
        match self.running_task() {
            Some(task_id) if self.streaming => {
                self.phase = Phase::Reattaching(Caller::of(agent).subscribe(&task_id, delay))
            }
            Some(task_id) => self.phase = Phase::Polling(Caller::of(agent).get_task(&task_id, delay)),
            None => self.give_up(agent),
        }
    }

    pub(super) fn reattaching_failed(&mut self, agent: &mut A2aAgent, error: TransportError) {
        self.recovery.untried = false;
        if error.is_auth() {
            self.fail(agent, error.into());
        } else if may_pass(&error) {
            self.recovery.cause.get_or_insert(error);
            self.reattach(agent);
        } else if is_task_not_found(&error) {
            self.give_up(agent);
        } else {
            // The task is over, or cannot be followed: it can be looked at.
            self.poll_after(agent, Duration::ZERO);
        }
    }

    /// Ends the turn if it is over, else looks at its task until it is.
    pub(super) fn finish_or_poll(&mut self, agent: &mut A2aAgent) {
        if matches!(self.phase, Phase::Ended) {
            return;
        }
        let polls = self.recovery.attempts;
        if self.is_over() {
            self.finish(agent, End::Ended);
        } else if polls < agent.options.polling.max_idle_polls {
            self.recovery.attempts += 1;
            self.poll_after(agent, jittered(agent.options.polling.delay(polls)));
        } else {
            self.give_up(agent);
        }
    }

    fn poll_after(&mut self, agent: &mut A2aAgent, delay: Duration) {
        match self.running_task() {
            Some(task_id) => self.phase = Phase::Polling(Caller::of(agent).get_task(&task_id, delay)),
            None => self.give_up(agent),
        }
    }

    pub(super) fn polled(&mut self, agent: &mut A2aAgent, task: Task) {
        self.payload(agent, task.into());
        self.finish_or_poll(agent);
    }

    pub(super) fn polling_failed(&mut self, agent: &mut A2aAgent, error: TransportError) {
        if is_task_not_found(&error) {
            self.give_up(agent);
        } else if may_pass(&error) {
            self.recovery.cause.get_or_insert(error);
            self.finish_or_poll(agent);
        } else {
            self.fail(agent, error.into());
        }
    }

    /// Nothing helps: the reply ends with what broke it, or as what has come says.
    fn give_up(&mut self, agent: &mut A2aAgent) {
        let Some(translator) = &self.translator else { return };
        // Artifacts, and never a word about a status: that is a complete answer, whatever became of the search.
        if self.recovery.ended_by_itself && translator.understood() && translator.last_state().is_none() {
            return self.finish(agent, End::Ended);
        }
        let error = match self.recovery.cause.take() {
            Some(cause) => cause.into(),
            None if !self.answered => AgentError::EmptyStream,
            None if !translator.understood() => AgentError::NotUnderstood,
            None => AgentError::Unfinished { task_id: self.running_task().unwrap_or_default() },
        };
        self.fail(agent, error);
    }
}
