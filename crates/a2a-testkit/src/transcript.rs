//! Payloads recorded as JSON Lines: one value a line, blank lines and lines that begin with `#` aside.

use std::path::Path;

use a2a_types::StreamResponse;
use serde::de::DeserializeOwned;

/// The payloads of a stream.
///
/// # Panics
///
/// A line is not a payload; the message has its number.
pub fn payloads(text: &str) -> Vec<StreamResponse> {
    values(text)
}

/// The payloads of a stream, from a file.
///
/// # Panics
///
/// The file cannot be read, or a line is not a payload.
pub fn read_payloads(path: impl AsRef<Path>) -> Vec<StreamResponse> {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    payloads(&text)
}

/// Values of any type.
///
/// # Panics
///
/// A line is not such a value; the message has its number.
pub fn values<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            a2a_types::from_str(line).unwrap_or_else(|error| panic!("line {number}: {error}"))
        })
        .collect()
}
