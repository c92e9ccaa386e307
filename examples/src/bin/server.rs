//! Serves an agent that asks back, works in steps and can be cancelled; `client` talks to it.
//!
//! The port is 9999, or the first argument. The first line of output is `{"url": …}`.

#![allow(clippy::print_stdout, reason = "a program")]

use std::{error::Error, time::Duration};

use a2a_server::{AgentExecutor, ExecuteFuture, RequestContext, Server, TaskUpdater};
use a2a_types::{AgentCard, AgentInterface, AgentSkill};
use tokio::{net::TcpListener, time::sleep};

/// Counts down from the number it is given.
struct Countdown;

impl AgentExecutor for Countdown {
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        Box::pin(async move {
            let Ok(from) = context.text().trim().parse::<u32>() else {
                updater.input_required("From which number shall I count down?").await?;
                return Ok(());
            };
            if from > 20 {
                updater.reject("That would take too long.").await?;
                return Ok(());
            }
            updater.working("Counting.").await?;
            let mut numbers = updater.artifact("numbers").with_name("Countdown");
            for number in (1..=from).rev() {
                // The future is dropped here when the task is cancelled.
                sleep(Duration::from_millis(100)).await;
                numbers.chunk(format!("{number} … ").as_str()).await?;
            }
            numbers.last_chunk("lift-off!").await?;
            updater.complete(()).await?;
            Ok(())
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).map_or(Ok(9999), |port| port.parse())?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let mut card = AgentCard::new(
        "Countdown",
        vec![
            AgentInterface::new(&url, AgentInterface::JSONRPC, "1.0"),
            AgentInterface::new(&url, AgentInterface::HTTP_JSON, "1.0"),
        ],
    );
    card.description = "Counts down.".to_owned();
    card.version = "1.0.0".to_owned();
    card.capabilities.streaming = Some(true);
    card.skills = vec![AgentSkill::new("countdown", "Countdown", "Counts down from a number to lift-off.")];
    card.default_input_modes = vec!["text/plain".to_owned()];
    card.default_output_modes = vec!["text/plain".to_owned()];
    println!("{}", serde_json::json!({ "url": url }));
    let interrupted = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    Ok(Server::new(card, Countdown).serve_until(listener, interrupted).await?)
}
