//! Versions of the protocol that this client speaks.

use std::fmt;

/// A version of the protocol, by its first two numbers; further ones say nothing about the wire (§3.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProtocolVersion {
    /// 0.3, and 0.2, which looks the same on the wire.
    V0_3,
    /// 1.0.
    V1_0,
}

impl ProtocolVersion {
    /// The version as `A2A-Version` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0_3 => "0.3",
            Self::V1_0 => "1.0",
        }
    }

    /// The version that a card names, if this client speaks it. One that is not named is 1.0.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Some(Self::V1_0);
        }
        let mut numbers = text.split('.').map(str::parse::<u16>);
        let major = numbers.next()?.ok()?;
        let minor = numbers.next().unwrap_or(Ok(0)).ok()?;
        match (major, minor) {
            (1, 0) => Some(Self::V1_0),
            (0, 2 | 3) => Some(Self::V0_3),
            _ => None,
        }
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
