//! Cancels a task: the agent is asked, then dropped.

use std::{panic::AssertUnwindSafe, sync::Arc};

use a2a_types::{ErrorCode, Metadata, RpcError, Task, TaskState, TaskStatus};
use futures::FutureExt as _;
use tokio::sync::oneshot;

use super::{Driver, Outcome, Work};
use crate::{
    auth::Caller,
    engine::{record::UpdateError, registry::Handle},
    errors::{store_error, task_not_found},
    executor::CancelContext,
    store::Owner,
};

#[derive(Debug)]
pub(crate) struct CancelRequest {
    pub(in crate::engine) owner: Owner,
    pub(in crate::engine) caller: Caller,
    pub(in crate::engine) metadata: Option<Metadata>,
}

/// The agent is asked whether the task may be cancelled.
pub(super) struct Cancelling {
    pub(super) asked: Work,
    owner: Owner,
    waiting: Vec<Asker>,
}

type Asker = oneshot::Sender<Result<Task, RpcError>>;

impl Driver {
    pub(super) async fn cancel(&mut self, request: CancelRequest, done: Asker) {
        if let Some(cancelling) = &mut self.cancelling {
            // The agent may take its time, and clients that ask again and again may have gone meanwhile.
            if cancelling.waiting.len() == cancelling.waiting.capacity() {
                cancelling.waiting.retain(|done| !done.is_closed());
            }
            cancelling.waiting.push(done);
            return;
        }
        let task = match read(&self.handle, &request.owner).await {
            Ok(task) => task,
            Err(error) => {
                let _ = done.send(Err(error));
                return;
            }
        };
        if let Some(answer) = settled(&task) {
            let _ = done.send(answer);
            return;
        }
        let context = CancelContext { task, metadata: request.metadata, caller: request.caller };
        let executor = Arc::clone(&self.handle.shared().executor);
        let asked = async move { executor.cancel(context).await };
        self.cancelling = Some(Cancelling {
            asked: AssertUnwindSafe(asked.boxed()).catch_unwind(),
            owner: request.owner,
            waiting: vec![done],
        });
    }

    pub(super) async fn cancel_answered(&mut self, outcome: Outcome) {
        let Some(cancelling) = self.cancelling.take() else { return };
        let answer = match outcome {
            Ok(Ok(())) => self.cancel_now(&cancelling.owner).await,
            Ok(Err(error)) => Err(match error.downcast::<RpcError>() {
                Ok(error) => *error,
                Err(error) => RpcError::new(ErrorCode::TaskNotCancelable, error.to_string()),
            }),
            Err(_) => {
                tracing::error!(task = self.handle.id(), "the agent panicked while a task was cancelled");
                Err(RpcError::new(ErrorCode::InternalError, "the agent failed unexpectedly"))
            }
        };
        for done in cancelling.waiting {
            // Whoever asked may be gone.
            let _ = done.send(answer.clone());
        }
    }

    async fn cancel_now(&mut self, owner: &Owner) -> Result<Task, RpcError> {
        self.progress.load(&self.handle, owner).await?;
        let mut task = read(&self.handle, owner).await?;
        if let Some(answer) = settled(&task) {
            return answer;
        }
        // From here on the agent cannot say anything more.
        self.running = None;
        let cancelled = self.set_status(owner, &task.context_id, TaskStatus::new(TaskState::Canceled)).await;
        self.handle.end_turn();
        match cancelled {
            Ok(change) => {
                change.apply(&mut task);
                Ok(task)
            }
            Err(UpdateError::Store(error)) => Err(store_error(&error)),
            // Another process has ended the task.
            Err(UpdateError::Ended | UpdateError::Invalid(_)) => {
                let task = read(&self.handle, owner).await?;
                settled(&task).unwrap_or(Ok(task))
            }
        }
    }
}

async fn read(handle: &Handle, owner: &Owner) -> Result<Task, RpcError> {
    let found = handle.read(owner).await?;
    found.map(|record| record.task).ok_or_else(|| task_not_found(handle.id()))
}

/// The answer to a request to cancel a task that is over.
fn settled(task: &Task) -> Option<Result<Task, RpcError>> {
    match &task.status.state {
        TaskState::Canceled => Some(Ok(task.clone())),
        state if state.is_terminal() => {
            let message = format!("task {} is over: {state}", task.id);
            Some(Err(RpcError::new(ErrorCode::TaskNotCancelable, message)))
        }
        _ => None,
    }
}
