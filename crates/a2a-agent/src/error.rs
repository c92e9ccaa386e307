//! What can end a reply, and what a reply's last event says about it.

use std::{error::Error, fmt};

use a2a_translate::{ErrorInfo, ErrorType, TranslateError};
use a2a_transport::{ErrorKind, TransportError};
use a2a_types::{ErrorCode, TaskState};

/// An error of an agent.
///
/// `Display` says what happened on this level, and what to do where that is known; what caused it, such as which
/// part could not be translated, is the [`source`](Error::source).
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentError {
    /// Neither input nor observed messages. Nothing was sent.
    NoInput,

    /// A message cannot be sent: a block that is neither text nor data, or broken base64. Nothing was sent.
    Request(TranslateError),

    /// The task of the last turn is still running: a message now would make it run twice. Nothing was sent.
    TaskStillRunning {
        /// The task.
        task_id: String,
        /// Its state.
        state: TaskState,
    },

    /// The peer could not be asked how the task of the last turn stands. Nothing was sent; try again.
    LookUp {
        /// The task.
        task_id: String,
        /// Why.
        source: TransportError,
    },

    /// No task of an earlier turn is known to be running.
    NothingToResume,

    /// The call failed, or its stream.
    Transport(TransportError),

    /// A payload cannot be translated.
    Translate(TranslateError),

    /// The peer answered with a stream that held nothing.
    EmptyStream,

    /// The peer answered, but with nothing that is part of the protocol.
    NotUnderstood,

    /// The stream ended while its task was still running, and the rest could not be had.
    Unfinished {
        /// The task, kept in [`A2aAgentState::running_task_id`](crate::A2aAgentState::running_task_id).
        task_id: String,
    },
}

/// The kind of an [`AgentError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentErrorKind {
    /// Nothing to send.
    NoInput,
    /// Broken base64 in a message to be sent.
    InvalidBase64,
    /// A block that cannot be sent: neither text nor data, or with a URL that is not absolute.
    UnsupportedBlock,
    /// The task of the last turn is still running.
    TaskRunning,
    /// The look-up before a reply failed.
    GetTask,
    /// Nothing to resume.
    NothingToResume,
    /// A part of the reply that cannot be translated.
    UnsupportedPart,
    /// A stream that held nothing.
    EmptyStream,
    /// A failure of the transport.
    Transport(ErrorKind),
}

impl AgentErrorKind {
    /// A stable name, in lower case with underscores.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoInput => "no_input",
            Self::InvalidBase64 => "invalid_base64",
            Self::UnsupportedBlock => "unsupported_block",
            Self::TaskRunning => "task_running",
            Self::GetTask => "get_task",
            Self::NothingToResume => "nothing_to_resume",
            Self::UnsupportedPart => "unsupported_part",
            Self::EmptyStream => "empty_stream",
            Self::Transport(kind) => kind.as_str(),
        }
    }
}

impl AgentError {
    /// What kind of error this is.
    pub fn kind(&self) -> AgentErrorKind {
        match self {
            Self::NoInput => AgentErrorKind::NoInput,
            Self::Request(error) | Self::Translate(error) => translate_kind(error),
            Self::TaskStillRunning { .. } => AgentErrorKind::TaskRunning,
            Self::LookUp { .. } => AgentErrorKind::GetTask,
            Self::NothingToResume => AgentErrorKind::NothingToResume,
            Self::Transport(error) => AgentErrorKind::Transport(error.kind()),
            Self::EmptyStream => AgentErrorKind::EmptyStream,
            Self::NotUnderstood => AgentErrorKind::Transport(ErrorKind::Decode),
            Self::Unfinished { .. } => AgentErrorKind::Transport(ErrorKind::StreamCut),
        }
    }

    /// The transport's error, if one is the cause.
    pub fn transport(&self) -> Option<&TransportError> {
        match self {
            Self::Transport(error) | Self::LookUp { source: error, .. } => Some(error),
            _ => None,
        }
    }

    /// Whether the peer refused the credentials, or wants some.
    pub fn is_auth(&self) -> bool {
        self.transport().is_some_and(TransportError::is_auth)
    }

