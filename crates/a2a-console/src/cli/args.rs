//! The grammar of the command line.

use std::{path::PathBuf, time::Duration};

use a2a_agent::{DataParts, TaskState};
use a2a_transport::Secret;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::{output::Format, render::Verbosity};

/// Talk to A2A (Agent2Agent) agents.
#[derive(Debug, Parser)]
#[command(name = "a2a", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Start the demo agent, ask it something, show the reply
    Demo(Demo),
    /// Serve the demo agent
    Serve(Serve),
    /// Show the card of an agent
    Card(Card),
    /// Send a message and show the reply as it arrives
    Send(Box<Send>),
    /// Talk to an agent; with piped input, one message a line
    Chat(Box<Chat>),
    /// Look at tasks, cancel them, follow them
    #[command(subcommand)]
    Task(Task),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(super) struct Demo {
    /// What to ask [default: Plan me a weekend trip to Hangzhou.]
    #[arg(value_name = "TEXT")]
    pub(super) text: Vec<String>,
    #[command(flatten)]
    pub(super) shape: Shape,
}

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Address to listen on
    #[arg(long, value_name = "H", default_value = "127.0.0.1")]
    pub(super) host: String,
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) port: u16,
    /// Port to serve gRPC on (not part of this build)
    #[arg(long, value_name = "N")]
    pub(super) grpc_port: Option<u16>,
    /// Serve version 0.3 of the protocol too
    #[arg(long = "v0.3")]
    pub(super) v0_3: bool,
    /// Advertise an agent that does not stream
    #[arg(long)]
    pub(super) no_streaming: bool,
    /// Demand this bearer token
    #[arg(long, value_name = "T")]
    pub(super) bearer: Option<Secret>,
}

#[derive(Debug, Args)]
pub(super) struct Card {
    /// Address of the agent, or of the card itself
    pub(super) url: String,
    /// Print the card as it was received
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Send {
    /// Address of the agent
    pub(super) url: String,
    /// The message
    #[arg(value_name = "TEXT")]
    pub(super) text: Vec<String>,
    /// Attach a file; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(super) file: Vec<PathBuf>,
    /// Attach a file by its address; may be repeated
    #[arg(long, value_name = "URL")]
    pub(super) attach_url: Vec<String>,
    /// Keep the conversation in this file: read if it exists, written after every turn
    #[arg(long, value_name = "FILE")]
    pub(super) state: Option<PathBuf>,
    #[command(flatten)]
    pub(super) shape: Shape,
    #[command(flatten)]
    pub(super) reply: Reply,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Chat {
    /// Address of the agent
    pub(super) url: String,
    /// Keep the conversation in this file: read if it exists, written after every turn
    #[arg(long, value_name = "FILE")]
    pub(super) state: Option<PathBuf>,
    #[command(flatten)]
    pub(super) shape: Shape,
    #[command(flatten)]
    pub(super) reply: Reply,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, Subcommand)]
pub(super) enum Task {
    /// Print a task as JSON
    Get(OneTask),
    /// Cancel a task, and print it as JSON
    Cancel(OneTask),
    /// Follow a task, and show what it produces
    Subscribe(OneTask),
    /// Print tasks as JSON
    List(ListTasks),
}

#[derive(Debug, Args)]
pub(super) struct OneTask {
    /// Address of the agent
    pub(super) url: String,
    /// Id of the task
    pub(super) id: String,
    #[command(flatten)]
    pub(super) shape: Shape,
    #[command(flatten)]
    pub(super) reply: Reply,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct ListTasks {
    /// Address of the agent
    pub(super) url: String,
    /// Only tasks of this conversation
    #[arg(long, value_name = "C")]
    pub(super) context: Option<String>,
    /// Only tasks in this state, such as working or input-required
    #[arg(long, value_name = "S", value_parser = task_state)]
    pub(super) status: Option<TaskState>,
    #[command(flatten)]
    pub(super) shape: Shape,
    #[command(flatten)]
    pub(super) reply: Reply,
    #[command(flatten)]
    pub(super) connection: Connection,
}

/// How the agent is reached.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(super) struct Connection {
    /// Use this binding and no other
    #[arg(long, value_name = "B")]
    pub(super) binding: Option<Binding>,
    /// Call this address instead of the one in the card
    #[arg(long, value_name = "URL")]
    pub(super) endpoint: Option<String>,
    /// Send this bearer token
    #[arg(long, value_name = "T", env = "A2A_BEARER", hide_env_values = true)]
    pub(super) bearer: Option<Secret>,
    /// Send this API key, in the header of that name
    #[arg(long, value_name = "NAME=VALUE", env = "A2A_API_KEY", hide_env_values = true)]
    pub(super) api_key: Option<Secret>,
    /// Send this header; may be repeated
    #[arg(long, value_name = "K: V")]
    pub(super) header: Vec<Secret>,
    /// Activate this extension; may be repeated
    #[arg(long, value_name = "URI")]
    pub(super) extension: Vec<String>,
    /// Trust the certificate authorities in this file too
    #[arg(long, value_name = "PEM")]
    pub(super) ca_file: Option<PathBuf>,
    /// Trust only cards that a key in this file (a JSON Web Key Set) has signed
    #[arg(long, value_name = "FILE")]
    pub(super) jwks: Option<PathBuf>,
    /// Give up after so many seconds of silence
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(super) idle_timeout: Option<Duration>,
}

/// How replies are printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Shape {
    /// Print every event, and then the message, as JSON Lines
    #[arg(long, conflicts_with = "json")]
    events: bool,
    /// Print only the final message, as JSON
    #[arg(long)]
    json: bool,
    /// How much is told besides the answer
    #[arg(long, value_name = "V", default_value = "default", hide_default_value = true)]
    verbosity: VerbosityArg,
}

