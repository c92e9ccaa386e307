//! Delivery of push notifications.

use std::{sync::Arc, time::Duration};

use a2a_server::{HttpOptions, Server, WebhookOptions};
use a2a_testkit::{Exchange, Loopback, RawClient};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{Running, agent, card, gists, message};

fn counting() -> impl a2a_server::AgentExecutor {
    agent(|_, updater| async move {
        updater.working("one").await?;
        updater.working("two").await?;
        updater.complete("three").await?;
        Ok(())
    })
}

fn options() -> WebhookOptions {
    let mut options = WebhookOptions::default();
    options.allow_loopback = true;
    options.backoff = Duration::from_millis(10);
    options
}

async fn server(options: WebhookOptions) -> Running {
    Running::start(|url| Server::new(card(url), counting()).with_webhooks(options)).await
}

/// A message with a webhook.
fn notified(url: &str) -> Value {
    let mut request = message("x", json!({}));
    request["configuration"] = json!({ "taskPushNotificationConfig": { "url": url } });
    request
}

fn bodies(receiver: &Loopback) -> Vec<Value> {
    receiver.requests().iter().map(a2a_testkit::RawRequest::json).collect()
}

const ALL: [&str; 4] = ["task submitted []", "working one", "working two", "completed three"];

#[tokio::test]
async fn what_may_pass_is_sent_again_in_order() {
    let receiver = Loopback::start([
        Exchange::any().times(2).status(503, &[], ""),
        Exchange::any().cut(),
        Exchange::any().times(10).status(204, &[], ""),
    ])
    .await;
    let server = server(options()).await;
    server.client.result("SendMessage", notified(&receiver.url("/hook"))).await;
    receiver.closed_connections(7).await;
    let bodies = gists(&bodies(&receiver));
    assert_eq!(bodies[..3], [ALL[0]; 3]);
    assert_eq!(bodies[3..], ALL);
}

#[tokio::test]
async fn what_will_not_pass_is_not_sent_again() {
    // The second one would lead elsewhere; it is not followed.
    let elsewhere = Loopback::start([Exchange::any().status(200, &[], "")]).await;
    let location = elsewhere.url("/");
    let receiver = Loopback::start([
        Exchange::any().status(400, &[], ""),
        Exchange::any().status(307, &[("location", location.as_str())], ""),
        Exchange::any().times(2).status(200, &[], ""),
    ])
    .await;
    let server = server(options()).await;
    server.client.result("SendMessage", notified(&receiver.url("/hook"))).await;
    receiver.closed_connections(4).await;
    assert_eq!(gists(&bodies(&receiver)), ALL);
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn a_webhook_that_never_answers_is_given_up() {
    let receiver =
        Loopback::start([Exchange::any().times(2).hold(), Exchange::any().times(3).status(200, &[], "")])
            .await;
    let mut options = options();
    options.timeout = Duration::from_millis(100);
    options.attempts = 2;
    let server = server(options).await;
    server.client.result("SendMessage", notified(&receiver.url("/hook"))).await;
    receiver.closed_connections(5).await;
    assert_eq!(gists(&bodies(&receiver)), [ALL[0], ALL[0], ALL[1], ALL[2], ALL[3]]);
}

#[tokio::test]
async fn webhooks_of_this_machine_need_a_switch() {
    let receiver = Loopback::start([Exchange::any().status(200, &[], "")]).await;
    let server = server(WebhookOptions::default()).await;
    let answer = server.client.error("SendMessage", notified(&receiver.url("/hook"))).await;
    assert_eq!(answer["code"], -32602);
    // A name is only looked up when something is sent; then it is refused as well.
    let by_name = format!("https://localhost:{}/hook", receiver.port());
    server.client.result("SendMessage", notified(&by_name)).await;
    while server.engine.live_tasks() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(receiver.opened_connections(), 0);
}

#[tokio::test]
async fn a_configuration_can_be_replaced_and_removed_while_it_is_used() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let executor = agent(move |_, updater| {
        let gate = Arc::clone(&gate);
        async move {
            for number in 0..4 {
                updater.working(number.to_string()).await?;
                gate.notified().await;
            }
            updater.complete(()).await?;
            Ok(())
        }
    });
    let server = Running::start(|url| Server::new(card(url), executor).with_webhooks(options())).await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let id = stream.payload().await.unwrap()["task"]["id"].clone();
    stream.payload().await.unwrap();
    let config = |receiver: &Loopback| json!({ "taskId": id, "id": "c", "url": receiver.url("/hook") });
    let one = Loopback::start([Exchange::any().times(9).status(200, &[], "")]).await;
    let two = Loopback::start([Exchange::any().times(9).status(200, &[], "")]).await;
    server.client.result("CreateTaskPushNotificationConfig", config(&one)).await;
    go.notify_one();
    one.closed_connections(1).await;
    server.client.result("CreateTaskPushNotificationConfig", config(&two)).await;
    go.notify_one();
    two.closed_connections(1).await;
    server.client.result("DeleteTaskPushNotificationConfig", json!({ "taskId": id, "id": "c" })).await;
    go.notify_one();
    go.notify_one();
    while server.engine.live_tasks() > 0 {
        go.notify_one();
        tokio::time::sleep(Duration::from_millis(5)).await;
        if stream.payload().await.is_none() {
            break;
        }
    }
    assert_eq!(gists(&bodies(&one)), ["working 1"]);
    assert_eq!(gists(&bodies(&two)), ["working 2"]);
}

