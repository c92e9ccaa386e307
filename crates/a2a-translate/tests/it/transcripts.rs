//! Replies from payloads to the last event: a transcript in (`tests/data/transcripts`), one line per event out.
//!
//! Each test is a difference to AgentScope, or a rule of the translation, in as few payloads as will do. In a
//! transcript, `# end:` says how the payloads end and `# data parts:` what becomes of structured data.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::PathBuf};

use a2a_translate::{
    ContentBlock, CountingClock, CountingIds, DataParts, End, ErrorInfo, ErrorType, Event, Msg, ReplyContext,
    ReplyTranslator, Source, TranslateOptions,
};
use serde_json::Value;

macro_rules! transcripts {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(stringify!($name), play(stringify!($name)));
            }
        )*
    };
}

transcripts! {
    appended_bytes_are_one_file
    artifacts_without_a_status_complete
    cut_after_the_end_changes_nothing
    cut_while_running_is_an_error
    data_part_as_json
    data_part_fails_after_what_came_before
    data_part_skipped
    empty_part_fails
    empty_stream_is_an_error
    end_while_running_is_an_error
    failed_reply_ends_its_blocks
    failed_status_fills_the_error
    interleaved_artifacts_are_a_block_each
    message_completes_the_reply
    messages_of_the_user_are_not_translated
    only_unknown_payloads_are_an_error
    recovery_repeats_nothing
    rejected_status_fills_the_error
    replacement_opens_a_block
    replacement_that_extends_the_open_block
    replacement_with_the_same_content
    snapshot_between_chunks
    snapshot_repeats_a_file
    snapshot_repeats_artifacts
    snapshot_that_differs
    snapshot_that_extends
    snapshot_that_extends_a_closed_file
    snapshot_with_one_id_twice
    status_between_chunks
    status_repeats_an_artifact
    status_repeats_itself
    unknown_payload_is_skipped
    unknown_part_is_skipped
    url_is_kept_as_it_came
    waiting_task_without_an_id
}

fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

fn play(name: &str) -> String {
    let text = fs::read_to_string(data(&format!("data/transcripts/{name}.jsonl"))).unwrap();
    let mut data_parts = DataParts::Error;
    let mut end = End::Ended;
    let mut payloads = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.split_once(": ") {
            Some(("# end", "cut")) => {
                end = End::Cut(ErrorInfo::new(ErrorType::Connection, "connection lost"))
            }
            Some(("# end", "failed")) => end = End::Failed(ErrorInfo::new(ErrorType::Internal, "gave up")),
            Some(("# end", "cancelled")) => end = End::Cancelled,
            Some(("# data parts", "json")) => data_parts = DataParts::Json,
            Some(("# data parts", "skip")) => data_parts = DataParts::Skip,
            _ if line.starts_with('#') => {}
            _ => payloads.push(a2a_types::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}"))),
        }
    }

    let mut translator = ReplyTranslator::new(
        ReplyContext::new("session", "Remote"),
        TranslateOptions::default().with_data_parts(data_parts),
        CountingIds::default(),
        CountingClock::default(),
    );
    let mut out = String::new();
    let mut events = Vec::new();
    for payload in payloads {
        let translated = translator.handle(payload);
        write_events(&mut out, &mut translator, &mut events);
        while let Some(warning) = translator.poll_warning() {
            writeln!(out, "  warning: {warning}").unwrap();
        }
        if let Err(error) = translated {
            writeln!(out, "  error: {error}").unwrap();
            end = End::Failed(error.to_error_info());
            break;
        }
    }
    writeln!(out, "  {:?}", translator.phase()).unwrap();
    translator.finish(end);
    write_events(&mut out, &mut translator, &mut events);

    writeln!(
        out,
        "\ncontext {:?}, task {:?}, running {:?}",
        translator.context_id().unwrap_or_default(),
        translator.task_id().unwrap_or_default(),
        translator.running_task_id().unwrap_or_default(),
    )
    .unwrap();
    for block in &Msg::from_events(&events).content {
        match block {
            ContentBlock::Text(block) => writeln!(out, "text {:?}", block.text),
            ContentBlock::Data(block) => match &block.source {
                Source::Base64(source) => writeln!(out, "data {} {}", source.media_type, source.data),
                Source::Url(source) => writeln!(out, "data {} {}", source.media_type, source.url),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
        .unwrap();
    }
    out
}

fn write_events(out: &mut String, translator: &mut ReplyTranslator, events: &mut Vec<Event>) {
    while let Some(event) = translator.poll_event() {
        write!(out, "{} {}", event.kind(), event.block_id().unwrap_or_default()).unwrap();
        match &event {
            Event::TextBlockDelta(delta) => write!(out, " {:?}", delta.delta),
            Event::DataBlockStart(start) => write!(out, " {} {:?}", start.media_type, start.name),
            Event::DataBlockDelta(delta) => {
                write!(out, " {}", delta.data.as_ref().or(delta.url.as_ref()).unwrap())
            }
            Event::TextBlockEnd(end) => write!(out, " {}", origin(&end.metadata["a2a"])),
            Event::DataBlockEnd(end) => write!(out, " {}", origin(&end.metadata["a2a"])),
            Event::ReplyEnd(end) => {
                write!(out, "{}", end.finished_reason).unwrap();
                end.error.iter().try_for_each(|error| write!(out, ", {}: {}", error.kind, error.message))
            }
            _ => Ok(()),
        }
        .unwrap();
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
        events.push(event);
    }
}

fn origin(a2a: &Value) -> String {
    let ids: Vec<String> = a2a.as_object().unwrap().iter().map(|(name, id)| format!("{name}={id}")).collect();
    ids.join(" ")
}

/// No transcript without a test, and no snapshot of a test that is gone.
#[test]
fn every_file_has_its_test() {
    let names: BTreeSet<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
    let stems = |path: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(data(path)).unwrap();
        entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(stems("data/transcripts"), names);
    let snapshots: BTreeSet<String> = names.iter().map(|name| format!("it__transcripts__{name}")).collect();
    assert_eq!(stems("it/snapshots"), snapshots);
}
