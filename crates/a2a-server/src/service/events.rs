//! Event streams as responses.

use std::borrow::Cow;

use a2a_transport::{SseEvent, encode_event};
use a2a_types::{RequestId, RpcError, StreamResponse, v03};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{HeaderValue, Response, header};
use tokio::time::timeout;

use super::{HttpOptions, body::ResponseBody, operation::Dialect};
use crate::{
    engine::{Update, UpdateStream},
    json::to_line,
};

/// How payloads and errors become the data of events.
#[derive(Debug, Clone)]
pub(super) struct Framing {
    pub(super) dialect: Dialect,
    /// For JSON-RPC, the id of the request.
    pub(super) id: Option<RequestId>,
}

impl Framing {
    fn event(&self, item: Result<Update, RpcError>) -> Bytes {
        let bytes = match item {
            Ok(update) => {
                let payload = self.payload(&update);
                match &self.id {
                    None => encode_event(&SseEvent::new(&payload)),
                    Some(id) => encode_event(&SseEvent::new(&envelope(id, "result", &payload))),
                }
            }
            Err(error) => {
                let data = match &self.id {
                    None => super::rest::error_json(&error, self.dialect),
                    Some(id) => super::jsonrpc::error_json(id, error, self.dialect),
                };
                encode_event(&SseEvent::new(&data).with_event("error"))
            }
        };
        // The type of an event is a constant of ours.
        bytes.unwrap_or_default()
    }

    fn payload<'a>(&self, update: &'a Update) -> Cow<'a, str> {
        match self.dialect {
            Dialect::V1 => Cow::Borrowed(update.json()),
            Dialect::V03JsonRpc => Cow::Owned(to_line(&v03::JsonRpc(legacy(update.payload())))),
            Dialect::V03Rest => Cow::Owned(to_line(&v03::Rest(legacy(update.payload())))),
        }
    }
}

fn legacy(payload: &StreamResponse) -> v03::StreamEvent<&StreamResponse> {
    let is_final = match payload {
        StreamResponse::StatusUpdate(update) => {
            update.status.state.is_terminal() || update.status.state == a2a_types::TaskState::InputRequired
        }
        _ => false,
    };
    v03::StreamEvent::new(payload, is_final)
}

/// A JSON-RPC response around JSON text.
pub(super) fn envelope(id: &RequestId, member: &str, json: &str) -> String {
    let id = serde_json::to_string(id).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{json}}}"#)
}

/// Streams updates. An error that comes first, and soon, is given back instead.
pub(super) async fn respond(
    mut updates: UpdateStream,
    framing: Framing,
    options: &HttpOptions,
) -> Result<Response<ResponseBody>, RpcError> {
    let first = match timeout(options.max_head_delay, updates.next()).await {
        Ok(Some(Err(error))) => return Err(error),
        Ok(first) => first,
        Err(_) => None,
    };
    let items = stream::iter(first).chain(updates);
    let body = ResponseBody::events(items.map(move |item| framing.event(item)), options.keep_alive);
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Proxies such as nginx would collect the events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}
