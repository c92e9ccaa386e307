//! Being told to stop, and readers that go away.

use std::process::Stdio;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::{
    peer::{methods, peer, result, stream, task, text},
    program::{Run, a2a, finish, state_file},
};

/// Starts `send` to a peer that begins a reply and falls silent, and signals it in the middle of that.
async fn signalled(signals: &[Signal], state: &std::path::Path) -> (Run, Vec<String>) {
    let begun = stream(&[task("TASK_STATE_WORKING"), text("half", false)]).hold();
    let cancelled = result(&task("TASK_STATE_CANCELED")["task"]);
    let server = peer([begun, cancelled]).await;
    let mut child =
        a2a().args(["send", &server.url(""), "go", "--events", "--state"]).arg(state).spawn().unwrap();
    let pid = Pid::from_raw(child.id().unwrap().try_into().unwrap());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut out = String::new();
    while !out.contains("TEXT_BLOCK_DELTA") {
        out.push_str(&lines.next_line().await.unwrap().unwrap());
        out.push('\n');
    }
    for signal in signals {
        kill(pid, *signal).unwrap();
    }
    while let Some(line) = lines.next_line().await.unwrap() {
        out.push_str(&line);
        out.push('\n');
    }
    let mut run = finish(child).await;
    run.out = out;
    (run, methods(&server))
}

#[tokio::test]
async fn an_interrupt_cancels_the_task() {
    let path = state_file("interrupt");
    let (run, methods) = signalled(&[Signal::SIGINT], &path).await;
    assert_eq!(run.code, 4, "{run:?}");
    assert_eq!(methods, ["SendStreamingMessage", "CancelTask"]);
    let msg = run.msg();
    assert_eq!(
        (&msg["finished_reason"], &msg["content"][0]["text"]),
        (&json!("interrupted"), &json!("half"))
    );
    let state: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(state.get("running_task_id"), None);
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn termination_saves_the_state_and_leaves_the_task_alone() {
    let path = state_file("terminate");
    let (run, methods) = signalled(&[Signal::SIGTERM], &path).await;
    assert_eq!(run.code, 4, "{run:?}");
    assert_eq!(methods, ["SendStreamingMessage"]);
    assert_eq!(run.error()["kind"], "cancelled");
    let state: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(state["running_task_id"], "t-41");
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_script_that_is_interrupted_between_two_lines_says_so() {
    let server = peer([stream(&[crate::peer::message("first")]).end()]).await;
    let mut child = a2a().args(["chat", &server.url("")]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"one\n").await.unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("first"));
    kill(Pid::from_raw(child.id().unwrap().try_into().unwrap()), Signal::SIGINT).unwrap();
    let run = finish(child).await;
    assert_eq!(run.code, 4, "{run:?}");
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn help_that_cannot_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = finish(a2a().arg("--help").stdout(full).spawn().unwrap()).await;
    assert_eq!(run.code, 5, "{run:?}");
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_it_quietly() {
    let begun = stream(&[task("TASK_STATE_WORKING"), text("one\n", false), text("two\n", true)]);
    let rest: Vec<Value> = (0..200).map(|_| text(&"more\n".repeat(200), true)).collect();
    let events: Vec<String> = rest.iter().map(crate::peer::event).collect();
    let server = peer([events.iter().fold(begun, |exchange, event| exchange.chunk(event)).hold()]).await;
    let mut child = a2a().args(["send", &server.url(""), "go"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("one"));
    drop(lines);
    let run = finish(child).await;
    assert_eq!((run.code, &*run.err), (0, ""), "{run:?}");
}
