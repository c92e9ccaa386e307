//! Recorded traffic of the official SDKs is read, and written back as the same JSON but for what canonical form asks.
//!
//! A line of the data is version, binding, type and body; bodies that differ in their values alone are there once,
//! with ids, ports and times made equal.

use std::collections::BTreeSet;

use a2a_types::{v03::*, *};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::support::written;

#[derive(Clone, Copy)]
struct Capture<'a> {
    version: &'a str,
    binding: &'a str,
    kind: &'a str,
    body: &'a str,
}

fn captures(data: &str) -> impl Iterator<Item = Capture<'_>> {
    data.lines().map(|line| {
        let mut fields = line.splitn(4, ' ');
        let mut field = || fields.next().unwrap();
        Capture { version: field(), binding: field(), kind: field(), body: field() }
    })
}

#[test]
fn recorded_traffic_is_read_and_written_back() {
    let mut count = 0;
    let mut failures = vec![];
    for capture in captures(include_str!("../data/captures.txt")) {
        count += 1;
        let original: Value = from_str(capture.body).unwrap();
        let Some(again) = rewritten(&capture) else { continue };
        let original = if capture.version == "0.3" { respelled(original) } else { original };
        let mut differences = vec![];
        compare("", &original, &again, &mut differences);
        if !differences.is_empty() {
            failures
                .push(format!("{} {} {}: {differences:#?}", capture.version, capture.binding, capture.kind));
        }
    }
    failures.sort();
    failures.dedup();
    assert!(failures.is_empty(), "{count}: {}", failures.join("\n"));
    assert!(count > 800, "{count}");
}

/// Reads a body as what it is and writes it again; `None` for errors, which are compared in their own way.
fn rewritten(capture: &Capture<'_>) -> Option<Value> {
    if let Some(name) = capture.kind.strip_prefix("Response:") {
        let response: JsonRpcResponse<RawJson> = from_str(capture.body).unwrap();
        let payload = |result: RawJson| payload(&Capture { kind: name, body: result.as_str(), ..*capture });
        let mut again = JsonRpcResponse::success(response.id, response.result.map(payload));
        again.error = response.error;
        return Some(written(again));
    }
    match capture.kind.strip_prefix("Error:") {
        Some(status) => {
            rest_error(capture, status.parse().unwrap());
            None
        }
        None => Some(payload(capture)),
    }
}

