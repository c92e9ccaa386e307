//! The macros that define wire objects.

use std::fmt;

use serde::{
    Deserializer,
    de::{self, DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::field::{Decode, V1};

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
pub(crate) type Kept = Option<Map<String, Value>>;

impl Rest for Kept {
    type Name = String;
    fn read<'de, A: MapAccess<'de>>(&mut self, name: String, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value()?;
        self.get_or_insert_default().insert(name, value);
        Ok(())
    }
}

/// Reads an object in one encoding into a struct: the visitor behind every wire object.
///
/// A member is `field = "jsonName" | "another name"…`. The last of several members for one field wins, `null`
/// reads as [`Decode::null`](crate::wire::Decode::null). Unknown members are skipped, or kept in the
/// field given with `rest`. Fields that are not mentioned stay as they are.
macro_rules! read_object {
    ($deserializer:ident as $encoding:ty, $target:expr => $name:ident $(, rest $rest:ident)? {
        $( $field:ident = $json:literal $(| $alias:pat_param)*, )*
    }) => {{
        use serde::de;
        use $crate::wire::{Member, Rest, at_member};

        type Unknown = $crate::wire::read_object!(@rest $($rest)?);

        #[allow(non_camel_case_types, reason = "named as the fields are")]
        enum Name { $($field,)* Unknown(<Unknown as Rest>::Name) }

        #[allow(non_camel_case_types, reason = "named as the fields are")]
        enum Index { $($field,)* }

        impl<'de> de::Deserialize<'de> for Name {
            fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct OfMember;
                impl de::Visitor<'_> for OfMember {
                    type Value = Name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a member name")
                    }
                    #[allow(unreachable_patterns, reason = "one word is the same in either spelling")]
                    fn visit_str<E: de::Error>(self, name: &str) -> Result<Name, E> {
                        Ok(match name {
                            $( $json $(| $alias)* => Name::$field, )*
                            unknown => Name::Unknown(unknown.into()),
                        })
                    }
                }
                deserializer.deserialize_identifier(OfMember)
            }
        }

        struct Object<'a>(&'a mut $name);
        impl<'de> de::Visitor<'de> for Object<'_> {
            type Value = ();
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!("an object (", stringify!($name), ")"))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
                $crate::wire::read_object!(@unknown rest, self $(, $rest)?);
                let mut seen = 0_u64;
                while let Some(found) = map.next_key()? {
                    match found {
                        $( Name::$field => {
                            let bit = 1 << Index::$field as u32;
                            if seen & bit != 0 {
                                self.0.$field = Default::default();
                            }
                            seen |= bit;
                            if let Err(error) = map.next_value_seed(Member::<_, $encoding>::new(&mut self.0.$field)) {
                                return Err(at_member($json, &error));
                            }
                        } )*
                        Name::Unknown(unknown) => rest.read(unknown, &mut map)?,
                    }
                }
                Ok(())
            }
        }
        $deserializer.deserialize_map(Object($target))
    }};
    (@rest) => { $crate::wire::Skipped };
    (@rest $rest:ident) => { $crate::wire::Kept };
    (@unknown $name:ident, $self:ident) => { let mut $name = $crate::wire::Skipped; };
    (@unknown $name:ident, $self:ident, $rest:ident) => { let $name = &mut $self.0.$rest; };
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
            fn decode_into<'de, D: serde::Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
                $crate::wire::read_object!(value as $crate::wire::V1, self => $name {
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
            use $crate::wire::{Presence, V1, decode, written_struct};

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    decode::<V1, _, _>(deserializer)
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
                fn is_absent(&self) -> bool {
                    *self == Self::default()
                }
            }
        };
    };
    (@required required) => { true };
    (@required) => { false };
}

/// Reads the member that makes an object one of several; `null` does not.
pub(crate) struct Choice<'a, E, T> {
    pub(crate) object: &'a mut E,
    pub(crate) is_set: &'a mut bool,
    pub(crate) choose: fn(&mut E) -> &mut T,
}

impl<'de, E, T: Decode<V1>> DeserializeSeed<'de> for Choice<'_, E, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_option(self)
    }
}

impl<'de, E, T: Decode<V1>> Visitor<'de> for Choice<'_, E, T> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }
    fn visit_none<E2: de::Error>(self) -> Result<(), E2> {
        Ok(())
    }
    fn visit_unit<E2: de::Error>(self) -> Result<(), E2> {
        Ok(())
    }
    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        if std::mem::replace(self.is_set, true) {
            return Err(de::Error::custom("only one member may be set"));
        }
        (self.choose)(self.object).decode_into(value)
    }
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
            use $crate::wire::{Choice, Decode, Kept, Presence, Rest as _, V1, at_member, decode};

            enum Name { $($variant,)* Unknown(String) }

            impl<'de> de::Deserialize<'de> for Name {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct OfMember;
                    impl de::Visitor<'_> for OfMember {
                        type Value = Name;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str("a member name")
                        }
                        #[allow(unreachable_patterns, reason = "one word is the same in either spelling")]
                        fn visit_str<E: de::Error>(self, name: &str) -> Result<Name, E> {
                            Ok(match name {
                                $( $json | $snake => Name::$variant, )*
                                other => Name::Unknown(other.to_owned()),
                            })
                        }
                    }
                    deserializer.deserialize_identifier(OfMember)
                }
            }

            struct Object<'a>(&'a mut $name);
            impl<'de> de::Visitor<'de> for Object<'_> {
                type Value = ();
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str(concat!("an object (", stringify!($name), ")"))
                }
                fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
                    let mut is_set = false;
                    let mut unknown = Kept::default();
                    while let Some(name) = map.next_key()? {
                        match name {
                            $( Name::$variant => {
                                let choice = Choice { object: &mut *self.0, is_set: &mut is_set, choose: |object| {
                                    *object = $name::$variant(<$ty>::default());
                                    match object {
                                        $name::$variant(value) => value,
                                        _ => unreachable!("chosen just now"),
                                    }
                                } };
                                if let Err(error) = map.next_value_seed(choice) {
                                    return Err(at_member($json, &error));
                                }
                            } )*
                            Name::Unknown(name) => unknown.read(name, &mut map)?,
                        }
                    }
                    if !is_set {
                        *self.0 = $name::Unknown(unknown.unwrap_or_default());
                    }
                    Ok(())
                }
            }

            impl Decode<V1> for $name {
                fn decode_into<'de, D: de::Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
                    value.deserialize_map(Object(self))
                }
            }

            impl<'de> de::Deserialize<'de> for $name {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    decode::<V1, _, _>(deserializer)
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
                fn is_absent(&self) -> bool {
                    matches!(self, Self::Unknown(members) if members.is_empty())
                }
            }
        };
    };
}

pub(crate) use {read_object, wire_oneof, wire_struct, written_struct};
