//! What an operation streams.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use a2a_types::{RpcError, StreamResponse};
use futures::{
    Stream, StreamExt as _,
    stream::{BoxStream, unfold},
};

use super::{limits::Permit, live::Event, subscription::Subscription, with_history};

/// The updates of a task, or one reply. Fused; an error is the last item.
///
/// # Cancel safety
///
/// `next()` may be dropped at any time without losing an update. Dropping the stream ends the subscription.
pub struct UpdateStream {
    inner: BoxStream<'static, Result<Update, RpcError>>,
}

/// One payload of a stream.
#[derive(Debug, Clone)]
pub struct Update(Arc<Event>);

impl Update {
    /// The payload.
    pub fn payload(&self) -> &StreamResponse {
        self.0.payload().expect("errors are not updates")
    }

    /// The payload as one line of JSON, without characters that any reader takes for a line end. It is
    /// written once for all subscribers.
    pub fn json(&self) -> &str {
        self.0.json()
    }
}

impl UpdateStream {
    pub(super) fn new(events: Subscription, history_length: Option<i32>, permit: Permit) -> Self {
        let inner = unfold(Some((events, permit)), move |state| async move {
            let (mut events, permit) = state?;
            let event = events.next().await?;
            Some(match event.payload() {
                Err(error) => (Err(error.clone()), None),
                Ok(StreamResponse::Task(task)) if history_length.is_some() => {
                    let task = with_history((**task).clone(), history_length);
                    (Ok(Update(Event::new(event.version(), task.into()))), Some((events, permit)))
                }
                Ok(_) => (Ok(Update(event)), Some((events, permit))),
            })
        });
        Self { inner: inner.fuse().boxed() }
    }
}

impl Stream for UpdateStream {
    type Item = Result<Update, RpcError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inner.poll_next_unpin(cx)
    }
}

impl fmt::Debug for UpdateStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateStream").finish_non_exhaustive()
    }
}
