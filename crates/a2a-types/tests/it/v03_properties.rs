//! Whatever a 0.3 peer may write, in either dialect: it is read, and what is written of it is read the same.

use std::fmt::Debug;

use a2a_types::{v03::*, *};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    properties::{card, for_all},
    shapes::{Shape, Shape::*, list, map},
};

const STATES: &[&str] = &[
    "unknown",
    "submitted",
    "working",
    "completed",
    "failed",
    "canceled",
    "input-required",
    "rejected",
    "auth-required",
];
const PROTO_STATES: &[&str] = &[
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_CANCELLED",
];
const ROLES: &[&str] = &["user", "agent", "ROLE_USER", "ROLE_AGENT"];

fn part() -> Shape {
    let metadata = || ("metadata", FreeObject, false);
    let describe = || vec![("mimeType", Text, false), ("name", Text, false)];
    let bytes = OneOf(vec![("bytes", Bytes), ("uri", Text)], describe());
    let proto_bytes = OneOf(vec![("fileWithBytes", Bytes), ("fileWithUri", Text)], describe());
    Any(vec![
        Object(vec![("kind", Const("text"), true), ("text", Text, true), metadata()]),
        Object(vec![("kind", Const("file"), true), ("file", bytes, true), metadata()]),
        Object(vec![("kind", Const("data"), true), ("data", FreeObject, true), metadata()]),
        Object(vec![("kind", Text, true), ("video", Free, true), metadata()]),
        Object(vec![("text", Text, true), metadata()]),
        Object(vec![("file", proto_bytes, true), metadata()]),
        Object(vec![("data", Object(vec![("data", FreeObject, true)]), true), metadata()]),
        // Data that is no object, in the way of the SDKs.
        Object(vec![
            ("kind", Const("data"), true),
            ("data", Object(vec![("value", Free, true)]), true),
            ("metadata", Object(vec![("data_part_compat", Flag, true)]), true),
        ]),
    ])
}

fn message() -> Shape {
    let members = |kind: Option<()>, parts| {
        let mut members = vec![
            ("messageId", Text, true),
            ("contextId", Text, false),
            ("taskId", Text, false),
            ("role", Name(ROLES), true),
            (parts, list(part()), true),
            ("metadata", FreeObject, false),
            ("extensions", list(Text), false),
            ("referenceTaskIds", list(Text), false),
        ];
        members.extend(kind.map(|()| ("kind", Const("message"), true)));
        Object(members)
    };
    Any(vec![members(Some(()), "parts"), members(None, "content")])
}

fn status() -> Shape {
    let state = Any(vec![Name(STATES), Name(PROTO_STATES)]);
    Object(vec![("state", state, true), ("message", message(), false), ("timestamp", Time, false)])
}

fn artifact() -> Shape {
    Object(vec![
        ("artifactId", Text, true),
        ("name", Text, false),
        ("description", Text, false),
        ("parts", list(part()), true),
        ("metadata", FreeObject, false),
        ("extensions", list(Text), false),
    ])
}

/// With the members of a `kind`, or without.
fn of_kind(kind: &'static str, members: Vec<(&'static str, Shape, bool)>) -> Shape {
    let mut with_kind = members.clone();
    with_kind.push(("kind", Const(kind), true));
    Any(vec![Object(with_kind), Object(members)])
}

fn task() -> Shape {
    of_kind(
        "task",
        vec![
            ("id", Text, true),
            ("contextId", Text, true),
            ("status", status(), true),
            ("artifacts", list(artifact()), false),
            ("history", list(message()), false),
            ("metadata", FreeObject, false),
        ],
    )
}

fn status_update() -> Shape {
    of_kind(
        "status-update",
        vec![
            ("taskId", Text, true),
            ("contextId", Text, true),
            ("status", status(), true),
            ("final", Flag, true),
            ("metadata", FreeObject, false),
        ],
    )
}

fn artifact_update() -> Shape {
    of_kind(
        "artifact-update",
        vec![
            ("taskId", Text, true),
            ("contextId", Text, true),
            ("artifact", artifact(), true),
            ("append", Flag, false),
            ("lastChunk", Flag, false),
            ("metadata", FreeObject, false),
        ],
    )
}

fn payload() -> Shape {
    let wrapped = OneOf(
        vec![
            ("task", task()),
            ("message", message()),
            ("msg", message()),
            ("statusUpdate", status_update()),
            ("artifactUpdate", artifact_update()),
        ],
        vec![],
    );
    Any(vec![task(), message(), status_update(), artifact_update(), wrapped])
}

fn push() -> Shape {
    let authentication = Object(vec![("schemes", list(Text), true), ("credentials", Text, false)]);
    Object(vec![
        ("id", Text, false),
        ("url", Text, true),
        ("token", Text, false),
        ("authentication", authentication, false),
    ])
}

