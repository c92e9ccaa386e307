//! The golden suite: what AgentScope's adapter does with given payloads, and what ours does.
//!
//! A case is one adapter and what happens to it, turn by turn; `expect` is what AgentScope made of it, normalised.
//! [`run`] plays a case against the real agent over a scripted transport, [`judge`] compares. Equal is equal, but for
//! two things: after the last event of a failed turn ours closes its blocks and ends the reply, and the state may
//! hold a `running_task_id`. A case that differs otherwise passes only against an expectation of our own
//! ([`OwnExpectations`]), which names the differences that explain it.

mod compare;
mod normalize;
mod own;
mod run;

use std::{fs, path::Path};

use serde_json::Value;

pub use compare::{Verdict, difference_from_agentscope, judge};
pub use normalize::normalize;
pub use own::{OwnExpectation, OwnExpectations};
pub use run::run;

/// The cases of a file: one of JSON, or many of JSON Lines.
///
/// # Errors
///
/// The file cannot be read, or is not of that form.
pub fn read_cases(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let parse = |text: &str| {
        serde_json::from_str::<Value>(text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        text.lines().filter(|line| !line.trim().is_empty()).map(parse).collect()
    } else {
        Ok(vec![parse(&text)?])
    }
}

/// The name of a case.
pub fn name(case: &Value) -> &str {
    case.get("name").and_then(Value::as_str).unwrap_or("(no name)")
}
