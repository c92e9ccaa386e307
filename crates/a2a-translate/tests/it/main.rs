//! Events and messages as AgentScope writes them, requests, and replies from payloads to the last event.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod chapter;
mod many;
mod memory;
mod phases;
mod properties;
mod request;
mod support;
mod transcripts;
mod wire;
