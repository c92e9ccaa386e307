//! The real sources of ids, time and randomness: the only place of the client side that reads a clock or
//! entropy.

use std::{sync::Arc, time::Duration};

use a2a_translate::{Clock, IdSource};
use jiff::{ZonedDateTime, civil::DateTime};

/// Ids as AgentScope writes them: random UUIDs of version 4, 32 lower-case hex digits.
///
/// Each agent has a small generator of its own, seeded by the operating system. The ids are unique, not
/// secret.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RandomIds {
    generator: fastrand::Rng,
}

impl RandomIds {
    /// A generator with a seed of its own.
    pub fn new() -> Self {
        Self::default()
    }
}

impl IdSource for RandomIds {
    fn next_id(&mut self) -> Arc<str> {
        let random = self.generator.u128(..);
        // RFC 9562: version 4, variant 10.
        let uuid = random & !(0xF000 << 64 | 0xC000 << 48) | 0x4000 << 64 | 0x8000 << 48;
        format!("{uuid:032x}").into()
    }
}

/// Local time as AgentScope writes it: ISO 8601 without a zone, with six digits of fraction.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct LocalClock;

impl Clock for LocalClock {
    fn now(&mut self) -> Arc<str> {
        iso_format(ZonedDateTime::now().datetime()).into()
    }
}

/// As Python's `isoformat`: no fraction at all when the microseconds are zero.
fn iso_format(time: DateTime) -> String {
    let whole_second = time.subsec_nanosecond() < 1_000;
    if whole_second { format!("{time:.0}") } else { format!("{time:.6}") }
}

/// Makes the sources of ids and times, anew for every reply.
pub(crate) struct Sources {
    pub(crate) ids: Box<dyn Fn() -> Box<dyn IdSource> + Send + Sync>,
    pub(crate) clock: Box<dyn Fn() -> Box<dyn Clock> + Send + Sync>,
}

impl Default for Sources {
    fn default() -> Self {
        Self { ids: Box::new(|| Box::new(RandomIds::new())), clock: Box::new(|| Box::new(LocalClock)) }
    }
}

/// A delay that no two clients share: between half of it and all of it.
pub(crate) fn jittered(delay: Duration) -> Duration {
    delay.mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hex_uuids_of_version_4() {
        let mut ids = RandomIds::new();
        let (one, two) = (ids.next_id(), ids.next_id());
        assert_ne!(one, two);
        for id in [one, two] {
            assert_eq!(id.len(), 32);
            assert!(id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{id}");
            assert_eq!(id.as_bytes()[12], b'4', "{id}");
            assert!(matches!(id.as_bytes()[16], b'8' | b'9' | b'a' | b'b'), "{id}");
        }
    }

    #[test]
    fn times_are_written_as_python_does() {
        let time = DateTime::constant(2026, 1, 2, 3, 4, 5, 678_901_999);
        assert_eq!(iso_format(time), "2026-01-02T03:04:05.678901");
        assert_eq!(iso_format(DateTime::constant(2026, 1, 2, 3, 4, 5, 999)), "2026-01-02T03:04:05");
        assert_eq!(LocalClock.now().len(), "2026-01-02T03:04:05.678901".len());
    }

    #[test]
    fn jitter_stays_within_half_and_whole() {
        for _ in 0..100 {
            let delay = jittered(Duration::from_secs(2));
            assert!((Duration::from_secs(1)..=Duration::from_secs(2)).contains(&delay), "{delay:?}");
        }
    }
}
