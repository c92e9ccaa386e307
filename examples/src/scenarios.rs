//! An agent that plays scenarios, named by the first word of a message: what real agents do on the wire,
//! good and bad, for clients to be tested with.

mod content;
mod forgetful;

use std::{
    collections::HashMap,
    fmt::Write as _,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use a2a_server::{BoxError, Note, RequestContext, TaskUpdater};
use a2a_types::{
    Artifact, Metadata, Part, RawJson, Role, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use self::content::{AUTH_TEXT, LINE_TEXT, QUESTION, UNICODE_PIECES, data, pdf, png};
pub use self::forgetful::ForgetfulStore;

/// Plays scenarios.
#[derive(Debug)]
pub struct Scenarios {
    pace: Duration,
    /// Messages seen, by context.
    seen: Mutex<HashMap<String, u32>>,
    forgetful: Option<Arc<ForgetfulStore>>,
}

impl Default for Scenarios {
    fn default() -> Self {
        Self { pace: Duration::from_millis(10), seen: Mutex::default(), forgetful: None }
    }
}

impl Scenarios {
    /// The same with another pause between two chunks. Default 10 ms.
    #[must_use]
    pub fn with_pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }

    /// The same with a store that can lose tasks, for `task-forgotten`.
    #[must_use]
    pub fn with_forgetful_store(mut self, store: Arc<ForgetfulStore>) -> Self {
        self.forgetful = Some(store);
        self
    }

    /// Whether a message names a scenario, or answers a question of one.
    pub fn knows(&self, context: &RequestContext) -> bool {
        let first = context.task.as_ref().and_then(|task| task.history.first()).unwrap_or(&context.message);
        SCENARIOS.contains(&first_word(&text_of(&first.parts)))
    }

    /// Plays the scenario of a message.
    ///
    /// # Errors
    ///
    /// In the scenarios `error` and `error-midway`, or when the task is cancelled.
    pub async fn play(&self, context: RequestContext, updater: TaskUpdater) -> Result<(), BoxError> {
        let seen = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let count = seen.entry(context.context_id.clone()).or_default();
            *count += 1;
            *count
        };
        let text = text_of(&context.message.parts);
        let play = Play { updater, pace: self.pace };
        if let Some(task) = &context.task {
            return play.follow_up(task, text.trim()).await;
        }
        let (name, argument) = text.trim().split_once(' ').unwrap_or_else(|| (text.trim(), ""));
        match name {
            "context" => play.reply(format!("context={} seen={seen}", context.context_id)).await,
            "request" => play.reply(describe(&context)).await,
            "multimodal" => play.reply(context.message.parts.clone()).await,
            "task-forgotten" => {
                if let Some(store) = &self.forgetful {
                    store.doom(&context.task_id);
                }
                play.start().await?;
                play.status(TaskState::InputRequired, QUESTION).await
            }
            name => play.scenario(name, argument).await,
        }
    }
}

/// One scenario being played.
struct Play {
    updater: TaskUpdater,
    pace: Duration,
}

impl Play {
    async fn scenario(&self, name: &str, argument: &str) -> Result<(), BoxError> {
        match name {
            "echo" => self.reply(argument).await,
            "message-mixed" => {
                let parts = vec![Part::text("before "), png(), pdf(), data(), Part::text(" after")];
                self.reply(parts).await
            }
            "two-messages" => {
                self.reply("one").await?;
                self.reply("two").await
            }
            "message-after-task" => {
                self.start().await?;
                self.reply("late").await
            }
            unknown if !SCENARIOS.contains(&unknown) => {
                self.reply(format!("unknown scenario: {unknown}")).await
            }
            "error" => Err("scenario error before any event".into()),
            "reject" => {
                self.updater.submit().await?;
                self.status(TaskState::Rejected, "the agent refuses").await
            }
            "snapshot-only" => self.snapshot(TaskState::Completed, &["whole answer"]).await,
            name => {
                self.start().await?;
                if self.unfinished(name, argument).await? {
                    Ok(())
                } else {
                    self.status(TaskState::Completed, ()).await
                }
            }
        }
    }

