//! Messages, in AgentScope's JSON.
//!
//! A message an application makes has no ids and times yet, as there is neither clock nor randomness here: they
//! are empty strings until [`Msg::stamp`] fills them (`a2a-agent` does so with every message it is given). The
//! same goes for what was missing in JSON where AgentScope generates it.

use std::sync::Arc;

use a2a_types::Metadata;

use crate::{
    block::{ContentBlock, DataBlock, TextBlock, TextOrBlocks},
    source::{Clock, IdSource},
    wire::{closed_enum, integer, record},
};

closed_enum! {
    /// Whose words a message has.
    pub enum Role {
        /// The user's. Text and data only.
        User = "user";
        /// An agent's.
        Assistant = "assistant";
        /// Instructions. Text only.
        System = "system";
    }
}

closed_enum! {
    /// How a reply ended.
    pub enum ReplyFinishedReason {
        /// It is complete, or waits for the user.
        Completed = "completed";
        /// It was cancelled.
        Interrupted = "interrupted";
        /// The agent ran out of steps. Never so for remote agents.
        ExceedMaxIters = "exceed_max_iters";
        /// It failed.
        Error = "error";
    }
}

closed_enum! {
    /// What kind of thing went wrong.
    pub enum ErrorType {
        /// Who the caller is was not accepted.
        Authentication = "authentication";
        /// The caller may not do this.
        Permission = "permission";
        /// Too many calls.
        RateLimit = "rate_limit";
        /// The request was not acceptable.
        InvalidRequest = "invalid_request";
        /// The other side failed.
        Upstream = "upstream";
        /// The connection failed.
        Connection = "connection";
        /// A fault on this side.
        Internal = "internal";
        /// Something is not set up as it must be.
        Setup = "setup";
        /// Anything else.
        Unknown = "unknown";
    }
}

record! {
    /// What went wrong in a reply.
    pub struct ErrorInfo {
        type;
        /// What kind of thing.
        pub kind: ErrorType as "type" = ErrorType::Unknown;
        /// What happened, for people.
        pub message: String;
    }
}

record! {
    /// Tokens a model used.
    pub struct Usage {
        type;
        /// Tokens read.
        pub input_tokens: i64, via integer;
        /// Tokens written.
        pub output_tokens: i64, via integer;
        /// Tokens read from a cache.
        pub cache_input_tokens: i64 = 0, via integer;
        /// Tokens written to a cache.
        pub cache_creation_input_tokens: i64 = 0, via integer;
    }
}

record! {
    /// A message.
    pub struct Msg {
        /// Who says it.
        pub name: String;
        /// What is said.
        pub content: Vec<ContentBlock>;
        /// Whose words it has.
        pub role: Role;
        /// Id; empty until the message is stamped.
        pub id: String = String::new();
        /// Free-form. `a2a` names the conversation a reply belongs to.
        pub metadata: Metadata = Metadata::new();
        /// When it began; empty until the message is stamped.
        pub created_at: String = String::new();
        /// Tokens it took.
        pub usage: Option<Usage> = None;
        /// When it was complete; empty until the message is stamped.
        pub finished_at: Option<String> = None;
        /// How the reply ended, if this is one.
        pub finished_reason: Option<ReplyFinishedReason> = None;
        /// Content by a schema.
        pub structured_output: Option<Metadata> = None;
        /// What went wrong, if the reply failed.
        pub error: Option<ErrorInfo> = None;
        type;
        check content_fits_role;
    }
}

