//! The rules of event streams as cases, each at every chunk width.

use a2a_transport::{SSE_KEEP_ALIVE, SseDecoder, SseEncodeError, SseError, SseEvent, encode_event};
use bytes::Bytes;

/// An event with owned texts.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    event: String,
    data: String,
    id: Option<String>,
    retry: Option<u64>,
}

fn event(data: &str) -> Event {
    Event { event: String::new(), data: data.to_owned(), id: None, retry: None }
}

fn named(name: &str, data: &str) -> Event {
    Event { event: name.to_owned(), ..event(data) }
}

fn with_id(id: &str, data: &str) -> Event {
    Event { id: Some(id.to_owned()), ..event(data) }
}

fn with_retry(retry: u64, data: &str) -> Event {
    Event { retry: Some(retry), ..event(data) }
}

/// What came of an input: events, the error that ended it, whether it ended within an event, last id and retry.
#[derive(Debug, PartialEq)]
struct Decoded {
    events: Vec<Event>,
    error: Option<SseError>,
    mid_event: bool,
    last_id: String,
    last_retry: Option<u64>,
}

fn decode(chunks: impl IntoIterator<Item = Bytes>, limit: usize) -> Decoded {
    let mut decoder = SseDecoder::with_max_event_bytes(limit);
    let mut events = Vec::new();
    let mut error = None;
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(next) = decoder.next_event() {
            assert_eq!(error, None, "nothing comes after an error");
            match next {
                Ok(SseEvent { event, data, id, retry, .. }) => events.push(Event {
                    event: event.to_owned(),
                    data: data.to_owned(),
                    id: id.map(str::to_owned),
                    retry,
                }),
                Err(failed) => error = Some(failed),
            }
        }
    }
    Decoded {
        events,
        error,
        mid_event: decoder.is_mid_event(),
        last_id: decoder.last_event_id().to_owned(),
        last_retry: decoder.last_retry(),
    }
}

/// The result, which is the same whatever the width of the chunks.
fn decode_at_every_width(input: &[u8], limit: usize) -> Decoded {
    let whole = decode([Bytes::copy_from_slice(input)], limit);
    for width in 1..=input.len() {
        let chunks = input.chunks(width).map(Bytes::copy_from_slice);
        assert_eq!(decode(chunks, limit), whole, "width {width} of {:?}", String::from_utf8_lossy(input));
    }
    whole
}

#[track_caller]
fn check(input: impl AsRef<[u8]>, expect: impl IntoIterator<Item = Event>) -> Decoded {
    let decoded = decode_at_every_width(input.as_ref(), SseDecoder::DEFAULT_MAX_EVENT_BYTES);
    assert_eq!(decoded.events, expect.into_iter().collect::<Vec<_>>());
    assert_eq!(decoded.error, None);
    decoded
}

#[test]
fn line_ends() {
    check("data: a\n\ndata: b\n\n", [event("a"), event("b")]);
    check("data: a\r\n\r\ndata: b\r\n\r\n", [event("a"), event("b")]);
    check("data: a\r\rdata: b\r\r", [event("a"), event("b")]);
    check("data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", [event("a"), event("b"), event("c")]);
    check("data: a\rdata: b\r\ndata: c\n\r", [event("a\nb\nc")]);
    check("data: a\n\n\n\r\n\r\rdata: b\n\n", [event("a"), event("b")]);
}

#[test]
fn only_cr_and_lf_end_lines() {
    let text = "low\u{2028}tide\u{85}\u{2029}end\u{b}\u{c}\u{1c}!";
    check(format!("data: {text}\n\n"), [event(text)]);
}

#[test]
fn events_come_with_their_blank_line() {
    for (input, count) in [
        ("data: a\n\n", 1),
        ("data: a\r\r", 1),
        ("data: a\r\n\r", 1),
        ("data: a\n\r", 1),
        ("data: a\r\n", 0),
        ("data: a\n", 0),
        ("data: a\r", 0),
        ("data: a\r\n\r\n", 1),
    ] {
        let decoded = decode_at_every_width(input.as_bytes(), 100);
        assert_eq!(decoded.events.len(), count, "{input:?}");
    }
    // A CR that ends the stream ends the line; the LF that may follow is not waited for.
    assert!(!check("data: a\r\n\r", [event("a")]).mid_event);
}

