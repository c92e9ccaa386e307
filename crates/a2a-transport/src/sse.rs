//! Server-Sent Events (the WHATWG event stream format), both directions, without I/O.
//!
//! Invariants: any chunking of the input gives the same events; an event is given out as soon as its blank
//! line is in; cost is linear in the input; what is held is bounded by `max_event_bytes`. Last event id and
//! retry are exposed and never acted on: A2A re-attaches by subscribing.

use std::{error::Error, fmt, mem, ops::Range};

use bytes::{BufMut as _, Bytes, BytesMut};
use memchr::memchr2;

/// One event; every event has data, be it empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseEvent<'a> {
    /// `event`; empty for the default type.
    pub event: &'a str,
    /// The `data` lines, joined by LF.
    pub data: &'a str,
    /// `id`, if the event has one.
    pub id: Option<&'a str>,
    /// `retry` in milliseconds, if the event has one.
    pub retry: Option<u64>,
}

impl<'a> SseEvent<'a> {
    /// An event of the default type.
    pub fn new(data: &'a str) -> Self {
        Self { data, ..Self::default() }
    }

    /// The same event with a type.
    #[must_use]
    pub fn with_event(mut self, event: &'a str) -> Self {
        self.event = event;
        self
    }

    /// The same event with an id.
    #[must_use]
    pub fn with_id(mut self, id: &'a str) -> Self {
        self.id = Some(id);
        self
    }
}

/// Why a stream of bytes is not an event stream to go on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseError {
    /// An event is larger than allowed.
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A line that matters is not UTF-8.
    InvalidUtf8,
}

impl fmt::Display for SseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { limit } => write!(f, "an event is larger than {limit} bytes"),
            Self::InvalidUtf8 => f.write_str("an event is not UTF-8"),
        }
    }
}

impl Error for SseError {}

/// Turns chunks of bytes into events.
///
/// ```
/// use a2a_transport::SseDecoder;
///
/// let mut decoder = SseDecoder::new();
/// decoder.push("data: one\n\nda".into());
/// assert_eq!(decoder.next_event().unwrap()?.data, "one");
/// assert!(decoder.next_event().is_none());
/// decoder.push("ta: two\r\n\r\n".into());
/// assert_eq!(decoder.next_event().unwrap()?.data, "two");
/// # Ok::<(), a2a_transport::SseError>(())
/// ```
#[derive(Debug)]
pub struct SseDecoder {
    max_event_bytes: usize,
    /// Input that was not looked at yet.
    input: Bytes,
    /// The line in progress, if it began in an earlier chunk; never a comment.
    line: Vec<u8>,
    /// The line in progress is a comment: skipped, not stored.
    in_comment: bool,
    /// A CR ended the last line: a LF right after it belongs to it.
    after_cr: bool,
    /// Bytes of the byte order mark seen so far; `None` once past the start of the stream.
    bom_seen: Option<usize>,
    /// The event in progress, or the one given out last.
    block: Block,
    /// The event was given out: the next call begins a new one.
    given_out: bool,
    last_event_id: String,
    last_retry: Option<u64>,
    /// The error was given out: nothing comes after it.
    failed: bool,
}

/// What the lines of an event have said so far. Its buffers are kept from event to event.
#[derive(Debug, Default)]
struct Block {
    /// Bytes of the lines that are kept.
    bytes: usize,
    event: String,
    data: String,
    has_data: bool,
    id: Option<String>,
    retry: Option<u64>,
}

impl Block {
    fn clear(&mut self) {
        self.bytes = 0;
        self.event.clear();
        self.data.clear();
        self.data.shrink_to(MAX_KEPT_CAPACITY);
        self.has_data = false;
        self.id = None;
        self.retry = None;
    }

    /// Takes one line that was put together, without its end. What is left in the buffer means nothing.
    fn take_buffer(&mut self, line: &mut Vec<u8>) -> Result<(), SseError> {
        let prefix = if line.starts_with(b"data: ") { 6 } else { 5 };
        if self.has_data || !line.starts_with(b"data:") {
            return self.take(line);
        }
        // Only long lines come in pieces: the buffer becomes the data, and is not copied.
        self.bytes = self.bytes.saturating_add(line.len());
        self.has_data = true;
        line.drain(..prefix);
        let data = String::from_utf8(mem::take(line)).map_err(|_| SseError::InvalidUtf8)?;
        *line = mem::replace(&mut self.data, data).into_bytes();
        Ok(())
    }

