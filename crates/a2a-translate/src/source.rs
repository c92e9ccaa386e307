//! Where ids and times come from: the caller.
//!
//! The crate has neither clock nor randomness. What it makes (events, blocks, messages) gets its ids from an
//! [`IdSource`] and its times from a [`Clock`], so that the same input gives the same output, byte for byte.

use std::{fmt, sync::Arc};

/// Makes ids. AgentScope's are 32 lower-case hexadecimal digits (a UUID 4 without dashes); any string will do.
pub trait IdSource: fmt::Debug + Send {
    /// An id that was not given out before.
    fn next_id(&mut self) -> Arc<str>;
}

/// Tells the time as AgentScope writes it: local, without a zone, with microseconds, such as
/// `2026-01-02T03:04:05.678901`. Any string will do; it is never parsed.
pub trait Clock: fmt::Debug + Send {
    /// The time now.
    fn now(&mut self) -> Arc<str>;
}

impl<'a, I: IdSource + 'a> From<I> for Box<dyn IdSource + 'a> {
    fn from(ids: I) -> Self {
        Box::new(ids)
    }
}

impl<'a, C: Clock + 'a> From<C> for Box<dyn Clock + 'a> {
    fn from(clock: C) -> Self {
        Box::new(clock)
    }
}

/// Ids that count: `id-1`, `id-2`, … For tests and reproducible transcripts.
#[derive(Debug, Clone)]
pub struct CountingIds {
    prefix: String,
    last: u64,
}

impl CountingIds {
    /// Ids that start with this prefix.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), last: 0 }
    }
}

impl Default for CountingIds {
    fn default() -> Self {
        Self::new("id-")
    }
}

impl IdSource for CountingIds {
    fn next_id(&mut self) -> Arc<str> {
        self.last += 1;
        format!("{}{}", self.prefix, self.last).into()
    }
}

/// A clock that goes on by one microsecond whenever it is asked. For tests and reproducible transcripts.
#[derive(Debug, Clone, Default)]
pub struct CountingClock {
    micros: u64,
}

impl Clock for CountingClock {
    fn now(&mut self) -> Arc<str> {
        self.micros += 1;
        let (seconds, micros) = (self.micros / 1_000_000, self.micros % 1_000_000);
        let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
        format!("2026-01-01T{hours:02}:{minutes:02}:{:02}.{micros:06}", seconds % 60).into()
    }
}