    /// The scenarios that begin with a working task. Gives whether the scenario is over; if not, the task is
    /// completed.
    async fn unfinished(&self, name: &str, argument: &str) -> Result<bool, BoxError> {
        let number = || argument.split_whitespace().next().and_then(|text| text.parse::<f64>().ok());
        match name {
            "artifact" => {
                let count = number().map_or(3, |count| count.clamp(0.0, 1e6) as u32);
                let chunks: Vec<String> = (1..=count).map(|index| format!("chunk-{index} ")).collect();
                self.chunks("answer", &chunks).await?;
            }
            "no-flags" => {
                for text in ["one ", "two ", "three "] {
                    self.chunk("answer", Part::text(text), false, false).await?;
                }
            }
            "replace" => {
                self.chunk("answer", Part::text("draft"), false, true).await?;
                self.chunk("answer", Part::text("final"), false, true).await?;
            }
            "no-last" => {
                self.chunk("answer", Part::text("one "), false, false).await?;
                self.chunk("answer", Part::text("two "), true, false).await?;
            }
            "orphan-append" => self.chunk("answer", Part::text("lonely"), true, true).await?,
            "interleave" => {
                for index in 1..=3 {
                    for side in ["left", "right"] {
                        let letter = if side == "left" { 'L' } else { 'R' };
                        let part = Part::text(format!("{letter}{index} "));
                        self.chunk(side, part, index > 1, index == 3).await?;
                    }
                }
            }
            "two-artifacts" => {
                self.chunks("first", &["first-1 ", "first-2 "]).await?;
                self.chunks("second", &["second-1 ", "second-2 "]).await?;
            }
            "snapshot" => {
                self.chunks("answer", &["chunk-1 ", "chunk-2 "]).await?;
                self.snapshot(TaskState::Completed, &["chunk-1 ", "chunk-2 "]).await?;
                return Ok(true);
            }
            "snapshot-status" => {
                self.chunks("answer", &["chunk-1 ", "chunk-2 "]).await?;
                self.snapshot(TaskState::Working, &["chunk-1 ", "chunk-2 "]).await?;
            }
            "raw" => self.chunk("picture", png(), false, true).await?,
            "url" => self.chunk("report", pdf(), false, true).await?,
            "data" => self.chunk("reading", data(), false, true).await?,
            "data-list" => {
                let list = Part::data(RawJson::from(json!([1, "two", null])));
                self.chunk("reading", list, false, true).await?;
            }
            "mixed" => {
                let parts = vec![Part::text("before "), png(), Part::text(" after")];
                self.updater.add_artifact(Artifact::new("mix", parts)).await?;
            }
            "unicode" => self.chunks("answer", &UNICODE_PIECES).await?,
            "lines" => self.chunks("answer", &[LINE_TEXT]).await?,
            "big" => {
                let kib = number().map_or(64, |kib| kib.clamp(0.0, 1e4) as usize);
                self.chunks("answer", &["0123456789abcdef".repeat(64).repeat(kib)]).await?;
            }
            "metadata" => self.metadata().await?,
            "status" => {
                let text = if argument.is_empty() { "all done" } else { argument };
                return self.end(TaskState::Completed, text).await;
            }
            "empty" => {}
            "progress" => {
                self.status(TaskState::Working, "thinking").await?;
                self.status(TaskState::Working, "writing").await?;
                self.chunks("answer", &["the answer"]).await?;
                return self.end(TaskState::Completed, "finished").await;
            }
            "input" | "input-twice" => return self.end(TaskState::InputRequired, QUESTION).await,
            "input-partial" => {
                self.chunks("draft", &["half an answer "]).await?;
                return self.end(TaskState::InputRequired, QUESTION).await;
            }
            "auth" => return self.end(TaskState::AuthRequired, AUTH_TEXT).await,
            "fail" => return self.end(TaskState::Failed, "the agent failed").await,
            "fail-partial" => {
                self.chunks("answer", &["half an answer "]).await?;
                return self.end(TaskState::Failed, "the agent failed").await;
            }
            "canceled" => return self.end(TaskState::Canceled, "the agent gave up").await,
            "slow" => {
                let seconds = number().unwrap_or(2.0).clamp(0.0, 3600.0);
                let ticks = ((seconds / 0.25).round() as u32).max(1);
                for tick in 1..=ticks {
                    sleep(Duration::from_secs_f64(seconds / f64::from(ticks))).await;
                    self.status(TaskState::Working, format!("tick {tick}/{ticks}")).await?;
                }
                self.chunks("answer", &["slow answer"]).await?;
            }
            "dangling" => {
                self.chunks("answer", &["unfinished "]).await?;
                return Ok(true);
            }
            "error-midway" => {
                self.chunks("answer", &["half an answer "]).await?;
                return Err("scenario error midway".into());
            }
            other => return Err(format!("unknown scenario: {other}").into()),
        }
        Ok(false)
    }

