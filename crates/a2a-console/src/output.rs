//! Where replies and errors go: shown to people, or as JSON.

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal as _, Write},
    sync::mpsc::Receiver,
    time::Duration,
};

use a2a_agent::{ContentBlock, Event, Msg, ReplyFinishedReason, TaskState};
use serde::Serialize;

use crate::{
    failure::Failure,
    plain::{plain_json, plain_line},
    render::{ConsoleRenderer, Verbosity},
    style::{Style, is_dumb},
};

pub(crate) type Sink = Box<dyn Write + Send>;

/// How replies are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only the command prints JSON"))]
pub(crate) enum Format {
    /// For people.
    #[default]
    People,
    /// Every event and the message, as JSON Lines.
    Events,
    /// The message alone, as JSON.
    Message,
}

/// Writes replies in one of the formats.
pub(crate) struct Output {
    face: Face,
    /// Whether somebody watches who wants to see that something goes on.
    watched: bool,
    hints: bool,
    note_style: Style,
    warnings: Option<Receiver<String>>,
    /// Where the agent is.
    place: Option<String>,
}

enum Face {
    People(Box<ConsoleRenderer<Sink, Sink>>),
    Json { out: Sink, notes: Sink, events: bool },
}

impl Output {
    /// Standard output, and standard error for notices.
    pub(crate) fn standard(format: Format, verbosity: Verbosity) -> Self {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let terminal = stdout.is_terminal();
        let joined = terminal && stderr.is_terminal();
        let (out_style, note_style) = (Style::of(&stdout), Style::of(&stderr));
        let (out, notes): (Sink, Sink) = (Box::new(BufWriter::new(stdout)), Box::new(stderr));
        let face = match format {
            Format::People => Face::People(Box::new(
                ConsoleRenderer::new(out, notes)
                    .with_verbosity(verbosity)
                    .with_styles(out_style, note_style)
                    .with_joined_writers(joined),
            )),
            Format::Events => Face::Json { out, notes, events: true },
            Format::Message => Face::Json { out, notes, events: false },
        };
        let watched = terminal && format == Format::People && !is_dumb();
        Self { face, watched, hints: false, note_style, warnings: None, place: None }
    }

    /// Errors as JSON on standard output, and nothing else.
    #[cfg(feature = "cli")]
    pub(crate) fn only_json() -> Self {
        let face = Face::Json { out: Box::new(io::stdout()), notes: Box::new(io::sink()), events: false };
        Self { face, watched: false, hints: false, note_style: Style::default(), warnings: None, place: None }
    }

