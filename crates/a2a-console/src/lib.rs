#![doc = include_str!("../README.md")]

mod card;
mod chat;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod demo;
mod failure;
mod output;
mod plain;
mod render;
mod signals;
mod style;
mod turn;

pub use chat::{ConsoleOptions, launch_console, launch_console_with};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::main;
pub use render::{ConsoleRenderer, Verbosity};
