//! Transports for peers that speak version 0.3.
//!
//! They take and give the types of 1.0. What 0.3 has no word for is left out; `ListTasks` is unsupported.

mod jsonrpc;
mod rest;

pub use jsonrpc::JsonRpcTransport;
pub use rest::RestTransport;

use a2a_types::{
    GetTaskRequest, SendMessageRequest, SendMessageResponse, Task,
    v03::{CarriesParts, Rest, StreamEvent, decode_nested_base64},
};
use serde::{Deserialize, Deserializer};

use crate::client::events::Piece;

/// What a peer sends over HTTP+JSON, its files decoded however often it encoded them.
struct FromPeer<T>(T);

impl<'de, T: CarriesParts> Deserialize<'de> for FromPeer<T>
where
    Rest<T>: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Rest(mut value) = Rest::deserialize(deserializer)?;
        decode_nested_base64(&mut value);
        Ok(Self(value))
    }
}

/// As [`FromPeer`], for what an event carries.
struct EventFromPeer(StreamEvent);

impl<'de> Deserialize<'de> for EventFromPeer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Rest(mut event) = Rest::<StreamEvent>::deserialize(deserializer)?;
        decode_nested_base64(&mut event.response);
        Ok(Self(event))
    }
}

impl From<EventFromPeer> for Piece {
    fn from(event: EventFromPeer) -> Self {
        event.0.into()
    }
}

/// Whether history is unwanted, which 0.3 cannot say: there 0 means all of it.
fn without_history(history_length: Option<i32>) -> bool {
    history_length == Some(0)
}

fn send_without_history(request: &SendMessageRequest) -> bool {
    without_history(request.configuration.as_ref().and_then(|configuration| configuration.history_length))
}

fn limit_history(request: &GetTaskRequest) -> impl Fn(Task) -> Task + use<> {
    let drop_history = without_history(request.history_length);
    move |mut task| {
        if drop_history {
            task.history.clear();
        }
        task
    }
}

fn limit_history_of_answer(
    request: &SendMessageRequest,
) -> impl Fn(SendMessageResponse) -> SendMessageResponse + use<> {
    let drop_history = send_without_history(request);
    move |mut answer| {
        if let (true, SendMessageResponse::Task(task)) = (drop_history, &mut answer) {
            task.history.clear();
        }
        answer
    }
}
