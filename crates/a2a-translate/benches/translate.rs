//! `StreamResponse` → events → folded message, both steps together and each alone, and events → JSON. An element is a
//! chunk, that is, an event.
#![allow(missing_docs, clippy::unwrap_used, reason = "made by a macro; a benchmark fails by panicking")]

mod transcript;

use std::hint::black_box;

use a2a_translate::{Event, Msg};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use transcript::{each_event, payloads, translate};

fn whole(criterion: &mut Criterion) {
    for size in [64, 4096] {
        let mut group = criterion.benchmark_group(format!("translate and fold chunks of {size} B"));
        group.sample_size(10);
        for chunks in [1_000, 10_000, 100_000] {
            group.throughput(Throughput::Elements(chunks as u64));
            group.bench_with_input(BenchmarkId::from_parameter(chunks), &chunks, |bencher, &chunks| {
                let transcript = payloads(chunks, size);
                bencher.iter_batched(|| transcript.clone(), translate, BatchSize::PerIteration);
            });
        }
        group.finish();
    }
}

fn steps(criterion: &mut Criterion) {
    const CHUNKS: usize = 10_000;
    for size in [64, 4096] {
        let transcript = payloads(CHUNKS, size);
        let mut events: Vec<Event> = Vec::new();
        each_event(transcript.clone(), |event| events.push(event));
        let mut group = criterion.benchmark_group(format!("{CHUNKS} chunks of {size} B"));
        group.sample_size(10).throughput(Throughput::Elements(CHUNKS as u64));
        group.bench_function("translate", |bencher| {
            let translate = |payloads| each_event(payloads, |event| drop(black_box(event)));
            bencher.iter_batched(|| transcript.clone(), translate, BatchSize::PerIteration);
        });
        group.bench_function("fold", |bencher| bencher.iter(|| Msg::from_events(&events)));
        group.bench_function("events to JSON", |bencher| {
            let mut json = Vec::new();
            bencher.iter(|| {
                for event in &events {
                    json.clear();
                    serde_json::to_writer(&mut json, event).unwrap();
                    black_box(&json);
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, whole, steps);
criterion_main!(benches);
