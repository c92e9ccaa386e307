//! The console: reads a line, plays the reply, and again.

mod command;
mod files;
mod lines;
mod terminal;

use std::io::{self, IsTerminal as _};

use a2a_agent::{
    A2aAgent, A2aAgentState, AttachFile as _, ContentBlock, DataBlock, InterfacePreferences, Msg, TaskState,
};

use self::{
    command::Command,
    files::{Files, Saved},
    lines::{Ask, Line, Lines},
    terminal::Terminal,
};
use crate::{
    card::Described,
    failure::{Exit, Failure, chain},
    output::{Format, Output},
    plain::plain_line,
    render::{Size, Verbosity, name_of},
    signals::{Signals, Stop},
    style::Style,
    turn::{OnInterrupt, Played, play},
};

/// Options of [`launch_console_with`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConsoleOptions {
    /// The name of the user, in messages and in the prompt. `user`.
    pub user_name: String,
    /// How much the console tells.
    pub verbosity: Verbosity,
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        Self { user_name: "user".to_owned(), verbosity: Verbosity::default() }
    }
}

impl ConsoleOptions {
    /// Sets [`user_name`](Self::user_name).
    #[must_use]
    pub fn with_user_name(mut self, name: impl Into<String>) -> Self {
        self.user_name = name.into();
        self
    }

    /// Sets [`verbosity`](Self::verbosity).
    #[must_use]
    pub fn with_verbosity(mut self, verbosity: Verbosity) -> Self {
        self.verbosity = verbosity;
        self
    }
}

/// Lets the user talk to an agent at the terminal, until they leave. The conversation stays in the agent.
///
/// At a terminal there are line editing, commands (`/help`), and Ctrl-C, which cancels a reply. Otherwise every line
/// of standard input is a message. A failed reply does not end the conversation.
///
/// Needs a tokio runtime with time and I/O. From the first call on, SIGINT, SIGTERM and SIGHUP no longer end the
/// process by themselves, also after the console has ended.
///
/// # Errors
///
/// Standard output cannot be written. That its reader has gone away is not an error: the console just ends.
///
/// # Cancel safety
///
/// Not cancel-safe: a line that is being typed keeps the terminal.
///
/// # Examples
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let mut agent = a2a_agent::A2aAgent::connect("http://127.0.0.1:9999").await?;
/// a2a_console::launch_console(&mut agent).await?;
/// # Ok(())
/// # }
/// ```
pub async fn launch_console(agent: &mut A2aAgent) -> io::Result<()> {
    launch_console_with(agent, ConsoleOptions::default()).await
}

/// [`launch_console`] with options.
///
/// # Errors
///
/// As [`launch_console`].
pub async fn launch_console_with(agent: &mut A2aAgent, options: ConsoleOptions) -> io::Result<()> {
    let mut output = Output::standard(Format::People, options.verbosity);
    let mut signals = Signals::new()?;
    let preferences = InterfacePreferences::default();
    let mut keep = |_: &A2aAgentState| Ok(());
    let chat = Chat::new(agent, &mut output, &mut signals, options, &preferences, &mut keep);
    match chat.run().await {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error),
    }
}

/// Keeps the state after every turn.
pub(crate) type Keep<'a> = &'a mut (dyn FnMut(&A2aAgentState) -> Result<(), Failure> + Send);

/// A conversation at a terminal, or from a pipe.
pub(crate) struct Chat<'a> {
    agent: &'a mut A2aAgent,
    output: &'a mut Output,
    signals: &'a mut Signals,
    options: ConsoleOptions,
    preferences: &'a InterfacePreferences,
    keep: Keep<'a>,
    lines: Lines,
    terminal: Terminal,
    interactive: bool,
    /// To be sent with the next message.
    attached: Vec<DataBlock>,
    files: Files,
    last_state: Option<TaskState>,
    exit: Exit,
    /// Whether the last thing the user did was Ctrl-C.
    interrupted: bool,
}

/// Whether the conversation goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Line,
    Leave,
}

impl<'a> Chat<'a> {
    pub(crate) fn new(
        agent: &'a mut A2aAgent,
        output: &'a mut Output,
        signals: &'a mut Signals,
        options: ConsoleOptions,
        preferences: &'a InterfacePreferences,
        keep: Keep<'a>,
    ) -> Self {
        Self {
            agent,
            output,
            signals,
            options,
            preferences,
            keep,
            terminal: Terminal::new(),
            lines: Lines::standard(),
            interactive: io::stdin().is_terminal(),
            attached: Vec::new(),
            files: Files::default(),
            last_state: None,
            exit: Exit::Success,
            interrupted: false,
        }
    }

