//! State, messages and events between AgentScope and us: each reads what the other wrote, and a conversation that was
//! begun with one goes on with the other.

use std::{path::Path, time::Duration};

use a2a_agent::{A2aAgentState, Event, Msg};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    matrix::{Cell, Matrix},
    ours::{Target, message, reply},
    peer::run as run_program,
    suite::Run,
    theirs::{Client, Connection},
};

/// The table; none if AgentScope is not set up.
pub(super) async fn table(run: &Run<'_>) -> Option<Matrix> {
    let client = Client::on("agentscope").filter(|client| run.places.script(client.sdk, "").is_ok())?;
    let url = run.fleet.url("ours")?;
    let mut matrix = Matrix::new("AgentScope and us, on our server", ["JSON-RPC", "REST"]);
    for (column, binding) in [("JSON-RPC", "JSONRPC"), ("REST", "HTTP+JSON")] {
        let here = Here { run, client, target: Target::new(url, binding) };
        match here.rows().await {
            Ok(rows) => {
                for (row, result) in rows {
                    matrix.put(row, column, result.map_or_else(Cell::Fail, |()| Cell::Pass));
                }
            }
            Err(reason) => matrix.put("connect", column, Cell::Fail(reason)),
        }
    }
    Some(matrix)
}

/// What replies are made of: text in pieces and side by side, files, a question, and ends of all kinds.
const TEXTS: [&str; 11] = [
    "artifact 3",
    "unicode",
    "interleave",
    "mixed",
    "url",
    "message-mixed",
    "progress",
    "input",
    "fail",
    "canceled",
    "empty",
];

struct Here<'a> {
    run: &'a Run<'a>,
    client: Client,
    target: Target,
}

impl Here<'_> {
    /// AgentScope starts slowly, so that one process does all that it has to do.
    async fn rows(&self) -> Result<Vec<(&'static str, Result<(), String>)>, String> {
        let ours = self.we_write().await?;
        let theirs = they_write();
        let file = self.run.scratch.file("json");
        self.send(&file, "input").await?;
        let continues = vec![json!({"state": read(&file)?}), json!({"parts": [{"text": "Ada"}]})];
        let mut agent = self.target.connect().await.map_err(|error| error.to_string())?;
        agent.observe(message("echo observed", &[])?);
        let sends = vec![json!({"state": agent.close().await}), json!({"parts": [{"text": "and this"}]})];
        let begins = vec![say("input"), json!({"state": true})];
        let observe = json!({"observe": [{"text": "echo observed"}]});
        let observes = vec![json!({"state": {}}), observe, json!({"state": true})];

        let connect = vec![Connection::to(&self.target).order()];
        let parts = [&connect, &ours, &theirs, &continues, &sends, &begins, &observes];
        let all: Vec<Value> = parts.into_iter().flatten().cloned().collect();
        let mut seen = self.client.carry_out(self.run.places, &all).await?;
        let mut take = |orders: &[Value]| {
            let rest = seen.split_off(orders.len().min(seen.len()));
            std::mem::replace(&mut seen, rest)
        };
        take(&connect);
        let they_read = are_read(&ours, &take(&ours));
        let we_read = are_read_by_us(&take(&theirs));
        let they_continue = said(&take(&continues), "Hello, Ada!");
        let they_send = said(&take(&sends), "observed");
        let we_continue = self.we_go_on(&take(&begins), "Ada", "Hello, Ada!").await;
        let we_send = self.we_go_on(&take(&observes), "and this", "observed").await;
        Ok(vec![
            ("AgentScope reads what we write", they_read),
            ("we read what AgentScope writes", we_read),
            ("begun by us, continued by AgentScope", they_continue),
            ("begun by AgentScope, continued by us", we_continue),
            ("observed by us, sent by AgentScope", they_send),
            ("observed by AgentScope, sent by us", we_send),
        ])
    }

    /// Orders to read all that we write.
    async fn we_write(&self) -> Result<Vec<Value>, String> {
        let mut orders = Vec::new();
        let mut agent = self.target.connect().await.map_err(|error| error.to_string())?;
        for text in TEXTS {
            let reply = reply(&mut agent, message(text, &[])?).await;
            orders.extend(reply.events.into_iter().map(|event| json!({"read": "event", "json": event})));
            orders.push(json!({"read": "msg", "json": reply.message}));
            orders.push(json!({"read": "state", "json": agent.state()}));
        }
        agent.observe(message("noted", &[])?);
        orders.push(json!({"read": "state", "json": agent.state()}));
        Ok(orders)
    }

    /// Goes on from the state that AgentScope told last.
    async fn we_go_on(&self, seen: &[Vec<Value>], text: &str, wanted: &str) -> Result<(), String> {
        let state = seen.last().and_then(|lines| lines.first()?.get("state"));
        let state = state.ok_or_else(|| format!("no state, but {seen:?}"))?;
        let file = self.run.scratch.file("json");
        std::fs::write(&file, state.to_string()).map_err(|error| error.to_string())?;
        is_text(&self.send(&file, text).await?, wanted)
    }

    /// One message from the program `a2a`, whose state is in a file.
    async fn send(&self, state: &Path, text: &str) -> Result<Value, String> {
        let mut command = self.run.places.program("a2a")?;
        let binding = if self.target.binding == "JSONRPC" { "jsonrpc" } else { "http-json" };
        command.args(["send", &self.target.url, text, "--json", "--binding", binding, "--state"]).arg(state);
        let printed = run_program(command, "", Duration::from_secs(20)).await?;
        match printed.lines.into_iter().next() {
            Some(message) if printed.code == 0 => Ok(message),
            other => Err(format!("a2a send: exit code {}, {other:?}", printed.code)),
        }
    }
}

