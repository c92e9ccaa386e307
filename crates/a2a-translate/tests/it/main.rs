//! Events and messages as AgentScope writes them, and replies from payloads to the last event.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod properties;
mod wire;
