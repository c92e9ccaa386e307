//! Complete instances of every message read, and are written back as the same JSON value.

use a2a_types::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &Value) -> Value {
    let read: T = from_str(&value.to_string()).unwrap_or_else(|error| panic!("{error}: {value}"));
    let written = serde_json::to_value(&read).unwrap();
    let again: T = from_str(&written.to_string()).unwrap();
    assert_eq!(read, again);
    written
}

#[test]
fn every_example_round_trips() {
    for line in include_str!("../data/examples.jsonl").lines() {
        let example: Value = serde_json::from_str(line).unwrap();
        let json = &example["json"];
        let name = example["type"].as_str().unwrap();
        let written = match name {
            "Part" => round_trip::<Part>(json),
            "Message" => round_trip::<Message>(json),
            "TaskStatus" => round_trip::<TaskStatus>(json),
            "Artifact" => round_trip::<Artifact>(json),
            "Task" => round_trip::<Task>(json),
            "StreamResponse" => round_trip::<StreamResponse>(json),
            "TaskStatusUpdateEvent" => round_trip::<TaskStatusUpdateEvent>(json),
            "TaskArtifactUpdateEvent" => round_trip::<TaskArtifactUpdateEvent>(json),
            "SendMessageRequest" => round_trip::<SendMessageRequest>(json),
            "SendMessageConfiguration" => round_trip::<SendMessageConfiguration>(json),
            "SendMessageResponse" => round_trip::<SendMessageResponse>(json),
            "GetTaskRequest" => round_trip::<GetTaskRequest>(json),
            "ListTasksRequest" => round_trip::<ListTasksRequest>(json),
            "ListTasksResponse" => round_trip::<ListTasksResponse>(json),
            "CancelTaskRequest" => round_trip::<CancelTaskRequest>(json),
            "SubscribeToTaskRequest" => round_trip::<SubscribeToTaskRequest>(json),
            "TaskPushNotificationConfig" => round_trip::<TaskPushNotificationConfig>(json),
            "AuthenticationInfo" => round_trip::<AuthenticationInfo>(json),
            "GetTaskPushNotificationConfigRequest" => {
                round_trip::<GetTaskPushNotificationConfigRequest>(json)
            }
            "DeleteTaskPushNotificationConfigRequest" => {
                round_trip::<DeleteTaskPushNotificationConfigRequest>(json)
            }
            "ListTaskPushNotificationConfigsRequest" => {
                round_trip::<ListTaskPushNotificationConfigsRequest>(json)
            }
            "ListTaskPushNotificationConfigsResponse" => {
                round_trip::<ListTaskPushNotificationConfigsResponse>(json)
            }
            "GetExtendedAgentCardRequest" => round_trip::<GetExtendedAgentCardRequest>(json),
            "SecurityScheme" => round_trip::<SecurityScheme>(json),
            "SecurityRequirement" => round_trip::<SecurityRequirement>(json),
            "AgentCardSignature" => round_trip::<AgentCardSignature>(json),
            "AgentInterface" => round_trip::<AgentInterface>(json),
            "AgentCard" => round_trip::<AgentCard>(json),
            other => panic!("no test for {other}"),
        };
        let mut expect = json.clone();
        if name == "SendMessageConfiguration" {
            // `false` is the default and is not written.
            expect.as_object_mut().unwrap().remove("returnImmediately");
        }
        assert_eq!(written, expect, "{name}");
    }
}
