//! 0.3: every dialect read, each written, and the edge cases real peers show.

use a2a_types::{v03::*, *};
use serde_json::{Value, json};

use crate::support::{read, written};

#[test]
fn examples_of_the_specification_round_trip() {
    for line in include_str!("../data/examples-v03.jsonl").lines() {
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

#[test]
fn send_requests() {
    let request: SendMessageRequest = read(&json!({
        "tenant": "dropped", "message": {"messageId": "m", "role": "ROLE_USER", "parts": []}, "metadata": {"a": 1},
        "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "returnImmediately": true,
            "taskPushNotificationConfig": {"id": "p", "url": "u", "token": "k", "authentication": {"scheme": "Bearer", "credentials": "c"}}},
    }));
    let push = json!({"id": "p", "url": "u", "token": "k", "authentication": {"schemes": ["Bearer"], "credentials": "c"}});
    let schema = json!({
        "message": {"kind": "message", "messageId": "m", "role": "user", "parts": []}, "metadata": {"a": 1},
        "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "blocking": false, "pushNotificationConfig": push},
    });
    let proto = json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "content": []}, "metadata": {"a": 1},
        "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "blocking": false, "pushNotification": push},
    });
    assert_eq!(written(JsonRpc(&request)), schema);
    assert_eq!(written(Rest(&request)), proto);
    let mut known = request;
    known.tenant.clear();
    assert_eq!(read::<JsonRpc<SendMessageRequest>>(&schema).0, known);
    assert_eq!(read::<Rest<SendMessageRequest>>(&proto).0, known);
    let snake = json!({"request": {"message_id": "m", "role": "ROLE_USER"}, "configuration": {"accepted_output_modes": ["text/plain"],
        "history_length": 3, "push_notification": push}, "metadata": {"a": 1}});
    assert_eq!(read::<Rest<SendMessageRequest>>(&snake).0, known);
}

#[test]
fn blocking_is_always_said_and_its_absence_depends_on_the_dialect() {
    let request = SendMessageRequest::new(Message::new("m", Role::User, vec![]));
    assert_eq!(written(JsonRpc(&request))["configuration"], json!({"blocking": true}));
    assert_eq!(written(Rest(&request))["configuration"], json!({"blocking": true}));
    for (configuration, over_json_rpc, over_rest) in [
        (Value::Null, false, false),
        (json!({}), false, true),
        (json!({"blocking": null}), false, true),
        (json!({"blocking": true}), false, false),
        (json!({"blocking": false}), true, true),
    ] {
        let params = json!({"message": {}, "configuration": configuration});
        let immediately = |request: SendMessageRequest| {
            request.configuration.is_some_and(|configuration| configuration.return_immediately)
        };
        assert_eq!(immediately(read::<JsonRpc<_>>(&params).0), over_json_rpc, "{params}");
        assert_eq!(immediately(read::<Rest<_>>(&params).0), over_rest, "{params}");
    }
}

/// In 0.3 a history length of 0 is no limit, in 1.0 it is no history.
#[test]
fn a_history_length_of_zero_does_not_travel() {
    let mut zero = GetTaskRequest::new("t");
    zero.history_length = Some(0);
    assert_eq!(written(JsonRpc(&zero)), json!({"id": "t"}));
    assert_eq!(
        read::<JsonRpc<GetTaskRequest>>(&json!({"id": "t", "historyLength": 0})).0,
        GetTaskRequest::new("t")
    );
    let some = json!({"id": "t", "historyLength": 2});
    assert_eq!(written(read::<JsonRpc<GetTaskRequest>>(&some)), some);
    let params: JsonRpc<SendMessageRequest> =
        read(&json!({"message": {}, "configuration": {"historyLength": 0}}));
    assert_eq!(params.0.configuration.unwrap().history_length, None);
}

#[test]
fn requests_that_name_a_task() {
    let cancel = json!({"id": "t", "metadata": {"a": 1}});
    assert_eq!(written(read::<JsonRpc<CancelTaskRequest>>(&cancel)), cancel);
    let by_name: Rest<CancelTaskRequest> = read(&json!({"name": "tasks/t"}));
    assert_eq!(by_name.0, CancelTaskRequest::new("t"));
    assert_eq!(written(by_name), json!({"name": "tasks/t"}));
    let subscribe = json!({"id": "t"});
    assert_eq!(written(read::<JsonRpc<SubscribeToTaskRequest>>(&subscribe)), subscribe);

    let both = json!({"id": "t", "pushNotificationConfigId": "p"});
    assert_eq!(written(read::<JsonRpc<GetTaskPushNotificationConfigRequest>>(&both)), both);
    assert_eq!(written(read::<JsonRpc<DeleteTaskPushNotificationConfigRequest>>(&both)), both);
    let first: JsonRpc<GetTaskPushNotificationConfigRequest> = read(&json!({"id": "t"}));
    assert_eq!((first.0.task_id.as_str(), first.0.id.as_str()), ("t", ""));
    assert_eq!(written(first), json!({"id": "t"}));
    let list = json!({"id": "t"});
    assert_eq!(written(read::<JsonRpc<ListTaskPushNotificationConfigsRequest>>(&list)), list);
}

#[test]
fn push_configurations_in_every_form() {
    let push = json!({"id": "p", "url": "u", "token": "k", "authentication": {"schemes": ["Bearer", "Basic"], "credentials": "c"}});
    let config: TaskPushNotificationConfig = read(&json!({
        "id": "p", "taskId": "t", "url": "u", "token": "k", "authentication": {"scheme": "Bearer", "credentials": "c"},
    }));
    let name = "tasks/t/pushNotificationConfigs/p";
    for form in [
        json!({"taskId": "t", "pushNotificationConfig": push}),
        json!({"task_id": "t", "push_notification_config": push}),
        json!({"name": name, "pushNotificationConfig": push}),
        json!({"parent": "tasks/t", "configId": "p", "config": {"name": name, "pushNotificationConfig": push}}),
        json!({"parent": "tasks/t", "config_id": "p", "config": {"push_notification_config": push}}),
        json!({"taskId": "t", "id": "p", "url": "u", "token": "k", "authentication": {"schemes": ["Bearer"], "credentials": "c"}}),
    ] {
        assert_eq!(read::<JsonRpc<TaskPushNotificationConfig>>(&form).0, config, "{form}");
    }
    let push = json!({"id": "p", "url": "u", "token": "k", "authentication": {"schemes": ["Bearer"], "credentials": "c"}});
    let schema = json!({"taskId": "t", "pushNotificationConfig": push});
    let proto = json!({"name": name, "pushNotificationConfig": push});
    assert_eq!(written(JsonRpc(&config)), schema);
    assert_eq!(written(Rest(&config)), proto);
    assert_eq!(
        written(CreatePushConfigBody::new(&config)),
        json!({"parent": "tasks/t", "configId": "p", "config": proto})
    );

    let list = |configs| {
        let mut response = ListTaskPushNotificationConfigsResponse::default();
        response.configs = configs;
        response
    };
    for (form, expect) in [
        (json!([schema]), vec![config.clone()]),
        (json!({"configs": [proto]}), vec![config.clone()]),
        (json!([]), vec![]),
        (json!({}), vec![]),
        (Value::Null, vec![]),
    ] {
        assert_eq!(read::<Rest<ListTaskPushNotificationConfigsResponse>>(&form).0, list(expect), "{form}");
    }
    let full = list(vec![config]);
    assert_eq!(written(JsonRpc(&full)), json!([schema]));
    assert_eq!(written(Rest(&full)), json!({"configs": [proto]}));
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
