//! From events to the message: the only way a reply grows.
//!
//! Folding is total: an event that does not belong to the message, or to none of its blocks, changes nothing. It is
//! linear in what the events carry, also for the bytes of a file that comes in pieces.

use crate::{
    base64,
    block::{Base64Source, ContentBlock, DataBlock, Source, TextBlock, UrlSource},
    event::Event,
    msg::{Msg, Role},
};

impl Msg {
    /// A message that is still nothing: `REPLY_START` will name it.
    pub fn reply() -> Self {
        Self::new("", Role::Assistant, Vec::new())
    }

    /// The message these events tell.
    ///
    /// The events of the first reply count; those of others are skipped.
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut msg = Self::reply();
        for event in events {
            msg.append_event(event);
        }
        msg
    }

    /// Takes in the next event of the reply.
    pub fn append_event(&mut self, event: &Event) {
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
                if let Some(block) = self.text_block(&delta.block_id) {
                    block.text.push_str(&delta.delta);
                }
            }
            Event::TextBlockEnd(end) => {
                if let Some(block) = self.text_block(&end.block_id) {
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
                if let Some(block) = self.data_block(&delta.block_id) {
                    append_data(&mut block.source, delta.data.as_deref(), delta.url.as_deref());
                }
            }
            Event::DataBlockEnd(end) => {
                if let Some(block) = self.data_block(&end.block_id) {
                    block.finished_at = Some(end.created_at.as_ref().to_owned());
                }
            }
            Event::ReplyEnd(end) => {
                self.metadata.extend(end.metadata.clone());
                self.finished_at = Some(end.created_at.as_ref().to_owned());
                self.finished_reason = Some(end.finished_reason);
                self.error.clone_from(&end.error);
            }
        }
    }

    /// The open block with this id. The newest is looked at first: that is where the deltas go.
    fn text_block(&mut self, id: &str) -> Option<&mut TextBlock> {
        self.content.iter_mut().rev().find_map(|block| match block {
            ContentBlock::Text(block) if block.id == id => Some(block),
            _ => None,
        })
    }

    fn data_block(&mut self, id: &str) -> Option<&mut DataBlock> {
        self.content.iter_mut().rev().find_map(|block| match block {
            ContentBlock::Data(block) if block.id == id => Some(block),
            _ => None,
        })
    }
}

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
