//! What all bindings read of a request: version, extensions, media types.

use a2a_types::{DecodeError, DecodeErrorKind, ErrorCode, RpcError};
use http::{HeaderMap, HeaderName, Uri, header};

pub(super) const VERSION: HeaderName = HeaderName::from_static("a2a-version");
pub(super) const EXTENSIONS: HeaderName = HeaderName::from_static("a2a-extensions");
/// The name of 0.3, which newer clients send as well.
pub(super) const LEGACY_EXTENSIONS: HeaderName = HeaderName::from_static("x-a2a-extensions");

/// The version a request asks for (§3.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V1,
    V03,
    /// None named, which means 0.3.
    Unnamed,
}

impl Version {
    /// The version named by header or query.
    pub(super) fn of(headers: &HeaderMap, uri: &Uri) -> Result<Self, RpcError> {
        let in_header = headers.get(VERSION).map(|value| value.to_str().unwrap_or("?").trim().to_owned());
        let text = in_header.filter(|text| !text.is_empty()).or_else(|| {
            let mut query = query_pairs(uri.query().unwrap_or_default());
            query.find(|(name, _)| name.eq_ignore_ascii_case("a2a-version")).map(|(_, value)| value)
        });
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(Self::Unnamed) };
        let mut numbers = text.split('.').map(|number| number.parse::<u32>().ok());
        match (numbers.next().flatten(), numbers.next().flatten()) {
            (Some(1), Some(0)) => Ok(Self::V1),
            (Some(0), Some(3)) => Ok(Self::V03),
            _ => Err(unsupported_version("this version is not supported")),
        }
    }
}

pub(super) fn unsupported_version(problem: &str) -> RpcError {
    RpcError::new(ErrorCode::VersionNotSupported, problem)
}

/// The extension URIs of a request.
pub(super) fn extensions(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(EXTENSIONS).iter().chain(headers.get_all(LEGACY_EXTENSIONS));
    let mut uris: Vec<String> = Vec::new();
    for uri in values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')) {
        let uri = uri.trim();
        if !uri.is_empty() && !uris.iter().any(|known| known == uri) {
            uris.push(uri.to_owned());
        }
    }
    uris
}

/// Whether the body is said to be JSON, or nothing is said.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return true };
    let text = value.to_str().unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || (essence.len() >= 5 && essence.to_ascii_lowercase().ends_with("+json"))
}

/// What is wrong with a body that could not be read: it is not JSON, or JSON of another shape.
pub(super) fn unreadable(error: &DecodeError, of_shape: ErrorCode) -> RpcError {
    let code = match error.kind() {
        DecodeErrorKind::Utf8 | DecodeErrorKind::Syntax | DecodeErrorKind::Truncated => ErrorCode::ParseError,
        _ => of_shape,
    };
    RpcError::new(code, error.to_string())
}

/// Whether the caller speaks `application/a2a+json`.
pub(super) fn speaks_a2a_json(headers: &HeaderMap) -> bool {
    let said = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    said(header::CONTENT_TYPE).chain(said(header::ACCEPT)).any(|value| value.contains(A2A_JSON))
}

pub(super) const A2A_JSON: &str = "application/a2a+json";

/// The pairs of a query string, decoded.
pub(super) fn query_pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (percent_decode(&name.replace('+', " ")), percent_decode(&value.replace('+', " ")))
    })
}

/// Decodes `%XX`; what is no escape stays, what is not UTF-8 becomes U+FFFD.
pub(super) fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = after.get(if escaped.is_some() { 2.. } else { 0.. }).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_escapes() {
        for (text, expect) in [
            ("plain", "plain"),
            ("a%2Fb%20c", "a/b c"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%F0%9F%98%80", "\u{1f600}"),
            ("%ff", "\u{fffd}"),
        ] {
            assert_eq!(percent_decode(text), expect, "{text}");
        }
    }

    #[test]
    fn versions() {
        let of = |header: Option<&str>, uri: &str| {
            let mut headers = HeaderMap::new();
            if let Some(value) = header {
                headers.insert(VERSION, value.parse().unwrap());
            }
            Version::of(&headers, &uri.parse().unwrap()).ok()
        };
        for (header, uri, expect) in [
            (Some("1.0"), "/", Some(Version::V1)),
            (Some(" 1.0.5 "), "/", Some(Version::V1)),
            (Some("0.3"), "/", Some(Version::V03)),
            (Some("0.3.0"), "/", Some(Version::V03)),
            (Some(""), "/", Some(Version::Unnamed)),
            (None, "/", Some(Version::Unnamed)),
            (None, "/?A2A-Version=1.0", Some(Version::V1)),
            (Some("1.1"), "/", None),
            (Some("99.0"), "/", None),
            (Some("1"), "/", None),
            (Some("one"), "/", None),
        ] {
            assert_eq!(of(header, uri), expect, "{header:?} {uri}");
        }
    }
}
