//! Runs the clients, in interleaved rounds, and prints what they cost.

use std::{
    error::Error,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use crate::{
    client::{HTTP2, IDLE, KINDS, Report},
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

/// The names of all rows.
fn known() -> impl Iterator<Item = &'static str> {
    workloads().into_iter().map(|(name, _)| name).chain([MEMORY])
}

fn names() -> String {
    known().collect::<Vec<_>>().join("; ")
}

/// Which of the clients is the floor.
const FLOOR: usize = 1;

/// The row of what agents and streams take.
const MEMORY: &str = "memory";

/// What to measure, and how often.
struct Options<'a> {
    rounds: usize,
    /// Beginnings of the names of workloads; empty for all.
    rows: Vec<&'a str>,
}

impl<'a> Options<'a> {
    fn parse(arguments: &[&'a str]) -> Result<Self, Box<dyn Error>> {
        let mut options = Self { rounds: ROUNDS, rows: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match (*argument, rest.next()) {
                ("--rounds", Some(rounds)) => options.rounds = rounds.parse()?,
                ("--rows", Some(rows)) => options.rows.extend(rows.split('/').map(str::trim)),
                _ => {
                    return Err(
                        format!("usage: [--rounds N] [--rows PREFIX[/PREFIX…]]; rows: {}", names()).into()
                    );
                }
            }
        }
        match options.rows.iter().find(|row| !known().any(|name| name.starts_with(**row))) {
            Some(row) => Err(format!("no row begins with {row}; rows: {}", names()).into()),
            None => Ok(options),
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|row| name.starts_with(row))
    }
}

pub(crate) fn run(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let options = Options::parse(arguments)?;
    let mut server = start_server()?;
    let mut address = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut address)?;
    let outcome = print(&options, address.trim());
    server.kill()?;
    server.wait()?;
    outcome
}

fn print(options: &Options<'_>, address: &str) -> Result<(), Box<dyn Error>> {
    if cfg!(feature = "http2") {
        return print_http2(options, address);
    }
    let counts = cfg!(feature = "allocations");
    println!(
        "| workload | client | CPU ms | × floor-serde | least CPU ms | × floor-serde | twice the size | wall ms | peak MiB |{}",
        if counts { " allocations/event |" } else { "" }
    );
    println!("|---|---|---|---|---|---|---|---|---|{}", if counts { "---|" } else { "" });
    for (name, workload) in workloads().into_iter().filter(|(name, _)| options.wants(name)) {
        let sizes = [workload, workload.doubled()];
        let clients = measure(options.rounds, address, &KINDS, &sizes)?;
        let Some([floor, _]) = clients.get(FLOOR).map(Vec::as_slice) else { continue };
        for (kind, sizes) in KINDS.iter().zip(&clients) {
            let [once, twice] = sizes.as_slice() else { continue };
            println!(
                "| {name} | {kind} | {:.1} | {:.2} | {:.1} | {:.2} | {:.2} | {:.1} | {:.1} |{}",
                milliseconds(once.median.cpu_ns),
                ratio(once.median.cpu_ns, floor.median.cpu_ns),
                milliseconds(once.least_cpu_ns),
                ratio(once.least_cpu_ns, floor.least_cpu_ns),
                ratio(twice.least_cpu_ns, once.least_cpu_ns),
                milliseconds(once.median.wall_ns),
                mebibytes(once.median.peak_kib),
                if counts { format!(" {:.2} |", per_event(&once.median, &workload)) } else { String::new() },
            );
        }
    }
    if options.wants(MEMORY) && !counts {
        print_memory(options, address)?;
    }
    Ok(())
}

/// What an agent that does nothing takes, and what a stream does: the difference between many and few.
fn print_memory(options: &Options<'_>, address: &str) -> Result<(), Box<dyn Error>> {
    println!("\n| memory | client | KiB each |\n|---|---|---|");
    let streams = |count| Workload::new(50, 64, NORMAL).streams(count, count);
    let rows: [(&str, &[&str], [usize; 2]); 2] = [
        ("idle agent", &[IDLE], [1_000, 11_000]),
        ("open stream", &["floor-serde", "transport", "agent-events", "agent"], [100, 900]),
    ];
    for (name, kinds, [few, many]) in rows {
        let clients = measure(options.rounds, address, kinds, &[streams(few), streams(many)])?;
        for (kind, sizes) in kinds.iter().zip(&clients) {
            let [less, more] = sizes.as_slice() else { continue };
            let each = more.median.peak_kib.saturating_sub(less.median.peak_kib) as f64 / (many - few) as f64;
            println!("| {name} | {kind} | {each:.1} |");
        }
    }
    Ok(())
}

fn print_http2(options: &Options<'_>, address: &str) -> Result<(), Box<dyn Error>> {
    println!("| workload | client | CPU ms | least CPU ms | wall ms | peak MiB |\n|---|---|---|---|---|---|");
    let kinds = ["transport", "agent"].map(|kind| [kind.to_owned(), format!("{kind}{HTTP2}")]).concat();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    for (name, workload) in workloads().into_iter().filter(|(name, _)| options.wants(name)) {
        for (kind, sizes) in kinds.iter().zip(measure(options.rounds, address, &kinds, &[workload])?) {
            let Some(Figures { median, least_cpu_ns }) = sizes.first() else { continue };
            println!(
                "| {name} | {kind} | {:.1} | {:.1} | {:.1} | {:.1} |",
                milliseconds(median.cpu_ns),
                milliseconds(*least_cpu_ns),
                milliseconds(median.wall_ns),
                mebibytes(median.peak_kib),
            );
        }
    }
    Ok(())
}

/// What all rounds say of a client on a workload.
struct Figures {
    median: Report,
    /// The round that was disturbed least.
    least_cpu_ns: u64,
}

impl Figures {
    fn of(reports: &[Report]) -> Self {
        let least_cpu_ns = reports.iter().map(|report| report.cpu_ns).min().unwrap_or_default();
        Self { median: median(reports), least_cpu_ns }
    }
}

/// Each client on each workload, by client. The rounds are interleaved.
fn measure(
    rounds: usize,
    address: &str,
    kinds: &[&str],
    workloads: &[Workload],
) -> Result<Vec<Vec<Figures>>, Box<dyn Error>> {
    let mut reports = vec![vec![Vec::new(); workloads.len()]; kinds.len()];
    for _ in 0..rounds {
        for (kind, reports) in kinds.iter().zip(&mut reports) {
            for (workload, reports) in workloads.iter().zip(reports) {
                reports.push(client(kind, address, workload)?);
            }
        }
    }
    Ok(reports.iter().map(|sizes| sizes.iter().map(|reports| Figures::of(reports)).collect()).collect())
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

fn per_event(report: &Report, workload: &Workload) -> f64 {
    report.allocations as f64 / workload.events() as f64
}

fn mebibytes(kibibytes: u64) -> f64 {
    kibibytes as f64 / 1024.0
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}
