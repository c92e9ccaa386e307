//! Response bodies: all at once, or events as they happen.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use a2a_transport::SSE_KEEP_ALIVE;
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream::BoxStream};
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

/// The body of a response.
pub struct ResponseBody {
    content: Content,
}

enum Content {
    Whole(Option<Bytes>),
    Events(Events),
}

/// An event stream. When it is silent for a while, a comment shows that the connection lives.
struct Events {
    events: BoxStream<'static, Bytes>,
    keep_alive: Duration,
    silence: Pin<Box<Sleep>>,
}

impl ResponseBody {
    pub(super) fn empty() -> Self {
        Self { content: Content::Whole(None) }
    }

    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { content: Content::Whole(Some(bytes.into()).filter(|bytes: &Bytes| !bytes.is_empty())) }
    }

    pub(super) fn events(events: impl Stream<Item = Bytes> + Send + 'static, keep_alive: Duration) -> Self {
        let silence = Box::pin(sleep(keep_alive));
        Self { content: Content::Events(Events { events: events.boxed(), keep_alive, silence }) }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let chunk = match &mut self.content {
            Content::Whole(bytes) => bytes.take(),
            Content::Events(stream) => match stream.events.poll_next_unpin(cx) {
                Poll::Ready(chunk) => {
                    stream.silence.as_mut().reset(Instant::now() + stream.keep_alive);
                    chunk
                }
                Poll::Pending => {
                    std::task::ready!(stream.silence.as_mut().poll(cx));
                    stream.silence.as_mut().reset(Instant::now() + stream.keep_alive);
                    // The timer must know this task before the next event or silence.
                    cx.waker().wake_by_ref();
                    Some(Bytes::from_static(SSE_KEEP_ALIVE.as_bytes()))
                }
            },
        };
        Poll::Ready(chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.content, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.content {
            Content::Whole(_) => "whole",
            Content::Events(_) => "events",
        };
        f.debug_tuple("ResponseBody").field(&kind).finish()
    }
}