/// What was read is written, read again as the same, and written the same, but for what 0.3 has no place for, which is
/// gone after the first time.
fn settles<T: Serialize + DeserializeOwned + PartialEq + Debug>(json: &Value) -> Result<(), TestCaseError> {
    let read =
        |text: &str| from_str::<T>(text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")));
    let first = serde_json::to_string(&read(&json.to_string())?).unwrap();
    let settled = read(&first)?;
    let second = serde_json::to_string(&settled).unwrap();
    prop_assert_eq!(&second, &first);
    prop_assert_eq!(read(&second)?, settled);
    Ok(())
}

#[test]
fn payloads_settle_in_either_dialect() {
    for_all(&payload(), |json| {
        settles::<JsonRpc<StreamEvent>>(json)?;
        settles::<Rest<StreamEvent>>(json)
    });
}

#[test]
fn tasks_and_messages_settle_in_either_dialect() {
    for_all(&task(), |json| {
        settles::<JsonRpc<Task>>(json)?;
        settles::<Rest<Task>>(json)?;
        settles::<JsonRpc<SendMessageResponse>>(json)
    });
    for_all(&message(), |json| {
        settles::<JsonRpc<Message>>(json)?;
        settles::<Rest<Message>>(json)
    });
}

/// Over the other dialect comes the same, but for what that one cannot say.
#[test]
fn the_dialects_say_the_same() {
    for_all(&payload(), |json| {
        let event: Rest<StreamEvent> = from_str(&json.to_string()).unwrap();
        let over_rest: Rest<StreamEvent> = from_str(&serde_json::to_string(&event).unwrap()).unwrap();
        let over_json_rpc: JsonRpc<StreamEvent> =
            from_str(&serde_json::to_string(&JsonRpc(over_rest.0.clone())).unwrap()).unwrap();
        prop_assert_eq!(over_json_rpc.0, over_rest.0);
        Ok(())
    });
}

#[test]
fn requests_settle_in_either_dialect() {
    let send = Any(["message", "request"]
        .map(|name| {
            let configuration = Object(vec![
                ("acceptedOutputModes", list(Text), false),
                ("blocking", Flag, false),
                ("historyLength", Int, false),
                ("pushNotificationConfig", push(), false),
            ]);
            Object(vec![
                (name, message(), true),
                ("configuration", configuration, false),
                ("metadata", FreeObject, false),
            ])
        })
        .to_vec());
    for_all(&send, |json| {
        settles::<JsonRpc<SendMessageRequest>>(json)?;
        settles::<Rest<SendMessageRequest>>(json)
    });
    let get =
        Object(vec![("id", Text, true), ("historyLength", Int, false), ("metadata", FreeObject, false)]);
    for_all(&get, |json| {
        settles::<JsonRpc<GetTaskRequest>>(json)?;
        settles::<JsonRpc<CancelTaskRequest>>(json)?;
        settles::<Rest<CancelTaskRequest>>(json)?;
        settles::<JsonRpc<SubscribeToTaskRequest>>(json)
    });
    let config = Any(vec![
        Object(vec![("taskId", Text, true), ("pushNotificationConfig", push(), true)]),
        Object(vec![("name", Text, true), ("pushNotificationConfig", push(), true)]),
    ]);
    for_all(&list(config.clone()), |json| {
        settles::<JsonRpc<ListTaskPushNotificationConfigsResponse>>(json)?;
        settles::<Rest<ListTaskPushNotificationConfigsResponse>>(json)
    });
    for_all(&config, settles::<JsonRpc<TaskPushNotificationConfig>>);
}

#[test]
fn legacy_cards_settle() {
    let requirement = || list(map(list(Text)));
    let description = ("description", Text, false);
    let scheme = Any(vec![
        Object(vec![
            ("type", Const("apiKey"), true),
            ("in", Text, true),
            ("name", Text, true),
            description.clone(),
        ]),
        Object(vec![("type", Const("http"), true), ("scheme", Text, true), ("bearerFormat", Text, false)]),
        Object(vec![("type", Const("openIdConnect"), true), ("openIdConnectUrl", Text, true)]),
        Object(vec![("type", Const("mutualTLS"), true), description]),
        Object(vec![("type", Text, true), ("odd", Free, true)]),
    ]);
    let skill = Object(vec![
        ("id", Text, true),
        ("name", Text, true),
        ("description", Text, true),
        ("tags", list(Text), true),
        ("examples", list(Text), false),
        ("security", requirement(), false),
    ]);
    let legacy = Object(vec![
        ("protocolVersion", Any(vec![Const("0.3.0"), Const("0.3"), Const("0.4")]), true),
        ("name", Text, true),
        ("url", Text, true),
        ("preferredTransport", Text, false),
        ("additionalInterfaces", list(Object(vec![("url", Text, true), ("transport", Text, true)])), false),
        (
            "capabilities",
            Object(vec![("streaming", Flag, false), ("stateTransitionHistory", Flag, false)]),
            true,
        ),
        ("securitySchemes", map(scheme), false),
        ("security", requirement(), false),
        ("skills", list(skill), true),
        ("supportsAuthenticatedExtendedCard", Flag, false),
    ]);
    for_all(&legacy, |json| {
        let card = read_card(&json.to_string()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let Some(legacy) = LegacyCard::new(&card) else { return Ok(()) };
        let first = serde_json::to_string(&legacy).unwrap();
        let settled = read_card(&first).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(serde_json::to_string(&LegacyCard::new(&settled).unwrap()).unwrap(), first);
        Ok(())
    });
}

/// The members of 0.3 beside those of 1.0 change nothing for who reads 1.0.
#[test]
fn dual_cards_read_as_1_0() {
    for_all(&card(), |json| {
        let mut card: AgentCard = from_str(&json.to_string()).unwrap();
        card.supported_interfaces.push(AgentInterface::new("https://x.example", "JSONRPC", "0.3"));
        let dual = serde_json::to_string(&DualCard::new(&card)).unwrap();
        let read: AgentCard = from_str(&dual).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&read, &card);
        prop_assert!(read_card(&dual).unwrap().supported_interfaces == card.supported_interfaces);
        Ok(())
    });
}
