//! What holds for any sequence of payloads. 10,000 sequences per property, or `PROPTEST_CASES`.

use std::collections::{BTreeMap, BTreeSet};

use a2a_translate::{
    ContentBlock, CountingClock, CountingIds, DataParts, End, ErrorInfo, ErrorType, Event, Msg, ReplyContext,
    ReplyTranslator, Source, TranslateOptions,
};
use a2a_types::{
    Artifact, Message, Part, PartContent, Role, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState,
    TaskStatus, TaskStatusUpdateEvent,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use proptest::prelude::*;

/// What a server does next.
#[derive(Debug, Clone)]
enum Step {
    /// Sends an artifact update.
    Update { task: usize, artifact: usize, parts: Vec<Part>, append: bool, last_chunk: bool },
    /// Appends text without sending it: the connection is away.
    Unseen { task: usize, artifact: usize, text: String },
    /// Sends the whole artifact again.
    Again { task: usize, artifact: usize, last_chunk: bool },
    /// Sends a snapshot, with consecutive texts as one part or as they came.
    Snapshot { task: usize, state: TaskState, joined: bool },
    /// Sends a status.
    Status { task: usize, state: TaskState, message: Option<Message> },
    /// Answers directly.
    Message(Message),
    /// Sends what nobody knows.
    Unknown,
}

const TASKS: [&str; 2] = ["t-1", "t-2"];
const ARTIFACTS: [&str; 3] = ["a-1", "a-2", ""];

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(&["", "a", "b", "ab", "Hello ", "world", "é", "杭州", "🌊", "\n", "a\u{301}"][..])
        .prop_map(str::to_owned)
}

fn part() -> impl Strategy<Value = Part> {
    let filename = prop::sample::select(&["", "", "a.bin", "b.bin"][..]);
    prop_oneof![
        8 => text().prop_map(Part::text),
        2 => (prop::collection::vec(any::<u8>(), 0..5), filename)
            .prop_map(|(bytes, name)| Part::raw(bytes).with_filename(name)),
        1 => prop::sample::select(&["https://e.test/x", "", "x.png"][..]).prop_map(Part::url),
    ]
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    prop::collection::vec(part(), 0..3)
}

fn message() -> impl Strategy<Value = Message> {
    let id = prop::sample::select(&["", "m-1", "m-2", "m-3"][..]);
    let role = prop::sample::select(&[Role::Agent, Role::Agent, Role::Unspecified, Role::User][..]);
    (id, role, parts()).prop_map(|(id, role, parts)| Message::new(id, role, parts))
}

