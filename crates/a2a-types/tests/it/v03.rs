//! 0.3: every dialect read, each written, and the edge cases real peers show.

use a2a_types::{v03::*, *};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(json: &Value) -> T {
    from_str(&json.to_string()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn written(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

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
