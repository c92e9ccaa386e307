//! Whether results are AgentScope's, or ours on purpose.

use serde_json::Value;

use super::{OwnExpectations, name, normalize};

/// What a case came to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// As with AgentScope.
    Equal,
    /// As we expect it, on purpose not as with AgentScope.
    Own,
    /// Neither.
    Different(String),
}

/// Compares the results of a case, as they came.
pub fn judge(case: &Value, results: &[Value], own: &OwnExpectations) -> Verdict {
    let Some(difference) = difference_from_agentscope(case, results) else { return Verdict::Equal };
    match own.of(name(case)) {
        None => Verdict::Different(difference),
        Some(own) => {
            let mut results = results.to_vec();
            normalize(case, &mut results);
            match first_difference(&results, &own.expect) {
                None => Verdict::Own,
                Some(difference) => Verdict::Different(format!("from our own expectation: {difference}")),
            }
        }
    }
}

/// The first place where the results, as they came, are not AgentScope's, but for what is allowed everywhere.
pub fn difference_from_agentscope(case: &Value, results: &[Value]) -> Option<String> {
    let expect = case.get("expect").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if results.len() != expect.len() {
        return Some(format!("{} results instead of {}", results.len(), expect.len()));
    }
    let mut results = results.to_vec();
    for (turn, (result, expect)) in results.iter_mut().zip(expect).enumerate() {
        if let Err(difference) = drop_what_ours_adds(result, expect) {
            return Some(format!("turn {}: {difference}", turn + 1));
        }
    }
    normalize(case, &mut results);
    first_difference(&results, expect)
}

/// Takes out the closing events of a failed turn and the running task, and makes errors comparable.
fn drop_what_ours_adds(result: &mut Value, expect: &Value) -> Result<(), String> {
    if let Some(state) = result.get_mut("state_after").and_then(Value::as_object_mut) {
        state.remove("running_task_id");
    }
    let error = &expect["error"];
    if error.is_null() {
        return Ok(());
    }
    if result["error"]["kind"] != error["kind"] {
        return Err(format!("error {} instead of {}", result["error"], error));
    }
    result["error"] = error.clone();
    let expected = expect["events"].as_array().map_or(0, Vec::len);
    let Some(events) = result["events"].as_array_mut() else { return Ok(()) };
    if expected == 0 || events.len() < expected {
        return Ok(());
    }
    match events.split_off(expected).split_last() {
        Some((end, blocks)) if is_failed_end(end) && blocks.iter().all(is_block_end) => Ok(()),
        _ => Err("the failed turn does not end its blocks and the reply, and nothing else".to_owned()),
    }
}

fn is_block_end(event: &Value) -> bool {
    matches!(event["type"].as_str(), Some("TEXT_BLOCK_END" | "DATA_BLOCK_END"))
}

fn is_failed_end(event: &Value) -> bool {
    event["type"] == "REPLY_END" && event["finished_reason"] == "error" && event["error"].is_object()
}

/// Where two lists of results first differ.
fn first_difference(results: &[Value], expect: &[Value]) -> Option<String> {
    if results.len() != expect.len() {
        return Some(format!("{} results instead of {}", results.len(), expect.len()));
    }
    results
        .iter()
        .zip(expect)
        .enumerate()
        .find_map(|(turn, (result, expect))| difference(&format!("turn {}", turn + 1), result, expect))
}

fn difference(place: &str, value: &Value, expect: &Value) -> Option<String> {
    match (value, expect) {
        (Value::Object(value), Value::Object(expect)) => {
            let names = expect.keys().chain(value.keys().filter(|name| !expect.contains_key(*name)));
            names.into_iter().find_map(|name| match (value.get(name), expect.get(name)) {
                (Some(value), Some(expect)) => difference(&format!("{place}/{name}"), value, expect),
                (Some(_), None) => Some(format!("{place}/{name}: should not be there")),
                (None, _) => Some(format!("{place}/{name}: missing")),
            })
        }
        (Value::Array(values), Value::Array(expects)) => {
            let pairs = values.iter().zip(expects).enumerate();
            let inner = pairs
                .into_iter()
                .find_map(|(at, (value, expect))| difference(&format!("{place}/{at}"), value, expect));
            inner.or_else(|| {
                (values.len() != expects.len())
                    .then(|| format!("{place}: {} instead of {}", values.len(), expects.len()))
            })
        }
        _ => (value != expect).then(|| format!("{place}: {value} instead of {expect}")),
    }
}