fn state() -> impl Strategy<Value = TaskState> {
    prop_oneof![
        4 => Just(TaskState::Working),
        1 => (0..=9_i64).prop_map(TaskState::from_number),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let task = || prop_oneof![4 => Just(0_usize), 1 => Just(1)];
    let artifact = || 0..ARTIFACTS.len();
    prop_oneof![
        8 => (task(), artifact(), parts(), prop::bool::weighted(0.8), prop::bool::weighted(0.2)).prop_map(
            |(task, artifact, parts, append, last_chunk)| Step::Update { task, artifact, parts, append, last_chunk }
        ),
        2 => (task(), artifact(), text()).prop_map(|(task, artifact, text)| Step::Unseen { task, artifact, text }),
        1 => (task(), artifact(), any::<bool>())
            .prop_map(|(task, artifact, last_chunk)| Step::Again { task, artifact, last_chunk }),
        2 => (task(), state(), any::<bool>()).prop_map(|(task, state, joined)| Step::Snapshot { task, state, joined }),
        2 => (task(), state(), prop::option::of(message()))
            .prop_map(|(task, state, message)| Step::Status { task, state, message }),
        1 => message().prop_map(Step::Message),
        1 => Just(Step::Unknown),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 0..12)
}

/// What the server has of an artifact, and what the client can have seen of it.
#[derive(Debug, Default, Clone)]
struct Kept {
    parts: Vec<Part>,
    /// Whether content was taken back: then the message has more than the artifact.
    replaced: bool,
    /// Whether something is there that was not sent yet.
    unseen: bool,
}

/// The independent reducer: append, replace, snapshot.
#[derive(Debug, Default)]
struct Server {
    artifacts: BTreeMap<(usize, usize), Kept>,
}

impl Server {
    /// The payload of a step, if it sends one.
    fn play(&mut self, step: &Step) -> Option<StreamResponse> {
        match step.clone() {
            Step::Update { task, artifact, parts, append, last_chunk } => {
                let kept = self.artifacts.entry((task, artifact)).or_default();
                if append {
                    // What comes after a gap is out of place until a snapshot.
                    kept.replaced |= kept.unseen && parts.iter().any(|part| content(part).is_some());
                    kept.parts.extend(parts.iter().cloned());
                } else {
                    kept.replaced |= !kept.parts.is_empty() && kept.parts != parts;
                    kept.parts.clone_from(&parts);
                    kept.unseen = false;
                }
                Some(update(task, artifact, parts, append, last_chunk))
            }
            Step::Unseen { task, artifact, text } => {
                let kept = self.artifacts.entry((task, artifact)).or_default();
                kept.unseen |= !text.is_empty();
                kept.parts.push(Part::text(text));
                None
            }
            Step::Again { task, artifact, last_chunk } => {
                let kept = self.artifacts.get_mut(&(task, artifact))?;
                // It may come as a replacement.
                kept.replaced |= kept.unseen;
                kept.unseen = false;
                Some(update(task, artifact, kept.parts.clone(), false, last_chunk))
            }
            Step::Snapshot { task, state, joined } => {
                let mut snapshot = Task::new(TASKS[task], "c-1", TaskStatus::new(state));
                for ((_, artifact), kept) in self.artifacts.iter_mut().filter(|((of, _), _)| *of == task) {
                    kept.unseen = false;
                    let parts = if joined { join_texts(&kept.parts) } else { kept.parts.clone() };
                    snapshot.artifacts.push(Artifact::new(ARTIFACTS[*artifact], parts));
                }
                Some(snapshot.into())
            }
            Step::Status { task, state, message } => {
                let mut status = TaskStatus::new(state);
                status.message = message;
                Some(TaskStatusUpdateEvent::new(TASKS[task], "c-1", status).into())
            }
            Step::Message(message) => Some(message.into()),
            Step::Unknown => Some(StreamResponse::default()),
        }
    }
}

fn update(task: usize, artifact: usize, parts: Vec<Part>, append: bool, last_chunk: bool) -> StreamResponse {
    let mut update =
        TaskArtifactUpdateEvent::new(TASKS[task], "c-1", Artifact::new(ARTIFACTS[artifact], parts));
    update.append = append;
    update.last_chunk = last_chunk;
    update.into()
}

fn content(part: &Part) -> Option<&[u8]> {
    match &part.content {
        PartContent::Text(text) => Some(text.as_bytes()).filter(|text| !text.is_empty()),
        PartContent::Raw(bytes) => Some(bytes),
        PartContent::Url(url) => Some(url.as_bytes()),
        _ => None,
    }
}

fn join_texts(parts: &[Part]) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match (joined.last_mut().map(|last| &mut last.content), &part.content) {
            (Some(PartContent::Text(text)), PartContent::Text(more)) => text.push_str(more),
            _ => joined.push(part.clone()),
        }
    }
    joined
}

fn translator(data_parts: DataParts) -> ReplyTranslator {
    ReplyTranslator::new(
        ReplyContext::new("session", "Remote"),
        TranslateOptions::default().with_data_parts(data_parts),
        CountingIds::default(),
        CountingClock::default(),
    )
}

fn drain(translator: &mut ReplyTranslator, events: &mut Vec<Event>) {
    while let Some(event) = translator.poll_event() {
        events.push(event);
    }
}

fn translate(payloads: impl IntoIterator<Item = StreamResponse>, end: End) -> Vec<Event> {
    let mut translator = translator(DataParts::Error);
    let mut events = Vec::new();
    for payload in payloads {
        // The parts made here are all supported.
        translator.handle(payload).unwrap();
        drain(&mut translator, &mut events);
    }
    translator.finish(end);
    drain(&mut translator, &mut events);
    events
}

fn play(steps: &[Step]) -> (Vec<StreamResponse>, Server) {
    let mut server = Server::default();
    let payloads = steps.iter().filter_map(|step| server.play(step)).collect();
    (payloads, server)
}

/// A block as its events tell it.
#[derive(Debug, Default, Clone, PartialEq)]
struct Told {
    id: String,
    text: String,
    bytes: Vec<u8>,
    url: Option<String>,
    ended: bool,
    origin: String,
}

