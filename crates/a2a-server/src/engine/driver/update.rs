//! Makes the changes of a task: checked, stored, then published.

use a2a_types::{StreamResponse, Task, TaskState, TaskStatus, TaskStatusUpdateEvent};

use super::{Driver, register};
use crate::{
    engine::{
        live::Event,
        push,
        record::{Progress, UpdateError, check_state},
        stamp,
    },
    errors::store_error,
    store::{Owner, TaskChange},
    system,
};

impl Driver {
    pub(super) async fn update(&mut self, mut update: StreamResponse) -> Result<(), UpdateError> {
        let Some(running) = &self.running else { return Err(UpdateError::Ended) };
        let owner = running.owner.clone();
        check_state(&update)?;
        stamp::update(&mut update, &running.context.task_id, &running.context.context_id);
        if let StreamResponse::Message(mut message) = update {
            return match self.progress {
                Progress::New => {
                    // No task exists, so the reply belongs to none.
                    message.task_id = String::new();
                    self.progress = Progress::Replied;
                    self.handle.publish(&Event::new(0, message.into()));
                    Ok(())
                }
                Progress::Replied => Err(UpdateError::Invalid("there is a reply already")),
                Progress::Stored(_) => Err(UpdateError::Invalid("a task is not answered with a message")),
            };
        }
        if self.progress.is_new() {
            let done = self.create(&update, &owner).await?;
            if done {
                return Ok(());
            }
        }
        let change = self.progress.change(&update, &self.handle.shared().limits)?;
        let mut version = self.progress.write(&self.handle, &owner, change).await?;
        if let StreamResponse::Task(snapshot) = &mut update {
            // With the history, which the agent need not know.
            let found = self.handle.shared().store.get(owner, self.handle.id().to_owned()).await;
            if let Some(record) = found.map_err(UpdateError::Store)? {
                version = record.version;
                **snapshot = record.task;
            }
        }
        self.handle.publish(&Event::new(version, update));
        Ok(())
    }

    /// Creates the task. Gives whether that is all there was to the update.
    async fn create(&mut self, update: &StreamResponse, owner: &Owner) -> Result<bool, UpdateError> {
        let Some(running) = &mut self.running else { return Err(UpdateError::Ended) };
        let message = running.context.message.clone();
        let (task, done) = match update {
            StreamResponse::Task(task) => {
                let mut task = Task::clone(task);
                if task.history.is_empty() {
                    task.history.push(message);
                }
                (task, true)
            }
            other => {
                let status = TaskStatus::new(TaskState::Submitted).with_timestamp(system::now());
                let mut task =
                    Task::new(running.context.task_id.clone(), running.context.context_id.clone(), status);
                task.history.push(message);
                (task, stamp::is_bare_submission(other))
            }
        };
        let push = running.push.take();
        self.progress = Progress::create(&self.handle, owner, task.clone()).await?;
        let registered = register(&self.handle, push).await;
        push::follow(&self.handle, owner).await;
        self.handle.publish(&Event::new(1, task.into()));
        registered.map(|()| done).map_err(UpdateError::Store)
    }

    /// Sets a status on the engine's own account. Gives the change that was made.
    pub(super) async fn set_status(
        &mut self,
        owner: &Owner,
        context_id: &str,
        status: TaskStatus,
    ) -> Result<TaskChange, UpdateError> {
        let mut update: StreamResponse = TaskStatusUpdateEvent::new("", "", status).into();
        stamp::update(&mut update, self.handle.id(), context_id);
        let change = self.progress.change(&update, &self.handle.shared().limits)?;
        let version = self.progress.write(&self.handle, owner, change.clone()).await?;
        self.handle.publish(&Event::new(version, update));
        Ok(change)
    }

    /// Tells whoever follows the task that it cannot be written.
    pub(super) fn report(&self, error: &UpdateError) {
        if let UpdateError::Store(error) = error {
            tracing::error!(task = self.handle.id(), %error, "a task cannot be stored");
            self.handle.publish(&Event::error(store_error(error)));
        }
    }
}
