//! The presence rules of a member, by its Rust type, and how its value is read.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::{base64, json::RawJson, timestamp::Timestamp};

/// The encoding of version 1.0.
pub(crate) enum V1 {}

/// The encoding of version 0.3, in either of its dialects.
pub(crate) enum V03 {}

/// Whether a member is left out when it is written.
pub(crate) trait Presence {
    fn is_absent(&self) -> bool;
}

/// How a value is read in encoding `V`. An absent one is the default.
///
/// Reading is in place, as wire objects are large and nested: moving them up level by level would cost as much as
/// parsing them.
pub(crate) trait Decode<V>: Default {
    /// Reads into `self`, which is the default before.
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error>;

    /// What `null` means as a member: absent, but for members whose value may be `null`.
    fn null() -> Self {
        Self::default()
    }
}

/// Reads a value in encoding `V`.
pub(crate) fn decode<'de, V, T: Decode<V>, D: Deserializer<'de>>(value: D) -> Result<T, D::Error> {
    let mut read = T::default();
    read.decode_into(value)?;
    Ok(read)
}

/// Reads a member in encoding `V`, `null` as [`Decode::null`].
pub(crate) struct Member<'a, T, V>(&'a mut T, PhantomData<V>);

impl<'a, T, V> Member<'a, T, V> {
    pub(crate) fn new(member: &'a mut T) -> Self {
        Self(member, PhantomData)
    }
}

impl<'de, V, T: Decode<V>> DeserializeSeed<'de> for Member<'_, T, V> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_option(self)
    }
}

impl<'de, V, T: Decode<V>> Visitor<'de> for Member<'_, T, V> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }
    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        *self.0 = T::null();
        Ok(())
    }
    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.visit_none()
    }
    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        self.0.decode_into(value)
    }
}

/// Types that serde reads as we do.
macro_rules! as_serde_reads {
    ($($name:ty),*) => { $(
        impl<V> Decode<V> for $name {
            fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
                *self = Self::deserialize(value)?;
                Ok(())
            }
        }
    )* };
}

as_serde_reads!(String, bool, Map<String, Value>, Value, RawJson, Timestamp, base64::Decoded);

macro_rules! absent_if {
    ($($name:ty: $is_absent:expr;)*) => { $(
        impl Presence for $name {
            fn is_absent(&self) -> bool {
                $is_absent(self)
            }
        }
    )* };
}

absent_if! {
    String: Self::is_empty;
    bool: |flag: &bool| !flag;
    i32: |number: &i32| *number == 0;
    Map<String, Value>: Self::is_empty;
}

impl<T> Presence for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Presence for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Presence for BTreeMap<String, T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// ProtoJSON `int32`: a number, an integral float, or a decimal string.
impl<V> Decode<V> for i32 {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
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
        *self = value.deserialize_any(Int32)?;
        Ok(())
    }
}

impl<V, T: Decode<V>> Decode<V> for Option<T> {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        self.insert(T::default()).decode_into(value)
    }
}

impl<V, T: Decode<V>> Decode<V> for Box<T> {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        T::decode_into(self, value)
    }
}

impl<V, T: Decode<V>> Decode<V> for Vec<T> {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        struct List<'a, T, V>(&'a mut Vec<T>, PhantomData<V>);
        impl<'de, V, T: Decode<V>> Visitor<'de> for List<'_, T, V> {
            type Value = ();
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
                loop {
                    match seq.next_element_seed(NewItem(&mut *self.0, PhantomData::<V>)) {
                        Ok(Some(())) => {}
                        Ok(None) => return Ok(()),
                        Err(error) => return Err(at_index(self.0.len().saturating_sub(1), &error)),
                    }
                }
            }
        }
        self.clear();
        value.deserialize_seq(List(self, PhantomData::<V>))
    }
}

/// Reads one more item of a list.
struct NewItem<'a, T, V>(&'a mut Vec<T>, PhantomData<V>);

impl<'de, V, T: Decode<V>> DeserializeSeed<'de> for NewItem<'_, T, V> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        self.0.push(T::default());
        self.0.last_mut().map_or(Ok(()), |item| item.decode_into(value))
    }
}

impl<V, T: Decode<V>> Decode<V> for BTreeMap<String, T> {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        struct Entries<'a, T, V>(&'a mut BTreeMap<String, T>, PhantomData<V>);
        impl<'de, V, T: Decode<V>> Visitor<'de> for Entries<'_, T, V> {
            type Value = ();
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
                while let Some(name) = map.next_key::<String>()? {
                    let mut value = T::default();
                    if let Err(error) = map.next_value_seed(Member::<_, V>::new(&mut value)) {
                        return Err(at_member(&name, &error));
                    }
                    self.0.insert(name, value);
                }
                Ok(())
            }
        }
        self.clear();
        value.deserialize_map(Entries(self, PhantomData::<V>))
    }
}

/// A free JSON member, for which `null` is a value.
#[derive(Default)]
pub(crate) struct RawMember(pub(crate) Option<RawJson>);

impl<V> Decode<V> for RawMember {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        self.0 = Some(RawJson::deserialize(value)?);
        Ok(())
    }

    fn null() -> Self {
        Self(Some(RawJson::null()))
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
