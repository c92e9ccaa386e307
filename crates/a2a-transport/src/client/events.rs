//! An event stream as a stream of payloads.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use a2a_types::{StreamResponse, v03};
use futures::Stream;

use crate::{
    ErrorKind, ResponseStream, SseDecoder, SseError, SseEvent, TransportError,
    client::http::{HttpBody, at},
};

/// What an event says.
pub(crate) struct Piece {
    pub(crate) payload: StreamResponse,
    /// The peer says that nothing comes after it.
    pub(crate) is_last: bool,
}

impl From<StreamResponse> for Piece {
    fn from(payload: StreamResponse) -> Self {
        Self { payload, is_last: false }
    }
}

impl From<v03::StreamEvent> for Piece {
    fn from(event: v03::StreamEvent) -> Self {
        Self { payload: event.response, is_last: event.is_final }
    }
}

impl From<v03::JsonRpc<v03::StreamEvent>> for Piece {
    fn from(event: v03::JsonRpc<v03::StreamEvent>) -> Self {
        event.0.into()
    }
}

/// The payloads of a body, whose events `read` understands.
pub(crate) fn payloads<R>(body: HttpBody, max_event_bytes: usize, read: R) -> ResponseStream
where
    R: FnMut(SseEvent<'_>) -> Result<Piece, TransportError> + Send + Unpin + 'static,
{
    let decoder = SseDecoder::with_max_event_bytes(max_event_bytes);
    ResponseStream::new(Payloads { body, decoder, read, is_over: false })
}

struct Payloads<R> {
    body: HttpBody,
    decoder: SseDecoder,
    read: R,
    is_over: bool,
}

impl<R> Payloads<R>
where
    R: FnMut(SseEvent<'_>) -> Result<Piece, TransportError> + Unpin,
{
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, TransportError>>> {
        loop {
            while let Some(event) = self.decoder.next_event() {
                if !event.as_ref().is_ok_and(says_nothing) {
                    return Poll::Ready(Some(event.map_err(not_events).and_then(&mut self.read)));
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
    R: FnMut(SseEvent<'_>) -> Result<Piece, TransportError> + Unpin,
{
    type Item = Result<StreamResponse, TransportError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        match ready!(this.poll_piece(cx)) {
            Some(Ok(piece)) => {
                this.is_over = piece.is_last;
                Poll::Ready(Some(Ok(piece.payload)))
            }
            Some(Err(error)) if error.url().is_some() => Poll::Ready(Some(Err(error))),
            Some(Err(error)) => Poll::Ready(Some(Err(at(this.body.url(), error)))),
            None => Poll::Ready(None),
        }
    }
}

/// Whether an event is a sign of life and no more: without data, or of a type of its own and not JSON.
fn says_nothing(event: &SseEvent<'_>) -> bool {
    let data = event.data.trim_start();
    data.is_empty() || (!matches!(event.event, "" | "message" | "error") && !data.starts_with(['{', '[']))
}

fn not_events(error: SseError) -> TransportError {
    let kind = match error {
        SseError::TooLarge { .. } => ErrorKind::TooLarge,
        SseError::InvalidUtf8 => ErrorKind::Decode,
    };
    TransportError::new(kind, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_life_are_told_from_payloads() {
        for (kind, data, expect) in [
            ("", "", true),
            ("ping", " ", true),
            ("ping", "tick", true),
            ("heartbeat", "2026-03-04", true),
            ("task-update", r#"{"jsonrpc": "2.0"}"#, false),
            ("error", "mast broke", false),
            ("message", "tick", false),
            ("", "tick", false),
        ] {
            let mut event = SseEvent::new(data);
            event.event = kind;
            assert_eq!(says_nothing(&event), expect, "{kind}: {data}");
        }
    }
}
