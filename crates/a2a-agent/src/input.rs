//! What a reply is given.

use a2a_translate::Msg;

/// The messages of one turn: one, many, or none.
///
/// None at all is legal when messages were observed: they are then sent alone.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Input {
    /// The messages, in order.
    pub messages: Vec<Msg>,
}

impl From<Msg> for Input {
    fn from(message: Msg) -> Self {
        Self { messages: vec![message] }
    }
}

impl From<Vec<Msg>> for Input {
    fn from(messages: Vec<Msg>) -> Self {
        Self { messages }
    }
}

impl<const N: usize> From<[Msg; N]> for Input {
    fn from(messages: [Msg; N]) -> Self {
        Self { messages: messages.into() }
    }
}

impl From<Option<Msg>> for Input {
    fn from(message: Option<Msg>) -> Self {
        Self { messages: message.into_iter().collect() }
    }
}

/// No message of its own.
impl From<()> for Input {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// The text of a user named `user`.
impl From<&str> for Input {
    fn from(text: &str) -> Self {
        Msg::user("user", text).into()
    }
}

/// The text of a user named `user`.
impl From<String> for Input {
    fn from(text: String) -> Self {
        Msg::user("user", text).into()
    }
}
