//! A peer that never pauses is made to.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
};

use hyper::rt::{Read, ReadBufCursor, Write};

/// A connection that lets its reader rest now and then, so that whatever else the task waits for, such as a time limit
/// or the user, gets its turn: hyper reads on as long as nothing but interim responses comes.
pub(super) struct Paced<T> {
    io: T,
    /// Bytes that could have been read since the peer paused.
    in_a_row: usize,
}

impl<T> Paced<T> {
    pub(super) fn new(io: T) -> Self {
        Self { io, in_a_row: 0 }
    }
}

impl<T: Read + Unpin> Read for Paced<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.in_a_row >= MAX_BYTES_IN_A_ROW {
            self.in_a_row = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let room = buffer.remaining();
        let read = Pin::new(&mut self.io).poll_read(cx, buffer);
        self.in_a_row = if read.is_ready() { self.in_a_row.saturating_add(room) } else { 0 };
        read
    }
}

impl<T: Write + Unpin> Write for Paced<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bytes)
    }
}

/// What is read without a pause.
const MAX_BYTES_IN_A_ROW: usize = 64 * 1024;
