//! From messages to the request: the content of all of them becomes one A2A message of the user.
//!
//! Names and roles of the messages are not sent; A2A has no place for them.

use a2a_types::{Message, Metadata, Part, Role, SendMessageConfiguration, SendMessageRequest};

use crate::{
    base64,
    block::{ContentBlock, DataBlock, Source},
    error::TranslateError,
    msg::Msg,
    source::IdSource,
    url,
};

/// What goes with a message besides its content.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct RequestOptions {
    /// Media types the client can take; empty for any.
    pub accepted_output_modes: Vec<String>,
    /// Metadata of the message.
    pub message_metadata: Option<Metadata>,
    /// Metadata of the request.
    pub metadata: Option<Metadata>,
    /// At most so many messages of history in a returned task; `None` for the server's default.
    pub history_length: Option<i32>,
    /// Other tasks given as context.
    pub reference_task_ids: Vec<String>,
    /// URIs of the extensions that contributed to the message.
    pub extensions: Vec<String>,
}

impl RequestOptions {
    /// The same options with these media types; empty for any.
    #[must_use]
    pub fn with_accepted_output_modes(mut self, modes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.accepted_output_modes = modes.into_iter().map(Into::into).collect();
        self
    }

    /// The same options with metadata for the message.
    #[must_use]
    pub fn with_message_metadata(mut self, metadata: Metadata) -> Self {
        self.message_metadata = Some(metadata);
        self
    }

    /// The same options with metadata for the request.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// The same options with a limit to the history in a returned task.
    #[must_use]
    pub fn with_history_length(mut self, length: i32) -> Self {
        self.history_length = Some(length);
        self
    }

    /// The same options with other tasks as context.
    #[must_use]
    pub fn with_reference_task_ids(mut self, ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.reference_task_ids = ids.into_iter().map(Into::into).collect();
        self
    }

    /// The same options with the extensions that contributed to the message.
    #[must_use]
    pub fn with_extensions(mut self, extensions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.extensions = extensions.into_iter().map(Into::into).collect();
        self
    }
}

/// Builds the request that delivers these messages.
///
/// `context_id` continues a conversation, `task_id` a task that waits for input.
///
/// # Errors
///
/// [`UnsupportedBlock`](TranslateError::UnsupportedBlock) for a block that is neither text nor data,
/// [`InvalidBase64`](TranslateError::InvalidBase64) and [`InvalidUrl`](TranslateError::InvalidUrl) for data that
/// cannot be sent.
///
/// ```
/// use a2a_translate::{CountingIds, Msg, RequestOptions, build_request};
///
/// let msgs = [Msg::user("alice", "Plan me a trip."), Msg::user("bob", "By train.")];
/// let request = build_request(&msgs, Some("c-1"), None, &RequestOptions::default(), &mut CountingIds::new("m-"))?;
/// assert_eq!(
///     serde_json::to_string(&request)?,
///     r#"{"message":{"messageId":"m-1","contextId":"c-1","role":"ROLE_USER","parts":[{"text":"Plan me a trip."},{"text":"By train."}]}}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_request<'a>(
    msgs: impl IntoIterator<Item = &'a Msg>,
    context_id: Option<&str>,
    task_id: Option<&str>,
    options: &RequestOptions,
    ids: &mut dyn IdSource,
) -> Result<SendMessageRequest, TranslateError> {
    let mut parts = Vec::new();
    for block in msgs.into_iter().flat_map(|msg| &msg.content) {
        parts.push(part(block)?);
    }
    let mut message = Message::new(ids.next_id().as_ref(), Role::User, parts);
    message.context_id = context_id.unwrap_or_default().to_owned();
    message.task_id = task_id.unwrap_or_default().to_owned();
    message.metadata.clone_from(&options.message_metadata);
    message.reference_task_ids.clone_from(&options.reference_task_ids);
    message.extensions.clone_from(&options.extensions);

    let mut request = SendMessageRequest::new(message);
    request.metadata.clone_from(&options.metadata);
    if !options.accepted_output_modes.is_empty() || options.history_length.is_some() {
        let mut configuration = SendMessageConfiguration::default();
        configuration.accepted_output_modes.clone_from(&options.accepted_output_modes);
        configuration.history_length = options.history_length;
        request.configuration = Some(configuration);
    }
    Ok(request)
}

fn part(block: &ContentBlock) -> Result<Part, TranslateError> {
    match block {
        ContentBlock::Text(block) => Ok(Part::text(&*block.text)),
        ContentBlock::Data(block) => data_part(block),
        ContentBlock::Thinking(_)
        | ContentBlock::Hint(_)
        | ContentBlock::ToolCall(_)
        | ContentBlock::ToolResult(_) => Err(TranslateError::UnsupportedBlock { kind: block.kind() }),
    }
}

fn data_part(block: &DataBlock) -> Result<Part, TranslateError> {
    let part = match &block.source {
        Source::Base64(source) => {
            let bytes = base64::decode(&source.data).ok_or_else(|| TranslateError::InvalidBase64 {
                name: block.name.clone().or_else(|| Some(block.id.clone()).filter(|id| !id.is_empty())),
            })?;
            Part::raw(bytes)
        }
        Source::Url(source) => {
            let url = url::normalize(&source.url)
                .map_err(|error| TranslateError::InvalidUrl { reason: error.to_string() })?;
            Part::url(url)
        }
    };
    Ok(part
        .with_media_type(block.source.media_type())
        .with_filename(block.name.as_deref().unwrap_or_default()))
}
