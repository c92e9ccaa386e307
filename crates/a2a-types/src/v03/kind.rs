//! The `kind` member that tells objects apart in the schema dialect.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{self, Visitor},
};

use crate::wire::{Decode, V03};

const KNOWN: [&str; 7] = ["text", "file", "data", "task", "message", "status-update", "artifact-update"];

/// A `kind`, empty when absent. Known ones are not allocated: there is one on every object of a stream.
#[derive(Default)]
pub(super) struct Kind(Cow<'static, str>);

impl Kind {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn into_string(self) -> String {
        self.0.into_owned()
    }
}

impl Decode<V03> for Kind {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Kind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Kind, E> {
                let known = KNOWN.into_iter().find(|known| *known == text);
                Ok(Kind(known.map_or_else(|| Cow::Owned(text.to_owned()), Cow::Borrowed)))
            }
        }
        *self = value.deserialize_str(Text)?;
        Ok(())
    }
}
