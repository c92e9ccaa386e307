//! Allocations per event of `StreamResponse` → events → folded message, the payloads aside.
#![allow(clippy::print_stdout, reason = "a program that prints")]

mod transcript;

use transcript::{payloads, translate};

fn main() {
    for size in [64, 4096] {
        for chunks in [1_000, 100_000] {
            let transcript = payloads(chunks, size);
            let mut msg = None;
            let counted = allocation_counter::measure(|| msg = Some(translate(transcript)));
            assert_eq!(msg.map(|msg| msg.text_content().len()), Some(chunks * (size / 16 * 16)));
            let per_event = counted.count_total as f64 / chunks as f64;
            println!("{chunks:>7} chunks of {size:>4} B: {per_event:.2} allocations per event");
        }
    }
}
