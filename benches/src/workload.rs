//! What a server sends, and how.

use std::{fmt, str::FromStr};

/// One kind of answer, asked for any number of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Workload {
    pub(crate) binding: Binding,
    /// Streams to read.
    pub(crate) streams: usize,
    /// How many of them at a time.
    pub(crate) concurrency: usize,
    /// Chunks of text in each stream.
    pub(crate) chunks: usize,
    /// Bytes of text in each chunk.
    pub(crate) chunk_bytes: usize,
    pub(crate) writes: Writes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    JsonRpc,
    Rest,
}

/// How the bytes of a stream are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    /// One write per event.
    Event,
    /// As many bytes at a time, whatever they are; events are HTTP chunks of their own.
    Bytes(usize),
    /// As many bytes at a time, and so are the HTTP chunks.
    Fragments(usize),
}

/// Writes of a server that is not told otherwise.
pub(crate) const NORMAL: Writes = Writes::Bytes(8 * 1024);

impl Workload {
    pub(crate) fn new(chunks: usize, chunk_bytes: usize, writes: Writes) -> Self {
        Self { binding: Binding::JsonRpc, streams: 1, concurrency: 1, chunks, chunk_bytes, writes }
    }

    pub(crate) fn streams(self, streams: usize, concurrency: usize) -> Self {
        Self { streams, concurrency, ..self }
    }

    pub(crate) fn rest(self) -> Self {
        Self { binding: Binding::Rest, ..self }
    }

    /// Twice as much of what there is most of.
    pub(crate) fn doubled(self) -> Self {
        match (self.streams, self.chunks) {
            (1, 1) => Self { chunk_bytes: self.chunk_bytes * 2, ..self },
            (1, chunks) => Self { chunks: chunks * 2, ..self },
            (streams, _) if streams == self.concurrency => Self { chunks: self.chunks * 2, ..self },
            (streams, _) => Self { streams: streams * 2, ..self },
        }
    }

    /// Events of all streams: a status before the chunks, and one after them.
    pub(crate) fn events(&self) -> usize {
        self.streams * (self.chunks + 2)
    }

    /// Bytes of text of all streams.
    pub(crate) fn text_bytes(&self) -> usize {
        self.streams * self.chunks * self.chunk_bytes
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binding = match self.binding {
            Binding::JsonRpc => "rpc",
            Binding::Rest => "rest",
        };
        let Self { streams, concurrency, chunks, chunk_bytes, writes, .. } = self;
        write!(f, "{binding}-{streams}-{concurrency}-{chunks}-{chunk_bytes}-")?;
        match writes {
            Writes::Event => f.write_str("e0"),
            Writes::Bytes(bytes) => write!(f, "b{bytes}"),
            Writes::Fragments(bytes) => write!(f, "f{bytes}"),
        }
    }
}

impl FromStr for Workload {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is not a workload");
        let parts: Vec<&str> = text.split('-').collect();
        let [binding, streams, concurrency, chunks, chunk_bytes, writes] = parts.as_slice() else {
            return Err(wrong());
        };
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let (kind, bytes) = writes.split_at_checked(1).ok_or_else(wrong)?;
        Ok(Self {
            binding: if *binding == "rest" { Binding::Rest } else { Binding::JsonRpc },
            streams: number(streams)?,
            concurrency: number(concurrency)?,
            chunks: number(chunks)?,
            chunk_bytes: number(chunk_bytes)?,
            writes: match kind {
                "e" => Writes::Event,
                "b" => Writes::Bytes(number(bytes)?),
                _ => Writes::Fragments(number(bytes)?),
            },
        })
    }
}
