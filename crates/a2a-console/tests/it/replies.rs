//! `send`.

use a2a_testkit::Exchange;
use serde_json::{Value, json};

use crate::{
    peer::{artifact, message, methods, peer, status, stream, task, text},
    program::{run, serve, state_file},
};

fn state(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[tokio::test]
async fn a_state_file_carries_the_conversation_on() {
    let served = serve(&[]).await;
    let path = state_file("conversation");
    let file = path.to_str().unwrap();
    let asked = run(["send", &served.url, "Plan me a trip.", "--state", file]).await;
    assert_eq!((asked.code, &*asked.out), (0, "Where would you like to go?\n"), "{asked:?}");
    let context = state(&path)["context_id"].clone();
    assert!(context.is_string() && state(&path)["task_id"].is_string(), "{}", state(&path));

    let answered = run(["send", &served.url, "Oslo", "--state", file]).await;
    assert!(answered.out.starts_with("A weekend in Oslo\n"), "{answered:?}");
    assert_eq!(state(&path)["task_id"], Value::Null);
    let changed = run(["send", &served.url, "Make it kid-friendly.", "--state", file]).await;
    assert!(changed.out.starts_with("A weekend in Oslo, kid-friendly\n"), "{changed:?}");
    assert_eq!(state(&path)["context_id"], context);
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn files_are_attached() {
    let served = serve(&["--no-streaming"]).await;
    let path = state_file("notes");
    std::fs::write(&path, "{}\n").unwrap();
    let file = path.to_str().unwrap();
    let url = "https://agent.test/map.png?size=1";
    let sent = run(["send", &served.url, "--file", file, "--attach-url", url]).await;
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(sent.out.contains(&format!("Received {name} (application/json, 3 bytes).")), "{sent:?}");
    assert!(sent.out.contains(&format!("(image/png, at {url})")), "{sent:?}");
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn credentials_headers_and_extensions_are_sent() {
    let server = peer([stream(&[message("ok")]).end(), stream(&[message("ok")]).end()]).await;
    let args =
        ["send", &server.url(""), "hi", "--bearer", "b-1", "--header", "X-Desk: h-2", "--extension", "urn:e"];
    assert_eq!(run(args).await.code, 0);
    for request in server.requests() {
        assert_eq!(request.header("authorization").as_deref(), Some("Bearer b-1"), "{}", request.line());
        assert_eq!(request.header("x-desk").as_deref(), Some("h-2"), "{}", request.line());
    }
    let call = server.requests().last().unwrap().clone();
    assert_eq!(call.header("a2a-extensions").as_deref(), Some("urn:e"));

    assert_eq!(run(["send", &server.url(""), "hi", "--api-key", "X-Key=k-3"]).await.code, 0);
    assert_eq!(server.requests().last().unwrap().header("x-key").as_deref(), Some("k-3"));
}

#[tokio::test]
async fn another_endpoint_can_be_called() {
    let server = peer([]).await;
    server
        .push(Exchange::on("POST /other").json(
            &json!({ "jsonrpc": "2.0", "id": "$ID", "result": message("from elsewhere") }).to_string(),
        ));
    let endpoint = server.url("/other");
    let sent = run(["send", &server.url(""), "hi", "--endpoint", &endpoint]).await;
    assert_eq!((sent.code, &*sent.out), (0, "from elsewhere\n"), "{sent:?}");
}

#[tokio::test]
async fn progress_goes_to_the_notices() {
    let payloads =
        [status("TASK_STATE_WORKING", "checking charts"), text("06:12", false), task("TASK_STATE_COMPLETED")];
    let server = peer([stream(&payloads).end()]).await;
    let sent = run(["send", &server.url(""), "tides?"]).await;
    assert_eq!((&*sent.out, &*sent.err), ("06:12\n", "· checking charts\n"));
}

#[tokio::test]
async fn a_reply_that_the_peer_fails_is_its_own_exit_code() {
    let payloads = || [text("half", false), status("TASK_STATE_FAILED", "mast broke")];
    let server = peer([stream(&payloads()).end(), stream(&payloads()).end()]).await;
    let people = run(["send", &server.url(""), "go"]).await;
    assert_eq!((people.code, &*people.out), (3, "half\nmast broke\n"), "{people:?}");
    assert_eq!(people.err, "error: the agent ended the reply with an error\n");

    let events = run(["send", &server.url(""), "go", "--events"]).await;
    assert_eq!(events.code, 3);
    let msg = events.msg();
    assert_eq!((&msg["finished_reason"], &msg["error"]["message"]), (&json!("error"), &json!("mast broke")));
}

#[tokio::test]
async fn structured_data_can_be_had_as_json() {
    let data = || [artifact(&json!([{ "data": { "n": 1.0 } }]), false), task("TASK_STATE_COMPLETED")];
    let server = peer([stream(&data()).end(), stream(&data()).end(), stream(&data()).end()]).await;
    let url = server.url("");
    let json = run(["send", &url, "go", "--data-parts", "json", "--json"]).await;
    let source = &json.lines()[0]["content"][0]["source"];
    assert_eq!(
        (&source["media_type"], &source["data"]),
        (&json!("application/json"), &json!("eyJuIjoxLjB9"))
    );
    let skipped = run(["send", &url, "go", "--data-parts", "skip"]).await;
    assert!(skipped.code == 0 && skipped.err.contains("skipped a data part"), "{skipped:?}");
    let refused = run(["send", &url, "go", "--events"]).await;
    assert_eq!((refused.code, &refused.error()["kind"]), (5, &json!("unsupported_part")));
    assert!(refused.error()["message"].as_str().unwrap().contains(&url), "{refused:?}");
}

#[tokio::test]
async fn a_broken_reply_is_recovered_unless_that_is_not_wanted() {
    let begun = || stream(&[task("TASK_STATE_WORKING"), text("half ", false)]).cut();
    let rest =
        stream(&[task("TASK_STATE_WORKING"), text("and half", true), status("TASK_STATE_COMPLETED", "done")]);
    let server = peer([begun(), rest.end(), begun()]).await;
    let url = server.url("");
    let whole = run(["send", &url, "go"]).await;
    assert_eq!((whole.code, &*whole.out), (0, "half and half\ndone\n"), "{whole:?}");
    assert_eq!(methods(&server), ["SendStreamingMessage", "SubscribeToTask"]);

    let path = state_file("cut");
    let cut = run(["send", &url, "go", "--events", "--no-recover", "--state", path.to_str().unwrap()]).await;
    assert_eq!((cut.code, &cut.error()["kind"]), (5, &json!("stream_cut")));
    assert_eq!(state(&path)["running_task_id"], "t-41");
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_reply_without_content_is_told() {
    let server = peer([stream(&[task("TASK_STATE_COMPLETED")]).end()]).await;
    let sent = run(["send", &server.url(""), "hi"]).await;
    assert_eq!((sent.code, &*sent.out, &*sent.err), (0, "", "· the agent said nothing\n"));
}

#[tokio::test]
async fn nothing_to_send_is_told_before_anything_is_sent() {
    let server = peer([]).await;
    let nothing = run(["send", &server.url(""), "--events"]).await;
    assert_eq!((nothing.code, &nothing.error()["kind"]), (2, &json!("no_input")));
    assert!(methods(&server).is_empty());
}
