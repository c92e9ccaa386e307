//! The errors that clients are told.

use a2a_types::{ErrorCode, Method, RpcError, TaskState, error_info};
use serde_json::{Map, Value, json};

use crate::store::StoreError;

/// The error with an `ErrorInfo` among its details, as every error of 1.0 has one.
pub(crate) fn detailed(mut error: RpcError) -> RpcError {
    if error.reason().is_none() {
        let info = error_info(error.code.reason(), Map::new());
        error.data = match error.data {
            Value::Null => Value::Array(vec![info]),
            Value::Array(mut details) => {
                details.insert(0, info);
                Value::Array(details)
            }
            other => Value::Array(vec![info, other]),
        };
    }
    error
}

pub(crate) fn task_not_found(id: &str) -> RpcError {
    about_task(ErrorCode::TaskNotFound, id, "there is no such task".to_owned())
}

/// Nothing more can be sent to, or seen of, a task in this state.
pub(crate) fn task_over(id: &str, state: &TaskState) -> RpcError {
    about_task(ErrorCode::UnsupportedOperation, id, format!("the task is over: {state}"))
}

fn about_task(code: ErrorCode, id: &str, message: String) -> RpcError {
    let metadata = Map::from_iter([("taskId".to_owned(), Value::String(id.to_owned()))]);
    RpcError::new(code, message).with_data(json!([error_info(code.reason(), metadata)]))
}

/// A member of the parameters is wrong.
pub(crate) fn invalid(field: &str, problem: &str) -> RpcError {
    let violation = json!({
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [{ "field": field, "description": problem }],
    });
    RpcError::new(ErrorCode::InvalidParams, format!("{field}: {problem}")).with_data(json!([violation]))
}

/// Something of the server panicked.
pub(crate) fn broke_down() -> RpcError {
    RpcError::new(ErrorCode::InternalError, "the server failed unexpectedly")
}

pub(crate) fn unsupported(method: Method) -> RpcError {
    RpcError::new(ErrorCode::UnsupportedOperation, format!("this agent does not support {method}"))
}

/// What a client is told of a failing store: no details of the database.
pub(crate) fn store_error(error: &StoreError) -> RpcError {
    match error {
        StoreError::InvalidToken => invalid("pageToken", "not a token of this server"),
        StoreError::Full { limit } => {
            RpcError::new(ErrorCode::InternalError, format!("a limit of the server is reached: {limit}"))
        }
        StoreError::Conflict => {
            RpcError::new(ErrorCode::InternalError, "the task was changed meanwhile, try again")
        }
        StoreError::Failed(cause) => {
            tracing::error!(%cause, "the task store failed");
            RpcError::new(ErrorCode::InternalError, "the task store failed")
        }
    }
}
