//! Sequences of payloads: the first byte says how the reply ends, then comes a payload a line.
#![no_main]

use a2a_translate::{
    ContentBlock, CountingClock, CountingIds, DataParts, End, ErrorInfo, ErrorType, Event, Msg, ReplyContext,
    ReplyTranslator, Source, TranslateOptions,
};
use a2a_types::{Part, StreamResponse, from_slice};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&how, lines)) = bytes.split_first() else { return };
    let payloads: Vec<StreamResponse> =
        lines.split(|&byte| byte == b'\n').filter_map(|line| from_slice(line).ok()).collect();
    let events = translate(&payloads, how);
    let blocks = blocks(&events);
    check_fold(&events, &blocks);
    assert_eq!(translate(&payloads, how), events, "the same payloads give the same events");
    if let Some(split) = with_a_chunk_split(&payloads, how) {
        assert_eq!(self::blocks(&translate(&split, how)), blocks, "a text cut in two is the same text");
    }
});

fn translate(payloads: &[StreamResponse], how: u8) -> Vec<Event> {
    let data_parts = [DataParts::Error, DataParts::Json, DataParts::Skip][usize::from(how / 4 % 3)];
    let mut translator = ReplyTranslator::new(
        ReplyContext::new("session", "Remote"),
        TranslateOptions::default().with_data_parts(data_parts),
        CountingIds::default(),
        CountingClock::default(),
    );
    let failed = |message: &str| ErrorInfo::new(ErrorType::Internal, message);
    let mut end = match how % 4 {
        0 => End::Ended,
        1 => End::Cut(failed("cut")),
        2 => End::Failed(failed("failed")),
        _ => End::Cancelled,
    };
    for payload in payloads {
        if let Err(error) = translator.handle(payload.clone()) {
            end = End::Failed(failed(&error.to_string()));
            break;
        }
    }
    translator.finish(end);
    let events = std::iter::from_fn(|| translator.poll_event()).collect();
    assert!(translator.handle(StreamResponse::default()).is_ok() && translator.poll_event().is_none());
    events
}

/// A block as its events tell it.
#[derive(Debug, Default, PartialEq)]
struct Block {
    kind: &'static str,
    text: String,
    bytes: Vec<u8>,
    url: Option<String>,
    /// What it belongs to, once it has ended.
    origin: Option<String>,
}

/// The blocks of a reply, whose events are in order.
fn blocks(events: &[Event]) -> Vec<Block> {
    let [Event::ReplyStart(_), inner @ .., Event::ReplyEnd(_)] = events else {
        panic!("no start, or no end: {events:?}");
    };
    let mut ids: Vec<&str> = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    for event in inner {
        let id = event.block_id().expect("only blocks between start and end");
        if matches!(event, Event::TextBlockStart(_) | Event::DataBlockStart(_)) {
            assert!(!ids.contains(&id), "a block starts twice");
            ids.push(id);
            blocks.push(Block { kind: event.kind(), ..Block::default() });
            continue;
        }
        let at = ids.iter().position(|known| *known == id).expect("a block has started");
        let block = &mut blocks[at];
        assert!(block.origin.is_none(), "{} after the end", event.kind());
        match event {
            Event::TextBlockDelta(delta) => block.text.push_str(&delta.delta),
            Event::DataBlockDelta(delta) => {
                let data = delta.data.as_deref().unwrap_or_default();
                block.bytes.extend(STANDARD.decode(data).expect("base64"));
                block.url = block.url.take().or_else(|| delta.url.clone());
            }
            Event::TextBlockEnd(end) => block.origin = Some(end.metadata["a2a"].to_string()),
            Event::DataBlockEnd(end) => block.origin = Some(end.metadata["a2a"].to_string()),
            other => panic!("{} in the middle", other.kind()),
        }
    }
    assert!(blocks.iter().all(|block| block.origin.is_some()), "a block does not end");
    blocks
}

/// The message is what the events say.
fn check_fold(events: &[Event], blocks: &[Block]) {
    let msg = Msg::from_events(events);
    assert_eq!(msg.content.len(), blocks.len());
    for (folded, told) in msg.content.iter().zip(blocks) {
        match folded {
            ContentBlock::Text(block) => assert_eq!(block.text, told.text),
            ContentBlock::Data(block) => match &block.source {
                Source::Base64(source) => assert_eq!(source.data, STANDARD.encode(&told.bytes)),
                Source::Url(source) => assert_eq!(Some(&source.url), told.url.as_ref()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
    let Some(Event::ReplyEnd(end)) = events.last() else { unreachable!("checked with the blocks") };
    assert_eq!(msg.finished_reason, Some(end.finished_reason));
    assert_eq!(end.error.is_some(), end.finished_reason.as_str() == "error");
}

/// The same payloads with one chunk of text sent in two, if there is one.
fn with_a_chunk_split(payloads: &[StreamResponse], how: u8) -> Option<Vec<StreamResponse>> {
    let (at, middle) = payloads.iter().enumerate().find_map(|(at, payload)| {
        let StreamResponse::ArtifactUpdate(update) = payload else { return None };
        let [part] = update.artifact.parts.as_slice() else { return None };
        let text = part.as_text().filter(|_| update.append)?;
        let (middle, _) = text.char_indices().nth(1 + usize::from(how) % text.chars().count().max(2) / 2)?;
        Some((at, middle))
    })?;
    let mut split = payloads.to_vec();
    let StreamResponse::ArtifactUpdate(mut first) = split[at].clone() else { unreachable!("found just now") };
    let mut second = first.clone();
    let (one, two) = first.artifact.parts[0].as_text()?.split_at(middle);
    second.artifact.parts = vec![Part::text(two)];
    first.artifact.parts = vec![Part::text(one)];
    first.last_chunk = false;
    split[at] = first.into();
    split.insert(at + 1, second.into());
    Some(split)
}
