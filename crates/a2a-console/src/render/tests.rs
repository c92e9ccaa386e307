//! Transcripts of events, and what is shown of them.

use std::{cell::RefCell, rc::Rc};

use serde_json::json;

use super::*;

/// What happens to a renderer.
enum Step {
    Event(Value),
    State(TaskState),
    Idle,
    Waiting(u64),
}

use Step::{Idle, State, Waiting};

fn event(kind: &str, mut more: Value) -> Step {
    more["type"] = kind.into();
    more["reply_id"] = "r".into();
    Step::Event(more)
}

fn start() -> Step {
    event("REPLY_START", json!({ "session_id": "s", "name": "agent" }))
}

fn end(reason: &str) -> Step {
    event(
        "REPLY_END",
        json!({ "session_id": "s", "finished_reason": reason, "metadata": { "a2a": { "context_id": "c" } } }),
    )
}

fn open(block: &str) -> Step {
    event("TEXT_BLOCK_START", json!({ "block_id": block }))
}

fn delta(block: &str, text: &str) -> Step {
    event("TEXT_BLOCK_DELTA", json!({ "block_id": block, "delta": text }))
}

fn close(block: &str, origin: Value) -> Step {
    event("TEXT_BLOCK_END", json!({ "block_id": block, "metadata": { "a2a": origin } }))
}

fn artifact() -> Value {
    json!({ "task_id": "t", "artifact_id": "a" })
}

fn status() -> Value {
    json!({ "task_id": "t" })
}

/// A file, whole.
fn file(block: &str, name: Option<&str>, media_type: &str, content: Value) -> [Step; 3] {
    let mut delta = json!({ "block_id": block, "media_type": media_type });
    for (member, value) in content.as_object().unwrap() {
        delta[member] = value.clone();
    }
    [
        event("DATA_BLOCK_START", json!({ "block_id": block, "media_type": media_type, "name": name })),
        event("DATA_BLOCK_DELTA", delta),
        event("DATA_BLOCK_END", json!({ "block_id": block, "metadata": { "a2a": artifact() } })),
    ]
}

fn play<O: Write, N: Write>(renderer: &mut ConsoleRenderer<O, N>, steps: impl IntoIterator<Item = Step>) {
    for step in steps {
        match step {
            Step::Event(event) => renderer.event(&serde_json::from_value(event).unwrap()),
            State(state) => renderer.task_state(Some(&state)),
            Idle => renderer.idle(),
            Waiting(seconds) => renderer.waiting(Duration::from_secs(seconds)),
        }
        .unwrap();
    }
}

/// What is shown with both writers apart, notices after a rule.
fn apart(verbosity: Verbosity, steps: impl IntoIterator<Item = Step>) -> String {
    let mut renderer = ConsoleRenderer::new(Vec::new(), Vec::new()).with_verbosity(verbosity);
    play(&mut renderer, steps);
    let (out, notes) = renderer.into_writers();
    format!("{}---\n{}", String::from_utf8(out).unwrap(), String::from_utf8(notes).unwrap())
}

/// What is shown on one terminal, with its control sequences spelled out.
fn joined(steps: impl IntoIterator<Item = Step>) -> String {
    #[derive(Clone, Default)]
    struct Screen(Rc<RefCell<Vec<u8>>>);
    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let screen = Screen::default();
    let mut renderer = ConsoleRenderer::new(screen.clone(), screen.clone())
        .with_joined_writers(true)
        .with_label("Tide Desk");
    play(&mut renderer, steps);
    let shown = String::from_utf8(screen.0.take()).unwrap();
    shown.replace('\r', "<CR>").replace("\u{1b}[K", "<CLEAR>")
}

#[test]
fn text_is_shown_as_it_comes() {
    let mut renderer = ConsoleRenderer::new(Vec::new(), io::sink());
    play(&mut renderer, [start(), open("b"), delta("b", "Hel"), Idle]);
    assert_eq!(renderer.out(), b"Hel");
    play(&mut renderer, [delta("b", "lo")]);
    assert_eq!(renderer.out(), b"Hello");
    play(&mut renderer, [close("b", artifact()), end("completed")]);
    assert_eq!(renderer.out(), b"Hello\n");
}

