//! Interoperability: our client and our server against the SDKs that people run.
//!
//! [`Book`] holds the scenarios; every peer plays them from the same file. [`suite`] starts the peers, goes through
//! the scenarios in both directions, and fills a [`Matrix`]. `tests/interop/run` sets the peers up and runs it.

mod agentscope;
mod book;
mod cut;
mod faults;
mod fleet;
mod itk;
mod matrix;
mod operations;
mod orders;
mod ours;
mod peer;
mod reply;
mod suite;
mod theirs;

pub use book::{Book, Expected, Scenario, matches};
pub use matrix::{Cell, Matrix};
pub use ours::{Credential, Scratch, Target};
pub use peer::{Places, Printed, Server};
pub use reply::Reply;
pub use suite::{Options, Report, suite};
