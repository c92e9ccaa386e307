//! `a2a chat`: the console, with a state file.

use a2a_agent::A2aAgentState;

use super::{CommandResult, args::Chat, connect::Peer, state_file::StateFile};
use crate::{
    chat::{self, ConsoleOptions},
    output::Output,
    signals::Signals,
};

pub(super) async fn run(args: Chat, output: &mut Output) -> CommandResult {
    let mut signals = Signals::new()?;
    let (file, state) = StateFile::open_if(args.state.as_deref())?;
    let peer = signals.unless_stopped(Peer::find(&args.url, &args.connection)).await?;
    let mut agent = peer.agent(&args.reply, state)?;
    output.set_place(&args.url);
    let mut keep = |state: &A2aAgentState| file.as_ref().map_or(Ok(()), |file| file.save(state));
    let options = ConsoleOptions::default();
    let chat = chat::Chat::new(&mut agent, output, &mut signals, options, &peer.preferences, &mut keep);
    Ok(chat.run().await?)
}
