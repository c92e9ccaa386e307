//! How AgentScope's objects are read and written, said once.
//!
//! AgentScope writes every field, `null` included, and reads strictly: a missing field takes its default or is
//! an error, `null` is an error unless the type allows it, unknown fields are dropped. [`record!`] defines such
//! an object, [`tagged!`] a choice between several that is told by `type`, [`closed_enum!`] an enum of strings.

use serde::de::{self, DeserializeOwned};
use serde_json::{Map, Value};

/// Defines an object: a plain struct with public fields.
///
/// Fields are written in the order given. `type "tag";` (or `type;` for none) stands where the `type` member is
/// written; on input it may be missing, but if present it must be the tag. `as "name"` is the name of a member that is not
/// called like its field, `= default` makes a field optional on input,
/// `via path` reads its value with the function at `path`, and `check path;` has the last word on what was read.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$ameta:meta])* pub $a:ident: $at:ty $(as $aw:literal)? $(= $ad:expr)? $(, via $av:path)?; )*
            type $($tag:literal)?;
            $( $(#[$bmeta:meta])* pub $b:ident: $bt:ty $(as $bw:literal)? $(= $bd:expr)? $(, via $bv:path)?; )*
            $( check $check:path; )?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$ameta])* pub $a: $at, )*
            $( $(#[$bmeta])* pub $b: $bt, )*
        }

        const _: () = {
            use serde::{de, ser::SerializeStruct as _};

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    const MEMBERS: usize =
                        [$(stringify!($a),)* $($tag,)? $(stringify!($b),)*].len();
                    let mut object = serializer.serialize_struct(stringify!($name), MEMBERS)?;
                    $( object.serialize_field(record!(@wire $a $(, $aw)?), &self.$a)?; )*
                    $( object.serialize_field("type", $tag)?; )?
                    $( object.serialize_field(record!(@wire $b $(, $bw)?), &self.$b)?; )*
                    object.end()
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
                            $( let mut $a: Option<$at> = None; )*
                            $( let mut $b: Option<$bt> = None; )*
                            while let Some(member) = map.next_key::<String>()? {
                                match member.as_str() {
                                    $( record!(@wire $a $(, $aw)?) => $a = Some(record!(@read map, $at $(, $av)?)), )*
                                    $( record!(@wire $b $(, $bw)?) => $b = Some(record!(@read map, $bt $(, $bv)?)), )*
                                    $( "type" => {
                                        let found: String = map.next_value()?;
                                        if found != $tag {
                                            return Err(de::Error::custom(format_args!(
                                                "`type` is {found:?} instead of {:?}", $tag
                                            )));
                                        }
                                    } )?
                                    _ => { map.next_value::<de::IgnoredAny>()?; }
                                }
                            }
                            let read = $name {
                                $( $a: record!(@value $a, record!(@wire $a $(, $aw)?) $(, $ad)?), )*
                                $( $b: record!(@value $b, record!(@wire $b $(, $bw)?) $(, $bd)?), )*
                            };
                            $( $check(&read).map_err(de::Error::custom)?; )?
                            Ok(read)
                        }
                    }
                    deserializer.deserialize_map(Object)
                }
            }
        };
    };
    (@read $map:ident, $t:ty) => { $map.next_value::<$t>()? };
    (@read $map:ident, $t:ty, $via:path) => { $via($map.next_value()?)? };
    (@value $field:ident, $name:expr) => { $field.ok_or_else(|| de::Error::missing_field($name))? };
    (@value $field:ident, $name:expr, $default:expr) => { $field.unwrap_or_else(|| $default) };
    (@wire $field:ident) => { stringify!($field) };
    (@wire $field:ident, $name:literal) => { $name };
}

/// Defines a choice between objects, told by their `type` member.
///
/// `untyped(path)` names the function that finds the type of an object that does not say it.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        pub enum $name:ident, untyped($untyped:path) {
            $( $(#[$vmeta:meta])* $variant:ident($record:ty) = $tag:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$vmeta])* $variant($record), )*
        }

        $( impl From<$record> for $name {
            fn from(record: $record) -> Self {
                Self::$variant(record)
            }
        } )*

        const _: () = {
            use serde::de;

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        $( Self::$variant(record) => record.serialize(serializer), )*
                    }
                }
            }

            impl<'de> de::Deserialize<'de> for $name {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let object = serde_json::Map::deserialize(deserializer)?;
                    let tag = match object.get("type") {
                        Some(serde_json::Value::String(tag)) => tag.as_str(),
                        Some(_) => return Err(de::Error::custom("`type` is not a string")),
                        None => $untyped(&object)
                            .ok_or_else(|| de::Error::missing_field("type"))?,
                    };
                    match tag {
                        $( $tag => $crate::wire::from_object(object).map(Self::$variant), )*
                        other => Err(de::Error::unknown_variant(other, &[$($tag),*])),
                    }
                }
            }
        };
    };
}

/// Defines an enum of strings; an unknown one is an error.
macro_rules! closed_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$vmeta:meta])* $variant:ident = $wire:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$vmeta])* $variant, )*
        }

        impl $name {
            /// The value on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $wire, )*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                match text.as_str() {
                    $( $wire => Ok(Self::$variant), )*
                    other => Err(serde::de::Error::unknown_variant(other, &[$($wire),*])),
                }
            }
        }
    };
}

pub(crate) use {closed_enum, record, tagged};

/// Reads a record from an object that is already in memory.
pub(crate) fn from_object<T: DeserializeOwned, E: de::Error>(object: Map<String, Value>) -> Result<T, E> {
    T::deserialize(Value::Object(object)).map_err(E::custom)
}

/// The type of an object without `type`, where there is no way to tell.
pub(crate) fn unknown_type(_: &Map<String, Value>) -> Option<&'static str> {
    None
}

/// Reads an integer as AgentScope does: `1`, `1.0` and `"1"` are the same.
pub(crate) fn integer<E: de::Error>(value: Value) -> Result<i64, E> {
    let read = match &value {
        Value::Number(number) => number.as_i64().or_else(|| integral(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    read.ok_or_else(|| E::custom(format_args!("{value} is not an integer")))
}

fn integral(number: f64) -> Option<i64> {
    // Beyond 2^53 a float no longer says which integer it is.
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "integral and in range")]
    (number.fract() == 0.0 && number.abs() <= LIMIT).then_some(number as i64)
}
