//! The macros that define wire objects.

use serde::de::{IgnoredAny, MapAccess};
use serde_json::{Map, Value};

/// What becomes of the members an object does not know.
pub(crate) trait Rest: Default {
    /// How the name of such a member is kept until its value is read.
    type Name: for<'a> From<&'a str>;

    /// Reads the value of an unknown member.
    fn read<'de, A: MapAccess<'de>>(&mut self, name: Self::Name, map: &mut A) -> Result<(), A::Error>;
}

/// Unknown members are skipped.
#[derive(Default)]
pub(crate) struct Skipped;

impl From<&str> for Skipped {
    fn from(_name: &str) -> Self {
        Self
    }
}

impl Rest for Skipped {
    type Name = Self;
    fn read<'de, A: MapAccess<'de>>(&mut self, _name: Self, map: &mut A) -> Result<(), A::Error> {
        map.next_value::<IgnoredAny>().map(drop)
    }
}

/// Unknown members are kept.
impl Rest for Map<String, Value> {
    type Name = String;
    fn read<'de, A: MapAccess<'de>>(&mut self, name: String, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value()?;
        self.insert(name, value);
        Ok(())
    }
}

/// Reads an object in one encoding: the visitor behind every wire object.
///
/// A member is `field = "jsonName" | "another name"…`. The last of several members for one field wins, `null`
/// reads as [`Presence::null`](crate::wire::Presence::null). Unknown members are skipped, or kept in the
/// field given with `rest`. `..expr` fills the fields that are no members.
macro_rules! read_object {
    ($deserializer:ident as $encoding:ty => $name:ident $(, rest $rest:ident)? {
        $( $field:ident = $json:literal $(| $alias:pat_param)*, )*
        $( ..$base:expr )?
    }) => {{
        use serde::de;
        use $crate::wire::{Lenient, Presence, Rest, at_member};

        type Unknown = $crate::wire::read_object!(@rest $($rest)?);

        #[allow(non_camel_case_types, reason = "named as the fields are")]
        enum Member { $($field,)* Unknown(<Unknown as Rest>::Name) }

        impl<'de> de::Deserialize<'de> for Member {
            fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Name;
                impl de::Visitor<'_> for Name {
                    type Value = Member;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a member name")
                    }
                    #[allow(unreachable_patterns, reason = "one word is the same in either spelling")]
                    fn visit_str<E: de::Error>(self, name: &str) -> Result<Member, E> {
                        Ok(match name {
                            $( $json $(| $alias)* => Member::$field, )*
                            unknown => Member::Unknown(unknown.into()),
                        })
                    }
                }
                deserializer.deserialize_identifier(Name)
            }
        }

        struct Object;
        impl<'de> de::Visitor<'de> for Object {
            type Value = $name;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!("an object (", stringify!($name), ")"))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                $( let mut $field = Presence::absent(); )*
                let mut rest = Unknown::default();
                while let Some(member) = map.next_key()? {
                    match member {
                        $( Member::$field => match map.next_value::<Lenient<_, $encoding>>() {
                            Ok(member) => $field = member.value,
                            Err(error) => return Err(at_member($json, &error)),
                        }, )*
                        Member::Unknown(name) => rest.read(name, &mut map)?,
                    }
                }
                Ok($name { $($field,)* $($rest: rest,)? $(..$base)? })
            }
        }
        $deserializer.deserialize_map(Object)
    }};
    (@rest) => { $crate::wire::Skipped };
    (@rest $rest:ident) => { serde_json::Map<String, serde_json::Value> };
}

