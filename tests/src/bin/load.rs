//! Loads an agent that knows the scenarios `echo` and `artifact` (`conformance_agent`, and the agents on other SDKs):
//! first many streams at a time, then one call after another on several connections.
//!
//! `load URL [--streams N] [--events N] [--calls N] [--connections N] [--pid PID]`: prints a JSON object for each
//! phase. With the process id of the server, its resident memory is told too (Linux).

#![allow(clippy::print_stdout, reason = "a program")]

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use a2a_agent::{A2aAgent, CallOptions, Transport};
use a2a_types::{Message, Part, Role, SendMessageRequest, SendMessageResponse, StreamResponse, TaskState};
use futures::StreamExt as _;
use serde_json::json;
use tokio::task::JoinSet;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let url = args
        .next()
        .ok_or("usage: load URL [--streams N] [--events N] [--calls N] [--connections N] [--pid PID]")?;
    let (mut streams, mut events, mut calls, mut connections, mut pid) = (2000, 50, 10_000, 32, None);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or("a flag needs a value")?.parse::<usize>()?;
        match flag.as_str() {
            "--streams" => streams = value,
            "--events" => events = value,
            "--calls" => calls = value,
            "--connections" => connections = value,
            "--pid" => pid = Some(value),
            other => return Err(format!("unknown flag {other}").into()),
        }
    }
    let agent = A2aAgent::connect(&url).await?;
    let transport = agent.transport();
    println!("{}", load_streams(transport, streams, events, pid).await);
    println!("{}", load_calls(transport, calls, connections, pid).await);
    Ok(())
}

/// Opens all streams at once and reads each to its end.
async fn load_streams(
    transport: &Arc<dyn Transport>,
    streams: usize,
    chunks: usize,
    pid: Option<usize>,
) -> serde_json::Value {
    let begun = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..streams {
        let transport = Arc::clone(transport);
        running.spawn(async move { read_stream(&*transport, chunks).await });
    }
    let (mut events, mut errors, mut peak) = (0, Vec::new(), 0);
    while let Some(result) = running.join_next().await {
        match result {
            Ok(Ok(count)) => events += count,
            Ok(Err(error)) => errors.push(error.to_string()),
            Err(error) => errors.push(error.to_string()),
        }
        peak = peak.max(resident_kib(pid));
    }
    let seconds = begun.elapsed().as_secs_f64();
    errors.sort();
    errors.dedup();
    json!({
        "streams": streams, "events": events, "seconds": seconds, "events_per_second": events as f64 / seconds,
        "errors": errors, "server_peak_kib": peak,
    })
}

async fn read_stream(transport: &dyn Transport, chunks: usize) -> Result<usize, Failure> {
    let request = request(&format!("artifact {chunks}"));
    let mut stream = transport.send_streaming_message(request, CallOptions::default()).await?;
    let (mut events, mut received, mut state) = (0, 0, TaskState::Unspecified);
    while let Some(payload) = stream.next().await {
        events += 1;
        match payload? {
            StreamResponse::ArtifactUpdate(update) => {
                received += 1;
                let text = update.artifact.parts.first().and_then(Part::as_text).unwrap_or_default();
                if text != format!("chunk-{received} ") {
                    return Err(format!("chunk {received} is {text:?}").into());
                }
            }
            StreamResponse::StatusUpdate(update) => state = update.status.state,
            _ => {}
        }
    }
    if received != chunks || state != TaskState::Completed {
        return Err(format!("{received} chunks of {chunks}, {state}").into());
    }
    Ok(events)
}

/// Makes calls, one after another on each of so many connections.
async fn load_calls(
    transport: &Arc<dyn Transport>,
    calls: usize,
    connections: usize,
    pid: Option<usize>,
) -> serde_json::Value {
    let left = Arc::new(AtomicUsize::new(calls));
    let begun = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..connections {
        let (transport, left) = (Arc::clone(transport), Arc::clone(&left));
        running.spawn(async move {
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
            {
                match transport.send_message(request("echo hello"), CallOptions::default()).await? {
                    SendMessageResponse::Message(_) => {}
                    other => return Err(Failure::from(format!("not a message: {other:?}"))),
                }
            }
            Ok(())
        });
    }
    let mut errors = Vec::new();
    while let Some(result) = running.join_next().await {
        match result {
            Ok(Ok(())) => {}
            Ok(Err(error)) => errors.push(error.to_string()),
            Err(error) => errors.push(error.to_string()),
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    json!({
        "calls": calls, "seconds": seconds, "calls_per_second": calls as f64 / seconds, "errors": errors,
        "server_kib": resident_kib(pid),
    })
}

fn request(text: &str) -> SendMessageRequest {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let id = format!("load-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    SendMessageRequest::new(Message::new(id, Role::User, vec![Part::text(text)]))
}

/// Resident memory of a process; 0 if it is not known.
fn resident_kib(pid: Option<usize>) -> usize {
    let status = pid.and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/status")).ok());
    let line = status.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("VmRSS:")));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
