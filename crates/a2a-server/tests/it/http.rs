//! What is HTTP's alone.

use std::time::{Duration, Instant};

use a2a_server::{Cors, HttpOptions, Server};
use serde_json::json;

use crate::support::{Running, agent, card, gist, message};

#[tokio::test]
async fn a_silent_stream_is_kept_alive() {
    let mut options = HttpOptions::default();
    options.keep_alive = Duration::from_millis(50);
    let slow = agent(|_, updater| async move {
        updater.working(()).await?;
        tokio::time::sleep(Duration::from_millis(300)).await;
        updater.complete(()).await?;
        Ok(())
    });
    let server = Running::start(|url| Server::new(card(url), slow).with_http(options)).await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let mut comments = 0;
    let mut events = 0;
    while let Some(block) = stream.block().await {
        if block.starts_with(':') {
            comments += 1;
        } else {
            events += 1;
        }
    }
    assert_eq!(events, 3);
    assert!((2..=6).contains(&comments), "{comments}");
}

#[tokio::test]
async fn a_slow_agent_has_its_stream_opened_and_its_error_in_there() {
    let mut options = HttpOptions::default();
    options.max_head_delay = Duration::from_millis(50);
    let slow = agent(|_, _| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Err(a2a_types::RpcError::new(a2a_types::ErrorCode::InvalidParams, "no").into())
    });
    let server = Running::start(|url| Server::new(card(url), slow).with_http(options)).await;
    let begun = Instant::now();
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    assert_eq!(stream.header("content-type"), "text/event-stream");
    assert!(begun.elapsed() < Duration::from_millis(290));
    let block = stream.block().await.unwrap();
    let data = block.strip_prefix("event: error\ndata: ").unwrap();
    let event: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!((&event["id"], &event["error"]["code"]), (&json!(1), &json!(-32602)));
    assert_eq!(stream.block().await, None);

    let mut stream = server.client.post("/message:stream", &message("x", json!({}))).await;
    let block = stream.block().await.unwrap();
    let event: serde_json::Value =
        serde_json::from_str(block.strip_prefix("event: error\ndata: ").unwrap()).unwrap();
    assert_eq!(
        (&event["error"]["code"], &event["error"]["status"]),
        (&json!(400), &json!("INVALID_ARGUMENT"))
    );
}

#[tokio::test]
async fn what_readers_take_for_line_ends_is_escaped() {
    let text = "nel[\u{85}]ls[\u{2028}]ps[\u{2029}]crlf[\r\n]end";
    let server = Running::agent(agent(move |_, updater| async move {
        updater.reply(text).await?;
        Ok(())
    }))
    .await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let block = stream.block().await.unwrap();
    assert!(!block.contains(['\u{85}', '\u{2028}', '\u{2029}', '\r']) && block.lines().count() == 1);
    let data: serde_json::Value = serde_json::from_str(block.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(gist(&data["result"]), format!("message {text}"));
}

#[tokio::test]
async fn paths_can_be_moved() {
    let mut options = HttpOptions::default();
    options.rpc_path = "/jsonrpc".to_owned();
    options.rest_prefix = "/rest".to_owned();
    let echo = agent(|context, updater| async move { Ok(updater.reply(context.text()).await?) });
    let server = Running::start(|url| Server::new(card(url), echo).with_http(options)).await;
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("hi", json!({})) });
    for path in ["/jsonrpc", "/jsonrpc/"] {
        let answer = server.client.post(path, &call).await.json().await;
        assert_eq!(gist(&answer["result"]), "message hi");
    }
    assert_eq!(server.client.post("/", &call).await.status, 404);
    assert_eq!(server.client.post("/rest/message:send", &message("hi", json!({}))).await.status, 200);
    assert_eq!(server.client.post("/message:send", &message("hi", json!({}))).await.status, 404);
    assert_eq!(server.client.get("/.well-known/agent-card.json").await.status, 200);
}

#[tokio::test]
async fn pages_of_allowed_origins_may_call() {
    for (cors, origin, allowed) in [
        (Some(Cors::any()), "https://app.example", true),
        (Some(Cors::origins(["https://app.example"])), "https://app.example", true),
        (Some(Cors::origins(["https://app.example"])), "https://evil.example", false),
        (None, "https://app.example", false),
    ] {
        let mut options = HttpOptions::default();
        options.cors = cors.clone();
        let echo = agent(|context, updater| async move { Ok(updater.reply(context.text()).await?) });
        let server = Running::start(|url| Server::new(card(url), echo).with_http(options)).await;
        let client = server.client.clone().with_header("origin", origin);
        let preflight = [("access-control-request-method", "POST")];
        let answer = client.send("OPTIONS", "/", &preflight, &[]).await;
        assert_eq!(answer.status, if cors.is_some() { 204 } else { 405 });
        let allow = answer.header("access-control-allow-headers");
        assert_eq!(allow.contains("a2a-version") && allow.contains("authorization"), cors.is_some());
        let answer = client.call("ListTasks", json!({})).await;
        assert_eq!(
            answer.header("access-control-allow-origin"),
            if allowed { origin } else { "" },
            "{cors:?}"
        );
        assert_eq!(answer.status, 200);
    }
}

#[tokio::test]
async fn a_head_request_for_the_card_has_no_body() {
    let server = Running::agent(agent(|_, updater| async move { Ok(updater.reply("x").await?) })).await;
    let headers = [("connection", "close")];
    let answer = server.client.send("HEAD", "/.well-known/agent-card.json", &headers, &[]).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-length").parse::<usize>().unwrap() > 100);
}
