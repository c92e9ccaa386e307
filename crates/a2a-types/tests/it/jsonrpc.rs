//! The JSON-RPC envelope and the error objects of both bindings.

use a2a_types::*;
use serde_json::{Value, json};

use crate::support::{check, read, refuse, written};

type Response = JsonRpcResponse<Value>;

#[test]
fn a_response_is_read_with_its_flaws() {
    let failed = RpcError::new(ErrorCode::InternalError, "winch jammed");
    for (text, expect) in [
        (json!({"jsonrpc": "2.0", "id": 1, "result": {}}), Response::success(1.into(), json!({}))),
        (json!({"id": "a", "result": {}, "error": null}), Response::success("a".into(), json!({}))),
        (json!({"result": {}}), Response::success(RequestId::Null, json!({}))),
        (
            json!({"id": null, "result": null, "error": {"code": -32603, "message": "winch jammed", "data": null}}),
            Response::failure(RequestId::Null, failed.clone()),
        ),
        (
            json!({"error": {"code": -32603, "message": "winch jammed"}}),
            Response::failure(RequestId::Null, failed),
        ),
    ] {
        assert_eq!(read::<Response>(&text), expect, "{text}");
    }
    let neither: Response = read(&json!({"jsonrpc": "2.0", "id": 1}));
    assert_eq!((neither.result, neither.error), (None, None));
}

#[test]
fn ids_are_echoed_as_they_came() {
    check::<RequestId>(&[
        ("null", "null"),
        ("7", "7"),
        ("-7", "-7"),
        (r#""7""#, r#""7""#),
        ("18446744073709551615", "18446744073709551615"),
        ("1.5", "1.5"),
    ]);
    refuse::<RequestId>(&[("true", "a string, a number or null"), ("[]", "a string, a number or null")]);
}

#[test]
fn error_data_has_any_shape() {
    let info = json!([{"@type": ERROR_INFO_TYPE, "reason": "TASK_NOT_FOUND", "domain": ERROR_DOMAIN}]);
    for data in [json!({"taskId": "x"}), json!("text"), info.clone(), json!([1, null]), Value::Null] {
        let error: RpcError = read(&json!({"code": -32001, "message": "gone", "data": data}));
        assert_eq!(error, RpcError::new(ErrorCode::TaskNotFound, "gone").with_data(data.clone()));
        assert_eq!(error.reason(), (data == info).then_some("TASK_NOT_FOUND"));
    }
    check::<RpcError>(&[
        (r#"{"code":-32001}"#, r#"{"code":-32001,"message":""}"#),
        (r#"{"code":"-32001","message":null}"#, r#"{"code":-32001,"message":""}"#),
        (r#"{"code":-32001.0,"message":"m","extra":1}"#, r#"{"code":-32001,"message":"m"}"#),
        (r#"{"code":"TASK_NOT_FOUND","message":"m"}"#, r#"{"code":-32001,"message":"m"}"#),
        (r#"{"message":"m"}"#, r#"{"code":-32603,"message":"m"}"#),
        (r#"{"code":9007199254740991,"message":"m"}"#, r#"{"code":9007199254740991,"message":"m"}"#),
    ]);
}

#[test]
fn a_request_keeps_its_parameters_for_later() {
    let request: IncomingRequest =
        read(&json!({"jsonrpc": "2.0", "id": 3, "method": "GetTask", "params": {"id": "t"}}));
    assert_eq!(request.method.parse_method(), Some(Method::GetTask));
    assert_eq!(
        from_str::<GetTaskRequest>(request.params.unwrap().as_str()).unwrap(),
        GetTaskRequest::new("t")
    );
    let bare: IncomingRequest = read(&json!({"method": null, "params": null}));
    assert_eq!((bare.jsonrpc.as_str(), bare.id, bare.params), ("", RequestId::Null, None));
}

trait ParseMethod {
    fn parse_method(&self) -> Option<Method>;
}

impl ParseMethod for String {
    fn parse_method(&self) -> Option<Method> {
        Method::from_name(self)
    }
}

#[test]
fn method_names_are_their_own() {
    for method in Method::ALL {
        assert_eq!(Method::from_name(method.as_str()), Some(*method));
    }
    assert_eq!(Method::from_name("sendMessage"), None);
}

#[test]
fn rest_errors_go_both_ways() {
    let error = RpcError::new(ErrorCode::TaskNotFound, "no such task");
    let body = rest::error_body(&error);
    assert_eq!(body["error"]["code"], 404);
    assert_eq!(body["error"]["status"], "NOT_FOUND");
    let read = rest::error_from_body(404, &body).unwrap();
    assert_eq!((read.code, read.reason()), (ErrorCode::TaskNotFound, Some("TASK_NOT_FOUND")));

    for (status, body, code) in [
        (400, json!({"error": {"code": 400, "message": "m"}}), ErrorCode::InvalidParams),
        (404, json!({"error": {"message": "m", "details": null}}), ErrorCode::TaskNotFound),
        (500, json!({"error": {"code": -32004, "message": "m"}}), ErrorCode::UnsupportedOperation),
        (
            400,
            json!({"error": {"details": [
                {"@type": "type.googleapis.com/google.rpc.BadRequest"},
                {"@type": ERROR_INFO_TYPE, "reason": "OTHER", "domain": "elsewhere.example"},
                {"@type": ERROR_INFO_TYPE, "reason": "VERSION_NOT_SUPPORTED", "domain": ERROR_DOMAIN},
            ]}}),
            ErrorCode::VersionNotSupported,
        ),
    ] {
        assert_eq!(rest::error_from_body(status, &body).unwrap().code, code, "{body}");
    }
    for body in [json!({"detail": "Not Found"}), json!({"error": "text"}), json!([]), Value::Null] {
        assert_eq!(rest::error_from_body(404, &body), None, "{body}");
    }
    assert_eq!(written(&error), json!({"code": -32001, "message": "no such task"}));
}