/// Checks the order of the events, and gives the blocks they tell.
fn told(events: &[Event]) -> Result<Vec<Told>, TestCaseError> {
    prop_assert!(matches!(events.first(), Some(Event::ReplyStart(_))));
    prop_assert!(matches!(events.last(), Some(Event::ReplyEnd(_))));
    let mut blocks: Vec<Told> = Vec::new();
    for event in &events[1..events.len() - 1] {
        let id = event.block_id();
        prop_assert!(id.is_some(), "{} in the middle", event.kind());
        let at = blocks.iter().position(|block| Some(&*block.id) == id);
        if event.kind().ends_with("_START") {
            prop_assert_eq!(at, None, "a block starts twice");
            blocks.push(Told { id: id.unwrap().to_owned(), ..Told::default() });
            continue;
        }
        prop_assert!(at.is_some(), "{} before the start", event.kind());
        let block = &mut blocks[at.unwrap()];
        prop_assert!(!block.ended, "{} after the end", event.kind());
        match event {
            Event::TextBlockDelta(delta) => {
                prop_assert!(!delta.delta.is_empty(), "an empty delta");
                block.text.push_str(&delta.delta);
            }
            Event::DataBlockDelta(delta) => {
                block.bytes.extend(delta.data.iter().flat_map(|data| STANDARD.decode(data).unwrap()));
                block.url = delta.url.clone();
            }
            Event::TextBlockEnd(end) => {
                block.ended = true;
                block.origin = end.metadata["a2a"].to_string();
            }
            Event::DataBlockEnd(end) => {
                block.ended = true;
                block.origin = end.metadata["a2a"].to_string();
            }
            other => prop_assert!(false, "{} in the middle", other.kind()),
        }
    }
    prop_assert!(blocks.iter().all(|block| block.ended), "a block does not end");
    let ids: BTreeSet<&str> =
        events.iter().map(Event::id).chain(blocks.iter().map(|block| &*block.id)).collect();
    prop_assert_eq!(ids.len(), events.len() + blocks.len(), "an id was given out twice");
    Ok(blocks)
}

/// The message is what the events say.
fn check_fold(events: &[Event], blocks: &[Told]) -> Result<(), TestCaseError> {
    let msg = Msg::from_events(events);
    prop_assert_eq!(msg.content.len(), blocks.len());
    for (block, told) in msg.content.iter().zip(blocks) {
        prop_assert_eq!(block.id(), &told.id);
        match block {
            ContentBlock::Text(block) => prop_assert_eq!(&block.text, &told.text),
            ContentBlock::Data(block) => match &block.source {
                Source::Base64(source) => prop_assert_eq!(&source.data, &STANDARD.encode(&told.bytes)),
                Source::Url(source) => prop_assert_eq!(Some(&source.url), told.url.as_ref()),
                other => prop_assert!(false, "{other:?}"),
            },
            other => prop_assert!(false, "{other:?}"),
        }
    }
    let Some(Event::ReplyEnd(end)) = events.last() else { unreachable!() };
    prop_assert_eq!(msg.finished_reason, Some(end.finished_reason));
    prop_assert_eq!(&msg.error, &end.error);
    prop_assert_eq!(&msg.metadata, &end.metadata);
    prop_assert_eq!(end.error.is_some(), end.finished_reason.as_str() == "error");
    Ok(())
}

fn origin(task: usize, artifact: usize) -> String {
    serde_json::json!({"artifact_id": ARTIFACTS[artifact], "task_id": TASKS[task]}).to_string()
}

/// For every artifact the message has what the reducer says, no more and no less.
fn check_artifacts(server: &Server, blocks: &[Told]) -> Result<(), TestCaseError> {
    for ((task, artifact), kept) in &server.artifacts {
        if kept.replaced || kept.unseen {
            continue;
        }
        let origin = origin(*task, *artifact);
        let of_artifact = || blocks.iter().filter(|block| block.origin == origin);
        let (mut text, mut bytes, mut urls) = (String::new(), Vec::<u8>::new(), Vec::new());
        for part in &kept.parts {
            match &part.content {
                PartContent::Text(more) => text.push_str(more),
                PartContent::Raw(more) => bytes.extend(more),
                PartContent::Url(url) => urls.push(url.clone()),
                other => prop_assert!(false, "{other:?}"),
            }
        }
        let told: String = of_artifact().map(|block| &*block.text).collect();
        prop_assert_eq!(told, text, "text of {}", &origin);
        let told: Vec<u8> = of_artifact().flat_map(|block| block.bytes.clone()).collect();
        prop_assert_eq!(told, bytes, "bytes of {}", &origin);
        let told: Vec<String> = of_artifact().filter_map(|block| block.url.clone()).collect();
        prop_assert_eq!(told, urls, "urls of {}", &origin);
    }
    Ok(())
}

