//! `a2a send`: one message, one reply.

use std::path::PathBuf;

use a2a_agent::{A2aAgent, A2aAgentState, AttachFile as _, ContentBlock, DataBlock, Msg, ReplyStream};

use super::{
    CommandResult, Stopped,
    args::{self, Reply, Send},
    connect::Peer,
    state_file::StateFile,
};
use crate::{
    failure::{Exit, Failure, chain},
    output::Output,
    signals::Signals,
    turn::{OnInterrupt, play},
};

pub(super) async fn run(args: Send, output: &mut Output) -> CommandResult {
    let content = content(&args.text, &args.file, &args.attach_url)?;
    let mut signals = Signals::new()?;
    let (file, mut agent) = open(&args.url, args.state, &args.reply, &args.connection, &mut signals).await?;
    let message = (!content.is_empty()).then(|| Msg::user("user", content));
    let exit = reply(&mut agent, |agent| agent.reply_stream(message), output, &mut signals).await;
    if let Some(file) = file {
        file.save(agent.state())?;
    }
    exit
}

/// The agent, with the state that the file holds, and the file.
pub(super) async fn open(
    url: &str,
    state: Option<PathBuf>,
    reply: &Reply,
    connection: &args::Connection,
    signals: &mut Signals,
) -> Result<(Option<StateFile>, A2aAgent), Failure> {
    let (file, state) = match state {
        Some(path) => StateFile::open(&path).map(|(file, state)| (Some(file), state))?,
        None => (None, A2aAgentState::new()),
    };
    let peer = unless_stopped(Peer::find(url, connection), signals).await?;
    Ok((file, peer.agent(reply, state)?))
}

/// Plays one reply.
pub(super) async fn reply<'a>(
    agent: &'a mut A2aAgent,
    start: impl FnOnce(&'a mut A2aAgent) -> ReplyStream<'a>,
    output: &mut Output,
    signals: &mut Signals,
) -> Result<Exit, Stopped> {
    Ok(play(start(agent), output, signals, OnInterrupt::Cancel).await?.exit)
}

/// Waits for a call, unless the user or the system wants the program to end.
pub(super) async fn unless_stopped<T, E: Into<Failure>>(
    call: impl Future<Output = Result<T, E>>,
    signals: &mut Signals,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        done = call => done.map_err(Into::into),
        _ = signals.next() => Err(Failure::cancelled("stopped before the agent answered")),
    }
}

fn content(text: &[String], files: &[PathBuf], urls: &[String]) -> Result<Vec<ContentBlock>, Failure> {
    let mut content = Vec::new();
    if !text.is_empty() {
        content.push(text.join(" ").into());
    }
    for path in files {
        let block = DataBlock::from_path(path).map_err(|error| Failure::usage(chain(&error)))?;
        content.push(ContentBlock::Data(block));
    }
    content.extend(urls.iter().map(|url| ContentBlock::Data(DataBlock::from_url(url))));
    Ok(content)
}
