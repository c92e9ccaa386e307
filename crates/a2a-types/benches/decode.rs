//! What it costs to read one text chunk of a stream, beside the smallest derived struct for the same JSON.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reports, and fails by panicking"
)]

use std::hint::black_box;

use a2a_types::{JsonRpcResponse, StreamResponse, v03};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde::{Deserialize, de::DeserializeOwned};

/// Only what a text chunk has: no other payload, no other part, no tolerance.
mod minimal {
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct StreamResponse {
        #[expect(dead_code, reason = "read, and no more")]
        artifact_update: ArtifactUpdate,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "read, and no more")]
    struct ArtifactUpdate {
        task_id: String,
        context_id: String,
        artifact: Artifact,
        #[serde(default)]
        append: bool,
        #[serde(default)]
        last_chunk: bool,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "read, and no more")]
    struct Artifact {
        artifact_id: String,
        parts: Vec<Part>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "read, and no more")]
    struct Part {
        text: String,
    }
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read, and no more")]
struct MinimalEnvelope<T> {
    id: i64,
    result: T,
}

const IDS: (&str, &str, &str) =
    ("5f1c2ad0-1a51-4b0a-9d5b-6a7f0c1f2f10", "0b8d5b6e-93d6-4c3f-8a0e-3a4d5e6f7a81", "art-1");

fn chunk(length: usize) -> String {
    let (task, context, artifact) = IDS;
    let text: String = "The next ferry leaves at 08:10. ".chars().cycle().take(length).collect();
    format!(
        r#"{{"artifactUpdate":{{"taskId":"{task}","contextId":"{context}","append":true,"artifact":{{"artifactId":"{artifact}","parts":[{{"text":"{text}"}}]}}}}}}"#
    )
}

fn chunk_v03(length: usize) -> String {
    let (task, context, artifact) = IDS;
    let text: String = "The next ferry leaves at 08:10. ".chars().cycle().take(length).collect();
    format!(
        r#"{{"kind":"artifact-update","taskId":"{task}","contextId":"{context}","append":true,"artifact":{{"artifactId":"{artifact}","parts":[{{"kind":"text","text":"{text}"}}]}}}}"#
    )
}

fn decode(criterion: &mut Criterion) {
    for (name, length) in [("64 B", 64), ("4 KiB", 4096)] {
        let payload = chunk(length);
        let envelope = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{payload}}}"#);
        let legacy = chunk_v03(length);
        let mut group = criterion.benchmark_group(format!("text chunk of {name}"));
        group.throughput(Throughput::Elements(1));
        let mut row = |row: &str, text: &str, read: fn(&str)| {
            let allocations = allocation_counter::measure(|| read(text));
            println!(
                "{name}, {row}: {} allocations, {} bytes",
                allocations.count_total, allocations.bytes_total
            );
            group.bench_with_input(BenchmarkId::from_parameter(row), text, |bencher, text| {
                bencher.iter(|| read(black_box(text)));
            });
        };
        row("derived", &payload, read_plainly::<minimal::StreamResponse>);
        row("a2a-types", &payload, read::<StreamResponse>);
        row("derived in envelope", &envelope, read_plainly::<MinimalEnvelope<minimal::StreamResponse>>);
        row("a2a-types in envelope", &envelope, read::<JsonRpcResponse<StreamResponse>>);
        row("a2a-types, 0.3", &legacy, read::<v03::JsonRpc<v03::StreamEvent>>);
        group.finish();
    }
}

fn read_plainly<T: DeserializeOwned>(text: &str) {
    black_box(serde_json::from_str::<T>(text).unwrap());
}

fn read<T: DeserializeOwned>(text: &str) {
    black_box(a2a_types::from_str::<T>(text).unwrap());
}

criterion_group!(benches, decode);
criterion_main!(benches);
