//! Agents that do as they are told.

use a2a_testkit::{Exchange, Loopback};
use serde_json::{Value, json};

/// An agent with a card for its JSON-RPC interface at `/rpc`, which answers with these exchanges.
pub(crate) async fn peer(exchanges: impl IntoIterator<Item = Exchange>) -> Loopback {
    let server = Loopback::start([]).await;
    let card = card(&server.url("/rpc"));
    server.push(Exchange::on("GET /.well-known/agent-card.json").times(100).json(&card.to_string()));
    for exchange in exchanges {
        server.push(exchange);
    }
    server
}

pub(crate) fn card(url: &str) -> Value {
    json!({
        "name": "Tide Desk", "description": "tells tides", "version": "3.1",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "tide", "name": "Tides", "description": "tide times", "tags": ["sea"] }],
    })
}

/// A call answered with a stream of these payloads, which is still open.
pub(crate) fn stream(payloads: &[Value]) -> Exchange {
    let events: Vec<String> = payloads.iter().map(event).collect();
    Exchange::on("POST /rpc").event_stream(events.iter().map(String::as_str))
}

/// A payload as an event.
pub(crate) fn event(payload: &Value) -> String {
    format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{payload}}}\n\n")
}

/// A call answered with a result.
pub(crate) fn result(result: &Value) -> Exchange {
    Exchange::on("POST /rpc").json(&format!("{{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{result}}}"))
}

pub(crate) fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "contextId": "c-9", "role": "ROLE_AGENT", "parts": [{ "text": text }] } })
}

pub(crate) fn task(state: &str) -> Value {
    json!({ "task": { "id": "t-41", "contextId": "c-9", "status": { "state": state } } })
}

pub(crate) fn status(state: &str, text: &str) -> Value {
    let message =
        json!({ "messageId": format!("m-{text}"), "role": "ROLE_AGENT", "parts": [{ "text": text }] });
    json!({ "statusUpdate": { "taskId": "t-41", "contextId": "c-9", "status": { "state": state, "message": message } } })
}

pub(crate) fn artifact(parts: &Value, append: bool) -> Value {
    json!({ "artifactUpdate": {
        "taskId": "t-41", "contextId": "c-9", "append": append,
        "artifact": { "artifactId": "a-1", "parts": parts },
    } })
}

pub(crate) fn text(text: &str, append: bool) -> Value {
    artifact(&json!([{ "text": text }]), append)
}

/// The methods that were called.
pub(crate) fn methods(server: &Loopback) -> Vec<String> {
    let calls = server.requests().into_iter().filter(|request| request.method == "POST");
    calls.map(|request| request.json()["method"].as_str().unwrap_or_default().to_owned()).collect()
}
