//! The agent that the official conformance kit talks to: what it does is told by the id of the message.

use std::time::Duration;

use a2a_server::{AgentExecutor, BoxError, ExecuteFuture, RequestContext, TaskUpdater};
use a2a_types::{AgentCard, AgentExtension, AgentInterface, AgentSkill, Artifact, Part, RawJson};
use serde_json::json;
use tokio::time::sleep;

use crate::scenarios::Scenarios;

/// Which optional features the card declares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capabilities {
    /// All of them.
    #[default]
    Full,
    /// None.
    Bare,
    /// All of them, and an extension that clients must activate.
    Extension,
}

/// The extension that [`Capabilities::Extension`] demands.
pub const REQUIRED_EXTENSION: &str = "urn:a2a:tck:required-extension";

/// The card of a conformance agent at this URL.
pub fn card(url: &str, capabilities: Capabilities, legacy: bool) -> AgentCard {
    let versions: &[&str] = if legacy { &["1.0", "0.3"] } else { &["1.0"] };
    let interfaces = versions.iter().flat_map(|version| {
        [AgentInterface::JSONRPC, AgentInterface::HTTP_JSON]
            .map(|binding| AgentInterface::new(url, binding, *version))
    });
    let mut card = AgentCard::new("Conformance agent", interfaces.collect());
    card.description = "Does what the id, or the first word, of a message says.".to_owned();
    card.version = "1.0.0".to_owned();
    let declared = capabilities != Capabilities::Bare;
    card.capabilities.streaming = Some(declared);
    card.capabilities.push_notifications = Some(declared);
    card.capabilities.extended_agent_card = Some(declared);
    if capabilities == Capabilities::Extension {
        let mut extension = AgentExtension::default();
        extension.uri = REQUIRED_EXTENSION.to_owned();
        extension.required = true;
        card.capabilities.extensions.push(extension);
    }
    let modes = ["text/plain", "image/png", "application/pdf", "application/json"];
    card.default_input_modes = modes.map(str::to_owned).to_vec();
    card.default_output_modes = modes.map(str::to_owned).to_vec();
    let mut skill = AgentSkill::new("scenarios", "Scenarios", "Replays a scenario, named by its first word.");
    skill.tags = vec!["test".to_owned()];
    skill.examples = vec!["echo hello".to_owned(), "artifact 3".to_owned()];
    card.skills = vec![skill];
    card
}

/// The same card with one more skill.
pub fn extended_card(mut card: AgentCard) -> AgentCard {
    let mut skill = AgentSkill::new("extended", "Extended", "Only on the extended card.");
    skill.tags = vec!["test".to_owned()];
    card.skills.push(skill);
    card
}

/// Follows the message ids of the kit; other messages are left to [`Scenarios`].
#[derive(Debug, Default)]
pub struct ConformanceAgent {
    scenarios: Scenarios,
}

impl ConformanceAgent {
    /// An agent with these scenarios.
    pub fn new(scenarios: Scenarios) -> Self {
        Self { scenarios }
    }
}

impl AgentExecutor for ConformanceAgent {
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        Box::pin(async move {
            let id = context.message.message_id.as_str();
            if id.starts_with("tck-") {
                by_id(id, &updater).await
            } else if id.starts_with("test-") || (context.legacy && !self.scenarios.knows(&context)) {
                keep_open(id, &updater).await
            } else {
                self.scenarios.play(context, updater).await
            }
        })
    }
}

/// What the kit for 1.0 expects. Longer prefixes come before the shorter ones they begin with.
async fn by_id(id: &str, updater: &TaskUpdater) -> Result<(), BoxError> {
    let begins = |prefix: &str| id.starts_with(prefix);
    if begins("tck-message-response") {
        updater.reply("Direct message response").await?;
    } else if begins("tck-input-required") {
        updater.input_required(()).await?;
    } else if begins("tck-reject-task") {
        updater.reject(()).await?;
    } else if begins("tck-artifact-file-url") {
        let part = Part::url("https://example.com/output.txt");
        artifact(updater, part.with_filename("output.txt").with_media_type("text/plain")).await?;
    } else if begins("tck-artifact-file") {
        artifact(updater, file()).await?;
    } else if begins("tck-artifact-data") {
        artifact(updater, Part::data(RawJson::from(json!({ "key": "value", "count": 42 })))).await?;
    } else if begins("tck-artifact-text") {
        artifact(updater, Part::text("Generated text content")).await?;
    } else if begins("tck-stream-artifact-chunked") {
        updater.working(()).await?;
        let mut chunks = updater.artifact("chunked");
        chunks.chunk("chunk-1 ").await?;
        chunks.last_chunk("chunk-2").await?;
        updater.complete(()).await?;
    } else if begins("tck-stream-artifact-file") {
        streamed(updater, file()).await?;
    } else if begins("tck-stream-artifact-text") {
        streamed(updater, Part::text("Streamed text content")).await?;
    } else if begins("tck-stream-001") {
        streamed(updater, Part::text("Stream hello from TCK")).await?;
    } else if begins("tck-stream-002") {
        updater.complete(()).await?;
    } else if begins("tck-stream-003") {
        streamed(updater, Part::text("Stream task lifecycle")).await?;
    } else if begins("tck-stream-ordering-001") {
        streamed(updater, Part::text("Ordered output")).await?;
    } else {
        updater.complete("Hello from TCK").await?;
    }
    Ok(())
}

/// What the kit for 0.3 expects: the task stays open for a while, then waits.
async fn keep_open(id: &str, updater: &TaskUpdater) -> Result<(), BoxError> {
    updater.working(()).await?;
    if id.starts_with("test-resubscribe-message-id") {
        let seconds = std::env::var("TCK_STREAMING_TIMEOUT").ok().and_then(|text| text.parse::<f64>().ok());
        let timeout = Duration::try_from_secs_f64(seconds.unwrap_or(2.0)).unwrap_or(Duration::from_secs(2));
        sleep(timeout * 2).await;
        updater.complete(()).await?;
    } else {
        sleep(Duration::from_secs(1)).await;
        updater.input_required("What next?").await?;
    }
    Ok(())
}

async fn artifact(updater: &TaskUpdater, part: Part) -> Result<(), BoxError> {
    updater.add_artifact(Artifact::new("result", vec![part])).await?;
    updater.complete(()).await?;
    Ok(())
}

async fn streamed(updater: &TaskUpdater, part: Part) -> Result<(), BoxError> {
    updater.working(()).await?;
    artifact(updater, part).await
}

fn file() -> Part {
    Part::raw(*b"Generated file content\n").with_filename("output.txt").with_media_type("text/plain")
}
