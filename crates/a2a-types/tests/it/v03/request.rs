//! Requests and push configurations.

use a2a_types::{v03::*, *};
use serde_json::{Value, json};

use crate::support::{read, written};

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
