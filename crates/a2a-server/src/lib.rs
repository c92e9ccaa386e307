//! Serve an agent over A2A.

mod auth;
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
