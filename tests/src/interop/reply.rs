//! What a reply of our client came to, and whether that is what the book promises.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::book::{Book, Expected, matches};

/// One reply, from the library or from the program `a2a`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Reply {
    /// The events, in order.
    pub events: Vec<Value>,
    /// The message, as AgentScope writes it; null if there is none.
    pub message: Value,
    /// The error that ended the reply.
    pub error: Option<String>,
}

impl Reply {
    /// What is wrong with it.
    ///
    /// # Errors
    ///
    /// Something is.
    pub fn check(&self, book: &Book, expected: &Expected) -> Result<(), String> {
        let finished = self.message["finished_reason"].as_str().unwrap_or_default();
        let failed = self.error.is_some() || finished == "error";
        let right = match expected.finished.as_str() {
            "any" => true,
            "failed" => failed,
            reason => self.error.is_none() && finished == reason,
        };
        let blocks = self.blocks();
        if !right {
            let error = self.error.as_deref().unwrap_or("no error");
            return Err(format!("ended as {finished:?}, {error}, after {}", shown(&blocks)));
        }
        if !self.events.is_empty() {
            let kind = |event: Option<&Value>| event.map_or(Value::Null, |event| event["type"].clone());
            let bounds = [kind(self.events.first()), kind(self.events.last())];
            if bounds != ["REPLY_START", "REPLY_END"] {
                return Err(format!("events from {bounds:?}"));
            }
        }
        let wanted = expected.begins.as_ref().unwrap_or(&expected.blocks);
        let same_length = expected.begins.is_some() || blocks.len() == wanted.len();
        let pairs = wanted.iter().zip(blocks.iter().map(Some).chain(std::iter::repeat(None)));
        let mut pairs = pairs.map(|(wanted, block)| (book.part(wanted), block));
        if same_length && pairs.all(|(wanted, block)| block.is_some_and(|block| is_block(&wanted, block))) {
            return Ok(());
        }
        let wanted: Vec<Value> = wanted.iter().map(|part| book.part(part)).collect();
        Err(format!("{} instead of {}", shown(&blocks), shown(&wanted)))
    }

    /// The blocks of the message in the form of the book.
    fn blocks(&self) -> Vec<Value> {
        let blocks = self.message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().map(block).collect()
    }
}

fn block(block: &Value) -> Value {
    if block["type"] == "text" {
        return block["text"].clone();
    }
    let source = &block["source"];
    let (member, content) = match source["url"].as_str() {
        Some(url) => ("url", url),
        None => ("raw", source["data"].as_str().unwrap_or_default()),
    };
    let mut part = json!({"media_type": source["media_type"], member: content});
    if let Some(name) = block["name"].as_str() {
        part["filename"] = name.into();
    }
    part
}

/// Data parts are blocks of JSON.
fn is_block(wanted: &Value, block: &Value) -> bool {
    if wanted.get("data").is_none() {
        return matches(wanted, block);
    }
    let bytes = block["raw"].as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
    let data = bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    block["media_type"] == "application/json"
        && data.is_some_and(|data| matches(wanted, &json!({"data": data})))
}

/// Values, cut to a readable length.
pub(super) fn shown(values: &[Value]) -> String {
    let text = Value::from(values).to_string();
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
