//! Events as text for people: a function of the events into two writers.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use a2a_agent::{Event, ReplyFinishedReason, TaskState};
use serde_json::{Map, Value};

use crate::{
    plain::{Plain, plain_line},
    style::Style,
};

/// How much the console tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verbosity {
    /// The text and the files of replies, and errors.
    Quiet,
    /// Also what the agent says about its progress, and that it waits for something.
    #[default]
    Default,
    /// Also every event and every state of the task.
    Debug,
}

/// Shows replies to people, event by event.
///
/// Text goes to `out` as it arrives, without the control characters in it. Each block has lines of its own: of
/// blocks that are open at the same time, the later ones are held back until the first is complete. Files are shown
/// by number, name, type and size. What is not part of the answer goes to `notes`.
///
/// ```
/// use a2a_console::ConsoleRenderer;
///
/// # fn example(events: Vec<a2a_agent::Event>) -> std::io::Result<()> {
/// let mut renderer = ConsoleRenderer::new(Vec::new(), std::io::sink());
/// for event in &events {
///     renderer.event(event)?;
/// }
/// renderer.end_line()?;
/// let (shown, _) = renderer.into_writers();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ConsoleRenderer<O, N> {
    out: O,
    notes: N,
    verbosity: Verbosity,
    out_style: Style,
    note_style: Style,
    /// Both writers are the same terminal.
    joined: bool,
    /// Said before the text of a reply.
    label: Option<String>,
    labelled: bool,
    /// Whether the next character on `out` begins a line.
    at_line_start: bool,
    waiting_shown: bool,
    task_state: Option<TaskState>,
    blocks: VecDeque<Block>,
    /// How many blocks of the reply are shown completely.
    shown: usize,
    /// Which of the blocks of the reply those are that have not ended.
    open: HashMap<Arc<str>, usize>,
    files: usize,
}

/// A block that is not shown completely.
#[derive(Debug)]
struct Block {
    content: Content,
    /// Whether it is complete.
    ended: bool,
}

#[derive(Debug)]
enum Content {
    Text {
        plain: Plain,
        /// What is not shown yet.
        held: String,
        /// Whether it is shown as it comes.
        live: bool,
        /// Whether it is what the agent says about its progress.
        progress: bool,
    },
    File(File),
}

#[derive(Debug)]
struct File {
    number: usize,
    name: Option<String>,
    media_type: Arc<str>,
    bytes: usize,
    url: Option<String>,
}

impl<O: Write, N: Write> ConsoleRenderer<O, N> {
    /// A renderer that writes answers to `out` and notices to `notes`, without colour.
    pub fn new(out: O, notes: N) -> Self {
        Self {
            out,
            notes,
            verbosity: Verbosity::default(),
            out_style: Style::default(),
            note_style: Style::default(),
            joined: false,
            label: None,
            labelled: false,
            at_line_start: true,
            waiting_shown: false,
            task_state: None,
            blocks: VecDeque::new(),
            shown: 0,
            open: HashMap::new(),
            files: 0,
        }
    }

    /// The same renderer, telling so much.
    #[must_use]
    pub fn with_verbosity(mut self, verbosity: Verbosity) -> Self {
        self.verbosity = verbosity;
        self
    }

    /// The same renderer with this name before the text of every reply.
    #[must_use]
    pub fn with_label(mut self, name: &str) -> Self {
        self.set_label(name);
        self
    }

    pub(crate) fn set_label(&mut self, name: &str) {
        self.label = Some(plain_line(name));
    }

    pub(crate) fn with_styles(mut self, out: Style, notes: Style) -> Self {
        self.out_style = out;
        self.note_style = notes;
        self
    }

    /// The same renderer, for writers that are the same terminal: a notice never stands in a line of text.
    #[must_use]
    pub fn with_joined_writers(mut self, joined: bool) -> Self {
        self.joined = joined;
        self
    }

    /// The writer of answers, at the start of a line.
    pub(crate) fn out(&mut self) -> &mut O {
        &mut self.out
    }

    /// The writers.
    pub fn into_writers(self) -> (O, N) {
        (self.out, self.notes)
    }

