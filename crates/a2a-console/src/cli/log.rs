//! Warnings of the layers below, on their way to the notices.

use std::{
    fmt::{self, Write as _},
    sync::mpsc::{Receiver, Sender, channel},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

use crate::render::Verbosity;

/// Collects what this workspace warns of, from now on; when debugging also what it does.
pub(super) fn collect(verbosity: Verbosity) -> Receiver<String> {
    let (sender, receiver) = channel();
    let level = if verbosity == Verbosity::Debug { Level::DEBUG } else { Level::WARN };
    // Only the first one counts, and there is no other in this process.
    let _ = tracing::subscriber::set_global_default(Collector { sender, level });
    receiver
}

struct Collector {
    sender: Sender<String>,
    level: Level,
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.level && metadata.target().starts_with("a2a_")
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        let Text { message, fields } = text;
        // The other end is gone when the program ends.
        let _ = self.sender.send(message + &fields);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, ", {name}: {value:?}"),
        };
    }
}
