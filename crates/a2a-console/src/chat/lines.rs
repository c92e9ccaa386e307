//! Lines of input: read by a thread of its own, each when it is asked for.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use rustyline::{
    Behavior, CompletionType, Config, Context, Editor, Helper,
    completion::{Completer, FilenameCompleter, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::MemHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use tokio::sync::mpsc;

use super::command;

/// What came of asking for a line.
#[derive(Debug)]
pub(super) enum Line {
    Text(String),
    /// There will be no more.
    End,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The input cannot be read.
    Unreadable(String),
}

/// A request for a line.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) prompt: String,
    /// Whether the line may be brought back by the arrow keys. History is never written to disk.
    pub(super) remember: bool,
}

/// Gives lines: edited on a terminal, as they are from a pipe.
#[derive(Debug)]
pub(super) struct Lines {
    asks: Sender<Ask>,
    lines: mpsc::Receiver<Line>,
    asked: bool,
}

impl Lines {
    /// Standard input.
    pub(super) fn standard() -> Self {
        let (asks, asked_for) = channel();
        let (give, lines) = mpsc::channel(1);
        let edit = io::stdin().is_terminal();
        thread::spawn(
            move || if edit { edit_lines(&asked_for, &give) } else { read_lines(&asked_for, &give) },
        );
        Self { asks, lines, asked: false }
    }

    /// The next line.
    ///
    /// # Cancel safety
    ///
    /// The line is still being waited for when the future is dropped; the next call gives it.
    pub(super) async fn next(&mut self, ask: Ask) -> Line {
        if !self.asked {
            if self.asks.send(ask).is_err() {
                return Line::End;
            }
            self.asked = true;
        }
        let line = self.lines.recv().await;
        self.asked = false;
        line.unwrap_or(Line::End)
    }
}

fn read_lines(asks: &Receiver<Ask>, give: &mpsc::Sender<Line>) {
    let mut input = io::stdin().lock();
    while asks.recv().is_ok() {
        let mut bytes = Vec::new();
        let line = match input.read_until(b'\n', &mut bytes) {
            Ok(0) => Line::End,
            Ok(_) => match String::from_utf8(bytes) {
                Ok(text) => Line::Text(text.trim_end_matches(['\n', '\r']).to_owned()),
                Err(_) => Line::Unreadable("the input is not UTF-8".to_owned()),
            },
            Err(error) => Line::Unreadable(format!("the input cannot be read: {error}")),
        };
        if give.blocking_send(line).is_err() {
            return;
        }
    }
}

fn edit_lines(asks: &Receiver<Ask>, give: &mpsc::Sender<Line>) {
    let mut editor = editor();
    while let Ok(ask) = asks.recv() {
        let line = match &mut editor {
            Ok(editor) => edit_line(editor, &ask),
            Err(error) => Line::Unreadable(format!("the terminal cannot be used: {error}")),
        };
        if give.blocking_send(line).is_err() {
            return;
        }
    }
}

type LineEditor = Editor<Assistant, MemHistory>;

fn editor() -> Result<LineEditor, ReadlineError> {
    // Prompts do not go where results go, if that is elsewhere.
    let behavior = if io::stdout().is_terminal() { Behavior::Stdio } else { Behavior::PreferTerm };
    let config = Config::builder()
        .behavior(behavior)
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .max_history_size(HISTORY_LINES)?
        .build();
    let history = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history)?;
    editor.set_helper(Some(Assistant { files: FilenameCompleter::new() }));
    Ok(editor)
}

fn edit_line(editor: &mut LineEditor, ask: &Ask) -> Line {
    loop {
        return match editor.readline(&ask.prompt) {
            Ok(text) => {
                if ask.remember {
                    // A history that is full forgets.
                    let _ = editor.add_history_entry(&text);
                }
                Line::Text(text.replace("\\\n", "\n"))
            }
            Err(ReadlineError::Eof) => Line::End,
            Err(ReadlineError::Interrupted) => Line::Interrupted,
            // The window was resized.
            Err(ReadlineError::Signal(_)) => continue,
            Err(error) => Line::Unreadable(format!("the terminal cannot be read: {error}")),
        };
    }
}

/// Completes commands and paths, and lets a line that ends with a backslash go on.
struct Assistant {
    files: FilenameCompleter,
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..pos).unwrap_or_default();
        match typed.split_once(' ') {
            Some(("/attach" | "/save", _)) => self.files.complete_path(line, pos),
            None if typed.starts_with('/') => Ok((0, command::names_like(typed).map(pair).collect())),
            _ => Ok((pos, Vec::new())),
        }
    }
}

fn pair(name: &str) -> Pair {
    Pair { display: name.to_owned(), replacement: format!("{name} ") }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let goes_on = context.input().ends_with('\\');
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}

/// Lines the history holds.
const HISTORY_LINES: usize = 1000;
