//! JSON for event streams.

use serde::Serialize;

/// The value as JSON in one line, whatever a reader takes for a line end: U+0085, U+2028 and U+2029 are
/// escaped, since a common Python client ends lines there.
pub(crate) fn to_line(value: &impl Serialize) -> String {
    // The wire types have no maps with keys that are not strings, and nothing else that cannot be written.
    let text = serde_json::to_string(value).unwrap_or_default();
    // Outside of strings JSON is ASCII, so whatever is found is inside of one.
    if !text.contains(LINE_ENDS) {
        return text;
    }
    let mut line = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\u{85}' => line.push_str("\\u0085"),
            '\u{2028}' => line.push_str("\\u2028"),
            '\u{2029}' => line.push_str("\\u2029"),
            other => line.push(other),
        }
    }
    line
}

const LINE_ENDS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_other_readers_are_escaped() {
        let text = "nel[\u{85}]ls[\u{2028}]ps[\u{2029}]vt[\u{b}]lf[\n]é";
        let line = to_line(&text);
        assert_eq!(line, r#""nel[\u0085]ls[\u2028]ps[\u2029]vt[\u000b]lf[\n]é""#);
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
