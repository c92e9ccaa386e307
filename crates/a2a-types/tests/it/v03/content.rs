//! Parts, messages and states: read in every form, written in either dialect.

use a2a_types::{v03::*, *};
use serde_json::{Value, json};

use crate::support::{read, written};

/// A part of each dialect, and what it is in 1.0.
#[test]
fn parts_are_read_in_every_form() {
    for (legacy, expect) in [
        (
            json!({"kind": "text", "text": "x", "metadata": {"a": 1}}),
            json!({"text": "x", "metadata": {"a": 1}}),
        ),
        (json!({"text": "x"}), json!({"text": "x"})),
        (json!({"kind": "text"}), json!({"text": ""})),
        (
            json!({"kind": "file", "file": {"bytes": "-_8", "mimeType": "m", "name": "n"}}),
            json!({"raw": "+/8=", "mediaType": "m", "filename": "n"}),
        ),
        (
            json!({"file": {"fileWithBytes": "+/8=", "mimeType": "m", "name": "n"}}),
            json!({"raw": "+/8=", "mediaType": "m", "filename": "n"}),
        ),
        (json!({"file": {"file_with_bytes": "", "mime_type": "m"}}), json!({"raw": "", "mediaType": "m"})),
        (json!({"kind": "file", "file": {"data": "+/8=", "uri": null}}), json!({"raw": "+/8="})),
        (json!({"kind": "file", "file": {"bytes": "+/8=", "uri": "u"}}), json!({"raw": "+/8="})),
        (json!({"kind": "file", "file": {"uri": "u", "name": null}}), json!({"url": "u"})),
        (json!({"file": {"fileWithUri": "u", "mimeType": "m"}}), json!({"url": "u", "mediaType": "m"})),
        (json!({"file": {"file_with_uri": "u"}}), json!({"url": "u"})),
        (json!({"kind": "data", "data": {"b": 1}}), json!({"data": {"b": 1}})),
        (json!({"data": {"data": {"b": 1}}}), json!({"data": {"b": 1}})),
        // With `kind` the data is what it is; without, one `data` that holds an object is the protobuf's.
        (json!({"kind": "data", "data": {"data": {"b": 1}}}), json!({"data": {"data": {"b": 1}}})),
        (json!({"data": {"data": {"b": 1}}, "kind": "data"}), json!({"data": {"data": {"b": 1}}})),
        (json!({"data": {"b": 1, "c": 2}}), json!({"data": {"b": 1, "c": 2}})),
        (json!({"data": {"data": 1}}), json!({"data": {"data": 1}})),
        // Data that is no object, as the official SDKs wrap it.
        (
            json!({"kind": "data", "data": {"value": [1, null]}, "metadata": {"data_part_compat": true}}),
            json!({"data": [1, null]}),
        ),
        (
            json!({"data": {"data": {"value": null}}, "metadata": {"data_part_compat": true, "a": 1}}),
            json!({"data": null, "metadata": {"a": 1}}),
        ),
        (json!({"kind": "data", "data": {"value": 1}}), json!({"data": {"value": 1}})),
        (
            json!({"kind": "data", "data": {"value": 1}, "metadata": {"data_part_compat": false}}),
            json!({"data": {"value": 1}, "metadata": {"data_part_compat": false}}),
        ),
        // Parts of 1.0, and of no known kind.
        (
            json!({"raw": "+/8=", "mediaType": "m", "filename": "n"}),
            json!({"raw": "+/8=", "mediaType": "m", "filename": "n"}),
        ),
        (json!({"url": "u"}), json!({"url": "u"})),
        (json!({"kind": "video", "video": {"x": 1}}), json!({"kind": "video", "video": {"x": 1}})),
        (json!({"kind": "file", "file": {}}), json!({"kind": "file"})),
        (json!({}), json!({})),
    ] {
        let message: JsonRpc<Message> = read(&json!({"messageId": "m", "parts": [legacy]}));
        assert_eq!(written(&message.0)["parts"], json!([expect]), "{legacy}");
    }
    for (parts, expect) in [
        (json!([{"kind": "file", "file": {"bytes": "*"}}]), "`parts[0].file.bytes`: invalid base64"),
        (json!([{"text": "x", "file": {"uri": "u"}}]), "`parts[0]`: a part without `kind` has only one of"),
        (json!([null]), "`parts[0]`: "),
    ] {
        let error =
            from_str::<JsonRpc<Message>>(&json!({"parts": parts}).to_string()).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }
}