    /// Talks until the user leaves; gives what the last reply means for the program.
    ///
    /// # Errors
    ///
    /// The output's.
    pub(crate) async fn run(mut self) -> io::Result<Exit> {
        if self.interactive {
            self.output.set_label(self.agent.name());
            self.greet()?;
        }
        loop {
            let next = match self.line().await? {
                Some(Line::Text(text)) if self.interactive => {
                    self.interrupted = false;
                    self.obey(Command::parse(&text)).await?
                }
                Some(Line::Text(text)) if text.trim().is_empty() => Next::Line,
                Some(Line::Text(text)) => self.send(Some(text)).await?,
                Some(Line::Interrupted) => self.interrupt()?,
                Some(Line::Unreadable(reason)) => {
                    self.fail(&Failure::usage(reason))?;
                    Next::Leave
                }
                Some(Line::End) | None => Next::Leave,
            };
            if next == Next::Leave {
                return Ok(self.exit);
            }
        }
    }

    /// The next line; `None` if the program is to end.
    async fn line(&mut self) -> io::Result<Option<Line>> {
        let user = plain_line(&self.options.user_name);
        // What answers a demand for authentication may be a secret.
        let remember = self.last_state != Some(TaskState::AuthRequired);
        let prompt = if self.interactive { format!("{user}> ") } else { String::new() };
        self.ask(Ask { prompt, remember }).await
    }

    async fn ask(&mut self, ask: Ask) -> io::Result<Option<Line>> {
        loop {
            tokio::select! {
                biased;
                line = self.lines.next(ask.clone()) => return Ok(Some(line)),
                stop = self.signals.next() => match stop {
                    Stop::Terminate => {
                        self.exit = Exit::Interrupted;
                        return Ok(None);
                    }
                    // Not typed, since then the editor had got it.
                    Stop::Interrupt if self.interrupt()? == Next::Leave => return Ok(None),
                    Stop::Interrupt => {}
                },
            }
        }
    }

    /// Ctrl-C at the prompt: twice in a row leaves. A script is ended by it.
    fn interrupt(&mut self) -> io::Result<Next> {
        if !self.interactive {
            self.exit = Exit::Interrupted;
            return Ok(Next::Leave);
        }
        if std::mem::replace(&mut self.interrupted, true) {
            return Ok(Next::Leave);
        }
        self.output.note("Ctrl-C again leaves, and so does Ctrl-D")?;
        Ok(Next::Line)
    }

    fn greet(&mut self) -> io::Result<()> {
        self.output
            .note(&format!("talking to {}; /help lists commands, Ctrl-D leaves", self.agent.name()))?;
        let state = self.agent.state();
        let note = match (&state.running_task_id, &state.task_id, &state.context_id) {
            (Some(task), _, _) => {
                format!("task {task} was still running: /resume follows it, /cancel ends it")
            }
            (None, Some(task), _) => format!("going on with task {task}, which waits for an answer"),
            (None, None, Some(context)) => format!("going on with conversation {context}"),
            (None, None, None) => return Ok(()),
        };
        self.output.note(&note)
    }

    async fn obey(&mut self, command: Command) -> io::Result<Next> {
        match command {
            Command::Nothing if self.attached.is_empty() => {}
            Command::Nothing => return self.send(None).await,
            Command::Message(text) => return self.send(Some(text)).await,
            Command::Help => self.output.print(&command::help())?,
            // Nobody could stop the console from waiting for a pipe.
            Command::Attach(path) if path.metadata().is_ok_and(|metadata| !metadata.is_file()) => {
                let failure = Failure::usage(format!("{} is not a file", path.display()));
                self.output.failure(&failure)?;
            }
            Command::Attach(path) => match DataBlock::from_path(&path) {
                Ok(block) => self.attach(block)?,
                Err(error) => self.output.failure(&Failure::usage(chain(&error)))?,
            },
            Command::AttachUrl(url) => self.attach(DataBlock::from_url(url))?,
            Command::Attachments if self.attached.is_empty() => self.output.note("nothing is attached")?,
            Command::Attachments => {
                let list: Vec<String> = self.attached.iter().map(described).collect();
                self.output.note(&format!("attached: {}", list.join("; ")))?;
            }
            Command::Detach => {
                self.attached.clear();
                self.output.note("nothing is attached")?;
            }
            Command::Save { number, path } => return self.save(number, path).await,
            Command::Card => {
                let (card, preferences) = (self.agent.card(), self.preferences);
                let style = Style::of(&io::stdout());
                let text = Described { card, found_at: None, signed: None, preferences, style }.to_string();
                self.output.print(&text)?;
            }
            Command::State => {
                let json = serde_json::to_string_pretty(self.agent.state())?;
                self.output.print(&crate::plain::plain_json(json))?;
                self.output.print("\n")?;
            }
            Command::New => {
                self.agent.start_over();
                self.last_state = None;
                self.output.note("a new conversation")?;
                self.keep()?;
            }
            Command::Cancel => self.cancel().await?,
            Command::Resume => {
                self.terminal.hide_typing();
                let stream = self.agent.resume();
                let played = play(stream, self.output, self.signals, OnInterrupt::CancelUnlessWaiting).await;
                return self.after(played);
            }
            Command::Quit => return Ok(Next::Leave),
            Command::Wrong(reason) => self.output.note(&reason)?,
        }
        Ok(Next::Line)
    }