fn payload(capture: &Capture<'_>) -> Value {
    fn again<T: DeserializeOwned + Serialize>(body: &str) -> Value {
        written(from_str::<T>(body).unwrap_or_else(|error| panic!("{error}: {body}")))
    }
    let read_and_write = match (capture.kind, capture.version, capture.binding) {
        ("AgentCard", ..) => card,
        ("Empty", ..) => again::<Value>,
        ("SendMessageRequest", "1.0", _) => again::<SendMessageRequest>,
        ("SendMessageResponse", "1.0", _) => again::<SendMessageResponse>,
        ("StreamResponse", "1.0", _) => again::<StreamResponse>,
        ("Task", "1.0", _) => again::<Task>,
        ("GetTaskRequest", "1.0", _) => again::<GetTaskRequest>,
        ("CancelTaskRequest", "1.0", _) => again::<CancelTaskRequest>,
        ("SubscribeToTaskRequest", "1.0", _) => again::<SubscribeToTaskRequest>,
        ("ListTasksRequest", "1.0", _) => again::<ListTasksRequest>,
        ("ListTasksResponse", "1.0", _) => again::<ListTasksResponse>,
        ("TaskPushNotificationConfig", "1.0", _) => again::<TaskPushNotificationConfig>,
        ("GetTaskPushNotificationConfigRequest", "1.0", _) => again::<GetTaskPushNotificationConfigRequest>,
        ("DeleteTaskPushNotificationConfigRequest", "1.0", _) => {
            again::<DeleteTaskPushNotificationConfigRequest>
        }
        ("ListTaskPushNotificationConfigsRequest", "1.0", _) => {
            again::<ListTaskPushNotificationConfigsRequest>
        }
        ("ListTaskPushNotificationConfigsResponse", "1.0", _) => {
            again::<ListTaskPushNotificationConfigsResponse>
        }
        ("GetExtendedAgentCardRequest", ..) => again::<GetExtendedAgentCardRequest>,
        ("SendMessageRequest", _, "rest") => again::<Rest<SendMessageRequest>>,
        ("SendMessageResponse", _, "rest") => again::<Rest<SendMessageResponse>>,
        ("StreamResponse", _, "rest") => again::<Rest<StreamEvent>>,
        ("Task", _, "rest") => again::<Rest<Task>>,
        ("CancelTaskRequest", _, "rest") => again::<Rest<CancelTaskRequest>>,
        ("TaskPushNotificationConfig", _, "rest") => again::<Rest<TaskPushNotificationConfig>>,
        ("ListTaskPushNotificationConfigsResponse", _, "rest") => {
            again::<Rest<ListTaskPushNotificationConfigsResponse>>
        }
        ("CreatePushConfigBody", _, "rest") => create_push_config,
        ("SendMessageRequest", ..) => again::<JsonRpc<SendMessageRequest>>,
        ("SendMessageResponse", ..) => again::<JsonRpc<SendMessageResponse>>,
        ("StreamResponse", ..) => again::<JsonRpc<StreamEvent>>,
        ("Task", ..) => again::<JsonRpc<Task>>,
        ("GetTaskRequest", ..) => again::<JsonRpc<GetTaskRequest>>,
        ("CancelTaskRequest", ..) => again::<JsonRpc<CancelTaskRequest>>,
        ("SubscribeToTaskRequest", ..) => again::<JsonRpc<SubscribeToTaskRequest>>,
        ("TaskPushNotificationConfig", ..) => again::<JsonRpc<TaskPushNotificationConfig>>,
        ("GetTaskPushNotificationConfigRequest", ..) => {
            again::<JsonRpc<GetTaskPushNotificationConfigRequest>>
        }
        ("DeleteTaskPushNotificationConfigRequest", ..) => {
            again::<JsonRpc<DeleteTaskPushNotificationConfigRequest>>
        }
        ("ListTaskPushNotificationConfigsRequest", ..) => {
            again::<JsonRpc<ListTaskPushNotificationConfigsRequest>>
        }
        ("ListTaskPushNotificationConfigsResponse", ..) => {
            again::<JsonRpc<ListTaskPushNotificationConfigsResponse>>
        }
        other => panic!("no type for {other:?}"),
    };
    read_and_write(capture.body)
}

