//! The demo agent: plans trips, without a model and without a network.

mod plan;
mod trip;

use std::{fmt::Write as _, time::Duration};

use a2a_server::{AgentExecutor, BoxError, ExecuteFuture, RequestContext, TaskUpdater};
use a2a_types::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Message, Part, PartContent, Role, TaskState,
};

use self::trip::Trip;
use crate::render::Size;

/// Plans a trip to the place it is told, word by word; asks for the place if none is named; goes by what was said
/// before in the same conversation; tells what files it was sent.
#[derive(Debug)]
pub(crate) struct TripPlanner {
    /// Between two words.
    pace: Duration,
}

impl TripPlanner {
    pub(crate) fn new() -> Self {
        Self { pace: Duration::from_millis(8) }
    }

    /// The card of the planner, found at these interfaces.
    pub(crate) fn card(interfaces: Vec<AgentInterface>, streaming: bool) -> AgentCard {
        let mut card = AgentCard::new("Trip Planner", interfaces);
        card.description =
            "Plans trips to any place: a demo agent, the same plan for the same words.".to_owned();
        card.version = env!("CARGO_PKG_VERSION").to_owned();
        card.capabilities = AgentCapabilities::default();
        card.capabilities.streaming = Some(streaming);
        card.default_input_modes = vec!["text/plain".to_owned(), "*/*".to_owned()];
        card.default_output_modes = vec!["text/plain".to_owned()];
        let mut skill = AgentSkill::new(
            "plan-trip",
            "Plan a trip",
            "Plans a trip day by day, and changes the plan on request. Names the files that it is sent.",
        );
        skill.tags = ["travel", "demo"].map(str::to_owned).to_vec();
        skill.examples =
            ["Plan me a weekend trip to Hangzhou.", "Make it kid-friendly."].map(str::to_owned).to_vec();
        card.skills = vec![skill];
        card
    }

    async fn plan(&self, context: RequestContext, updater: TaskUpdater) -> Result<(), BoxError> {
        let mut trip = Trip::default();
        let mut asked = false;
        for message in context.history().await? {
            match message.role {
                Role::User => trip.hear(&text_of(&message), asked && trip.place.is_none()),
                _ => asked = true,
            }
        }
        let continues =
            context.task.as_ref().is_some_and(|task| task.status.state == TaskState::InputRequired);
        trip.hear(&context.text(), continues && trip.place.is_none());

        let files = files(&context.message);
        let text = match (&trip.place, files.is_empty()) {
            (None, true) => {
                updater.input_required("Where would you like to go?").await?;
                return Ok(());
            }
            (None, false) => format!("{files}\nName a place, and I plan a trip there.\n"),
            (Some(_), false) if context.text().trim().is_empty() => files,
            (Some(place), _) if files.is_empty() => plan::write(&trip, place),
            (Some(place), _) => format!("{files}\n{}", plan::write(&trip, place)),
        };
        updater.working(()).await?;
        let name =
            trip.place.as_deref().map_or_else(|| "Files".to_owned(), |place| plan::title(&trip, place));
        let mut artifact = updater.artifact("plan").with_name(name);
        let mut words = text.split_inclusive([' ', '\n']).peekable();
        while let Some(word) = words.next() {
            if words.peek().is_none() {
                artifact.last_chunk(word).await?;
                break;
            }
            artifact.chunk(word).await?;
            tokio::time::sleep(self.pace).await;
        }
        updater.complete(()).await?;
        Ok(())
    }
}

impl AgentExecutor for TripPlanner {
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        Box::pin(self.plan(context, updater))
    }
}

fn text_of(message: &Message) -> String {
    let texts: Vec<&str> = message.parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n")
}

/// A line for every file of the message; empty if there are none.
fn files(message: &Message) -> String {
    let mut lines = String::new();
    for part in &message.parts {
        let content = match &part.content {
            PartContent::Text(_) => continue,
            PartContent::Raw(bytes) => Size(bytes.len()).to_string(),
            PartContent::Url(url) => format!("at {url}"),
            PartContent::Data(data) => format!("{} of JSON", Size(data.as_str().len())),
            _ => "of a kind I do not know".to_owned(),
        };
        let name = if part.filename.is_empty() { "a file without a name" } else { &part.filename };
        let media_type = if part.media_type.is_empty() { "unknown type" } else { &part.media_type };
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "Received {name} ({media_type}, {content}).");
    }
    lines
}