    fn attach(&mut self, block: DataBlock) -> io::Result<()> {
        self.output.note(&format!("the next message takes along {}", described(&block)))?;
        self.attached.push(block);
        Ok(())
    }

    /// Sends a message with what is attached, and plays the reply.
    async fn send(&mut self, text: Option<String>) -> io::Result<Next> {
        let text = text.map(ContentBlock::from);
        let files = std::mem::take(&mut self.attached).into_iter().map(ContentBlock::Data);
        let content: Vec<ContentBlock> = text.into_iter().chain(files).collect();
        let message = Msg::user(self.options.user_name.as_str(), content);
        if self.interactive {
            self.terminal.hide_typing();
        }
        let stream = self.agent.reply_stream(message);
        let played = play(stream, self.output, self.signals, OnInterrupt::CancelUnlessWaiting).await;
        self.after(played)
    }

    /// Keeps what is left of a reply.
    fn after(&mut self, played: io::Result<Played>) -> io::Result<Next> {
        self.terminal.show_typing();
        let kept = (self.keep)(self.agent.state());
        let Played { msg, state, exit, interrupted, leave } = played?;
        if let Some(msg) = &msg {
            self.files.take(msg);
        }
        self.last_state = state;
        self.exit = exit;
        self.interrupted = interrupted;
        if let Err(failure) = kept {
            self.fail(&failure)?;
        }
        if interrupted && !self.interactive {
            // A script does not go on with its next line, which even a reply that was complete does not make a success.
            self.exit = if exit == Exit::Success { Exit::Interrupted } else { exit };
            return Ok(Next::Leave);
        }
        Ok(if leave { Next::Leave } else { Next::Line })
    }

    async fn save(&mut self, number: usize, path: std::path::PathBuf) -> io::Result<Next> {
        let mut replace = false;
        loop {
            match self.files.save(number, &path, replace) {
                Ok(Saved::Written(path, bytes)) => {
                    self.output.note(&format!("saved {} ({})", path.display(), Size(bytes)))?;
                }
                Ok(Saved::Exists(path)) => {
                    let prompt =
                        format!("{} exists. Overwrite it? [y/N] ", plain_line(&path.to_string_lossy()));
                    match self.ask(Ask { prompt, remember: false }).await? {
                        Some(Line::Text(answer)) if matches!(answer.trim(), "y" | "Y" | "yes") => {
                            replace = true;
                            continue;
                        }
                        None => return Ok(Next::Leave),
                        Some(_) => self.output.note("not saved")?,
                    }
                }
                Err(reason) => self.output.note(&reason)?,
            }
            return Ok(Next::Line);
        }
    }

    async fn cancel(&mut self) -> io::Result<()> {
        let cancelled = self.signals.unless_stopped(self.agent.cancel()).await;
        match cancelled {
            Ok(Some(task)) => {
                self.output.note(&format!("task {} is {}", task.id, name_of(&task.status.state)))?;
                self.last_state = None;
            }
            Ok(None) => self.output.note("no task is running or waits")?,
            Err(failure) => self.output.failure(&failure)?,
        }
        self.keep()
    }

    fn keep(&mut self) -> io::Result<()> {
        match (self.keep)(self.agent.state()) {
            Ok(()) => Ok(()),
            Err(failure) => self.fail(&failure),
        }
    }

    fn fail(&mut self, failure: &Failure) -> io::Result<()> {
        self.exit = failure.exit();
        self.output.failure(failure)
    }
}

/// A file to be sent, for people.
fn described(block: &DataBlock) -> String {
    let name = block.name.as_deref().unwrap_or_default();
    match &block.source {
        a2a_agent::Source::Base64(source) => {
            let size = Size(crate::render::decoded_length(&source.data));
            format!("{name}, {}, {size}", source.media_type)
        }
        a2a_agent::Source::Url(source) => format!("{}, {}", source.url, source.media_type),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_can_run_as_a_task() {
        fn is_send<T: Send>(_: &T) {}
        fn check(agent: &mut A2aAgent) {
            is_send(&launch_console(agent));
        }
        let _ = check;
    }
}