    /// Takes one line, without its end.
    fn take(&mut self, line: &[u8]) -> Result<(), SseError> {
        let colon = line.iter().position(|&byte| byte == b':');
        let (name, value) = match colon.and_then(|at| line.split_at_checked(at)) {
            Some((name, rest)) => {
                let value = rest.strip_prefix(b":").unwrap_or(rest);
                (name, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, b"".as_slice()),
        };
        match name {
            b"data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(text(value)?);
            }
            b"event" => {
                self.event.clear();
                self.event.push_str(text(value)?);
            }
            b"id" if value.contains(&0) => return Ok(()),
            b"id" => self.id = Some(text(value)?.to_owned()),
            b"retry" => {
                if let Some(retry) = digits(value) {
                    self.retry = Some(retry);
                }
                return Ok(());
            }
            _ => return Ok(()),
        }
        self.bytes = self.bytes.saturating_add(line.len());
        Ok(())
    }
}

impl SseDecoder {
    /// The default of `max_event_bytes`: 16 MiB.
    pub const DEFAULT_MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

    /// A decoder with the default limit.
    pub fn new() -> Self {
        Self::with_max_event_bytes(Self::DEFAULT_MAX_EVENT_BYTES)
    }

    /// A decoder that refuses events over this size: the lines `data`, `event` and `id`, and the line in
    /// progress. Comments never count. The decoder holds about as much, at most twice.
    pub fn with_max_event_bytes(max_event_bytes: usize) -> Self {
        Self {
            max_event_bytes,
            input: Bytes::new(),
            line: Vec::new(),
            in_comment: false,
            after_cr: false,
            bom_seen: Some(0),
            block: Block::default(),
            given_out: false,
            last_event_id: String::new(),
            last_retry: None,
            failed: false,
        }
    }

    /// Takes the next chunk. [`next_event`](Self::next_event) is to be called until it gives `None`.
    pub fn push(&mut self, chunk: Bytes) {
        if self.input.is_empty() {
            self.input = chunk;
        } else {
            let mut joined = BytesMut::with_capacity(self.input.len().saturating_add(chunk.len()));
            joined.put_slice(&self.input);
            joined.put(chunk);
            self.input = joined.freeze();
        }
    }

    /// The next event that is complete; `None` when more input is needed, and for ever after an error.
    pub fn next_event(&mut self) -> Option<Result<SseEvent<'_>, SseError>> {
        if self.failed {
            return None;
        }
        if mem::take(&mut self.given_out) {
            self.block.clear();
        }
        match self.advance() {
            Ok(true) => {
                self.given_out = true;
                let Block { event, data, id, retry, .. } = &self.block;
                Some(Ok(SseEvent { event, data, id: id.as_deref(), retry: *retry }))
            }
            Ok(false) => None,
            Err(error) => {
                self.failed = true;
                self.input = Bytes::new();
                self.line = Vec::new();
                self.block = Block::default();
                Some(Err(error))
            }
        }
    }

    /// Whether the input so far ends within an event, which is never given out if nothing more comes.
    pub fn is_mid_event(&self) -> bool {
        !self.failed && (!self.line.is_empty() || (self.block.has_data && !self.given_out))
    }

    /// The id of the last event that had one; empty before.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// The last `retry`, in milliseconds.
    pub fn last_retry(&self) -> Option<u64> {
        self.last_retry
    }

    /// Reads on until an event is complete (`true`) or the input is used up (`false`).
    fn advance(&mut self) -> Result<bool, SseError> {
        self.skip_bom();
        while let Some(&first) = self.input.first() {
            if mem::take(&mut self.after_cr) && first == b'\n' {
                self.skip(1);
                continue;
            }
            if self.line.is_empty() && first == b':' {
                self.in_comment = true;
            }
            let Some(length) = memchr2(b'\n', b'\r', &self.input) else {
                let rest = mem::take(&mut self.input);
                if !self.in_comment {
                    self.check(self.line.len().saturating_add(rest.len()))?;
                    self.line.extend_from_slice(&rest);
                }
                return Ok(false);
            };
            self.after_cr = self.input.get(length) == Some(&b'\r');
            if self.take_line(0..length)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes the line whose rest is this range of the input, and skips its end. Whether it ends an event.
    fn take_line(&mut self, range: Range<usize>) -> Result<bool, SseError> {
        let length = range.len();
        let rest = self.input.get(range).unwrap_or_default();
        if mem::take(&mut self.in_comment) {
            self.skip(length.saturating_add(1));
            return Ok(false);
        }
        let whole = self.line.len().saturating_add(length);
        if whole == 0 {
            self.skip(1);
            return Ok(self.end_block());
        }
        self.check(whole)?;
        if self.line.is_empty() {
            self.block.take(rest)?;
        } else {
            self.line.extend_from_slice(rest);
            self.block.take_buffer(&mut self.line)?;
            self.line.clear();
            self.line.shrink_to(MAX_KEPT_CAPACITY);
        }
        self.skip(length.saturating_add(1));
        Ok(false)
    }

    /// A blank line: whether there is an event to give out.
    fn end_block(&mut self) -> bool {
        if let Some(id) = &self.block.id {
            self.last_event_id.clone_from(id);
        }
        self.last_retry = self.block.retry.or(self.last_retry);
        if !self.block.has_data {
            self.block.clear();
        }
        self.block.has_data
    }

    fn check(&self, line_bytes: usize) -> Result<(), SseError> {
        if self.block.bytes.saturating_add(line_bytes) > self.max_event_bytes {
            return Err(SseError::TooLarge { limit: self.max_event_bytes });
        }
        Ok(())
    }

    fn skip(&mut self, bytes: usize) {
        bytes::Buf::advance(&mut self.input, bytes);
    }

    /// Skips a byte order mark at the start of the stream, whole or in pieces.
    fn skip_bom(&mut self) {
        while let (Some(seen), Some(&first)) = (self.bom_seen, self.input.first()) {
            match BOM.get(seen) {
                Some(&expected) if expected == first => {
                    self.skip(1);
                    self.bom_seen = Some(seen.saturating_add(1)).filter(|&seen| seen < BOM.len());
                }
                _ => {
                    // It was none: what looked like its start is the start of the first line.
                    self.line.extend(BOM.iter().take(seen));
                    self.bom_seen = None;
                }
            }
        }
    }
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::new()
    }
}

