//! URLs: which of them are called, and how they are told in errors.

use http::{
    Uri,
    uri::{Authority, Scheme},
};

use crate::{ErrorKind, TransportError};

/// Refuses URLs that cannot be called, or would be called elsewhere than they say.
pub(crate) fn check_url(url: &Uri) -> Result<(), TransportError> {
    let config = |message: &str| Err(at(url, TransportError::new(ErrorKind::Config, message)));
    let Some(authority) = url.authority() else { return config("the URL is not absolute") };
    if authority.as_str().contains('@') {
        return config("the URL contains credentials; give them as such, not in the URL");
    }
    if !has_usable_port(authority) {
        return config("the port in the URL is not a number from 0 to 65535");
    }
    match url.scheme() {
        Some(scheme) if *scheme == Scheme::HTTP => Ok(()),
        Some(scheme) if *scheme == Scheme::HTTPS => {
            if cfg!(feature = "tls") {
                Ok(())
            } else {
                config("https needs the feature `tls`")
            }
        }
        _ => config("the URL is neither http nor https"),
    }
}

/// Whether the port is one, or left out: connecting would take the default one for any other.
pub(crate) fn has_usable_port(authority: &Authority) -> bool {
    let after_host = || {
        let place = authority.as_str().rsplit('@').next().unwrap_or_default();
        place.strip_prefix(authority.host()).unwrap_or_default()
    };
    authority.port().is_some() || matches!(after_host(), "" | ":")
}

/// The error with where it happened.
pub(crate) fn at(url: &Uri, error: TransportError) -> TransportError {
    error.with_url(without_secrets(url))
}

/// The URL without query and credentials.
pub(crate) fn without_secrets(url: &Uri) -> String {
    let scheme = url.scheme().map_or(String::new(), |scheme| format!("{scheme}://"));
    let authority = url.authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}{host}{}", url.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_a_number_or_left_out() {
        for (authority, usable) in [
            ("desk", true),
            ("desk:", true),
            ("desk:80", true),
            ("[::1]", true),
            ("[::1]:65535", true),
            ("user:99999@desk", true),
            ("desk:65536", false),
            ("desk:99999", false),
            ("user:80@desk:http", false),
            ("desk:desk", false),
            ("[::1]:99999", false),
        ] {
            assert_eq!(has_usable_port(&authority.parse().unwrap()), usable, "{authority}");
        }
    }
}
