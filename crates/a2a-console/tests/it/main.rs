//! The command `a2a`, from the outside.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod chat;
mod commands;
mod failures;
mod peer;
mod program;
mod replies;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod terminal;
