//! The real sources of ids, time and randomness: the only place of the client side that reads a clock or
//! entropy.

use std::{cell::RefCell, sync::Arc, time::Duration};

use a2a_translate::{Clock, IdSource};
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// Ids as AgentScope writes them: random UUIDs of version 4, 32 lower-case hex digits.
///
/// Each thread has a small generator of its own, seeded by the operating system. The ids are unique, not
/// secret.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RandomIds {}

impl RandomIds {
    /// Random ids.
    pub fn new() -> Self {
        Self::default()
    }
}

impl IdSource for RandomIds {
    fn next_id(&mut self) -> Arc<str> {
        // RFC 9562: version 4, variant 10.
        let high = fastrand::u64(..) & !0xF000 | 0x4000;
        let low = fastrand::u64(..) & !(0xC000 << 48) | 0x8000 << 48;
        let digits = [high >> 32, high, low >> 32, low].map(|bits| hex_digits(bits as u32));
        str::from_utf8(digits.as_flattened()).unwrap_or_default().into()
    }
}

/// The number in lower-case hexadecimal digits, all at once: every event has an id.
fn hex_digits(number: u32) -> [u8; 8] {
    const ONES: u64 = u64::MAX / 0xFF;
    // Halves are moved apart until every byte has four bits.
    let halves = [(16, 0xFFFF_0000_FFFF), (8, 0xFF_00FF_00FF_00FF), (4, 0x0F * ONES)];
    let digits = halves.iter().fold(u64::from(number), |digits, (by, mask)| (digits | digits << by) & mask);
    // Six more than nine is sixteen.
    let letters = (digits + 0x06 * ONES) >> 4 & ONES;
    (digits + u64::from(b'0') * ONES + letters * u64::from(b'a' - b'0' - 10)).to_be_bytes()
}

/// Local time as AgentScope writes it: ISO 8601 without a zone, with six digits of fraction, or none if they are
/// all zero.
///
/// Date, time and zone are worked out once a second.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LocalClock {}

thread_local! {
    /// What the clocks of a thread have worked out last: replies are short, and many may run at once.
    static LATEST: RefCell<Second> = const { RefCell::new(Second::unknown()) };
}

/// A second of local time.
struct Second {
    second: Option<i64>,
    /// How long the time of that second is.
    whole: usize,
    /// It, and the fraction that was asked for last.
    text: String,
}

impl Second {
    const fn unknown() -> Self {
        Self { second: None, whole: 0, text: String::new() }
    }

    /// The time at so many microseconds after a second.
    fn at(&mut self, second: i64, micros: u32, local: impl FnOnce() -> DateTime) -> Arc<str> {
        if self.second != Some(second) {
            self.second = Some(second);
            self.text = format!("{:.0}", local());
            self.whole = self.text.len();
        }
        self.text.truncate(self.whole);
        if micros != 0 {
            let mut fraction = [b'.'; 7];
            let mut rest = micros;
            for digit in fraction.iter_mut().skip(1).rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            self.text.push_str(str::from_utf8(&fraction).unwrap_or_default());
        }
        self.text.as_str().into()
    }
}

impl Clock for LocalClock {
    fn now(&mut self) -> Arc<str> {
        let now = Timestamp::now();
        let micros = now.subsec_nanosecond().unsigned_abs() / 1_000;
        LATEST.with_borrow_mut(|latest| {
            latest.at(now.as_second(), micros, || now.to_zoned_datetime(TimeZone::system()).datetime())
        })
    }
}

/// Makes the sources of ids and times, anew for every reply.
pub(crate) struct Sources {
    pub(crate) ids: Box<dyn Fn() -> Box<dyn IdSource> + Send + Sync>,
    pub(crate) clock: Box<dyn Fn() -> Box<dyn Clock> + Send + Sync>,
}

impl Default for Sources {
    fn default() -> Self {
        Self {
            ids: Box::new(|| Box::new(RandomIds::new())),
            clock: Box::new(|| Box::new(LocalClock::default())),
        }
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
    fn every_digit_has_its_place() {
        for number in [0, u32::MAX, 0x0123_4567, 0x89AB_CDEF, 0xFEDC_BA98, 0x7654_3210, 0x9A00_00A9] {
            assert_eq!(str::from_utf8(&hex_digits(number)).unwrap(), format!("{number:08x}"));
        }
    }

    #[test]
    fn times_are_written_as_python_does() {
        let time = DateTime::constant(2026, 1, 2, 3, 4, 5, 999);
        let mut clock = Second::unknown();
        assert_eq!(&*clock.at(7, 678_901, || time), "2026-01-02T03:04:05.678901");
        assert_eq!(&*clock.at(7, 1, || unreachable!("the second is known")), "2026-01-02T03:04:05.000001");
        assert_eq!(&*clock.at(8, 0, || DateTime::constant(2026, 1, 2, 3, 4, 6, 0)), "2026-01-02T03:04:06");

        let now: DateTime = LocalClock::default().now().parse().unwrap();
        let expected = jiff::ZonedDateTime::now().datetime();
        assert!(
            expected.duration_since(now).abs() < jiff::SignedDuration::from_secs(60),
            "{now} is not {expected}"
        );
    }

    #[test]
    fn jitter_stays_within_half_and_whole() {
        for _ in 0..100 {
            let delay = jittered(Duration::from_secs(2));
            assert!((Duration::from_secs(1)..=Duration::from_secs(2)).contains(&delay), "{delay:?}");
        }
    }
}
