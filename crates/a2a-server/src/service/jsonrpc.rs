//! The JSON-RPC binding (§9), for 1.0 and 0.3.

use a2a_types::{ErrorCode, IncomingRequest, Method, RequestId, RpcError, v03};
use http::{Response, StatusCode, request::Parts};

use super::{
    Inner,
    body::ResponseBody,
    events::{self, Framing, envelope},
    intake::{BodyError, Received},
    json_response,
    operation::{Dialect, Operation, Reply, write_reply},
    request::{self, Version, unsupported_version},
};
use crate::{auth::Caller, errors::detailed};

/// A call whose envelope has been read.
struct Incoming {
    id: RequestId,
    dialect: Dialect,
    operation: Operation,
}

pub(super) async fn handle(
    service: &Inner,
    parts: Parts,
    body: Result<Received<'_>, BodyError>,
    caller: Caller,
) -> Response<ResponseBody> {
    let incoming = match read(service, &parts, body) {
        Ok(incoming) => incoming,
        Err((status, id, dialect, error)) => return json_response(status, error_json(&id, error, dialect)),
    };
    let Incoming { id, dialect, operation } = incoming;
    let (call, active) = service.call(&parts, caller, dialect);
    let reply = operation.run(&service.engine, call).await;
    let response = match reply {
        Ok(Reply::Stream(updates)) => {
            let framing = Framing { dialect, id: Some(id.clone()) };
            events::respond(updates, framing, &service.options).await
        }
        Ok(reply) => {
            Ok(json_response(StatusCode::OK, envelope(&id, "result", &write_reply(&reply, dialect))))
        }
        Err(error) => Err(error),
    };
    let mut response =
        response.unwrap_or_else(|error| json_response(StatusCode::OK, error_json(&id, error, dialect)));
    active.echo(response.headers_mut());
    response
}

type Refusal = (StatusCode, RequestId, Dialect, RpcError);

fn read(service: &Inner, parts: &Parts, body: Result<Received<'_>, BodyError>) -> Result<Incoming, Refusal> {
    let refuse = |status, error| (status, RequestId::Null, Dialect::V1, error);
    let ok = StatusCode::OK;
    if !request::is_json(&parts.headers) {
        let error = RpcError::new(ErrorCode::ContentTypeNotSupported, "the body must be application/json");
        return Err(refuse(ok, error));
    }
    let body = body.map_err(|error| {
        let (status, message) = error.problem();
        refuse(status, RpcError::new(ErrorCode::InvalidRequest, message))
    })?;
    let request: IncomingRequest = a2a_types::from_slice(&body)
        .map_err(|error| refuse(ok, request::unreadable(&error, ErrorCode::InvalidRequest)))?;
    let legacy = service.options.legacy && request.method.contains('/');
    let dialect = if legacy { Dialect::V03JsonRpc } else { Dialect::V1 };
    operation(service, parts, &request, dialect).map_or_else(
        |error| Err((ok, request.id.clone(), dialect, error)),
        |operation| Ok(Incoming { id: request.id.clone(), dialect, operation }),
    )
}

fn operation(
    service: &Inner,
    parts: &Parts,
    request: &IncomingRequest,
    dialect: Dialect,
) -> Result<Operation, RpcError> {
    if request.jsonrpc != "2.0" || request.method.is_empty() {
        let message = "not a JSON-RPC 2.0 request: `jsonrpc` must be \"2.0\" and `method` a name";
        return Err(RpcError::new(ErrorCode::InvalidRequest, message));
    }
    let version = Version::of(&parts.headers, &parts.uri)?;
    if version == Version::V03 && !service.options.legacy {
        return Err(unsupported_version("this agent speaks 1.0"));
    }
    let method = match dialect {
        Dialect::V1 => Method::from_name(&request.method),
        Dialect::V03JsonRpc | Dialect::V03Rest => v03::method_from_name(&request.method),
    };
    let Some(method) = method else {
        return Err(RpcError::new(ErrorCode::MethodNotFound, format!("unknown method: {}", request.method)));
    };
    match (dialect, version) {
        (Dialect::V1, Version::V1) | (Dialect::V03JsonRpc, Version::V03 | Version::Unnamed) => {}
        (Dialect::V1, _) => return Err(unsupported_version("this method needs the header A2A-Version: 1.0")),
        _ => return Err(unsupported_version("this method is of 0.3")),
    }
    let params = request.params.as_ref().map_or("{}", |params| params.as_str());
    Operation::from_params(method, params, dialect)
        .map_err(|error| RpcError::new(ErrorCode::InvalidParams, error.to_string()))
}

/// An error response.
pub(super) fn error_json(id: &RequestId, error: RpcError, dialect: Dialect) -> String {
    let error = match dialect {
        Dialect::V1 => detailed(error),
        Dialect::V03JsonRpc | Dialect::V03Rest => v03::error_for_caller(error),
    };
    envelope(id, "error", &crate::json::to_line(&error))
}
