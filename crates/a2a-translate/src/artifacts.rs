//! The artifacts of a reply, and how much of each was streamed.

use std::collections::BTreeMap;

use a2a_types::{Artifact, Part};

use crate::{
    error::TranslateError,
    parts::{Flow, OpenBlock, Origin, Writer},
    seen::{Content, Repetition, begins_within_file, tail},
};

/// The artifacts that were streamed. Each has at most one open block.
#[derive(Debug, Default)]
pub(crate) struct Artifacts {
    tracked: Vec<Tracked>,
    /// Task, then artifact, to the places in `tracked`. Several: a snapshot used one id more than once. Filled only
    /// once there are many.
    index: BTreeMap<Box<str>, BTreeMap<Box<str>, Vec<usize>>>,
    /// How many are in the index.
    indexed: usize,
    /// Where the last chunk went: most often the next goes there, too.
    last: usize,
}

#[derive(Debug)]
struct Tracked {
    task_id: Box<str>,
    artifact_id: Box<str>,
    content: Content,
    /// Whether anything was streamed, be it an empty text.
    started: bool,
    /// Whether the content was there before the reply: a snapshot that has it says nothing new.
    known: bool,
    open: Option<OpenBlock>,
}

impl Artifacts {
    /// How many artifacts a status message is compared with: however many there are, it costs no more.
    const COMPARED: usize = 256;

    /// Up to how many artifacts are looked through; more are looked up.
    const FEW: usize = 8;

    /// Artifacts that were there before the reply.
    pub(crate) fn know(&mut self, writer: &Writer, task_id: &str, artifacts: &[Artifact]) {
        for artifact in artifacts {
            let at = self.find(writer, task_id, &artifact.artifact_id, 0);
            if let Some(tracked) = self.tracked.get_mut(at).filter(|tracked| !tracked.known) {
                tracked.known = true;
                tracked.content.extend_from(&artifact.parts);
            }
        }
    }

    /// An update: parts to append, or the whole artifact.
    pub(crate) fn update(
        &mut self,
        writer: &mut Writer,
        task_id: &str,
        artifact: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), TranslateError> {
        let at = self.find(writer, task_id, &artifact.artifact_id, 0);
        let Some(tracked) = self.tracked.get_mut(at) else { return Ok(()) };
        if append {
            tracked.append(writer, artifact.parts)?;
        } else {
            tracked.replace(writer, artifact.parts)?;
        }
        if last_chunk {
            tracked.end(writer);
        }
        Ok(())
    }

    /// The artifacts of a snapshot.
    pub(crate) fn snapshot(
        &mut self,
        writer: &mut Writer,
        task_id: &str,
        artifacts: Vec<Artifact>,
        over: bool,
    ) -> Result<(), TranslateError> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for artifact in artifacts {
            let occurrence = seen.entry(artifact.artifact_id.clone()).and_modify(|n| *n += 1).or_insert(0);
            let at = self.find(writer, task_id, &artifact.artifact_id, *occurrence);
            let Some(tracked) = self.tracked.get_mut(at) else { continue };
            tracked.catch_up(writer, artifact.parts)?;
            if over {
                tracked.end(writer);
            }
        }
        Ok(())
    }

    /// Whether one of the latest artifacts has exactly this content, and is of the task.
    pub(crate) fn contain(&self, task_id: &str, content: &Content) -> bool {
        self.tracked
            .iter()
            .rev()
            .take(Self::COMPARED)
            .any(|tracked| tracked.started && *tracked.task_id == *task_id && tracked.content.equals(content))
    }

    /// Ends the open blocks, in the order in which they opened.
    pub(crate) fn end(&mut self, writer: &mut Writer) {
        let mut open: Vec<&mut Tracked> =
            self.tracked.iter_mut().filter(|tracked| tracked.open.is_some()).collect();
        open.sort_by_key(|tracked| tracked.open.as_ref().map(OpenBlock::order));
        for tracked in open {
            tracked.end(writer);
        }
    }

    fn find(&mut self, writer: &Writer, task_id: &str, artifact_id: &str, occurrence: usize) -> usize {
        let is_last = self.tracked.get(self.last).is_some_and(|last| last.is(task_id, artifact_id));
        if is_last && occurrence == 0 {
            return self.last;
        }
        let at = self.place(task_id, artifact_id, occurrence).unwrap_or_else(|| {
            self.tracked.push(Tracked {
                task_id: task_id.into(),
                artifact_id: artifact_id.into(),
                content: Content::new(writer.key),
                started: false,
                known: false,
                open: None,
            });
            self.tracked.len() - 1
        });
        if occurrence == 0 {
            self.last = at;
        }
        at
    }

    fn place(&mut self, task_id: &str, artifact_id: &str, occurrence: usize) -> Option<usize> {
        if self.tracked.len() <= Self::FEW {
            let mut same =
                self.tracked.iter().enumerate().filter(|(_, tracked)| tracked.is(task_id, artifact_id));
            return same.nth(occurrence).map(|(at, _)| at);
        }
        for (at, tracked) in self.tracked.iter().enumerate().skip(self.indexed) {
            let task = self.index.entry(tracked.task_id.clone()).or_default();
            task.entry(tracked.artifact_id.clone()).or_default().push(at);
        }
        self.indexed = self.tracked.len();
        self.index.get(task_id)?.get(artifact_id)?.get(occurrence).copied()
    }
}

