//! Decoding event streams: the cost per byte and per event is the same whatever the size.
//!
//! Each case is there in two sizes, the second twice the first. The rows named `floor` only collect the bytes of
//! one event in a `Vec` and check that they are UTF-8: how large a buffer may grow before the allocator gets
//! its memory anew each time shows there too.
#![allow(missing_docs, reason = "the macros of the harness")]

use std::hint::black_box;

use a2a_transport::SseDecoder;
use bytes::Bytes;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Decodes a stream that comes in chunks of this size; the number of events, and of bytes in them.
fn decode(chunks: Vec<Bytes>) -> (usize, usize) {
    let mut decoder = SseDecoder::with_max_event_bytes(64 * MIB);
    let mut decoded = (0, 0);
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(event) = decoder.next_event() {
            let data = event.map_or(0, |event| black_box(event.data).len());
            decoded = (decoded.0 + 1, decoded.1 + data);
        }
    }
    decoded
}

/// What no decoder can do without.
fn floor(chunks: Vec<Bytes>) -> usize {
    let mut event = Vec::new();
    for chunk in chunks {
        event.extend_from_slice(&chunk);
    }
    std::str::from_utf8(&event).map_or(0, str::len)
}

fn chunks(stream: &Bytes, width: usize) -> Vec<Bytes> {
    (0..stream.len()).step_by(width).map(|at| stream.slice(at..stream.len().min(at + width))).collect()
}

fn bench(criterion: &mut Criterion) {
    let one_event = |size: usize| Bytes::from(format!("data: {}\n\n", "x".repeat(size)));
    let many_events = |count: usize| Bytes::from(format!("data: {}\n\n", "x".repeat(152)).repeat(count));
    let cases = [
        ("one event of 8 MiB in 16 KiB chunks", one_event(8 * MIB), 16 * KIB),
        ("one event of 16 MiB in 16 KiB chunks", one_event(16 * MIB), 16 * KIB),
        ("20,000 events in one chunk", many_events(20_000), usize::MAX),
        ("40,000 events in one chunk", many_events(40_000), usize::MAX),
        ("20,000 events in 1,460 B chunks", many_events(20_000), 1460),
        ("40,000 events in 1,460 B chunks", many_events(40_000), 1460),
        ("20,000 events in 7 B chunks", many_events(20_000), 7),
        ("40,000 events in 7 B chunks", many_events(40_000), 7),
    ];
    let mut group = criterion.benchmark_group("sse");
    group.sample_size(20);
    for (name, stream, width) in cases {
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| chunks(&stream, width.min(stream.len())), decode, BatchSize::LargeInput);
        });
    }
    for (name, size) in
        [("floor of 8 MiB in 16 KiB chunks", 8 * MIB), ("floor of 16 MiB in 16 KiB chunks", 16 * MIB)]
    {
        let stream = one_event(size);
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| chunks(&stream, 16 * KIB), floor, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
