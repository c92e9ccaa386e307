//! Access tokens by client credentials.

use std::{sync::Arc, time::Duration};

use a2a_testkit::{Exchange, Gate, Loopback};
use a2a_transport::{ClientOptions, ErrorKind, OAuthClientCredentials, Transport, TransportError, connect};
use a2a_types::{AgentCard, GetTaskRequest};

use super::support::{http, in_time, no_options};

fn card(agent: &Loopback) -> AgentCard {
    let text = format!(
        r#"{{"name":"Tide Desk","supportedInterfaces":[{{"url":"{}","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}],
        "securitySchemes":{{"oauth":{{"oauth2SecurityScheme":{{"flows":{{"clientCredentials":{{"tokenUrl":"https://elsewhere.example/token"}}}}}}}}}},
        "securityRequirements":[{{"schemes":{{"oauth":{{"list":["tides.read","tides.list"]}}}}}}]}}"#,
        agent.url("/rpc")
    );
    a2a_types::from_str(&text).unwrap()
}

async fn agent() -> Loopback {
    Loopback::start([Exchange::any().times(99).json(r#"{"id":"$ID","result":{"id":"t"}}"#)]).await
}

fn token(name: &str, expires_in: u32) -> Exchange {
    let body = format!(r#"{{"access_token":"{name}","token_type":"bearer","expires_in":{expires_in}}}"#);
    Exchange::on("POST /token").json(&body)
}

fn transport(agent: &Loopback, tokens: &Loopback) -> Arc<dyn Transport> {
    let credentials =
        OAuthClientCredentials::new(http(), &tokens.url("/token?tenant=1"), "desk", "s3cret/+").unwrap();
    assert!(!format!("{credentials:?}").contains("s3cret"));
    connect(&card(agent), &http(), ClientOptions::default().with_credentials(credentials)).unwrap()
}

async fn call(transport: &dyn Transport) -> Result<(), TransportError> {
    in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.map(drop)
}

fn authorizations(agent: &Loopback) -> Vec<String> {
    agent.requests().iter().map(|request| request.header("authorization").unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_token_is_got_once_for_all() {
    let gate = Gate::new();
    let body = r#"{"access_token":"one","token_type":"bearer","expires_in":3600}"#;
    let (agent, tokens) = (agent().await, Loopback::start([Exchange::any().wait(&gate).json(body)]).await);
    let transport = transport(&agent, &tokens);
    let calls = futures::future::join_all((0..10).map(|_| call(transport.as_ref())));
    let (answers, ()) = tokio::join!(calls, async {
        gate.reached().await;
        gate.open();
    });
    assert!(answers.into_iter().all(|answer| answer.is_ok()));
    call(transport.as_ref()).await.unwrap();
    assert_eq!(tokens.requests().len(), 1);
    assert_eq!(authorizations(&agent), vec!["Bearer one"; 11]);

    let request = &tokens.requests()[0];
    assert_eq!(request.line(), "POST /token?tenant=1");
    let body = String::from_utf8_lossy(&request.body).into_owned();
    assert_eq!(body, "grant_type=client_credentials&scope=tides.read+tides.list");
    // The id and the secret, form-encoded, in base64.
    assert_eq!(request.header("authorization").as_deref(), Some("Basic ZGVzazpzM2NyZXQlMkYlMkI="));
}

#[tokio::test(start_paused = true)]
async fn a_token_is_replaced_before_it_expires() {
    let (agent, tokens) = (agent().await, Loopback::start([token("one", 3600), token("two", 3600)]).await);
    let transport = transport(&agent, &tokens);
    for (wait, requests) in [(0, 1), (3560, 1), (20, 2), (10, 2)] {
        tokio::time::advance(Duration::from_secs(wait)).await;
        transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
        assert_eq!(tokens.requests().len(), requests);
    }
    assert_eq!(authorizations(&agent), ["Bearer one", "Bearer one", "Bearer two", "Bearer two"]);
}

#[tokio::test]
async fn a_token_that_is_refused_is_replaced() {
    let agent = Loopback::start([
        Exchange::any().status(401, &[("WWW-Authenticate", "Bearer error=\"invalid_token\"")], ""),
        Exchange::any().json(r#"{"id":"$ID","result":{"id":"t"}}"#),
    ])
    .await;
    let tokens = Loopback::start([token("one", 3600), token("two", 3600)]).await;
    call(transport(&agent, &tokens).as_ref()).await.unwrap();
    assert_eq!(authorizations(&agent), ["Bearer one", "Bearer two"]);
}

#[tokio::test]
async fn no_token_is_an_error_and_tried_again() {
    let json = [("Content-Type", "application/json")];
    let (agent, tokens) = (
        agent().await,
        Loopback::start([
            Exchange::any().status(400, &json, r#"{"error":"invalid_client","error_description":"who?"}"#),
            Exchange::any().status(200, &json, r#"{"access_token":7,"hidden":"s3cret-token"}"#),
            Exchange::any().status(500, &[], "oops"),
            Exchange::any().cut(),
            token("late", 3600),
        ])
        .await,
    );
    let transport = transport(&agent, &tokens);
    for word in
        ["invalid_client: who?", "not what OAuth says", "not what OAuth says", "ended before the response"]
    {
        let error = call(transport.as_ref()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Auth, "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
    assert!(agent.requests().is_empty());
    call(transport.as_ref()).await.unwrap();
    assert_eq!(authorizations(&agent), ["Bearer late"]);
}