    /// Shows an event.
    ///
    /// # Errors
    ///
    /// A writer's. Errors of `notes` do not count.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        if self.verbosity == Verbosity::Debug {
            self.debug(event)?;
        }
        match event {
            Event::ReplyStart(_) => {
                self.blocks.clear();
                self.open.clear();
                self.shown = 0;
                self.labelled = false;
                self.task_state = None;
            }
            Event::TextBlockStart(start) => self.open(&start.block_id, Content::text()),
            Event::TextBlockDelta(delta) => self.text(&delta.block_id, &delta.delta)?,
            Event::TextBlockEnd(end) => self.end(&end.block_id, &end.metadata)?,
            Event::DataBlockStart(start) => {
                self.files += 1;
                let file = File {
                    number: self.files,
                    name: start.name.clone(),
                    media_type: Arc::clone(&start.media_type),
                    bytes: 0,
                    url: None,
                };
                self.open(&start.block_id, Content::File(file));
            }
            Event::DataBlockDelta(delta) => {
                if let Some(Block { content: Content::File(file), .. }) = self.block(&delta.block_id) {
                    file.bytes += delta.data.as_deref().map_or(0, decoded_length);
                    file.url = delta.url.clone().or_else(|| file.url.take());
                }
            }
            Event::DataBlockEnd(end) => self.end(&end.block_id, &end.metadata)?,
            Event::ReplyEnd(end) => {
                self.end_all()?;
                match &self.task_state {
                    _ if end.finished_reason == ReplyFinishedReason::Interrupted => self.note("cancelled")?,
                    Some(state) if state.is_interrupted() => {
                        let state = state.clone();
                        self.note(name_of(&state))?;
                    }
                    _ => {}
                }
            }
            other => self.note(&format!("an event of an unknown kind: {}", other.kind()))?,
        }
        Ok(())
    }

    /// Tells what state the task of the reply is in; `None` for none. To be called before the event that comes
    /// with it: what the agent says while it works is a notice, and otherwise part of the answer.
    ///
    /// # Errors
    ///
    /// A writer's.
    pub fn task_state(&mut self, state: Option<&TaskState>) -> io::Result<()> {
        if self.task_state.as_ref() == state {
            return Ok(());
        }
        self.task_state = state.cloned();
        match state {
            Some(state) if self.verbosity == Verbosity::Debug => self.note(&format!("task state {state}")),
            _ => Ok(()),
        }
    }

    /// Nothing more has arrived for now: shows what was held back to see whether there is more of it.
    ///
    /// # Errors
    ///
    /// A writer's.
    pub fn idle(&mut self) -> io::Result<()> {
        if let Some(Block { content: Content::Text { held, live, .. }, .. }) = self.blocks.front_mut() {
            *live = true;
            let held = std::mem::take(held);
            self.write_text(&held)?;
        }
        self.out.flush()
    }

    /// Tells, on a terminal, how long nothing has come. What it writes is overwritten by what comes next.
    ///
    /// # Errors
    ///
    /// A writer's.
    pub fn waiting(&mut self, time: Duration) -> io::Result<()> {
        if !self.at_line_start || self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let doing = self.task_state.as_ref().map_or("waiting", name_of);
        write!(self.out, "\r\x1b[K{}", self.out_style.dim(format_args!("{doing}, {} s", time.as_secs())))?;
        self.waiting_shown = true;
        self.out.flush()
    }

    /// A notice, unless the renderer is quiet.
    ///
    /// # Errors
    ///
    /// Those of `out`, if the notice had to end a line there.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        if self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        self.tell(&self.note_style.dim(format_args!("· {}", plain_line(text))).to_string())
    }

    /// Lines for people, whatever the verbosity.
    pub(crate) fn tell(&mut self, lines: &str) -> io::Result<()> {
        if self.joined {
            self.end_line()?;
        }
        // Whoever has closed the way of notices does not want them.
        let _ = writeln!(self.notes, "{lines}").and_then(|()| self.notes.flush());
        Ok(())
    }

    /// Ends the line that text stands in, if there is one.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub fn end_line(&mut self) -> io::Result<()> {
        self.clear_waiting()?;
        if !self.at_line_start {
            self.out.write_all(b"\n")?;
            self.at_line_start = true;
        }
        self.out.flush()
    }

    fn open(&mut self, id: &Arc<str>, content: Content) {
        self.open.insert(Arc::clone(id), self.shown + self.blocks.len());
        self.blocks.push_back(Block { content, ended: false });
    }

    fn block(&mut self, id: &str) -> Option<&mut Block> {
        let place = self.open.get(id)?.checked_sub(self.shown)?;
        self.blocks.get_mut(place)
    }

    fn text(&mut self, id: &str, delta: &str) -> io::Result<()> {
        let Some(Block { content: Content::Text { plain, held, live, .. }, .. }) = self.block(id) else {
            return Ok(());
        };
        plain.push(delta, held);
        if *live {
            let held = std::mem::take(held);
            self.write_text(&held)?;
        }
        Ok(())
    }

    fn end(&mut self, id: &str, metadata: &Map<String, Value>) -> io::Result<()> {
        let working = matches!(self.task_state, Some(TaskState::Submitted | TaskState::Working));
        let from_status = is_from_status(metadata);
        if let Some(block) = self.block(id) {
            block.ended = true;
            if let Content::Text { progress, live, .. } = &mut block.content {
                *progress = working && from_status && !*live;
            }
            self.open.remove(id);
        }
        while self.blocks.front().is_some_and(|block| block.ended) {
            self.show_first()?;
        }
        Ok(())
    }

    fn end_all(&mut self) -> io::Result<()> {
        self.open.clear();
        while !self.blocks.is_empty() {
            self.show_first()?;
        }
        self.end_line()
    }

    /// Shows what is left of the first block, and is done with it.
    fn show_first(&mut self) -> io::Result<()> {
        self.shown += 1;
        match self.blocks.pop_front().map(|block| block.content) {
            Some(Content::Text { held, progress: true, .. }) => self.note(held.trim_end()),
            Some(Content::Text { held, .. }) => {
                self.write_text(&held)?;
                self.end_line()
            }
            Some(Content::File(file)) => {
                let line = file.to_string();
                self.write_text(&line)?;
                self.end_line()
            }
            None => Ok(()),
        }
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.clear_waiting()?;
        if let (Some(label), false) = (&self.label, self.labelled) {
            write!(self.out, "{} ", self.out_style.bold(format_args!("{label}>")))?;
            self.labelled = true;
        }
        self.out.write_all(text.as_bytes())?;
        self.at_line_start = text.ends_with('\n');
        Ok(())
    }

    fn clear_waiting(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.waiting_shown) {
            self.out.write_all(b"\r\x1b[K")?;
        }
        Ok(())
    }

    fn debug(&mut self, event: &Event) -> io::Result<()> {
        let mut line = event.kind().to_owned();
        match event {
            Event::ReplyStart(start) => line.push_str(&format!(" {}", start.reply_id)),
            Event::ReplyEnd(end) => line.push_str(&format!(" {}", end.finished_reason)),
            Event::TextBlockDelta(delta) => line.push_str(&format!(" {:?}", delta.delta)),
            _ => {}
        }
        if let Some(origin) = origin(event) {
            line.push_str(&format!(" {origin}"));
        }
        self.note(&line)
    }
}

