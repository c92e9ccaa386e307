//! 0.3: every dialect read, each written, and the edge cases real peers show.

mod content;
mod peer;
mod request;
mod stream;
