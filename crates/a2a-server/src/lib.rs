//! Serve an agent over A2A.

mod auth;
mod engine;
mod errors;
mod executor;
mod json;
mod store;
mod system;
mod updater;

pub use auth::Caller;
pub use engine::{Call, Engine, Limits, Update, UpdateError, UpdateStream};
pub use executor::{AgentExecutor, BoxError, CancelContext, ExecuteFuture, RequestContext};
pub use store::{
    Cursor, MemoryStore, MemoryStoreStats, Owner, PushConfig, StoreError, StoreFuture, TaskChange, TaskPage,
    TaskQuery, TaskRecord, TaskStore,
};
pub use updater::{ArtifactWriter, Note, TaskUpdater};
