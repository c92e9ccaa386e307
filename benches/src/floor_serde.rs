//! The second floor: hyper, a minimal correct split of Server-Sent Events, and serde_json into structs that have
//! just what is needed and borrow their strings. One variant keeps the text, as a message has to.

use std::{borrow::Cow, error::Error};

use http_body_util::BodyExt as _;
use serde::Deserialize;

use crate::{
    client::Found,
    raw::Pool,
    workload::{Binding, Workload},
};

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    result: Payload<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    #[serde(borrow)]
    artifact_update: Option<ArtifactUpdate<'a>>,
    #[serde(borrow)]
    status_update: Option<StatusUpdate<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactUpdate<'a> {
    #[serde(borrow)]
    task_id: Cow<'a, str>,
    #[serde(borrow)]
    artifact: Artifact<'a>,
    #[serde(default)]
    append: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact<'a> {
    #[serde(borrow)]
    artifact_id: Cow<'a, str>,
    #[serde(borrow)]
    parts: Vec<Part<'a>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct StatusUpdate<'a> {
    #[serde(borrow)]
    status: Status<'a>,
}

#[derive(Deserialize)]
struct Status<'a> {
    #[serde(borrow)]
    state: Cow<'a, str>,
}

pub(crate) async fn read(pool: &Pool, address: &str, workload: &Workload, keeps: bool) -> Found {
    let (sender, mut response) = pool.request(address, workload).await?;
    let mut events = Events::default();
    let (mut text, mut kept) = (0, String::new());
    let mut take = |payload: &Payload<'_>| {
        text += text_of(payload);
        if keeps {
            texts(payload).for_each(|text| kept.push_str(text));
        }
    };
    while let Some(frame) = response.frame().await {
        if let Some(data) = frame?.data_ref() {
            events.push(data, |event| {
                match workload.binding {
                    Binding::JsonRpc => take(&serde_json::from_slice::<Envelope<'_>>(event)?.result),
                    Binding::Rest => take(&serde_json::from_slice(event)?),
                }
                Ok(())
            })?;
        }
    }
    pool.put(sender)?;
    std::hint::black_box(kept);
    Ok(text)
}

/// Bytes of text; everything else is read and looked at, as whoever uses it would.
fn text_of(payload: &Payload<'_>) -> usize {
    if let Some(update) = &payload.status_update {
        std::hint::black_box(&update.status.state);
    }
    let Some(update) = &payload.artifact_update else { return 0 };
    std::hint::black_box((&update.task_id, &update.artifact.artifact_id, update.append));
    texts(payload).map(str::len).sum()
}

fn texts<'a>(payload: &'a Payload<'_>) -> impl Iterator<Item = &'a str> {
    let update = payload.artifact_update.iter();
    update.flat_map(|update| &update.artifact.parts).map(|part| &*part.text)
}

/// Lines that end in LF, CRLF or CR; `data` lines joined; an event at every blank line.
#[derive(Default)]
struct Events {
    /// The line in progress.
    line: Vec<u8>,
    /// The data so far.
    data: Vec<u8>,
    /// Whether the last byte was a CR, which an LF may belong to.
    after_cr: bool,
}

impl Events {
    fn push(
        &mut self,
        mut bytes: &[u8],
        mut event: impl FnMut(&[u8]) -> Result<(), Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        if self.after_cr {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) {
            let (head, rest) = bytes.split_at(end);
            let is_cr = rest.first() == Some(&b'\r');
            bytes = rest.get(1..).unwrap_or_default();
            if is_cr {
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            if self.line.is_empty() {
                Self::line(&mut self.data, head, &mut event)?;
            } else {
                self.line.extend_from_slice(head);
                Self::line(&mut self.data, &self.line, &mut event)?;
                self.line.clear();
            }
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line(
        data: &mut Vec<u8>,
        line: &[u8],
        event: &mut impl FnMut(&[u8]) -> Result<(), Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        if line.is_empty() {
            if !data.is_empty() {
                event(data)?;
                data.clear();
            }
        } else if let Some(value) = line.strip_prefix(b"data:") {
            if !data.is_empty() {
                data.push(b'\n');
            }
            data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        }
        Ok(())
    }
}