impl Content {
    fn text() -> Self {
        Self::Text { plain: Plain::default(), held: String::new(), live: false, progress: false }
    }
}

impl std::fmt::Display for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { number, name, media_type, bytes, url } = self;
        write!(f, "[{number}] ")?;
        if let Some(name) = name.as_deref().filter(|name| !name.is_empty()) {
            write!(f, "{}, ", plain_line(name))?;
        }
        write!(f, "{}, ", plain_line(media_type))?;
        match url {
            Some(url) => write!(f, "at {}", plain_line(url)),
            None => write!(f, "{}", Size(*bytes)),
        }
    }
}

/// A number of bytes for people.
pub(crate) struct Size(pub(crate) usize);

impl std::fmt::Display for Size {
    #[expect(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            1 => f.write_str("1 byte"),
            bytes @ ..1024 => write!(f, "{bytes} bytes"),
            bytes @ ..1_048_576 => write!(f, "{:.1} KiB", bytes as f64 / 1024.0),
            bytes => write!(f, "{:.1} MiB", bytes as f64 / 1_048_576.0),
        }
    }
}

/// What a state is called here.
pub(crate) fn name_of(state: &TaskState) -> &str {
    match state {
        TaskState::Submitted => "submitted",
        TaskState::Working => "working",
        TaskState::Completed => "completed",
        TaskState::Failed => "failed",
        TaskState::Canceled => "cancelled",
        TaskState::InputRequired => "input required",
        TaskState::Rejected => "rejected",
        TaskState::AuthRequired => "authentication required",
        other => other.as_str(),
    }
}

/// Bytes in base64 text.
pub(crate) fn decoded_length(text: &str) -> usize {
    text.trim_end_matches('=').len() * 3 / 4
}

/// Where the content of a block came from, as its last event says.
fn origin(event: &Event) -> Option<&Value> {
    let metadata = match event {
        Event::TextBlockEnd(end) => &end.metadata,
        Event::DataBlockEnd(end) => &end.metadata,
        Event::ReplyEnd(end) => &end.metadata,
        _ => return None,
    };
    metadata.get("a2a")
}

/// Whether a block came from the status of a task, and neither from an artifact nor from a message.
fn is_from_status(metadata: &Map<String, Value>) -> bool {
    let Some(Value::Object(origin)) = metadata.get("a2a") else { return false };
    origin.contains_key("task_id") && !origin.contains_key("artifact_id")
}

#[cfg(test)]
mod tests;
