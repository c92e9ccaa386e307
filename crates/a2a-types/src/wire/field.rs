//! The presence rules of a member, by its Rust type, and how its value is read.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::json::RawJson;

/// The encoding of version 1.0.
pub(crate) enum V1 {}

/// The encoding of version 0.3, in either of its dialects.
pub(crate) enum V03 {}

/// A member of a wire object: what it is when it is not there.
pub(crate) trait Presence: Sized {
    fn absent() -> Self;
    fn is_absent(&self) -> bool;
    /// What `null` means: absent, but for members whose value may be `null`.
    fn null() -> Self {
        Self::absent()
    }
}

/// How a value is read in encoding `V`. `null` never reaches it as a member: see [`Lenient`].
pub(crate) trait Decode<V>: Sized {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error>;
}

/// Reads a member in encoding `V`, `null` as [`Presence::null`].
pub(crate) struct Lenient<T, V> {
    pub(crate) value: T,
    encoding: PhantomData<V>,
}

impl<'de, V, T: Presence + Decode<V>> Deserialize<'de> for Lenient<T, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueOrNull<T, V>(PhantomData<(T, V)>);
        impl<'de, V, T: Presence + Decode<V>> Visitor<'de> for ValueOrNull<T, V> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }
            fn visit_none<E: de::Error>(self) -> Result<T, E> {
                Ok(T::null())
            }
            fn visit_unit<E: de::Error>(self) -> Result<T, E> {
                Ok(T::null())
            }
            fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
                T::decode(value)
            }
        }
        let value = deserializer.deserialize_option(ValueOrNull(PhantomData))?;
        Ok(Self { value, encoding: PhantomData })
    }
}

/// Reads an element of a list or a map in encoding `V`.
struct Element<T, V>(PhantomData<(T, V)>);

impl<'de, V, T: Decode<V>> DeserializeSeed<'de> for Element<T, V> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
        T::decode(value)
    }
}

impl Presence for String {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<V> Decode<V> for String {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl Presence for bool {
    fn absent() -> Self {
        false
    }
    fn is_absent(&self) -> bool {
        !self
    }
}

impl<V> Decode<V> for bool {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl Presence for i32 {
    fn absent() -> Self {
        0
    }
    fn is_absent(&self) -> bool {
        *self == 0
    }
}

/// ProtoJSON `int32`: a number, an integral float, or a decimal string.
impl<V> Decode<V> for i32 {
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

impl<T> Presence for Option<T> {
    fn absent() -> Self {
        None
    }
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<V, T: Decode<V>> Decode<V> for Option<T> {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        T::decode(value).map(Some)
    }
}

impl<T> Presence for Vec<T> {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<V, T: Decode<V>> Decode<V> for Vec<T> {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        struct List<T, V>(PhantomData<(T, V)>);
        impl<'de, V, T: Decode<V>> Visitor<'de> for List<T, V> {
            type Value = Vec<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
                let mut items = Vec::new();
                loop {
                    match seq.next_element_seed(Element(PhantomData)) {
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

impl<T> Presence for BTreeMap<String, T> {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<V, T: Decode<V>> Decode<V> for BTreeMap<String, T> {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        struct Entries<T, V>(PhantomData<(T, V)>);
        impl<'de, V, T: Decode<V>> Visitor<'de> for Entries<T, V> {
            type Value = BTreeMap<String, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some(name) = map.next_key::<String>()? {
                    match map.next_value_seed(Element(PhantomData)) {
                        Ok(value) => entries.insert(name, value),
                        Err(error) => return Err(at_member(&name, &error)),
                    };
                }
                Ok(entries)
            }
        }
        value.deserialize_map(Entries(PhantomData))
    }
}

impl Presence for Map<String, Value> {
    fn absent() -> Self {
        Self::new()
    }
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<V> Decode<V> for Map<String, Value> {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl Presence for Value {
    fn absent() -> Self {
        Self::Null
    }
    fn is_absent(&self) -> bool {
        self.is_null()
    }
}

impl<V> Decode<V> for Value {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl<V> Decode<V> for RawJson {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

/// A free JSON member, for which `null` is a value.
pub(crate) struct RawMember(pub(crate) Option<RawJson>);

impl Presence for RawMember {
    fn absent() -> Self {
        Self(None)
    }
    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
    fn null() -> Self {
        Self(Some(RawJson::null()))
    }
}

impl<V> Decode<V> for RawMember {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        RawJson::deserialize(value).map(|json| Self(Some(json)))
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
