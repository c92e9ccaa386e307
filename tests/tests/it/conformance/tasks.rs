//! The life of tasks.

use a2a_examples::conformance::Capabilities;
use serde_json::json;

use super::{Kit, both, configured, history, message};

#[tokio::test]
async fn what_the_agent_makes_arrives() {
    both(Capabilities::Full, async |kit: Kit| {
        let parts = |task: &serde_json::Value| task["artifacts"][0]["parts"].clone();
        for (id, expect) in [
            ("tck-artifact-text", json!([{ "text": "Generated text content" }])),
            ("tck-artifact-data", json!([{ "data": { "key": "value", "count": 42 } }])),
            (
                "tck-artifact-file-url",
                json!([{ "url": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain" }]),
            ),
            (
                "tck-artifact-file",
                json!([{ "raw": "R2VuZXJhdGVkIGZpbGUgY29udGVudAo=", "filename": "output.txt", "mediaType": "text/plain" }]),
            ),
            ("tck-stream-artifact-chunked", json!([{ "text": "chunk-1 " }, { "text": "chunk-2" }])),
        ] {
            let result = kit.send(message(id, json!({}))).await.unwrap();
            assert_eq!(result["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{id}");
            assert_eq!(parts(&result["task"]), expect, "{id}");
            let again = kit.get_task(result["task"]["id"].as_str().unwrap(), None).await.unwrap();
            assert_eq!(again, result["task"]);
        }
        let task = kit.finished_task().await;
        assert_eq!(task["status"]["message"]["parts"], json!([{ "text": "Hello from TCK" }]));
        assert_eq!(task["status"]["message"]["role"], "ROLE_AGENT");
        let timestamp = task["status"]["timestamp"].as_str().unwrap();
        assert!(timestamp.ends_with('Z') && timestamp.len() == "2026-01-01T00:00:00.000Z".len(), "{timestamp}");
        let reply = kit.send(message("tck-message-response", json!({}))).await.unwrap();
        assert_eq!(reply["message"]["parts"], json!([{ "text": "Direct message response" }]));
        let rejected = kit.send(message("tck-reject-task", json!({}))).await.unwrap();
        assert_eq!(rejected["task"]["status"]["state"], "TASK_STATE_REJECTED");
    })
    .await;
}

#[tokio::test]
async fn contexts_are_made_kept_and_inferred() {
    both(Capabilities::Full, async |kit: Kit| {
        let made = kit.waiting_task().await;
        assert!(!made["contextId"].as_str().unwrap().is_empty());
        let kept = kit.send(message("tck-complete-task", json!({ "contextId": "mine" }))).await.unwrap();
        assert_eq!(kept["task"]["contextId"], "mine");
        assert_eq!(kept["task"]["status"]["message"]["contextId"], "mine");
        let reply = kit.send(message("tck-message-response", json!({ "contextId": "mine" }))).await.unwrap();
        assert_eq!(reply["message"]["contextId"], "mine");
        assert!(reply["message"].get("taskId").is_none());

        let mismatch = json!({ "taskId": made["id"], "contextId": "another" });
        let outcome = kit.send(message("tck-complete-task", mismatch)).await;
        kit.assert_error(outcome, -32602, 400, "INVALID_PARAMS");
        let inferred = kit.send(message("tck-complete-task", json!({ "taskId": made["id"] }))).await.unwrap();
        assert_eq!(inferred["task"]["id"], made["id"]);
        assert_eq!(inferred["task"]["contextId"], made["contextId"]);
        assert_eq!(inferred["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    })
    .await;
}

#[tokio::test]
async fn a_call_waits_unless_it_is_told_not_to() {
    both(Capabilities::Full, async |kit: Kit| {
        let request = configured(message("test-slow", json!({})), json!({ "returnImmediately": true }));
        let at_once = kit.send(request).await.unwrap();
        assert_eq!(at_once["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
        let id = at_once["task"]["id"].as_str().unwrap();
        assert!(kit.get_task(id, None).await.is_ok());
        let waited = kit.send(message("test-slow", json!({}))).await.unwrap();
        assert_eq!(waited["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    })
    .await;
}

#[tokio::test]
async fn history_holds_every_message_in_order() {
    both(Capabilities::Full, async |kit: Kit| {
        let task = kit.waiting_task().await;
        let id = task["id"].as_str().unwrap();
        // The same message id each time: they are different messages nevertheless.
        for text in ["second", "third", "fourth"] {
            let members = json!({ "taskId": id, "parts": [{ "text": text }] });
            let result = kit.send(message("tck-input-required", members)).await.unwrap();
            assert_eq!(result["task"]["id"], id);
        }
        let all = ["text of tck-input-required", "second", "third", "fourth"];
        assert_eq!(history(&kit.get_task(id, None).await.unwrap()), all);
        assert_eq!(history(&kit.get_task(id, Some(2)).await.unwrap()), ["third", "fourth"]);
        assert_eq!(history(&kit.get_task(id, Some(99)).await.unwrap()), all);
        assert!(kit.get_task(id, Some(0)).await.unwrap().get("history").is_none());

        let members = json!({ "taskId": id, "parts": [{ "text": "fifth" }] });
        let request = configured(message("tck-input-required", members), json!({ "historyLength": 1 }));
        assert_eq!(history(&kit.send(request).await.unwrap()["task"]), ["fifth"]);
        let members = json!({ "taskId": id, "parts": [{ "text": "sixth" }] });
        let request = configured(message("tck-complete-task", members), json!({ "historyLength": 0 }));
        let result = kit.send(request).await.unwrap();
        assert!(result["task"].get("history").is_none());
        assert_eq!(result["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    })
    .await;
}

#[tokio::test]
async fn a_waiting_task_can_be_cancelled_twice() {
    both(Capabilities::Full, async |kit: Kit| {
        let task = kit.waiting_task().await;
        let id = task["id"].as_str().unwrap();
        let cancelled = kit.cancel(id).await.unwrap();
        assert_eq!(cancelled["status"]["state"], "TASK_STATE_CANCELED");
        assert_eq!(cancelled["id"], id);
        assert_eq!(kit.cancel(id).await.unwrap(), cancelled);
        assert_eq!(kit.get_task(id, None).await.unwrap(), cancelled);
    })
    .await;
}
