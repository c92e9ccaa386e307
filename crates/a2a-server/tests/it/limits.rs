//! Limits per caller and per task.

use std::sync::Arc;

use a2a_server::{Limits, MemoryStore, Owner, Server, TaskStore as _};
use a2a_types::{Task, TaskState, TaskStatus};
use serde_json::json;

use crate::support::{Running, agent, card, gist, message};

fn endless() -> impl a2a_server::AgentExecutor {
    agent(|_, updater| async move {
        updater.working(()).await?;
        std::future::pending().await
    })
}

async fn limited(change: impl FnOnce(&mut Limits)) -> Running {
    let mut limits = Limits::default();
    change(&mut limits);
    Running::start(|url| Server::new(card(url), endless()).with_limits(limits)).await
}

#[tokio::test]
async fn running_turns_and_streams_are_counted_per_caller() {
    let server = limited(|limits| {
        limits.max_running_turns = 2;
        limits.max_streams = 3;
    })
    .await;
    let mut first = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let id = first.payload().await.unwrap()["task"]["id"].clone();
    let _second = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    assert_eq!(server.client.error("SendMessage", message("x", json!({}))).await["code"], -32603);
    let _third = server.client.call("SubscribeToTask", json!({ "id": id })).await;
    assert_eq!(server.client.error("SubscribeToTask", json!({ "id": id })).await["code"], -32603);
    // What is given back can be used again.
    server.client.result("CancelTask", json!({ "id": id })).await;
    drop(first);
    let again = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    assert_eq!(again.header("content-type"), "text/event-stream");
}

#[tokio::test]
async fn messages_that_wait_for_a_busy_task_are_limited() {
    let server = limited(|limits| limits.max_waiting_messages = 0).await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let id = stream.payload().await.unwrap()["task"]["id"].clone();
    let error = server.client.error("SendMessage", message("y", json!({ "taskId": id }))).await;
    assert_eq!(error["code"], -32004);
}

#[tokio::test]
async fn a_task_may_not_grow_without_bound() {
    let mut limits = Limits::default();
    limits.max_task_bytes = 100_000;
    let server = Running::start(|url| {
        let greedy = agent(|_, updater| async move {
            let mut writer = updater.artifact("a");
            loop {
                writer.chunk("x".repeat(10_000).as_str()).await?;
            }
        });
        Server::new(card(url), greedy).with_limits(limits)
    })
    .await;
    let result = server.client.result("SendMessage", message("x", json!({}))).await;
    assert!(gist(&result).starts_with("task failed [xxx"));
    assert_eq!(
        result["task"]["status"]["message"]["parts"][0]["text"],
        "invalid update: the task is too large"
    );
}

#[tokio::test]
async fn push_configurations_are_limited() {
    let server = limited(|limits| limits.max_push_configs = 1).await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let id = stream.payload().await.unwrap()["task"]["id"].clone();
    let config = |name: &str| json!({ "taskId": id, "id": name, "url": "https://hook.example" });
    server.client.result("CreateTaskPushNotificationConfig", config("a")).await;
    server.client.result("CreateTaskPushNotificationConfig", config("a")).await;
    let error = server.client.error("CreateTaskPushNotificationConfig", config("b")).await;
    assert_eq!(error["code"], -32603);
}

#[tokio::test]
async fn a_full_store_refuses_new_tasks() {
    let store = Arc::new(MemoryStore::with_max_tasks(1));
    let server = Running::start(|url| Server::new(card(url), endless()).with_store(store.clone())).await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let id = stream.payload().await.unwrap()["task"]["id"].clone();
    assert_eq!(server.client.error("SendMessage", message("y", json!({}))).await["code"], -32603);
    assert!(store.stats().refused > 0);
    server.client.result("CancelTask", json!({ "id": id })).await;
    let mut stream = server.client.call("SendStreamingMessage", message("z", json!({}))).await;
    assert_eq!(gist(&stream.payload().await.unwrap()), "task submitted []");
    assert_eq!(store.stats().evicted, 1);
}

#[tokio::test]
async fn a_call_is_answered_even_if_the_store_has_made_room_meanwhile() {
    let store = Arc::new(MemoryStore::with_max_tasks(1));
    let other = store.clone();
    let quick = agent(move |context, updater| {
        let other = other.clone();
        async move {
            updater.working("on it").await?;
            let mut writer = updater.artifact("a");
            writer.chunk(context.text().as_str()).await?;
            writer.chunk("!").await?;
            updater.complete("done").await?;
            // Another task takes the place of this one before anybody can look it up.
            other
                .create(Owner::default(), Task::new("other", "c", TaskStatus::new(TaskState::Working)))
                .await?;
            Ok(())
        }
    });
    let server = Running::start(|url| Server::new(card(url), quick).with_store(store.clone())).await;
    let result = server.client.result("SendMessage", message("x", json!({}))).await;
    assert_eq!(gist(&result), "task completed [x!]");
    assert_eq!(result["task"]["history"].as_array().unwrap().len(), 2);
    assert_eq!(store.stats().evicted, 1);
}
