//! `a2a card`: what an agent says about itself.

use std::io::{self, IsTerminal as _};

use super::{CommandResult, args::Card, connect::Peer};
use crate::{
    card::Described, failure::Exit, output::Output, plain::plain_json, signals::Signals, style::Style,
};

pub(super) async fn run(args: Card, output: &mut Output) -> CommandResult {
    let mut signals = Signals::new()?;
    let peer = signals.unless_stopped(Peer::find(&args.url, &args.connection)).await?;
    let text = if args.json {
        // To the byte, unless a terminal would obey it.
        let json = peer.found.json.clone();
        let mut json = if io::stdout().is_terminal() { plain_json(json) } else { json };
        if !json.ends_with('\n') {
            json.push('\n');
        }
        json
    } else {
        let (card, found_at) = (&peer.card()?, Some(&*peer.found.url));
        let style = Style::of(&io::stdout());
        Described { card, found_at, preferences: &peer.preferences, style }.to_string()
    };
    output.print(&text)?;
    Ok(Exit::Success)
}
