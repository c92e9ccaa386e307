//! Points in time as the wire writes them (§5.6.1).

use std::{
    fmt,
    hash::{Hash, Hasher},
    time::{Duration, SystemTime},
};

use jiff::{civil::DateTime, tz::Offset};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        self, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};
use serde_json::Value;

/// A timestamp, kept as the text it came as.
///
/// Peers write offsets, leave out the zone or worse; a timestamp never fails the object it stands in, not even
/// one that is no string: its JSON is the text then.
/// [`to_system_time`](Self::to_system_time) reads what can be read, and serialising writes UTC with
/// milliseconds and `Z` where it can, the original text where it cannot. Timestamps are equal if they
/// serialise alike.
#[derive(Debug, Clone, Default)]
pub struct Timestamp(String);

impl Timestamp {
    /// A timestamp from its text, which is not checked.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it came.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The time, if the text can be read: RFC 3339 with any offset; without a zone it is UTC.
    pub fn to_system_time(&self) -> Option<SystemTime> {
        SystemTime::try_from(self.to_jiff()?).ok()
    }

    /// The text in canonical form, `YYYY-MM-DDTHH:MM:SS.sssZ`; as it came if it cannot be read.
    pub fn to_canonical(&self) -> String {
        self.to_jiff().map_or_else(|| self.0.clone(), canonical)
    }

    fn to_jiff(&self) -> Option<jiff::Timestamp> {
        self.0.parse().ok().or_else(|| {
            let civil: DateTime = self.0.parse().ok()?;
            Offset::UTC.to_timestamp(civil).ok()
        })
    }
}

/// Beyond the years -9999 and 9999 the time saturates.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let saturated = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) if after > Duration::ZERO => jiff::Timestamp::MAX,
            Ok(_) | Err(_) => jiff::Timestamp::MIN,
        };
        Self(canonical(jiff::Timestamp::try_from(time).unwrap_or(saturated)))
    }
}

fn canonical(time: jiff::Timestamp) -> String {
    format!("{time:.3}")
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.to_canonical() == other.to_canonical()
    }
}

impl Eq for Timestamp {}

impl Hash for Timestamp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_canonical().hash(state);
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_canonical())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyText;
        impl<'de> Visitor<'de> for AnyText {
            type Value = String;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a timestamp")
            }
            fn visit_string<E: de::Error>(self, text: String) -> Result<String, E> {
                Ok(text)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
                Ok(text.to_owned())
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<String, E> {
                Ok(value.to_string())
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<String, E> {
                Ok(value.to_string())
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<String, E> {
                Ok(value.to_string())
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<String, E> {
                Ok(value.to_string())
            }
            fn visit_unit<E: de::Error>(self) -> Result<String, E> {
                Ok(String::new())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<String, A::Error> {
                Value::deserialize(SeqAccessDeserializer::new(seq)).map(|value| value.to_string())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<String, A::Error> {
                Value::deserialize(MapAccessDeserializer::new(map)).map(|value| value.to_string())
            }
        }
        deserializer.deserialize_any(AnyText).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_form_is_utc_with_milliseconds() {
        for (text, expect) in [
            ("2026-03-04T07:15:30.250Z", "2026-03-04T07:15:30.250Z"),
            ("2026-03-04T07:15:30Z", "2026-03-04T07:15:30.000Z"),
            ("2026-03-04T07:15:30.123456789Z", "2026-03-04T07:15:30.123Z"),
            ("2026-03-04T09:15:30+02:00", "2026-03-04T07:15:30.000Z"),
            ("2026-03-04T07:15:30.1", "2026-03-04T07:15:30.100Z"),
            ("2026-03-04 07:15:30", "2026-03-04T07:15:30.000Z"),
            ("yesterday", "yesterday"),
            ("", ""),
        ] {
            assert_eq!(Timestamp::from_text(text).to_canonical(), expect, "{text}");
        }
    }

    #[test]
    fn system_time_round_trips_to_the_millisecond() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_772_608_530_250);
        assert_eq!(Timestamp::from(time).as_str(), "2026-03-04T07:15:30.250Z");
        assert_eq!(Timestamp::from(time).to_system_time(), Some(time));
    }
}
