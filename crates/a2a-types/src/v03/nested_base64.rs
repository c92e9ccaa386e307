//! Base64 inside base64, which one SDK sends over HTTP+JSON and gRPC.

use crate::{
    base64,
    message::{Message, Part, PartContent},
    request::SendMessageRequest,
    stream::{SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent},
    task::{Artifact, Task, TaskStatus},
};

/// A value whose parts can be visited.
pub trait CarriesParts {
    /// Calls the function with every part.
    fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut Part));
}

/// Replaces the bytes of every file that are base64 text themselves by what that text stands for.
///
/// One SDK of 0.3 puts base64 text where its protobuf definition has bytes, so that over HTTP+JSON and gRPC its
/// files arrive encoded twice. Nothing says so, hence this guess, for peers that are known to speak 0.3 in that
/// dialect: bytes that are well-formed, padded base64 are decoded once more. A text file is only replaced if
/// what comes out is text again. A file whose true content is base64 is mistaken.
pub fn decode_nested_base64(value: &mut impl CarriesParts) {
    value.for_each_part(&mut |part| {
        if let PartContent::Raw(bytes) = &mut part.content
            && let Some(inner) = nested(bytes, part.media_type.starts_with("text/"))
        {
            *bytes = inner;
        }
    });
}

fn nested(bytes: &[u8], is_text: bool) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty())?;
    let inner = base64::decode_canonical(text)?;
    (!is_text || std::str::from_utf8(&inner).is_ok()).then_some(inner)
}

impl CarriesParts for Part {
    fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut Part)) {
        visit(self);
    }
}

impl<T: CarriesParts> CarriesParts for Vec<T> {
    fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut Part)) {
        self.iter_mut().for_each(|item| item.for_each_part(visit));
    }
}

impl<T: CarriesParts> CarriesParts for Option<T> {
    fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut Part)) {
        self.iter_mut().for_each(|item| item.for_each_part(visit));
    }
}

/// Visits the fields of a struct that carry parts.
macro_rules! carries_parts {
    ($( $name:ident: $($field:ident),*; )*) => { $(
        impl CarriesParts for $name {
            fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut Part)) {
                $( self.$field.for_each_part(visit); )*
            }
        }
    )* };
}

carries_parts! {
    Message: parts;
    Artifact: parts;
    TaskStatus: message;
    Task: status, artifacts, history;
    TaskStatusUpdateEvent: status;
    TaskArtifactUpdateEvent: artifact;
    SendMessageRequest: message;
}

impl CarriesParts for StreamResponse {
    fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut Part)) {
        match self {
            Self::Task(task) => task.for_each_part(visit),
            Self::Message(message) => message.for_each_part(visit),
            Self::StatusUpdate(update) => update.for_each_part(visit),
            Self::ArtifactUpdate(update) => update.for_each_part(visit),
            Self::Unknown(_) => {}
        }
    }
}

impl CarriesParts for SendMessageResponse {
    fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut Part)) {
        match self {
            Self::Task(task) => task.for_each_part(visit),
            Self::Message(message) => message.for_each_part(visit),
            Self::Unknown(_) => {}
        }
    }
}