/// A part of 1.0, and how each dialect writes it.
#[test]
fn parts_are_written_in_either_dialect() {
    for (part, schema, proto) in [
        (
            json!({"text": "x", "mediaType": "text/plain", "metadata": {"a": 1}}),
            json!([{"kind": "text", "text": "x", "metadata": {"a": 1}}]),
            json!([{"text": "x", "metadata": {"a": 1}}]),
        ),
        (
            json!({"raw": "+/8=", "mediaType": "m", "filename": "n"}),
            json!([{"kind": "file", "file": {"bytes": "+/8=", "mimeType": "m", "name": "n"}}]),
            json!([{"file": {"fileWithBytes": "+/8=", "mimeType": "m", "name": "n"}}]),
        ),
        (
            json!({"url": "u"}),
            json!([{"kind": "file", "file": {"uri": "u"}}]),
            json!([{"file": {"fileWithUri": "u"}}]),
        ),
        (
            json!({"data": {"b": 1}, "mediaType": "application/json"}),
            json!([{"kind": "data", "data": {"b": 1}}]),
            json!([{"data": {"data": {"b": 1}}}]),
        ),
        (
            json!({"data": [1], "metadata": {"a": 1}}),
            json!([{"kind": "data", "data": {"value": [1]}, "metadata": {"a": 1, "data_part_compat": true}}]),
            json!([{"data": {"data": {"value": [1]}}, "metadata": {"a": 1, "data_part_compat": true}}]),
        ),
        // Nothing 0.3 has a place for.
        (json!({}), json!([]), json!([])),
        (json!({"newKind": 1}), json!([]), json!([])),
        // What came from 0.3 goes back.
        (
            json!({"kind": "video", "x": 1}),
            json!([{"kind": "video", "x": 1}]),
            json!([{"kind": "video", "x": 1}]),
        ),
    ] {
        let message = Message::new("m", Role::Agent, vec![read(&part)]);
        assert_eq!(written(JsonRpc(&message))["parts"], schema, "{part}");
        assert_eq!(written(Rest(&message))["content"], proto, "{part}");
    }
}

#[test]
fn messages_differ_in_names_and_roles() {
    let message: Message = read(&json!({
        "messageId": "m", "contextId": "c", "taskId": "t", "role": "ROLE_USER", "parts": [{"text": "x"}],
        "metadata": {}, "extensions": ["e"], "referenceTaskIds": ["r"],
    }));
    assert_eq!(
        written(JsonRpc(&message)),
        json!({"kind": "message", "messageId": "m", "contextId": "c", "taskId": "t", "role": "user",
               "parts": [{"kind": "text", "text": "x"}], "metadata": {}, "extensions": ["e"], "referenceTaskIds": ["r"]})
    );
    assert_eq!(
        written(Rest(&message)),
        json!({"messageId": "m", "contextId": "c", "taskId": "t", "role": "ROLE_USER",
               "content": [{"text": "x"}], "metadata": {}, "extensions": ["e"]})
    );
    for (role, expect) in [
        (json!("user"), Role::User),
        (json!("ROLE_USER"), Role::User),
        (json!(1), Role::User),
        (json!("agent"), Role::Agent),
        (json!("ROLE_AGENT"), Role::Agent),
        (json!("nobody"), Role::Agent),
        (json!(0), Role::Agent),
        (Value::Null, Role::Agent),
    ] {
        assert_eq!(read::<JsonRpc<Message>>(&json!({"role": role})).0.role, expect, "{role}");
        let event: Rest<StreamEvent> = read(&json!({"messageId": "m", "role": role}));
        assert_eq!(event.0.response, Message::new("m", expect, vec![]).into(), "{role}");
    }
    for role in [Role::Unspecified, Role::Other("x".into())] {
        assert_eq!(written(JsonRpc(Message::new("m", role.clone(), vec![])))["role"], "agent");
        assert_eq!(written(Rest(Message::new("m", role, vec![])))["role"], "ROLE_AGENT");
    }
}

