//! Clock and entropy: the only place of the server that reads either.

use std::time::SystemTime;

use a2a_types::Timestamp;

/// The time now, as the wire writes it.
pub(crate) fn now() -> Timestamp {
    SystemTime::now().into()
}

/// A new id, impossible to guess.
pub(crate) fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
