//! Suites that need several crates.
#![allow(clippy::indexing_slicing, reason = "a missing member of a JSON value reads as null")]

pub mod golden;
