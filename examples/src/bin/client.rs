//! Talks to the agent of `server`: two turns of one conversation, since that agent asks back.
//!
//! The agent is at http://127.0.0.1:9999, or at the URL of the first argument.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::{io::Write as _, process::ExitCode};

use a2a_agent::{A2aAgent, AgentError, Event};
use futures::StreamExt as _;

#[tokio::main]
async fn main() -> ExitCode {
    let url = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:9999".to_owned());
    match converse(&url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "{error}\nIs the agent running? Start it with `cargo run -p a2a-examples --bin server`."
            );
            ExitCode::FAILURE
        }
    }
}

async fn converse(url: &str) -> Result<(), AgentError> {
    let mut agent = A2aAgent::connect(url).await?;
    println!("Connected to {}.", agent.name());
    for text in ["Count down, please.", "5"] {
        println!("> {text}");
        let mut reply = agent.reply_stream(text);
        while let Some(event) = reply.next().await {
            match event? {
                Event::TextBlockDelta(delta) => print!("{}", delta.delta),
                Event::TextBlockEnd(_) => println!(),
                _ => {}
            }
            let _ = std::io::stdout().flush();
        }
    }
    Ok(())
}
