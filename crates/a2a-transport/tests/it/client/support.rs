//! What the tests over loopback have in common.

use std::{future::Future, sync::Arc, time::Duration};

use a2a_testkit::Loopback;
use a2a_transport::{
    CallOptions, HttpClient, HttpConfig, JsonRpcTransport, ResponseStream, RestTransport, Transport,
    TransportError, v03,
};
use a2a_types::{AgentCard, AgentInterface, Message, Part, Role, SendMessageRequest, StreamResponse};
use futures::StreamExt as _;

/// The result of a future that must not hang.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("hung")
}

pub(crate) fn http() -> HttpClient {
    http_with(HttpConfig::default())
}

pub(crate) fn http_with(config: HttpConfig) -> HttpClient {
    HttpClient::new(config).unwrap()
}

pub(crate) fn interface(url: String, binding: &str, version: &str) -> AgentInterface {
    AgentInterface::new(url, binding, version)
}

/// JSON-RPC 1.0 at `/rpc`.
pub(crate) fn jsonrpc(server: &Loopback) -> JsonRpcTransport {
    jsonrpc_with(server, http())
}

pub(crate) fn jsonrpc_with(server: &Loopback, http: HttpClient) -> JsonRpcTransport {
    JsonRpcTransport::new(http, &interface(server.url("/rpc"), "JSONRPC", "1.0")).unwrap()
}

/// HTTP+JSON 1.0 at the origin.
pub(crate) fn rest(server: &Loopback) -> RestTransport {
    RestTransport::new(http(), &interface(server.url(""), "HTTP+JSON", "1.0")).unwrap()
}

/// All four transports to a server.
pub(crate) fn all_transports(server: &Loopback) -> Vec<(&'static str, Arc<dyn Transport>)> {
    let v0_3 = |binding| interface(server.url("/rpc"), binding, "0.3");
    vec![
        ("JSON-RPC 1.0", Arc::new(jsonrpc(server))),
        ("HTTP+JSON 1.0", Arc::new(rest(server))),
        ("JSON-RPC 0.3", Arc::new(v03::JsonRpcTransport::new(http(), &v0_3("JSONRPC")).unwrap())),
        ("HTTP+JSON 0.3", Arc::new(v03::RestTransport::new(http(), &v0_3("HTTP+JSON")).unwrap())),
    ]
}

pub(crate) fn card(interfaces: impl IntoIterator<Item = AgentInterface>) -> AgentCard {
    AgentCard::new("Tide Desk", interfaces.into_iter().collect())
}

pub(crate) fn hello() -> SendMessageRequest {
    SendMessageRequest::new(Message::new("m-1", Role::User, vec![Part::text("hi")]))
}

pub(crate) fn no_options() -> CallOptions {
    CallOptions::default()
}

/// The payloads of a stream, and the error that ended it.
pub(crate) async fn drain(mut stream: ResponseStream) -> (Vec<StreamResponse>, Option<TransportError>) {
    let mut payloads = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            Ok(payload) => payloads.push(payload),
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing comes after an error");
                return (payloads, Some(error));
            }
        }
    }
    (payloads, None)
}

/// The text of all parts of all payloads.
pub(crate) fn texts(payloads: &[StreamResponse]) -> Vec<String> {
    let parts = payloads.iter().flat_map(|payload| match payload {
        StreamResponse::Message(message) => message.parts.clone(),
        StreamResponse::ArtifactUpdate(update) => update.artifact.parts.clone(),
        StreamResponse::Task(task) => {
            task.artifacts.iter().flat_map(|artifact| artifact.parts.clone()).collect()
        }
        _ => Vec::new(),
    });
    parts.filter_map(|part| part.as_text().map(str::to_owned)).collect()
}

/// The causes of an error, itself first.
pub(crate) fn chain(error: &TransportError) -> Vec<String> {
    let mut texts = vec![error.to_string()];
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        texts.push(error.to_string());
        cause = error.source();
    }
    texts
}
