//! The same conversation in three dialects of the wire.

use a2a_testkit::RawRequest;
use a2a_types::{
    AgentInterface, ErrorCode, JsonRpcResponse, Method, RequestId, RpcError, StreamResponse, Task, rest, v03,
};
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    JsonRpc,
    Rest,
    JsonRpcV03,
}

impl Dialect {
    pub(crate) const ALL: [Self; 3] = [Self::JsonRpc, Self::Rest, Self::JsonRpcV03];

    pub(crate) fn interface(self, url: &str) -> AgentInterface {
        match self {
            Self::JsonRpc => AgentInterface::new(url, AgentInterface::JSONRPC, "1.0"),
            Self::Rest => AgentInterface::new(url, AgentInterface::HTTP_JSON, "1.0"),
            Self::JsonRpcV03 => AgentInterface::new(url, AgentInterface::JSONRPC, "0.3.0"),
        }
    }

    /// The operation that a request asks for, and the text of its message if it has one.
    pub(crate) fn read(self, request: &RawRequest) -> (Method, Option<String>) {
        let body = request.json();
        let method = match self {
            Self::JsonRpc => Method::from_name(body["method"].as_str().unwrap_or_default()),
            Self::JsonRpcV03 => v03::method_from_name(body["method"].as_str().unwrap_or_default()),
            Self::Rest => match request.line().split('?').next().unwrap_or_default() {
                "POST /message:stream" => Some(Method::SendStreamingMessage),
                line if line.ends_with(":subscribe") => Some(Method::SubscribeToTask),
                line if line.starts_with("GET /tasks/") => Some(Method::GetTask),
                _ => None,
            },
        };
        let text = ["/params/message/parts/0/text", "/message/parts/0/text"]
            .into_iter()
            .find_map(|at| body.pointer(at));
        (
            method.unwrap_or_else(|| panic!("unexpected request: {}", request.line())),
            text.and_then(Value::as_str).map(str::to_owned),
        )
    }

    /// A payload as an event of the stream.
    pub(crate) fn event(self, request: &RawRequest, payload: StreamResponse) -> String {
        let data = match self {
            Self::JsonRpc => json(&JsonRpcResponse::success(id(request), payload)),
            Self::JsonRpcV03 => {
                let event = v03::StreamEvent::from(payload);
                json(&JsonRpcResponse::success(id(request), v03::JsonRpc(event)))
            }
            Self::Rest => json(&payload),
        };
        format!("data: {data}\n\n")
    }

    pub(crate) fn task(self, request: &RawRequest, task: Task) -> String {
        match self {
            Self::JsonRpc => json(&JsonRpcResponse::success(id(request), task)),
            Self::JsonRpcV03 => json(&JsonRpcResponse::success(id(request), v03::JsonRpc(task))),
            Self::Rest => json(&task),
        }
    }

    /// HTTP status and body of a refusal.
    pub(crate) fn refusal(self, request: &RawRequest, code: ErrorCode) -> (u16, String) {
        let error = RpcError::new(code, "no");
        match self {
            Self::JsonRpc | Self::JsonRpcV03 => {
                (200, json(&JsonRpcResponse::<Value>::failure(id(request), error)))
            }
            Self::Rest => (code.http_status(), json(&rest::error_body(&error))),
        }
    }
}

fn id(request: &RawRequest) -> RequestId {
    serde_json::from_value(request.json()["id"].clone()).unwrap()
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}
