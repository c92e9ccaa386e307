//! Cross-origin requests of web pages.

use http::{HeaderMap, HeaderValue, Method as Verb, Response, StatusCode, header, request::Parts};

use super::body::ResponseBody;

/// Which origins may call the agent from a web page. Credentials are sent in headers, never as cookies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cors {
    /// Empty for any.
    origins: Vec<String>,
}

impl Cors {
    /// Any origin.
    pub fn any() -> Self {
        Self { origins: Vec::new() }
    }

    /// Only these origins, such as `https://app.example`.
    pub fn origins(origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { origins: origins.into_iter().map(Into::into).collect() }
    }

    /// The answer to a preflight request, whatever its origin.
    pub(super) fn preflight(&self) -> Response<ResponseBody> {
        let mut response = Response::new(ResponseBody::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        let fixed = |text| HeaderValue::from_static(text);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, fixed("GET, POST, DELETE"));
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            fixed("authorization, content-type, a2a-version, a2a-extensions, x-a2a-extensions, x-api-key"),
        );
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, fixed("600"));
        response
    }

    /// Lets a page of this origin read the response, if it may.
    pub(super) fn allow(&self, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        let Some(origin) = origin else { return };
        let allowed =
            self.origins.is_empty() || self.origins.iter().any(|known| known.as_bytes() == origin.as_bytes());
        if allowed {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(
                header::ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static("a2a-extensions, etag, www-authenticate"),
            );
        }
    }
}

pub(super) fn is_preflight(parts: &Parts) -> bool {
    parts.method == Verb::OPTIONS && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}
