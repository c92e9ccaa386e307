//! A remote A2A agent as a local value.
//!
//! [`A2aAgent`] resolves the agent's card, picks an interface, sends messages, and turns whatever comes back into
//! one stream of AgentScope-compatible events and a final message. The remote side owns model, tools and context.
//!
//! ```no_run
//! use a2a_agent::{A2aAgent, Event, Msg};
//! use futures::StreamExt as _;
//!
//! # async fn run() -> Result<(), a2a_agent::AgentError> {
//! let mut agent = A2aAgent::connect("http://127.0.0.1:9999").await?;
//! let mut stream = agent.reply_stream(Msg::user("user", "Plan me a weekend trip to Hangzhou."));
//! while let Some(event) = stream.next().await {
//!     if let Event::TextBlockDelta(delta) = event? {
//!         print!("{}", delta.delta);
//!     }
//! }
//! let reply = stream.finish().await?;
//! println!("\n({} blocks)", reply.content.len());
//!
//! // The same conversation goes on by itself; its state can be kept and taken up again later.
//! let reply = agent.reply("Make it kid-friendly.").await?;
//! println!("{}", reply.text_content());
//! let state = agent.close().await;
//! # Ok(())
//! # }
//! ```

mod agent;
mod attach;
mod builder;
mod cancel;
mod error;
mod input;
mod options;
mod reply;
mod state;
mod system;
mod turn;

pub use a2a_translate::{
    Base64Source, Clock, ContentBlock, DataBlock, DataParts, ErrorInfo, ErrorType, Event, IdSource, Msg,
    ReplyFinishedReason, RequestOptions, Source, TextBlock, TranslateError, UrlSource,
};
#[cfg(feature = "http2")]
pub use a2a_transport::Http2;
pub use a2a_transport::{
    CallOptions, CardResolver, ClientOptions, Credentials, ErrorKind, HttpClient, HttpConfig,
    InterfacePreferences, Transport, TransportError,
};
pub use a2a_types::{AgentCard, Task, TaskState};

pub use agent::A2aAgent;
pub use attach::{AttachError, AttachFile, MAX_FILE_BYTES};
pub use builder::A2aAgentBuilder;
pub use cancel::CancelHandle;
pub use error::{AgentError, AgentErrorKind};
pub use input::Input;
pub use options::{AgentOptions, PollingOptions, RecoveryOptions};
pub use reply::{ReplyEvents, ReplyStream};
pub use state::A2aAgentState;
pub use system::{LocalClock, RandomIds};

/// The examples of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
