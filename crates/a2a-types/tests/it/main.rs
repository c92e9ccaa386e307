//! What the wire allows, read and written back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod examples;
mod v03;
