//! Inputs that broke other clients, as far as the schema decides them.

use a2a_types::*;
use serde_json::{Value, json};

use crate::support::written;

struct Case(Value);

impl Case {
    fn id(&self) -> &str {
        self.0["id"].as_str().unwrap()
    }

    /// The JSON text of a `decode` case.
    fn json(&self) -> String {
        self.0["input"]["json"].as_str().unwrap().replace("$BASE", "http://127.0.0.1:1")
    }

    /// The rows of a `table` case.
    fn rows(&self) -> Vec<&str> {
        self.0["input"]["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect()
    }

    /// The one body of an `http` case.
    fn body(&self) -> String {
        self.0["input"]["exchange"][0]["chunks"][0].as_str().unwrap().replace("\"$ID\"", "7")
    }

    fn payloads(&self) -> Vec<StreamResponse> {
        let payloads = self.0["input"]["payloads"].as_array().unwrap();
        payloads.iter().map(|payload| from_str(&payload.to_string()).unwrap()).collect()
    }

    fn expect(&self, name: &str) -> &Value {
        &self.0["expect"][name]
    }
}

#[test]
fn every_case_holds() {
    let cases = include_str!("../data/cases.jsonl").lines();
    for case in cases.map(|line| Case(serde_json::from_str(line).unwrap())) {
        match case.id() {
            "CARD-03" => no_interface(&case),
            "CARD-05" => first_usable_interface(&case),
            "CARD-07" => snake_case_and_numbers(&case),
            "WIRE-R11" => card_is_read(&case),
            "PART-01" => null_is_data(&case),
            "PART-03" => base64(&case),
            "ERR-05" => error_shapes(&case),
            "RPC-05" | "WIRE-J5" => error_is_found(&case),
            "VER-06" => unwrapped_result(&case),
            "STAT-07" => unknown_state(&case),
            "STAT-14" => odd_timestamps(&case),
            "WIRE-J10" => unknown_part(&case),
            "PUSH-01" => push_member(&case),
            other => panic!("no test for case {other}"),
        }
    }
}

fn no_interface(case: &Case) {
    for card in [from_str::<AgentCard>(&case.json()).unwrap(), v03::read_card(&case.json()).unwrap()] {
        let issues = card.validate();
        let expect = case.expect("error_mentions")[0].as_str().unwrap();
        assert!(issues.iter().any(|issue| issue.path == expect), "{issues:?}");
    }
}

fn first_usable_interface(case: &Case) {
    let card: AgentCard = from_str(&case.json()).unwrap();
    let usable = card.supported_interfaces.iter().find(|interface| !interface.url.is_empty()).unwrap();
    assert_eq!(usable.url, case.expect("selected_url").as_str().unwrap());
    assert_eq!(usable.tenant, "");
    assert_eq!(card.validate()[0].path, "supportedInterfaces[0].url");
}

fn snake_case_and_numbers(case: &Case) {
    let StreamResponse::StatusUpdate(update) = from_str(&case.json()).unwrap() else {
        panic!("{}", case.id())
    };
    assert_eq!(update.status.state.as_str(), case.expect("state").as_str().unwrap());
    assert_eq!(update.task_id, case.expect("task_id").as_str().unwrap());
}

fn card_is_read(case: &Case) {
    let card: AgentCard = from_str(&case.json()).unwrap();
    assert_eq!(card.name, case.expect("card_name").as_str().unwrap());
}

fn null_is_data(case: &Case) {
    let part: Part = from_str(&case.json()).unwrap();
    assert_eq!(part.content, PartContent::Data(RawJson::null()));
    assert_eq!(written(part), *case.expect("reencodes_to"));
}

fn base64(case: &Case) {
    for row in case.rows() {
        let part = from_str::<Part>(row);
        match row {
            r#"{"raw":"***"}"# => assert!(part.unwrap_err().to_string().contains("`raw`: invalid base64")),
            r#"{"raw":""}"# => assert_eq!(part.unwrap().content, PartContent::Raw(vec![])),
            _ => {
                let part = part.unwrap();
                assert_eq!(part.content, PartContent::Raw(vec![0xfb, 0xff]), "{row}");
                assert_eq!(written(part), json!({"raw": "+/8="}), "{row}");
            }
        }
    }
}

fn error_shapes(case: &Case) {
    for row in case.rows() {
        let error: RpcError = from_str(row).unwrap();
        assert_eq!(error.code, ErrorCode::TaskNotFound, "{row}");
        assert_eq!(error.message, if row.contains("gone") { "gone" } else { "" }, "{row}");
    }
}

fn error_is_found(case: &Case) {
    let response: JsonRpcResponse<SendMessageResponse> = from_str(&case.body()).unwrap();
    let error = response.error.unwrap();
    assert_eq!(error.code.code(), case.expect("code").as_i64().unwrap());
    assert_eq!(error.message, case.expect("error_mentions")[0].as_str().unwrap());
    assert_eq!(response.result, None);
}

fn unwrapped_result(case: &Case) {
    let response: JsonRpcResponse<SendMessageResponse> = from_str(&case.body()).unwrap();
    let Some(SendMessageResponse::Unknown(members)) = response.result else { panic!("{}", case.id()) };
    assert!(!members.is_empty(), "not to be taken for an empty reply");

    let response: JsonRpcResponse<v03::JsonRpc<SendMessageResponse>> = from_str(&case.body()).unwrap();
    let Some(v03::JsonRpc(SendMessageResponse::Task(task))) = response.result else {
        panic!("{}", case.id())
    };
    assert_eq!(task.artifacts[0].parts[0].as_text(), case.expect("text").as_str());
    assert_eq!(task.status.state, TaskState::Completed);
}

fn unknown_state(case: &Case) {
    let payloads = case.payloads();
    let StreamResponse::Task(task) = &payloads[0] else { panic!("{}", case.id()) };
    assert!(!task.status.state.is_terminal() && !task.status.state.is_interrupted());
    assert_eq!(task.status.state.as_str(), "TASK_STATE_BECALMED");
    let StreamResponse::StatusUpdate(update) = &payloads[2] else { panic!("{}", case.id()) };
    assert_eq!(update.status.state.as_str(), case.expect("state").as_str().unwrap());
}

fn odd_timestamps(case: &Case) {
    let times: Vec<_> = case
        .payloads()
        .into_iter()
        .filter_map(|payload| match payload {
            StreamResponse::StatusUpdate(update) => Some(update.status.timestamp.unwrap().to_canonical()),
            _ => None,
        })
        .collect();
    assert_eq!(times, ["2026-03-04T05:06:07.123Z", "2026-03-04T05:06:08.000Z"]);
}

fn unknown_part(case: &Case) {
    let payloads = case.payloads();
    let StreamResponse::Message(message) = &payloads[0] else { panic!("{}", case.id()) };
    assert_eq!(message.parts[0].as_text(), case.expect("text").as_str());
    assert!(
        matches!(&message.parts[1].content, PartContent::Unknown(members) if members.contains_key("newKind"))
    );
}

fn push_member(case: &Case) {
    let push = &case.0["input"]["call"]["push"];
    let mut config = TaskPushNotificationConfig::new(push["url"].as_str().unwrap());
    config.token = push["token"].as_str().unwrap().into();
    let mut request = SendMessageRequest::new(Message::default());
    request.configuration.get_or_insert_default().task_push_notification_config = Some(config);
    let params = written(request);
    let expect = &case.expect("request")["json"]["params.configuration.taskPushNotificationConfig.url"];
    assert_eq!(&params["configuration"]["taskPushNotificationConfig"]["url"], expect);
    assert_eq!(params["configuration"].get("pushNotificationConfig"), None);
}
