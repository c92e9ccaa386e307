//! Suites that need several crates.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod captures;
mod conformance;
mod crowd;
mod faults;
mod golden;
mod interop_docs;
mod own_transport;
mod tidy;
