//! The peers on the official Rust SDK: `serve` plays the scenarios, `client` does what it is ordered to.

mod book;
mod client;
mod server;

#[tokio::main]
async fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("serve") => server::serve().await,
        Some("client") => client::run().await,
        _ => std::process::exit(2),
    }
}
