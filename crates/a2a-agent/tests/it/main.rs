//! `A2aAgent` over a scripted transport. Time is paused: a delay of minutes passes at once.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod attach;
mod cancel;
mod look_up;
mod polling;
mod recovery;
mod reply;
mod settling;
mod support;
