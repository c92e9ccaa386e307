//! About how many bytes of memory things take, for limits.

use a2a_types::{Artifact, Message, Metadata, Part, PartContent, Task, TaskStatus};
use serde_json::Value;

pub(crate) fn task(task: &Task) -> usize {
    let history: usize = task.history.iter().map(message).sum();
    size_of::<Task>()
        + task.id.len()
        + task.context_id.len()
        + status(&task.status)
        + history
        + artifacts(&task.artifacts)
        + metadata(task.metadata.as_ref())
}

pub(crate) fn status(status: &TaskStatus) -> usize {
    status.message.as_ref().map_or(0, message)
}

pub(crate) fn message(message: &Message) -> usize {
    let ids = [&message.message_id, &message.context_id, &message.task_id];
    let lists = message.extensions.iter().chain(&message.reference_task_ids);
    let texts: usize = ids.into_iter().chain(lists).map(|text| size_of::<String>() + text.len()).sum();
    size_of::<Message>() + texts + parts(&message.parts) + metadata(message.metadata.as_ref())
}

pub(crate) fn artifacts(artifacts: &[Artifact]) -> usize {
    artifacts.iter().map(artifact).sum()
}

pub(crate) fn artifact(artifact: &Artifact) -> usize {
    let texts = artifact.artifact_id.len() + artifact.name.len() + artifact.description.len();
    size_of::<Artifact>() + texts + parts(&artifact.parts) + metadata(artifact.metadata.as_ref())
}

pub(crate) fn metadata(metadata: Option<&Metadata>) -> usize {
    metadata.into_iter().flatten().map(|(name, member)| name.len() + value(member)).sum()
}

fn parts(parts: &[Part]) -> usize {
    let content = |part: &Part| match &part.content {
        PartContent::Text(text) | PartContent::Url(text) => text.len(),
        PartContent::Raw(bytes) => bytes.len(),
        PartContent::Data(data) => data.as_str().len(),
        PartContent::Unknown(members) => metadata(Some(members)),
        _ => 0,
    };
    let named = |part: &Part| part.filename.len() + part.media_type.len() + metadata(part.metadata.as_ref());
    parts.iter().map(|part| size_of::<Part>() + content(part) + named(part)).sum()
}

fn value(json: &Value) -> usize {
    size_of::<Value>()
        + match json {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(value).sum(),
            Value::Object(members) => metadata(Some(members)),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}