#[test]
fn blocks_have_lines_of_their_own() {
    let steps = [
        start(),
        open("left"),
        delta("left", "left 1 "),
        Idle,
        open("right"),
        delta("right", "right 1 "),
        Idle,
        delta("left", "left 2"),
        delta("right", "right 2\n"),
        close("left", artifact()),
        close("right", artifact()),
        end("completed"),
    ];
    insta::assert_snapshot!(apart(Verbosity::Default, steps), @"
    left 1 left 2
    right 1 right 2
    ---
    ");
}

#[test]
fn blocks_that_are_left_open_are_shown_at_the_end() {
    let steps = [start(), open("a"), delta("a", "one"), open("b"), delta("b", "two"), end("error")];
    insta::assert_snapshot!(apart(Verbosity::Default, steps), @"
    one
    two
    ---
    ");
}

#[test]
fn progress_is_a_notice_and_a_question_is_not() {
    let steps = || {
        [
            start(),
            State(TaskState::Working),
            open("p"),
            delta("p", "looking\nthings up"),
            close("p", status()),
            Idle,
            open("a"),
            delta("a", "the draft"),
            close("a", artifact()),
            State(TaskState::InputRequired),
            open("q"),
            delta("q", "Which harbour?"),
            close("q", status()),
            end("completed"),
        ]
    };
    insta::assert_snapshot!(apart(Verbosity::Default, steps()), @"
    the draft
    Which harbour?
    ---
    · looking things up
    · input required
    ");
    insta::assert_snapshot!(apart(Verbosity::Quiet, steps()), @"
    the draft
    Which harbour?
    ---
    ");
}

#[test]
fn debugging_shows_every_event() {
    let hi = [open("a"), delta("a", "hi"), Idle, close("a", status())];
    let steps = [start(), State(TaskState::Working)].into_iter().chain(hi).chain([end("interrupted")]);
    insta::assert_snapshot!(apart(Verbosity::Debug, steps), @r#"
    hi
    ---
    · REPLY_START r
    · task state TASK_STATE_WORKING
    · TEXT_BLOCK_START
    · TEXT_BLOCK_DELTA "hi"
    · TEXT_BLOCK_END {"task_id":"t"}
    · REPLY_END interrupted {"context_id":"c"}
    · cancelled
    "#);
}

#[test]
fn files_are_shown_by_number_name_type_and_size() {
    let png = file("b1", Some("dot.png"), "image/png", json!({ "data": "iVBORw0KGgo=" }));
    let large = file("b2", None, "application/octet-stream", json!({ "data": "A".repeat(4096) }));
    let elsewhere = file("b3", Some(""), "text/html", json!({ "url": "https://h.test/x\u{1b}[2J" }));
    let steps = [start()].into_iter().chain(png).chain(large).chain(elsewhere).chain([end("completed")]);
    insta::assert_snapshot!(apart(Verbosity::Default, steps), @"
    [1] dot.png, image/png, 8 bytes
    [2] application/octet-stream, 3.0 KiB
    [3] text/html, at https://h.test/x
    ---
    ");
}

#[test]
fn nothing_of_the_peer_controls_the_terminal() {
    let steps = [
        start(),
        State(TaskState::Working),
        open("p"),
        delta("p", "st\u{1b}[31matus\rover"),
        close("p", status()),
        open("a"),
        delta("a", "hi\u{1b}[2"),
        Idle,
        delta("a", "J\u{1b}]52;c;aGFjaw==\u{7}1A\rfake> done"),
        close("a", artifact()),
    ];
    let name = file("f", Some("a\u{9b}31m\nb"), "x/y\u{7}", json!({ "data": "AA==" }));
    let shown = apart(Verbosity::Default, steps.into_iter().chain(name).chain([end("completed")]));
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    insta::assert_snapshot!(shown, @"
    hi1A
    fake> done
    [1] a b, x/y, 1 byte
    ---
    · status over
    ");
}

#[test]
fn on_one_terminal_a_notice_ends_the_line_of_text() {
    let steps = [
        start(),
        Waiting(2),
        State(TaskState::Working),
        Waiting(3),
        open("a"),
        delta("a", "half"),
        Idle,
        // Not in the middle of a line.
        Waiting(4),
        State(TaskState::Canceled),
        end("interrupted"),
    ];
    insta::assert_snapshot!(joined(steps), @"
    <CR><CLEAR>waiting, 2 s<CR><CLEAR>working, 3 s<CR><CLEAR>Tide Desk> half
    · cancelled
    ");
}

#[test]
fn a_reply_without_text_has_no_name() {
    insta::assert_snapshot!(joined([start(), State(TaskState::AuthRequired), end("completed")]), @"· authentication required");
}

#[test]
fn colours_are_only_where_they_are_wanted() {
    let mut renderer = ConsoleRenderer::new(Vec::new(), Vec::new())
        .with_styles(Style { color: true }, Style { color: true })
        .with_label("a");
    play(&mut renderer, [start(), open("b"), delta("b", "hi"), close("b", artifact()), end("interrupted")]);
    let (out, notes) = renderer.into_writers();
    assert_eq!(out, b"\x1b[1ma>\x1b[0m hi\n");
    assert_eq!(String::from_utf8(notes).unwrap(), "\x1b[2m· cancelled\x1b[0m\n");
}

#[test]
fn a_writer_that_is_gone_is_an_error_only_for_answers() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut renderer = ConsoleRenderer::new(Vec::new(), Gone);
    renderer.note("anybody there?").unwrap();
    let mut renderer = ConsoleRenderer::new(Gone, Vec::new());
    play(&mut renderer, [start(), open("b"), delta("b", "hi")]);
    assert_eq!(renderer.idle().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}