/// Defines a wire object: a plain struct with public fields, read and written as ProtoJSON.
///
/// A field is `pub name: Type = "jsonName"`. On input the JSON name and the Rust (snake_case) name
/// are both accepted, see [`read_object!`]. On output an absent field is left out, unless it is marked
/// `required`.
macro_rules! wire_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[$fmeta:meta])*
                pub $field:ident: $ty:ty = $json:literal $(, $required:ident)?;
            )*
        }
    ) => {
        $crate::wire::written_struct! {
            $(#[$meta])*
            pub struct $name {
                $( $(#[$fmeta])* pub $field: $ty = $json $(, $required)?; )*
            }
        }

        impl $crate::wire::Decode<$crate::wire::V1> for $name {
            fn decode<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
                $crate::wire::read_object!(value as $crate::wire::V1 => $name {
                    $( $field = $json | stringify!($field), )*
                })
            }
        }
    };
}

/// The part of [`wire_struct!`] without reading, which the type does itself with `Decode<V1>`.
macro_rules! written_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[$fmeta:meta])*
                pub $field:ident: $ty:ty = $json:literal $(, $required:ident)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$fmeta])* pub $field: $ty, )*
        }

        const _: () = {
            use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct as _};
            use $crate::wire::{Decode, Presence, V1, written_struct};

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    <Self as Decode<V1>>::decode(deserializer)
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    const MEMBERS: usize = [$($json),*].len();
                    let mut object = serializer.serialize_struct(stringify!($name), MEMBERS)?;
                    $( if written_struct!(@required $($required)?) || !Presence::is_absent(&self.$field) {
                        object.serialize_field($json, &self.$field)?;
                    } )*
                    object.end()
                }
            }

            impl Presence for $name {
                fn absent() -> Self {
                    Self::default()
                }
                fn is_absent(&self) -> bool {
                    *self == Self::default()
                }
            }
        };
    };
    (@required required) => { true };
    (@required) => { false };
}

/// Defines a wire object that is exactly one of several, told by which member is present.
///
/// A `null` member does not count as present; two present members are an error; with none the value is
/// `Unknown` with whatever members there were (none at all: an unset object).
macro_rules! wire_oneof {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$vmeta:meta])* $variant:ident($ty:ty) = $json:literal | $snake:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$vmeta])* $variant($ty), )*
            /// None of the members this version knows; what there was is kept. Empty: nothing was set.
            Unknown(serde_json::Map<String, serde_json::Value>),
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Unknown(serde_json::Map::new())
            }
        }

        $( impl From<$ty> for $name {
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        } )*

        const _: () = {
            use serde::{de, ser::SerializeMap as _};
            use $crate::wire::{Decode, Lenient, Presence, Rest as _, V1, at_member};

            enum Member { $($variant,)* Unknown(String) }

            impl<'de> de::Deserialize<'de> for Member {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct Name;
                    impl de::Visitor<'_> for Name {
                        type Value = Member;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str("a member name")
                        }
                        #[allow(unreachable_patterns, reason = "one word is the same in either spelling")]
                        fn visit_str<E: de::Error>(self, name: &str) -> Result<Member, E> {
                            Ok(match name {
                                $( $json | $snake => Member::$variant, )*
                                other => Member::Unknown(other.to_owned()),
                            })
                        }
                    }
                    deserializer.deserialize_identifier(Name)
                }
            }

            impl Decode<V1> for $name {
                fn decode<'de, D: de::Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
                    struct Object;
                    impl<'de> de::Visitor<'de> for Object {
                        type Value = $name;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str(concat!("an object (", stringify!($name), ")"))
                        }
                        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                            let mut set: Option<$name> = None;
                            let mut unknown = serde_json::Map::new();
                            while let Some(member) = map.next_key()? {
                                match member {
                                    $( Member::$variant => match map.next_value::<Lenient<Option<$ty>, V1>>() {
                                        Ok(Lenient { value: None, .. }) => {}
                                        Ok(_) if set.is_some() => {
                                            return Err(de::Error::custom(concat!(
                                                "`", $json, "`: only one member of ", stringify!($name), " may be set"
                                            )));
                                        }
                                        Ok(Lenient { value: Some(value), .. }) => set = Some($name::$variant(value)),
                                        Err(error) => return Err(at_member($json, &error)),
                                    }, )*
                                    Member::Unknown(_) if set.is_some() => {
                                        map.next_value::<de::IgnoredAny>()?;
                                    }
                                    Member::Unknown(name) => unknown.read(name, &mut map)?,
                                }
                            }
                            Ok(set.unwrap_or($name::Unknown(unknown)))
                        }
                    }
                    value.deserialize_map(Object)
                }
            }

            impl<'de> de::Deserialize<'de> for $name {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    <Self as Decode<V1>>::decode(deserializer)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        $( Self::$variant(value) => {
                            let mut object = serializer.serialize_map(Some(1))?;
                            object.serialize_entry($json, value)?;
                            object.end()
                        } )*
                        Self::Unknown(members) => members.serialize(serializer),
                    }
                }
            }

            impl Presence for $name {
                fn absent() -> Self {
                    Self::default()
                }
                fn is_absent(&self) -> bool {
                    matches!(self, Self::Unknown(members) if members.is_empty())
                }
            }
        };
    };
}

pub(crate) use {read_object, wire_oneof, wire_struct, written_struct};
