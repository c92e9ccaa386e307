//! The recordings of `tests/data/captures`, and answering as they do.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::PathBuf};

use a2a_agent::AgentCard;
use a2a_testkit::{Exchange, Loopback};
use a2a_types::AgentInterface;
use serde::Deserialize;
use serde_json::Value;

/// A line of a recording: a scenario, played once with streams and once without.
#[derive(Debug, Deserialize)]
pub(super) struct Recorded {
    pub(super) scenario: String,
    pub(super) exchanges: Vec<Answered>,
}

/// An answer, and what it answered.
#[derive(Debug, Deserialize)]
pub(super) struct Answered {
    pub(super) label: String,
    pub(super) path: String,
    /// The method and the id of the call, over JSON-RPC.
    pub(super) method: Option<String>,
    pub(super) id: Option<String>,
    pub(super) status: u16,
    pub(super) reason: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) framing: Framing,
    /// The connection broke.
    #[serde(default)]
    pub(super) truncated: bool,
    /// The body, in the pieces of its transfer coding.
    pub(super) body: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Framing {
    Chunked,
    Length,
    /// In pieces, and never ended.
    Open,
}

/// How a server is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect<'a> {
    /// The name of the recording.
    pub(super) name: &'a str,
    pub(super) streams: bool,
}

impl Dialect<'_> {
    pub(super) fn is_rest(self) -> bool {
        self.name.contains("-rest")
    }

    pub(super) fn version(self) -> &'static str {
        if self.name.contains("-v03-") || self.name.ends_with("-0.3") { "0.3" } else { "1.0" }
    }

    pub(super) fn card(self, server: &Loopback) -> AgentCard {
        let (path, binding) = if self.is_rest() {
            ("/rest", AgentInterface::HTTP_JSON)
        } else {
            ("/jsonrpc", AgentInterface::JSONRPC)
        };
        let interface = AgentInterface::new(server.url(path), binding, self.version());
        let mut card = AgentCard::new("Recorded", vec![interface]);
        card.capabilities.streaming = Some(self.streams);
        card
    }

    /// The task after a turn, as an answer to GetTask: as the same server told it when it was asked without streams,
    /// but with the ids and the time of this conversation.
    pub(super) fn known_task(self, unary: &Answered, told: &Answered, [id, context]: [&str; 2]) -> String {
        let body: Value = serde_json::from_str(&unary.body.concat()).unwrap();
        let result = if self.is_rest() { &body } else { &body["result"] };
        let mut task = if result["task"].is_object() { &result["task"] } else { result }.clone();
        let text = told.body.concat();
        if let Some((_, time)) = text.rsplit_once("\"timestamp\"") {
            task["status"]["timestamp"] = time.split('"').nth(1).unwrap().into();
        }
        let renamed = [(&task["id"], id), (&task["contextId"], context)];
        let renamed = renamed.map(|(told, known)| (told.as_str().unwrap(), known));
        let renamed =
            renamed.into_iter().chain([("msg-unary", "msg-stream")].into_iter().filter(|_| self.streams));
        renamed.fold(task.to_string(), |text, (told, known)| text.replace(told, known))
    }
}

impl Answered {
    /// The answer as it was, but with the id of the call that it answers now.
    pub(super) fn exchange(&self, split: usize) -> Exchange {
        let fresh = |text: &str| match &self.id {
            Some(id) => text.replace(&format!("\"{id}\""), "\"$ID\""),
            None => text.to_owned(),
        };
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, self.reason);
        for (name, value) in &self.headers {
            if !name.eq_ignore_ascii_case("content-length") {
                write!(head, "{name}: {value}\r\n").unwrap();
            }
        }
        let exchange = Exchange::on(&format!("POST {}", self.path)).split(split);
        if self.framing == Framing::Length {
            let body = fresh(&self.body.concat());
            return exchange.respond(move |request| {
                let body = body.replace("\"$ID\"", &request.json()["id"].to_string());
                format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
            });
        }
        let pieces = self.body.iter().map(|piece| fresh(piece));
        let exchange =
            pieces.fold(exchange.send(format!("{head}\r\n")), |exchange, piece| exchange.chunk(&piece));
        match (self.framing, self.truncated) {
            (Framing::Open, _) => exchange.hold(),
            (_, true) => exchange.cut(),
            (_, false) => exchange.end(),
        }
    }
}

/// The recordings, by name.
pub(super) fn recordings() -> BTreeMap<String, Vec<Recorded>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/captures");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), lines)
        })
        .collect()
}