    /// Whether the same reply may be asked for again, with a chance to succeed and without sending anything
    /// twice: nothing was sent, and the cause may pass.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::TaskStillRunning { .. } => true,
            Self::LookUp { source, .. } => may_pass(source),
            Self::Transport(error) => error.is_connect(),
            _ => false,
        }
    }

    /// What the last event of the reply says about this error.
    pub(crate) fn info(&self) -> ErrorInfo {
        let kind = match self {
            Self::Transport(error) | Self::LookUp { source: error, .. } => transport_error_type(error),
            Self::NoInput | Self::Request(_) | Self::TaskStillRunning { .. } | Self::NothingToResume => {
                ErrorType::InvalidRequest
            }
            Self::Translate(_) | Self::EmptyStream | Self::NotUnderstood => ErrorType::Upstream,
            Self::Unfinished { .. } => ErrorType::Connection,
        };
        ErrorInfo::new(kind, chain(self))
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInput => f.write_str("nothing to send: there is neither input nor an observed message"),
            Self::Request(_) => f.write_str("the message cannot be sent"),
            Self::TaskStillRunning { task_id, state } => write!(
                f,
                "task {task_id} is still running at the peer ({state}): resume it, cancel it, or wait for it"
            ),
            Self::LookUp { task_id, .. } => write!(f, "the peer could not be asked about task {task_id}"),
            Self::NothingToResume => f.write_str("there is no running task to resume"),
            Self::Transport(error) => error.fmt(f),
            Self::Translate(_) => f.write_str("the reply cannot be translated"),
            Self::EmptyStream => f.write_str("the peer ended the stream without sending anything"),
            Self::NotUnderstood => f.write_str(
                "the peer sent nothing that could be understood: does it speak another version of A2A?",
            ),
            Self::Unfinished { task_id } => write!(f, "the stream ended before task {task_id} did"),
        }
    }
}

impl Error for AgentError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Request(error) | Self::Translate(error) => Some(error),
            Self::LookUp { source, .. } => Some(source),
            // Its text is this error's own, so its cause is too.
            Self::Transport(error) => error.source(),
            _ => None,
        }
    }
}

impl From<TransportError> for AgentError {
    fn from(error: TransportError) -> Self {
        Self::Transport(error)
    }
}

fn translate_kind(error: &TranslateError) -> AgentErrorKind {
    match error {
        TranslateError::InvalidBase64 { .. } => AgentErrorKind::InvalidBase64,
        TranslateError::UnsupportedBlock { .. } | TranslateError::InvalidUrl { .. } => {
            AgentErrorKind::UnsupportedBlock
        }
        _ => AgentErrorKind::UnsupportedPart,
    }
}

/// Whether the failure says nothing about the task: the same read may succeed a moment later.
pub(crate) fn may_pass(error: &TransportError) -> bool {
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::StreamCut => true,
        ErrorKind::HttpStatus => matches!(error.http_status(), Some(408 | 425 | 429 | 500..)),
        _ => false,
    }
}

/// Whether the peer says that it does not know the task: as an A2A error, or as a bare 404.
pub(crate) fn is_task_not_found(error: &TransportError) -> bool {
    match error.rpc() {
        Some(rpc) => rpc.code == ErrorCode::TaskNotFound,
        None => error.http_status() == Some(404),
    }
}

fn transport_error_type(error: &TransportError) -> ErrorType {
    match (error.kind(), error.http_status()) {
        (ErrorKind::Auth, Some(403)) => ErrorType::Permission,
        (ErrorKind::Auth, _) => ErrorType::Authentication,
        (ErrorKind::Connect | ErrorKind::Tls | ErrorKind::Timeout | ErrorKind::StreamCut, _) => {
            ErrorType::Connection
        }
        (
            ErrorKind::Config
            | ErrorKind::Unsupported
            | ErrorKind::ExtensionRequired
            | ErrorKind::Card
            | ErrorKind::NoInterface,
            _,
        ) => ErrorType::Setup,
        (_, Some(429)) => ErrorType::RateLimit,
        (ErrorKind::Rpc, _) => error.rpc().map_or(ErrorType::Upstream, |rpc| match rpc.code {
            ErrorCode::InternalError | ErrorCode::InvalidAgentResponse | ErrorCode::Other(_) => {
                ErrorType::Upstream
            }
            _ => ErrorType::InvalidRequest,
        }),
        (ErrorKind::HttpStatus, Some(400..=499)) => ErrorType::InvalidRequest,
        _ => ErrorType::Upstream,
    }
}

/// An error and its causes on one line, without repeating what the level above already said.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.ends_with(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}
