//! A conversation at a terminal.

use std::process::Command;

use rexpect::session::{PtySession, spawn_command};

use crate::{
    peer::{artifact, message, methods, peer, result, status, stream, task, text},
    program::{GUARD, a2a, serve, state_file},
};

/// `a2a chat` at a pseudo-terminal.
fn chat(url: &str, more: &[&str]) -> PtySession {
    let tokio = a2a();
    let mut command = Command::new(tokio.as_std().get_program());
    command.args(["chat", url]).args(more).env("TERM", "xterm").env("NO_COLOR", "1");
    spawn_command(command, Some(GUARD.as_millis().try_into().unwrap())).unwrap()
}

/// The exit code of a session that has ended.
fn exit_code(mut session: PtySession) -> i32 {
    session.exp_eof().unwrap();
    match session.process().wait().unwrap() {
        rexpect::process::WaitStatus::Exited(_, code) => code,
        other => panic!("{other:?}"),
    }
}

/// Types a line at the prompt.
fn say(session: &mut PtySession, line: &str) {
    answer(session, "user> ", line);
}

/// Types a line at a prompt of its own.
fn answer(session: &mut PtySession, prompt: &str, line: &str) {
    session.exp_string(prompt).unwrap();
    session.send(&format!("{line}\r")).unwrap();
    session.flush().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_the_reply_and_the_conversation_goes_on() {
    let server = peer([
        stream(&[task("TASK_STATE_WORKING"), text("chunk ", false)]).hold(),
        result(&task("TASK_STATE_CANCELED")["task"]),
        stream(&[message("second")]).end(),
    ])
    .await;
    let url = server.url("");
    tokio::task::spawn_blocking(move || {
        let mut session = chat(&url, &[]);
        session.exp_string("talking to Tide Desk").unwrap();
        say(&mut session, "go");
        session.exp_string("Tide Desk> chunk ").unwrap();
        session.send_control('c').unwrap();
        session.exp_string("cancelled").unwrap();
        say(&mut session, "again");
        session.exp_string("Tide Desk> second").unwrap();
        session.exp_string("user> ").unwrap();
        session.send_control('d').unwrap();
        assert_eq!(exit_code(session), 0);
    })
    .await
    .unwrap();
    assert_eq!(methods(&server), ["SendStreamingMessage", "CancelTask", "SendStreamingMessage"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_ctrl_c_leaves() {
    let server = peer([stream(&[task("TASK_STATE_WORKING"), text("chunk ", false)]).hold()]).await;
    // The cancellation is never answered.
    server.push(a2a_testkit::Exchange::on("POST /rpc").hold());
    let url = server.url("");
    tokio::task::spawn_blocking(move || {
        let mut session = chat(&url, &[]);
        say(&mut session, "go");
        session.exp_string("chunk ").unwrap();
        session.send_control('c').unwrap();
        session.exp_string("cancelling").unwrap();
        session.send_control('c').unwrap();
        assert_eq!(exit_code(session), 4);

        let mut session = chat(&url, &[]);
        session.exp_string("user> ").unwrap();
        session.send_control('c').unwrap();
        session.exp_string("Ctrl-C again leaves").unwrap();
        session.exp_string("user> ").unwrap();
        session.send_control('c').unwrap();
        assert_eq!(exit_code(session), 0);
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_brings_back_the_prompt_to_an_agent_that_waits() {
    let waits = status("TASK_STATE_AUTH_REQUIRED", "open the consent page");
    let server = peer([
        stream(std::slice::from_ref(&waits)).hold(),
        result(&task("TASK_STATE_AUTH_REQUIRED")["task"]),
        stream(&[text("unlocked", false), task("TASK_STATE_COMPLETED")]).end(),
    ])
    .await;
    let url = server.url("");
    tokio::task::spawn_blocking(move || {
        let mut session = chat(&url, &[]);
        say(&mut session, "go");
        session.exp_string("Tide Desk> open the consent page").unwrap();
        session.exp_string("Ctrl-C brings back the prompt").unwrap();
        session.send_control('c').unwrap();
        say(&mut session, "done");
        session.exp_string("Tide Desk> unlocked").unwrap();
        say(&mut session, "/quit");
        assert_eq!(exit_code(session), 0);
    })
    .await
    .unwrap();
    assert_eq!(methods(&server), ["SendStreamingMessage", "GetTask", "SendStreamingMessage"]);
    let answer = server.requests().last().unwrap().json();
    assert_eq!(answer["params"]["message"]["taskId"], "t-41");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_come_and_go() {
    let parts =
        serde_json::json!([{ "raw": "aGVsbG8=", "filename": "hello.txt", "mediaType": "text/plain" }]);
    let server = peer([stream(&[artifact(&parts, false), task("TASK_STATE_COMPLETED")]).end()]).await;
    let (attached, saved) = (state_file("attached"), state_file("saved"));
    std::fs::write(&attached, "abc").unwrap();
    std::fs::write(&saved, "mine").unwrap();
    let (url, attached_path, saved_path) = (server.url(""), attached.clone(), saved.clone());
    tokio::task::spawn_blocking(move || {
        let mut session = chat(&url, &[]);
        say(&mut session, &format!("/attach {}", attached_path.display()));
        session.exp_string("the next message takes along").unwrap();
        say(&mut session, "look at this");
        session.exp_string("[1] hello.txt, text/plain, 5 bytes").unwrap();
        say(&mut session, &format!("/save 1 {}", saved_path.display()));
        answer(&mut session, "Overwrite it? [y/N] ", "n");
        session.exp_string("not saved").unwrap();
        assert_eq!(std::fs::read_to_string(&saved_path).unwrap(), "mine");
        say(&mut session, &format!("/save 1 {}", saved_path.display()));
        answer(&mut session, "Overwrite it? [y/N] ", "y");
        session.exp_string("saved").unwrap();
        say(&mut session, "/quit");
        assert_eq!(exit_code(session), 0);
    })
    .await
    .unwrap();
    assert_eq!(std::fs::read_to_string(&saved).unwrap(), "hello");
    let parts = server.requests().last().unwrap().json()["params"]["message"]["parts"].clone();
    assert_eq!((&parts[0]["text"], &parts[1]["raw"]), (&"look at this".into(), &"YWJj".into()), "{parts}");
    std::fs::remove_file(attached).unwrap();
    std::fs::remove_file(saved).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_begun_continued_and_begun_anew() {
    let served = serve(&[]).await;
    let path = state_file("terminal");
    let file = path.to_str().unwrap().to_owned();
    let url = served.url.clone();
    tokio::task::spawn_blocking(move || {
        let mut session = chat(&url, &["--state", &file]);
        say(&mut session, "Plan me a trip.");
        session.exp_string("input required").unwrap();
        // A backslash continues the line.
        say(&mut session, "a weekend\\\rin Oslo");
        session.exp_string("A weekend in Oslo").unwrap();
        say(&mut session, "/state");
        session.exp_string("\"task_id\": null").unwrap();
        session.exp_string("user> ").unwrap();
        session.send_control('d').unwrap();
        assert_eq!(exit_code(session), 0);

        let mut session = chat(&url, &["--state", &file]);
        session.exp_string("going on with conversation").unwrap();
        say(&mut session, "Make it kid-friendly.");
        session.exp_string("A weekend in Oslo, kid-friendly").unwrap();
        say(&mut session, "/new");
        say(&mut session, "Make it cheap.");
        session.exp_string("Where would you like to go?").unwrap();
        say(&mut session, "/cancel");
        session.exp_string("is cancelled").unwrap();
        say(&mut session, "/card");
        session.exp_string("Plan a trip (plan-trip)").unwrap();
        say(&mut session, "/nonsense");
        session.exp_string("there is no command /nonsense").unwrap();
        say(&mut session, "exit");
        assert_eq!(exit_code(session), 0);
    })
    .await
    .unwrap();
    std::fs::remove_file(path).unwrap();
}
