//! Payloads of streams and unary results, told apart and written.

use a2a_types::{v03::*, *};
use serde_json::json;

use crate::support::{read, written};

/// Payloads in every form, and the one form each dialect has for them.
#[test]
fn payloads_are_told_apart() {
    let status = json!({"state": "completed"});
    let artifact = json!({"artifactId": "a", "parts": [{"kind": "text", "text": "x"}]});
    for (payload, schema, proto) in [
        (
            json!({"kind": "task", "id": "t", "contextId": "c", "status": status, "final": true}),
            json!({"kind": "task", "id": "t", "contextId": "c", "status": status}),
            json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}}),
        ),
        (
            json!({"id": "t", "status": status}),
            json!({"kind": "task", "id": "t", "contextId": "", "status": status}),
            json!({"task": {"id": "t", "contextId": "", "status": {"state": "TASK_STATE_COMPLETED"}}}),
        ),
        (
            json!({"messageId": "m", "role": "user", "parts": [], "taskId": "t"}),
            json!({"kind": "message", "messageId": "m", "taskId": "t", "role": "user", "parts": []}),
            json!({"message": {"messageId": "m", "taskId": "t", "role": "ROLE_USER", "content": []}}),
        ),
        (
            json!({"msg": {"messageId": "m", "content": []}, "task": null}),
            json!({"kind": "message", "messageId": "m", "role": "agent", "parts": []}),
            json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "content": []}}),
        ),
        (
            json!({"taskId": "t", "contextId": "c", "status": status, "final": true}),
            json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": status, "final": true}),
            json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}, "final": true}}),
        ),
        (
            json!({"status_update": {"task_id": "t", "context_id": "c", "status": {"state": 2}, "metadata": {"a": 1}}}),
            json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "working"}, "final": false, "metadata": {"a": 1}}),
            json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}, "metadata": {"a": 1}}}),
        ),
        (
            json!({"taskId": "t", "artifact": artifact, "lastChunk": true}),
            json!({"kind": "artifact-update", "taskId": "t", "contextId": "", "artifact": artifact, "lastChunk": true}),
            json!({"artifactUpdate": {"taskId": "t", "contextId": "", "artifact": {"artifactId": "a", "parts": [{"text": "x"}]}, "lastChunk": true}}),
        ),
        (
            json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": true, "artifact": {"artifactId": "a", "parts": [{"text": "x"}]}}}),
            json!({"kind": "artifact-update", "taskId": "t", "contextId": "c", "append": true, "artifact": artifact}),
            json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": true, "artifact": {"artifactId": "a", "parts": [{"text": "x"}]}}}),
        ),
        (
            json!({"kind": "progress", "percent": 5}),
            json!({"kind": "progress", "percent": 5}),
            json!({"kind": "progress", "percent": 5}),
        ),
        (json!({}), json!({}), json!({})),
    ] {
        let event: JsonRpc<StreamEvent> = read(&payload);
        assert_eq!(written(&event), schema, "{payload}");
        assert_eq!(written(Rest(&event.0)), proto, "{payload}");
        for again in [&schema, &proto] {
            assert_eq!(read::<Rest<StreamEvent>>(again).0, event.0, "{again}");
        }
    }
    let error =
        from_str::<Rest<StreamEvent>>(r#"{"task":{"id":"t"},"message":{"messageId":"m"}}"#).unwrap_err();
    assert!(error.to_string().contains("only one of `task`"), "{error}");
}

/// A webhook registered through 0.3 may be called with the body of 1.0.
#[test]
fn payloads_of_1_0_are_understood() {
    let text = r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","message":
        {"messageId":"m","role":"ROLE_USER","parts":[{"raw":"+/8=","filename":"n"},{"data":null},{"url":"u"}]}}}}"#;
    let event: JsonRpc<StreamEvent> = from_str(text).unwrap();
    assert_eq!(event.0.response, from_str::<StreamResponse>(text).unwrap());
}

#[test]
fn the_end_mark_follows_the_state_unless_given() {
    let update = |state| TaskStatusUpdateEvent::new("t", "c", TaskStatus::new(state));
    for (state, is_final) in [
        (TaskState::Working, false),
        (TaskState::AuthRequired, false),
        (TaskState::InputRequired, true),
        (TaskState::Completed, true),
        (TaskState::Canceled, true),
    ] {
        let response = StreamResponse::from(update(state));
        assert_eq!(written(JsonRpc(&response))["final"], is_final);
        assert_eq!(written(JsonRpc(StreamEvent::from(response)))["final"], is_final);
    }
    let response = StreamResponse::from(update(TaskState::AuthRequired));
    assert_eq!(written(JsonRpc(StreamEvent::new(&response, true)))["final"], true);
    assert_eq!(written(Rest(StreamEvent::new(&response, true)))["statusUpdate"]["final"], true);
    assert_eq!(written(Rest(&response))["statusUpdate"].get("final"), None);
}

#[test]
fn unary_results_are_bare_or_wrapped() {
    let task = json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}});
    for result in [
        json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "working"}}),
        task.clone(),
        json!({"task": task}),
    ] {
        let response: JsonRpc<SendMessageResponse> = read(&result);
        assert_eq!(written(&response.0), json!({"task": task}));
        assert_eq!(written(Rest(&response.0)), json!({"task": task}));
        assert_eq!(written(&response)["kind"], "task");
    }
    let unknown: JsonRpc<SendMessageResponse> = read(&json!({"odd": 1}));
    assert_eq!(written(&unknown), json!({"odd": 1}));
    let status =
        json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "working"}});
    assert_eq!(written(read::<JsonRpc<SendMessageResponse>>(&status).0), json!({"task": task}));
    let error = from_str::<JsonRpc<SendMessageResponse>>(r#"{"taskId":"t","artifact":{}}"#).unwrap_err();
    assert!(error.to_string().contains("found an artifact update"), "{error}");
}
