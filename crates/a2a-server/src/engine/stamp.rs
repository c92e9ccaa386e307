//! Fills in what an agent need not say: ids, roles and times.

use a2a_types::{Message, Part, Role, StreamResponse, Task, TaskState, TaskStatus};

use crate::system;

/// Makes a payload one of this task.
pub(super) fn update(update: &mut StreamResponse, task_id: &str, context_id: &str) {
    match update {
        StreamResponse::Message(message) => stamp_message(message, task_id, context_id),
        StreamResponse::Task(task) => stamp_task(task, task_id, context_id),
        StreamResponse::StatusUpdate(update) => {
            task_id.clone_into(&mut update.task_id);
            context_id.clone_into(&mut update.context_id);
            stamp_status(&mut update.status, task_id, context_id);
        }
        StreamResponse::ArtifactUpdate(update) => {
            task_id.clone_into(&mut update.task_id);
            context_id.clone_into(&mut update.context_id);
        }
        // Refused later on.
        _ => {}
    }
}

/// A text that the engine says in the agent's place.
pub(super) fn message(text: String) -> Message {
    Message::new(system::new_id(), Role::Agent, vec![Part::text(text)])
}

/// Whether an update says no more than that the task exists.
pub(super) fn is_bare_submission(update: &StreamResponse) -> bool {
    matches!(update, StreamResponse::StatusUpdate(update)
        if update.status.state == TaskState::Submitted && update.status.message.is_none() && update.metadata.is_none())
}

fn stamp_task(task: &mut Task, task_id: &str, context_id: &str) {
    task_id.clone_into(&mut task.id);
    context_id.clone_into(&mut task.context_id);
    stamp_status(&mut task.status, task_id, context_id);
}

fn stamp_status(status: &mut TaskStatus, task_id: &str, context_id: &str) {
    status.timestamp.get_or_insert_with(system::now);
    if let Some(message) = &mut status.message {
        stamp_message(message, task_id, context_id);
    }
}

fn stamp_message(message: &mut Message, task_id: &str, context_id: &str) {
    task_id.clone_into(&mut message.task_id);
    context_id.clone_into(&mut message.context_id);
    if message.message_id.is_empty() {
        message.message_id = system::new_id();
    }
    if message.role == Role::Unspecified {
        message.role = Role::Agent;
    }
}
