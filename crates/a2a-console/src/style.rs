//! How things look on a terminal: colours where they are wanted, nothing elsewhere.

use std::{env, fmt, io::IsTerminal};

/// Whether colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) color: bool,
}

impl Style {
    /// Colours only on a terminal, and not with `NO_COLOR` (no-color.org) or on one that is `dumb`.
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { color: stream.is_terminal() && !refused && !is_dumb() }
    }

    /// Of little weight: notices.
    pub(crate) fn dim<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint("2", text)
    }

    /// Names and headings.
    pub(crate) fn bold<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint("1", text)
    }

    /// Errors.
    pub(crate) fn red<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint("31", text)
    }

    fn paint<T>(self, code: &'static str, text: T) -> Painted<T> {
        Painted { code: self.color.then_some(code), text }
    }
}

/// Whether the terminal understands no control sequences at all.
pub(crate) fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Text, coloured or not.
pub(crate) struct Painted<T> {
    code: Option<&'static str>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "\x1b[{code}m{}\x1b[0m", self.text),
            None => self.text.fmt(f),
        }
    }
}
