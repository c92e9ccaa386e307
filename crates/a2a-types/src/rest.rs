//! The error object of the HTTP+JSON binding (§11.6), and its way to and from [`RpcError`].

use serde_json::{Value, json};

use crate::{
    error::{ErrorCode, error_info, error_reason},
    jsonrpc::RpcError,
};

/// Reads an HTTP+JSON error body: what its `ErrorInfo` names, else what the HTTP status says.
///
/// The error object of JSON-RPC, told by its negative code, is read as such. `None` if the body has no `error`
/// object: it is not an A2A error.
pub fn error_from_body(http_status: u16, body: &Value) -> Option<RpcError> {
    let error = body.get("error")?.as_object()?;
    let details = error.get("details").or_else(|| error.get("data")).cloned().unwrap_or(Value::Null);
    let rpc_code = error.get("code").and_then(Value::as_i64).filter(|code| *code < 0);
    let code = error_reason(&details)
        .and_then(ErrorCode::from_reason)
        .or_else(|| rpc_code.map(ErrorCode::from_code))
        .unwrap_or_else(|| code_of_status(http_status));
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    Some(RpcError::new(code, message).with_data(details))
}

/// The nearest error for an HTTP status without an A2A reason.
pub fn code_of_status(http_status: u16) -> ErrorCode {
    match http_status {
        400 | 422 => ErrorCode::InvalidParams,
        404 => ErrorCode::TaskNotFound,
        405 | 501 => ErrorCode::UnsupportedOperation,
        415 => ErrorCode::ContentTypeNotSupported,
        _ => ErrorCode::InternalError,
    }
}

/// The HTTP+JSON error body of an error, with an `ErrorInfo` first.
pub fn error_body(error: &RpcError) -> Value {
    let mut details = match &error.data {
        Value::Array(details) => details.clone(),
        Value::Null => Vec::new(),
        other => vec![other.clone()],
    };
    if error.reason().is_none() {
        details.insert(0, error_info(error.code.reason(), serde_json::Map::new()));
    }
    json!({ "error": {
        "code": error.code.http_status(),
        "status": error.code.grpc_status(),
        "message": error.message,
        "details": details,
    }})
}
