//! An agent below a path of an axum application, beside its other routes.
//!
//! The port is 9998, or the first argument. The first line of output is `{"url": …}`, the URL of the agent.

#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;

use a2a_server::{BoxError, Recovery, RequestContext, Server, text_agent};
use a2a_types::{AgentCard, AgentInterface};
use axum::{Router, routing::get};
use futures::stream;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).map_or(Ok(9998), |port| port.parse())?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let url = format!("http://{}/agent", listener.local_addr()?);
    let mut card = AgentCard::new(
        "Echo",
        vec![
            AgentInterface::new(&url, AgentInterface::JSONRPC, "1.0"),
            AgentInterface::new(&url, AgentInterface::HTTP_JSON, "1.0"),
        ],
    );
    card.capabilities.streaming = Some(true);
    let echo = text_agent(|context: RequestContext| stream::iter([Ok::<_, BoxError>(context.text())]));
    let service = Server::new(card, echo).into_service();
    // With a durable store, tasks of an earlier process are dealt with first.
    service.engine().recover(Recovery::Fail).await?;

    let app = Router::new().route("/health", get(async || "fine")).nest_service("/agent", service);
    println!("{}", serde_json::json!({ "url": url }));
    let interrupted = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    axum::serve(listener, app).with_graceful_shutdown(interrupted).await?;
    Ok(())
}
