//! The bytes a signature covers: presence rules of the schema, then RFC 8785.

use serde_json::{Map, Number, Value};

use crate::card::AgentCard;

/// How a card became the bytes that were signed.
///
/// Signers differ, so a verifier tries all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CanonicalForm {
    /// As the specification says (§8.4.1): required members always, optional ones when present, others unless empty.
    Specified,
    /// Every empty string, list and object left out, as one SDK signs. **It does not cover requirements without
    /// scopes nor schemes without members: who can change the card can remove them.** Demand no less
    /// authentication because of a card that only verifies so.
    WithoutEmpty,
    /// The JSON as it came, members of other versions included.
    AsReceived,
}

/// The canonical text of a card, in the form of the specification; its signatures are no part of it.
///
/// # Errors
///
/// The card has data that is no JSON value.
pub fn canonical_form(card: &AgentCard) -> Result<String, serde_json::Error> {
    Ok(canonical(&specified(card)?))
}

/// The members of a card that are signed: those of the schema, which writing leaves out or keeps as §8.4.1 asks.
pub(super) fn specified(card: &AgentCard) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(card)?;
    remove_signatures(&mut value);
    Ok(value)
}

pub(super) fn remove_signatures(card: &mut Value) {
    if let Some(members) = card.as_object_mut() {
        members.remove("signatures");
    }
}

/// The value without what is empty, at every level; `None` if nothing is left.
pub(super) fn without_empty(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then(|| value.clone()),
        Value::Array(items) => {
            let kept: Vec<_> = items.iter().filter_map(without_empty).collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        Value::Object(members) => {
            let kept = |(name, member): (&String, &Value)| Some((name.clone(), without_empty(member)?));
            let kept: Map<_, _> = members.iter().filter_map(kept).collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Bool(_) | Value::Number(_) => Some(value.clone()),
    }
}

/// JSON text by RFC 8785.
pub(super) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&number_text(number)),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(one, _), (two, _)| one.encode_utf16().cmp(two.encode_utf16()));
            text.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(name, text);
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
    }
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            c if c < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// The number as ECMAScript prints the double it is.
fn number_text(number: &Number) -> String {
    double_text(number.as_f64().unwrap_or_default())
}

fn double_text(double: f64) -> String {
    let (digits, point) = shortest_digits(double);
    if digits.is_empty() {
        return "0".to_owned();
    }
    let sign = if double < 0.0 { "-" } else { "" };
    match point {
        1..=21 => {
            let point = point.unsigned_abs() as usize;
            match digits.split_at_checked(point) {
                Some((whole, fraction)) if !fraction.is_empty() => format!("{sign}{whole}.{fraction}"),
                _ => format!("{sign}{digits:0<point$}"),
            }
        }
        -5..=0 => {
            let zeros = point.unsigned_abs() as usize;
            format!("{sign}0.{:0<zeros$}{digits}", "")
        }
        _ => {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
            let separator = if rest.is_empty() { "" } else { "." };
            format!("{sign}{first}{separator}{rest}e{:+}", point - 1)
        }
    }
}

/// The shortest digits that mean this double, even ones at a tie, and where the point stands counted from the first.
fn shortest_digits(double: f64) -> (String, i32) {
    // `serde_json` finds the digits as ECMAScript does; the standard library rounds ties up.
    let printed = Number::from_f64(double.abs()).map(|number| number.to_string()).unwrap_or_default();
    let (mantissa, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let place = |count: usize| i32::try_from(count).unwrap_or_default();
    let point = exponent.parse().unwrap_or(0) + place(whole.len()) - place(all.len() - digits.len());
    (digits.trim_end_matches('0').to_owned(), point)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The samples of RFC 8785, appendix B.
    #[test]
    fn doubles_are_printed_as_ecmascript_does() {
        for (bits, expect) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(double_text(f64::from_bits(bits)), expect);
        }
    }

    #[test]
    fn members_are_sorted_by_utf_16_and_strings_escaped_sparingly() {
        let value = json!({
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh",
            "1": "One", "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control", "\u{f6}": "Latin",
        });
        assert_eq!(
            canonical(&value),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"\u{f6}\":\"Latin\",\
             \"\u{20ac}\":\"Euro Sign\",\"\u{1f600}\":\"Emoji: Grinning Face\",\
             \"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        );
        let value = json!(["\u{20ac}$\u{f}\nA'B\"\\\"/", 1, 1.0, -0.0, 1e21, u64::MAX, true, null, {}, []]);
        assert_eq!(
            canonical(&value),
            "[\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\"/\",1,1,0,1e+21,18446744073709552000,true,null,{},[]]"
        );
    }

    #[test]
    fn what_is_empty_goes_at_every_level() {
        let value = json!({"a": "", "b": [], "c": {"d": [{"e": null}]}, "f": false, "g": 0, "h": ["", "x"]});
        assert_eq!(without_empty(&value), Some(json!({"f": false, "g": 0, "h": ["x"]})));
        assert_eq!(without_empty(&json!({"a": {"b": ""}})), None);
    }
}
