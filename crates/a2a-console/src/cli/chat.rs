//! `a2a chat`: the console, with a state file.

use super::{CommandResult, args::Chat, send::open};
use crate::{chat, failure::Exit, output::Output, signals::Signals};

pub(super) async fn run(args: Chat, output: &mut Output) -> CommandResult {
    let mut signals = Signals::new()?;
    let (file, mut agent) = open(&args.url, args.state, &args.reply, &args.connection, &mut signals).await?;
    let _ = (file, &mut agent, output);
    let _ = chat::X;
    Ok(Exit::Success)
}
