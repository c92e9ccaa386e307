//! The main road: send, stream, look up, continue, cancel, subscribe.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;

use crate::support::{Running, agent, gist, gists, message};

fn parrot() -> impl a2a_server::AgentExecutor {
    agent(|context, updater| async move {
        match context.text().as_str() {
            "" => updater.reply("I have nothing to say").await?,
            "hello" => updater.reply("hello yourself").await?,
            "ask" if context.task.is_none() => updater.input_required("What shall I say?").await?,
            text => {
                updater.working(()).await?;
                let mut answer = updater.artifact("answer");
                for word in text.split_inclusive(' ') {
                    answer.chunk(word).await?;
                }
                updater.complete("done").await?;
            }
        }
        Ok(())
    })
}

#[tokio::test]
async fn a_stream_is_the_task_then_its_updates() {
    let server = Running::agent(parrot()).await;
    let mut answer = server.client.call("SendStreamingMessage", message("one two three", json!({}))).await;
    let payloads = answer.payloads().await;
    assert_eq!(
        gists(&payloads),
        [
            "task submitted []",
            "working",
            "artifact=one ",
            "artifact+two ",
            "artifact+three",
            "completed done"
        ],
    );
    let task = &payloads[0]["task"];
    assert_eq!(task["history"][0]["parts"][0]["text"], "one two three");
    for payload in &payloads[1..] {
        let update = payload.as_object().unwrap().values().next().unwrap();
        assert_eq!(update["taskId"], task["id"]);
        assert_eq!(update["contextId"], task["contextId"]);
    }
    let stored = server.client.result("GetTask", json!({ "id": task["id"] })).await;
    assert_eq!(gist(&json!({ "task": stored })), "task completed [one two three]");
    drop(answer);
    assert_eq!(server.engine.live_tasks(), 0);
}

#[tokio::test]
async fn a_blocking_call_gives_the_task_when_it_is_over() {
    let server = Running::agent(parrot()).await;
    let result = server.client.result("SendMessage", message("one two", json!({}))).await;
    assert_eq!(gist(&result), "task completed [one two]");
    assert_eq!(result["task"]["status"]["message"]["parts"][0]["text"], "done");
}

#[tokio::test]
async fn a_reply_is_a_message_without_a_task() {
    let server = Running::agent(parrot()).await;
    let result = server.client.result("SendMessage", message("hello", json!({ "contextId": "c-1" }))).await;
    assert_eq!(gist(&result), "message hello yourself");
    assert_eq!(result["message"]["contextId"], "c-1");
    assert!(result["message"].get("taskId").is_none());
    let mut answer = server.client.call("SendStreamingMessage", message("hello", json!({}))).await;
    assert_eq!(gists(&answer.payloads().await), ["message hello yourself"]);
}

#[tokio::test]
async fn a_waiting_task_is_continued() {
    let server = Running::agent(parrot()).await;
    let result = server.client.result("SendMessage", message("ask", json!({}))).await;
    assert_eq!(gist(&result), "task input_required []");
    let id = &result["task"]["id"];
    let mut answer =
        server.client.call("SendStreamingMessage", message("a b", json!({ "taskId": id }))).await;
    let payloads = answer.payloads().await;
    assert_eq!(
        gists(&payloads),
        ["task working []", "working", "artifact=a ", "artifact+b", "completed done"],
    );
    let history = &payloads[0]["task"]["history"];
    let texts: Vec<_> = (0..3).map(|index| history[index]["parts"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["ask", "What shall I say?", "a b"]);
    assert_eq!(
        server.client.error("SendMessage", message("more", json!({ "taskId": id }))).await["code"],
        -32004
    );
}

#[tokio::test]
async fn a_running_task_is_followed_and_cancelled() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let server = Running::agent(agent(move |_, updater| {
        let gate = Arc::clone(&gate);
        async move {
            updater.working("on it").await?;
            gate.notified().await;
            updater.working("still on it").await?;
            std::future::pending().await
        }
    }))
    .await;
    let mut first = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let task = first.payload().await.unwrap();
    assert_eq!(gist(&first.payload().await.unwrap()), "working on it");
    let id = &task["task"]["id"];
    let mut second = server.client.call("SubscribeToTask", json!({ "id": id })).await;
    assert_eq!(gist(&second.payload().await.unwrap()), "task working []");
    go.notify_one();
    for stream in [&mut first, &mut second] {
        assert_eq!(gist(&stream.payload().await.unwrap()), "working still on it");
    }
    let cancelled = server.client.result("CancelTask", json!({ "id": id })).await;
    assert_eq!(cancelled["status"]["state"], "TASK_STATE_CANCELED");
    for mut stream in [first, second] {
        assert_eq!(gists(&stream.payloads().await), ["canceled"]);
    }
    // Cancelling again changes nothing.
    let again = server.client.result("CancelTask", json!({ "id": id })).await;
    assert_eq!(again, cancelled);
    assert_eq!(server.client.error("SubscribeToTask", json!({ "id": id })).await["code"], -32004);
    assert_eq!(server.client.error("GetTask", json!({ "id": "nope" })).await["code"], -32001);
}
