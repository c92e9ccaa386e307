//! Errors, and what optional operations answer when they are not declared.

use a2a_examples::conformance::Capabilities;
use serde_json::{Value, json};

use super::{Binding, Failure, Kit, both, configured, message};

#[tokio::test]
async fn unknown_tasks_are_not_found() {
    both(Capabilities::Full, async |kit: Kit| {
        let not_found =
            |outcome: Result<Value, Failure>| kit.assert_error(outcome, -32001, 404, "TASK_NOT_FOUND");
        not_found(kit.get_task("nope", None).await);
        not_found(kit.cancel("nope").await);
        not_found(kit.json(kit.subscribe("nope").await).await);
        not_found(kit.send(message("tck-complete-task", json!({ "taskId": "nope" }))).await);
        not_found(
            kit.json(kit.stream(message("tck-complete-task", json!({ "taskId": "nope" }))).await).await,
        );
        not_found(kit.create_config("nope", json!({ "url": "https://example.com/x" })).await);
        not_found(kit.configs("nope").await);
    })
    .await;
}

#[tokio::test]
async fn finished_tasks_take_nothing_more() {
    both(Capabilities::Full, async |kit: Kit| {
        let task = kit.finished_task().await;
        let id = task["id"].as_str().unwrap();
        let outcome = kit.cancel(id).await;
        kit.assert_error(outcome, -32002, 400, "TASK_NOT_CANCELABLE");
        for outcome in [
            kit.send(message("tck-complete-task", json!({ "taskId": id }))).await,
            kit.json(kit.stream(message("tck-complete-task", json!({ "taskId": id }))).await).await,
            kit.json(kit.subscribe(id).await).await,
        ] {
            kit.assert_error(outcome, -32004, 400, "UNSUPPORTED_OPERATION");
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_not_declared_is_not_done() {
    both(Capabilities::Bare, async |kit: Kit| {
        let unsupported =
            |outcome: Result<Value, Failure>| kit.assert_error(outcome, -32004, 400, "UNSUPPORTED_OPERATION");
        let request = message("tck-complete-task", json!({}));
        unsupported(kit.json(kit.stream(request.clone()).await).await);
        let task = kit.waiting_task().await;
        unsupported(kit.json(kit.subscribe(task["id"].as_str().unwrap()).await).await);
        unsupported(kit.extended_card().await);

        let no_push = |outcome: Result<Value, Failure>| {
            kit.assert_error(outcome, -32003, 400, "PUSH_NOTIFICATION_NOT_SUPPORTED");
        };
        let config = json!({ "url": "https://example.com/x" });
        no_push(kit.create_config("nope", config.clone()).await);
        no_push(kit.config("nope", "x").await);
        no_push(kit.configs("nope").await);
        no_push(kit.delete_config("nope", "x").await);
        let inline = configured(request, json!({ "taskPushNotificationConfig": config }));
        no_push(kit.send(inline).await);
        // The rest works.
        kit.finished_task().await;
        kit.list(json!({})).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn parts_of_media_types_that_are_not_accepted_are_refused() {
    both(Capabilities::Full, async |kit: Kit| {
        let part = json!([{ "raw": "AAAA", "mediaType": "application/x-unknown" }]);
        let outcome = kit.send(message("tck-send-003", json!({ "parts": part }))).await;
        kit.assert_error(outcome, -32005, 400, "CONTENT_TYPE_NOT_SUPPORTED");
        let part = json!([{ "text": "x", "mediaType": "Text/Plain; charset=utf-8" }, { "raw": "AAAA" }]);
        kit.send(message("tck-send-003", json!({ "parts": part }))).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn messages_that_lack_something_are_refused() {
    both(Capabilities::Full, async |kit: Kit| {
        for members in [
            json!({ "messageId": "" }),
            json!({ "role": "ROLE_UNSPECIFIED" }),
            json!({ "role": "ROLE_AGENT" }),
            json!({ "role": "ROLE_ROBOT" }),
            json!({ "parts": [] }),
            json!({ "parts": [{}] }),
            json!({ "parts": [{ "video": "x" }] }),
            json!({ "parts": [{ "text": "x", "url": "y" }] }),
            json!({ "parts": [{ "raw": "%%%" }] }),
            json!({ "parts": "x" }),
        ] {
            let outcome = kit.send(message("tck-complete-task", members)).await;
            kit.assert_error(outcome, -32602, 400, "INVALID_PARAMS");
        }
        let negative = configured(message("tck-complete-task", json!({})), json!({ "historyLength": -1 }));
        let outcome = kit.send(negative).await;
        kit.assert_error(outcome, -32602, 400, "INVALID_PARAMS");
        let task = kit.finished_task().await;
        let outcome = kit.get_task(task["id"].as_str().unwrap(), Some(-1)).await;
        kit.assert_error(outcome, -32602, 400, "INVALID_PARAMS");
    })
    .await;
}

#[tokio::test]
async fn an_error_before_a_stream_is_not_an_event() {
    let kit = Kit::start(Binding::JsonRpc, Capabilities::Full).await;
    for answer in [
        kit.stream(json!({})).await,
        kit.stream(message("tck-complete-task", json!({ "taskId": "nope" }))).await,
        kit.subscribe("nope").await,
    ] {
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    }
}
