//! Which version an object speaks.

use serde_json::{Map, Value};

/// The version an object is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// 0.3, or older.
    V03,
    /// 1.0.
    V1,
}

/// Recognises the version of a card, a payload, a message, a task, a request or a JSON-RPC envelope by what only
/// one version has; `None` if nothing tells.
///
/// A dual card is [`Version::V1`], as that is how it is to be read. For a reader that takes either version see
/// [`read_card`](super::read_card) and [`JsonRpc`](super::JsonRpc).
pub fn version_of(object: &Value) -> Option<Version> {
    let members = object.as_object()?;
    card(members).or_else(|| evidence(members))
}

fn card(members: &Map<String, Value>) -> Option<Version> {
    let is_text = |name: &str| members.get(name).is_some_and(Value::is_string);
    let interfaces = members.get("supportedInterfaces").and_then(Value::as_array);
    if interfaces.is_some_and(|interfaces| !interfaces.is_empty()) {
        return Some(Version::V1);
    }
    let of_cards = ["skills", "capabilities", "protocolVersion", "preferredTransport"];
    let is_card = of_cards.iter().any(|name| members.contains_key(*name));
    (is_card && is_text("url")).then_some(Version::V03)
}

/// What members say by their names and values, the outer before the inner.
fn evidence(members: &Map<String, Value>) -> Option<Version> {
    let own = members.iter().find_map(|(name, value)| match (name.as_str(), value) {
        ("kind" | "final" | "content" | "file" | "blocking" | "pushNotificationConfig", _) => {
            Some(Version::V03)
        }
        ("raw" | "mediaType" | "returnImmediately" | "taskPushNotificationConfig", _) => Some(Version::V1),
        ("role", Value::String(role)) => (!role.starts_with("ROLE_")).then_some(Version::V03),
        ("state", Value::String(state)) if state == "TASK_STATE_CANCELLED" => Some(Version::V03),
        ("state", Value::String(state)) => (!state.starts_with("TASK_STATE_")).then_some(Version::V03),
        ("method", Value::String(method)) => {
            Some(if method.contains('/') { Version::V03 } else { Version::V1 })
        }
        _ => None,
    });
    let free = |name: &str| matches!(name, "metadata" | "data" | "error");
    own.or_else(|| {
        let inner = members.iter().filter(|(name, _)| !free(name)).map(|(_, value)| value);
        inner.flat_map(objects).find_map(evidence)
    })
    .or_else(|| {
        let has = |name: &str| members.contains_key(name);
        (has("messageId") && has("parts")).then_some(Version::V1)
    })
}

/// The object a value is, or the objects in a list.
fn objects(value: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let list = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(Value::as_object)
}
