//! An agent that calls another agent while it works: an editor that has its text written by a writer.

#![allow(clippy::print_stdout, reason = "a program")]

use a2a_agent::{A2aAgent, Event};
use a2a_server::{AgentExecutor, BoxError, ExecuteFuture, RequestContext, Server, TaskUpdater, text_agent};
use a2a_types::{AgentCard, AgentInterface};
use futures::{StreamExt as _, stream};
use tokio::{net::TcpListener, task::JoinHandle};

/// Has a text written, and puts it into capitals as it comes.
struct Editor {
    /// Where the writer is.
    writer: String,
}

impl AgentExecutor for Editor {
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        Box::pin(async move {
            updater.working("Asking the writer.").await?;
            let mut writer = A2aAgent::connect(&self.writer).await?;
            let mut reply = writer.reply_stream(context.text().as_str());
            let mut edited = updater.artifact("edited");
            while let Some(event) = reply.next().await {
                if let Event::TextBlockDelta(delta) = event? {
                    edited.chunk(delta.delta.to_uppercase().as_str()).await?;
                }
            }
            updater.complete(()).await?;
            Ok(())
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let (writer, _writing) = serve(
        "Writer",
        text_agent(|context: RequestContext| {
            let text = format!("A few words about {}.", context.text());
            let words: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
            stream::iter(words.into_iter().map(Ok::<_, BoxError>))
        }),
    )
    .await?;
    let (editor, _editing) = serve("Editor", Editor { writer }).await?;

    let mut agent = A2aAgent::connect(&editor).await?;
    let reply = agent.reply("chains of agents").await?;
    println!("{}", reply.text_content());
    Ok(())
}

/// Serves an agent on a free port, in the background. Gives its URL.
async fn serve(
    name: &str,
    agent: impl AgentExecutor,
) -> Result<(String, JoinHandle<std::io::Result<()>>), BoxError> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let mut card = AgentCard::new(name, vec![AgentInterface::new(&url, AgentInterface::JSONRPC, "1.0")]);
    card.capabilities.streaming = Some(true);
    let server = Server::new(card, agent);
    Ok((url, tokio::spawn(server.serve(listener))))
}
