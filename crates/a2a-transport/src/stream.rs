//! The stream of payloads a peer answers with.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use a2a_types::StreamResponse;
use futures::{
    Stream, StreamExt as _,
    stream::{BoxStream, FusedStream},
};

use crate::TransportError;

/// Payloads as they arrive. Fused: after the end, or after an error, which is the last item, comes nothing.
///
/// The end without an error is a complete response; how else a stream can end is the kind of its error.
///
/// # Cancel safety
///
/// `next()` may be dropped at any time without losing a payload. Dropping the stream closes its connection, or resets its
/// stream of an HTTP/2 connection.
pub struct ResponseStream {
    inner: Option<BoxStream<'static, Result<StreamResponse, TransportError>>>,
}

impl ResponseStream {
    /// A stream of these payloads.
    pub fn new(
        payloads: impl Stream<Item = Result<StreamResponse, TransportError>> + Send + 'static,
    ) -> Self {
        Self { inner: Some(payloads.boxed()) }
    }

    /// A stream of one payload, for an answer that came in one piece.
    pub fn once(payload: StreamResponse) -> Self {
        Self::new(futures::stream::iter([Ok(payload)]))
    }
}

impl Stream for ResponseStream {
    type Item = Result<StreamResponse, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(None) };
        let polled = inner.poll_next_unpin(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            // The connection is released as soon as the end is known.
            self.inner = None;
        }
        polled
    }
}

impl FusedStream for ResponseStream {
    fn is_terminated(&self) -> bool {
        self.inner.is_none()
    }
}

impl fmt::Debug for ResponseStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseStream").field("terminated", &self.is_terminated()).finish_non_exhaustive()
    }
}
