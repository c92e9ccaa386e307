//! The server over loopback: raw requests in, bytes out.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod auth;
mod basics;
mod breakdown;
mod cancel;
mod http;
mod input;
mod legacy;
mod limits;
mod push;
mod recovery;
mod shutdown;
mod stores;
mod support;
mod turns;
