//! Serves the agent of the integration test kit.
//!
//! Flags: `--httpPort N`, `--grpcPort N` (taken and not used: there is no gRPC), `--watch-stdin` (end with standard
//! input). The first line of output is `{"url": …}`.

#![allow(clippy::print_stdout, reason = "a program")]

use a2a_examples::{itk::ItkAgent, stop::asked_to_stop};
use a2a_server::{BoxError, HttpOptions, Server, WebhookOptions};
use a2a_types::{AgentCard, AgentInterface};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut port = 0;
    let mut watch_stdin = false;
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        if flag == "--watch-stdin" {
            watch_stdin = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--httpPort" => port = value.parse()?,
            "--grpcPort" => {}
            other => return Err(format!("unknown flag {other}").into()),
        }
    }
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let base = format!("http://{}", listener.local_addr()?);
    let interfaces = ["1.0", "0.3"].into_iter().flat_map(|version| {
        [
            AgentInterface::new(format!("{base}/jsonrpc"), AgentInterface::JSONRPC, version),
            AgentInterface::new(format!("{base}/rest"), AgentInterface::HTTP_JSON, version),
        ]
    });
    let mut card = AgentCard::new("Integration test agent", interfaces.collect());
    card.description = "Follows instructions, which may be to call another agent.".to_owned();
    card.version = "1.0.0".to_owned();
    card.capabilities.streaming = Some(true);
    card.capabilities.push_notifications = Some(true);
    let mut options = HttpOptions::default();
    options.rpc_path = "/jsonrpc".to_owned();
    options.rest_prefix = "/rest".to_owned();
    options.legacy = true;
    let mut webhooks = WebhookOptions::default();
    webhooks.allow_loopback = true;
    println!("{}", serde_json::json!({ "url": base }));
    let server = Server::new(card, ItkAgent::new()?).with_http(options).with_webhooks(webhooks);
    Ok(server.serve_until(listener, asked_to_stop(watch_stdin)).await?)
}
