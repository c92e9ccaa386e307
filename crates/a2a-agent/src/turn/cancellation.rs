//! A turn that its caller wants to end.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use a2a_translate::End;
use a2a_types::Task;
use futures::FutureExt as _;
use tokio::time::{Sleep, sleep};

use super::{
    Phase, Turn,
    calls::{Call, Caller},
};
use crate::A2aAgent;

/// How far it has come.
pub(super) enum Cancellation {
    /// Nobody asked.
    None,
    /// Asked for; the task is not known yet.
    Wanted(Pin<Box<Sleep>>),
    /// The peer is being told.
    Telling(Call<Task>, Pin<Box<Sleep>>),
    /// The peer was told; the stream says what comes of it.
    Told(Pin<Box<Sleep>>),
}

impl Turn {
    /// Ready when there was something to do about a cancellation.
    pub(super) fn poll_cancellation(&mut self, agent: &mut A2aAgent, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.cancellation {
            Cancellation::None => {
                if !agent.cancel.is_requested() {
                    return Poll::Pending;
                }
                self.cancel_wanted(agent);
            }
            Cancellation::Wanted(deadline) => {
                let expired = deadline.poll_unpin(cx);
                if let Some(task_id) = self.running_task().or_else(|| agent.state.task_id.clone()) {
                    let call = Caller::of(agent).cancel_task(&task_id);
                    let deadline = Box::pin(sleep(agent.options.cancel_grace));
                    self.cancellation = Cancellation::Telling(call, deadline);
                } else {
                    ready!(expired);
                    self.finish(agent, End::Cancelled);
                }
            }
            Cancellation::Telling(call, deadline) => match call.poll_unpin(cx) {
                Poll::Ready(answer) => {
                    self.cancellation = Cancellation::Told(Box::pin(sleep(agent.options.cancel_grace)));
                    // After an error, most likely because the task has ended already, the stream has the last word.
                    if let Ok(task) = answer {
                        self.payload(agent, task.into());
                    }
                    if self.is_over() && !matches!(self.phase, Phase::Listening(_)) {
                        self.finish(agent, End::Ended);
                    }
                }
                Poll::Pending => {
                    ready!(deadline.poll_unpin(cx));
                    self.finish(agent, End::Cancelled);
                }
            },
            Cancellation::Told(deadline) => {
                ready!(deadline.poll_unpin(cx));
                self.finish(agent, End::Cancelled);
            }
        }
        Poll::Ready(())
    }

    fn cancel_wanted(&mut self, agent: &mut A2aAgent) {
        match self.phase {
            // Nothing was sent yet: nothing is.
            Phase::Ready | Phase::LookingUp { .. } => {
                self.open(agent, None);
                self.finish(agent, End::Cancelled);
            }
            Phase::Starting => self.finish(agent, End::Cancelled),
            _ => self.cancellation = Cancellation::Wanted(Box::pin(sleep(agent.options.cancel_grace))),
        }
    }
}

impl Drop for Turn {
    /// Cancels the remote task, if that is wanted, without waiting for what comes of it.
    fn drop(&mut self) {
        let Some(caller) = self.on_drop.take().filter(|_| !self.is_ended()) else { return };
        let (Some(task_id), Ok(runtime)) = (self.running_task(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let call = caller.cancel_task(&task_id);
        runtime.spawn(async move {
            if let Err(error) = call.await {
                tracing::warn!(task = task_id, "the task of a dropped reply could not be cancelled: {error}");
            }
        });
    }
}
