//! Points in time as the wire writes them (§5.6.1).

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use jiff::{civil::DateTime, tz::Offset};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wire::{Decode, Presence};

/// A timestamp, kept as the text it came as.
///
/// Peers write offsets, leave out the zone or worse; a timestamp never fails the object it stands in.
/// [`to_system_time`](Self::to_system_time) reads what can be read, and serialising writes UTC with
/// milliseconds and `Z` where it can, the original text where it cannot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_canonical())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

impl Presence for Timestamp {
    fn absent() -> Self {
        Self(String::new())
    }
    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> Decode<V> for Timestamp {
    fn decode<'de, D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
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
