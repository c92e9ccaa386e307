//! What a message must be before an agent sees it.

use a2a_types::{AgentCard, ErrorCode, Part, PartContent, Role, RpcError, SendMessageRequest, error_info};
use serde_json::{Map, Value, json};

use super::Call;
use crate::errors::invalid;

pub(super) fn check(request: &SendMessageRequest, call: &Call, card: &AgentCard) -> Result<(), RpcError> {
    let message = &request.message;
    if message.message_id.is_empty() {
        return Err(invalid("message.messageId", "must not be empty"));
    }
    if message.role != Role::User {
        return Err(invalid("message.role", "must be ROLE_USER"));
    }
    if message.parts.is_empty() {
        return Err(invalid("message.parts", "must not be empty"));
    }
    for (index, part) in message.parts.iter().enumerate() {
        if matches!(part.content, PartContent::Unknown(_)) {
            return Err(invalid(
                &format!("message.parts[{index}]"),
                "must have one of text, raw, url and data",
            ));
        }
        check_media_type(index, part, card)?;
    }
    check_required_extensions(call, card)
}

/// The declared extensions that the caller asks for.
pub(super) fn active_extensions(call: &Call, card: &AgentCard) -> Vec<String> {
    let declared = card.capabilities.extensions.iter().map(|extension| &extension.uri);
    declared.filter(|uri| call.extensions.contains(uri)).cloned().collect()
}

fn check_required_extensions(call: &Call, card: &AgentCard) -> Result<(), RpcError> {
    let mut required = card.capabilities.extensions.iter().filter(|extension| extension.required);
    match required.find(|extension| !call.extensions.contains(&extension.uri)) {
        None => Ok(()),
        Some(extension) => {
            let code = ErrorCode::ExtensionSupportRequired;
            let metadata = Map::from_iter([("extension".to_owned(), Value::String(extension.uri.clone()))]);
            let message = format!("the extension {} must be activated by A2A-Extensions", extension.uri);
            Err(RpcError::new(code, message).with_data(json!([error_info(code.reason(), metadata)])))
        }
    }
}

/// A part that names its media type must be of one that the card, or one of its skills, accepts.
fn check_media_type(index: usize, part: &Part, card: &AgentCard) -> Result<(), RpcError> {
    if part.media_type.is_empty() {
        return Ok(());
    }
    let of_skills = card.skills.iter().flat_map(|skill| &skill.input_modes);
    let mut modes = card.default_input_modes.iter().chain(of_skills).peekable();
    if modes.peek().is_none() || modes.any(|mode| accepts(mode, &part.media_type)) {
        return Ok(());
    }
    let message = format!("message.parts[{index}]: this agent does not accept {}", part.media_type);
    Err(RpcError::new(ErrorCode::ContentTypeNotSupported, message))
}

/// Whether a media range such as `image/*` covers a media type, parameters aside.
fn accepts(range: &str, media_type: &str) -> bool {
    let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (range, media_type) = (essence(range), essence(media_type));
    match range.strip_suffix('*') {
        Some("*/") => true,
        Some(prefix) if prefix.ends_with('/') => media_type.starts_with(prefix),
        _ => range == media_type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_ranges() {
        for (range, media_type, expect) in [
            ("text/plain", "text/plain", true),
            ("text/plain", "Text/Plain; charset=utf-8", true),
            ("text/plain", "text/html", false),
            ("image/*", "image/png", true),
            ("image/*", "imagery/png", false),
            ("*/*", "application/pdf", true),
            ("*", "application/pdf", false),
        ] {
            assert_eq!(accepts(range, media_type), expect, "{range} {media_type}");
        }
    }
}
