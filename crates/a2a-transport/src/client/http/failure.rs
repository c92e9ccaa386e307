//! What became of a request that got no response.

use http::Uri;

use super::{connect::ConnectFailure, url::at};
use crate::{ErrorKind, TransportError};

/// No response came.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no connection; nothing was sent.
    Connecting(ConnectFailure),
    /// The connection failed.
    Connection(hyper::Error),
    /// A new connection failed on which HTTP/2 was spoken without asking.
    #[cfg(feature = "http2")]
    UnaskedHttp2(hyper::Error),
}

impl Failure {
    /// The error to tell.
    pub(super) fn into_error(self, url: &Uri) -> TransportError {
        let error = match self {
            Self::Connecting(failure) => failure.into_error(),
            Self::Connection(error) => {
                // Which of the two is in the cause.
                let (kind, message) = if error.is_parse() {
                    (ErrorKind::Decode, "the head of the response is not HTTP, or too large")
                } else {
                    (ErrorKind::StreamCut, "the connection ended before the response")
                };
                TransportError::new(kind, message).with_source(error)
            }
            #[cfg(feature = "http2")]
            Self::UnaskedHttp2(error) => {
                let message = "the connection ended before the response; perhaps the peer does not speak HTTP/2, \
                               which `Http2::Always` takes for granted";
                TransportError::new(ErrorKind::StreamCut, message).with_source(error)
            }
        };
        at(url, error)
    }
}

impl From<ConnectFailure> for Failure {
    fn from(failure: ConnectFailure) -> Self {
        Self::Connecting(failure)
    }
}

impl From<hyper::Error> for Failure {
    fn from(error: hyper::Error) -> Self {
        Self::Connection(error)
    }
}