#[test]
fn states_go_both_ways() {
    for (state, schema, proto) in [
        (TaskState::Submitted, "submitted", "TASK_STATE_SUBMITTED"),
        (TaskState::Working, "working", "TASK_STATE_WORKING"),
        (TaskState::Completed, "completed", "TASK_STATE_COMPLETED"),
        (TaskState::Failed, "failed", "TASK_STATE_FAILED"),
        (TaskState::Canceled, "canceled", "TASK_STATE_CANCELLED"),
        (TaskState::InputRequired, "input-required", "TASK_STATE_INPUT_REQUIRED"),
        (TaskState::Rejected, "rejected", "TASK_STATE_REJECTED"),
        (TaskState::AuthRequired, "auth-required", "TASK_STATE_AUTH_REQUIRED"),
        (TaskState::Unspecified, "unknown", "TASK_STATE_UNSPECIFIED"),
    ] {
        let task = Task::new("t", "c", TaskStatus::new(state.clone()));
        assert_eq!(written(JsonRpc(&task))["status"]["state"], schema);
        assert_eq!(written(Rest(&task))["status"]["state"], proto);
        for name in [schema, proto, state.as_str()] {
            let read: JsonRpc<Task> = read(&json!({"id": "t", "contextId": "c", "status": {"state": name}}));
            assert_eq!(read.0, task, "{name}");
        }
    }
    for odd in [json!("becalmed"), json!("TASK_STATE_NEW"), json!(77), json!(""), Value::Null] {
        let read: Rest<Task> = read(&json!({"id": "t", "status": {"state": odd}}));
        assert_eq!(read.0.status.state, TaskState::Unspecified, "{odd}");
    }
    let unknown = Task::new("t", "c", TaskStatus::new(TaskState::Other("TASK_STATE_NEW".into())));
    assert_eq!(written(JsonRpc(&unknown))["status"]["state"], "unknown");
    assert_eq!(written(Rest(&unknown))["status"]["state"], "TASK_STATE_UNSPECIFIED");
}

#[test]
fn a_status_message_has_two_names() {
    for name in ["message", "update"] {
        let status = json!({"state": "working", name: {"messageId": "m", "content": [{"text": "x"}]}, "timestamp": "2026-03-04T07:15:30.1"});
        let task: Rest<Task> = read(&json!({"id": "t", "status": status}));
        let status = task.0.status;
        assert_eq!(status.message.unwrap().parts, [Part::text("x")]);
        assert_eq!(status.timestamp.unwrap().to_canonical(), "2026-03-04T07:15:30.100Z");
    }
}

#[test]
fn base64_inside_base64_is_undone_where_it_is_plain() {
    for (bytes, media_type, expect) in [
        (&b"iVBORw0KGgo="[..], "image/png", Some(&b"\x89PNG\r\n\x1a\n"[..])),
        (b"aGVsbG8=", "text/plain", Some(b"hello")),
        // Text whose letters happen to be base64 of something that is no text.
        (b"test", "text/plain", None),
        (b"test", "application/octet-stream", Some(b"\xb5\xeb-")),
        (b"iVBORw0KGgo", "image/png", None),
        (b"not base64!!", "", None),
        (b"\x89PNG", "image/png", None),
        (b"", "", None),
    ] {
        let part = Part::raw(bytes).with_media_type(media_type);
        let mut task = Task::default();
        task.artifacts = vec![Artifact::new("a", vec![Part::text("aGVsbG8="), part])];
        let mut response = StreamResponse::from(task);
        decode_nested_base64(&mut response);
        let StreamResponse::Task(task) = response else { unreachable!() };
        assert_eq!(task.artifacts[0].parts[0], Part::text("aGVsbG8="));
        assert_eq!(task.artifacts[0].parts[1].content, PartContent::Raw(expect.unwrap_or(bytes).to_vec()));
    }
}

#[test]
fn every_part_of_a_value_is_visited() {
    fn parts_in(mut value: impl CarriesParts) -> usize {
        let mut parts = 0;
        value.for_each_part(&mut |_| parts += 1);
        parts
    }
    let message = Message::new("m", Role::User, vec![Part::text("a"), Part::text("b")]);
    let artifact = Artifact::new("a", vec![Part::text("c")]);
    let status = TaskStatus::new(TaskState::Working).with_message(message.clone());
    let mut task = Task::new("t", "c", status.clone());
    task.history = vec![message.clone()];
    task.artifacts = vec![artifact.clone()];
    assert_eq!(parts_in(SendMessageRequest::new(message.clone())), 2);
    assert_eq!(parts_in(SendMessageResponse::from(task.clone())), 5);
    assert_eq!(parts_in(SendMessageResponse::from(message.clone())), 2);
    assert_eq!(parts_in(StreamResponse::from(task)), 5);
    assert_eq!(parts_in(StreamResponse::from(message)), 2);
    assert_eq!(parts_in(StreamResponse::from(TaskStatusUpdateEvent::new("t", "c", status))), 2);
    assert_eq!(parts_in(StreamResponse::from(TaskArtifactUpdateEvent::new("t", "c", artifact))), 1);
    assert_eq!(parts_in(StreamResponse::default()), 0);
}
