//! The macros that define wire objects.

/// Defines a wire object: a plain struct with public fields, read and written as ProtoJSON.
///
/// A field is `pub name: Type = "jsonName"`. On input the JSON name and the Rust (snake_case) name
/// are both accepted, the later one wins, `null` reads as absent and unknown members are skipped. On
/// output an absent field is left out, unless it is marked `required`. `new(…)` takes the fields
/// marked `required in new`.
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
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$fmeta])* pub $field: $ty, )*
        }

        const _: () = {
            use serde::{de, ser::SerializeStruct as _};
            use $crate::wire::{Field, Lenient, at_member};

            #[allow(non_camel_case_types)]
            enum Member { $($field,)* Unknown }

            impl<'de> de::Deserialize<'de> for Member {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct Name;
                    impl de::Visitor<'_> for Name {
                        type Value = Member;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str("a member name")
                        }
                        #[allow(unreachable_patterns)]
                        fn visit_str<E: de::Error>(self, name: &str) -> Result<Member, E> {
                            Ok(match name {
                                $( $json | stringify!($field) => Member::$field, )*
                                _ => Member::Unknown,
                            })
                        }
                    }
                    deserializer.deserialize_identifier(Name)
                }
            }

            impl<'de> de::Deserialize<'de> for $name {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct Object;
                    impl<'de> de::Visitor<'de> for Object {
                        type Value = $name;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str(concat!("an object (", stringify!($name), ")"))
                        }
                        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                            $( let mut $field = <$ty as Field>::absent(); )*
                            while let Some(member) = map.next_key()? {
                                match member {
                                    $( Member::$field => match map.next_value() {
                                        Ok(Lenient(value)) => $field = value,
                                        Err(error) => return Err(at_member($json, &error)),
                                    }, )*
                                    Member::Unknown => { map.next_value::<de::IgnoredAny>()?; }
                                }
                            }
                            Ok($name { $($field),* })
                        }
                    }
                    deserializer.deserialize_map(Object)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    const MEMBERS: usize = [$($json),*].len();
                    let mut object = serializer.serialize_struct(stringify!($name), MEMBERS)?;
                    $( if wire_struct!(@required $($required)?) || !Field::is_absent(&self.$field) {
                        object.serialize_field($json, &self.$field)?;
                    } )*
                    object.end()
                }
            }

            impl Field for $name {
                fn absent() -> Self {
                    Self::default()
                }
                fn is_absent(&self) -> bool {
                    *self == Self::default()
                }
                fn decode<'de, D: de::Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
                    de::Deserialize::deserialize(value)
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
            use $crate::wire::{Field, Lenient, at_member};

            enum Member { $($variant,)* Unknown(String) }

            impl<'de> de::Deserialize<'de> for Member {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct Name;
                    impl de::Visitor<'_> for Name {
                        type Value = Member;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str("a member name")
                        }
                        #[allow(unreachable_patterns)]
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

            impl<'de> de::Deserialize<'de> for $name {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
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
                                    $( Member::$variant => match map.next_value::<Lenient<Option<$ty>>>() {
                                        Ok(Lenient(None)) => {}
                                        Ok(Lenient(Some(_))) if set.is_some() => {
                                            return Err(de::Error::custom(concat!(
                                                "`", $json, "`: only one member of ", stringify!($name), " may be set"
                                            )));
                                        }
                                        Ok(Lenient(Some(value))) => set = Some($name::$variant(value)),
                                        Err(error) => return Err(at_member($json, &error)),
                                    }, )*
                                    Member::Unknown(_) if set.is_some() => {
                                        map.next_value::<de::IgnoredAny>()?;
                                    }
                                    Member::Unknown(name) => {
                                        unknown.insert(name, map.next_value()?);
                                    }
                                }
                            }
                            Ok(set.unwrap_or($name::Unknown(unknown)))
                        }
                    }
                    deserializer.deserialize_map(Object)
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

            impl Field for $name {
                fn absent() -> Self {
                    Self::default()
                }
                fn is_absent(&self) -> bool {
                    matches!(self, Self::Unknown(members) if members.is_empty())
                }
                fn decode<'de, D: de::Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
                    de::Deserialize::deserialize(value)
                }
            }
        };
    };
}

pub(crate) use {wire_oneof, wire_struct};
