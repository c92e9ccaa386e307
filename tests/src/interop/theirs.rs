//! Other SDKs' clients: what they are told to do, what they see, and whether that is what the agent did.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::{
    book::{Book, Expected, Scenario, matches},
    ours::Target,
    peer::{Places, run},
    reply::shown,
};

/// A client on another SDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Client {
    /// How tables name it.
    pub(super) name: &'static str,
    /// The SDK.
    pub(super) sdk: &'static str,
    script: &'static str,
}

/// All of them.
pub(super) const CLIENTS: [Client; 6] = [
    Client { name: "Python 1.x", sdk: "python-1", script: "client_1" },
    Client { name: "AgentScope", sdk: "agentscope", script: "agentscope_client" },
    Client { name: "JS 1.x", sdk: "js-1", script: "client" },
    Client { name: "Python 0.3", sdk: "python-0.3", script: "client_0_3" },
    Client { name: "JS 0.3", sdk: "js-0.3", script: "client" },
    Client { name: "Rust", sdk: "rust", script: "client" },
];

impl Client {
    /// The client on this SDK.
    pub(super) fn on(sdk: &str) -> Option<Self> {
        CLIENTS.into_iter().find(|client| client.sdk == sdk)
    }

    /// Carries out orders, the first of which is to connect; what was seen, order by order.
    pub(super) async fn carry_out(
        self,
        places: &Places,
        orders: &[Value],
    ) -> Result<Vec<Vec<Value>>, String> {
        let input: String = orders.iter().map(|order| format!("{order}\n")).collect();
        let printed = run(places.script(self.sdk, self.script)?, &input, LIMIT).await?;
        let mut seen = vec![Vec::new()];
        for line in printed.lines {
            if line["end"] == true {
                seen.push(Vec::new());
            } else if let Some(last) = seen.last_mut() {
                last.push(line);
            }
        }
        seen.pop();
        if seen.len() < orders.len() {
            let stopped = format!("{} stopped: {}", self.name, printed.complaint);
            if seen.is_empty() {
                return Err(stopped);
            }
            seen.resize(orders.len(), vec![json!({"error": stopped})]);
        }
        Ok(seen)
    }

    /// Goes through scenarios on one connection; what is wrong, scenario by scenario.
    pub(super) async fn go_through(
        self,
        places: &Places,
        connection: &Connection,
        book: &Book,
        scenarios: &[&Scenario],
        with_ours: bool,
    ) -> Result<Vec<Result<(), String>>, String> {
        let orders = scenarios.iter().flat_map(|scenario| orders(book, scenario));
        let orders: Vec<Value> = std::iter::once(connection.order()).chain(orders).collect();
        let mut seen = self.carry_out(places, &orders).await?.into_iter();
        if let Some(error) = seen.next().and_then(|lines| lines.first()?["error"].as_str().map(str::to_owned))
        {
            return Err(format!("{} does not connect: {error}", self.name));
        }
        let results =
            scenarios.iter().map(|scenario| check_turns(self, book, scenario, with_ours, &mut seen));
        Ok(results.collect())
    }
}

/// How a client is to connect.
#[derive(Debug, Clone)]
pub(super) struct Connection(Value);

impl Connection {
    /// To this agent, over this binding.
    pub(super) fn to(target: &Target) -> Self {
        Self(json!({"url": target.url, "binding": target.binding}))
    }

    /// Only in this version of the protocol.
    pub(super) fn speaking(mut self, version: &str) -> Self {
        self.0["version"] = version.into();
        self
    }

    /// With this header on every request.
    pub(super) fn showing(mut self, name: &str, value: &str) -> Self {
        self.0["headers"][name] = value.into();
        self
    }

    /// Without streams.
    pub(super) fn in_one_piece(mut self) -> Self {
        self.0["streaming"] = false.into();
        self
    }

    /// The order to connect so.
    pub(super) fn order(&self) -> Value {
        json!({"connect": self.0})
    }
}

