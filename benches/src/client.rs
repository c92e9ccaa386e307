//! One client process: reads the streams of a workload and says what that cost.

use std::{error::Error, time::Instant};

use futures::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::{floor, floor_serde, measure, ours::Ours, raw::Pool, workload::Workload};

/// What a client reports, as one line of JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) cpu_ns: u64,
    pub(crate) wall_ns: u64,
    pub(crate) peak_kib: u64,
    /// 0 in a build that does not count them.
    pub(crate) allocations: u64,
}

/// The kinds of client, the cheapest first.
pub(crate) const KINDS: [&str; 6] =
    ["floor", "floor-serde", "floor-text", "transport", "agent-events", "agent"];

/// The client that only holds agents which do nothing, to see what they take.
pub(crate) const IDLE: &str = "idle-agents";

/// What the name of a client ends with that speaks HTTP/2.
pub(crate) const HTTP2: &str = ", HTTP/2";

/// What reading one stream found: line ends or bytes of text, by kind of client.
pub(crate) type Found = Result<usize, Box<dyn Error>>;

pub(crate) fn run(
    runtime: &Runtime,
    kind: &str,
    address: &str,
    workload: &Workload,
) -> Result<(), Box<dyn Error>> {
    // What is there once per process is set up before the clock starts.
    let _entered = runtime.enter();
    let (kind, http2) = kind.strip_suffix(HTTP2).map_or((kind, false), |kind| (kind, true));
    let ours = Ours::new(&format!("http://{address}/{workload}"), workload, http2)?;
    if kind == IDLE {
        return idle(&ours, workload.streams);
    }
    let pool = Pool::default();
    let read = |_| async {
        match kind {
            "floor" => floor::read(&pool, address, workload).await,
            "floor-serde" => floor_serde::read(&pool, address, workload, false).await,
            "floor-text" => floor_serde::read(&pool, address, workload, true).await,
            "transport" => ours.transport().await,
            "agent-events" => ours.agent_events().await,
            "agent" => ours.agent().await,
            other => Err(format!("there is no client {other}").into()),
        }
    };
    let all = async {
        let streams =
            futures::stream::iter(0..workload.streams).map(read).buffer_unordered(workload.concurrency);
        streams.try_fold(0, |sum, found| async move { Ok(sum + found) }).await
    };
    let started = (measure::cpu_ns()?, Instant::now());
    let (found, allocations) = counting_allocations(|| runtime.block_on(all));
    let report = Report {
        cpu_ns: measure::cpu_ns()? - started.0,
        wall_ns: u64::try_from(started.1.elapsed().as_nanos())?,
        peak_kib: measure::peak_kib()?,
        allocations,
    };
    let found: usize = found?;
    let expected = if kind == "floor" { workload.events() * 2 } else { workload.text_bytes() };
    if found != expected {
        return Err(format!("{kind} found {found} instead of {expected} in {workload}").into());
    }
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn idle(ours: &Ours, count: usize) -> Result<(), Box<dyn Error>> {
    let agents = (0..count).map(|_| ours.new_agent()).collect::<Result<Vec<_>, _>>()?;
    let report = Report { cpu_ns: 0, wall_ns: 0, peak_kib: measure::peak_kib()?, allocations: 0 };
    drop(agents);
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

#[cfg(feature = "allocations")]
fn counting_allocations<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let mut outcome = None;
    let counted = allocation_counter::measure(|| outcome = Some(work()));
    (outcome.expect("the work was done"), counted.count_total)
}

#[cfg(not(feature = "allocations"))]
fn counting_allocations<T>(work: impl FnOnce() -> T) -> (T, u64) {
    (work(), 0)
}
