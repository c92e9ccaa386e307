//! Writing in a dialect of 0.3.

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    base64,
    json::{Metadata, RawJson},
    timestamp::Timestamp,
    wire::Presence,
};

/// The two ways 0.3 writes the same object (spec: the JSON schema, and the protobuf definition).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `kind` members, lower-case enums, `parts`.
    Schema,
    /// ProtoJSON: no `kind`, full enum names, `content`.
    Proto,
}

/// How a value is written in 0.3.
pub(super) trait Encode {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error>;

    /// Whether 0.3 has a place for this value in a list.
    fn is_carried(&self) -> bool {
        true
    }
}

/// A value with the dialect it serialises in.
pub(super) struct As<'a, T: ?Sized>(pub(super) &'a T, pub(super) Dialect);

impl<T: Encode + ?Sized> Serialize for As<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encode(self.1, serializer)
    }
}

macro_rules! same_in_either_dialect {
    ($($name:ty),*) => { $(
        impl Encode for $name {
            fn encode<S: Serializer>(&self, _dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(serializer)
            }
        }
    )* };
}

same_in_either_dialect!(base64::Encoded<'_>, String, bool, i32, Metadata, RawJson, Timestamp);

impl<T: Encode> Encode for Vec<T> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().filter(|item| item.is_carried()).map(|item| As(item, dialect)))
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode<S: Serializer>(&self, dialect: Dialect, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.encode(dialect, serializer),
            None => serializer.serialize_none(),
        }
    }
}

/// An object being written.
pub(super) struct Object<M> {
    members: M,
    dialect: Dialect,
}

impl<M: SerializeMap> Object<M> {
    pub(super) fn open<S>(serializer: S, dialect: Dialect) -> Result<Self, M::Error>
    where
        S: Serializer<SerializeMap = M, Ok = M::Ok, Error = M::Error>,
    {
        Ok(Self { members: serializer.serialize_map(None)?, dialect })
    }

    /// The `kind` that tells objects apart in the schema dialect.
    pub(super) fn kind(&mut self, kind: &str) -> Result<(), M::Error> {
        match self.dialect {
            Dialect::Schema => self.members.serialize_entry("kind", kind),
            Dialect::Proto => Ok(()),
        }
    }

    /// A member that is always written.
    pub(super) fn required(&mut self, name: &str, value: &(impl Encode + ?Sized)) -> Result<(), M::Error> {
        self.members.serialize_entry(name, &As(value, self.dialect))
    }

    /// A member that is left out when absent.
    pub(super) fn member(&mut self, name: &str, value: &(impl Encode + Presence)) -> Result<(), M::Error> {
        if value.is_absent() { Ok(()) } else { self.required(name, value) }
    }

    /// Members as they are.
    pub(super) fn extend(&mut self, members: &Metadata) -> Result<(), M::Error> {
        members.iter().try_for_each(|(name, value)| self.members.serialize_entry(name, value))
    }

    pub(super) fn end(self) -> Result<M::Ok, M::Error> {
        self.members.end()
    }
}
