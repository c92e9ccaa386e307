//! The runner's side of the integration test kit: instructions for agents that call one another, and what must come
//! back.

use std::time::Duration;

use a2a_agent::CallOptions;
use a2a_testkit::{Exchange, Loopback, RawRequest};
use a2a_types::{Message, Part, Role, SendMessageRequest, SendMessageResponse};
use futures::future::join_all;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::{
    matrix::Matrix,
    ours::{Target, explain},
    suite::{Row, Run},
    theirs::{Client, Connection},
};

/// The table: pairs of agents in the columns, what they do in the rows.
pub(super) async fn table(run: &Run<'_>) -> Matrix {
    let (Some(one), Some(two)) = (run.fleet.url("itk"), run.fleet.url("itk-other")) else {
        return Matrix::default();
    };
    let mut columns = vec![("ours, ours".to_owned(), [one, two])];
    for (name, server) in [("Python 1.x", "itk-python-1"), ("Python 0.3", "itk-python-0.3")] {
        if let Some(other) = run.fleet.url(server) {
            columns.push((format!("ours, {name}"), [one, other]));
            columns.push((format!("{name}, ours"), [other, one]));
        }
    }
    let title = "Integration test kit: the first agent calls the second, which calls back";
    let mut results: Vec<Vec<Row>> = columns.iter().map(|_| Vec::new()).collect();
    for transport in ["jsonrpc", "http_json"] {
        for behavior in [Behavior::Send, Behavior::Stream, Behavior::Push, Behavior::Resubscribe] {
            let row = format!("{}, {transport}", behavior.name());
            let tours = columns.iter().map(|(_, agents)| tour(*agents, transport, behavior));
            for (result, rows) in join_all(tours).await.into_iter().zip(&mut results) {
                rows.push((row.clone(), result));
            }
        }
    }
    let mut matrix = Matrix::new(title, columns.iter().map(|(name, _)| name));
    for ((column, _), rows) in columns.iter().zip(results) {
        let witness = |sdk: &str, _: &str| {
            let url = format!("{}/plain", run.fleet.url("python-0.3")?);
            Some((Client::on(sdk)?, Connection::to(&Target::new(url, "HTTP+JSON"))))
        };
        for (row, cell) in run.judge("itk", column, rows, &witness).await {
            matrix.put(&row, column, cell);
        }
    }
    matrix
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behavior {
    Send,
    Stream,
    Push,
    Resubscribe,
}

impl Behavior {
    fn name(self) -> &'static str {
        match self {
            Self::Send => "send a message",
            Self::Stream => "stream a message",
            Self::Push => "webhook",
            Self::Resubscribe => "come back to a stream",
        }
    }
}

/// Sends the first agent on a tour to the second and back.
async fn tour(agents: [&str; 2], transport: &str, behavior: Behavior) -> Result<(), String> {
    let [first, second] = agents;
    let webhook = Loopback::start([Exchange::on("POST /notifications").times(1000).json("{}")]).await;
    let hook = webhook.url("");
    let ends = format!("traversal-completed:{transport}");
    let (there, back) = (format!("[0 -> 1 ({transport})]"), format!("[1 -> 0 ({transport})]"));
    // Whoever comes back to a stream wants the task to be held.
    let held = behavior == Behavior::Resubscribe;
    let last = call(transport, first, &answer(&ends, held), behavior, &hook);
    let middle = steps(&[answer(&back, held), last]);
    let whole = steps(&[answer(&there, false), call(transport, second, &middle, behavior, &hook)]);

    let said = timeout(LIMIT, send(first, &whole)).await.map_err(|_| "no answer".to_owned())??;
    let mut rest = said.as_str();
    for token in [&there, &back, &ends] {
        let found = rest.split_once(token.as_str());
        (_, rest) = found.ok_or_else(|| format!("{token} is missing, or not in its place, in {said:?}"))?;
    }
    if behavior == Behavior::Push { pushed(&webhook, [&back, &ends]).await } else { Ok(()) }
}

/// What the agent says in the end.
async fn send(agent: &str, instruction: &[u8]) -> Result<String, String> {
    let agent = Target::new(agent, "JSONRPC").connect().await.map_err(|error| explain(&error))?;
    let part = Part::raw(instruction.to_vec()).with_media_type("application/x-protobuf");
    let message = Message::new("tour", Role::User, vec![part.with_filename("instruction.bin")]);
    let sent = agent.transport().send_message(SendMessageRequest::new(message), CallOptions::default()).await;
    match sent.map_err(|error| error.to_string())? {
        SendMessageResponse::Task(task) => {
            let parts = task.status.message.map(|message| message.parts).unwrap_or_default();
            Ok(parts.iter().filter_map(Part::as_text).collect())
        }
        other => Err(format!("no task, but {other:?}")),
    }
}

/// Waits until the webhook has been told each of these by an agent: in an update of a status, or in a task of 0.3.
async fn pushed(webhook: &Loopback, tokens: [&str; 2]) -> Result<(), String> {
    for _ in 0..50 {
        let bodies: Vec<Value> = webhook.requests().iter().map(RawRequest::json).collect();
        let mut texts = Vec::new();
        for body in &bodies {
            let is_task = body["task"]["id"].is_string() || body["kind"] == "task";
            if !is_task && !body["statusUpdate"]["taskId"].is_string() {
                return Err(format!("the webhook was told {body}"));
            }
            let message = match &body["kind"] {
                Value::Null => &body["statusUpdate"]["status"]["message"],
                _ => &body["status"]["message"],
            };
            if message["role"] == "ROLE_AGENT" || message["role"] == "agent" {
                texts.push(message["parts"].to_string());
            }
        }
        if tokens.iter().all(|token| texts.iter().any(|text| text.contains(token))) {
            return Ok(());
        }
        sleep(Duration::from_millis(100)).await;
    }
    Err(format!("the webhook was not told everything, in {} calls", webhook.requests().len()))
}

/// A field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(bytes);
    out
}

fn flag(number: u8, set: bool) -> Vec<u8> {
    if set { vec![number << 3, 1] } else { Vec::new() }
}

fn answer(text: &str, held: bool) -> Vec<u8> {
    field(2, &[field(1, text.as_bytes()), flag(2, held)].concat())
}

fn steps(instructions: &[Vec<u8>]) -> Vec<u8> {
    let all: Vec<Vec<u8>> = instructions.iter().map(|instruction| field(1, instruction)).collect();
    field(3, &all.concat())
}

fn call(transport: &str, agent: &str, instruction: &[u8], behavior: Behavior, hook: &str) -> Vec<u8> {
    let how = match behavior {
        Behavior::Send | Behavior::Stream => field(5, b""),
        Behavior::Push => field(6, &field(1, hook.as_bytes())),
        Behavior::Resubscribe => field(7, b""),
    };
    let what = [field(1, transport.as_bytes()), field(2, agent.as_bytes()), field(3, instruction)];
    field(1, &[what.concat(), flag(4, behavior != Behavior::Send), how].concat())
}

const LIMIT: Duration = Duration::from_secs(40);