impl Shape {
    pub(super) fn format(&self) -> Format {
        match (self.events, self.json) {
            (true, _) => Format::Events,
            (false, true) => Format::Message,
            (false, false) => Format::People,
        }
    }

    pub(super) fn verbosity(&self) -> Verbosity {
        match self.verbosity {
            VerbosityArg::Quiet => Verbosity::Quiet,
            VerbosityArg::Default => Verbosity::Default,
            VerbosityArg::Debug => Verbosity::Debug,
        }
    }
}

/// How replies are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Replies")]
pub(super) struct Reply {
    /// What becomes of structured data
    #[arg(long, value_name = "D", default_value = "error")]
    data_parts: DataPartsArg,
    /// Do not ask for the rest of a broken reply
    #[arg(long)]
    pub(super) no_recover: bool,
}

impl Reply {
    pub(super) fn data_parts(&self) -> DataParts {
        match self.data_parts {
            DataPartsArg::Error => DataParts::Error,
            DataPartsArg::Json => DataParts::Json,
            DataPartsArg::Skip => DataParts::Skip,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Binding {
    /// JSON-RPC over HTTP
    Jsonrpc,
    /// HTTP with JSON bodies
    HttpJson,
    /// gRPC (not part of this build)
    Grpc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerbosityArg {
    /// The answer and errors
    Quiet,
    /// Also progress
    Default,
    /// Also every event
    Debug,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DataPartsArg {
    /// An error
    Error,
    /// A file of JSON
    Json,
    /// Nothing
    Skip,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("not a positive number of seconds".to_owned()),
    }
}

/// A state by its name on the wire or without its prefix, in any case, with dashes or underscores.
fn task_state(text: &str) -> Result<TaskState, String> {
    let name = text.to_ascii_uppercase().replace('-', "_");
    let prefixed = if name.starts_with("TASK_STATE_") { name } else { format!("TASK_STATE_{name}") };
    match TaskState::from_name(&prefixed) {
        TaskState::Other(_) => Err("no such state; try working, input-required or completed".to_owned()),
        state => Ok(state),
    }
}

const EXIT_CODES: &str = "\
Exit codes: 0 completed, or waiting for input or authentication; 2 usage, unreadable input or state file;
3 the agent ended the reply with an error; 4 interrupted; 5 transport, protocol or translation failure;
6 authentication or permission (401, 403).";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn secrets_are_not_shown() {
        let args = ["a2a", "card", "http://h", "--bearer", "b-1", "--api-key", "K=k-2", "--header", "X: h-3"];
        let shown = format!("{:?}", Cli::try_parse_from(args).unwrap());
        for secret in ["b-1", "k-2", "h-3"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn seconds_may_have_fractions_but_must_be_some() {
        assert_eq!(seconds("0.25").unwrap(), Duration::from_millis(250));
        for text in ["0", "-1", "NaN", "inf", "soon", "1e300"] {
            seconds(text).unwrap_err();
        }
    }

    #[test]
    fn states_are_known_by_any_spelling() {
        for text in
            ["input-required", "INPUT_REQUIRED", "TASK_STATE_INPUT_REQUIRED", "task_state_input_required"]
        {
            assert_eq!(task_state(text).unwrap(), TaskState::InputRequired);
        }
        task_state("becalmed").unwrap_err();
    }
}