    /// The answer to a question of a scenario.
    async fn follow_up(&self, task: &Task, answer: &str) -> Result<(), BoxError> {
        let mut asked = task.history.iter().filter(|message| message.role == Role::User);
        let scenario = asked.next().map(|message| text_of(&message.parts)).unwrap_or_default();
        let answers = asked.count();
        match first_word(&scenario) {
            "input-twice" if answers == 0 => {
                return self.status(TaskState::InputRequired, format!("And how old is {answer}?")).await;
            }
            "auth" => {
                self.status(TaskState::Working, ()).await?;
                self.chunks("result", &[format!("Authorised: {answer}")]).await?;
            }
            _ => {
                self.status(TaskState::Working, ()).await?;
                self.chunks("result", &["Hello, ", answer, "!"]).await?;
            }
        }
        self.status(TaskState::Completed, ()).await
    }

    async fn start(&self) -> Result<(), BoxError> {
        self.updater.submit().await?;
        self.status(TaskState::Working, ()).await
    }

    async fn reply(&self, note: impl Into<Note>) -> Result<(), BoxError> {
        Ok(self.updater.reply(note).await?)
    }

    async fn status(&self, state: TaskState, note: impl Into<Note>) -> Result<(), BoxError> {
        Ok(self.updater.status(state, note).await?)
    }

    async fn end(&self, state: TaskState, note: impl Into<Note>) -> Result<bool, BoxError> {
        self.status(state, note).await?;
        Ok(true)
    }

    async fn chunks(&self, id: &str, texts: &[impl AsRef<str>]) -> Result<(), BoxError> {
        for (index, text) in texts.iter().enumerate() {
            self.chunk(id, Part::text(text.as_ref()), index > 0, index + 1 == texts.len()).await?;
        }
        Ok(())
    }

    async fn chunk(&self, id: &str, part: Part, append: bool, last: bool) -> Result<(), BoxError> {
        let mut artifact = Artifact::new(id, vec![part]);
        id.clone_into(&mut artifact.name);
        let mut update = TaskArtifactUpdateEvent::new("", "", artifact);
        update.append = append;
        update.last_chunk = last;
        self.updater.publish(update).await?;
        if !self.pace.is_zero() {
            sleep(self.pace).await;
        }
        Ok(())
    }

    async fn snapshot(&self, state: TaskState, texts: &[&str]) -> Result<(), BoxError> {
        let mut task = Task::new("", "", TaskStatus::new(state));
        let parts = texts.iter().map(|text| Part::text(*text)).collect();
        task.artifacts = vec![Artifact::new("answer", parts)];
        Ok(self.updater.publish(task).await?)
    }

    async fn metadata(&self) -> Result<(), BoxError> {
        let note = Note::from("with metadata").with_metadata(object(json!({ "step": 1, "by": "status" })));
        self.status(TaskState::Working, note).await?;
        let mut part = Part::text("annotated").with_media_type("text/markdown");
        part.metadata = Some(object(json!({ "lang": "en" })));
        let mut artifact = Artifact::new("answer", vec![part]);
        artifact.name = "answer".to_owned();
        artifact.description = "an annotated answer".to_owned();
        artifact.metadata = Some(object(json!({ "score": 0.5 })));
        Ok(self.updater.add_artifact(artifact).await?)
    }
}

/// The request as the agent sees it.
fn describe(context: &RequestContext) -> String {
    let headers: Metadata = context
        .headers
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "host" | "content-length"))
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.into())))
        .collect();
    let mut text = String::new();
    let description = json!({
        "tenant": context.tenant,
        "headers": headers,
        "extensions": context.extensions,
        "configuration": context.configuration,
        "metadata": context.metadata.clone().unwrap_or_default(),
        "message_metadata": context.message.metadata.clone().unwrap_or_default(),
        "reference_task_ids": context.message.reference_task_ids,
    });
    let _ = write!(text, "{description}");
    text
}

fn object(value: Value) -> Metadata {
    match value {
        Value::Object(members) => members,
        _ => Metadata::new(),
    }
}

fn text_of(parts: &[Part]) -> String {
    parts.iter().find_map(Part::as_text).unwrap_or_default().to_owned()
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The scenarios, in the order of their description.
pub const SCENARIOS: &[&str] = &[
    "echo",
    "multimodal",
    "message-mixed",
    "context",
    "request",
    "artifact",
    "no-flags",
    "replace",
    "no-last",
    "orphan-append",
    "interleave",
    "two-artifacts",
    "snapshot",
    "snapshot-status",
    "snapshot-only",
    "raw",
    "url",
    "data",
    "data-list",
    "mixed",
    "unicode",
    "lines",
    "big",
    "metadata",
    "status",
    "empty",
    "progress",
    "input",
    "input-twice",
    "input-partial",
    "auth",
    "fail",
    "fail-partial",
    "reject",
    "canceled",
    "slow",
    "dangling",
    "task-forgotten",
    "error",
    "error-midway",
    "two-messages",
    "message-after-task",
];
