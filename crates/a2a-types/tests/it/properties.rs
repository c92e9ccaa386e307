//! Whatever a peer may write of every object of 1.0: it is read, written canonically, and reads the same again.

use std::fmt::Debug;

use a2a_types::*;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::shapes::{Shape, Shape::*, list, map};

const ROLES: &[&str] = &["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"];
const STATES: &[&str] = &[
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
];

fn part() -> Shape {
    OneOf(
        vec![("text", Text), ("raw", Bytes), ("url", Text), ("data", Free)],
        vec![("metadata", FreeObject, false), ("filename", Text, false), ("mediaType", Text, false)],
    )
}

fn message() -> Shape {
    Object(vec![
        ("messageId", Text, true),
        ("contextId", Text, false),
        ("taskId", Text, false),
        ("role", Name(ROLES), true),
        ("parts", list(part()), true),
        ("metadata", FreeObject, false),
        ("extensions", list(Text), false),
        ("referenceTaskIds", list(Text), false),
    ])
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

fn status() -> Shape {
    Object(vec![("state", Name(STATES), true), ("message", message(), false), ("timestamp", Time, false)])
}

fn task() -> Shape {
    Object(vec![
        ("id", Text, true),
        ("contextId", Text, false),
        ("status", status(), true),
        ("artifacts", list(artifact()), false),
        ("history", list(message()), false),
        ("metadata", FreeObject, false),
    ])
}

fn status_update() -> Shape {
    Object(vec![
        ("taskId", Text, true),
        ("contextId", Text, true),
        ("status", status(), true),
        ("metadata", FreeObject, false),
    ])
}

fn artifact_update() -> Shape {
    Object(vec![
        ("taskId", Text, true),
        ("contextId", Text, true),
        ("artifact", artifact(), true),
        ("append", Flag, false),
        ("lastChunk", Flag, false),
        ("metadata", FreeObject, false),
    ])
}

fn authentication() -> Shape {
    Object(vec![("scheme", Text, true), ("credentials", Text, false)])
}

fn push_config() -> Shape {
    Object(vec![
        ("tenant", Text, false),
        ("id", Text, false),
        ("taskId", Text, false),
        ("url", Text, true),
        ("token", Text, false),
        ("authentication", authentication(), false),
    ])
}

fn configuration() -> Shape {
    Object(vec![
        ("acceptedOutputModes", list(Text), false),
        ("taskPushNotificationConfig", push_config(), false),
        ("historyLength", Int, false),
        ("returnImmediately", Flag, false),
    ])
}

fn requirement() -> Shape {
    Object(vec![("schemes", map(Object(vec![("list", list(Text), false)])), false)])
}

fn skill() -> Shape {
    Object(vec![
        ("id", Text, true),
        ("name", Text, true),
        ("description", Text, true),
        ("tags", list(Text), true),
        ("examples", list(Text), false),
        ("inputModes", list(Text), false),
        ("outputModes", list(Text), false),
        ("securityRequirements", list(requirement()), false),
    ])
}

fn interface() -> Shape {
    Object(vec![
        ("url", Text, true),
        ("protocolBinding", Text, true),
        ("tenant", Text, false),
        ("protocolVersion", Text, true),
    ])
}

fn signature() -> Shape {
    Object(vec![("protected", Text, true), ("signature", Text, true), ("header", FreeObject, false)])
}

fn extension() -> Shape {
    Object(vec![
        ("uri", Text, false),
        ("description", Text, false),
        ("required", Flag, false),
        ("params", FreeObject, false),
    ])
}

fn flows() -> Shape {
    let urls = ["authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl"];
    let flow = |required: &[&'static str], optional: &[&'static str]| {
        let member = |(name, required): (&'static str, bool)| {
            let shape = if urls.contains(&name) { Text } else { map(Text) };
            (name, shape, required)
        };
        let required = required.iter().map(|name| (*name, true));
        Object(required.chain(optional.iter().map(|name| (*name, false))).map(member).collect())
    };
    OneOf(
        vec![
            ("authorizationCode", flow(&["authorizationUrl", "tokenUrl", "scopes"], &["refreshUrl"])),
            ("clientCredentials", flow(&["tokenUrl", "scopes"], &["refreshUrl"])),
            ("implicit", flow(&[], &["authorizationUrl", "refreshUrl", "scopes"])),
            ("password", flow(&[], &["tokenUrl", "refreshUrl", "scopes"])),
            ("deviceCode", flow(&["deviceAuthorizationUrl", "tokenUrl", "scopes"], &["refreshUrl"])),
        ],
        vec![],
    )
}

fn scheme() -> Shape {
    let description = ("description", Text, false);
    OneOf(
        vec![
            (
                "apiKeySecurityScheme",
                Object(vec![description.clone(), ("location", Text, true), ("name", Text, true)]),
            ),
            (
                "httpAuthSecurityScheme",
                Object(vec![description.clone(), ("scheme", Text, true), ("bearerFormat", Text, false)]),
            ),
            (
                "oauth2SecurityScheme",
                Object(vec![
                    description.clone(),
                    ("flows", flows(), true),
                    ("oauth2MetadataUrl", Text, false),
                ]),
            ),
            (
                "openIdConnectSecurityScheme",
                Object(vec![description.clone(), ("openIdConnectUrl", Text, true)]),
            ),
            ("mtlsSecurityScheme", Object(vec![description])),
        ],
        vec![],
    )
}

pub(crate) fn card() -> Shape {
    Object(vec![
        ("name", Text, true),
        ("description", Text, true),
        ("supportedInterfaces", list(interface()), true),
        ("provider", Object(vec![("url", Text, true), ("organization", Text, true)]), false),
        ("version", Text, true),
        ("documentationUrl", Text, false),
        (
            "capabilities",
            Object(vec![
                ("streaming", Flag, false),
                ("pushNotifications", Flag, false),
                ("extensions", list(extension()), false),
                ("extendedAgentCard", Flag, false),
            ]),
            true,
        ),
        ("securitySchemes", map(scheme()), false),
        ("securityRequirements", list(requirement()), false),
        ("defaultInputModes", list(Text), true),
        ("defaultOutputModes", list(Text), true),
        ("skills", list(skill()), true),
        ("signatures", list(signature()), false),
        ("iconUrl", Text, false),
    ])
}

/// Runs a property over JSON of this shape.
pub(crate) fn for_all(shape: &Shape, property: impl Fn(&Value) -> Result<(), TestCaseError>) {
    let config = Config::default();
    let config = Config { cases: config.cases / 4, failure_persistence: None, ..config };
    let mut runner = TestRunner::new(config);
    if let Err(error) = runner.run(&shape.json(), |json| property(&json)) {
        panic!("{error}");
    }
}

fn round_trips<T: Serialize + DeserializeOwned + PartialEq + Debug>(shape: &Shape) {
    for_all(shape, |json| {
        let read: T =
            from_str(&json.to_string()).map_err(|error| TestCaseError::fail(format!("{error}: {json}")))?;
        let text = serde_json::to_string(&read).unwrap();
        let written: Value = serde_json::from_str(&text).unwrap();
        shape.canonical(&written).map_err(TestCaseError::fail)?;
        let again: T = from_str(&text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
        prop_assert_eq!(&again, &read);
        prop_assert_eq!(serde_json::to_string(&again).unwrap(), text);
        Ok(())
    });
}

/// One test for each type, so that they run side by side.
macro_rules! round_trips {
    ($($test:ident: $name:ty = $shape:expr;)*) => { $(
        #[test]
        fn $test() {
            round_trips::<$name>(&$shape);
        }
    )* };
}

round_trips! {
    part_round_trips: Part = part();
    message_round_trips: Message = message();
    artifact_round_trips: Artifact = artifact();
    task_status_round_trips: TaskStatus = status();
    task_round_trips: Task = task();
    status_update_round_trips: TaskStatusUpdateEvent = status_update();
    artifact_update_round_trips: TaskArtifactUpdateEvent = artifact_update();
    stream_response_round_trips: StreamResponse = OneOf(
        vec![
            ("task", task()),
            ("message", message()),
            ("statusUpdate", status_update()),
            ("artifactUpdate", artifact_update()),
        ],
        vec![],
    );
    send_response_round_trips: SendMessageResponse = OneOf(vec![("task", task()), ("message", message())], vec![]);
    send_configuration_round_trips: SendMessageConfiguration = configuration();
    send_request_round_trips: SendMessageRequest = Object(vec![
        ("tenant", Text, false),
        ("message", message(), true),
        ("configuration", configuration(), false),
        ("metadata", FreeObject, false),
    ]);
    get_task_round_trips: GetTaskRequest =
        Object(vec![("tenant", Text, false), ("id", Text, true), ("historyLength", Int, false)]);
    list_tasks_round_trips: ListTasksRequest = Object(vec![
        ("tenant", Text, false),
        ("contextId", Text, false),
        ("status", Name(STATES), false),
        ("pageSize", Int, false),
        ("pageToken", Text, false),
        ("historyLength", Int, false),
        ("statusTimestampAfter", Time, false),
        ("includeArtifacts", Flag, false),
    ]);
    list_tasks_response_round_trips: ListTasksResponse = Object(vec![
        ("tasks", list(task()), true),
        ("nextPageToken", Text, true),
        ("pageSize", Int, true),
        ("totalSize", Int, true),
    ]);
    cancel_round_trips: CancelTaskRequest =
        Object(vec![("tenant", Text, false), ("id", Text, true), ("metadata", FreeObject, false)]);
    subscribe_round_trips: SubscribeToTaskRequest = Object(vec![("tenant", Text, false), ("id", Text, true)]);
    extended_card_request_round_trips: GetExtendedAgentCardRequest = Object(vec![("tenant", Text, false)]);
    push_config_round_trips: TaskPushNotificationConfig = push_config();
    authentication_round_trips: AuthenticationInfo = authentication();
    get_push_config_round_trips: GetTaskPushNotificationConfigRequest =
        Object(vec![("tenant", Text, false), ("taskId", Text, true), ("id", Text, true)]);
    delete_push_config_round_trips: DeleteTaskPushNotificationConfigRequest =
        Object(vec![("tenant", Text, false), ("taskId", Text, true), ("id", Text, true)]);
    list_push_configs_round_trips: ListTaskPushNotificationConfigsRequest = Object(vec![
        ("tenant", Text, false),
        ("taskId", Text, true),
        ("pageSize", Int, false),
        ("pageToken", Text, false),
    ]);
    list_push_configs_response_round_trips: ListTaskPushNotificationConfigsResponse =
        Object(vec![("configs", list(push_config()), false), ("nextPageToken", Text, false)]);
    card_round_trips: AgentCard = card();
    skill_round_trips: AgentSkill = skill();
    interface_round_trips: AgentInterface = interface();
    scheme_round_trips: SecurityScheme = scheme();
    flows_round_trip: OAuthFlows = flows();
    requirement_round_trips: SecurityRequirement = requirement();
}
