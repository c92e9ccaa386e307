//! From the first poll to the peer's answer.

use std::time::Duration;

use a2a_transport::{ErrorKind, TransportError};
use a2a_types::{Task, TaskState};

use super::{
    Phase, Turn,
    calls::{Answer, Caller},
};
use crate::{A2aAgent, AgentError, error::is_task_not_found};

impl Turn {
    pub(super) fn begin(&mut self, agent: &mut A2aAgent) {
        if self.input.is_empty() && agent.state.observed_context.is_empty() {
            self.fail(agent, AgentError::NoInput);
            return;
        }
        match agent.state.pending_task().map(str::to_owned) {
            Some(task_id) => {
                let call = Caller::of(agent).get_task(&task_id, Duration::ZERO);
                self.phase = Phase::LookingUp { task_id, call };
            }
            None => self.start(agent, None),
        }
    }

    pub(super) fn begin_resuming(&mut self, agent: &mut A2aAgent) {
        match agent.state.running_task_id.clone() {
            Some(task_id) => {
                self.resumed = Some(task_id);
                self.open(agent, None);
                self.reattach_after(agent, Duration::ZERO);
            }
            None => self.fail(agent, AgentError::NothingToResume),
        }
    }

    /// What becomes of the turn, by how the task of the last one stands.
    pub(super) fn looked_up(
        &mut self,
        agent: &mut A2aAgent,
        task_id: String,
        answer: Result<Task, TransportError>,
    ) {
        match answer {
            Ok(mut task) => match task.status.state {
                TaskState::InputRequired | TaskState::AuthRequired => {
                    // The one that was asked for, whatever the peer calls it.
                    task.id = task_id;
                    self.start(agent, Some(task));
                }
                state @ (TaskState::Submitted | TaskState::Working) => {
                    self.fail(agent, AgentError::TaskStillRunning { task_id, state });
                }
                _ => self.start(agent, None),
            },
            Err(error) if is_task_not_found(&error) => self.start(agent, None),
            Err(source) => self.fail(agent, AgentError::LookUp { task_id, source }),
        }
    }

    /// Starts the reply, in the given task or in a new one.
    pub(super) fn start(&mut self, agent: &mut A2aAgent, task: Option<Task>) {
        agent.state.running_task_id = None;
        agent.state.task_id = task.as_ref().map(|task| task.id.clone());
        self.open(agent, task);
        self.phase = Phase::Starting;
    }

    /// Gives the first event.
    pub(super) fn open(&mut self, agent: &A2aAgent, task: Option<Task>) {
        self.translator.insert(Box::new(agent.new_translator(task))).start();
    }

    /// Sends the message, as a stream if both the card and the transport have streaming.
    pub(super) fn send(&mut self, agent: &mut A2aAgent) {
        match agent.request(&self.input) {
            Ok(request) => {
                self.phase = Phase::Sending(Caller::of(agent).send_message(request, self.streaming))
            }
            Err(error) => self.fail(agent, AgentError::Request(error)),
        }
    }

    pub(super) fn answered(&mut self, agent: &mut A2aAgent, answer: Result<Answer, TransportError>) {
        match answer {
            Ok(Answer::Stream(stream)) => self.phase = Phase::Listening(stream),
            Ok(Answer::Payload(payload)) => {
                self.payload(agent, payload);
                self.finish_or_poll(agent);
            }
            // Nothing was sent: the transport does not have the operation.
            Err(error) if self.streaming && error.kind() == ErrorKind::Unsupported => {
                self.streaming = false;
                self.send(agent);
            }
            Err(error) => self.fail(agent, error.into()),
        }
    }
}