/// An event that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseEncodeError {
    /// `event` or `id` contains CR, LF or NUL.
    ForbiddenCharacter,
}

impl fmt::Display for SseEncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForbiddenCharacter => f.write_str("the type or id of an event contains CR, LF or NUL"),
        }
    }
}

impl Error for SseEncodeError {}

/// A comment that keeps a silent connection alive.
pub const SSE_KEEP_ALIVE: &str = ":\n\n";

/// The bytes of an event: a `data` line for every line of the data, ended by LF, CR or CRLF.
///
/// # Errors
///
/// The type or the id contains CR, LF or NUL.
pub fn encode_event(event: &SseEvent<'_>) -> Result<Bytes, SseEncodeError> {
    let mut bytes = BytesMut::with_capacity(event.data.len().saturating_add(FIELD_OVERHEAD));
    for (name, value) in [("event: ", event.event), ("id: ", event.id.unwrap_or_default())] {
        if value.contains(['\r', '\n', '\0']) {
            return Err(SseEncodeError::ForbiddenCharacter);
        }
        if !value.is_empty() || (name == "id: " && event.id.is_some()) {
            put_line(&mut bytes, name, value);
        }
    }
    if let Some(retry) = event.retry {
        put_line(&mut bytes, "retry: ", &retry.to_string());
    }
    let mut rest = event.data;
    while let Some((line, after)) = rest.split_once(['\r', '\n']) {
        put_line(&mut bytes, "data: ", line);
        let ended_by_cr = rest.as_bytes().get(line.len()) == Some(&b'\r');
        rest = after.strip_prefix('\n').filter(|_| ended_by_cr).unwrap_or(after);
    }
    put_line(&mut bytes, "data: ", rest);
    bytes.put_u8(b'\n');
    Ok(bytes.freeze())
}

fn put_line(bytes: &mut BytesMut, name: &str, value: &str) {
    bytes.put_slice(name.as_bytes());
    bytes.put_slice(value.as_bytes());
    bytes.put_u8(b'\n');
}

fn text(bytes: &[u8]) -> Result<&str, SseError> {
    std::str::from_utf8(bytes).map_err(|_| SseError::InvalidUtf8)
}

/// The number, if these are ASCII digits only.
fn digits(value: &[u8]) -> Option<u64> {
    let only_digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| only_digits)?.parse().ok()
}

const BOM: &[u8] = b"\xEF\xBB\xBF";
/// Buffers larger than this are given back after an event.
const MAX_KEPT_CAPACITY: usize = 64 * 1024;
const FIELD_OVERHEAD: usize = 16;
