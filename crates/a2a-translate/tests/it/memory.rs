//! What the machine keeps does not grow with what it translates.

use a2a_translate::{CountingClock, CountingIds, ReplyContext, ReplyTranslator, TranslateOptions};
use a2a_types::{Part, StreamResponse, TaskState};

use crate::support::{artifact, status, task};

/// Bytes that the translator holds on to while it takes in so many payloads, whose events are taken out and dropped.
fn kept(payloads: usize, payload: impl Fn(usize) -> StreamResponse) -> i64 {
    let mut translator = ReplyTranslator::new(
        ReplyContext::new("session", "Remote"),
        TranslateOptions::default(),
        CountingIds::default(),
        CountingClock::default(),
    );
    let counted = allocation_counter::measure(|| {
        for at in 0..payloads {
            translator.handle(payload(at)).unwrap();
            while translator.poll_event().is_some() {}
        }
    });
    counted.bytes_current
}

#[test]
fn chunks_of_text() {
    let chunk = |at| {
        let mut chunk = artifact("t-1", "a-1", vec![Part::text("x".repeat(1000))]);
        chunk.append = at > 0;
        chunk.into()
    };
    assert_eq!(kept(5_000, chunk), kept(50, chunk));
}

#[test]
fn chunks_of_a_file() {
    let chunk = |at| {
        let mut chunk = artifact("t-1", "a-1", vec![Part::raw([7; 1000])]);
        chunk.append = at > 0;
        chunk.into()
    };
    assert_eq!(kept(5_000, chunk), kept(50, chunk));
}

#[test]
fn snapshots() {
    let snapshot = |at: usize| {
        let text = Part::text("x".repeat(at + 1));
        let artifact = artifact("t-1", "a-1", vec![text]).artifact;
        task("t-1", TaskState::Working, vec![artifact])
    };
    assert_eq!(kept(1_000, snapshot), kept(50, snapshot));
}

/// Of status messages, the last 256 are remembered.
#[test]
fn notes_of_progress() {
    let note = |at: usize| status("t-1", TaskState::Working, &format!("{at:04} {}", "x".repeat(100)));
    let (few, many) = (kept(300, note), kept(3_000, note));
    assert!(many <= few + 256, "{few} bytes became {many}");
}

/// The machine is part of the application's own futures, which would be dear to allocate if it asked for more.
#[test]
fn alignment() {
    assert_eq!(align_of::<ReplyTranslator>(), align_of::<usize>());
}
