//! How a wire object is read and written: ProtoJSON presence rules, said once.
//!
//! [`wire_struct!`] defines a message, [`wire_oneof!`] a message that is exactly one of several,
//! [`open_enum!`] an enum whose unknown values are data. All three read in one pass, without an
//! intermediate value, and put the path of the member into every error.
//!
//! A type is read by [`Decode`], which has the encoding as a parameter: [`V1`] is what `Deserialize` does,
//! [`V03`] is the same value as version 0.3 writes it (see [`crate::v03`]). Lists, options and scalars are
//! the same in both.

mod enums;
mod field;
mod structs;

pub(crate) use enums::{NameOrNumber, number_in, open_enum};
pub(crate) use field::{Decode, Member, Presence, RawMember, V1, V03, at_member, decode};
pub(crate) use structs::{Choice, Kept, Rest, Skipped, read_object, wire_oneof, wire_struct, written_struct};