/// What a client is told to do to go through a scenario.
pub(super) fn orders(book: &Book, scenario: &Scenario) -> Vec<Value> {
    let order = |(turn, text): (usize, &String)| {
        let sent = scenario.send.iter().filter(|_| turn == 0).map(|part| book.part(part));
        let parts: Vec<Value> = std::iter::once(json!({"text": text})).chain(sent).collect();
        json!({"fresh": turn == 0, "parts": parts})
    };
    scenario.say.iter().enumerate().map(order).collect()
}

/// Takes what was seen in each turn of a scenario; the first thing that is wrong.
pub(super) fn check_turns(
    client: Client,
    book: &Book,
    scenario: &Scenario,
    with_ours: bool,
    seen: &mut dyn Iterator<Item = Vec<Value>>,
) -> Result<(), String> {
    let mut result = Ok(());
    for turn in 0..scenario.say.len() {
        let seen = seen.next().unwrap_or_default();
        let state = scenario.ours.as_ref().filter(|_| with_ours);
        let checked = match (client.sdk, state) {
            ("agentscope", Some(_)) => check_agentscope_end("error", &seen).map(|_| ()),
            ("agentscope", None) => check_agentscope(book, scenario, turn, &seen),
            (_, Some(wanted)) => check_state(&outcome(&seen), wanted),
            (_, None) => check(book, scenario, turn, &seen),
        };
        result = result.and_then(|()| checked.map_err(|wrong| format!("turn {}: {wrong}", turn + 1)));
    }
    result
}

/// What a client ended up with.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    /// The state of the task, or `message`.
    state: String,
    message: Vec<Value>,
    artifacts: BTreeMap<String, Vec<Value>>,
    status: Vec<Value>,
    error: Option<String>,
}

/// Steps and what a client saw have the same form, and so the same outcome.
fn outcome(events: &[Value]) -> Outcome {
    let mut outcome = Outcome::default();
    for event in events {
        if let Some(parts) = event["message"].as_array() {
            if outcome.state == "message" {
                continue;
            }
            "message".clone_into(&mut outcome.state);
            outcome.message = joined(parts);
        } else if let Some(id) = event["artifact"].as_str() {
            let known = outcome.artifacts.entry(id.to_owned()).or_default();
            let mut parts = if event["append"] == true { std::mem::take(known) } else { Vec::new() };
            parts.extend(event["parts"].as_array().cloned().unwrap_or_default());
            *known = joined(&parts);
        } else if let Some(state) = event["status"].as_str().or_else(|| event["task"].as_str()) {
            state.clone_into(&mut outcome.state);
            outcome.status = joined(event["parts"].as_array().map(Vec::as_slice).unwrap_or_default());
            for (id, parts) in event["artifacts"].as_object().into_iter().flatten() {
                let parts = joined(parts.as_array().map(Vec::as_slice).unwrap_or_default());
                outcome.artifacts.insert(id.clone(), parts);
            }
        } else if let Some(error) = event["error"].as_str() {
            outcome.error = Some(error.to_owned());
        } else if let Some(error) = event["raise"].as_str() {
            outcome.error = Some(error.to_owned());
        }
    }
    outcome
}

/// Parts as texts and objects, neighbouring texts put together.
fn joined(parts: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for part in parts {
        let text = part.as_str().or_else(|| part["text"].as_str());
        match (all.last_mut(), text) {
            (Some(Value::String(last)), Some(text)) => last.push_str(text),
            (_, Some(text)) => all.push(text.into()),
            (_, None) => all.push(part.clone()),
        }
    }
    all
}

