//! The agent on the other side: three turns, and what it says to whoever comes back.

use std::sync::{Arc, Mutex};

use a2a_testkit::RawRequest;
use a2a_types::{
    Artifact, ErrorCode, Message, Method, Part, Role, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskState, TaskStatus, TaskStatusUpdateEvent,
};

use super::dialect::Dialect;

/// What the caller says, turn by turn.
pub(crate) const SAID: [&str; 3] = ["Plan me a weekend in Hangzhou.", "May.", "Thanks!"];

/// How much of a stream arrives before it breaks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// Bytes of the body.
    pub(crate) bytes: usize,
    /// Payloads that the agent makes before anybody is back, besides those that arrived whole.
    pub(crate) missed: usize,
}

/// The agent's memory, shared by all its connections.
#[derive(Clone)]
pub(crate) struct Peer {
    dialect: Dialect,
    memory: Arc<Mutex<Memory>>,
}

#[derive(Default)]
struct Memory {
    said: Vec<String>,
    /// Payloads of the current turn that were made so far.
    made: usize,
}

impl Peer {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self { dialect, memory: Arc::default() }
    }

    /// The messages that arrived.
    pub(crate) fn said(&self) -> Vec<String> {
        self.memory.lock().unwrap().said.clone()
    }

    /// The bytes of the answer to a request. A stream that is cut ends in the middle; everything else is whole.
    pub(crate) fn answer(&self, request: &RawRequest, cut: Option<Cut>) -> Vec<u8> {
        let mut memory = self.memory.lock().unwrap();
        let (method, text) = self.dialect.read(request);
        match method {
            Method::SendStreamingMessage => {
                memory.said.push(text.unwrap());
                memory.made = 0;
                let payloads = turn(memory.said.len() - 1);
                self.stream(request, &mut memory, Vec::new(), payloads, cut)
            }
            Method::SubscribeToTask => {
                let turn_number = memory.said.len() - 1;
                let snapshot = task_after(turn_number, memory.made);
                if snapshot.status.state.is_terminal() {
                    return self.refuse(request, ErrorCode::UnsupportedOperation);
                }
                let rest = turn(turn_number).split_off(memory.made);
                self.stream(request, &mut memory, vec![snapshot.into()], rest, cut)
            }
            Method::GetTask => {
                // The agent does not wait for anybody: by now it has done what there was to do.
                let turn_number = memory.said.len() - 1;
                memory.made = turn(turn_number).len();
                let body = self.dialect.task(request, task_after(turn_number, memory.made));
                whole(200, "application/json", &body)
            }
            other => panic!("nobody asks for {other}"),
        }
    }

    /// The number of bytes at which each event of a turn's stream begins, and that of the whole body.
    pub(crate) fn boundaries(&self, request: &RawRequest, turn_number: usize) -> Vec<usize> {
        let mut at = vec![0];
        for payload in turn(turn_number) {
            at.push(at.last().unwrap() + self.dialect.event(request, payload).len());
        }
        at
    }

    fn stream(
        &self,
        request: &RawRequest,
        memory: &mut Memory,
        first: Vec<StreamResponse>,
        payloads: Vec<StreamResponse>,
        cut: Option<Cut>,
    ) -> Vec<u8> {
        let mut body = String::new();
        for payload in first {
            body.push_str(&self.dialect.event(request, payload));
        }
        let limit = cut.map_or(usize::MAX, |cut| cut.bytes);
        let total = memory.made + payloads.len();
        for payload in payloads {
            body.push_str(&self.dialect.event(request, payload));
            if body.len() <= limit {
                memory.made += 1;
            }
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        match cut {
            Some(cut) => {
                memory.made = (memory.made + cut.missed).min(total);
                let bytes = &body.as_bytes()[..cut.bytes.min(body.len())];
                let mut answer = head.as_bytes().to_vec();
                if !bytes.is_empty() {
                    answer.extend(format!("{:x}\r\n", bytes.len()).into_bytes());
                    answer.extend(bytes);
                    answer.extend(b"\r\n");
                }
                answer
            }
            None => format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes(),
        }
    }

    fn refuse(&self, request: &RawRequest, code: ErrorCode) -> Vec<u8> {
        let (status, body) = self.dialect.refusal(request, code);
        whole(status, "application/json", &body)
    }
}

fn whole(status: u16, media_type: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// What the agent says in a turn.
pub(crate) fn turn(number: usize) -> Vec<StreamResponse> {
    match number {
        0 => vec![
            Task::new("t-1", "c-1", TaskStatus::new(TaskState::Submitted)).into(),
            status(TaskState::Working, ""),
            artifact("plan", Part::text("Day 1: "), false, false),
            artifact("plan", Part::text("西湖 🌊 walk,"), true, false),
            artifact(
                "map",
                Part::raw([0, 1, 2, 3, 4]).with_media_type("image/png").with_filename("map.png"),
                false,
                false,
            ),
            artifact("plan", Part::text(" then tea."), true, true),
            artifact(
                "map",
                Part::raw([5, 6, 7]).with_media_type("image/png").with_filename("map.png"),
                true,
                true,
            ),
            artifact("hotel", Part::url("https://example.com/hotel.pdf"), false, true),
            status(TaskState::InputRequired, "Which month?"),
        ],
        1 => vec![
            status(TaskState::Working, ""),
            artifact("notes", Part::text("May is "), false, false),
            artifact("notes", Part::text("green."), true, true),
            status(TaskState::Completed, "Enjoy!"),
        ],
        _ => {
            let mut message = Message::new("m-bye", Role::Agent, vec![Part::text("Bye.")]);
            message.context_id = "c-1".to_owned();
            vec![message.into()]
        }
    }
}

fn status(state: TaskState, text: &str) -> StreamResponse {
    let mut status = TaskStatus::new(state);
    if !text.is_empty() {
        status.message = Some(Message::new(format!("m-{text}"), Role::Agent, vec![Part::text(text)]));
    }
    TaskStatusUpdateEvent::new("t-1", "c-1", status).into()
}

fn artifact(id: &str, part: Part, append: bool, last_chunk: bool) -> StreamResponse {
    let mut update = TaskArtifactUpdateEvent::new("t-1", "c-1", Artifact::new(id, vec![part]));
    update.append = append;
    update.last_chunk = last_chunk;
    update.into()
}

/// The task as a server keeps it: all turns before this one, and the first payloads of it.
fn task_after(turn_number: usize, payloads: usize) -> Task {
    let mut task = Task::new("t-1", "c-1", TaskStatus::new(TaskState::Submitted));
    let earlier = (0..turn_number).flat_map(turn);
    for payload in earlier.chain(turn(turn_number).into_iter().take(payloads)) {
        match payload {
            StreamResponse::StatusUpdate(update) => task.status = update.status,
            StreamResponse::ArtifactUpdate(update) => {
                let id = &update.artifact.artifact_id;
                match task.artifacts.iter_mut().find(|artifact| artifact.artifact_id == *id) {
                    Some(known) if update.append => known.parts.extend(update.artifact.parts),
                    Some(known) => *known = update.artifact,
                    None => task.artifacts.push(update.artifact),
                }
            }
            _ => {}
        }
    }
    task
}
