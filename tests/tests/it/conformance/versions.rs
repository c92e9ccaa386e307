//! Version, content type and extensions.

use a2a_examples::conformance::{Capabilities, REQUIRED_EXTENSION};
use serde_json::json;

use super::{Binding, Kit, both, message};

#[tokio::test]
async fn another_version_is_refused() {
    for version in ["99.0", "1.1", "0.3", "one"] {
        both(Capabilities::Full, async |mut kit: Kit| {
            kit.client = kit.client.clone().with_header("a2a-version", version);
            let outcome = kit.send(message("tck-complete-task", json!({}))).await;
            kit.assert_error(outcome, -32009, 400, "VERSION_NOT_SUPPORTED");
            let outcome = kit.get_task("any", None).await;
            kit.assert_error(outcome, -32009, 400, "VERSION_NOT_SUPPORTED");
        })
        .await;
    }
}

#[tokio::test]
async fn a_patch_number_does_not_matter() {
    both(Capabilities::Full, async |mut kit: Kit| {
        kit.client = kit.client.clone().with_header("a2a-version", "1.0.7");
        kit.finished_task().await;
    })
    .await;
}

#[tokio::test]
async fn an_empty_version_is_answered_with_json() {
    both(Capabilities::Full, async |mut kit: Kit| {
        kit.client = kit.client.clone().with_header("a2a-version", "");
        let outcome = kit.send(message("tck-complete-task", json!({}))).await;
        kit.assert_error(outcome, -32009, 400, "VERSION_NOT_SUPPORTED");
    })
    .await;
}

#[tokio::test]
async fn the_version_may_be_in_the_query() {
    let kit = Kit::start(Binding::Rest, Capabilities::Full).await;
    let headers = [("a2a-version", "")];
    let response = kit.client.send("GET", "/tasks?A2A-Version=1.0", &headers, &[]).await;
    assert_eq!(response.status, 200);
}

#[tokio::test]
async fn another_content_type_is_refused_before_the_body_is_read() {
    let kit = Kit::start(Binding::JsonRpc, Capabilities::Full).await;
    let headers = [("content-type", "text/plain")];
    let answer = kit.client.send("POST", "/", &headers, b"not JSON at all").await;
    assert_eq!(answer.header("content-type"), "application/json");
    let answer = answer.json().await;
    assert_eq!(answer["id"], json!(null));
    assert_eq!(answer["error"]["code"], -32005);
    assert_eq!(super::reason(&answer["error"]["data"]), "CONTENT_TYPE_NOT_SUPPORTED");

    let answer = kit.client.send("POST", "/message:send", &headers, b"not JSON at all").await;
    assert_eq!(answer.status, 415);
    let answer = answer.json().await;
    assert_eq!(answer["error"]["code"], 415);
    assert_eq!(super::reason(&answer["error"]["details"]), "CONTENT_TYPE_NOT_SUPPORTED");
}

#[tokio::test]
async fn both_json_media_types_are_taken_and_the_answer_fits() {
    let kit = Kit::start(Binding::Rest, Capabilities::Full).await;
    let body = message("tck-complete-task", json!({})).to_string();
    for (sent, accepted, expect) in [
        ("application/json", "*/*", "application/json"),
        ("application/json; charset=utf-8", "application/json", "application/json"),
        ("application/a2a+json", "*/*", "application/a2a+json"),
        ("application/json", "application/a2a+json", "application/a2a+json"),
    ] {
        let headers = [("content-type", sent), ("accept", accepted)];
        let answer = kit.client.send("POST", "/message:send", &headers, body.as_bytes()).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, expect), "{sent}, {accepted}");
    }
    let headers = [("accept", "application/a2a+json")];
    let answer = kit.client.send("GET", "/tasks/nope", &headers, &[]).await;
    assert_eq!((answer.status, answer.header("content-type")), (404, "application/a2a+json"));
}

#[tokio::test]
async fn unknown_extensions_are_ignored() {
    both(Capabilities::Full, async |mut kit: Kit| {
        kit.client = kit.client.clone().with_header("a2a-extensions", "urn:one, urn:two");
        kit.finished_task().await;
    })
    .await;
}

#[tokio::test]
async fn a_required_extension_must_be_activated() {
    both(Capabilities::Extension, async |mut kit: Kit| {
        let request = message("tck-cap-ext-004", json!({}));
        let outcome = kit.send(request.clone()).await;
        kit.assert_error(outcome, -32008, 400, "EXTENSION_SUPPORT_REQUIRED");
        let header = format!("urn:other,{REQUIRED_EXTENSION}");
        kit.client = kit.client.clone().with_header("a2a-extensions", &header);
        let answer = kit.stream(request).await;
        assert_eq!(answer.header("a2a-extensions"), REQUIRED_EXTENSION);
        assert_eq!(answer.header("content-type"), "text/event-stream");
    })
    .await;
}
