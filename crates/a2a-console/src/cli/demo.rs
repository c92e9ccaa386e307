//! `a2a demo`: the whole road, on one machine, without a network.

use a2a_agent::{A2aAgent, Msg};
use tokio::net::TcpListener;

use super::{
    CommandResult, Stopped,
    args::Demo,
    serve::{Setup, url_of},
};
use crate::{
    output::Output,
    signals::Signals,
    turn::{OnInterrupt, play},
};

pub(super) async fn run(args: Demo, output: &mut Output) -> CommandResult {
    let text = if args.text.is_empty() { PROMPT.to_owned() } else { args.text.join(" ") };
    let mut signals = Signals::new()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = url_of(listener.local_addr()?);
    tokio::spawn(Setup::default().server(&url).serve(listener));
    let mut agent = A2aAgent::connect(&url).await.map_err(|error| Stopped::Failure((&error).into()))?;
    let played =
        play(agent.reply_stream(Msg::user("user", text)), output, &mut signals, OnInterrupt::Cancel).await?;
    Ok(played.exit)
}

/// What is asked if nothing else is.
const PROMPT: &str = "Plan me a weekend trip to Hangzhou.";
