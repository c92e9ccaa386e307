//! What makes a peer of 0.3: the examples of the specification, names, errors, and how one is recognised.

use a2a_types::{v03::*, *};
use serde_json::{Value, json};

use crate::support::{read, written};

#[test]
fn examples_of_the_specification_round_trip() {
    for line in include_str!("../../data/examples-v03.jsonl").lines() {
        let example: Value = serde_json::from_str(line).unwrap();
        let json = &example["json"];
        let found = match (example["dialect"].as_str().unwrap(), example["type"].as_str().unwrap()) {
            ("schema", "SendStreamingMessageRequest") => {
                let request: IncomingRequest = read(json);
                assert_eq!(method_from_name(&request.method), Some(Method::SendStreamingMessage));
                let params: JsonRpc<SendMessageRequest> = from_str(request.params.unwrap().as_str()).unwrap();
                written(JsonRpcRequest::new("r1", &request.method, params))
            }
            ("schema", "Task") => written(read::<JsonRpc<Task>>(json)),
            ("schema", "TaskStatusUpdateEvent" | "TaskArtifactUpdateEvent") => {
                written(read::<JsonRpc<StreamEvent>>(json))
            }
            ("schema", "TaskPushNotificationConfig") => {
                written(read::<JsonRpc<TaskPushNotificationConfig>>(json))
            }
            ("schema", "AgentCard") => {
                let card = read_card(&json.to_string()).unwrap();
                let mut found = written(LegacyCard::new(&card).unwrap());
                // 1.0 has no place for it.
                found["capabilities"]["stateTransitionHistory"] = json!(false);
                found
            }
            ("proto", "SendMessageRequest") => written(read::<Rest<SendMessageRequest>>(json)),
            ("proto", "StreamResponse") => written(read::<Rest<StreamEvent>>(json)),
            ("dual", "AgentCard") => {
                let card = read_card(&json.to_string()).unwrap();
                written(DualCard::new(&card))
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(canonical(found), canonical(json.clone()));
    }
}

/// Timestamps in canonical form, which is the only change a round trip makes.
fn canonical(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                match member {
                    Value::String(text) if name == "timestamp" => {
                        *text = Timestamp::from_text(text.as_str()).to_canonical();
                    }
                    member => *member = canonical(member.take()),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = canonical(item.take())),
        _ => {}
    }
    value
}

#[test]
fn method_names_go_both_ways() {
    for method in Method::ALL {
        match method_name(*method) {
            Some(name) => assert_eq!(method_from_name(name), Some(*method)),
            None => assert_eq!(*method, Method::ListTasks),
        }
    }
    assert_eq!(method_from_name("agent/authenticatedExtendedCard"), Some(Method::GetExtendedAgentCard));
    assert_eq!(method_from_name("SendMessage"), None);
}

#[test]
fn rest_errors_in_every_form() {
    for (status, body, code, message) in [
        (404, json!({"type": "TaskNotFoundError", "message": "m"}), ErrorCode::TaskNotFound, "m"),
        (400, json!({"type": "TaskNotCancelableError"}), ErrorCode::TaskNotCancelable, ""),
        (500, json!({"type": "OddError", "message": "m"}), ErrorCode::InternalError, "m"),
        (404, json!({"code": -32001, "message": "m", "data": [1]}), ErrorCode::TaskNotFound, "m"),
        (500, json!({"code": -32603, "message": "m"}), ErrorCode::InternalError, "m"),
        (404, json!({"message": "m"}), ErrorCode::TaskNotFound, "m"),
        (409, json!({"message": "m"}), ErrorCode::TaskNotCancelable, "m"),
        (
            400,
            json!({"error": {"message": "m", "details": [error_info("VERSION_NOT_SUPPORTED", Metadata::new())]}}),
            ErrorCode::VersionNotSupported,
            "m",
        ),
    ] {
        let error = error_from_body(status, &body).unwrap();
        assert_eq!((error.code, error.message.as_str()), (code, message), "{body}");
    }
    for body in [json!({"detail": "Not Found"}), json!([]), json!("text"), Value::Null, json!({})] {
        assert_eq!(error_from_body(404, &body), None, "{body}");
    }
}

#[test]
fn errors_are_written_with_what_0_3_knows() {
    let error = RpcError::new(ErrorCode::TaskNotCancelable, "too late").with_data(json!({"a": 1}));
    let (status, body) = error_body(&error);
    assert_eq!(status, 409);
    assert_eq!(
        body,
        json!({"type": "TaskNotCancelableError", "code": -32002, "message": "too late", "data": {"a": 1}})
    );
    assert_eq!(error_from_body(status, &body).unwrap(), error);
    for code in [ErrorCode::VersionNotSupported, ErrorCode::ExtensionSupportRequired] {
        let error = RpcError::new(code, "m");
        assert_eq!(error_body(&error).1["code"], -32603);
        assert_eq!(error_for_caller(error), RpcError::new(ErrorCode::InternalError, "m"));
    }
    assert_eq!(error_body(&RpcError::new(ErrorCode::Other(-32050), "m")).1["code"], -32050);
}

#[test]
fn versions_are_recognised() {
    for (object, expect) in [
        (json!({"kind": "task", "id": "t"}), Some(Version::V03)),
        (json!({"jsonrpc": "2.0", "method": "message/send"}), Some(Version::V03)),
        (json!({"jsonrpc": "2.0", "method": "SendMessage"}), Some(Version::V1)),
        (
            json!({"jsonrpc": "2.0", "result": {"statusUpdate": {"status": {"state": "TASK_STATE_CANCELLED"}}}}),
            Some(Version::V03),
        ),
        (json!({"task": {"history": [{"role": "ROLE_USER", "content": []}]}}), Some(Version::V03)),
        (json!({"task": {"status": {"state": "working"}}}), Some(Version::V03)),
        (json!({"message": {"messageId": "m", "role": "user"}}), Some(Version::V03)),
        (
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]}}),
            Some(Version::V1),
        ),
        (json!({"message": {"parts": [{"url": "u", "mediaType": "m"}]}}), Some(Version::V1)),
        (json!({"message": {}, "configuration": {"blocking": true}}), Some(Version::V03)),
        (json!({"message": {}, "configuration": {"returnImmediately": true}}), Some(Version::V1)),
        (json!({"name": "n", "url": "u", "capabilities": {}}), Some(Version::V03)),
        (json!({"name": "n", "url": "u", "supportedInterfaces": [{}]}), Some(Version::V1)),
        // What a peer is free to write says nothing, and some objects are the same in both.
        (json!({"task": {"id": "t", "metadata": {"kind": "x"}}}), None),
        (json!({"statusUpdate": {"status": {"state": "TASK_STATE_WORKING"}}}), None),
        (json!({}), None),
        (json!([]), None),
    ] {
        assert_eq!(version_of(&object), expect, "{object}");
    }
}
