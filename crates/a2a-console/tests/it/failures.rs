//! Peers and input that are not as they should be: each a typed error and its exit code.

use a2a_testkit::{Exchange, Loopback};
use serde_json::{Value, json};

use crate::{
    peer::{event, message, peer, stream, task, text},
    program::{run, state_file},
};

/// Runs `send --events` and gives its exit code and error.
async fn send(url: &str, more: &[&str]) -> (i32, Value) {
    let args = ["send", url, "hi", "--events", "--no-recover"];
    let run = run(args.iter().chain(more)).await;
    assert!(run.err.contains("error: "), "people are told too: {run:?}");
    (run.code, run.error())
}

#[track_caller]
fn check((code, error): (i32, Value), expect_code: i32, kind: &str, mentions: &[&str]) {
    assert_eq!((code, error["kind"].as_str()), (expect_code, Some(kind)), "{error}");
    for mention in mentions {
        assert!(error["message"].as_str().unwrap().contains(mention), "{mention}: {error}");
    }
}

#[tokio::test]
async fn there_is_no_agent() {
    let silent = Loopback::start([]).await;
    let url = silent.url("");
    check(send(&url, &[]).await, 5, "card", &[&url, "404"]);
    drop(silent);
    check(send(&url, &[]).await, 5, "connect", &[&url]);
    check(send("not a url", &[]).await, 2, "usage", &["not a url"]);
}

#[tokio::test]
async fn what_is_there_is_not_a_card() {
    for (body, mention) in
        [("<html>", "not an agent card"), ("{}", "supportedInterfaces"), ("[1]", "not an agent card")]
    {
        let server = Loopback::start([Exchange::on("GET").times(10).json(body)]).await;
        check(
            send(&server.url(""), &[]).await,
            5,
            "card",
            &[mention, &server.url("/.well-known/agent-card.json")],
        );
    }
}

#[tokio::test]
async fn the_card_offers_nothing_that_is_spoken() {
    let server = Loopback::start([]).await;
    let mut card = crate::peer::card("127.0.0.1:1");
    card["supportedInterfaces"][0]["protocolBinding"] = "GRPC".into();
    server.push(Exchange::on("GET").times(10).json(&card.to_string()));
    check(send(&server.url(""), &[]).await, 5, "no_interface", &["GRPC", "JSONRPC"]);
    let shown = run(["card", &server.url("")]).await;
    assert!(shown.code == 0 && shown.out.contains("the card offers GRPC 1.0"), "{shown:?}");
}

#[tokio::test]
async fn the_caller_is_not_let_in() {
    for status in [401, 403] {
        let server =
            peer([Exchange::on("POST /rpc").status(status, &[("WWW-Authenticate", "Bearer")], "no")]).await;
        let (code, error) = send(&server.url(""), &["--bearer", "s3cret"]).await;
        assert_eq!(error["http_status"], status);
        assert!(!error.to_string().contains("s3cret"), "{error}");
        check((code, error), 6, "auth", &[&server.url("/rpc")]);
    }
    let server = Loopback::start([Exchange::on("GET").times(10).status(401, &[], "")]).await;
    check(send(&server.url(""), &[]).await, 6, "auth", &[]);
    let card = run(["card", &server.url(""), "--json"]).await;
    assert_eq!((card.code, &card.error()["kind"]), (6, &json!("auth")));
}

