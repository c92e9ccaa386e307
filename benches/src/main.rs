//! What the client costs, beside floors that only read and parse.
//!
//! ```text
//! cargo run --release -p a2a-benches                           the tables, in markdown
//! cargo run --release -p a2a-benches -- --rounds 1 --rows small/huge
//!                                                              one round of the workloads whose names begin so
//! cargo run --release -p a2a-benches --features allocations    allocations per event
//! cargo run --release -p a2a-benches --features http2 -- --rows crowd
//!                                                              HTTP/1.1 beside HTTP/2
//! ```
//!
//! A canned server and each client are processes of their own: this program again, with other arguments. Linux
//! only: CPU time and memory are read from `/proc`.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod client;
mod floor;
mod floor_serde;
mod measure;
mod ours;
mod raw;
mod server;
mod table;
mod workload;

use workload::Workload;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match arguments.as_slice() {
        ["server"] => runtime.block_on(server::run()),
        ["client", kind, address, workload] => {
            client::run(&runtime, kind, address, &workload.parse::<Workload>()?)
        }
        options => table::run(options),
    }
}