    /// The same output, with what arrives here as notices.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn with_warnings(mut self, warnings: Receiver<String>) -> Self {
        self.warnings = Some(warnings);
        self
    }

    /// The same output, with what to do about errors in terms of the command line.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn with_hints(mut self) -> Self {
        self.hints = true;
        self
    }

    /// Names this address in errors that name no other.
    #[cfg(feature = "cli")]
    pub(crate) fn set_place(&mut self, url: &str) {
        self.place = Some(url.to_owned());
    }

    /// Puts this name before replies to people.
    pub(crate) fn set_label(&mut self, name: &str) {
        if let Face::People(renderer) = &mut self.face {
            renderer.set_label(name);
        }
    }

    /// Whether [`waiting`](Self::waiting) is wanted.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    pub(crate) fn event(&mut self, event: &Event, state: Option<&TaskState>) -> io::Result<()> {
        match &mut self.face {
            Face::People(renderer) => {
                renderer.task_state(state)?;
                renderer.event(event)
            }
            Face::Json { out, events: true, .. } => write_json(out, event),
            Face::Json { .. } => Ok(()),
        }
    }

    /// Nothing more is there for now.
    pub(crate) fn idle(&mut self) -> io::Result<()> {
        self.warn()?;
        match &mut self.face {
            Face::People(renderer) => renderer.idle(),
            Face::Json { out, .. } => out.flush(),
        }
    }

    /// Nothing has come for so long.
    pub(crate) fn waiting(&mut self, state: Option<&TaskState>, time: Duration) -> io::Result<()> {
        match &mut self.face {
            Face::People(renderer) => {
                renderer.task_state(state)?;
                renderer.waiting(time)
            }
            Face::Json { .. } => Ok(()),
        }
    }

    /// The reply is over, with what came of it.
    pub(crate) fn end(&mut self, msg: Option<&Msg>, failure: Option<&Failure>) -> io::Result<()> {
        self.warn()?;
        match &mut self.face {
            Face::People(renderer) => {
                renderer.end_line()?;
                if failure.is_none() && msg.is_some_and(said_nothing) {
                    renderer.note("the agent said nothing")?;
                }
            }
            Face::Json { out, events, .. } => {
                match msg {
                    Some(msg) if *events => write_json(out, &Line { msg: Some(msg), error: None })?,
                    Some(msg) if failure.is_none() => write_json(out, msg)?,
                    _ => {}
                }
                out.flush()?;
            }
        }
        match (failure, msg.and_then(said_by_peer)) {
            (Some(failure), _) => self.failure(failure),
            (None, Some(error)) => self.error(&error, None),
            (None, None) => Ok(()),
        }
    }

    /// An error that ended a reply, or a command.
    pub(crate) fn failure(&mut self, failure: &Failure) -> io::Result<()> {
        let located = self.place.as_ref().map(|place| failure.clone().at(place));
        let failure = located.as_ref().unwrap_or(failure);
        if let Face::Json { out, .. } = &mut self.face {
            write_json(out, &Line { msg: None, error: Some(failure) })?;
            out.flush()?;
        }
        let hint = failure.hint().filter(|_| self.hints);
        self.error(&failure.message(), hint)
    }

    fn error(&mut self, text: &str, hint: Option<&str>) -> io::Result<()> {
        let mut lines = format!("{} {text}", self.note_style.red("error:"));
        if let Some(hint) = hint {
            lines.push_str(&format!("\n  {}", self.note_style.dim(hint)));
        }
        self.tell(&lines)
    }

    /// A notice.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        match &mut self.face {
            Face::People(renderer) => renderer.note(text),
            Face::Json { .. } => self.tell(&plain_line(text)),
        }
    }

    /// Passes on the warnings that have arrived.
    fn warn(&mut self) -> io::Result<()> {
        while let Some(Ok(warning)) = self.warnings.as_ref().map(Receiver::try_recv) {
            self.note(&format!("warning: {warning}"))?;
        }
        Ok(())
    }

    /// Text that is the result of a command.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        let out = self.out()?;
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Lines for people, not part of any reply.
    pub(crate) fn tell(&mut self, lines: &str) -> io::Result<()> {
        match &mut self.face {
            Face::People(renderer) => renderer.tell(lines),
            Face::Json { notes, .. } => {
                // Whoever has closed the way of notices does not want them.
                let _ = writeln!(notes, "{lines}");
                Ok(())
            }
        }
    }

    /// A value that is the result of a command, as JSON: over several lines for people.
    #[cfg(feature = "cli")]
    pub(crate) fn value(&mut self, value: &impl Serialize) -> io::Result<()> {
        if let Face::Json { out, .. } = &mut self.face {
            write_json(out, value)?;
            return out.flush();
        }
        let text = plain_json(serde_json::to_string_pretty(value)?);
        self.print(&text)?;
        self.print("\n")
    }

    fn out(&mut self) -> io::Result<&mut Sink> {
        match &mut self.face {
            Face::People(renderer) => {
                renderer.end_line()?;
                Ok(renderer.out())
            }
            Face::Json { out, .. } => Ok(out),
        }
    }
}

/// What stands beside events.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    msg: Option<&'a Msg>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Failure>,
}

/// A value as one line of JSON.
fn write_json(out: &mut Sink, value: &impl Serialize) -> io::Result<()> {
    let line = plain_json(serde_json::to_string(value)?);
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")
}

/// Whether a reply is complete and empty, and no question either.
fn said_nothing(msg: &Msg) -> bool {
    msg.content.is_empty() && msg.finished_reason == Some(ReplyFinishedReason::Completed)
}

/// The error with which the peer ended a reply.
fn said_by_peer(msg: &Msg) -> Option<String> {
    if msg.finished_reason != Some(ReplyFinishedReason::Error) {
        return None;
    }
    let message = msg.error.as_ref().map_or("", |error| &error.message);
    let last_text = msg.content.iter().rev().find_map(ContentBlock::as_text);
    // Often the text just shown is the error.
    if message.is_empty() || last_text.is_some_and(|text| text.trim() == message.trim()) {
        return Some("the agent ended the reply with an error".to_owned());
    }
    Some(format!("the agent ended the reply with an error: {}", plain_line(message)))
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("watched", &self.watched).finish_non_exhaustive()
    }
}
