//! `StreamResponse` → events → folded message. An element is a chunk, that is, an event.
#![allow(missing_docs, reason = "made by a macro")]

mod transcript;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use transcript::{payloads, translate};

fn benchmark(criterion: &mut Criterion) {
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

criterion_group!(benches, benchmark);
criterion_main!(benches);
