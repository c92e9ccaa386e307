//! Addresses of the HTTP+JSON binding: a base, a route with ids in it, and a query.

use std::fmt::{Display, Write as _};

use http::Uri;

use crate::{ErrorKind, TransportError};

/// The URL of an interface, to which routes are appended.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    /// Without a trailing slash.
    url: String,
    query: String,
}

impl Base {
    /// # Errors
    ///
    /// [`ErrorKind::Config`]: it is not a URL.
    pub(crate) fn new(url: &str) -> Result<Self, TransportError> {
        let url = url.trim();
        url.parse::<Uri>().map_err(unusable)?;
        let url = url.split('#').next().unwrap_or_default();
        let (url, query) = url.split_once('?').unwrap_or((url, ""));
        Ok(Self { url: url.trim_end_matches('/').to_owned(), query: query.to_owned() })
    }

    /// The same base with one more segment, unless it ends with it already.
    pub(crate) fn below(mut self, segment: &str) -> Self {
        if !self.url.ends_with(segment) {
            self.url.push_str(segment);
        }
        self
    }

    pub(crate) fn join(&self, route: &Route) -> Result<Uri, TransportError> {
        let mut url = format!("{}{}", self.url, route.path);
        let queries = [self.query.as_str(), route.query.as_str()];
        for (index, query) in queries.into_iter().filter(|query| !query.is_empty()).enumerate() {
            url.push(if index == 0 { '?' } else { '&' });
            url.push_str(query);
        }
        url.parse().map_err(unusable)
    }
}

fn unusable(error: http::uri::InvalidUri) -> TransportError {
    TransportError::new(ErrorKind::Config, "the URL of the interface cannot be used").with_source(error)
}

/// A path below a base, and a query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Route {
    path: String,
    query: String,
}

impl Route {
    /// A route that is the same for every call.
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), query: String::new() }
    }

    /// A route below a tenant, if there is one.
    ///
    /// # Errors
    ///
    /// As [`id`](Self::id).
    pub(crate) fn of_tenant(tenant: &str, path: &str) -> Result<Self, TransportError> {
        let route = if tenant.is_empty() { Self::default() } else { Self::default().id("tenant", tenant)? };
        Ok(route.then(path))
    }

    /// The route and a fixed continuation.
    pub(crate) fn then(mut self, path: &str) -> Self {
        self.path.push_str(path);
        self
    }

    /// The route and an id as one more segment.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`]: the id is empty, `.` or `..`, which would name another route.
    pub(crate) fn id(mut self, what: &str, id: &str) -> Result<Self, TransportError> {
        if matches!(id, "" | "." | "..") {
            let message = format!("the {what} {id:?} cannot stand in a URL");
            return Err(TransportError::new(ErrorKind::Config, message));
        }
        self.path.push('/');
        percent_encode(&mut self.path, id);
        Ok(self)
    }

    /// The route with one more parameter, if it has a value.
    pub(crate) fn query(mut self, name: &str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            if !self.query.is_empty() {
                self.query.push('&');
            }
            self.query.push_str(name);
            self.query.push('=');
            percent_encode(&mut self.query, &value.to_string());
        }
        self
    }

    /// [`query`](Self::query) for a text that is absent when empty.
    pub(crate) fn query_text(self, name: &str, value: &str) -> Self {
        self.query(name, Some(value).filter(|value| !value.is_empty()))
    }
}

/// Appends the text with all but unreserved characters encoded (RFC 3986, section 2.3).
pub(crate) fn percent_encode(target: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            target.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(target, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_appended_to_the_base() {
        for (base, expect) in [
            ("https://h.example", "https://h.example/tasks/t%2F4%201:cancel"),
            ("https://h.example/", "https://h.example/tasks/t%2F4%201:cancel"),
            ("https://h.example/api", "https://h.example/api/tasks/t%2F4%201:cancel"),
            ("https://h.example/api/", "https://h.example/api/tasks/t%2F4%201:cancel"),
            ("https://h.example/api?k=a%2Fb", "https://h.example/api/tasks/t%2F4%201:cancel?k=a%2Fb"),
        ] {
            let route = Route::new("/tasks").id("task", "t/4 1").unwrap().then(":cancel");
            assert_eq!(Base::new(base).unwrap().join(&route).unwrap().to_string(), expect, "{base}");
        }
    }

    #[test]
    fn ids_stay_one_segment() {
        for id in ["", ".", ".."] {
            let error = Route::new("/tasks").id("task", id).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{id:?}");
        }
        let route = Route::of_tenant("a/c me", "/tasks").unwrap().id("task", "ä:%.é?#").unwrap();
        assert_eq!(route.path, "/a%2Fc%20me/tasks/%C3%A4%3A%25.%C3%A9%3F%23");
    }

    #[test]
    fn absent_parameters_are_left_out() {
        let base = Base::new("http://h/?k=1").unwrap();
        let route = Route::new("/tasks")
            .query_text("contextId", "")
            .query("pageSize", Some(5))
            .query("historyLength", None::<i32>)
            .query_text("pageToken", "a+b&c=");
        assert_eq!(
            base.join(&route).unwrap().to_string(),
            "http://h/tasks?k=1&pageSize=5&pageToken=a%2Bb%26c%3D"
        );
    }

    #[test]
    fn a_base_has_its_version_once() {
        let route = Route::new("/card");
        for base in ["http://h/rest", "http://h/rest/v1", "http://h/rest/v1/"] {
            let url = Base::new(base).unwrap().below("/v1").join(&route).unwrap();
            assert_eq!(url, "http://h/rest/v1/card", "{base}");
        }
    }
}
