//! The JSON-RPC envelope and its errors.

use a2a_examples::conformance::Capabilities;
use serde_json::{Value, json};

use super::{Binding, Kit, message};

async fn kit() -> Kit {
    Kit::start(Binding::JsonRpc, Capabilities::Full).await
}

#[tokio::test]
async fn the_url_with_and_without_a_slash_is_the_same() {
    let kit = kit().await;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {} });
    for path in ["/", "//"] {
        let answer = kit.client.post(path, &call).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.json().await["result"]["tasks"], json!([]));
    }
}

#[tokio::test]
async fn ids_come_back_as_they_were_sent() {
    let kit = kit().await;
    for id in [json!("a"), json!(""), json!(0), json!(-7), json!(9_007_199_254_740_993_i64), json!(null)] {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "ListTasks" });
        let answer = kit.client.post("/", &call).await.json().await;
        assert_eq!(answer["id"], id);
        assert!(answer.get("error").is_none(), "{answer}");
    }
}

#[tokio::test]
async fn what_is_no_call_is_refused() {
    let kit = kit().await;
    for (body, code, id) in [
        ("{", -32700, json!(null)),
        ("", -32700, json!(null)),
        ("\u{1}", -32700, json!(null)),
        (r#"{"jsonrpc":"2.0","method":"SendMessage","params":{"open":true"#, -32700, json!(null)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":}}}"#,
            -32700,
            json!(null),
        ),
        ("[]", -32600, json!(null)),
        ("17", -32600, json!(null)),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ListTasks"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"1.0","id":5,"method":"ListTasks"}"#, -32600, json!(5)),
        (r#"{"id":5,"method":"ListTasks"}"#, -32600, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5}"#, -32600, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"Nothing"}"#, -32601, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"listtasks"}"#, -32601, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"message/send","params":{}}"#, -32601, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"SendMessage","params":{}}"#, -32602, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"SendMessage"}"#, -32602, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"SendMessage","params":[1]}"#, -32602, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"SendMessage","params":"x"}"#, -32602, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"SendMessage","params":{"message":7}}"#, -32602, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"GetTask","params":{}}"#, -32602, json!(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"GetTask","params":{"id":["x"]}}"#, -32602, json!(5)),
    ] {
        let headers = [("content-type", "application/json")];
        let answer = kit.client.send("POST", "/", &headers, body.as_bytes()).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"), "{body}");
        let answer = answer.json().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{body}");
        assert!(answer.get("result").is_none());
        assert!(!super::reason(&answer["error"]["data"]).is_empty());
    }
    assert_eq!(kit.client.get("/").await.status, 405);
}

#[tokio::test]
async fn names_of_members_are_taken_in_either_spelling_and_unknown_ones_are_ignored() {
    let kit = kit().await;
    let params = json!({
        "message": {
            "message_id": "tck-complete-task-1", "role": "ROLE_USER", "context_id": "c-1", "surprise": [1, null],
            "parts": [{ "text": "x", "media_type": "text/plain", "kind": "text" }],
        },
        "configuration": { "history_length": 0, "accepted_output_modes": ["text/plain"], "other": {} },
        "unknown": true,
    });
    let task = kit.send(params).await.unwrap();
    assert_eq!(task["task"]["contextId"], "c-1");
    assert!(task["task"].get("history").is_none());
}

#[tokio::test]
async fn results_are_bare_or_wrapped_as_their_operation_says() {
    let kit = kit().await;
    let sent = kit.send(message("tck-complete-task", json!({}))).await.unwrap();
    assert_eq!(sent.as_object().unwrap().keys().collect::<Vec<_>>(), ["task"]);
    let id = sent["task"]["id"].as_str().unwrap();
    assert_eq!(kit.get_task(id, None).await.unwrap()["id"], id);
    let sent = kit.send(message("tck-message-response", json!({}))).await.unwrap();
    assert_eq!(sent.as_object().unwrap().keys().collect::<Vec<_>>(), ["message"]);
    let waiting = kit.waiting_task().await;
    assert_eq!(kit.cancel(waiting["id"].as_str().unwrap()).await.unwrap()["id"], waiting["id"]);
}

#[tokio::test]
async fn stream_events_are_whole_responses_in_one_line() {
    let kit = kit().await;
    let call = json!({
        "jsonrpc": "2.0", "id": "stream-7", "method": "SendStreamingMessage",
        "params": message("tck-stream-artifact-chunked", json!({})),
    });
    let mut answer = kit.client.post("/", &call).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/event-stream"));
    let mut results: Vec<Value> = Vec::new();
    while let Some(mut event) = answer.event().await {
        assert_eq!((&event["jsonrpc"], &event["id"]), (&json!("2.0"), &json!("stream-7")));
        assert_eq!(event["result"].as_object().unwrap().len(), 1);
        results.push(event["result"].take());
    }
    assert_eq!(super::course(&results), ["Task SUBMITTED", "WORKING", "artifact", "artifact", "COMPLETED"]);
}
