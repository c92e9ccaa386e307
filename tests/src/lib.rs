//! Suites that need several crates.
#![allow(clippy::indexing_slicing, reason = "a missing member of a JSON value reads as null")]

pub mod golden;
pub mod interop;

/// The examples of the workspace's README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
