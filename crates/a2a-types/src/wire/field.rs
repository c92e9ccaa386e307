//! The presence rules of a member, by its Rust type.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

/// A member of a wire object: what it is when absent, and how its value is read.
///
/// `null` never reaches [`decode`](Self::decode): it reads as absent.
pub(crate) trait Field: Sized {
    fn absent() -> Self;
    fn is_absent(&self) -> bool;
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error>;
}

/// Reads a member, `null` as absent.
pub(crate) struct Lenient<T>(pub(crate) T);

impl<'de, T: Field> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NullIsAbsent<T>(PhantomData<T>);
        impl<'de, T: Field> Visitor<'de> for NullIsAbsent<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }
            fn visit_none<E: de::Error>(self) -> Result<T, E> {
                Ok(T::absent())
            }
            fn visit_unit<E: de::Error>(self) -> Result<T, E> {
                Ok(T::absent())
            }
            fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
                T::decode(value)
            }
        }
        deserializer.deserialize_option(NullIsAbsent(PhantomData)).map(Self)
    }
}

impl Field for String {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl Field for bool {
    fn absent() -> Self {
        false
    }
    fn is_absent(&self) -> bool {
        !self
    }
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl Field for i32 {
    fn absent() -> Self {
        0
    }
    fn is_absent(&self) -> bool {
        *self == 0
    }
    /// ProtoJSON `int32`: a number, an integral float, or a decimal string.
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        struct Int32;
        impl Visitor<'_> for Int32 {
            type Value = i32;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a 32-bit integer")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<i32, E> {
                i32::try_from(v).map_err(|_| E::invalid_value(de::Unexpected::Signed(v), &self))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<i32, E> {
                i32::try_from(v).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(v), &self))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<i32, E> {
                if v.fract() != 0.0 || v < f64::from(i32::MIN) || v > f64::from(i32::MAX) {
                    return Err(E::invalid_value(de::Unexpected::Float(v), &self));
                }
                #[expect(clippy::cast_possible_truncation, reason = "integral and in range")]
                Ok(v as i32)
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<i32, E> {
                if let Ok(int) = v.parse::<i32>() {
                    return Ok(int);
                }
                match v.parse::<f64>() {
                    Ok(float) => self.visit_f64(float),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Str(v), &self)),
                }
            }
        }
        value.deserialize_any(Int32)
    }
}

impl<T: Field> Field for Option<T> {
    fn absent() -> Self {
        None
    }
    fn is_absent(&self) -> bool {
        self.is_none()
    }
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        T::decode(value).map(Some)
    }
}

impl<T: Field> Field for Box<T> {
    fn absent() -> Self {
        Self::new(T::absent())
    }
    fn is_absent(&self) -> bool {
        T::is_absent(self)
    }
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        T::decode(value).map(Self::new)
    }
}

impl<T: DeserializeOwned> Field for Vec<T> {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for List<T> {
            type Value = Vec<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
                let mut items = Vec::new();
                loop {
                    match seq.next_element() {
                        Ok(Some(item)) => items.push(item),
                        Ok(None) => return Ok(items),
                        Err(error) => return Err(at_index(items.len(), &error)),
                    }
                }
            }
        }
        value.deserialize_seq(List(PhantomData))
    }
}

impl<T: DeserializeOwned> Field for BTreeMap<String, T> {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl Field for Map<String, Value> {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

/// Puts a member name in front of an error: ``data is wrong`` becomes `` `member`: data is wrong``,
/// and an error that already has a path gets a longer one.
#[cold]
pub(crate) fn at_member<E: de::Error>(name: &str, error: &E) -> E {
    let text = error.to_string();
    E::custom(match text.strip_prefix('`') {
        Some(path) if path.starts_with('[') => format!("`{name}{path}"),
        Some(path) => format!("`{name}.{path}"),
        None => format!("`{name}`: {text}"),
    })
}

/// Puts a list index in front of an error, as [`at_member`] does a name.
#[cold]
fn at_index<E: de::Error>(index: usize, error: &E) -> E {
    at_member(&format!("[{index}]"), error)
}
