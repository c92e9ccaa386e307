//! An event stream as a stream of payloads.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use a2a_types::StreamResponse;
use futures::Stream;

use crate::{
    ErrorKind, ResponseStream, SseDecoder, SseError, SseEvent, TransportError,
    http::{HttpBody, at},
};

/// The payloads of a body, whose events `read` understands; an event that says nothing is `None`.
pub(crate) fn payloads<R>(body: HttpBody, max_event_bytes: usize, read: R) -> ResponseStream
where
    R: FnMut(SseEvent<'_>) -> Result<Option<StreamResponse>, TransportError> + Send + Unpin + 'static,
{
    ResponseStream::new(Payloads { body, decoder: SseDecoder::with_max_event_bytes(max_event_bytes), read })
}

struct Payloads<R> {
    body: HttpBody,
    decoder: SseDecoder,
    read: R,
}

impl<R> Payloads<R>
where
    R: FnMut(SseEvent<'_>) -> Result<Option<StreamResponse>, TransportError> + Unpin,
{
    fn poll_payload(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<StreamResponse, TransportError>>> {
        loop {
            while let Some(event) = self.decoder.next_event() {
                if let Some(payload) = event.map_err(not_events).and_then(&mut self.read).transpose() {
                    return Poll::Ready(Some(payload));
                }
            }
            match ready!(self.body.poll_chunk(cx)) {
                Some(Ok(chunk)) => self.decoder.push(chunk),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None if self.decoder.is_mid_event() => {
                    let message = "the stream ended within an event";
                    return Poll::Ready(Some(Err(TransportError::new(ErrorKind::StreamCut, message))));
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<R> Stream for Payloads<R>
where
    R: FnMut(SseEvent<'_>) -> Result<Option<StreamResponse>, TransportError> + Unpin,
{
    type Item = Result<StreamResponse, TransportError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.poll_payload(cx).map_err(|error| match error.url() {
            Some(_) => error,
            None => at(this.body.url(), error),
        })
    }
}

fn not_events(error: SseError) -> TransportError {
    let kind = match error {
        SseError::TooLarge { .. } => ErrorKind::TooLarge,
        SseError::InvalidUtf8 => ErrorKind::Decode,
    };
    TransportError::new(kind, error.to_string())
}
