//! The macro for enums that newer peers may extend.

use std::fmt;

use serde::de;

/// Reads an enum value by name or by number.
pub(crate) struct NameOrNumber<T> {
    pub(crate) expecting: &'static str,
    pub(crate) from_name: fn(&str) -> T,
    pub(crate) from_number: fn(i64) -> T,
}

impl<T> de::Visitor<'_> for NameOrNumber<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} name or number", self.expecting)
    }
    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        Ok((self.from_name)(name))
    }
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        Ok((self.from_number)(number))
    }
    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        Ok(match i64::try_from(number) {
            Ok(number) => (self.from_number)(number),
            Err(_) => (self.from_name)(&number.to_string()),
        })
    }
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        match format!("{number}").parse() {
            Ok(number) => Ok((self.from_number)(number)),
            Err(_) => Err(E::invalid_value(de::Unexpected::Float(number), &self)),
        }
    }
}

/// The number a name consists of, if it is written as numbers are.
pub(crate) fn number_in(name: &str) -> Option<i64> {
    name.parse().ok().filter(|number: &i64| number.to_string() == name)
}

/// Defines an open enum: named constants with their protobuf numbers, and `Other` for the rest.
///
/// Reads a name or an integer; writes the name. A value this version does not know is kept, so that a
/// newer peer never fails a parse.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$vmeta:meta])* $variant:ident = $number:literal, $wire:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$vmeta])* $variant, )*
            /// A value this version does not know, by its name (or its number, in digits).
            Other(String),
        }

        impl $name {
            /// The name on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $wire, )*
                    Self::Other(name) => name,
                }
            }

            /// The value with this wire name, or with this number in digits; an unknown one is kept.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $( $wire => Self::$variant, )*
                    other => match $crate::wire::number_in(other) {
                        Some(number) => Self::from_number(number),
                        None => Self::Other(other.to_owned()),
                    },
                }
            }

            /// The value with this protobuf number; an unknown number is kept in digits.
            pub fn from_number(number: i64) -> Self {
                match number {
                    $( $number => Self::$variant, )*
                    other => Self::Other(other.to_string()),
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::from_number(0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        const _: () = {
            use $crate::wire::{Decode, NameOrNumber, Presence, V1, decode};

            impl Presence for $name {
                fn is_absent(&self) -> bool {
                    *self == Self::default()
                }
            }

            impl Decode<V1> for $name {
                fn decode_into<'de, D: serde::Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
                    *self = value.deserialize_any(NameOrNumber {
                        expecting: stringify!($name),
                        from_name: Self::from_name,
                        from_number: Self::from_number,
                    })?;
                    Ok(())
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    decode::<V1, _, _>(deserializer)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        Self::Other(name) => match $crate::wire::number_in(name) {
                            Some(number) => serializer.serialize_i64(number),
                            None => serializer.serialize_str(name),
                        },
                        known => serializer.serialize_str(known.as_str()),
                    }
                }
            }
        };
    };
}

pub(crate) use open_enum;