fn check(book: &Book, scenario: &Scenario, turn: usize, seen: &[Value]) -> Result<(), String> {
    let found = outcome(seen);
    if turn > 0 && scenario.forgets() {
        let told = format!("the forgotten task was continued: {}", found.state);
        return found.error.map(|_| ()).ok_or(told);
    }
    let wanted = outcome(&book.steps(scenario, turn));
    let failed = found.error.is_some() || found.state == "failed";
    if wanted.error.is_some() {
        return if failed { Ok(()) } else { Err(format!("no error, but {}", found.state)) };
    }
    check_state(&found, &wanted.state)?;
    same("message", &found.message, &wanted.message)?;
    same("status", &found.status, &wanted.status)?;
    for (id, parts) in &wanted.artifacts {
        let found = found.artifacts.get(id).map(Vec::as_slice).unwrap_or_default();
        same(&format!("artifact {id}"), found, parts)?;
    }
    // A task that is continued still has what it had.
    let before: Vec<Value> = (0..turn).flat_map(|turn| book.steps(scenario, turn)).collect();
    let before = outcome(&before).artifacts;
    match found.artifacts.keys().find(|id| !wanted.artifacts.contains_key(*id) && !before.contains_key(*id)) {
        Some(id) => Err(format!("an artifact {id} that was not made")),
        None => Ok(()),
    }
}

fn check_state(found: &Outcome, wanted: &str) -> Result<(), String> {
    match &found.error {
        Some(error) => Err(error.clone()),
        None if found.state == wanted => Ok(()),
        None => Err(format!("state {} instead of {wanted}", found.state)),
    }
}

fn same(what: &str, found: &[Value], wanted: &[Value]) -> Result<(), String> {
    if found.len() == wanted.len() && wanted.iter().zip(found).all(|(wanted, found)| matches(wanted, found)) {
        return Ok(());
    }
    Err(format!("{what} {} instead of {}", shown(found), shown(wanted)))
}

/// AgentScope's agent shows all text in the order of arrival, snapshots again.
fn check_agentscope(book: &Book, scenario: &Scenario, turn: usize, seen: &[Value]) -> Result<(), String> {
    let wanted = scenario.reply.get(turn).map_or("", |Expected { finished, .. }| finished.as_str());
    let message = check_agentscope_end(wanted, seen)?;
    if matches!(wanted, "any" | "failed") {
        return Ok(());
    }
    let steps = if turn > 0 && scenario.forgets() {
        vec![
            json!({"message": [scenario.reply.get(turn).map(|reply| &reply.blocks).and_then(|blocks| blocks.first())]}),
        ]
    } else {
        book.steps(scenario, turn)
    };
    let mut texts = Vec::new();
    for step in &steps {
        let lists = step["artifacts"].as_object().into_iter().flat_map(|artifacts| artifacts.values());
        for parts in lists.chain([&step["message"], &step["parts"]]) {
            texts.extend(parts.as_array().into_iter().flatten().filter_map(Value::as_str));
        }
    }
    let blocks = message["content"].as_array().into_iter().flatten();
    let found: String = blocks.filter_map(|block| block["text"].as_str()).collect();
    same("text", &[found.into()], &[texts.concat().into()])
}

/// The message of a reply that ended as it should; null if it should end in an error that leaves none.
fn check_agentscope_end(wanted: &str, seen: &[Value]) -> Result<Value, String> {
    let error = seen.iter().find_map(|line| line["error"].as_str());
    let message = seen.iter().find_map(|line| line.get("msg")).cloned().unwrap_or_default();
    let finished = message["finished_reason"].as_str().unwrap_or_default();
    let right = match wanted {
        "any" => true,
        "failed" => error.is_some() || finished == "error",
        wanted => error.is_none() && finished == wanted,
    };
    if right { Ok(message) } else { Err(format!("ended as {finished:?}, {}", error.unwrap_or("no error"))) }
}

/// A client process that goes through all scenarios has so long.
const LIMIT: Duration = Duration::from_secs(150);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_told_from_what_was_done() {
        let book = Book::read().unwrap();
        let scenario = book.scenario("interleave").unwrap();
        let mut seen = book.steps(scenario, 0);
        check(&book, scenario, 0, &seen).unwrap();
        // The second and the third chunk of one artifact: out of order, then without the second.
        let (third, lost) = (seen.len() - 3, seen.len() - 5);
        seen.swap(third, lost);
        check(&book, scenario, 0, &seen).unwrap_err();
        seen.swap(third, lost);
        seen.remove(lost);
        check(&book, scenario, 0, &seen).unwrap_err();
        check(&book, scenario, 0, &[]).unwrap_err();
    }
}
