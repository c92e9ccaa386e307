//! What is worth keeping of a conversation.

use std::fmt;

use a2a_translate::Msg;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{IgnoredAny, MapAccess, Visitor},
    ser::SerializeStruct as _,
};

/// Everything needed to go on with a remote conversation later, in AgentScope's JSON.
///
/// The one member that AgentScope does not know, `running_task_id`, is written only when set and ignored
/// there, so that a state moves between the two in either direction.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct A2aAgentState {
    /// Groups the events of this agent; never sent. An agent built from an empty one makes its own.
    pub session_id: String,
    /// The conversation at the peer, once the peer has named it.
    pub context_id: Option<String>,
    /// The task that waits for the next message: set only while it does.
    pub task_id: Option<String>,
    /// Messages to be sent ahead of the next reply.
    pub observed_context: Vec<Msg>,
    /// The task that was still running when its stream was last heard of. The next reply asks the peer about
    /// it first, and [`A2aAgent::resume`](crate::A2aAgent::resume) follows it.
    pub running_task_id: Option<String>,
}

impl A2aAgentState {
    /// The state of a new conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// The state that goes on with this conversation.
    #[must_use]
    pub fn with_context_id(mut self, context_id: impl Into<String>) -> Self {
        self.context_id = Some(context_id.into());
        self
    }

    /// The task the peer must be asked about before anything is sent.
    pub(crate) fn pending_task(&self) -> Option<&str> {
        self.task_id.as_deref().or(self.running_task_id.as_deref()).filter(|id| !id.is_empty())
    }
}

impl Serialize for A2aAgentState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("A2aAgentState", 5)?;
        object.serialize_field("session_id", &self.session_id)?;
        object.serialize_field("context_id", &self.context_id)?;
        object.serialize_field("task_id", &self.task_id)?;
        object.serialize_field("observed_context", &self.observed_context)?;
        if self.running_task_id.is_some() {
            object.serialize_field("running_task_id", &self.running_task_id)?;
        }
        object.end()
    }
}

/// As AgentScope reads it: a missing member is new or empty, an unknown one is skipped, and `null` is an error
/// but for the ids of context and task.
impl<'de> Deserialize<'de> for A2aAgentState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = A2aAgentState;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object (A2aAgentState)")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<A2aAgentState, A::Error> {
                let mut state = A2aAgentState::default();
                while let Some(member) = map.next_key::<String>()? {
                    match member.as_str() {
                        "session_id" => state.session_id = map.next_value()?,
                        "context_id" => state.context_id = map.next_value()?,
                        "task_id" => state.task_id = map.next_value()?,
                        "observed_context" => state.observed_context = map.next_value()?,
                        "running_task_id" => state.running_task_id = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(state)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_task_is_written_only_when_there_is_one() {
        let mut state = A2aAgentState::new().with_context_id("c-1");
        let text = |state: &A2aAgentState| serde_json::to_string(state).unwrap();
        assert_eq!(
            text(&state),
            r#"{"session_id":"","context_id":"c-1","task_id":null,"observed_context":[]}"#
        );
        state.running_task_id = Some("t-1".to_owned());
        assert!(text(&state).ends_with(r#","running_task_id":"t-1"}"#));
        assert_eq!(serde_json::from_str::<A2aAgentState>(&text(&state)).unwrap(), state);
    }

    #[test]
    fn input_is_as_strict_as_agentscope() {
        for (text, accepted) in [
            ("{}", true),
            (r#"{"session_id":"s","future":[1]}"#, true),
            (r#"{"context_id":null,"task_id":null,"running_task_id":null}"#, true),
            (r#"{"session_id":null}"#, false),
            (r#"{"session_id":1}"#, false),
            (r#"{"observed_context":null}"#, false),
            (r#"{"context_id":1}"#, false),
            ("[]", false),
        ] {
            assert_eq!(serde_json::from_str::<A2aAgentState>(text).is_ok(), accepted, "{text}");
        }
    }
}
