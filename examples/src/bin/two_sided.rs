//! Both sides in one program: an agent is served on a free port, and called as a remote one.

#![allow(clippy::print_stdout, reason = "a program")]

use std::{error::Error, io::Write as _};

use a2a_agent::{A2aAgent, Event};
use a2a_server::{BoxError, RequestContext, Server, text_agent};
use a2a_types::{AgentCard, AgentInterface};
use futures::{StreamExt as _, stream};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The server: a function from a message to a stream of text.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let mut card = AgentCard::new("Parrot", vec![AgentInterface::new(&url, AgentInterface::JSONRPC, "1.0")]);
    card.capabilities.streaming = Some(true);
    let parrot = text_agent(|context: RequestContext| {
        let answer = format!("You said: {}", context.text());
        let words: Vec<String> = answer.split_inclusive(' ').map(str::to_owned).collect();
        stream::iter(words.into_iter().map(Ok::<_, BoxError>))
    });
    let server = tokio::spawn(Server::new(card, parrot).serve(listener));

    // The client: a remote agent as a local value.
    let mut agent = A2aAgent::connect(&url).await?;
    let mut reply = agent.reply_stream("Plan me a weekend trip to Hangzhou.");
    while let Some(event) = reply.next().await {
        if let Event::TextBlockDelta(delta) = event? {
            print!("{}", delta.delta);
            std::io::stdout().flush()?;
        }
    }
    let message = reply.finish().await?;
    println!("\n({} said {} block)", message.name, message.content.len());
    server.abort();
    Ok(())
}
