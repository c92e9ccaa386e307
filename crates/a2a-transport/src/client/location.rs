//! URLs relative to others.

use http::{Uri, uri::PathAndQuery};

use crate::{ErrorKind, TransportError, client::http::at};

/// The URL with another path and without query.
pub(crate) fn with_path(base: &Uri, path: &str) -> Result<Uri, TransportError> {
    replace_path(base, path)
        .ok_or_else(|| at(base, TransportError::new(ErrorKind::Config, "the URL is not absolute")))
}

/// Where a `Location` leads from a URL; `None` if it makes no sense.
pub(crate) fn resolve(from: &Uri, location: &str) -> Option<Uri> {
    let location = location.trim().split('#').next().unwrap_or_default();
    if location.is_empty() {
        return None;
    }
    if let Some(rest) = location.strip_prefix("//") {
        return format!("{}://{rest}", from.scheme_str()?).parse().ok();
    }
    let has_scheme = location.split_once(':').is_some_and(|(scheme, _)| !scheme.contains(['/', '?']));
    if has_scheme {
        return location.parse().ok().filter(|url: &Uri| url.scheme().is_some() && url.host().is_some());
    }
    if location.starts_with('/') {
        return replace_path(from, location);
    }
    if location.starts_with('?') {
        return replace_path(from, &format!("{}{location}", from.path()));
    }
    let directory = from.path().rsplit_once('/').map_or("", |(directory, _)| directory);
    let (path, query) = location.split_at(location.find('?').unwrap_or(location.len()));
    let mut segments: Vec<&str> = directory.split('/').collect();
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." if segments.len() > 1 => {
                segments.pop();
            }
            ".." => {}
            segment => segments.push(segment),
        }
    }
    replace_path(from, &format!("{}{query}", segments.join("/")))
}

fn replace_path(base: &Uri, path: &str) -> Option<Uri> {
    let path: PathAndQuery = path.parse().ok()?;
    let mut parts = base.clone().into_parts();
    parts.path_and_query = Some(path);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_resolved() {
        let from: Uri = "https://h.example:8443/a/b/card.json?x=1".parse().unwrap();
        for (location, expect) in [
            ("/cards/desk.json", Some("https://h.example:8443/cards/desk.json")),
            ("desk.json?v=2", Some("https://h.example:8443/a/b/desk.json?v=2")),
            ("../desk.json", Some("https://h.example:8443/a/desk.json")),
            ("../../../desk.json", Some("https://h.example:8443/desk.json")),
            ("./desk.json#top", Some("https://h.example:8443/a/b/desk.json")),
            ("?y=2", Some("https://h.example:8443/a/b/card.json?y=2")),
            ("//other.example/c", Some("https://other.example/c")),
            ("http://other.example/c", Some("http://other.example/c")),
            ("mailto:desk", None),
            ("", None),
            ("#top", None),
        ] {
            let resolved = resolve(&from, location).map(|url| url.to_string());
            assert_eq!(resolved.as_deref(), expect, "{location}");
        }
    }
}
