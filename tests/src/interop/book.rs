//! The scenarios that agents play and clients go through: `tests/interop/scenarios.json`.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// All scenarios.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Book {
    parts: Map<String, Value>,
    macros: Map<String, Value>,
    /// One after the other.
    pub scenarios: Vec<Scenario>,
}

/// What is said to an agent, what it does, and what becomes of it.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Scenario {
    /// The name, which is also the first word that is said.
    pub name: String,
    /// What the client says, turn by turn.
    pub say: Vec<String>,
    /// Parts that go with the first message.
    #[serde(default)]
    pub send: Vec<Value>,
    /// The peers that can play it; none for all.
    #[serde(default)]
    pub only: Vec<String>,
    /// The clients that cannot go through it.
    #[serde(default)]
    pub skip: Vec<String>,
    /// The state that our server gives the task of an agent that breaks the rules.
    pub ours: Option<String>,
    /// What the agent does, turn by turn.
    pub steps: Vec<Vec<Value>>,
    /// What our client makes of it, turn by turn.
    #[serde(default)]
    pub reply: Vec<Expected>,
}

/// What becomes of one turn.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Expected {
    /// The blocks of the message.
    #[serde(default)]
    pub blocks: Vec<Value>,
    /// Only how the blocks begin.
    pub begins: Option<Vec<Value>>,
    /// `completed`, `error`, `interrupted`; `failed` for an error of either kind, of the reply or of the call;
    /// `any` for all of them.
    #[serde(default = "completed")]
    pub finished: String,
}

fn completed() -> String {
    "completed".to_owned()
}

impl Scenario {
    /// Whether the agent loses the task.
    pub(super) fn forgets(&self) -> bool {
        self.steps.iter().flatten().any(|step| step["forget"] == true)
    }
}

impl Book {
    /// The scenarios of the suite.
    ///
    /// # Errors
    ///
    /// The file is not well-formed.
    pub fn read() -> Result<Self, String> {
        serde_json::from_str(include_str!("../../interop/scenarios.json"))
            .map_err(|error| format!("scenarios.json: {error}"))
    }

    /// The scenario of this name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn scenario(&self, name: &str) -> Result<&Scenario, String> {
        let found = self.scenarios.iter().find(|scenario| scenario.name == name);
        found.ok_or_else(|| format!("scenarios.json: no scenario {name}"))
    }

    /// A part as the book writes it, in full: a text, or an object with `raw`, `url` or `data`.
    pub fn part(&self, part: &Value) -> Value {
        let named =
            part.as_str().and_then(|text| text.strip_prefix('$')).and_then(|name| self.parts.get(name));
        let part = named.unwrap_or(part);
        match (part["text"].as_str(), part["repeat"].as_u64()) {
            (Some(text), Some(times)) => Value::String(text.repeat(times as usize)),
            (Some(text), None) => Value::String(text.to_owned()),
            _ => part.clone(),
        }
    }

    /// What an agent does in a turn, with everything that the book abbreviates written out.
    pub fn steps(&self, scenario: &Scenario, turn: usize) -> Vec<Value> {
        let text = scenario.say.get(turn).map_or("", String::as_str);
        let argument = text.split_once(' ').map_or("", |(_, argument)| argument);
        let parts = |parts: &Value| -> Vec<Value> {
            let parts = parts.as_array().map(Vec::as_slice).unwrap_or_default();
            parts.iter().flat_map(|part| self.said(part, scenario, text, argument)).collect()
        };
        let last = scenario.steps.len().saturating_sub(1);
        let written = scenario.steps.get(turn.min(last)).map(Vec::as_slice).unwrap_or_default();
        let mut steps = Vec::new();
        for step in written {
            let several = step.as_str().and_then(|name| self.macros.get(name)).and_then(Value::as_array);
            for step in several.map_or_else(|| std::slice::from_ref(step), Vec::as_slice) {
                if let Some(pause) = step["ticks"].as_f64() {
                    let count = (argument.parse::<f64>().unwrap_or(2.0) / pause).round() as u32;
                    let tick = |tick| json!({"status": "working", "parts": [format!("tick {tick}/{count}")]});
                    steps.extend((1..=count).map(tick));
                    continue;
                }
                if let Some(chunks) = step["chunks"].as_array() {
                    for (index, chunk) in chunks.iter().enumerate() {
                        let part = parts(&json!([chunk]));
                        steps.push(json!({"artifact": step["artifact"], "parts": part, "append": index > 0}));
                    }
                    continue;
                }
                let mut step = step.clone();
                for member in ["message", "parts"] {
                    if !step[member].is_null() {
                        step[member] = parts(&step[member]).into();
                    }
                }
                if let Some(artifacts) = step["artifacts"].as_object_mut() {
                    artifacts.values_mut().for_each(|value| *value = parts(value).into());
                }
                steps.push(step);
            }
        }
        steps
    }

    fn said(&self, part: &Value, scenario: &Scenario, text: &str, argument: &str) -> Vec<Value> {
        if part == "$parts" {
            let sent = scenario.send.iter().map(|part| self.part(part));
            return std::iter::once(text.into()).chain(sent).collect();
        }
        vec![match self.part(part) {
            Value::String(part) => {
                let part = part.replace("{text}", text).replace("{argument}", argument);
                ["{context}", "{seen}", "{request}", "{half}"]
                    .iter()
                    .fold(part, |part, unknown| part.replace(unknown, "*"))
                    .into()
            }
            part => part,
        }]
    }
}

/// Whether a value is what the book has. In texts of the book `*` stands for any text.
pub fn matches(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::String(wanted), Value::String(found)) => glob(wanted, found),
        (Value::Number(wanted), Value::Number(found)) => wanted.as_f64() == found.as_f64(),
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).all(|(wanted, found)| matches(wanted, found))
        }
        (Value::Object(wanted), Value::Object(found)) => {
            let is_there = |(name, wanted): (&String, &Value)| match found.get(name) {
                // 0.3 has no data but objects, so that other values come wrapped.
                Some(found) if name == "data" && !wanted.is_object() => {
                    matches(wanted, found) || matches(wanted, &found["value"])
                }
                Some(found) => matches(wanted, found),
                None => false,
            };
            wanted.len() == found.len() && wanted.iter().all(is_there)
        }
        _ => wanted == found,
    }
}

fn glob(wanted: &str, found: &str) -> bool {
    let Some((head, rest)) = wanted.split_once('*') else { return wanted == found };
    let Some(mut found) = found.strip_prefix(head) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return found.ends_with(piece);
        }
        match found.split_once(piece) {
            Some((_, after)) => found = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (wanted, found, same) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("ab*b", "ab", false),
        ] {
            assert_eq!(glob(wanted, found), same, "{wanted} {found}");
        }
    }

    #[test]
    fn every_scenario_is_complete() {
        let book = Book::read().unwrap();
        for scenario in &book.scenarios {
            let by_ours = !scenario.skip.iter().any(|client| client == "ours");
            assert_eq!(by_ours, scenario.reply.len() == scenario.say.len(), "{}", scenario.name);
            for turn in 0..scenario.say.len() {
                assert!(!book.steps(scenario, turn).is_empty(), "{}", scenario.name);
            }
        }
    }
}
