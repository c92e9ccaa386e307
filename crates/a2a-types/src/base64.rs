//! Base64 as ProtoJSON has it: written standard and padded, read in either alphabet, padded or not.

use std::fmt;

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[cfg(feature = "signatures")]
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What the error of a member that is not base64 begins with.
pub(crate) const INVALID_BASE64: &str = "invalid base64";

/// Decodes base64 in either alphabet, padded or not.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, base64::DecodeError> {
    if text.contains(['-', '_']) {
        LENIENT.decode(text.replace('-', "+").replace('_', "/"))
    } else {
        LENIENT.decode(text)
    }
}

/// Decodes base64 in the standard alphabet, padded; `None` if the text is not just that.
pub(crate) fn decode_canonical(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Base64 as JOSE writes it: URL-safe alphabet, no padding.
#[cfg(feature = "signatures")]
pub(crate) fn encode_url_safe(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Bytes that serialise as canonical base64.
pub(crate) struct Encoded<'a>(pub(crate) &'a [u8]);

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.0))
    }
}

/// Bytes read from base64 text.
#[derive(Default)]
pub(crate) struct Decoded(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Decoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Decoded;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a base64 string")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Decoded, E> {
                decode(text)
                    .map(Decoded)
                    .map_err(|error| E::custom(format_args!("{INVALID_BASE64}: {error}")))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
