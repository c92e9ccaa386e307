//! The scenarios as plain steps, and parts from and to plain values.

use std::{collections::HashMap, sync::Mutex};

use serde_json::{Map, Value, json};

/// Knows which scenario every task and context is in.
#[derive(Default)]
pub struct Book {
    seen: Mutex<HashMap<String, u32>>,
    tasks: Mutex<HashMap<String, (String, usize)>>,
}

/// What a message says, and about which conversation.
pub struct Said<'a> {
    pub parts: Vec<Value>,
    pub context_id: &'a str,
    pub task_id: &'a str,
    pub is_known_task: bool,
    pub request: Value,
}

impl Book {
    /// What the agent does about a message: steps with all their parts resolved.
    pub fn steps(&self, said: &Said<'_>) -> Vec<Value> {
        let text = said.parts.iter().find_map(|part| part["text"].as_str()).unwrap_or_default().trim();
        let (word, argument) = text.split_once(' ').unwrap_or((text, ""));
        let seen = {
            let mut seen = self.seen.lock().unwrap();
            let count = seen.entry(said.context_id.to_owned()).or_default();
            *count += 1;
            *count
        };
        let (name, turn) = {
            let mut tasks = self.tasks.lock().unwrap();
            let before = tasks.get(said.task_id).filter(|_| said.is_known_task);
            let now = before.map_or_else(|| (word.to_owned(), 0), |(name, turn)| (name.clone(), turn + 1));
            tasks.insert(said.task_id.to_owned(), now.clone());
            now
        };
        let all: Value = serde_json::from_str(include_str!("../../../scenarios.json")).unwrap();
        let scenario =
            all["scenarios"].as_array().unwrap().iter().find(|scenario| scenario["name"] == name.as_str());
        let Some(turns) = scenario.map(|scenario| scenario["steps"].as_array().unwrap()) else {
            return vec![json!({"message": [{"text": format!("unknown scenario: {name}")}]})];
        };
        let words = [
            ("{text}", text.to_owned()),
            ("{argument}", argument.to_owned()),
            ("{context}", said.context_id.to_owned()),
            ("{seen}", seen.to_string()),
            ("{request}", said.request.to_string()),
        ];
        let parts = |parts: &Value| -> Value {
            let parts = parts.as_array().unwrap().iter();
            parts.flat_map(|part| resolve(part, &all["parts"], &words, &said.parts)).collect()
        };
        let mut steps = Vec::new();
        for step in turns[turn.min(turns.len() - 1)].as_array().unwrap() {
            let several = step.as_str().map(|name| all["macros"][name].as_array().unwrap().as_slice());
            for step in several.unwrap_or(std::slice::from_ref(step)) {
                if let Some(chunks) = step["chunks"].as_array() {
                    for (index, chunk) in chunks.iter().enumerate() {
                        let (append, last) = (index > 0, index + 1 == chunks.len());
                        let part = parts(&json!([chunk]));
                        steps.push(json!({"artifact": step["artifact"], "parts": part, "append": append, "last": last}));
                    }
                } else if let Some(pause) = step["ticks"].as_f64() {
                    let count = (argument.parse::<f64>().unwrap_or(2.0) / pause).round() as u32;
                    for tick in 1..=count {
                        steps.push(json!({"sleep": pause}));
                        let text = format!("tick {tick}/{count}");
                        steps.push(json!({"status": "working", "parts": [{"text": text}]}));
                    }
                } else {
                    let mut step = step.clone();
                    for member in ["message", "parts"] {
                        if step[member].is_array() {
                            step[member] = parts(&step[member]);
                        }
                    }
                    for value in step["artifacts"]
                        .as_object_mut()
                        .into_iter()
                        .flat_map(|artifacts| artifacts.values_mut())
                    {
                        *value = parts(value);
                    }
                    steps.push(without_nulls(step));
                }
            }
        }
        steps
    }
}

/// Looking a member up in an object that does not have it leaves a null there.
fn without_nulls(mut step: Value) -> Value {
    step.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    step
}

fn resolve(part: &Value, named: &Value, words: &[(&str, String)], given: &[Value]) -> Vec<Value> {
    let part = match part.as_str().and_then(|text| text.strip_prefix('$')) {
        Some("parts") => return given.to_vec(),
        Some(name) => &named[name],
        None => part,
    };
    vec![match (part.as_str(), part["repeat"].as_u64()) {
        (Some(text), _) => {
            let text = words.iter().fold(text.to_owned(), |text, (name, word)| text.replace(name, word));
            json!({"text": text})
        }
        (None, Some(times)) => json!({"text": part["text"].as_str().unwrap().repeat(times as usize)}),
        (None, None) => part.clone(),
    }]
}

/// A part of the book as it is on the wire.
pub fn to_wire(part: &Value) -> Value {
    renamed(part, "media_type", "mediaType")
}

/// A part of the wire as it is in the book.
pub fn from_wire(part: &Value) -> Value {
    renamed(part, "mediaType", "media_type")
}

fn renamed(part: &Value, from: &str, to: &str) -> Value {
    let members = part.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
    let name = |name: &String| if name == from { to.to_owned() } else { name.clone() };
    members.map(|(key, value)| (name(key), value.clone())).collect::<Map<_, _>>().into()
}

/// All parts of a list, in the form of the wire or of the book.
pub fn each(parts: &Value, change: impl Fn(&Value) -> Value) -> Value {
    parts.as_array().into_iter().flatten().map(change).collect()
}