/// Texts that go to blocks one after the other without anything between them are one block.
fn check_not_cut(steps: &[Step], blocks: &[Told]) -> Result<(), TestCaseError> {
    let mut whole: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    for step in steps {
        if let Step::Update { task, artifact, parts, append, last_chunk } = step {
            let only_text = parts.iter().all(|part| matches!(part.content, PartContent::Text(_)));
            let flows = only_text && *append && !last_chunk;
            *whole.entry((*task, *artifact)).or_insert(true) &= flows;
        } else if let Step::Again { task, artifact, .. } | Step::Unseen { task, artifact, .. } = step {
            whole.insert((*task, *artifact), false);
        } else if let Step::Snapshot { task, .. } = step {
            whole.extend((0..ARTIFACTS.len()).map(|artifact| ((*task, artifact), false)));
        }
    }
    for ((task, artifact), whole) in whole {
        let origin = origin(task, artifact);
        let count = blocks.iter().filter(|block| block.origin == origin).count();
        prop_assert!(!whole || count <= 1, "{} is in {} blocks", origin, count);
    }
    Ok(())
}

fn end() -> impl Strategy<Value = End> {
    prop::sample::select(vec![
        End::Ended,
        End::Cut(ErrorInfo::new(ErrorType::Connection, "cut")),
        End::Failed(ErrorInfo::new(ErrorType::Internal, "failed")),
        End::Cancelled,
    ])
}

/// The same steps with a chunk of text sent in two pieces, if there is one.
fn with_a_chunk_split(steps: &[Step], at: prop::sample::Index) -> Option<Vec<Step>> {
    let candidates: Vec<(usize, usize)> = steps
        .iter()
        .enumerate()
        .filter_map(|(step, played)| match played {
            Step::Update { parts, append: true, .. } => match parts.as_slice() {
                [part] => {
                    let text = part.as_text().filter(|text| text.chars().count() > 1)?;
                    Some((step, text.chars().next()?.len_utf8()))
                }
                _ => None,
            },
            _ => None,
        })
        .collect();
    let &(step, middle) = candidates.get(at.index(candidates.len().max(1)))?;
    let mut split = steps.to_vec();
    let Step::Update { task, artifact, parts, append, last_chunk } = split[step].clone() else {
        unreachable!()
    };
    let (one, two) = parts[0].as_text().unwrap().split_at(middle);
    split[step] = Step::Update { task, artifact, parts: vec![Part::text(one)], append, last_chunk: false };
    let rest = Step::Update { task, artifact, parts: vec![Part::text(two)], append: true, last_chunk };
    split.insert(step + 1, rest);
    Some(split)
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(10_000);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    /// One start, one end, blocks in order; the message is what the events say, and the artifacts are what the
    /// server has.
    #[test]
    fn replies_are_well_formed_and_complete(steps in steps(), end in end()) {
        let (payloads, server) = play(&steps);
        let events = translate(payloads, end);
        let blocks = told(&events)?;
        check_fold(&events, &blocks)?;
        check_artifacts(&server, &blocks)?;
        check_not_cut(&steps, &blocks)?;
    }

    /// How a server cuts a text into chunks changes nothing but the number of deltas.
    #[test]
    fn chunking_does_not_matter(steps in steps(), at in any::<prop::sample::Index>()) {
        let Some(split) = with_a_chunk_split(&steps, at) else { return Ok(()) };
        let blocks = |steps: &[Step]| {
            let mut blocks = told(&translate(play(steps).0, End::Ended))?;
            blocks.iter_mut().for_each(|block| block.id.clear());
            Ok::<_, TestCaseError>(blocks)
        };
        prop_assert_eq!(blocks(&steps)?, blocks(&split)?);
    }

    /// The same payloads give the same events, byte for byte, and the events read back as they were.
    #[test]
    fn translation_is_deterministic(steps in steps()) {
        let (payloads, _) = play(&steps);
        let write = |events: &[Event]| events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let one = translate(payloads.clone(), End::Ended);
        let lines: Vec<String> = write(&one);
        prop_assert_eq!(&lines, &write(&translate(payloads, End::Ended)));
        for (line, event) in lines.iter().zip(&one) {
            prop_assert_eq!(&serde_json::from_str::<Event>(line).unwrap(), event);
        }
    }
}
