//! Runs the clients, in interleaved rounds, and prints what they cost.

use std::{
    error::Error,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use crate::{
    client::{KINDS, Report},
    workload::{NORMAL, Workload, Writes},
};

/// Rounds unless told otherwise; the median counts.
const ROUNDS: usize = 5;

fn workloads() -> Vec<(&'static str, Workload)> {
    let small = Workload::new(100_000, 64, NORMAL);
    let large = Workload::new(20_000, 4 * 1024, NORMAL);
    let huge = |writes| Workload::new(1, 8 * 1024 * 1024, writes);
    let short = Workload::new(10, 64, NORMAL);
    vec![
        ("small", small),
        ("small, bursts", Workload { writes: Writes::Bytes(1024 * 1024), ..small }),
        ("small, event by event", Workload { writes: Writes::Event, ..small }),
        ("small, REST", small.rest()),
        ("large", large),
        ("large, REST", large.rest()),
        ("short, one by one", short.streams(2_000, 1)),
        ("short, 64 at a time", short.streams(2_000, 64)),
        ("crowd", Workload::new(50, 64, NORMAL).streams(1_000, 1_000)),
        ("huge, whole", huge(Writes::Bytes(64 * 1024))),
        ("huge, fragments", huge(Writes::Fragments(16 * 1024))),
    ]
}

pub(crate) fn run(options: &[&str]) -> Result<(), Box<dyn Error>> {
    let (rounds, prefix) = match options {
        ["--rounds", rounds, prefix @ ..] => (rounds.parse()?, prefix.first().copied().unwrap_or_default()),
        [prefix] => (ROUNDS, *prefix),
        _ => (ROUNDS, ""),
    };
    let mut server = start_server()?;
    let mut address = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut address)?;
    let outcome = print(rounds, prefix, address.trim());
    server.kill()?;
    server.wait()?;
    outcome
}

fn print(rounds: usize, prefix: &str, address: &str) -> Result<(), Box<dyn Error>> {
    let counts = cfg!(feature = "allocations");
    println!(
        "| workload | client | CPU ms | × floor-serde | twice the size | wall ms | peak MiB |{}",
        if counts { " allocations/event |" } else { "" }
    );
    println!("|---|---|---|---|---|---|---|{}", if counts { "---|" } else { "" });
    for (name, workload) in workloads().into_iter().filter(|(name, _)| name.starts_with(prefix)) {
        let sizes = [workload, workload.doubled()];
        let mut reports: Vec<Vec<Report>> = vec![Vec::new(); KINDS.len() * sizes.len()];
        for _ in 0..rounds {
            let slots = KINDS.iter().flat_map(|kind| sizes.iter().map(move |size| (kind, size)));
            for ((kind, size), reports) in slots.zip(&mut reports) {
                reports.push(client(kind, address, size)?);
            }
        }
        let mut medians = reports.iter().map(|reports| median(reports));
        let mut floor = None;
        for kind in KINDS {
            let (Some(once), Some(twice)) = (medians.next(), medians.next()) else { break };
            if kind == "floor-serde" {
                floor = Some(once.cpu_ns);
            }
            let ratio = floor.map_or_else(String::new, |floor| format!("{:.2}", ratio(once.cpu_ns, floor)));
            let allocations = ratio_of_events(&once, &workload);
            println!(
                "| {name} | {kind} | {:.1} | {ratio} | {:.2} | {:.1} | {:.1} |{}",
                milliseconds(once.cpu_ns),
                self::ratio(twice.cpu_ns, once.cpu_ns),
                milliseconds(once.wall_ns),
                once.peak_kib as f64 / 1024.0,
                if counts { format!(" {allocations:.2} |") } else { String::new() },
            );
        }
    }
    Ok(())
}

fn start_server() -> Result<Child, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    Ok(Command::new(program).arg("server").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?)
}

fn client(kind: &str, address: &str, workload: &Workload) -> Result<Report, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let output = Command::new(program)
        .args(["client", kind, address, &workload.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("the client {kind} failed on {workload}").into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The median of each figure.
fn median(reports: &[Report]) -> Report {
    let middle = |figure: fn(&Report) -> u64| {
        let mut figures: Vec<u64> = reports.iter().map(figure).collect();
        figures.sort_unstable();
        figures.get(figures.len() / 2).copied().unwrap_or_default()
    };
    Report {
        cpu_ns: middle(|report| report.cpu_ns),
        wall_ns: middle(|report| report.wall_ns),
        peak_kib: middle(|report| report.peak_kib),
        allocations: middle(|report| report.allocations),
    }
}

fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}

fn ratio_of_events(report: &Report, workload: &Workload) -> f64 {
    report.allocations as f64 / workload.events() as f64
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}
