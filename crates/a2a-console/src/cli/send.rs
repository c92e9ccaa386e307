//! `a2a send`: one message, one reply.

use std::path::PathBuf;

use a2a_agent::{AttachFile as _, ContentBlock, DataBlock, Msg};

use super::{CommandResult, args::Send, connect::Peer, state_file::StateFile};
use crate::{
    failure::{Failure, chain},
    output::Output,
    signals::Signals,
    turn::{OnInterrupt, play},
};

pub(super) async fn run(args: Send, output: &mut Output) -> CommandResult {
    let content = content(&args.text, &args.file, &args.attach_url)?;
    let message = (!content.is_empty()).then(|| Msg::user("user", content));
    let mut signals = Signals::new()?;
    let (file, state) = StateFile::open_if(args.state.as_deref())?;
    let peer = signals.unless_stopped(Peer::find(&args.url, &args.connection)).await?;
    let mut agent = peer.agent(&args.reply, state)?;
    output.set_place(&args.url);
    let played = play(agent.reply_stream(message), output, &mut signals, OnInterrupt::Cancel).await;
    // Whatever became of the output.
    if let Some(file) = file {
        file.save(agent.state())?;
    }
    Ok(played?.exit)
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
