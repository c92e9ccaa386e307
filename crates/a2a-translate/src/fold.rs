//! From events to the message: the only way a reply grows.
//!
//! Folding is total: an event that does not belong to the message, or to none of its blocks, changes nothing. It is
//! linear in what the events carry, also for the bytes of a file that comes in pieces, and with [`Places`] also if
//! very many blocks are open at the same time.

use std::collections::HashMap;

use crate::{
    base64,
    block::{Base64Source, ContentBlock, DataBlock, Source, TextBlock, UrlSource},
    event::Event,
    msg::{Msg, Role},
};

/// Where the blocks of one message are, for [`Msg::append_event_at`].
///
/// Without it a block is looked for among all: of no matter for a few, but a remote agent may open any number.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Filled only when a block is asked for that is not among the newest.
    places: HashMap<Box<str>, usize>,
    /// How many blocks are in it.
    entered: usize,
}

impl Places {
    /// How many blocks are looked at before the others are looked up.
    const NEWEST: usize = 8;

    fn of(&mut self, content: &[ContentBlock], id: &str) -> Option<usize> {
        let newest = content.iter().enumerate().rev().take(Self::NEWEST);
        if let Some((place, _)) = newest.into_iter().find(|(_, block)| block.id() == id) {
            return Some(place);
        }
        for (place, block) in content.iter().enumerate().skip(self.entered) {
            self.places.insert(block.id().into(), place);
        }
        self.entered = self.entered.max(content.len());
        let place = *self.places.get(id)?;
        content.get(place).filter(|block| block.id() == id).map(|_| place)
    }
}

impl Msg {
    /// A message that is still nothing: `REPLY_START` will name it.
    pub fn reply() -> Self {
        Self::new("", Role::Assistant, Vec::new())
    }

    /// The message these events tell.
    ///
    /// The events of the first reply count; those of others are skipped.
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let (mut msg, mut places) = (Self::reply(), Places::default());
        for event in events {
            msg.append_event_at(event, &mut places);
        }
        msg
    }

    /// Takes in the next event of the reply.
    pub fn append_event(&mut self, event: &Event) {
        self.take_in(event, |content, id| content.iter().rposition(|block| block.id() == id));
    }

    /// [`append_event`](Self::append_event) in a time that does not depend on how many blocks there are. The places
    /// are of this message alone, and nothing else may change its content meanwhile.
    pub fn append_event_at(&mut self, event: &Event, places: &mut Places) {
        self.take_in(event, |content, id| places.of(content, id));
    }

    /// `find` tells where the block with an id is. Most often it is among the newest: that is where the deltas go.
    fn take_in(&mut self, event: &Event, mut find: impl FnMut(&[ContentBlock], &str) -> Option<usize>) {
        if let Event::ReplyStart(start) = event {
            if self.id.is_empty() {
                start.reply_id.as_ref().clone_into(&mut self.id);
                start.name.as_ref().clone_into(&mut self.name);
                start.created_at.as_ref().clone_into(&mut self.created_at);
                self.role = start.role;
            }
            return;
        }
        if event.reply_id() != self.id {
            return;
        }
        match event {
            Event::ReplyStart(_) => {}
            Event::TextBlockStart(start) => self.content.push(ContentBlock::Text(TextBlock {
                text: String::new(),
                id: start.block_id.as_ref().to_owned(),
                created_at: start.created_at.as_ref().to_owned(),
                finished_at: None,
            })),
            Event::TextBlockDelta(delta) => {
                if let Some(block) = self.text_block(&delta.block_id, &mut find) {
                    block.text.push_str(&delta.delta);
                }
            }
            Event::TextBlockEnd(end) => {
                if let Some(block) = self.text_block(&end.block_id, &mut find) {
                    if let Some(text) = &end.text {
                        text.clone_into(&mut block.text);
                    }
                    block.finished_at = Some(end.created_at.as_ref().to_owned());
                }
            }
            Event::DataBlockStart(start) => self.content.push(ContentBlock::Data(DataBlock {
                id: start.block_id.as_ref().to_owned(),
                source: Source::Base64(Base64Source {
                    data: String::new(),
                    media_type: start.media_type.as_ref().to_owned(),
                }),
                name: start.name.clone(),
                created_at: start.created_at.as_ref().to_owned(),
                finished_at: None,
            })),
            Event::DataBlockDelta(delta) => {
                if let Some(block) = self.data_block(&delta.block_id, &mut find) {
                    append_data(&mut block.source, delta.data.as_deref(), delta.url.as_deref());
                }
            }
            Event::DataBlockEnd(end) => {
                if let Some(block) = self.data_block(&end.block_id, &mut find) {
                    block.finished_at = Some(end.created_at.as_ref().to_owned());
                }
            }
            Event::ReplyEnd(end) => {
                for (name, value) in &end.metadata {
                    self.metadata.insert(name.clone(), value.clone());
                }
                self.finished_at = Some(end.created_at.as_ref().to_owned());
                self.finished_reason = Some(end.finished_reason);
                self.error.clone_from(&end.error);
            }
        }
    }

    fn text_block(&mut self, id: &str, find: Find<'_>) -> Option<&mut TextBlock> {
        let place = find(&self.content, id)?;
        match self.content.get_mut(place) {
            Some(ContentBlock::Text(block)) => Some(block),
            _ => None,
        }
    }

    fn data_block(&mut self, id: &str, find: Find<'_>) -> Option<&mut DataBlock> {
        let place = find(&self.content, id)?;
        match self.content.get_mut(place) {
            Some(ContentBlock::Data(block)) => Some(block),
            _ => None,
        }
    }
}

/// Tells where in the content the block with an id is.
type Find<'a> = &'a mut dyn FnMut(&[ContentBlock], &str) -> Option<usize>;

fn append_data(source: &mut Source, data: Option<&str>, url: Option<&str>) {
    if let (Source::Base64(source), Some(data)) = (&mut *source, data) {
        base64::append(&mut source.data, data);
    }
    // An empty URL names nothing; AgentScope leaves the block as it is.
    if let Some(url) = url.filter(|url| !url.is_empty()) {
        let media_type = source.media_type().to_owned();
        *source = Source::Url(UrlSource { url: url.to_owned(), media_type });
    }
}
