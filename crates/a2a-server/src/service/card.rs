//! The public card, with caching (§8.6.1).

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    time::{Duration, SystemTime},
};

use a2a_types::{AgentCard, v03};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts};
use serde::Serialize;

use super::{
    body::ResponseBody,
    request::{VERSION, Version},
};

/// The card, written once.
#[derive(Debug)]
pub(super) struct ServedCard {
    plain: Document,
    /// For callers that do not ask for 1.0, if 0.3 is spoken: the same with the members of 0.3.
    dual: Option<Document>,
    cache_control: HeaderValue,
    modified: SystemTime,
    last_modified: HeaderValue,
}

#[derive(Debug)]
struct Document {
    json: Bytes,
    etag: HeaderValue,
}

impl Document {
    fn new(card: &impl Serialize) -> Self {
        let json = serde_json::to_string(card).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        json.hash(&mut hasher);
        let etag = HeaderValue::from_str(&format!("\"{:016x}\"", hasher.finish()));
        Self { json: json.into(), etag: etag.unwrap_or(HeaderValue::from_static("\"\"")) }
    }
}

impl ServedCard {
    pub(super) fn new(card: &AgentCard, max_age: Duration, legacy: bool) -> Self {
        let modified = SystemTime::now();
        let text = |text: String| HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
        Self {
            plain: Document::new(card),
            dual: legacy.then(|| Document::new(&v03::DualCard::new(card))),
            cache_control: text(format!("public, max-age={}", max_age.as_secs())),
            modified,
            last_modified: text(httpdate::fmt_http_date(modified)),
        }
    }

    /// Whether the card is at this path; 0.3 has an older one besides.
    pub(super) fn is_at(&self, path: &str) -> bool {
        path == "/.well-known/agent-card.json" || (path == "/.well-known/agent.json" && self.dual.is_some())
    }

    pub(super) fn respond(&self, parts: &Parts) -> Response<ResponseBody> {
        let asks_for_1 = matches!(Version::of(&parts.headers, &parts.uri), Ok(Version::V1));
        let document = self.dual.as_ref().filter(|_| !asks_for_1).unwrap_or(&self.plain);
        let mut response = Response::new(ResponseBody::empty());
        if self.is_known(document, &parts.headers) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            *response.body_mut() = ResponseBody::whole(document.json.clone());
        }
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ETAG, document.etag.clone());
        headers.insert(header::CACHE_CONTROL, self.cache_control.clone());
        headers.insert(header::LAST_MODIFIED, self.last_modified.clone());
        if self.dual.is_some() {
            headers.insert(header::VARY, HeaderValue::from(VERSION));
        }
        response
    }

    /// Whether the client has this document already.
    fn is_known(&self, document: &Document, headers: &HeaderMap) -> bool {
        if headers.contains_key(header::IF_NONE_MATCH) {
            let tags = headers.get_all(header::IF_NONE_MATCH).iter();
            let mut tags = tags.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
            return tags.any(|tag| {
                let tag = tag.trim();
                tag == "*" || tag.trim_start_matches("W/").as_bytes() == document.etag.as_bytes()
            });
        }
        let since = headers.get(header::IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
        let since = since.and_then(|text| httpdate::parse_http_date(text).ok());
        // The header has whole seconds only.
        since.is_some_and(|since| self.modified < since + Duration::from_secs(1))
    }
}
