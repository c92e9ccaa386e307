//! Our decoder against another one, on random inputs in random chunks.
//!
//! `A2A_SSE_INPUTS` sets how many inputs are tried.

use std::convert::Infallible;

use a2a_transport::{SseDecoder, SseError};
use bytes::Bytes;
use futures::{FutureExt as _, StreamExt as _};
use sse_stream::SseByteStream;

/// The events as (type, data, id, retry), and whether the input ended in an error.
type Decoded = (Vec<(String, String, Option<String>, Option<u64>)>, bool);

fn ours(chunks: &[Bytes]) -> Decoded {
    let mut decoder = SseDecoder::new();
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.push(chunk.clone());
        while let Some(event) = decoder.next_event() {
            match event {
                Ok(event) => events.push((
                    event.event.to_owned(),
                    event.data.to_owned(),
                    event.id.map(str::to_owned),
                    event.retry,
                )),
                Err(error) => {
                    assert_eq!(error, SseError::InvalidUtf8);
                    return (events, true);
                }
            }
        }
    }
    (events, false)
}

fn theirs(chunks: &[Bytes]) -> Decoded {
    let chunks = chunks.iter().cloned().map(Ok::<_, Infallible>);
    let stream = SseByteStream::new(futures::stream::iter(chunks));
    let blocks: Vec<_> = stream.collect().now_or_never().expect("nothing to wait for");
    let failed = blocks.iter().any(Result::is_err);
    let with_data = blocks.into_iter().flatten().filter_map(|block| {
        let data = block.data?;
        Some((block.event.unwrap_or_default(), data, block.id, block.retry))
    });
    (with_data.collect(), failed)
}

/// The one difference: what is not UTF-8 in a `retry` line is an error to them, and to us, as the rules have it, no
/// number. The input with such lines made comments.
fn without_bad_retries(input: &[u8]) -> Vec<u8> {
    let mut result = Vec::new();
    let mut is_first = true;
    for line in input.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        let content = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| is_first).unwrap_or(line);
        result.extend_from_slice(&line[..line.len() - content.len()]);
        is_first = false;
        if content.starts_with(b"retry:") && std::str::from_utf8(content).is_err() {
            result.push(b':');
        }
        result.extend_from_slice(content);
    }
    result
}

/// A small generator of random numbers: the same inputs in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

#[test]
fn decoders_agree() {
    let inputs = std::env::var("A2A_SSE_INPUTS").map_or(20_000, |text| text.parse().unwrap());
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut explained = 0;
    for _ in 0..inputs {
        let input: Vec<u8> =
            (0..random.below(24)).flat_map(|_| PIECES[random.below(PIECES.len())].iter().copied()).collect();
        let mut chunks = Vec::new();
        let mut rest = input.as_slice();
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at((1 + random.below(8)).min(rest.len()));
            chunks.push(Bytes::copy_from_slice(chunk));
            rest = after;
        }
        let (ours, theirs_now) = (ours(&chunks), theirs(&chunks));
        if ours != theirs_now {
            let without = without_bad_retries(&input);
            assert_eq!(ours, theirs(&[without.into()]), "{:?}", String::from_utf8_lossy(&input));
            explained += 1;
        }
    }
    println!("{inputs} inputs, {explained} of them with a retry that is not UTF-8");
    assert!(explained * 5 < inputs, "the comparison says little");
}

const PIECES: &[&[u8]] = &[
    b"data",
    b"data:",
    b"data: ",
    b"data: {\"a\":1}\n\n",
    b"event: ",
    b"event",
    b"id: ",
    b"id",
    b"retry: ",
    b"retry:",
    b"retry: 12\n",
    b"5",
    b"+",
    b":",
    b": ping\n\n",
    b" ",
    b"\n",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b"\r\n\r\n",
    b"x",
    b"unknown: y\n",
    b"\xC3\xA9",
    b"\xC3",
    b"\xA9",
    b"\xF0\x9F\x98\x80",
    b"\xFF",
    b"\0",
    b"\xEF\xBB\xBF",
    b"\xE2\x80\xA8",
];
