//! JSON text in, and JSON values kept as text.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Map, Value, value::RawValue};

/// A free-form JSON object.
pub type Metadata = Map<String, Value>;

/// Reads a wire value from JSON text.
///
/// The same as [`serde_json::from_str`], but for half a surrogate pair (`"\ud83d"`, which real servers send
/// when they cut a string in the middle of an emoji): it reads as U+FFFD.
///
/// # Errors
///
/// The text is not JSON, or not of this shape. The message has the path of the offending member.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let mut read = serde_json::from_str(text);
    if read.is_err()
        && let Some(repaired) = without_lone_surrogates(text)
    {
        read = serde_json::from_str(&repaired);
    }
    read
}

/// [`from_str`] for bytes, which must be UTF-8.
///
/// # Errors
///
/// As [`from_str`], or the bytes are not UTF-8.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(error) => Err(serde_json::Error::custom(format_args!("invalid UTF-8: {error}"))),
    }
}

/// The text with every lone surrogate escape replaced by `\ufffd`; `None` if there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut rest = text;
    while let Some(found) = rest.find('\\') {
        let escape = rest.get(found..)?;
        let at = text.len() - escape.len();
        let mut length = 2;
        match code_unit(escape) {
            Some(0xD800..=0xDBFF) if matches!(escape.get(6..).and_then(code_unit), Some(0xDC00..=0xDFFF)) => {
                length = 12;
            }
            Some(0xD800..=0xDFFF) => {
                length = 6;
                repaired.push_str(text.get(copied..at)?);
                repaired.push_str("\\ufffd");
                copied = at + length;
            }
            Some(_) | None => {}
        }
        // After a backslash comes at least one more byte, or the text was not JSON to begin with.
        rest = escape.get(length..).or_else(|| escape.get(1..))?;
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(text.get(copied..)?);
    Some(repaired)
}

/// The code unit of a `\uXXXX` escape at the start of the text.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Any JSON value, kept as text: numbers stay as they were written, whatever their size.
///
/// Insignificant white space is dropped. Equality compares values, numbers by their text.
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// `null`.
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Parses the text.
    ///
    /// # Errors
    ///
    /// The value is nested deeper than 128 levels.
    pub fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// A value from JSON text.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value.
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        from_str(text)
    }
}

/// `null`.
impl Default for RawJson {
    fn default() -> Self {
        Self::null()
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        let text = value.to_string();
        Self(RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
            || matches!((self.to_value(), other.to_value()), (Ok(one), Ok(two)) if one == two)
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        // The parser has not looked into strings, whose escapes may be half surrogate pairs.
        let changed = match without_lone_surrogates(raw.get()) {
            Some(repaired) => Some(compact(&repaired).unwrap_or(repaired)),
            None => compact(raw.get()),
        };
        match changed {
            Some(text) => RawValue::from_string(text).map(Self).map_err(D::Error::custom),
            None => Ok(Self(raw)),
        }
    }
}

/// JSON text without white space between its tokens; `None` if there is none.
fn compact(text: &str) -> Option<String> {
    let mut in_string = false;
    let mut escaped = false;
    let mut is_space = |c: char| {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            false
        } else {
            in_string = c == '"';
            matches!(c, ' ' | '\t' | '\n' | '\r')
        }
    };
    let first = text.find(&mut is_space)?;
    let (kept, rest) = text.split_at(first);
    let mut compacted = String::with_capacity(text.len());
    compacted.push_str(kept);
    // The first of the rest is white space, outside of a string.
    compacted.extend(rest.chars().skip(1).filter(|&c| !is_space(c)));
    Some(compacted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (text, expect) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""a\udc00b""#, "a\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud83d\ude00\ud83d""#, "\u{1f600}\u{fffd}"),
            (r#""\\ud83d\ud83d""#, "\\ud83d\u{fffd}"),
            (r#""\uD83D x""#, "\u{fffd} x"),
        ] {
            assert_eq!(from_str::<String>(text).unwrap(), expect, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_stays_an_error() {
        for text in [r#""\ud83d"#, r#""\"#, "\\", r#""\u"#, "", r#"{"a":"\ud83d","#] {
            from_str::<Value>(text).unwrap_err();
        }
        from_slice::<String>(b"\"\xff\"").unwrap_err();
    }

    #[test]
    fn raw_json_holds_no_lone_surrogates() {
        let raw = RawJson::from_text(r#"["\ud83d", "\ud83d\ude00"]"#).unwrap();
        assert_eq!(raw.as_str(), r#"["\ufffd","\ud83d\ude00"]"#);
        assert_eq!(raw.to_value().unwrap(), serde_json::json!(["\u{fffd}", "\u{1f600}"]));
    }

    #[test]
    fn raw_json_keeps_numbers_and_drops_space() {
        let raw =
            RawJson::from_text("{ \"a b\" : [ 1.0, 123456789012345678901234567890 ],\n\"c\\\" \": null }")
                .unwrap();
        assert_eq!(raw.as_str(), r#"{"a b":[1.0,123456789012345678901234567890],"c\" ":null}"#);
    }
}
