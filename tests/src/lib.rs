//! Suites that need several crates.