#[test]
fn byte_order_mark() {
    check("\u{feff}data: a\n\n", [event("a")]);
    check("\u{feff}\n\ndata: a\n\n", [event("a")]);
    check("\u{feff}: comment\ndata: a\n\n", [event("a")]);
    // Only at the start of the stream, and only once.
    check("data: a\n\n\u{feff}data: b\n\ndata: c\n\n", [event("a"), event("c")]);
    check("\u{feff}\u{feff}data: a\n\ndata: b\n\n", [event("b")]);
    check(b"\xEF\xBBdata: a\n\ndata: b\n\n", [event("b")]);
    check(b"\xEF\xBB\n\ndata: b\n\n", [event("b")]);
}

#[test]
fn data_lines() {
    check("data: a\ndata: b\n\n", [event("a\nb")]);
    check("data:a\n\n", [event("a")]);
    check("data:  a\n\n", [event(" a")]);
    check("data\n\n", [event("")]);
    check("data:\n\n", [event("")]);
    check("data: \n\n", [event("")]);
    check("data\ndata\n\n", [event("\n")]);
    check("data: a\ndata:\n\n", [event("a\n")]);
    check("data:\ndata: a\n\n", [event("\na")]);
    check("data: a: b\n\n", [event("a: b")]);
    check("data:\t a\n\n", [event("\t a")]);
}

#[test]
fn other_fields() {
    check("event: ping\ndata: a\n\ndata: b\n\n", [named("ping", "a"), event("b")]);
    check("event: one\nevent: two\ndata: a\n\n", [named("two", "a")]);
    check("event\ndata: a\n\n", [event("a")]);
    check("Data: a\nDATA: b\n data: c\ndata : d\ndatum: e\ndat: f\n\n", []);
    check("anything: else\ndata: a\nunknown\n\n", [event("a")]);
    check("id: 7\ndata: a\n\n", [with_id("7", "a")]);
    check("id\ndata: a\n\n", [with_id("", "a")]);
    check("retry: 3000\ndata: a\n\n", [with_retry(3000, "a")]);
}

#[test]
fn events_without_data_are_not_given_out() {
    let decoded = check("event: ping\n\nid: 7\nretry: 5\n\ndata: a\n\n", [event("a")]);
    assert_eq!((decoded.last_id.as_str(), decoded.last_retry), ("7", Some(5)));
}

#[test]
fn ids_last() {
    let decoded = check("id: 7\ndata: a\n\ndata: b\n\n", [with_id("7", "a"), event("b")]);
    assert_eq!(decoded.last_id, "7");
    assert_eq!(check("id: 7\ndata: a\n\nid\ndata: b\n\n", [with_id("7", "a"), with_id("", "b")]).last_id, "");
    // One with NUL is none, and one of an event that never ends does not count.
    let decoded = check("id: 7\ndata: a\n\nid: 8\u{0}\ndata: b\n\nid: 9\n", [with_id("7", "a"), event("b")]);
    assert_eq!(decoded.last_id, "7");
}

#[test]
fn retries_are_digits() {
    for value in ["+5", "-5", "5s", "", " 5", "5.0", "١", "99999999999999999999999"] {
        let decoded = check(format!("retry: {value}\ndata: a\n\n"), [event("a")]);
        assert_eq!(decoded.last_retry, None, "{value:?}");
    }
    assert_eq!(check("retry:0005\n\n", []).last_retry, Some(5));
}

#[test]
fn comments_are_skipped() {
    check(": ping\n\n: ping\r\n\r\ndata: a\n: within\ndata: b\n\n:\n\n", [event("a\nb")]);
    check(b": \xFF\xFE\x00\ndata: a\n\n", [event("a")]);
    assert!(!check(": never ends", []).mid_event);
}

#[test]
fn characters_are_put_together() {
    let text = "é€😀 e\u{301} 👩\u{200d}👩\u{200d}👧 🇩🇪";
    check(format!("event: {text}\ndata: {text}\n\n"), [named(text, text)]);
}

#[test]
fn what_is_not_utf8_ends_the_stream() {
    for line in [b"data: \xFF".as_slice(), b"event: \xC3", b"id: \xED\xA0\x80", b"data: \xF0\x9F\x98"] {
        let input = [b"data: a\n\n", line, b"\n\ndata: b\n\n"].concat();
        let decoded = decode_at_every_width(&input, 1000);
        assert_eq!(decoded.events, [event("a")], "{line:?}");
        assert_eq!(decoded.error, Some(SseError::InvalidUtf8), "{line:?}");
        assert!(!decoded.mid_event);
    }
    // Where nothing is read of it, it does not matter.
    check(b"retry: \xFF\nother: \xFF\n\xFF: x\ndata: a\n\n", [event("a")]);
}

