//! Lists of tasks.

use a2a_examples::conformance::Capabilities;
use serde_json::{Value, json};

use super::{Kit, both, history, message};

fn ids(list: &Value) -> Vec<&str> {
    list["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_member_is_there_even_when_nothing_is_found() {
    both(Capabilities::Full, async |kit: Kit| {
        let list = kit.list(json!({ "context_id": "nobody's" })).await.unwrap();
        assert_eq!(list, json!({ "tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0 }));
    })
    .await;
}

#[tokio::test]
async fn pages_come_newest_first_and_miss_nothing() {
    both(Capabilities::Full, async |kit: Kit| {
        let mut made = Vec::new();
        for _ in 0..5 {
            let task = kit.send(message("tck-artifact-text", json!({ "contextId": "c" }))).await.unwrap();
            made.push(task["task"]["id"].as_str().unwrap().to_owned());
            // Times have milliseconds.
            tokio::time::sleep(std::time::Duration::from_millis(3)).await;
        }
        kit.send(message("tck-complete-task", json!({ "contextId": "other" }))).await.unwrap();
        made.reverse();
        let mut token = String::new();
        let mut seen = Vec::new();
        for (size, more) in [(2, true), (2, true), (1, false)] {
            let list =
                kit.list(json!({ "context_id": "c", "page_size": 2, "page_token": token })).await.unwrap();
            assert_eq!((&list["pageSize"], &list["totalSize"]), (&json!(2), &json!(5)));
            assert_eq!(ids(&list).len(), size);
            seen.extend(ids(&list).into_iter().map(str::to_owned));
            token = list["nextPageToken"].as_str().unwrap().to_owned();
            assert_eq!(!token.is_empty(), more);
        }
        assert_eq!(seen, made);
        assert_eq!(kit.list(json!({})).await.unwrap()["totalSize"], 6);
    })
    .await;
}

#[tokio::test]
async fn filters_select() {
    both(Capabilities::Full, async |kit: Kit| {
        let early = kit.finished_task().await;
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
        let waiting = kit.waiting_task().await;
        for (params, expect) in [
            (json!({ "status": "TASK_STATE_COMPLETED" }), vec![&early]),
            (json!({ "status": "TASK_STATE_INPUT_REQUIRED" }), vec![&waiting]),
            (json!({ "status": "TASK_STATE_FAILED" }), vec![]),
            (json!({ "status_timestamp_after": waiting["status"]["timestamp"] }), vec![&waiting]),
            (json!({ "status_timestamp_after": early["status"]["timestamp"] }), vec![&waiting, &early]),
            (json!({ "context_id": early["contextId"] }), vec![&early]),
        ] {
            let list = kit.list(params.clone()).await.unwrap();
            let expect: Vec<&str> = expect.into_iter().map(|task| task["id"].as_str().unwrap()).collect();
            assert_eq!(ids(&list), expect, "{params}");
        }
    })
    .await;
}

#[tokio::test]
async fn artifacts_and_history_come_as_asked() {
    both(Capabilities::Full, async |kit: Kit| {
        kit.send(message("tck-artifact-text", json!({}))).await.unwrap();
        for (params, artifacts, messages) in [
            (json!({}), false, 1),
            (json!({ "include_artifacts": false }), false, 1),
            (json!({ "include_artifacts": true, "history_length": 0 }), true, 0),
            (json!({ "history_length": 5 }), false, 1),
        ] {
            let list = kit.list(params.clone()).await.unwrap();
            let task = &list["tasks"][0];
            assert_eq!(task.get("artifacts").is_some(), artifacts, "{params}");
            assert_eq!(history(task).len(), messages, "{params}");
            assert_eq!(task.get("history").is_some(), messages > 0);
        }
    })
    .await;
}

#[tokio::test]
async fn wrong_parameters_are_refused() {
    both(Capabilities::Full, async |kit: Kit| {
        for params in [
            json!({ "page_size": 0 }),
            json!({ "page_size": 101 }),
            json!({ "page_size": -1 }),
            json!({ "history_length": -1 }),
            json!({ "page_token": "junk" }),
            json!({ "status": "TASK_STATE_RUNNING" }),
            json!({ "status_timestamp_after": "yesterday" }),
        ] {
            let outcome = kit.list(params).await;
            kit.assert_error(outcome, -32602, 400, "INVALID_PARAMS");
        }
        kit.list(json!({ "page_size": 100 })).await.unwrap();
    })
    .await;
}
