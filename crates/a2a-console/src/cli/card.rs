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
        let (card, found_at) = (&peer.at_endpoint(&peer.found.card)?, Some(&*peer.found.url));
        let style = Style::of(&io::stdout());
        let signed = peer.verified.as_ref().map(|verified| match verified {
            Ok(verified) => Ok(format!("{}, {}", verified.key_id, verified.algorithm)),
            Err(error) => Err(error.to_string()),
        });
        Described { card, found_at, signed, preferences: &peer.preferences, style }.to_string()
    };
    output.print(&text)?;
    // Shown whatever it is, but told from a card to be trusted.
    peer.card()?;
    Ok(Exit::Success)
}
