//! The status messages of a reply, and which of them were streamed.

use std::collections::VecDeque;

use a2a_types::Message;

use crate::{
    artifacts::Artifacts,
    error::TranslateError,
    parts::{Flow, Origin, Writer},
    seen::{Content, Repetition, begins_within_file, tail},
};

/// Status messages that were streamed.
#[derive(Debug, Default)]
pub(crate) struct Statuses {
    streamed: VecDeque<Streamed>,
}

#[derive(Debug)]
struct Streamed {
    task_id: Box<str>,
    message_id: Box<str>,
    content: Content,
}

impl Statuses {
    /// How many messages are remembered: the most recent ones. A repetition comes soon, or with a snapshot of the
    /// last.
    const REMEMBERED: usize = 256;

    /// Streams a status message in a block of its own, unless it says what the task has said already: as the same
    /// message, as an equal one, or as an artifact.
    pub(crate) fn write(
        &mut self,
        writer: &mut Writer,
        task_id: &str,
        message: Message,
        artifacts: &Artifacts,
    ) -> Result<(), TranslateError> {
        let mut content = Content::new(writer.key);
        content.extend_from(&message.parts);
        let said = |streamed: &Streamed| *streamed.task_id == *task_id && streamed.content.equals(&content);
        if !content.is_empty() && (self.streamed.iter().any(said) || artifacts.contain(task_id, &content)) {
            return Ok(());
        }
        let same = self.streamed.iter_mut().rev().find(|streamed| {
            !message.message_id.is_empty()
                && *streamed.message_id == *message.message_id
                && *streamed.task_id == *task_id
        });
        let mut begin = (0, 0);
        match same {
            Some(same) => {
                match same.content.compare(&message.parts) {
                    Repetition::Equal => return Ok(()),
                    Repetition::Longer { part, offset }
                        if !begins_within_file(&message.parts, part, offset) =>
                    {
                        begin = (part, offset);
                    }
                    Repetition::Longer { .. } | Repetition::Different => {}
                }
                same.content = content;
            }
            None => {
                if self.streamed.len() == Self::REMEMBERED {
                    self.streamed.pop_front();
                }
                self.streamed.push_back(Streamed {
                    task_id: task_id.into(),
                    message_id: message.message_id.into(),
                    content,
                });
            }
        }
        let origin = Origin::Status { task_id };
        let mut open = None;
        let written = writer.write(tail(message.parts, begin.0, begin.1), Flow::Whole, &mut open, origin);
        writer.end(open, origin);
        written
    }
}
