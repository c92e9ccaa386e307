//! Serve an agent over the A2A (Agent2Agent) protocol.
//!
//! An agent is an [`AgentExecutor`]: it is given a message and says what it does through a [`TaskUpdater`].
//! [`text_agent`] makes one of a function from a message to a stream of text:
//!
//! ```
//! use a2a_server::{BoxError, RequestContext, Server, text_agent};
//! use a2a_types::{AgentCard, AgentInterface};
//! use futures::stream;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! let url = format!("http://{}", listener.local_addr()?);
//! let mut card = AgentCard::new("Echo", vec![AgentInterface::new(url, AgentInterface::JSONRPC, "1.0")]);
//! card.capabilities.streaming = Some(true);
//! let echo = text_agent(|context: RequestContext| stream::iter([Ok::<_, BoxError>(context.text())]));
//! let stop = async { /* … wait for a signal … */ };
//! Server::new(card, echo).serve_until(listener, stop).await
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # The layers
//!
//! - [`Engine`] is the life of tasks, without HTTP: one driver per task makes its changes one after another,
//!   stores each, then sends it to everybody who follows the task. Clients are never told what is not stored.
//! - [`A2aService`] speaks HTTP: JSON-RPC, HTTP+JSON and the card, as a service that can be mounted anywhere.
//!   [`Server`] puts both together and serves them.
//! - [`TaskStore`] keeps tasks: [`MemoryStore`], bounded, or (feature `sqlite`) `SqliteStore`, or your own.
//!
//! # What is bounded
//!
//! Request bodies, each and all together, heads, idle connections and clients that do not read ([`HttpOptions`]);
//! turns, streams, waiting messages, push configurations and the size of a task ([`Limits`]); number and size of
//! the tasks of a [`MemoryStore`]; attempts and time of a push notification ([`WebhookOptions`]). A subscriber that reads too slowly loses its queue, not its place: it
//! is given the whole task in place of what it missed.
//!
//! # Cancel safety
//!
//! Each type says what dropping it does. The rule behind it: until its first update, work belongs to the request
//! that asked for it and ends with it; afterwards, it is a task and ends by itself, or by CancelTask.

mod auth;
mod connection;
mod engine;
mod errors;
mod executor;
mod json;
mod server;
mod service;
mod store;
mod system;
mod text_agent;
mod updater;
mod webhook;
mod weight;

pub use auth::{ApiKeys, AuthError, Authenticator, BearerTokens, Caller};
pub use engine::{Call, Engine, Limits, Recovery, Update, UpdateError, UpdateStream};
pub use executor::{AgentExecutor, BoxError, CancelContext, ExecuteFuture, RequestContext};
pub use server::{Server, serve};
pub use service::{A2aService, Cors, HttpOptions, ResponseBody};
#[cfg(feature = "sqlite")]
pub use store::SqliteStore;
pub use store::{
    Cursor, MemoryStore, MemoryStoreStats, Owner, PushConfig, StoreError, StoreFuture, TaskChange, TaskPage,
    TaskQuery, TaskRecord, TaskStore,
};
pub use text_agent::text_agent;
pub use updater::{ArtifactWriter, Note, TaskUpdater};
pub use webhook::WebhookOptions;

/// The examples of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
