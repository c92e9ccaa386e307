//! Our client, going through a recorded conversation.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use a2a_agent::{A2aAgent, AgentOptions, DataParts, Event, HttpClient, HttpConfig, Msg, PollingOptions};
use a2a_testkit::{Exchange, Loopback, RawRequest};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use futures::StreamExt as _;
use serde_json::Value;

use super::recording::{Answered, Dialect, Framing, Recorded};

/// Our clients.
pub(super) struct Clients {
    patient: HttpClient,
    /// For streams that are left open.
    impatient: HttpClient,
}

impl Clients {
    pub(super) fn new() -> Self {
        let patient = HttpConfig::default();
        let impatient = patient.clone().with_stream_idle_timeout(Some(Duration::from_secs(2)));
        Self { patient: HttpClient::new(patient).unwrap(), impatient: HttpClient::new(impatient).unwrap() }
    }
}

/// Goes through a conversation; the events of each turn, a line each.
pub(super) async fn replay(
    clients: &Clients,
    dialect: Dialect<'_>,
    recorded: &Recorded,
    split: usize,
) -> Vec<String> {
    let turns = |kind: &str| -> Vec<&Answered> {
        let is_of = |answered: &&Answered| answered.label.starts_with(kind);
        recorded.exchanges.iter().filter(is_of).collect()
    };
    let (unary, turns) = (turns("unary"), turns(if dialect.streams { "stream" } else { "unary" }));
    let server = Loopback::start([]).await;
    let is_open = turns.iter().any(|answered| answered.framing == Framing::Open);
    let http = if is_open { &clients.impatient } else { &clients.patient };
    let soon = Duration::from_millis(1);
    let options = AgentOptions::default()
        .with_recovery(None)
        .with_polling(PollingOptions::default().with_delays(soon, soon).with_max_idle_polls(1))
        .with_data_parts(DataParts::Json);
    let mut agent =
        A2aAgent::builder(dialect.card(&server)).http(http.clone()).options(options).build().unwrap();
    let mut lines = Vec::new();
    for (turn, answered) in turns.iter().enumerate() {
        let waiting = agent.state().task_id.clone();
        if let Some(id) = &waiting {
            let context = agent.state().context_id.clone().unwrap();
            let task = dialect.known_task(unary[turn - 1], turns[turn - 1], [id, &context]);
            server.push(if dialect.is_rest() {
                Exchange::on("GET").json(&task)
            } else {
                let body = format!(r#"{{"jsonrpc":"2.0","id":"$ID","result":{task}}}"#);
                Exchange::on("POST /jsonrpc").json(&body)
            });
        }
        server.push(answered.exchange(split));
        let reply = reply(&mut agent).await;
        lines.push(reply.replace(agent.state().context_id.as_deref().unwrap_or("\0"), "CONTEXT"));

        let requests = server.requests();
        let sent = requests.iter().rfind(|request| is_send(request)).unwrap();
        assert_eq!(sent.target, answered.path);
        assert_eq!(sent.json()["method"].as_str(), answered.method.as_deref());
    }
    lines
}

/// Whether a request sends a message, and does not look for a task.
fn is_send(request: &RawRequest) -> bool {
    let method = request.json()["method"].as_str().unwrap_or_default().to_owned();
    request.method == "POST" && method != "GetTask" && method != "tasks/get"
}

/// One reply; its events, a line each, without what is SDK's or ours alone: ids, times, and the words of errors.
async fn reply(agent: &mut A2aAgent) -> String {
    let mut lines = String::new();
    let mut blocks: Vec<String> = Vec::new();
    let mut is_json = false;
    let mut stream = agent.reply_stream(Msg::user("user", "go on"));
    while let Some(item) = stream.next().await {
        let event = match item {
            Ok(event) => event,
            Err(error) => {
                writeln!(lines, "error: {}", error.kind().as_str()).unwrap();
                continue;
            }
        };
        lines.push_str(event.kind());
        if let Some(block) = event.block_id() {
            let number = blocks.iter().position(|known| known == block).unwrap_or_else(|| {
                blocks.push(block.to_owned());
                blocks.len() - 1
            });
            write!(lines, " {}", number + 1).unwrap();
        }
        match &event {
            Event::TextBlockDelta(delta) => write!(lines, " {:?}", delta.delta),
            Event::DataBlockStart(start) => {
                is_json = *start.media_type == *"application/json";
                write!(lines, " {} {:?}", start.media_type, start.name)
            }
            Event::DataBlockDelta(delta) if is_json => {
                write!(lines, " {}", canonical(delta.data.as_ref().unwrap()))
            }
            Event::DataBlockDelta(delta) => {
                write!(lines, " {}", delta.data.as_ref().or(delta.url.as_ref()).unwrap())
            }
            Event::ReplyEnd(end) => write!(lines, " {}", end.finished_reason),
            _ => Ok(()),
        }
        .unwrap();
        lines.push('\n');
    }
    lines
}

/// Structured data with its members in order, and with all numbers as some SDKs have them: as fractions.
fn canonical(data: &str) -> String {
    fn write(value: &Value) -> String {
        match value {
            Value::Object(members) => {
                let members: BTreeMap<&String, &Value> = members.iter().collect();
                let members = members.iter().map(|(name, value)| format!("{name:?}: {}", write(value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Value::Array(items) => format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(", ")),
            Value::Number(number) => format!("{:?}", number.as_f64().unwrap()),
            value => value.to_string(),
        }
    }
    write(&serde_json::from_slice(&BASE64_STANDARD.decode(data).unwrap()).unwrap())
}
