//! JSON from a peer in, or what is wrong with it.

use std::{error, fmt};

use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde_json::error::Category;

use crate::{base64::INVALID_BASE64, surrogates::without_lone_surrogates};

/// Reads a wire value from JSON text.
///
/// The same as [`serde_json::from_str`], but for half a surrogate pair (`"\ud83d"`, which real servers send
/// when they cut a string in the middle of an emoji): it reads as U+FFFD.
///
/// # Errors
///
/// The text is not JSON, or not of this shape.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let mut read = serde_json::from_str(text);
    if read.is_err()
        && let Some(repaired) = without_lone_surrogates(text)
    {
        read = serde_json::from_str(&repaired);
    }
    read.map_err(|error| DecodeError::of_text(text, error))
}

/// [`from_str`] for bytes, which must be UTF-8.
///
/// # Errors
///
/// As [`from_str`], or the bytes are not UTF-8.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(error) => {
            let error = serde_json::Error::custom(format_args!("invalid UTF-8: {error}"));
            Err(DecodeError(Box::new(Wrong { kind: DecodeErrorKind::Utf8, path: String::new(), error })))
        }
    }
}

/// Why JSON is not the wire value it should be.
///
/// Its text has the path of the offending member, where there is one, what is wrong with it, and line and column:
/// `` `artifacts[0].parts[1].raw`: invalid base64: … at line 1 column 52``.
#[derive(Debug)]
pub struct DecodeError(Box<Wrong>);

#[derive(Debug)]
struct Wrong {
    kind: DecodeErrorKind,
    path: String,
    error: serde_json::Error,
}

/// What is wrong, of a [`DecodeError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// Bytes that are not UTF-8.
    Utf8,
    /// Text that is not JSON.
    Syntax,
    /// Text that ends in the middle of a value.
    Truncated,
    /// JSON of another shape: a value of another type, two members of which only one may be set.
    Shape,
    /// A member of bytes that is not base64, in any alphabet.
    Base64,
}

impl DecodeError {
    #[cold]
    fn of_text(text: &str, error: serde_json::Error) -> Self {
        let mut error = Self::from(error);
        // With a path in front, an error of syntax looks like one of shape; and an error of shape comes first.
        if let Err(of_syntax) = serde_json::from_str::<IgnoredAny>(text) {
            error.0.kind = Self::from(of_syntax).kind();
        }
        error
    }

    /// What is wrong.
    pub fn kind(&self) -> DecodeErrorKind {
        self.0.kind
    }

    /// The member it is about, as in `artifacts[0].parts[1].raw`; empty if it is about the whole.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The line of the text, from 1; 0 if unknown.
    pub fn line(&self) -> usize {
        self.0.error.line()
    }

    /// The column of the line in bytes, from 1; 0 if unknown.
    pub fn column(&self) -> usize {
        self.0.error.column()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.error.fmt(f)
    }
}

impl error::Error for DecodeError {}

/// For JSON that was read by other means.
impl From<serde_json::Error> for DecodeError {
    #[cold]
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        let (path, what) =
            text.strip_prefix('`').and_then(|rest| rest.split_once("`: ")).unwrap_or(("", text.as_str()));
        let kind = match error.classify() {
            Category::Io | Category::Syntax => DecodeErrorKind::Syntax,
            Category::Eof => DecodeErrorKind::Truncated,
            Category::Data if what.starts_with(INVALID_BASE64) => DecodeErrorKind::Base64,
            Category::Data => DecodeErrorKind::Shape,
        };
        let path = path.to_owned();
        Self(Box::new(Wrong { kind, path, error }))
    }
}

/// For callers whose own error is serde's.
impl From<DecodeError> for serde_json::Error {
    fn from(error: DecodeError) -> Self {
        error.0.error
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{Part, Task};

    #[test]
    fn half_a_surrogate_pair_is_read() {
        assert_eq!(from_str::<String>(r#""a\udc00b""#).unwrap(), "a\u{fffd}b");
    }

    #[test]
    fn what_is_not_json_stays_an_error() {
        for text in [r#""\ud83d"#, r#""\"#, "\\", r#""\u"#, "", r#"{"a":"\ud83d","#] {
            from_str::<Value>(text).unwrap_err();
        }
    }

    #[test]
    fn an_error_says_what_and_where() {
        use DecodeErrorKind::{Base64, Shape, Syntax, Truncated};
        for (text, kind, path) in [
            (r#"{"artifacts":[{},{"parts":[{"raw":"***"}]}]}"#, Base64, "artifacts[1].parts[0].raw"),
            (r#"{"history":[{"parts":[{"raw":7}]}]}"#, Shape, "history[0].parts[0].raw"),
            (r#"{"history":[{"parts":[{"raw":"","text":""}]}]}"#, Shape, "history[0].parts[0]"),
            (r#"{"id":"invalid base64","history":7}"#, Shape, "history"),
            ("[]", Shape, ""),
            (r#"{"id" 1}"#, Syntax, "id"),
            (r#"{"id":7,}"#, Syntax, "id"),
            (r#"{"id":"t""#, Truncated, ""),
            (r#"{"history":[{"parts":[{"raw":"***"#, Truncated, "history[0].parts[0].raw"),
            ("", Truncated, ""),
        ] {
            let error = from_str::<Task>(text).unwrap_err();
            assert_eq!((error.kind(), error.path()), (kind, path), "{text}: {error}");
        }
        let error = from_slice::<Part>(b"\"\xff\"").unwrap_err();
        assert_eq!((error.kind(), error.path()), (DecodeErrorKind::Utf8, ""), "{error}");
        let error = from_str::<Part>("{\n\"raw\": \"*\"}").unwrap_err();
        assert_eq!((error.line(), error.column()), (2, 10), "{error}");
    }
}
