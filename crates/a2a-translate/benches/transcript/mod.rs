//! A streamed reply to measure with: one artifact in chunks.
#![allow(clippy::indexing_slicing, reason = "a digit is less than 16")]

use std::sync::Arc;

use a2a_translate::{Clock, End, Event, IdSource, Msg, ReplyContext, ReplyTranslator, TranslateOptions};
use a2a_types::{
    Artifact, Part, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus, TaskStatusUpdateEvent,
};

/// The payloads: so many chunks of so many bytes, and the statuses around them.
pub(crate) fn payloads(chunks: usize, size: usize) -> Vec<StreamResponse> {
    let status = |state| TaskStatusUpdateEvent::new("task-1", "context-1", TaskStatus::new(state)).into();
    let chunk = |at: usize| {
        let text = "0123456789abcdef".repeat(size / 16);
        let artifact = Artifact::new("artifact-1", vec![Part::text(text)]);
        let mut update = TaskArtifactUpdateEvent::new("task-1", "context-1", artifact);
        update.append = at > 0;
        update.last_chunk = at + 1 == chunks;
        update.into()
    };
    let mut payloads = vec![status(TaskState::Working)];
    payloads.extend((0..chunks).map(chunk));
    payloads.push(status(TaskState::Completed));
    payloads
}

/// Translates the payloads, and folds the events into a message.
pub(crate) fn translate(payloads: Vec<StreamResponse>) -> Msg {
    let mut msg = Msg::reply();
    each_event(payloads, |event| msg.append_event(&event));
    msg
}

/// Translates the payloads, and hands each event out.
pub(crate) fn each_event(payloads: Vec<StreamResponse>, mut take: impl FnMut(Event)) {
    let mut translator = ReplyTranslator::new(
        ReplyContext::new("session-1", "Remote"),
        TranslateOptions::default(),
        Ids(0),
        Noon,
    );
    for payload in payloads {
        let _ = translator.handle(payload);
        drain(&mut translator, &mut take);
    }
    translator.finish(End::Ended);
    drain(&mut translator, &mut take);
}

fn drain(translator: &mut ReplyTranslator, take: &mut impl FnMut(Event)) {
    while let Some(event) = translator.poll_event() {
        take(event);
    }
}

/// Ids as long as real ones, made as cheaply as can be.
#[derive(Debug)]
struct Ids(u64);

impl IdSource for Ids {
    fn next_id(&mut self) -> Arc<str> {
        self.0 += 1;
        let mut id = [b'0'; 32];
        let mut rest = self.0;
        for digit in id.iter_mut().rev() {
            *digit = b"0123456789abcdef"[(rest % 16) as usize];
            rest /= 16;
        }
        std::str::from_utf8(&id).unwrap_or_default().into()
    }
}

/// A clock that stands still.
#[derive(Debug)]
struct Noon;

impl Clock for Noon {
    fn now(&mut self) -> Arc<str> {
        "2026-01-02T12:00:00.000000".into()
    }
}