/// Orders to write everything.
fn they_write() -> Vec<Value> {
    // AgentScope cannot take the structured part of this one.
    let texts = TEXTS.into_iter().filter(|text| *text != "message-mixed");
    let mut orders: Vec<Value> = texts.flat_map(|text| [say(text), json!({"state": true})]).collect();
    orders.extend([json!({"observe": [{"text": "noted"}]}), json!({"state": true})]);
    orders
}

fn are_read(orders: &[Value], seen: &[Vec<Value>]) -> Result<(), String> {
    let lines = seen.iter().map(|lines| lines.first().unwrap_or(&Value::Null));
    if orders.len() != seen.len() {
        return Err(format!("{} of {} read", seen.len(), orders.len()));
    }
    orders.iter().zip(lines).try_for_each(|(order, line)| match line["error"].as_str() {
        Some(error) => Err(format!("{}: {error}", order["json"])),
        None => same(&order["json"], &line["read"]),
    })
}

fn are_read_by_us(seen: &[Vec<Value>]) -> Result<(), String> {
    let (mut events, mut messages, mut states) = (0, 0, 0);
    for line in seen.iter().flatten() {
        if let Some(event) = line.get("event") {
            events += 1;
            again::<Event>(event)?;
        } else if let Some(message) = line.get("msg") {
            messages += 1;
            again::<Msg>(message)?;
        } else if let Some(state) = line.get("state") {
            states += 1;
            again::<A2aAgentState>(state)?;
        } else {
            return Err(line.to_string());
        }
    }
    match (events > 50, messages, states) {
        (true, 10, 11) => Ok(()),
        _ => Err(format!("only {events} events, {messages} messages and {states} states")),
    }
}

fn say(text: &str) -> Value {
    json!({"fresh": true, "parts": [{"text": text}]})
}

fn read(file: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// What AgentScope wrote, read and written by us.
fn again<T: DeserializeOwned + Serialize>(value: &Value) -> Result<(), String> {
    let read = T::deserialize(value).map_err(|error| format!("{value}: {error}"))?;
    same(value, &serde_json::to_value(read).map_err(|error| error.to_string())?)
}

fn same(written: &Value, read: &Value) -> Result<(), String> {
    // Only we know this member of a state; AgentScope skips it.
    let mut written = written.clone();
    if let Some(members) = written.as_object_mut() {
        members.remove("running_task_id");
    }
    if written == *read { Ok(()) } else { Err(format!("{written} was read as {read}")) }
}

fn said(seen: &[Vec<Value>], wanted: &str) -> Result<(), String> {
    let last = seen.last().map(Vec::as_slice).unwrap_or_default();
    match last.iter().find_map(|line| line.get("msg")) {
        Some(message) => is_text(message, wanted),
        None => Err(format!("no message, but {last:?}")),
    }
}

fn is_text(message: &Value, wanted: &str) -> Result<(), String> {
    let blocks = message["content"].as_array().into_iter().flatten();
    let text: String = blocks.filter_map(|block| block["text"].as_str()).collect();
    if text == wanted { Ok(()) } else { Err(format!("{text:?} instead of {wanted:?}")) }
}
