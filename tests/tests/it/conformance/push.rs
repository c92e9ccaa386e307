//! Push notifications.

use a2a_examples::conformance::Capabilities;
use a2a_testkit::{Exchange, Loopback};
use serde_json::{Value, json};

use super::{Kit, both, configured, course, message};

#[tokio::test]
async fn configurations_are_kept_until_they_are_deleted() {
    both(Capabilities::Full, async |kit: Kit| {
        let task = kit.finished_task().await;
        let id = task["id"].as_str().unwrap();
        let config = json!({
            "id": "cfg-1", "url": "https://example.com/webhook", "token": "t",
            "authentication": { "scheme": "Bearer", "credentials": "secret" },
        });
        let created = kit.create_config(id, config.clone()).await.unwrap();
        let mut expect = config;
        expect["taskId"] = json!(id);
        assert_eq!(created, expect);
        assert_eq!(kit.config(id, "cfg-1").await.unwrap(), expect);
        let unnamed = kit.create_config(id, json!({ "url": "https://example.com/other" })).await.unwrap();
        assert!(!unnamed["id"].as_str().unwrap().is_empty());
        assert_eq!(kit.configs(id).await.unwrap()["configs"].as_array().unwrap().len(), 2);

        let outcome = kit.config(id, "nope").await;
        kit.assert_error(outcome, -32001, 404, "TASK_NOT_FOUND");
        kit.delete_config(id, "cfg-1").await.unwrap();
        let outcome = kit.config(id, "cfg-1").await;
        kit.assert_error(outcome, -32001, 404, "TASK_NOT_FOUND");
        kit.delete_config(id, "cfg-1").await.unwrap();
        assert_eq!(kit.configs(id).await.unwrap()["configs"], json!([unnamed]));
    })
    .await;
}

#[tokio::test]
async fn webhooks_must_be_where_they_may() {
    both(Capabilities::Full, async |kit: Kit| {
        let task = kit.finished_task().await;
        let id = task["id"].as_str().unwrap();
        for url in ["", "not a url", "ftp://example.com/x", "https://10.0.0.1/x", "http://169.254.169.254/x"]
        {
            let outcome = kit.create_config(id, json!({ "url": url })).await;
            kit.assert_error(outcome, -32602, 400, "INVALID_PARAMS");
        }
    })
    .await;
}

/// A receiver that takes this many notifications.
async fn receiver(count: usize) -> Loopback {
    Loopback::start([Exchange::on("POST /webhook").times(count).status(200, &[], "")]).await
}

/// What was received, once there is this much; every request is checked.
async fn received(receiver: &Loopback, count: usize) -> Vec<Value> {
    receiver.closed_connections(count).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), count);
    let check = |request: &a2a_testkit::RawRequest| {
        assert_eq!(request.line(), "POST /webhook");
        assert_eq!(request.header("content-length").unwrap(), request.body.len().to_string());
        assert!(request.header("transfer-encoding").is_none());
        assert_eq!(request.header("content-type").unwrap(), "application/a2a+json");
        assert_eq!(request.header("authorization").unwrap(), "Bearer hook-secret");
        assert_eq!(request.header("x-a2a-notification-token").unwrap(), "tck-token");
        request.json()
    };
    requests.iter().map(check).collect()
}

fn config(receiver: &Loopback) -> Value {
    json!({
        "id": "hook", "url": receiver.url("/webhook"), "token": "tck-token",
        "authentication": { "scheme": "Bearer", "credentials": "hook-secret" },
    })
}

#[tokio::test]
async fn a_webhook_that_comes_with_a_message_gets_every_update() {
    both(Capabilities::Full, async |kit: Kit| {
        let receiver = receiver(4).await;
        let inline = json!({ "taskPushNotificationConfig": config(&receiver) });
        let result = kit.send(configured(message("tck-stream-001", json!({})), inline)).await.unwrap();
        let notifications = received(&receiver, 4).await;
        assert_eq!(course(&notifications), ["Task SUBMITTED", "WORKING", "artifact", "COMPLETED"]);
        assert_eq!(notifications[3]["statusUpdate"]["taskId"], result["task"]["id"]);
        let kept = kit.config(result["task"]["id"].as_str().unwrap(), "hook").await.unwrap();
        assert_eq!(kept["url"], receiver.url("/webhook"));
    })
    .await;
}

#[tokio::test]
async fn a_webhook_of_a_waiting_task_gets_what_follows() {
    both(Capabilities::Full, async |kit: Kit| {
        let task = kit.waiting_task().await;
        let id = task["id"].as_str().unwrap();
        let receiver = receiver(4).await;
        kit.create_config(id, config(&receiver)).await.unwrap();
        kit.send(message("tck-stream-001", json!({ "taskId": id }))).await.unwrap();
        let notifications = received(&receiver, 4).await;
        assert_eq!(course(&notifications), ["WORKING", "WORKING", "artifact", "COMPLETED"]);
    })
    .await;
}
