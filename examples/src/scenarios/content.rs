//! What the scenarios say and send.

use a2a_types::{Part, RawJson};
use serde_json::json;

pub(super) fn png() -> Part {
    Part::raw(PNG).with_media_type("image/png").with_filename("dot.png")
}

pub(super) fn pdf() -> Part {
    Part::url("https://files.example/report.pdf")
        .with_media_type("application/pdf")
        .with_filename("report.pdf")
}

pub(super) fn data() -> Part {
    Part::data(RawJson::from(json!({
        "kind": "weather", "celsius": 21.5, "tags": ["a", "b"], "nested": { "ok": true, "none": null },
    })))
}

pub(super) const QUESTION: &str = "What is your name?";
pub(super) const AUTH_TEXT: &str = "Please authorise access to the calendar, then say so.";
/// Grapheme clusters, cut into pieces.
pub(super) const UNICODE_PIECES: [&str; 17] = [
    "plain ",
    "\u{1f600}",
    " ",
    "\u{1f468}",
    "\u{200d}",
    "\u{1f469}",
    "\u{200d}",
    "\u{1f467}",
    " ",
    "\u{1f1e8}",
    "\u{1f1ed}",
    " e",
    "\u{301}",
    " \u{1f44d}",
    "\u{1f3fd}",
    " \u{4f60}\u{597d}",
    " end",
];
/// What some readers take for line ends.
pub(super) const LINE_TEXT: &str =
    "lf[\n]crlf[\r\n]nel[\u{85}]ls[\u{2028}]ps[\u{2029}]vt[\u{b}]ff[\u{c}]fs[\u{1c}]end";
/// One pixel.
const PNG: [u8; 69] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00,
    0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01,
    0x01, 0x00, 0xf7, 0x03, 0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60,
    0x82,
];