/// A card is written in the versions it came in.
fn card(body: &str) -> Value {
    let original: Value = serde_json::from_str(body).unwrap();
    let card = read_card(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    match (version_of(&original), original.get("url")) {
        (Some(Version::V1), None) => written(card),
        (Some(Version::V1), Some(_)) => written(DualCard::new(&card)),
        _ => written(LegacyCard::new(&card).unwrap()),
    }
}

fn create_push_config(body: &str) -> Value {
    let config: Rest<TaskPushNotificationConfig> = from_str(body).unwrap();
    written(CreatePushConfigBody::new(&config.0))
}

/// Written in one form whatever form it came in, so it is compared as it is read.
fn rest_error(capture: &Capture<'_>, status: u16) {
    let body: Value = serde_json::from_str(capture.body).unwrap();
    let (error, again) = if capture.version == "1.0" {
        let error = rest::error_from_body(status, &body);
        let body = error.as_ref().map(rest::error_body);
        (error, body.and_then(|body| rest::error_from_body(status, &body)))
    } else {
        let error = error_from_body(status, &body).map(error_for_caller);
        let body = error.as_ref().map(error_body);
        (error, body.and_then(|(status, body)| error_from_body(status, &body)))
    };
    let told = |error: Option<RpcError>| error.map(|error| (error.code, error.message));
    assert_eq!(told(error.clone()), told(again), "{body}");
    // What serves A2A has errors of its own.
    let is_foreign = body.get("detail").is_some() || body["error"].is_string();
    assert_eq!(error.is_none(), is_foreign, "{body}");
}

/// A body of 0.3 with the names that are written: one client uses snake case, and another name for the message.
fn respelled(value: Value) -> Value {
    let name = |name: String| match name.as_str() {
        "request" => "message".to_owned(),
        "message_id"
        | "context_id"
        | "task_id"
        | "config_id"
        | "file_with_bytes"
        | "file_with_uri"
        | "mime_type"
        | "push_notification_config" => {
            let mut words = name.split('_');
            let first = words.next().unwrap().to_owned();
            words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
        }
        _ => name,
    };
    match value {
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (name(key), respelled(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(respelled).collect(),
        other => other,
    }
}

/// Lists where two values differ without need.
fn compare(path: &str, original: &Value, again: &Value, differences: &mut Vec<String>) {
    match (original, again) {
        (Value::Object(original), Value::Object(again)) => {
            let names: BTreeSet<_> = original.keys().chain(again.keys()).collect();
            for name in names {
                let path = format!("{path}.{name}");
                match (original.get(name), again.get(name)) {
                    (Some(original), Some(again)) => compare(&path, original, again, differences),
                    (original, again) if is_needed(name, original, again) => {}
                    (original, again) => differences.push(format!("{path}: {original:?} -> {again:?}")),
                }
            }
        }
        (Value::Array(original), Value::Array(again)) if original.len() == again.len() => {
            for (original, again) in original.iter().zip(again) {
                compare(&format!("{path}[]"), original, again, differences);
            }
        }
        (original, again) if original == again => {}
        (original, again) if is_needed(path.rsplit('.').next().unwrap(), Some(original), Some(again)) => {}
        (original, again) => differences.push(format!("{path}: {original} -> {again}")),
    }
}

/// The differences that canonical form makes.
fn is_needed(name: &str, original: Option<&Value>, again: Option<&Value>) -> bool {
    let is_empty =
        |value: &Value| [json!(""), json!([]), json!({}), json!(false), Value::Null].contains(value);
    match (name, original, again) {
        // Optional members are left out when empty.
        (
            "tenant"
            | "name"
            | "description"
            | "parts"
            | "extensions"
            | "mediaType"
            | "filename"
            | "referenceTaskIds"
            | "history"
            | "artifacts"
            | "append"
            | "lastChunk"
            | "required"
            | "data"
            | "acceptedOutputModes"
            | "securitySchemes"
            | "securityRequirements"
            | "list"
            | "inputModes"
            | "outputModes"
            | "signatures",
            Some(value),
            None,
        ) => is_empty(value),
        // Required members are written when missing.
        ("parts" | "content", None, Some(value)) => *value == json!([]),
        ("id" | "result", None, Some(value)) => value.is_null() || *value == "",
        // A dual card may have only the flag of 0.3.
        ("extendedAgentCard", None, Some(value)) => *value == json!(true),
        // Members that are not of the protocol.
        ("someNewField", Some(_), None) => true,
        // Times are written with milliseconds and `Z`.
        ("timestamp", Some(Value::String(original)), Some(Value::String(again))) => {
            Timestamp::from_text(original.as_str()).to_canonical() == *again
        }
        // 0.3 always says whether the call blocks.
        ("configuration", None, Some(value)) => *value == json!({"blocking": true}),
        ("blocking", None, Some(value)) => value.is_boolean(),
        // In 0.3 it means no limit.
        ("historyLength", Some(value), None) => *value == 0,
        // In 0.3 every role is one of two.
        ("role", Some(original), Some(again)) => {
            *original == "nobody" && [json!("agent"), json!("ROLE_AGENT")].contains(again)
        }
        // Schemes in the form one SDK has in memory.
        ("scheme", Some(value), None) => value.get("$case").is_some(),
        ("httpAuthSecurityScheme" | "apiKeySecurityScheme", None, Some(_)) => true,
        // The list repeats the main interface.
        ("additionalInterfaces", Some(Value::Array(original)), Some(Value::Array(again))) => {
            original.len() == again.len() + 1 && again.iter().all(|interface| original.contains(interface))
        }
        _ => false,
    }
}