impl ErrorInfo {
    /// An error of this kind.
    pub fn new(kind: ErrorType, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl Msg {
    /// A message, complete as it is, without id and times.
    ///
    /// ```
    /// use a2a_translate::{DataBlock, Msg, Role, TextBlock};
    ///
    /// let msg = Msg::new("alice", Role::User, "What is this?");
    /// assert_eq!(msg.text_content(), "What is this?");
    ///
    /// let picture = DataBlock::base64("iVBORw0KGgo=", "image/png").with_name("pic.png");
    /// let msg = Msg::user("alice", vec![TextBlock::new("And this?").into(), picture.into()]);
    /// assert_eq!(msg.content.len(), 2);
    /// ```
    pub fn new(name: impl Into<String>, role: Role, content: impl Into<Content>) -> Self {
        Self {
            name: name.into(),
            content: content.into().0,
            role,
            id: String::new(),
            metadata: Metadata::new(),
            created_at: String::new(),
            usage: None,
            // AgentScope finishes what an application says at once, and replies when they end.
            finished_at: (role != Role::Assistant).then(String::new),
            finished_reason: None,
            structured_output: None,
            error: None,
        }
    }

    /// A message of a user.
    pub fn user(name: impl Into<String>, content: impl Into<Content>) -> Self {
        Self::new(name, Role::User, content)
    }

    /// A message of an agent.
    pub fn assistant(name: impl Into<String>, content: impl Into<Content>) -> Self {
        Self::new(name, Role::Assistant, content)
    }

    /// Instructions.
    pub fn system(name: impl Into<String>, content: impl Into<Content>) -> Self {
        Self::new(name, Role::System, content)
    }

    /// The text blocks, one after the other with a line break between them.
    pub fn text_content(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
        texts.join("\n")
    }

    /// Gives ids and times to the message and its blocks where they are still empty.
    pub fn stamp(&mut self, ids: &mut dyn IdSource, clock: &mut dyn Clock) {
        let now = clock.now();
        fill(&mut self.id, || ids.next_id());
        fill_times(&mut self.created_at, &mut self.finished_at, &now);
        stamp_blocks(&mut self.content, ids, &now);
    }
}

/// Content of a message: text, a block, or several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content(Vec<ContentBlock>);

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self(vec![text.into()])
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self(vec![text.into()])
    }
}

impl From<TextBlock> for Content {
    fn from(block: TextBlock) -> Self {
        Self(vec![block.into()])
    }
}

impl From<DataBlock> for Content {
    fn from(block: DataBlock) -> Self {
        Self(vec![block.into()])
    }
}

impl From<ContentBlock> for Content {
    fn from(block: ContentBlock) -> Self {
        Self(vec![block])
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self(blocks)
    }
}

impl<const N: usize> From<[ContentBlock; N]> for Content {
    fn from(blocks: [ContentBlock; N]) -> Self {
        Self(blocks.into())
    }
}

impl FromIterator<ContentBlock> for Content {
    fn from_iter<I: IntoIterator<Item = ContentBlock>>(blocks: I) -> Self {
        Self(blocks.into_iter().collect())
    }
}

fn content_fits_role(msg: &Msg) -> Result<(), String> {
    let unfit = msg.content.iter().find(|block| match (msg.role, block) {
        (Role::Assistant, _) | (Role::System | Role::User, ContentBlock::Text(_)) => false,
        (Role::User, ContentBlock::Data(_)) => false,
        (Role::System | Role::User, _) => true,
    });
    match unfit {
        Some(block) => Err(format!("a {} message cannot have a {} block", msg.role, block.kind())),
        None => Ok(()),
    }
}

fn stamp_blocks(blocks: &mut [ContentBlock], ids: &mut dyn IdSource, now: &Arc<str>) {
    for block in blocks {
        let (id, created_at, finished_at, inner) = match block {
            ContentBlock::Text(block) => (&mut block.id, &mut block.created_at, &mut block.finished_at, None),
            ContentBlock::Data(block) => (&mut block.id, &mut block.created_at, &mut block.finished_at, None),
            ContentBlock::Thinking(block) => {
                (&mut block.id, &mut block.created_at, &mut block.finished_at, None)
            }
            ContentBlock::Hint(block) => {
                (&mut block.id, &mut block.created_at, &mut block.finished_at, Some(&mut block.hint))
            }
            ContentBlock::ToolCall(block) => {
                (&mut block.id, &mut block.created_at, &mut block.finished_at, None)
            }
            ContentBlock::ToolResult(block) => {
                (&mut block.id, &mut block.created_at, &mut block.finished_at, Some(&mut block.output))
            }
        };
        fill(id, || ids.next_id());
        fill_times(created_at, finished_at, now);
        if let Some(TextOrBlocks::Blocks(blocks)) = inner {
            stamp_blocks(blocks, ids, now);
        }
    }
}

fn fill_times(created_at: &mut String, finished_at: &mut Option<String>, now: &Arc<str>) {
    fill(created_at, || Arc::clone(now));
    if let Some(finished_at) = finished_at {
        fill(finished_at, || Arc::clone(now));
    }
}

fn fill(text: &mut String, value: impl FnOnce() -> Arc<str>) {
    if text.is_empty() {
        value().as_ref().clone_into(text);
    }
}
