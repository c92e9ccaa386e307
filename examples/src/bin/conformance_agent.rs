//! Serves the agent that conformance kits and other SDKs' clients are run against.
//!
//! Flags: `--port N` (default: a free one), `--caps full|bare|ext`, `--db FILE` (keep tasks in SQLite),
//! `--v03` (speak 0.3 too), `--bearer TOKEN`, `--tenant T` (named by the card), `--pace-ms N` (pause
//! between chunks, default 10), `--any-input` (accept every media type, as one test of the kit for 1.0 wants, against
//! the specification), `--watch-stdin` (end with standard input). The first line of output is `{"url": …}`.

#![allow(clippy::print_stdout, reason = "a program")]

use std::{error::Error, sync::Arc, time::Duration};

use a2a_examples::{
    conformance::{Capabilities, ConformanceAgent, card, extended_card},
    scenarios::{ForgetfulStore, Scenarios},
    stop::asked_to_stop,
};
use a2a_server::{
    BearerTokens, Caller, HttpOptions, MemoryStore, Server, SqliteStore, TaskStore, WebhookOptions,
};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut port = 0;
    let mut capabilities = Capabilities::Full;
    let mut legacy = false;
    let mut any_input = false;
    let mut watch_stdin = false;
    let mut bearer = None;
    let mut tenant = None;
    let mut pace = Duration::from_millis(10);
    let mut store: Arc<dyn TaskStore> = Arc::new(MemoryStore::with_max_tasks(100_000));
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        match flag.as_str() {
            "--v03" => {
                legacy = true;
                continue;
            }
            "--any-input" => {
                any_input = true;
                continue;
            }
            "--watch-stdin" => {
                watch_stdin = true;
                continue;
            }
            _ => {}
        }
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--port" => port = value.parse()?,
            "--bearer" => bearer = Some(value),
            "--tenant" => tenant = Some(value),
            "--pace-ms" => pace = Duration::from_millis(value.parse()?),
            "--db" => store = Arc::new(SqliteStore::open(value)?),
            "--caps" => {
                capabilities = match value.as_str() {
                    "full" => Capabilities::Full,
                    "bare" => Capabilities::Bare,
                    "ext" => Capabilities::Extension,
                    other => return Err(format!("--caps must be full, bare or ext, not {other}").into()),
                }
            }
            other => return Err(format!("unknown flag {other}").into()),
        }
    }

    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let mut card = card(&url, capabilities, legacy);
    if any_input {
        card.default_input_modes = vec!["*/*".to_owned()];
    }
    if let Some(tenant) = tenant {
        card.supported_interfaces.iter_mut().for_each(|interface| interface.tenant.clone_from(&tenant));
    }
    let store = Arc::new(ForgetfulStore::new(store));
    let scenarios = Scenarios::default().with_pace(pace).with_forgetful_store(Arc::clone(&store));
    let mut options = HttpOptions::default();
    options.legacy = legacy;
    let mut webhooks = WebhookOptions::default();
    webhooks.allow_loopback = true;
    let mut server = Server::new(card.clone(), ConformanceAgent::new(scenarios))
        .with_extended_card(extended_card(card))
        .with_store(store)
        .with_http(options)
        .with_webhooks(webhooks);
    if let Some(token) = bearer {
        server = server.with_authenticator(BearerTokens::new([(token, Caller::new("bearer"))]));
    }
    println!("{}", serde_json::json!({ "url": url }));
    Ok(server.serve_until(listener, asked_to_stop(watch_stdin)).await?)
}
