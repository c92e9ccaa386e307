//! How a wire object is read and written: ProtoJSON presence rules, said once.
//!
//! [`wire_struct!`] defines a message, [`wire_oneof!`] a message that is exactly one of several,
//! [`open_enum!`] an enum whose unknown values are data. All three read in one pass, without an
//! intermediate value, and put the path of the member into every error.

mod enums;
mod field;
mod structs;

pub(crate) use enums::open_enum;
pub(crate) use field::{Field, Lenient, at_member};
pub(crate) use structs::{wire_oneof, wire_struct};
