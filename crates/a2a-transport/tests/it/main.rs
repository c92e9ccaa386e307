//! Behaviour seen from outside, one module per subject.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod answers;
mod cards;
mod interfaces;
mod requests;
mod sse;
mod sse_oracle;
mod streams;
mod support;
