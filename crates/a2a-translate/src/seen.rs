//! What was streamed already, remembered in bounded memory.
//!
//! Servers repeat themselves: a closing snapshot has everything again, and so has the one a recovered stream begins
//! with. [`Content`] knows how long the content of an artifact is and what it hashes to, and tells of a repetition
//! whether it is equal, longer or different. It holds neither text nor bytes.
//!
//! Content is a sequence of runs: consecutive texts are one run, and so are consecutive bytes of one file, so that it
//! does not matter into how many parts a server cuts them. Only the last run is open; the others are chained into
//! one hash.
//!
//! The hash is HighwayHash, whose key the remote side does not know: it is made from the id of the reply, which never
//! leaves this side and is random unless the caller says otherwise; lengths must match, too. A hash without a key
//! would not do: whoever wrote a text that a peer relays and then replaces, say by a notice of a known wording, could
//! make it collide with the notice, which would then count as a repetition and never be seen.

use std::fmt;

use a2a_types::{Part, PartContent};
use highway::{HighwayHash as _, HighwayHasher};

/// What hashes are made with. Not kept as a [`highway::Key`], whose alignment would be that of whatever holds it, up
/// to the application's own futures, and is dear to allocate.
#[derive(Clone, Copy)]
pub(crate) struct Key([u64; 4]);

impl Key {
    /// The key that belongs to a secret.
    pub(crate) fn new(secret: &str) -> Self {
        Self(HighwayHasher::default().hash256(secret.as_bytes()))
    }

    fn hasher(self) -> HighwayHasher {
        HighwayHasher::new(highway::Key(self.0))
    }

    fn hash(self, text: &str) -> u64 {
        self.hasher().hash64(text.as_bytes())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// The content of an artifact or a message as far as it was streamed.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    key: Key,
    /// How many runs are closed.
    closed: u64,
    /// Hash of the closed runs.
    chain: u64,
    run: Option<Run>,
}

/// Consecutive content of one kind.
#[derive(Debug, Clone)]
struct Run {
    kind: Kind,
    /// Hashes of the media type and the file name; of no matter where they are not translated.
    media_type: u64,
    filename: u64,
    len: u64,
    bytes: HighwayHasher,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Raw,
    Url,
    Data,
}

/// What a repetition is to what was streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// It is the same.
    Equal,
    /// It is the same and more: what is new begins in this part, after so many bytes.
    Longer { part: usize, offset: usize },
    /// It is something else.
    Different,
}

impl Content {
    /// Nothing yet.
    pub(crate) fn new(key: Key) -> Self {
        Self { key, closed: 0, chain: 0, run: None }
    }

    /// Nothing again, with the same key.
    pub(crate) fn clear(&mut self) {
        (self.closed, self.chain, self.run) = (0, 0, None);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.run.is_none()
    }

    /// Takes in a part that is being streamed.
    pub(crate) fn push(&mut self, part: &Part) {
        if let Some(bytes) = self.enter(part) {
            self.extend(bytes);
        }
    }

    pub(crate) fn extend_from(&mut self, parts: &[Part]) {
        for part in parts {
            self.push(part);
        }
    }

