//! Request bodies: not too large, not too slow, not too many at a time.

use std::{
    ops::Deref,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use bytes::{Buf as _, BytesMut};
use http::StatusCode;
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout_at};

use super::HttpOptions;
use crate::executor::BoxError;

/// Reads the bodies of one service.
#[derive(Debug)]
pub(super) struct Intake {
    max_body_bytes: usize,
    max_buffered_bytes: usize,
    patience: Duration,
    /// Bytes of all bodies that are held now.
    buffered: AtomicUsize,
}

/// A body; it counts as held until it is dropped.
#[derive(Debug)]
pub(super) struct Received<'a> {
    intake: &'a Intake,
    bytes: BytesMut,
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLarge {
        limit: usize,
    },
    TooSlow,
    /// Too much of other bodies is held already.
    TooMany,
    Broken,
}

impl BodyError {
    /// What the client is told.
    pub(super) fn problem(self) -> (StatusCode, String) {
        match self {
            Self::TooLarge { limit } => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {limit} bytes"))
            }
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "the body took too long".to_owned()),
            Self::TooMany => {
                (StatusCode::SERVICE_UNAVAILABLE, "the server is sent too much, try again later".to_owned())
            }
            Self::Broken => (StatusCode::BAD_REQUEST, "the body broke off".to_owned()),
        }
    }
}

impl Intake {
    pub(super) fn new(options: &HttpOptions) -> Self {
        Self {
            max_body_bytes: options.max_body_bytes,
            max_buffered_bytes: options.max_buffered_bytes,
            patience: options.body_timeout,
            buffered: AtomicUsize::new(0),
        }
    }

    pub(super) async fn read<B>(&self, body: B) -> Result<Received<'_>, BodyError>
    where
        B: Body<Error: Into<BoxError>>,
    {
        let too_large = BodyError::TooLarge { limit: self.max_body_bytes };
        if usize::try_from(body.size_hint().lower()).is_ok_and(|announced| announced > self.max_body_bytes) {
            return Err(too_large);
        }
        let mut body = std::pin::pin!(body);
        let mut received = Received { intake: self, bytes: BytesMut::new() };
        // Silence is not all: a byte now and then would do to stay for ever.
        let mut deadline = Instant::now() + self.patience;
        loop {
            let frame = match timeout_at(deadline.min(Instant::now() + self.patience), body.frame()).await {
                Err(_) => return Err(BodyError::TooSlow),
                Ok(None) => return Ok(received),
                Ok(Some(frame)) => frame.map_err(|_| BodyError::Broken)?,
            };
            let Ok(mut data) = frame.into_data() else { continue };
            let length = data.remaining();
            if received.bytes.len() + length > self.max_body_bytes {
                return Err(too_large);
            }
            deadline += TIME_PER_BYTE * u32::try_from(length).unwrap_or(u32::MAX);
            received.take(&data.copy_to_bytes(length))?;
        }
    }
}

impl Received<'_> {
    fn take(&mut self, data: &[u8]) -> Result<(), BodyError> {
        self.bytes.extend_from_slice(data);
        let others = self.intake.buffered.fetch_add(data.len(), Ordering::Relaxed);
        // One body may always be read, however small the limit.
        let mine = self.bytes.len() - data.len();
        if others > mine && others + data.len() > self.intake.max_buffered_bytes {
            return Err(BodyError::TooMany);
        }
        Ok(())
    }
}

impl Deref for Received<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Received<'_> {
    fn drop(&mut self) {
        self.intake.buffered.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

/// A body may take one second more for every 64 KiB of it.
const TIME_PER_BYTE: Duration = Duration::from_nanos(1_000_000_000 / (64 << 10));

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use futures::stream;
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    fn intake(max_body_bytes: usize, max_buffered_bytes: usize) -> Intake {
        Intake::new(&HttpOptions { max_body_bytes, max_buffered_bytes, ..HttpOptions::default() })
    }

    /// A body of chunks of this size, with these pauses in front of each.
    fn chunks(count: usize, size: usize, pause: Duration) -> impl Body<Data = Bytes, Error = Infallible> {
        StreamBody::new(stream::unfold(count, move |left| async move {
            let left = left.checked_sub(1)?;
            tokio::time::sleep(pause).await;
            Some((Ok(Frame::data(Bytes::from(vec![b' '; size]))), left))
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_has_time_for_what_it_brings() {
        let intake = intake(100 << 20, 100 << 20);
        let (second, never) = (Duration::from_secs(1), Duration::from_secs(3600));
        for (count, size, pause, expect) in [
            (1, 10, second * 29, Ok(10)),
            (1, 10, second * 31, Err(BodyError::TooSlow)),
            // A byte now and then.
            (100, 1, second, Err(BodyError::TooSlow)),
            // A slow line, but one that is used.
            (100, 64 << 10, second, Ok(6_553_600)),
            // Credit for much is no credit for silence.
            (1000, 16 << 10, second, Err(BodyError::TooSlow)),
            (2, 16 << 20, never, Err(BodyError::TooSlow)),
        ] {
            let read = intake.read(chunks(count, size, pause)).await.map(|body| body.len());
            assert_eq!(read, expect, "{count} {size} {pause:?}");
        }
        assert_eq!(intake.buffered.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn all_bodies_together_are_bounded() {
        let intake = intake(100, 150);
        let at_once = |count, size| chunks(count, size, Duration::ZERO);
        assert_eq!(intake.read(at_once(11, 10)).await.unwrap_err(), BodyError::TooLarge { limit: 100 });
        let first = intake.read(at_once(10, 10)).await.unwrap();
        let second = intake.read(at_once(5, 10)).await.unwrap();
        assert_eq!(intake.read(at_once(1, 1)).await.unwrap_err(), BodyError::TooMany);
        drop(second);
        assert_eq!(intake.read(at_once(5, 10)).await.unwrap().len(), 50);
        drop(first);
        assert_eq!(intake.buffered.load(Ordering::Relaxed), 0);
    }
}
