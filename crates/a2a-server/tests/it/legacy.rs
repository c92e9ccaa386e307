//! Protocol 0.3 at the same paths.

use a2a_server::{HttpOptions, Server};
use a2a_testkit::RawClient;
use a2a_types::{AgentInterface, Part};
use serde_json::json;

use crate::support::{Running, agent, card};

async fn server(advertised: bool) -> Running {
    let executor = agent(|context, updater| async move {
        match context.text().as_str() {
            "reply" => {
                updater
                    .reply(vec![Part::text("hi"), Part::raw(*b"\x89PNG").with_media_type("image/png")])
                    .await?
            }
            "ask" if context.task.is_none() => updater.input_required("which?").await?,
            text => {
                updater.working(()).await?;
                let mut answer = updater.artifact("a");
                answer.chunk(text).await?;
                answer.last_chunk("!").await?;
                updater.complete(()).await?;
            }
        }
        Ok(())
    });
    let mut options = HttpOptions::default();
    options.legacy = true;
    Running::start(|url| {
        let mut card = card(url);
        if advertised {
            card.supported_interfaces.push(AgentInterface::new(url, AgentInterface::JSONRPC, "0.3"));
            card.supported_interfaces.push(AgentInterface::new(url, AgentInterface::HTTP_JSON, "0.3"));
        }
        Server::new(card.clone(), executor).with_extended_card(card).with_http(options)
    })
    .await
}

fn message(text: &str) -> serde_json::Value {
    json!({ "message": { "kind": "message", "messageId": "m", "role": "user", "parts": [{ "kind": "text", "text": text }] } })
}

#[tokio::test]
async fn json_rpc_speaks_0_3() {
    let server = server(true).await;
    let client = RawClient::new(server.address);
    let reply = client.result("message/send", message("reply")).await;
    assert_eq!((&reply["kind"], &reply["role"]), (&json!("message"), &json!("agent")));
    assert_eq!(reply["parts"][1]["file"], json!({ "bytes": "iVBORw==", "mimeType": "image/png" }));

    let mut stream = client.call("message/stream", message("hello")).await;
    let payloads = stream.payloads().await;
    let kinds: Vec<_> = payloads.iter().map(|payload| payload["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["task", "status-update", "artifact-update", "artifact-update", "status-update"]);
    assert_eq!((&payloads[1]["final"], &payloads[4]["final"]), (&json!(false), &json!(true)));
    assert_eq!(payloads[4]["status"]["state"], "completed");

    let task = client.result("message/send", message("ask")).await;
    assert_eq!((&task["kind"], &task["status"]["state"]), (&json!("task"), &json!("input-required")));
    let id = task["id"].as_str().unwrap();
    let mut resubscribed = client.call("tasks/resubscribe", json!({ "id": id })).await;
    assert_eq!(resubscribed.payload().await.unwrap()["kind"], "task");
    let config =
        json!({ "taskId": id, "pushNotificationConfig": { "id": "p", "url": "https://hook.example" } });
    assert_eq!(client.result("tasks/pushNotificationConfig/set", config.clone()).await, config);
    assert_eq!(client.result("tasks/pushNotificationConfig/get", json!({ "id": id })).await, config);
    assert_eq!(
        client.result("tasks/pushNotificationConfig/list", json!({ "id": id })).await,
        json!([config])
    );
    let params = json!({ "id": id, "pushNotificationConfigId": "p" });
    assert_eq!(client.result("tasks/pushNotificationConfig/delete", params).await, json!(null));
    let cancelled = client.result("tasks/cancel", json!({ "id": id })).await;
    assert_eq!(cancelled["status"]["state"], "canceled");
    assert_eq!(client.error("tasks/get", json!({ "id": "nope" })).await["code"], -32001);
    assert_eq!(client.result("tasks/get", json!({ "id": id })).await["kind"], "task");
    let card = client.result("agent/getAuthenticatedExtendedCard", json!(null)).await;
    assert_eq!(card["protocolVersion"], "0.3");
}

#[tokio::test]
async fn http_json_speaks_0_3_below_v1() {
    let server = server(true).await;
    let client = RawClient::new(server.address);
    let body =
        json!({ "request": { "messageId": "m", "role": "ROLE_USER", "content": [{ "text": "hello" }] } });
    let mut stream = client.post("/v1/message:stream", &body).await;
    let payloads = stream.payloads().await;
    assert_eq!(payloads[4]["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(payloads[4]["statusUpdate"]["final"], true);
    let id = payloads[0]["task"]["id"].as_str().unwrap();
    let task = client.get(&format!("/v1/tasks/{id}?historyLength=0")).await.json().await;
    assert!(!task["history"].as_array().unwrap().is_empty());
    assert_eq!(client.get("/v1/tasks/nope").await.status, 404);
    assert_eq!(client.get("/v1/card").await.json().await["preferredTransport"], "JSONRPC");
    let answer = client.post(&format!("/v1/tasks/{id}:cancel"), &json!({})).await;
    assert_eq!(answer.status, 409);
    assert_eq!(answer.json().await["type"], "TaskNotCancelableError");
}

#[tokio::test]
async fn versions_are_not_mixed() {
    let server = server(true).await;
    let old = RawClient::new(server.address);
    let new = &server.client;
    let params =
        json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "reply" }] } });
    assert_eq!(old.error("SendMessage", params.clone()).await["code"], -32009);
    assert_eq!(new.error("message/send", message("reply")).await["code"], -32603);
    assert_eq!(
        old.clone().with_header("a2a-version", "0.3.0").result("message/send", message("reply")).await["kind"],
        "message"
    );
    assert!(new.result("SendMessage", params.clone()).await.get("message").is_some());
    assert_eq!(old.post("/message:send", &params).await.status, 400);
    assert_eq!(new.post("/v1/message:send", &params).await.status, 500);
}

#[tokio::test]
async fn the_card_fits_who_asks() {
    for advertised in [true, false] {
        let server = server(advertised).await;
        let old = RawClient::new(server.address).get("/.well-known/agent-card.json").await;
        let new = server.client.get("/.well-known/agent-card.json").await;
        assert_eq!((old.header("vary"), new.header("vary")), ("a2a-version", "a2a-version"));
        assert_eq!(old.header("etag") != new.header("etag"), advertised);
        let (old, new) = (old.json().await, new.json().await);
        assert!(new.get("url").is_none());
        assert_eq!(old.get("url").is_some(), advertised);
        assert_eq!(old["supportedInterfaces"], new["supportedInterfaces"]);
        assert_eq!(server.client.get("/.well-known/agent.json").await.status, 200);
    }
}