    /// Whether both are the same content. Their keys must be the same.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.closed == other.closed
            && self.chain == other.chain
            && match (&self.run, &other.run) {
                (Some(a), Some(b)) => a.is_alike(b) && a.len == b.len && a.hash() == b.hash(),
                (None, None) => true,
                _ => false,
            }
    }

    /// What these parts, the whole content as the server has it now, are to what was streamed.
    pub(crate) fn compare(&self, parts: &[Part]) -> Repetition {
        let Some(end) = &self.run else {
            return if parts.iter().any(has_content) {
                Repetition::Longer { part: 0, offset: 0 }
            } else {
                Repetition::Equal
            };
        };
        let mut walk = self.clone();
        walk.clear();
        for (at, part) in parts.iter().enumerate() {
            let Some(bytes) = walk.enter(part) else { continue };
            let Some(run) = walk.run.as_mut().filter(|_| walk.closed <= self.closed) else { break };
            if walk.closed == self.closed {
                if walk.chain != self.chain || !run.is_alike(end) {
                    break;
                }
                let missing = usize::try_from(end.len - run.len).unwrap_or(usize::MAX);
                if let Some((known, new)) = bytes.split_at_checked(missing) {
                    run.extend(known);
                    if run.hash() != end.hash() || !can_grow(part, missing, new) {
                        break;
                    }
                    if !new.is_empty() {
                        return Repetition::Longer { part: at, offset: missing };
                    }
                    // No bytes that only go on with the same file are nothing new.
                    let is_new = |part: &Part| {
                        walk.enter(part).is_some_and(|bytes| walk.closed > self.closed || !bytes.is_empty())
                    };
                    let rest = parts.get(at + 1..).unwrap_or_default();
                    return match rest.iter().position(is_new) {
                        Some(next) => Repetition::Longer { part: at + 1 + next, offset: 0 },
                        None => Repetition::Equal,
                    };
                }
            }
            walk.extend(bytes);
        }
        Repetition::Different
    }

    /// Makes the run of this part the current one; returns the bytes to extend it with. `None`: nothing to remember.
    fn enter<'a>(&mut self, part: &'a Part) -> Option<&'a [u8]> {
        let (kind, bytes) = bytes_of(part)?;
        let joins = self.run.as_ref().is_some_and(|run| match kind {
            Kind::Text => run.kind == kind,
            // A continuation need not say again what the file is.
            Kind::Raw => {
                run.kind == kind
                    && (part.media_type.is_empty() || run.media_type == self.key.hash(&part.media_type))
                    && (part.filename.is_empty() || run.filename == self.key.hash(&part.filename))
            }
            Kind::Url | Kind::Data => false,
        });
        if !joins {
            if let Some(run) = self.run.take() {
                let mut chain = self.key.hasher();
                for number in [self.chain, run.kind as u64, run.media_type, run.filename, run.len, run.hash()]
                {
                    chain.append(&number.to_le_bytes());
                }
                self.chain = chain.finalize64();
                self.closed += 1;
            }
            let (media_type, filename) = match kind {
                Kind::Text => (0, 0),
                Kind::Raw | Kind::Url | Kind::Data => {
                    (self.key.hash(&part.media_type), self.key.hash(&part.filename))
                }
            };
            self.run = Some(Run { kind, media_type, filename, len: 0, bytes: self.key.hasher() });
        }
        Some(bytes)
    }

    fn extend(&mut self, bytes: &[u8]) {
        if let Some(run) = &mut self.run {
            run.extend(bytes);
        }
    }
}

impl Run {
    /// Whether both are of one kind and of the same file.
    fn is_alike(&self, other: &Self) -> bool {
        self.kind == other.kind && self.media_type == other.media_type && self.filename == other.filename
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.bytes.append(bytes);
        self.len += bytes.len() as u64;
    }

    fn hash(&self) -> u64 {
        self.bytes.clone().finalize64()
    }
}

fn bytes_of(part: &Part) -> Option<(Kind, &[u8])> {
    match &part.content {
        PartContent::Text(text) if text.is_empty() => None,
        PartContent::Text(text) => Some((Kind::Text, text.as_bytes())),
        PartContent::Raw(bytes) => Some((Kind::Raw, bytes)),
        PartContent::Url(url) => Some((Kind::Url, url.as_bytes())),
        PartContent::Data(data) => Some((Kind::Data, data.as_str().as_bytes())),
        // Not translated, now or later.
        _ => None,
    }
}

fn has_content(part: &Part) -> bool {
    bytes_of(part).is_some()
}

/// Whether content can go on like this: a text between characters, bytes anywhere, the rest not at all.
fn can_grow(part: &Part, known: usize, new: &[u8]) -> bool {
    match &part.content {
        PartContent::Text(text) => text.is_char_boundary(known),
        PartContent::Raw(_) => true,
        _ => new.is_empty(),
    }
}

/// Whether what follows the first `offset` bytes of one of the parts is the rest of a file.
pub(crate) fn begins_within_file(parts: &[Part], part: usize, offset: usize) -> bool {
    let file = |at: usize| parts.get(at).filter(|part| matches!(part.content, PartContent::Raw(_)));
    let before = part.checked_sub(1).and_then(file);
    match (before, file(part)) {
        (_, Some(_)) if offset > 0 => true,
        (Some(before), Some(part)) => !part.filename.is_empty() && part.filename == before.filename,
        _ => false,
    }
}

/// What follows the first `offset` bytes of one of the parts.
pub(crate) fn tail(parts: Vec<Part>, part: usize, offset: usize) -> impl Iterator<Item = Part> {
    let mut tail = parts.into_iter().skip(part);
    let first = tail.next().map(|part| without_start(part, offset));
    first.into_iter().chain(tail)
}

fn without_start(mut part: Part, offset: usize) -> Part {
    match &mut part.content {
        // `Content::compare` answers with character boundaries only.
        PartContent::Text(text) => *text = text.get(offset..).unwrap_or_default().to_owned(),
        PartContent::Raw(bytes) => drop(bytes.drain(..offset.min(bytes.len()))),
        _ => {}
    }
    part
}