#[tokio::test]
async fn the_peer_reports_an_error() {
    let error = r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":-32001,"message":"no such \u001b[31mtask"}}"#;
    let server = peer([Exchange::on("POST /rpc").json(error), Exchange::on("POST /rpc").json(error)]).await;
    let (code, reported) = send(&server.url(""), &[]).await;
    assert_eq!((&reported["code"], &reported["reason"]), (&json!(-32001), &json!("TASK_NOT_FOUND")));
    check((code, reported), 5, "rpc", &["no such"]);
    let people = run(["task", "get", &server.url(""), "t-1"]).await;
    assert!(
        people.code == 5 && people.err.contains("no such task") && !people.err.contains('\u{1b}'),
        "{people:?}"
    );
}

#[tokio::test]
async fn http_goes_wrong() {
    let server = peer([
        Exchange::on("POST /rpc").status(500, &[("Content-Type", "text/plain")], "oops"),
        Exchange::on("POST /rpc").status(307, &[("Location", "/elsewhere")], ""),
        Exchange::on("POST /rpc").status(200, &[("Content-Type", "text/html")], "<p>"),
        Exchange::on("POST /rpc").json("{"),
        stream(&[task("TASK_STATE_WORKING")]).chunk("data: {nonsense\n\n").end(),
        stream(&[]).hold(),
        stream(&[]).end(),
    ])
    .await;
    let url = server.url("");
    check(send(&url, &[]).await, 5, "http_status", &["500"]);
    check(send(&url, &[]).await, 5, "redirect", &["307", "/elsewhere"]);
    check(send(&url, &[]).await, 5, "content_type", &["text/html"]);
    check(send(&url, &[]).await, 5, "decode", &[]);
    check(send(&url, &[]).await, 5, "decode", &[]);
    check(send(&url, &["--idle-timeout", "0.3"]).await, 5, "timeout", &["300ms"]);
    check(send(&url, &[]).await, 5, "empty_stream", &[]);
}

#[tokio::test]
async fn a_body_is_too_large() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{";
    let server = peer([Exchange::on("POST /rpc").send(head).hold()]).await;
    check(send(&server.url(""), &[]).await, 5, "too_large", &["bytes"]);
}

#[tokio::test]
async fn a_stream_is_cut_within_an_event_and_nothing_is_lost() {
    let half = event(&text("lost", true)).replace("\n\n", "");
    let server = peer([stream(&[task("TASK_STATE_WORKING"), text("kept", false)]).chunk(&half).cut()]).await;
    let path = state_file("within");
    let run =
        run(["send", &server.url(""), "hi", "--events", "--no-recover", "--state", path.to_str().unwrap()])
            .await;
    let lines = run.lines();
    let [.., end, msg, error] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&end["type"], &end["finished_reason"]), (&json!("REPLY_END"), &json!("error")));
    assert_eq!(msg["msg"]["content"][0]["text"], "kept");
    assert_eq!((run.code, &error["error"]["kind"]), (5, &json!("stream_cut")));
    let state: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&state["running_task_id"], &state["context_id"]), (&json!("t-41"), &json!("c-9")));
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_damaged_state_file_stays_as_it_is() {
    let server = peer([]).await;
    let path = state_file("damaged");
    std::fs::write(&path, "{\"session_id\": ").unwrap();
    for command in [vec!["send", "hi"], vec!["chat"]] {
        let (command, text) = command.split_first().unwrap();
        let file = path.to_str().unwrap();
        let url = server.url("");
        let args = [*command, &url].into_iter().chain(text.iter().copied());
        let run = run(args.chain(["--events", "--state", file])).await;
        assert_eq!((run.code, &run.error()["kind"]), (2, &json!("state_file")), "{run:?}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"session_id\": ");
    assert!(server.requests().is_empty(), "nothing is asked before");
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn usage_is_wrong() {
    let missing = ["send", "http://127.0.0.1:1", "hi", "--file", "/no/such/file", "--events"];
    check(send_as(&missing).await, 2, "usage", &["/no/such/file"]);
    check(send_as(&["send", "http://h", "hi", "--events", "--nonsense"]).await, 2, "usage", &["--nonsense"]);
    check(
        send_as(&["send", "http://h", "hi", "--events", "--header", "no colon"]).await,
        2,
        "usage",
        &["K: V"],
    );
    check(
        send_as(&["task", "list", "http://h", "--json", "--status", "becalmed"]).await,
        2,
        "usage",
        &["becalmed"],
    );
    let both = run(["send", "http://h", "hi", "--events", "--json"]).await;
    assert_eq!(both.code, 2, "{both:?}");
}

async fn send_as(args: &[&str]) -> (i32, Value) {
    let run = run(args).await;
    (run.code, run.error())
}

#[tokio::test]
async fn what_cannot_be_understood_is_warned_of() {
    let unknown = json!({ "somethingNew": {} });
    let server = peer([stream(&[unknown, message("ok")]).end()]).await;
    let sent = run(["send", &server.url(""), "hi", "--events"]).await;
    assert!(sent.code == 0 && sent.err.contains("somethingNew"), "{sent:?}");
}