#[tokio::test]
async fn credentials_that_are_no_header_are_refused() {
    let server = server(options()).await;
    for authentication in [
        json!({ "scheme": "Bearer\r\nx: y", "credentials": "c" }),
        json!({ "scheme": "B", "credentials": "a\nb" }),
    ] {
        let mut request = notified("https://hook.example");
        request["configuration"]["taskPushNotificationConfig"]["authentication"] = authentication;
        assert_eq!(server.client.error("SendMessage", request).await["code"], -32602);
    }
    // Nor are those that no receiver takes.
    for member in ["id", "token"] {
        let mut request = notified("https://hook.example");
        request["configuration"]["taskPushNotificationConfig"][member] = "x".repeat(20_000).into();
        assert_eq!(server.client.error("SendMessage", request).await["code"], -32602, "{member}");
    }
}

/// A receiver that speaks TLS as `localhost`, and the certificate to trust.
#[cfg(feature = "tls")]
async fn encrypted_receiver(count: usize) -> (Loopback, Vec<u8>) {
    use rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
    use tokio_rustls::TlsAcceptor;

    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let wrap: a2a_testkit::Wrap = Arc::new(move |stream| {
        let acceptor = acceptor.clone();
        Box::pin(async move { Ok(Box::new(acceptor.accept(stream).await?) as Box<dyn a2a_testkit::Io>) })
    });
    let exchange = Exchange::any().times(count).status(200, &[], "");
    (Loopback::start_wrapped("https", wrap, [exchange]).await, certificate.to_vec())
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn https_webhooks_are_reached_if_their_certificate_is_trusted() {
    let (receiver, certificate) = encrypted_receiver(4).await;
    let url = format!("https://localhost:{}/hook", receiver.port());
    let mut strict = options();
    strict.attempts = 1;
    let mut trusting = strict.clone();
    trusting.extra_roots = vec![certificate];

    let distrusting = server(strict).await;
    distrusting.client.result("SendMessage", notified(&url)).await;
    while distrusting.engine.live_tasks() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(receiver.requests().is_empty());

    let trusting = server(trusting).await;
    trusting.client.result("SendMessage", notified(&url)).await;
    while trusting.engine.live_tasks() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(gists(&bodies(&receiver)), ALL);
}

#[tokio::test]
async fn a_webhook_of_0_3_gets_the_task() {
    let receiver = Loopback::start([Exchange::any().times(9).status(200, &[], "")]).await;
    let mut http = HttpOptions::default();
    http.legacy = true;
    let server =
        Running::start(|url| Server::new(card(url), counting()).with_webhooks(options()).with_http(http))
            .await;
    let params = json!({
        "message": { "kind": "message", "messageId": "m", "role": "user", "parts": [{ "kind": "text", "text": "x" }] },
        "configuration": { "pushNotificationConfig": { "url": receiver.url("/hook"), "token": "t" } },
    });
    RawClient::new(server.address).result("message/send", params).await;
    receiver.closed_connections(4).await;
    let bodies = bodies(&receiver);
    assert!(bodies.iter().all(|body| body["kind"] == "task"));
    assert_eq!(bodies[3]["status"]["state"], "completed");
    assert_eq!(receiver.requests()[0].header("x-a2a-notification-token").unwrap(), "t");
}
