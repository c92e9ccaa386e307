//! `chat`, from a pipe.

use a2a_testkit::Exchange;
use serde_json::json;

use crate::{
    peer::{message, methods, peer, status, stream, text},
    program::{run_with_input, state_file},
};

#[tokio::test]
async fn every_line_is_a_message() {
    let server = peer([stream(&[message("first")]).end(), stream(&[message("second")]).end()]).await;
    let chat = run_with_input(&["chat", &server.url("")], b"one\n\n/help\n").await;
    assert_eq!((chat.code, &*chat.out, &*chat.err), (0, "first\nsecond\n", ""), "{chat:?}");
    let calls: Vec<_> = server.requests().into_iter().filter(|request| request.method == "POST").collect();
    let said: Vec<_> = calls.iter().map(|call| call.json()["params"]["message"]["parts"].clone()).collect();
    assert_eq!(said, [json!([{ "text": "one" }]), json!([{ "text": "/help" }])]);
    assert_eq!(calls[1].json()["params"]["message"]["contextId"], "c-9");
}

#[tokio::test]
async fn a_failed_reply_does_not_end_the_conversation() {
    let refused = || Exchange::on("POST /rpc").status(500, &[], "");
    let server = peer([refused(), stream(&[message("fine")]).end(), refused()]).await;
    let path = state_file("chat");
    let args = ["chat", &server.url(""), "--events", "--state", path.to_str().unwrap()];
    let chat = run_with_input(&args, b"one\ntwo\n").await;
    assert_eq!(chat.code, 0, "the last reply counts: {chat:?}");
    assert_eq!(
        chat.lines().iter().filter(|line| line["error"].is_object() && line["type"].is_null()).count(),
        1
    );
    let state = std::fs::read_to_string(&path).unwrap();
    assert!(state.contains("\"context_id\":\"c-9\""), "{state}");
    let failed = run_with_input(&args, b"three\n").await;
    assert_eq!(failed.code, 5, "{failed:?}");
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_question_is_answered_by_the_next_line() {
    let question = status("TASK_STATE_INPUT_REQUIRED", "which harbour?");
    let answer = [text("06:12", false), status("TASK_STATE_COMPLETED", "done")];
    let asked = crate::peer::result(&question["statusUpdate"]);
    let server = peer([stream(&[question]).end(), asked, stream(&answer).end()]).await;
    // The task is looked at before it is continued.
    let chat = run_with_input(&["chat", &server.url("")], b"tides?\nOslo\n").await;
    assert_eq!(chat.out, "which harbour?\n06:12\ndone\n", "{chat:?}");
    assert_eq!(chat.err, "· input required\n");
    assert_eq!(methods(&server), ["SendStreamingMessage", "GetTask", "SendStreamingMessage"]);
}

#[tokio::test]
async fn input_that_is_not_text_is_refused() {
    let server = peer([]).await;
    let chat = run_with_input(&["chat", &server.url(""), "--json"], b"\xff\n").await;
    assert_eq!((chat.code, &chat.error()["kind"]), (2, &json!("usage")), "{chat:?}");
}
