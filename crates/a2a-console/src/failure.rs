//! What went wrong, for people and for programs, and the exit code it means.

use std::error::Error;

use a2a_agent::{AgentError, AgentErrorKind, ErrorKind, TransportError};
use a2a_types::{ErrorCode, RpcError};
use serde::Serialize;

use crate::plain::plain_line;

/// How the program ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Completed, or waiting for the user.
    #[default]
    Success = 0,
    /// Usage, unreadable input or state file.
    Usage = 2,
    /// The peer ended the reply with an error.
    PeerFailed = 3,
    /// Cancelled, by either side.
    Interrupted = 4,
    /// Transport, protocol or translation.
    Failed = 5,
    /// Authentication or permission.
    Auth = 6,
}

/// An error as every command reports it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Failure {
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip)]
    exit: Exit,
    /// What to do about it.
    #[serde(skip)]
    hint: Option<&'static str>,
}

impl Failure {
    /// The command cannot be carried out as it was given.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new("usage", message, Exit::Usage)
    }

    /// The state file cannot be used.
    #[cfg(feature = "cli")]
    pub(crate) fn state_file(message: impl Into<String>) -> Self {
        Self::new("state_file", message, Exit::Usage)
    }

    /// The user, or the system, ended it.
    pub(crate) fn cancelled(message: impl Into<String>) -> Self {
        Self::new("cancelled", message, Exit::Interrupted)
    }

    fn new(kind: &'static str, message: impl Into<String>, exit: Exit) -> Self {
        Self { kind, message: message.into(), http_status: None, code: None, reason: None, exit, hint: None }
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// The same failure with the agent it is about, if it is about one and does not name a place itself.
    #[must_use]
    pub(crate) fn at(mut self, agent: &str) -> Self {
        let is_of_peer = matches!(self.exit, Exit::PeerFailed | Exit::Failed | Exit::Auth);
        if is_of_peer && !self.message.contains("://") {
            self.message.push_str(&format!(" (the agent at {agent})"));
        }
        self
    }

    /// What happened, for people.
    pub(crate) fn message(&self) -> String {
        plain_line(&self.message)
    }

    /// What to do about it, for users of the command.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        self.hint
    }
}

impl From<&TransportError> for Failure {
    fn from(error: &TransportError) -> Self {
        let kind = error.kind();
        let rpc = error.rpc();
        Self {
            kind: match kind {
                ErrorKind::Config | ErrorKind::Unsupported => "usage",
                kind => kind.as_str(),
            },
            message: chain(error),
            http_status: error.http_status(),
            code: rpc.map(|rpc| rpc.code.code()),
            reason: rpc.and_then(reason_of).map(str::to_owned),
            exit: exit_of(kind),
            hint: match kind {
                ErrorKind::Config if !error.to_string().contains("URL") => None,
                kind => hint_of(kind),
            },
        }
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        Self::from(&error)
    }
}

impl From<&AgentError> for Failure {
    fn from(error: &AgentError) -> Self {
        let mut failure = match (error, error.transport()) {
            (AgentError::Transport(cause), _) => return Self::from(cause),
            (_, Some(cause)) => Self::from(cause),
            (_, None) => Self::new("", "", Exit::Failed),
        };
        failure.kind = error.kind().as_str();
        failure.message = chain(error);
        match error.kind() {
            AgentErrorKind::NoInput => {
                failure.exit = Exit::Usage;
                failure.hint = Some(NO_INPUT_HINT);
            }
            AgentErrorKind::NothingToResume => return Self::usage(failure.message),
            AgentErrorKind::TaskRunning => failure.hint = Some(RUNNING_HINT),
            AgentErrorKind::UnsupportedPart => failure.hint = Some(DATA_HINT),
            _ => {}
        }
        failure
    }
}

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        Self::from(&error)
    }
}

/// The reason in the details of an error, else the one its code has.
fn reason_of(rpc: &RpcError) -> Option<&str> {
    let known = !matches!(rpc.code, ErrorCode::Other(_));
    rpc.reason().or_else(|| known.then(|| rpc.code.reason()))
}

fn exit_of(kind: ErrorKind) -> Exit {
    match kind {
        ErrorKind::Config | ErrorKind::Unsupported => Exit::Usage,
        ErrorKind::Auth => Exit::Auth,
        _ => Exit::Failed,
    }
}

fn hint_of(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::Config => Some("give the address of an agent, such as http://127.0.0.1:9999"),
        ErrorKind::Auth => Some(AUTH_HINT),
        ErrorKind::Connect => Some("is the agent running, and is this its address?"),
        ErrorKind::Tls => {
            Some("--ca-file trusts a private certificate authority; an agent without TLS is at http://")
        }
        ErrorKind::Timeout => Some("--idle-timeout sets how long silence may last"),
        ErrorKind::Card => Some("is this the address of an A2A agent?"),
        ErrorKind::NoInterface => {
            Some("`a2a card URL` shows what the agent offers; --binding and --endpoint override it")
        }
        ErrorKind::ExtensionRequired => Some("--extension URI activates an extension"),
        ErrorKind::Redirect => Some("calls do not follow redirects: --endpoint URL names the final address"),
        _ => None,
    }
}

const AUTH_HINT: &str = "give credentials with --bearer, --api-key or --header (those given, if any, were refused); \
     `a2a card URL` shows what is wanted";
const NO_INPUT_HINT: &str = "give a text, --file or --attach-url";
const RUNNING_HINT: &str =
    "`a2a task subscribe URL ID` follows it, `a2a task cancel URL ID` ends it (in a chat: /resume, /cancel)";
const DATA_HINT: &str = "--data-parts json shows structured data, --data-parts skip leaves it out";

/// An error and its causes on one line, without repeating what the level above said already.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}
