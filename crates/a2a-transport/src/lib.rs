//! Client transports for the A2A protocol.
//!
//! [`Transport`] is the seam: every operation of the protocol, object safe, so that an agent can be reached
//! over whatever carries messages.

mod error;
mod options;
mod stream;
mod transport;

pub use error::{ErrorKind, TransportError};
pub use options::CallOptions;
pub use stream::ResponseStream;
pub use transport::{CallFuture, Transport};
