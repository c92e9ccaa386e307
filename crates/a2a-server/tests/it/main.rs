//! The server over loopback: raw requests in, bytes out.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod basics;
mod support;