impl Tracked {
    fn is(&self, task_id: &str, artifact_id: &str) -> bool {
        *self.artifact_id == *artifact_id && *self.task_id == *task_id
    }

    /// More content.
    fn append(&mut self, writer: &mut Writer, parts: Vec<Part>) -> Result<(), TranslateError> {
        self.content.extend_from(&parts);
        self.write(writer, parts, Flow::Appended)
    }

    /// The whole artifact, in place of what there was of it. What only goes on where the open block stands is
    /// streamed into it: block and artifact are then the same.
    fn replace(&mut self, writer: &mut Writer, parts: Vec<Part>) -> Result<(), TranslateError> {
        match self.content.compare(&parts) {
            Repetition::Equal if self.started && !parts.is_empty() => Ok(()),
            Repetition::Longer { part, offset }
                if self.open.is_some() && self.goes_on(&parts, part, offset) =>
            {
                self.tail(writer, parts, part, offset, Flow::Appended)
            }
            Repetition::Equal | Repetition::Longer { .. } | Repetition::Different => {
                self.renew(writer, parts, Flow::Whole)
            }
        }
    }

    /// The whole artifact as a snapshot has it: only what is new is streamed.
    fn catch_up(&mut self, writer: &mut Writer, parts: Vec<Part>) -> Result<(), TranslateError> {
        match self.content.compare(&parts) {
            Repetition::Equal if self.started || self.known => Ok(()),
            Repetition::Longer { part, offset } if self.goes_on(&parts, part, offset) => {
                self.tail(writer, parts, part, offset, Flow::Snapshot)
            }
            Repetition::Equal | Repetition::Longer { .. } | Repetition::Different => {
                self.renew(writer, parts, Flow::Snapshot)
            }
        }
    }

    /// Whether what is new can stand alone, or flow into the open block: half a file cannot stand alone.
    fn goes_on(&self, parts: &[Part], part: usize, offset: usize) -> bool {
        !begins_within_file(parts, part, offset)
            || parts.get(part).is_some_and(|part| self.open.as_ref().is_some_and(|open| open.takes_raw(part)))
    }

    /// Streams what follows the first `offset` bytes of a part.
    fn tail(
        &mut self,
        writer: &mut Writer,
        parts: Vec<Part>,
        part: usize,
        offset: usize,
        flow: Flow,
    ) -> Result<(), TranslateError> {
        self.content.clear();
        self.content.extend_from(&parts);
        self.write(writer, tail(parts, part, offset), flow)
    }

    /// Streams new content, in blocks of its own.
    fn renew(&mut self, writer: &mut Writer, parts: Vec<Part>, flow: Flow) -> Result<(), TranslateError> {
        self.end(writer);
        self.content.clear();
        self.content.extend_from(&parts);
        self.write(writer, parts, flow)
    }

    fn write(
        &mut self,
        writer: &mut Writer,
        parts: impl IntoIterator<Item = Part>,
        flow: Flow,
    ) -> Result<(), TranslateError> {
        self.started = true;
        let origin = Origin::Artifact { task_id: &self.task_id, artifact_id: &self.artifact_id };
        writer.write(parts, flow, &mut self.open, origin)
    }

    fn end(&mut self, writer: &mut Writer) {
        let origin = Origin::Artifact { task_id: &self.task_id, artifact_id: &self.artifact_id };
        writer.end(self.open.take(), origin);
    }
}
