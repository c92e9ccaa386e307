//! Base64 as AgentScope has it: written in the standard alphabet with padding, read by Python's strict rules.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};

const CANONICAL: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical)
        .with_decode_allow_trailing_bits(true),
);

/// Encodes in the standard alphabet, padded.
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes as Python's `b64decode(text, validate=True)` does: the standard alphabet, padded, nothing else.
///
/// Two oddities are Python's: unused trailing bits may be set (`QR==`), and any padding after a complete last
/// group is let through (`QUJD=`).
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let text = if digits.len().is_multiple_of(4) && !digits.is_empty() { digits } else { text };
    CANONICAL.decode(text).ok()
}

/// Appends to base64 text the bytes of more base64 text, as if all the bytes had been encoded at once.
///
/// Only the last group of `joined` is looked at, so that joining is linear in what is appended. What is not
/// canonical base64 is appended as it is.
pub(crate) fn append(joined: &mut String, more: &str) {
    let digits = joined.trim_end_matches('=').len();
    if digits == joined.len() && digits.is_multiple_of(4) {
        joined.push_str(more);
        return;
    }
    let last_group = digits - digits % 4;
    let bytes = match (joined.get(last_group..).map(|group| CANONICAL.decode(group)), CANONICAL.decode(more))
    {
        (Some(Ok(mut bytes)), Ok(more)) => {
            bytes.extend(more);
            bytes
        }
        _ => {
            joined.push_str(more);
            return;
        }
    };
    joined.truncate(last_group);
    STANDARD.encode_string(bytes, joined);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_as_python_does() {
        for (text, expect) in [
            ("", Some("")),
            ("QUJD", Some("ABC")),
            ("QUI=", Some("AB")),
            ("QQ==", Some("A")),
            ("QR==", Some("A")),
            ("QUJD=", Some("ABC")),
            ("QUJD====", Some("ABC")),
            ("QUI", None),
            ("QQ=", None),
            ("QUI==", None),
            ("=", None),
            ("QUJD!", None),
            ("QU JD", None),
            ("QUJD\n", None),
            ("QQ==QQ==", None),
            ("-_8=", None),
        ] {
            assert_eq!(decode(text).as_deref(), expect.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn appends_bytes() {
        let bytes: Vec<u8> = (0..=40).collect();
        for width in 1..bytes.len() {
            let mut joined = String::new();
            for chunk in bytes.chunks(width) {
                append(&mut joined, &encode(chunk));
            }
            assert_eq!(joined, encode(&bytes), "chunks of {width}");
        }
    }

    #[test]
    fn appends_what_is_not_base64_as_it_is() {
        let mut joined = "QQ==".to_owned();
        append(&mut joined, "!");
        assert_eq!(joined, "QQ==!");
    }
}
