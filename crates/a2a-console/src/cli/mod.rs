//! The command `a2a`: parse, dispatch, exit code.

mod args;
mod card;
mod chat;
mod connect;
mod demo;
mod log;
mod send;
mod serve;
mod state_file;
mod task;

use std::{
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};

use a2a_agent::TransportError;
use clap::{CommandFactory as _, Parser as _};

use self::args::{Cli, Command, Task};
use crate::{
    failure::{Exit, Failure},
    output::{Format, Output},
    render::Verbosity,
};

/// What a command ends with.
type CommandResult = Result<Exit, Stopped>;

/// Why a command did not come to its end.
#[derive(Debug)]
enum Stopped {
    /// Something that is to be reported.
    Failure(Failure),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<TransportError> for Stopped {
    fn from(error: TransportError) -> Self {
        Self::Failure(error.into())
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The program `a2a`, with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let exit = match Cli::try_parse_from(&arguments) {
        Ok(cli) => run(cli.command),
        Err(error) => refuse(&error, &arguments),
    };
    ExitCode::from(exit as u8)
}

/// Help and version are no errors; everything else is told to people, and to a program that wants JSON.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let printed = error.print().and_then(|()| io::stdout().flush());
    if !error.use_stderr() {
        return match printed {
            // Whoever does not read it does not want it.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Exit::Failed,
            _ => Exit::Success,
        };
    }
    if arguments.iter().any(|argument| argument == "--events" || argument == "--json") {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let _ = Output::only_json().failure(&Failure::usage(first));
    }
    Exit::Usage
}

fn run(command: Command) -> Exit {
    let (format, verbosity) = face(&command);
    let warnings = log::collect(verbosity);
    let mut output = Output::standard(format, verbosity).with_hints().with_warnings(warnings);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return report(&mut output, Stopped::Output(error)),
    };
    let exit = match runtime.block_on(dispatch(command, &mut output)) {
        Ok(exit) => exit,
        Err(stopped) => report(&mut output, stopped),
    };
    // A thread that waits for input is not waited for.
    runtime.shutdown_background();
    exit
}

async fn dispatch(command: Command, output: &mut Output) -> CommandResult {
    match command {
        Command::Demo(args) => demo::run(args, output).await,
        Command::Serve(args) => serve::run(args, output).await,
        Command::Card(args) => card::run(args, output).await,
        Command::Send(args) => send::run(*args, output).await,
        Command::Chat(args) => chat::run(*args, output).await,
        Command::Task(args) => task::run(args, output).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "a2a", &mut script);
            let mut stdout = io::stdout();
            stdout.write_all(&script)?;
            stdout.flush()?;
            Ok(Exit::Success)
        }
    }
}

/// How the command writes.
fn face(command: &Command) -> (Format, Verbosity) {
    let shape = match command {
        Command::Demo(args) => &args.shape,
        Command::Send(args) => &args.shape,
        Command::Chat(args) => &args.shape,
        Command::Task(Task::Get(args) | Task::Cancel(args) | Task::Subscribe(args)) => &args.shape,
        Command::Task(Task::List(args)) => &args.shape,
        Command::Card(args) if args.json => return (Format::Message, Verbosity::default()),
        Command::Card(_) | Command::Serve(_) | Command::Completions { .. } => {
            return (Format::People, Verbosity::default());
        }
    };
    (shape.format(), shape.verbosity())
}

fn report(output: &mut Output, stopped: Stopped) -> Exit {
    match stopped {
        Stopped::Failure(failure) => {
            // If it cannot be reported, the exit code still tells.
            let _ = output.failure(&failure);
            failure.exit()
        }
        // Whoever read the output has enough of it.
        Stopped::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Stopped::Output(error) => {
            let _ = output.tell(&format!("error: the output cannot be written: {error}"));
            Exit::Failed
        }
    }
}
