//! The body of a response, read as it arrives.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::Uri;
use hyper::body::{Body as _, Incoming};

use super::{connections::Line, silence::SilenceTimer, url::at};
use crate::{ErrorKind, TransportError};

/// The body of a response, chunk by chunk. Dropping it closes the connection, unless all of it has arrived.
pub(crate) struct HttpBody {
    incoming: Incoming,
    /// After the body, which has to be gone before.
    source: Source,
    silence: SilenceTimer,
    /// Chunks that were there at once.
    in_a_row: u32,
}

impl HttpBody {
    pub(super) fn new(incoming: Incoming, line: Line, url: Uri, silence: SilenceTimer) -> Self {
        Self { incoming, source: Source { url, line: Some(line) }, silence, in_a_row: 0 }
    }

    pub(crate) fn url(&self) -> &Uri {
        &self.source.url
    }

    /// Limits the silence before each chunk.
    pub(crate) fn with_idle_timeout(mut self, limit: Option<Duration>) -> Self {
        self.silence.limit = limit;
        self
    }

    /// The next chunk; `None` at the proper end. A peer that never pauses is made to: whatever else the task waits
    /// for, such as a time limit or the user, gets its turn.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StreamCut`] and [`ErrorKind::Timeout`].
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, TransportError>>> {
        loop {
            if self.in_a_row >= MAX_CHUNKS_IN_A_ROW {
                self.in_a_row = 0;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.source.drive(cx);
            let Poll::Ready(frame) = Pin::new(&mut self.incoming).poll_frame(cx) else { break };
            self.in_a_row += 1;
            self.silence.stop();
            match frame {
                // Trailers mean nothing here.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(chunk) if !chunk.is_empty() => return Poll::Ready(Some(Ok(chunk))),
                    _ => continue,
                },
                Some(Err(error)) => {
                    let cut =
                        TransportError::new(ErrorKind::StreamCut, "the connection ended within the body");
                    return Poll::Ready(Some(Err(at(&self.source.url, cut.with_source(error)))));
                }
                None => {
                    self.source.give_back();
                    return Poll::Ready(None);
                }
            }
        }
        self.in_a_row = 0;
        let limit = ready!(self.silence.poll_elapsed(cx));
        let silent = TransportError::new(ErrorKind::Timeout, format!("the peer was silent for {limit:?}"));
        Poll::Ready(Some(Err(at(&self.source.url, silent))))
    }

    /// The whole body, if it is not larger than the limit.
    ///
    /// # Errors
    ///
    /// As [`poll_chunk`](Self::poll_chunk), and [`ErrorKind::TooLarge`].
    pub(crate) async fn collect(mut self, limit: usize) -> Result<Bytes, TransportError> {
        let url = self.source.url.clone();
        let too_large = || {
            let message = format!("the body is larger than {limit} bytes");
            at(&url, TransportError::new(ErrorKind::TooLarge, message))
        };
        if usize::try_from(self.incoming.size_hint().lower()).unwrap_or(usize::MAX) > limit {
            return Err(too_large());
        }
        let (whole, complete) = self.collect_up_to(limit).await?;
        if complete { Ok(whole) } else { Err(too_large()) }
    }

    /// The body up to so many bytes, and whether that was all of it.
    pub(crate) async fn collect_up_to(&mut self, limit: usize) -> Result<(Bytes, bool), TransportError> {
        let mut whole = BytesMut::new();
        let mut first = Bytes::new();
        while let Some(chunk) = std::future::poll_fn(|cx| self.poll_chunk(cx)).await {
            let chunk = chunk?;
            let held = first.len().saturating_add(whole.len());
            if chunk.len() > limit.saturating_sub(held) {
                whole = if whole.is_empty() { BytesMut::from(&*first) } else { whole };
                whole.extend(chunk.iter().take(limit.saturating_sub(held)));
                return Ok((whole.freeze(), false));
            }
            if held == 0 {
                // A body of one chunk is not copied.
                first = chunk;
                continue;
            }
            if whole.is_empty() {
                whole.reserve(held.saturating_add(chunk.len()));
                whole.extend_from_slice(&std::mem::take(&mut first));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok((if whole.is_empty() { first } else { whole.freeze() }, true))
    }
}

/// What a body comes by, until it is over. Dropping it gives it back.
struct Source {
    url: Uri,
    line: Option<Line>,
}

impl Source {
    fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(line) = &mut self.line {
            line.drive(cx);
        }
    }

    fn give_back(&mut self) {
        if let Some(line) = self.line.take() {
            line.give_back();
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Chunks of a body that are read without a pause.
const MAX_CHUNKS_IN_A_ROW: u32 = 32;
