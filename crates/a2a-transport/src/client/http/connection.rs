//! An HTTP/1.1 connection that the exchange it serves moves on.
//!
//! No task of its own runs for it: who waits for a response, or for a piece of its body, drives the connection by
//! waiting. So a reply is one task from the socket to its reader, without a hand-over to another task for every
//! piece, and a reader that pauses makes the peer pause.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Waker},
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, header, uri::PathAndQuery};
use http_body_util::Full;
use hyper::{
    body::Incoming,
    client::conn::{TrySendError, http1},
};

use super::{connect::Io, paced::Paced, pool::Origin};

/// The head of a response, or an error that has the request in it if that was not sent.
pub(super) type Exchanged = Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>>;

/// A connection that is made.
pub(super) struct Connection {
    pub(super) origin: Origin,
    requests: http1::SendRequest<Full<Bytes>>,
    /// `None` once the connection has ended.
    driver: Option<http1::Connection<Paced<Io>, Full<Bytes>>>,
}

impl Connection {
    pub(super) async fn start(io: Io, origin: Origin) -> hyper::Result<Box<Self>> {
        let mut http1 = http1::Builder::new();
        http1.max_headers(MAX_RESPONSE_HEADERS).max_buf_size(MAX_RESPONSE_HEAD_BYTES);
        let (requests, driver) = http1.handshake(Paced::new(io)).await?;
        Ok(Box::new(Self { origin, requests, driver: Some(driver) }))
    }

    /// Sends a request and waits for the head of its response. The body of the response arrives while the
    /// connection is [driven](Self::drive).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the connection useless; it is then no longer idle.
    pub(super) fn exchange(&mut self, request: Request<Full<Bytes>>) -> impl Future<Output = Exchanged> {
        // Not within the future, which then need not have room for the request.
        let response = self.requests.try_send_request(request);
        async {
            let mut response = pin!(response);
            poll_fn(|cx| {
                drive(&mut self.driver, cx);
                response.as_mut().poll(cx)
            })
            .await
        }
    }

    /// Moves on what goes over the connection, and has the task woken when there is more to do.
    pub(super) fn drive(&mut self, cx: &mut Context<'_>) {
        drive(&mut self.driver, cx);
    }

    /// Whether the connection can take a request now: nothing is under way, and the peer has neither closed it nor
    /// sent anything that was not asked for.
    pub(super) fn is_idle(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        self.driver.is_some() && self.requests.is_ready()
    }
}

fn drive(driver: &mut Option<http1::Connection<Paced<Io>, Full<Bytes>>>, cx: &mut Context<'_>) {
    // How it ended, whoever waits for the response or its body is told.
    if driver.as_mut().is_some_and(|driver| Pin::new(driver).poll(cx).is_ready()) {
        *driver = None;
    }
}

/// Gives a request the form that HTTP/1.1 has for requests to the origin itself: the host in a header, and the path
/// alone.
pub(super) fn to_origin(request: &mut Request<Full<Bytes>>, url: &Uri) {
    if let Some(host) = host(url) {
        request.headers_mut().entry(header::HOST).or_insert(host);
    }
    let path = url.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from(path);
}

/// The host and, if it is not the default one, the port.
fn host(url: &Uri) -> Option<HeaderValue> {
    let default_port = if url.scheme_str() == Some("https") { 443 } else { 80 };
    let host = match url.port() {
        Some(port) if port.as_u16() != default_port => HeaderValue::from_str(url.authority()?.as_str()),
        _ => HeaderValue::from_str(url.host()?),
    };
    host.ok()
}

/// Most header fields in a response: hyper reads as many without allocating.
const MAX_RESPONSE_HEADERS: usize = 100;
/// Largest head of a response, and largest piece read from a socket at once.
const MAX_RESPONSE_HEAD_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_to_an_origin_have_the_path_alone() {
        for (url, path, host) in [
            ("http://desk/rpc?key=1", "/rpc?key=1", "desk"),
            ("http://desk:80", "/", "desk"),
            ("http://desk:443/", "/", "desk:443"),
            ("https://desk:443/", "/", "desk"),
            ("https://[::1]:8443/a/b", "/a/b", "[::1]:8443"),
        ] {
            let url: Uri = url.parse().unwrap();
            let mut request = Request::new(Full::default());
            to_origin(&mut request, &url);
            assert_eq!(request.uri().to_string(), path, "{url}");
            assert_eq!(request.headers()[header::HOST], host, "{url}");
        }
    }
}
