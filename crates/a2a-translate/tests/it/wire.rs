//! The JSON of events and messages against what AgentScope reads and writes.

use std::{collections::BTreeMap, fs, path::PathBuf};

use a2a_translate::{ContentBlock, Event, Msg};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/wire").join(name)
}

/// Reads JSON text and writes it back.
fn rewrite<T: DeserializeOwned + Serialize>(text: &str) -> Result<String, serde_json::Error> {
    let value: T = serde_json::from_str(text)?;
    serde_json::to_string(&value)
}

/// Every instance, member for member and in AgentScope's order.
#[test]
fn instances_are_written_as_they_were_read() {
    let mut count = BTreeMap::new();
    for entry in fs::read_dir(data("")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let (kind, written) = match name.split_once('-').map(|(kind, _)| kind) {
            Some("event") => ("event", rewrite::<Event>(&text)),
            Some("msg") => ("msg", rewrite::<Msg>(&text)),
            // The state is the agent's.
            _ => continue,
        };
        let written = written.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(normalized(&written), normalized(&text), "{name}");
        assert_eq!(written.len(), text.len(), "{name}");
        *count.entry(kind).or_insert(0) += 1;
    }
    assert_eq!(count, BTreeMap::from([("event", 13), ("msg", 9)]));
}

/// The same value, whatever the order of members.
fn normalized(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The members of free-form objects are sorted; all others come in AgentScope's order.
#[test]
fn members_are_in_order() {
    for (name, kind) in [
        ("event-data-block-delta-bytes.json", "event"),
        ("event-reply-end-with-error-info.json", "event"),
        ("event-reply-start.json", "event"),
        ("event-text-block-end-of-message.json", "event"),
        ("msg-assistant-every-block.json", "msg"),
        ("msg-user-base64.json", "msg"),
    ] {
        let text = fs::read_to_string(data(name)).unwrap();
        let written = if kind == "event" { rewrite::<Event>(&text) } else { rewrite::<Msg>(&text) };
        assert_eq!(written.unwrap(), text, "{name}");
    }
}

/// What AgentScope accepts is accepted, what it rejects is rejected, and what comes out is the same; but where it
/// makes ids and times, ours are empty until they are stamped.
#[test]
fn input_forms() {
    let text = fs::read_to_string(data("input-forms.jsonl")).unwrap();
    let mut count = BTreeMap::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let input = case["input"].to_string();
        let model = case["model"].as_str().unwrap().to_owned();
        let note = &case["note"];
        let written = match model.as_str() {
            "AgentEvent" => rewrite::<Event>(&input),
            "ContentBlock" => rewrite::<ContentBlock>(&input),
            "Msg" => rewrite::<Msg>(&input),
            // The agent's.
            "A2AAgentState" => continue,
            other => panic!("unknown model {other}"),
        };
        *count.entry(model.clone()).or_insert(0) += 1;
        if case["accepted"] == true {
            let written = written.unwrap_or_else(|error| panic!("{model}, {note}: {error}"));
            let expect =
                case["output"].to_string().replace(r#""<id>""#, r#""""#).replace(r#""<time>""#, r#""""#);
            assert_eq!(normalized(&written), normalized(&expect), "{model}, {note}");
        } else {
            assert!(written.is_err(), "{model}, {note}: accepted as {written:?}");
        }
    }
    assert_eq!(count.values().sum::<i32>(), 89);
    assert_eq!(count.len(), 3);
}
