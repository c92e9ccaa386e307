//! Behaviour seen from outside, one module per subject.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

#[cfg(feature = "client")]
mod client;

mod smallest;
mod sse;
mod sse_oracle;
