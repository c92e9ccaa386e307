//! Who calls, and what is theirs.

use a2a_server::{ApiKeys, AuthError, Authenticator, BearerTokens, Caller, HttpOptions, Server};
use futures::future::BoxFuture;
use http::{HeaderName, request::Parts};
use serde_json::json;

use crate::support::{Running, agent, card, message};

fn waiting() -> impl a2a_server::AgentExecutor {
    agent(|context, updater| async move {
        updater.input_required(format!("{}, please", context.caller.id)).await?;
        Ok(())
    })
}

#[tokio::test]
async fn without_credentials_there_is_a_challenge() {
    let tokens = BearerTokens::new([("secret-1", Caller::new("ada"))]);
    let mut options = HttpOptions::default();
    options.protect_card = true;
    let server =
        Running::start(|url| Server::new(card(url), waiting()).with_authenticator(tokens).with_http(options))
            .await;
    for wrong in [
        None,
        Some("Bearer secret-2"),
        Some("Bearer secret-12"),
        Some("Bearer "),
        Some("Basic secret-1"),
        Some("secret-1"),
    ] {
        let mut client = server.client.clone();
        if let Some(value) = wrong {
            client = client.with_header("authorization", value);
        }
        for answer in [
            client.call("ListTasks", json!({})).await,
            client.get("/tasks").await,
            client.get("/.well-known/agent-card.json").await,
        ] {
            assert_eq!((answer.status, answer.header("www-authenticate")), (401, "Bearer"), "{wrong:?}");
            let body = answer.json().await;
            assert_eq!(body["error"]["status"], "UNAUTHENTICATED");
        }
    }
    for right in ["Bearer secret-1", "bearer  secret-1"] {
        let client = server.client.clone().with_header("authorization", right);
        assert_eq!(client.get("/tasks").await.status, 200);
        assert_eq!(client.get("/.well-known/agent-card.json").await.status, 200);
    }
}

#[tokio::test]
async fn tasks_belong_to_their_caller() {
    let keys = ApiKeys::new(
        HeaderName::from_static("x-api-key"),
        [("key-a", Caller::new("ada")), ("key-b", Caller::new("bob"))],
    );
    let server = Running::start(|url| Server::new(card(url), waiting()).with_authenticator(keys)).await;
    assert_eq!(server.client.get("/tasks").await.status, 401);
    assert_eq!(server.client.get("/.well-known/agent-card.json").await.status, 200);
    let ada = server.client.clone().with_header("x-api-key", "key-a");
    let bob = server.client.clone().with_header("x-api-key", "key-b");
    let task = ada.result("SendMessage", message("x", json!({}))).await;
    assert_eq!(task["task"]["status"]["message"]["parts"][0]["text"], "ada, please");
    let id = &task["task"]["id"];
    for (method, params) in [
        ("GetTask", json!({ "id": id })),
        ("CancelTask", json!({ "id": id })),
        ("SubscribeToTask", json!({ "id": id })),
        ("SendMessage", message("y", json!({ "taskId": id }))),
        ("ListTaskPushNotificationConfigs", json!({ "taskId": id })),
        ("CreateTaskPushNotificationConfig", json!({ "taskId": id, "url": "https://hook.example" })),
        ("GetTaskPushNotificationConfig", json!({ "taskId": id, "id": "x" })),
        ("DeleteTaskPushNotificationConfig", json!({ "taskId": id, "id": "x" })),
    ] {
        assert_eq!(bob.error(method, params).await["code"], -32001, "{method}");
    }
    assert_eq!(bob.result("ListTasks", json!({})).await["totalSize"], 0);
    assert_eq!(ada.result("ListTasks", json!({})).await["totalSize"], 1);
    assert_eq!(
        ada.result("GetTask", json!({ "id": id })).await["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );
}

/// Lets nobody in.
struct Closed;

impl Authenticator for Closed {
    fn authenticate<'a>(&'a self, _: &'a Parts) -> BoxFuture<'a, Result<Caller, AuthError>> {
        Box::pin(async { Err(AuthError::Forbidden) })
    }
}

#[tokio::test]
async fn a_caller_may_be_known_and_not_allowed() {
    let server = Running::start(|url| Server::new(card(url), waiting()).with_authenticator(Closed)).await;
    let answer = server.client.get("/tasks").await;
    assert_eq!((answer.status, answer.header("www-authenticate")), (403, ""));
    assert_eq!(answer.json().await["error"]["status"], "PERMISSION_DENIED");
}

#[test]
fn secrets_are_not_shown() {
    let tokens = BearerTokens::new([("secret-1", Caller::new("ada"))]);
    let keys = ApiKeys::new(HeaderName::from_static("x-key"), [("secret-1", Caller::new("ada"))]);
    assert!(!format!("{tokens:?} {keys:?}").contains("secret"));
}
