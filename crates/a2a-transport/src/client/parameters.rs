//! Service parameters (§3.2.6) and other headers of a request.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{ErrorKind, ProtocolVersion, TransportError};

/// Adds the version, unless the peer is older than the header.
pub(crate) fn set_version(headers: &mut HeaderMap, version: ProtocolVersion) {
    if version != ProtocolVersion::V0_3 {
        headers.insert(VERSION_HEADER, HeaderValue::from_static(version.as_str()));
    }
}

/// Adds the extensions to activate: each once, in the order first named.
///
/// # Errors
///
/// [`ErrorKind::Config`]: a URI that cannot stand in a header.
pub(crate) fn set_extensions(
    headers: &mut HeaderMap,
    version: ProtocolVersion,
    uris: &[String],
) -> Result<(), TransportError> {
    let mut named: Vec<&str> = Vec::new();
    for uri in uris.iter().map(|uri| uri.trim()).filter(|uri| !uri.is_empty()) {
        if uri.contains(',') {
            return Err(not_sendable(uri));
        }
        if !named.contains(&uri) {
            named.push(uri);
        }
    }
    if !named.is_empty() {
        let list = named.join(",");
        let value = HeaderValue::from_str(&list).map_err(|error| not_sendable(&list).with_source(error))?;
        let name = match version {
            ProtocolVersion::V0_3 => V0_3_EXTENSIONS_HEADER,
            ProtocolVersion::V1_0 => EXTENSIONS_HEADER,
        };
        headers.insert(name, value);
    }
    Ok(())
}

fn not_sendable(uri: &str) -> TransportError {
    TransportError::new(ErrorKind::Config, format!("the extension URI {uri:?} cannot be sent"))
}

/// Replaces headers by those of the same name that a caller gave.
///
/// # Errors
///
/// [`ErrorKind::Config`]: a header on which the exchange itself depends.
pub(crate) fn override_headers(headers: &mut HeaderMap, given: &HeaderMap) -> Result<(), TransportError> {
    check_headers(given)?;
    for name in given.keys() {
        headers.remove(name);
        for value in given.get_all(name) {
            let mut value = value.clone();
            value.set_sensitive(true);
            headers.append(name, value);
        }
    }
    Ok(())
}

/// Refuses headers on which the exchange itself depends.
pub(crate) fn check_headers(given: &HeaderMap) -> Result<(), TransportError> {
    match given.keys().find(|name| is_of_client(name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("the header `{name}` is the client's own and cannot be set");
            Err(TransportError::new(ErrorKind::Config, message))
        }
    }
}

/// Whether the exchange itself depends on the header.
pub(crate) fn is_of_client(name: &HeaderName) -> bool {
    CLIENT_HEADERS.contains(name)
}

const VERSION_HEADER: HeaderName = HeaderName::from_static("a2a-version");
const EXTENSIONS_HEADER: HeaderName = HeaderName::from_static("a2a-extensions");
const V0_3_EXTENSIONS_HEADER: HeaderName = HeaderName::from_static("x-a2a-extensions");
/// Headers on which the exchange itself depends.
const CLIENT_HEADERS: [HeaderName; 6] = [
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];
