//! What the wire allows, read and written back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod captures;
mod cards;
mod cases;
mod cost;
mod examples;
mod jsonrpc;
mod properties;
mod shapes;
#[cfg(feature = "signatures")]
mod signatures;
mod support;
mod tolerance;
mod v03;
mod v03_properties;
