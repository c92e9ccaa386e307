//! Streams, and those who join them.

use std::time::{Duration, Instant};

use a2a_examples::conformance::Capabilities;
use serde_json::json;

use super::{Kit, both, course, message};

#[tokio::test]
async fn a_stream_is_the_task_its_updates_and_the_end() {
    both(Capabilities::Full, async |kit: Kit| {
        for (id, expect) in [
            ("tck-stream-001", &["Task SUBMITTED", "WORKING", "artifact", "COMPLETED"][..]),
            ("tck-stream-002", &["Task SUBMITTED", "COMPLETED"]),
            ("tck-stream-003", &["Task SUBMITTED", "WORKING", "artifact", "COMPLETED"]),
            ("tck-stream-ordering-001", &["Task SUBMITTED", "WORKING", "artifact", "COMPLETED"]),
            (
                "tck-stream-artifact-chunked",
                &["Task SUBMITTED", "WORKING", "artifact", "artifact", "COMPLETED"],
            ),
            ("tck-input-required", &["Task SUBMITTED", "INPUT_REQUIRED"]),
            ("tck-message-response", &["message"]),
        ] {
            let mut stream = kit.stream(message(id, json!({}))).await;
            assert_eq!(stream.header("content-type"), "text/event-stream");
            assert!(stream.header("cache-control").contains("no-cache"));
            let payloads = stream.payloads().await;
            assert_eq!(course(&payloads), expect, "{id}");
            for payload in &payloads[1..] {
                let update = payload.as_object().unwrap().values().next().unwrap();
                assert_eq!(update["taskId"], payloads[0]["task"]["id"]);
                assert_eq!(update["contextId"], payloads[0]["task"]["contextId"]);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn chunks_say_whether_they_append_and_which_is_the_last() {
    both(Capabilities::Full, async |kit: Kit| {
        let mut stream = kit.stream(message("tck-stream-artifact-chunked", json!({}))).await;
        let payloads = stream.payloads().await;
        let chunks: Vec<_> = payloads.iter().filter_map(|payload| payload.get("artifactUpdate")).collect();
        assert!(chunks[0].get("append").is_none() && chunks[0].get("lastChunk").is_none());
        assert_eq!((&chunks[1]["append"], &chunks[1]["lastChunk"]), (&json!(true), &json!(true)));
        assert_eq!(chunks[0]["artifact"]["artifactId"], chunks[1]["artifact"]["artifactId"]);
    })
    .await;
}

#[tokio::test]
async fn events_arrive_when_they_happen() {
    both(Capabilities::Full, async |kit: Kit| {
        let begun = Instant::now();
        let mut stream = kit.stream(message("test-resubscribe-message-id", json!({}))).await;
        let first = [stream.payload().await.unwrap(), stream.payload().await.unwrap()];
        assert_eq!(course(&first), ["Task SUBMITTED", "WORKING"]);
        // The agent goes on for seconds.
        assert!(begun.elapsed() < Duration::from_secs(2));
    })
    .await;
}

#[tokio::test]
async fn subscribers_see_the_same_whoever_leaves() {
    both(Capabilities::Full, async |kit: Kit| {
        let mut stream = kit.stream(message("test-open", json!({}))).await;
        let task = stream.payload().await.unwrap();
        let id = task["task"]["id"].as_str().unwrap().to_owned();
        assert_eq!(course(&[stream.payload().await.unwrap()]), ["WORKING"]);
        let mut subscribers = [kit.subscribe(&id).await, kit.subscribe(&id).await, kit.subscribe(&id).await];
        for subscriber in &mut subscribers {
            assert_eq!(course(&[subscriber.payload().await.unwrap()]), ["Task WORKING"]);
        }
        let [leaves, mut one, mut two] = subscribers;
        drop(leaves);
        // The stream of the message ends when the task waits; those of subscribers stay open.
        assert_eq!(course(&stream.payloads().await), ["INPUT_REQUIRED"]);
        let (first, second) = (one.payload().await.unwrap(), two.payload().await.unwrap());
        assert_eq!(first, second);
        assert_eq!(course(&[first]), ["INPUT_REQUIRED"]);

        let follow_up = message("tck-stream-001", json!({ "taskId": id }));
        let mut stream = kit.stream(follow_up).await;
        let payloads = stream.payloads().await;
        assert_eq!(course(&payloads), ["Task WORKING", "WORKING", "artifact", "COMPLETED"]);
        let ended = Instant::now();
        let (seen_by_one, seen_by_two) = (one.payloads().await, two.payloads().await);
        assert!(ended.elapsed() < Duration::from_secs(10));
        assert_eq!(seen_by_one, seen_by_two);
        assert_eq!(course(&seen_by_one), ["WORKING", "WORKING", "artifact", "COMPLETED"]);
        assert_eq!(seen_by_one[1..], payloads[1..]);
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_task_ends_its_streams() {
    both(Capabilities::Full, async |kit: Kit| {
        let task = kit.waiting_task().await;
        let id = task["id"].as_str().unwrap();
        let mut subscriber = kit.subscribe(id).await;
        assert_eq!(course(&[subscriber.payload().await.unwrap()]), ["Task INPUT_REQUIRED"]);
        kit.cancel(id).await.unwrap();
        assert_eq!(course(&subscriber.payloads().await), ["CANCELED"]);
    })
    .await;
}
