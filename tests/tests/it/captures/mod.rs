//! What the servers of the official SDKs said, replayed byte for byte: the events are the same whoever says it, but for
//! differences that have a name. A snapshot per scenario has both.

mod differences;
mod recording;
mod replay;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::PathBuf,
};

use futures::{StreamExt as _, stream};

use differences::{DIFFERENCES, NO_REASON, reason};
use recording::{Dialect, recordings};
use replay::{Clients, replay};

#[tokio::test]
async fn recorded_answers_become_the_same_events() {
    let recordings = recordings();
    assert_eq!(recordings.len(), 12);
    let clients = &Clients::new();
    let conversations = recordings.iter().flat_map(|(name, recorded)| {
        let recorded = recorded.iter().flat_map(|recorded| ["stream", "unary"].map(|kind| (recorded, kind)));
        recorded.map(move |(recorded, kind)| (Dialect { name, streams: kind == "stream" }, kind, recorded))
    });
    let conversations = conversations.filter(|(_, kind, recorded)| {
        recorded.exchanges.iter().any(|answered| answered.label.starts_with(kind))
    });
    let replays = conversations.map(|(dialect, kind, recorded)| async move {
        let outcome = replay(clients, dialect, recorded, 0).await;
        let split = replay(clients, dialect, recorded, 61).await;
        assert_eq!(outcome, split, "{} {}, in small pieces", dialect.name, recorded.scenario);
        (recorded.scenario.as_str(), kind, dialect.name, outcome.join("-- the next turn\n"))
    });
    let mut outcomes: BTreeMap<&str, BTreeMap<(&str, &str), String>> = BTreeMap::new();
    for (scenario, kind, name, outcome) in
        stream::iter(replays).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await
    {
        outcomes.entry(scenario).or_default().insert((kind, name), outcome);
    }
    let mut used = vec![false; DIFFERENCES.len()];
    let mut snapshots = Vec::new();
    for (scenario, outcomes) in &outcomes {
        let mut text = String::new();
        for kind in ["stream", "unary"] {
            let of_kind = outcomes.iter().filter(|((each, _), _)| *each == kind);
            let of_kind = of_kind.map(|((_, name), outcome)| (*name, outcome.clone())).collect();
            text.push_str(&compare(kind, scenario, &of_kind, &mut used));
        }
        snapshots.push((scenario.replace(' ', "-"), text));
    }
    let wrong: Vec<&str> = snapshots
        .iter()
        .filter(|(_, text)| text.contains(NO_REASON))
        .map(|(_, text)| text.as_str())
        .collect();
    assert!(wrong.is_empty(), "why are these different?\n{}", wrong.join("\n"));
    let gone =
        DIFFERENCES.iter().zip(used).filter(|(_, used)| !used).map(|(difference, _)| difference.reason);
    assert_eq!(gone.collect::<Vec<_>>(), [""; 0], "differences that are no more");
    for (name, text) in &snapshots {
        insta::assert_snapshot!(name.as_str(), text);
    }
    let files =
        fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/captures/snapshots")).unwrap();
    assert_eq!(files.count(), snapshots.len(), "snapshots of scenarios that are gone");
}

const AT_ONCE: usize = 16;

/// Everything that was recorded of a scenario, in the same words for the recordings that come to the same.
fn compare(kind: &str, scenario: &str, outcomes: &BTreeMap<&str, String>, used: &mut [bool]) -> String {
    let mut groups: Vec<(&String, Vec<&str>)> = Vec::new();
    for (name, outcome) in outcomes {
        match groups.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, names)) => names.push(name),
            None => groups.push((outcome, vec![name])),
        }
    }
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let mut text = String::new();
    for (index, (outcome, names)) in groups.iter().enumerate() {
        writeln!(text, "## {kind}: {}", names.join(" ")).unwrap();
        if index > 0 {
            let reasons: BTreeSet<&str> =
                names.iter().map(|name| reason(scenario, kind, name, used)).collect();
            for reason in reasons {
                writeln!(text, "# {reason}").unwrap();
            }
        }
        writeln!(text, "{outcome}").unwrap();
    }
    text
}
