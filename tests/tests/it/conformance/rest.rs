//! The routes of HTTP+JSON.

use a2a_examples::conformance::Capabilities;
use serde_json::json;

use super::{Binding, Kit, configured, message};

async fn kit() -> Kit {
    Kit::start(Binding::Rest, Capabilities::Full).await
}

#[tokio::test]
async fn both_verbs_subscribe() {
    let kit = kit().await;
    let task = kit.waiting_task().await;
    let id = task["id"].as_str().unwrap();
    for verb in ["GET", "POST"] {
        let mut stream = kit.client.send(verb, &format!("/tasks/{id}:subscribe"), &[], &[]).await;
        assert_eq!(stream.header("content-type"), "text/event-stream");
        let first = stream.event().await.unwrap();
        assert_eq!(first["task"]["id"], id);
        assert!(first.get("jsonrpc").is_none());
    }
}

#[tokio::test]
async fn every_route_exists_below_a_tenant() {
    let kit = kit().await;
    let request = message("tck-input-required", json!({}));
    let task = kit.client.post("/north%20quay/message:send", &request).await.json().await;
    let id = task["task"]["id"].as_str().unwrap();
    for (path, status) in [
        (format!("/north%20quay/tasks/{id}"), 200),
        (format!("/tasks/{id}"), 404),
        (format!("/south/tasks/{id}"), 404),
        ("/north%20quay/tasks".to_owned(), 200),
        ("/north%20quay/extendedAgentCard".to_owned(), 200),
        (format!("/north%20quay/tasks/{id}/pushNotificationConfigs"), 200),
    ] {
        assert_eq!(kit.client.get(&path).await.status, status, "{path}");
    }
    let mut same = request.clone();
    same["tenant"] = json!("north quay");
    assert_eq!(kit.client.post("/north%20quay/message:send", &same).await.status, 200);
    assert_eq!(kit.client.post("/south/message:send", &same).await.status, 400);
}

#[tokio::test]
async fn unknown_paths_and_verbs_are_told_apart() {
    let kit = kit().await;
    for (verb, path, status) in [
        ("GET", "/nothing", 404),
        ("GET", "/tasks/a/b", 404),
        ("POST", "/v1/message:end", 404),
        ("GET", "/message:send", 405),
        ("DELETE", "/tasks/x", 405),
        ("PUT", "/tasks/x/pushNotificationConfigs", 405),
    ] {
        let answer = kit.client.send(verb, path, &[], &[]).await;
        assert_eq!(answer.status, status, "{verb} {path}");
        assert_eq!(answer.header("allow").is_empty(), status == 404);
        let answer = answer.json().await;
        assert_eq!(answer["error"]["code"], status);
    }
}

#[tokio::test]
async fn bodies_that_are_wrong_are_4xx() {
    let kit = kit().await;
    for (body, status, reason) in [
        ("{}", 400, "INVALID_PARAMS"),
        ("", 400, "PARSE_ERROR"),
        ("{", 400, "PARSE_ERROR"),
        (r#"{"message":{"messageId":}}"#, 400, "PARSE_ERROR"),
        (r#"{"message":{"messageId":"#, 400, "PARSE_ERROR"),
        ("[]", 400, "INVALID_PARAMS"),
        (r#"{"message":7}"#, 400, "INVALID_PARAMS"),
    ] {
        let headers = [("content-type", "application/json")];
        let answer = kit.client.send("POST", "/message:send", &headers, body.as_bytes()).await;
        assert_eq!(answer.status, status, "{body}");
        assert!(answer.header("content-type").contains("application/json"));
        assert_eq!(super::reason(&answer.json().await["error"]["details"]), reason, "{body}");
    }
}

#[tokio::test]
async fn queries_are_camel_case_text() {
    let kit = kit().await;
    let request = configured(message("tck-complete-task", json!({ "contextId": "c & d" })), json!({}));
    kit.send(request).await.unwrap();
    for (query, status, count) in [
        ("contextId=c+%26+d", 200, 1),
        ("contextId=c%20%26%20d&includeArtifacts=true&pageSize=1&historyLength=0", 200, 1),
        ("contextId=other", 200, 0),
        ("context_id=c+%26+d", 200, 1),
        ("status=TASK_STATE_COMPLETED&pageToken=", 200, 1),
        ("status=TASK_STATE_WORKING", 200, 0),
        ("statusTimestampAfter=2999-01-01T00:00:00Z", 200, 0),
        ("unknown=1", 200, 1),
        ("includeArtifacts=1", 400, 0),
        ("pageSize=many", 400, 0),
        ("status=COMPLETED", 400, 0),
        ("statusTimestampAfter=yesterday", 400, 0),
    ] {
        let answer = kit.client.get(&format!("/tasks?{query}")).await;
        assert_eq!(answer.status, status, "{query}");
        if status == 200 {
            assert_eq!(answer.json().await["tasks"].as_array().unwrap().len(), count, "{query}");
        }
    }
}
