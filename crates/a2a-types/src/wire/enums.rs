//! The macro for enums that newer peers may extend.

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

            /// The value with this wire name; an unknown name is kept.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $( $wire => Self::$variant, )*
                    other => Self::Other(other.to_owned()),
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
            use serde::de;
            use $crate::wire::Field;

            impl<'de> de::Deserialize<'de> for $name {
                fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct NameOrNumber;
                    impl de::Visitor<'_> for NameOrNumber {
                        type Value = $name;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str(concat!("a ", stringify!($name), " name or number"))
                        }
                        fn visit_str<E: de::Error>(self, name: &str) -> Result<$name, E> {
                            Ok($name::from_name(name))
                        }
                        fn visit_i64<E: de::Error>(self, number: i64) -> Result<$name, E> {
                            Ok($name::from_number(number))
                        }
                        fn visit_u64<E: de::Error>(self, number: u64) -> Result<$name, E> {
                            Ok(match i64::try_from(number) {
                                Ok(number) => $name::from_number(number),
                                Err(_) => $name::Other(number.to_string()),
                            })
                        }
                        fn visit_f64<E: de::Error>(self, number: f64) -> Result<$name, E> {
                            match format!("{number}").parse() {
                                Ok(number) => Ok($name::from_number(number)),
                                Err(_) => Err(E::invalid_value(de::Unexpected::Float(number), &self)),
                            }
                        }
                    }
                    deserializer.deserialize_any(NameOrNumber)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        Self::Other(digits) => match digits.parse::<i64>() {
                            Ok(number) => serializer.serialize_i64(number),
                            Err(_) => serializer.serialize_str(digits),
                        },
                        known => serializer.serialize_str(known.as_str()),
                    }
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
}

pub(crate) use open_enum;
