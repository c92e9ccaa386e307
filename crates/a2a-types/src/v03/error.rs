//! Method names and errors of 0.3.

use serde_json::{Value, json};

use crate::{
    error::ErrorCode,
    jsonrpc::{Method, RpcError},
    rest,
};

/// The JSON-RPC method name of an operation; `None` if 0.3 does not have it.
pub fn method_name(method: Method) -> Option<&'static str> {
    Some(match method {
        Method::SendMessage => "message/send",
        Method::SendStreamingMessage => "message/stream",
        Method::GetTask => "tasks/get",
        Method::ListTasks => return None,
        Method::CancelTask => "tasks/cancel",
        Method::SubscribeToTask => "tasks/resubscribe",
        Method::CreateTaskPushNotificationConfig => "tasks/pushNotificationConfig/set",
        Method::GetTaskPushNotificationConfig => "tasks/pushNotificationConfig/get",
        Method::ListTaskPushNotificationConfigs => "tasks/pushNotificationConfig/list",
        Method::DeleteTaskPushNotificationConfig => "tasks/pushNotificationConfig/delete",
        Method::GetExtendedAgentCard => "agent/getAuthenticatedExtendedCard",
    })
}

/// The operation with this JSON-RPC method name of 0.3.
pub fn method_from_name(name: &str) -> Option<Method> {
    if name == "agent/authenticatedExtendedCard" {
        // A misprint of the specification that is in circulation.
        return Some(Method::GetExtendedAgentCard);
    }
    Method::ALL.iter().copied().find(|method| method_name(*method) == Some(name))
}

/// The error as a 0.3 caller knows it: codes that are new in 1.0 become an internal error.
pub fn error_for_caller(error: RpcError) -> RpcError {
    match error.code {
        ErrorCode::ExtensionSupportRequired | ErrorCode::VersionNotSupported => {
            RpcError { code: ErrorCode::InternalError, ..error }
        }
        _ => error,
    }
}

/// The names of errors, and the HTTP statuses the official SDKs of 0.3 answer with.
const ERRORS: [(ErrorCode, &str, u16); 12] = [
    (ErrorCode::TaskNotFound, "TaskNotFoundError", 404),
    (ErrorCode::TaskNotCancelable, "TaskNotCancelableError", 409),
    (ErrorCode::PushNotificationNotSupported, "PushNotificationNotSupportedError", 501),
    (ErrorCode::UnsupportedOperation, "UnsupportedOperationError", 501),
    (ErrorCode::ContentTypeNotSupported, "ContentTypeNotSupportedError", 415),
    (ErrorCode::InvalidAgentResponse, "InvalidAgentResponseError", 502),
    (ErrorCode::ExtendedAgentCardNotConfigured, "AuthenticatedExtendedCardNotConfiguredError", 404),
    (ErrorCode::ParseError, "JSONParseError", 400),
    (ErrorCode::InvalidRequest, "InvalidRequestError", 400),
    (ErrorCode::MethodNotFound, "MethodNotFoundError", 404),
    (ErrorCode::InvalidParams, "InvalidParamsError", 422),
    (ErrorCode::InternalError, "InternalError", 500),
];

/// Reads an HTTP+JSON error body of a 0.3 server, which 0.3 does not define.
///
/// The known forms are the object of 1.0 with its `reason`, `{"type": "TaskNotFoundError", "message"}`,
/// `{"code": -32001, "message"}` and `{"message"}` alone; the last takes its code from the HTTP status. `None`
/// if the body is none of these: it does not come from an A2A server.
pub fn error_from_body(http_status: u16, body: &Value) -> Option<RpcError> {
    if let Some(error) = rest::error_from_body(http_status, body) {
        return Some(error);
    }
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let by_type = || {
        let name = text("type")?;
        ERRORS.iter().find(|(_, known, _)| *known == name).map(|(code, ..)| *code)
    };
    let by_code = || body.get("code").and_then(Value::as_i64).map(ErrorCode::from_code);
    let named = by_type().or_else(by_code);
    let message = match (named, text("message")) {
        (_, Some(message)) => message,
        (Some(_), None) => "",
        (None, None) => return None,
    };
    let code = named.unwrap_or_else(|| code_of_status(http_status));
    let data = body.get("data").cloned().unwrap_or(Value::Null);
    Some(RpcError::new(code, message).with_data(data))
}

fn code_of_status(http_status: u16) -> ErrorCode {
    match http_status {
        409 => ErrorCode::TaskNotCancelable,
        502 => ErrorCode::InvalidAgentResponse,
        other => rest::code_of_status(other),
    }
}

/// The HTTP status and body of an error over HTTP+JSON, in a form that every 0.3 client reads.
pub fn error_body(error: &RpcError) -> (u16, Value) {
    let error = error_for_caller(error.clone());
    let known = ERRORS.iter().find(|(code, ..)| *code == error.code);
    let (name, status) = known.map_or(("InternalError", 500), |(_, name, status)| (*name, *status));
    let mut body = json!({ "type": name, "code": error.code.code(), "message": error.message });
    if let (false, Some(members)) = (error.data.is_null(), body.as_object_mut()) {
        members.insert("data".to_owned(), error.data);
    }
    (status, body)
}
