//! JSON values kept as text.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    decode::{DecodeError, from_str},
    surrogates::without_lone_surrogates,
};

/// A free-form JSON object.
pub type Metadata = Map<String, Value>;

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
    pub fn from_text(text: &str) -> Result<Self, DecodeError> {
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
