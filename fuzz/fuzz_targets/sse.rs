//! Event streams: no panic, the same events whatever the chunks, nothing over the limit, and what was decoded
//! is decoded again once it is encoded.
#![no_main]

use a2a_transport::{SseDecoder, SseError, SseEvent, encode_event};
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 64;

#[derive(Debug, PartialEq)]
struct Event {
    event: String,
    data: String,
    id: Option<String>,
    retry: Option<u64>,
}

impl From<SseEvent<'_>> for Event {
    fn from(event: SseEvent<'_>) -> Self {
        Self {
            event: event.event.to_owned(),
            data: event.data.to_owned(),
            id: event.id.map(str::to_owned),
            retry: event.retry,
        }
    }
}

fn decode<'a>(
    chunks: impl IntoIterator<Item = &'a [u8]>,
    limit: usize,
) -> (Vec<Event>, Option<SseError>, bool) {
    let mut decoder = SseDecoder::with_max_event_bytes(limit);
    let mut events = Vec::new();
    let mut error = None;
    for chunk in chunks {
        decoder.push(Bytes::copy_from_slice(chunk));
        while let Some(next) = decoder.next_event() {
            assert!(error.is_none(), "something comes after an error");
            match next {
                Ok(event) => {
                    assert!(event.data.len() + event.event.len() <= limit, "an event is over the limit");
                    events.push(event.into());
                }
                Err(failed) => error = Some(failed),
            }
        }
    }
    let mid_event = decoder.is_mid_event();
    (events, error, mid_event)
}

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (widths, input) = input;
    let mut widths = widths.iter().map(|width| usize::from(*width % 8) + 1).cycle();
    let mut chunks = Vec::new();
    let mut rest = input.as_slice();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(widths.next().unwrap_or(1).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    for limit in [LIMIT, usize::MAX] {
        let whole = decode([input.as_slice()], limit);
        assert_eq!(decode(chunks.iter().copied(), limit), whole);
        for event in whole.0 {
            let mut again = SseEvent::new(&event.data).with_event(&event.event);
            (again.id, again.retry) = (event.id.as_deref(), event.retry);
            // A NUL in a type is read, but not written.
            if let Ok(bytes) = encode_event(&again) {
                assert_eq!(decode([&*bytes], usize::MAX), (vec![event], None, false));
            }
        }
    }
});
