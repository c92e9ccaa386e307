//! The text of a peer, made safe for a terminal.

/// Takes control characters and escape sequences out of text that comes in pieces.
///
/// What is left are printable characters, line feeds and tabs. A sequence is recognised also when it is cut in two.
/// A carriage return, alone or before a line feed, is one line feed, so that nothing shown can be overwritten.
/// Characters that reorder the text beside them are taken out too.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    state: State,
}

/// Where in an escape sequence (ECMA-48) the text stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After a carriage return, which has become a line feed.
    Return,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte: a final one follows.
    Intermediate,
    /// After ESC `[`: parameters, then a final byte.
    Sequence,
    /// After ESC `]` and the like: a string until its terminator.
    String,
    /// After ESC within a string.
    StringEscape,
}

impl Plain {
    /// Appends what is left of the next piece.
    pub(crate) fn push(&mut self, text: &str, out: &mut String) {
        out.reserve(text.len());
        for c in text.chars() {
            self.state = self.next(c, out);
        }
    }

    fn next(&self, c: char, out: &mut String) -> State {
        // ESC ends a string; what follows may be its terminator, or a sequence of its own.
        let state = match self.state {
            State::StringEscape if c != '\\' => State::Escape,
            state => state,
        };
        match (state, c) {
            (State::Return, '\n') => State::Text,
            (State::Escape, '[') => State::Sequence,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::String,
            (State::Escape | State::Intermediate, ' '..='/') => State::Intermediate,
            (State::Escape | State::Intermediate, '0'..='~') => State::Text,
            (State::Sequence, ' '..='?') => State::Sequence,
            (State::Sequence, '@'..='~') => State::Text,
            (State::String, '\u{7}' | '\u{18}' | '\u{1a}' | '\u{9c}') => State::Text,
            (State::StringEscape, '\\') => State::Text,
            (State::String, '\u{1b}') => State::StringEscape,
            // A string that never ends would hide everything after it: it ends with its line.
            (State::String, c) if !is_line_end(c) => State::String,
            (_, '\u{1b}') => State::Escape,
            (_, '\u{9b}') => State::Sequence,
            (_, '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}') => State::String,
            (_, '\r') => {
                out.push('\n');
                State::Return
            }
            (_, c) if is_line_end(c) => {
                out.push('\n');
                State::Text
            }
            (_, c) => {
                if c == '\t' || !(c.is_control() || reorders(c)) {
                    out.push(c);
                }
                State::Text
            }
        }
    }
}

/// Text on one line: line feeds and tabs become spaces.
pub(crate) fn plain_line(text: &str) -> String {
    let mut line = plain_text(text);
    if line.contains(['\n', '\t']) {
        line = line.replace(['\n', '\t'], " ");
    }
    line
}

/// Text as a whole.
pub(crate) fn plain_text(text: &str) -> String {
    let mut out = String::new();
    Plain::default().push(text, &mut out);
    out
}

/// JSON text whose strings hold no character that a terminal might obey: such are written as escapes.
pub(crate) fn plain_json(text: String) -> String {
    // Characters below U+0020 stand between values only; all others that are found stand inside of strings.
    let obeyed = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t')) || reorders(c) || matches!(c, '\u{2028}' | '\u{2029}')
    };
    if !text.contains(obeyed) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => {}
            c if obeyed(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether the character changes the order in which others are shown.
fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &[(&str, &str)] = &[
        ("plain, ünïcödé, 🧑‍🚀\n\tok", "plain, ünïcödé, 🧑‍🚀\n\tok"),
        ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
        ("hi\u{1b}[2J\u{1b}]52;c;aGFjaw==\u{7}1A\rfake> done", "hi1A\nfake> done"),
        ("title\u{1b}]0;evil\u{1b}\\ text", "title text"),
        ("dcs\u{1b}Pq#0\u{9c}text", "dcstext"),
        ("c1 \u{9b}31mred \u{9d}0;x\u{7}done", "c1 red done"),
        ("charset\u{1b}(0x\u{1b}#8y\u{1b}cz\u{1b}7", "charsetxyz"),
        ("bell\u{7}back\u{8}nul\u{0}del\u{7f}", "bellbacknuldel"),
        ("one\r\ntwo\rthree\n\rfour", "one\ntwo\nthree\n\nfour"),
        ("nel\u{85}ls\u{2028}ps\u{2029}", "nel\nls\nps\n"),
        ("over\u{202e}ride\u{2066}d", "overrided"),
        ("open \u{1b}]0;never ended\nnext line", "open \nnext line"),
        ("cut short \u{1b}[12", "cut short "),
        ("broken \u{1b}[1\nnext", "broken \nnext"),
        ("twice \u{1b}\u{1b}[1mx", "twice x"),
    ];

    #[test]
    fn sequences_and_controls_are_taken_out() {
        for (text, expect) in CASES {
            assert_eq!(plain_text(text), *expect, "{text:?}");
        }
    }

    #[test]
    fn it_does_not_matter_where_the_text_is_cut() {
        for (text, expect) in CASES {
            for (at, _) in text.char_indices() {
                let (head, tail) = text.split_at(at);
                let mut plain = Plain::default();
                let mut out = String::new();
                plain.push(head, &mut out);
                plain.push(tail, &mut out);
                assert_eq!(out, *expect, "{text:?} cut at {at}");
            }
        }
    }

    #[test]
    fn a_line_stays_a_line() {
        assert_eq!(plain_line("a\nb\tc\r\n"), "a b c ");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({ "t": "a\u{7f}\u{9b}31m\u{2028}\u{202e}\n\u{1b}é" });
        let text = plain_json(value.to_string());
        assert_eq!(text, r#"{"t":"a\u007f\u009b31m\u2028\u202e\n\u001bé"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
