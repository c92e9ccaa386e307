//! Generated values get names by their position, so that two runs of a case can be compared.

use std::collections::HashMap;

use serde_json::Value;

/// Replaces generated ids and times in the results of one case. `state` says whether the case gives a
/// `session_id` of its own, which stays.
pub fn normalize(case: &Value, results: &mut [Value]) {
    let keep_session = case.get("state").is_some_and(|state| state.get("session_id").is_some());
    let mut names = Names::default();
    for result in results {
        names.replace('M', result.pointer_mut("/request/message/messageId"));
        for event in list(result, "events") {
            names.replace('E', event.get_mut("id"));
            names.replace('R', event.get_mut("reply_id"));
            names.replace('B', event.get_mut("block_id"));
            if !keep_session {
                names.replace('S', event.get_mut("session_id"));
            }
            hide_time(event.get_mut("created_at"));
        }
        if let Some(message) = result.get_mut("final").filter(|message| message.is_object()) {
            names.replace('R', message.get_mut("id"));
            hide_time(message.get_mut("created_at"));
            hide_time(message.get_mut("finished_at"));
            for block in list(message, "content") {
                names.replace('B', block.get_mut("id"));
                hide_time(block.get_mut("created_at"));
                hide_time(block.get_mut("finished_at"));
            }
        }
        if !keep_session {
            names.replace('S', result.pointer_mut("/state_after/session_id"));
        }
    }
}

/// The names that were given, a table per letter.
#[derive(Default)]
struct Names {
    tables: HashMap<char, HashMap<String, String>>,
}

impl Names {
    fn replace(&mut self, letter: char, place: Option<&mut Value>) {
        if let Some(Value::String(text)) = place {
            let table = self.tables.entry(letter).or_default();
            let next = format!("{letter}{}", table.len() + 1);
            *text = table.entry(std::mem::take(text)).or_insert(next).clone();
        }
    }
}

fn hide_time(place: Option<&mut Value>) {
    if let Some(Value::String(text)) = place {
        "T".clone_into(text);
    }
}

fn list<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}
