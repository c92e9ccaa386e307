//! Halves of surrogate pairs, which JSON can escape and UTF-8 cannot hold.

/// The text with every lone surrogate escape replaced by `\ufffd`; `None` if there is none.
pub(crate) fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut rest = text;
    while let Some(found) = rest.find('\\') {
        let escape = rest.get(found..)?;
        let at = text.len() - escape.len();
        let mut length = 2;
        match code_unit(escape) {
            Some(0xD800..=0xDBFF) if matches!(escape.get(6..).and_then(code_unit), Some(0xDC00..=0xDFFF)) => {
                length = 12;
            }
            Some(0xD800..=0xDFFF) => {
                length = 6;
                repaired.push_str(text.get(copied..at)?);
                repaired.push_str("\\ufffd");
                copied = at + length;
            }
            Some(_) | None => {}
        }
        // After a backslash comes at least one more byte, or the text was not JSON to begin with.
        rest = escape.get(length..).or_else(|| escape.get(1..))?;
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(text.get(copied..)?);
    Some(repaired)
}

/// The code unit of a `\uXXXX` escape at the start of the text.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (text, repaired) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""a\udc00b""#, Some(r#""a\ufffdb""#)),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\ud83d\ude00\ud83d""#, Some(r#""\ud83d\ude00\ufffd""#)),
            (r#""\\ud83d\ud83d""#, Some(r#""\\ud83d\ufffd""#)),
            (r#""\uD83D x""#, Some(r#""\ufffd x""#)),
            (r#""\ud83d\ude00 \\ud83d \n""#, None),
            ("", None),
            ("\\", None),
        ] {
            assert_eq!(without_lone_surrogates(text).as_deref(), repaired, "{text}");
        }
    }
}