#[test]
fn an_event_without_its_blank_line_is_not_given_out() {
    for input in ["data: a\n\ndata: b\n", "data: a\n\ndata: b", "data: a\n\ndata: b\r\n", "data: a\n\nda"] {
        assert!(check(input, [event("a")]).mid_event, "{input:?}");
    }
    assert!(!check("data: a\n\n", [event("a")]).mid_event);
    assert!(!check("data: a\n\nevent: x\n", [event("a")]).mid_event);
    assert!(!check("", []).mid_event);
}

#[test]
fn events_are_bounded() {
    let too_large = Some(SseError::TooLarge { limit: 20 });
    for (input, expect) in [
        // The lines of an event together, without their ends.
        ("data: 78901234567890\n\n", None),
        ("data: 789012345678901\n\n", too_large),
        ("data: 7890\ndata: 7890\n\n", None),
        ("data: 7890\r\ndata: 7890\r\n\r\n", None),
        ("data: 7890\ndata: 78901\n\n", too_large),
        ("id: 12345\ndata: 7890\n\n", None),
        ("event: 12345\ndata: 7890\n\n", too_large),
        // Each event anew.
        ("data: 789012345678\n\ndata: 789012345678\n\n", None),
        // The line in progress, whatever it is; other fields count no longer once they are over.
        ("01234567890123456789", None),
        ("012345678901234567890", too_large),
        ("other: 234567890123\nother: 234567890123\ndata: 7890\n\n", None),
        ("data: 7890\nother: 23456\ndata: 7890\n\n", too_large),
        // Comments never count.
        (": 234567890123456789012345678901234567890\ndata: 78901234567890\n\n", None),
        ("data: 789012345\n:234567890123456789012345\ndata: 0\n\n", too_large),
    ] {
        assert_eq!(decode_at_every_width(input.as_bytes(), 20).error, expect, "{input:?}");
    }
}

#[test]
fn a_line_without_end_is_given_up_early() {
    let mut decoder = SseDecoder::with_max_event_bytes(1000);
    decoder.push("data: ".into());
    for pushed in 0..100 {
        decoder.push(Bytes::from(vec![b'x'; 100]));
        if let Some(next) = decoder.next_event() {
            assert_eq!(next.unwrap_err(), SseError::TooLarge { limit: 1000 });
            assert_eq!(pushed, 9);
            return;
        }
    }
    panic!("the line was never given up");
}

#[test]
fn chunks_pushed_ahead_are_kept() {
    let mut decoder = SseDecoder::new();
    for chunk in ["da", "ta: a\n", "\nda", "ta: b\n\n"] {
        decoder.push(chunk.into());
    }
    assert_eq!(decoder.next_event().unwrap().unwrap().data, "a");
    assert_eq!(decoder.next_event().unwrap().unwrap().data, "b");
    assert!(decoder.next_event().is_none());
}

#[test]
fn encoded_events_decode() {
    for text in ["", "a", "a\nb", "a\n", "\n", " a", "é😀\u{2028}", "a: b", "data: a\n\ndata: b"] {
        let mut original = SseEvent::new(text).with_event("error").with_id("7");
        original.retry = Some(5);
        let bytes = encode_event(&original).unwrap();
        let decoded =
            check(&bytes, [Event { retry: Some(5), id: Some("7".to_owned()), ..named("error", text) }]);
        assert!(!decoded.mid_event);
    }
    assert_eq!(encode_event(&SseEvent::new("{}")).unwrap(), "data: {}\n\n");
    // CR and CRLF end lines too, and come back as LF.
    check(encode_event(&SseEvent::new("a\rb\r\nc\r")).unwrap(), [event("a\nb\nc\n")]);
    check(encode_event(&SseEvent::new("a").with_id("")).unwrap(), [with_id("", "a")]);
    check(format!("{SSE_KEEP_ALIVE}data: a\n\n{SSE_KEEP_ALIVE}"), [event("a")]);
}

#[test]
fn types_and_ids_stay_on_their_line() {
    for text in ["a\nb", "a\rb", "a\0b"] {
        let failed = Err(SseEncodeError::ForbiddenCharacter);
        assert_eq!(encode_event(&SseEvent::new("x").with_event(text)), failed, "{text:?}");
        assert_eq!(encode_event(&SseEvent::new("x").with_id(text)), failed, "{text:?}");
    }
}
