//! What is read beyond canonical ProtoJSON, and that only canonical ProtoJSON is written.

use a2a_types::*;

use crate::support::{check, refuse};

#[test]
fn unknown_members_are_ignored() {
    check::<Artifact>(&[
        (
            r#"{"artifactId":"a","parts":[],"index":3,"new":{"x":[1,{"y":null}]}}"#,
            r#"{"artifactId":"a","parts":[]}"#,
        ),
        (r#"{"new":"\ud83d","artifactId":"a","parts":[]}"#, r#"{"artifactId":"a","parts":[]}"#),
    ]);
    check::<StreamResponse>(&[(
        r#"{"final":true,"task":{"kind":"task","id":"t","status":{"state":"TASK_STATE_WORKING"}},"x":1}"#,
        r#"{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}"#,
    )]);
}

#[test]
fn enums_by_name_by_number_and_unknown() {
    check::<TaskState>(&[
        (r#""TASK_STATE_WORKING""#, r#""TASK_STATE_WORKING""#),
        ("2", r#""TASK_STATE_WORKING""#),
        ("2.0", r#""TASK_STATE_WORKING""#),
        (r#""2""#, r#""TASK_STATE_WORKING""#),
        ("0", r#""TASK_STATE_UNSPECIFIED""#),
        (r#""TASK_STATE_BECALMED""#, r#""TASK_STATE_BECALMED""#),
        (r#""task_state_working""#, r#""task_state_working""#),
        (r#""007""#, r#""007""#),
        (r#""""#, r#""""#),
        ("99", "99"),
        ("-1", "-1"),
        ("18446744073709551615", r#""18446744073709551615""#),
    ]);
    check::<Role>(&[("1", r#""ROLE_USER""#), (r#""user""#, r#""user""#)]);
    refuse::<TaskState>(&[("1.5", "TaskState name or number"), ("true", "TaskState name or number")]);
    assert!(!TaskState::from_name("TASK_STATE_BECALMED").is_terminal());
}

#[test]
fn snake_case_names() {
    check::<StreamResponse>(&[(
        r#"{"artifact_update":{"task_id":"t","context_id":"c","last_chunk":true,
            "artifact":{"artifact_id":"a","parts":[{"url":"u","media_type":"m"}]}}}"#,
        r#"{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"url":"u","mediaType":"m"}]},"lastChunk":true}}"#,
    )]);
    check::<SendMessageConfiguration>(&[(
        r#"{"accepted_output_modes":["a"],"history_length":0,"return_immediately":true,
            "task_push_notification_config":{"task_id":"t","url":"u"}}"#,
        r#"{"acceptedOutputModes":["a"],"taskPushNotificationConfig":{"taskId":"t","url":"u"},"historyLength":0,"returnImmediately":true}"#,
    )]);
    // Both spellings: the later one counts, as in protobuf.
    check::<GetTaskRequest>(&[(
        r#"{"id":"t","historyLength":1,"history_length":2}"#,
        r#"{"id":"t","historyLength":2}"#,
    )]);
}

#[test]
fn the_last_of_two_members_counts_alone() {
    check::<Artifact>(&[
        (
            r#"{"artifactId":"a","artifactId":"b","parts":[{"text":"x"}],"parts":[]}"#,
            r#"{"artifactId":"b","parts":[]}"#,
        ),
        (r#"{"artifactId":"a","name":"n","name":null,"parts":[]}"#, r#"{"artifactId":"a","parts":[]}"#),
    ]);
    check::<Task>(&[(
        r#"{"id":"t","status":{"state":3,"timestamp":"soon"},"status":{"state":2},"metadata":{"a":1},"metadata":{}}"#,
        r#"{"id":"t","status":{"state":"TASK_STATE_WORKING"},"metadata":{}}"#,
    )]);
}

#[test]
fn null_is_absent() {
    check::<Task>(&[(
        r#"{"id":null,"contextId":null,"status":null,"artifacts":null,"history":null,"metadata":null}"#,
        r#"{"id":"","status":{"state":"TASK_STATE_UNSPECIFIED"}}"#,
    )]);
    check::<TaskStatus>(&[(
        r#"{"state":null,"message":null,"timestamp":null}"#,
        r#"{"state":"TASK_STATE_UNSPECIFIED"}"#,
    )]);
    check::<Message>(&[(
        r#"{"messageId":"m","contextId":null,"taskId":null,"role":null,"parts":null,"metadata":null,"extensions":null,"referenceTaskIds":null}"#,
        r#"{"messageId":"m","role":"ROLE_UNSPECIFIED","parts":[]}"#,
    )]);
    check::<TaskArtifactUpdateEvent>(&[(
        r#"{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]},"append":null,"lastChunk":null}"#,
        r#"{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]}}"#,
    )]);
    check::<StreamResponse>(&[
        (
            r#"{"task":null,"message":{"messageId":"m","role":2,"parts":[]},"statusUpdate":null}"#,
            r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[]}}"#,
        ),
        (r#"{"task":null,"message":null}"#, "{}"),
    ]);
    check::<ListTasksRequest>(&[(r#"{"pageSize":null,"includeArtifacts":null,"status":null}"#, "{}")]);
}

#[test]
fn null_in_a_list_is_refused() {
    refuse::<Message>(&[
        (r#"{"messageId":"m","parts":[null]}"#, "`parts[0]`: "),
        (r#"{"messageId":"m","extensions":["a",null]}"#, "`extensions[1]`: "),
    ]);
}

#[test]
fn required_members_that_emitters_drop() {
    check::<Message>(&[("{}", r#"{"messageId":"","role":"ROLE_UNSPECIFIED","parts":[]}"#)]);
    check::<Artifact>(&[("{}", r#"{"artifactId":"","parts":[]}"#)]);
    check::<Task>(&[(r#"{"id":"t"}"#, r#"{"id":"t","status":{"state":"TASK_STATE_UNSPECIFIED"}}"#)]);
    check::<ListTasksResponse>(&[("{}", r#"{"tasks":[],"nextPageToken":"","pageSize":0,"totalSize":0}"#)]);
    check::<AgentSkill>(&[(
        r#"{"id":"s","name":"n"}"#,
        r#"{"id":"s","name":"n","description":"","tags":[]}"#,
    )]);
    check::<AgentCard>(&[(
        r#"{"name":"n","skills":null}"#,
        r#"{"name":"n","description":"","supportedInterfaces":[],"version":"","capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}"#,
    )]);
}

#[test]
fn presence_where_absent_and_default_differ() {
    check::<AgentCapabilities>(&[
        (r#"{"streaming":false,"pushNotifications":null}"#, r#"{"streaming":false}"#),
        (r#"{"extensions":[]}"#, "{}"),
    ]);
    check::<GetTaskRequest>(&[(r#"{"id":"t","historyLength":0}"#, r#"{"id":"t","historyLength":0}"#)]);
    check::<AgentCard>(&[(
        r#"{"documentationUrl":"","provider":{}}"#,
        r#"{"name":"","description":"","supportedInterfaces":[],"provider":{"url":"","organization":""},"version":"","documentationUrl":"","capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}"#,
    )]);
    check::<Message>(&[(
        r#"{"messageId":"m","role":1,"parts":[],"metadata":{}}"#,
        r#"{"messageId":"m","role":"ROLE_USER","parts":[],"metadata":{}}"#,
    )]);
}

#[test]
fn free_numbers_are_the_nearest_double() {
    check::<Message>(&[(
        r#"{"messageId":"m","role":1,"parts":[],"metadata":{"a":4.4443444444444444e+24,"b":0.1,"c":18446744073709551615,"d":1e-7}}"#,
        r#"{"messageId":"m","role":"ROLE_USER","parts":[],"metadata":{"a":4.4443444444444444e+24,"b":0.1,"c":18446744073709551615,"d":1e-7}}"#,
    )]);
}

#[test]
fn base64_in_any_alphabet() {
    check::<Part>(&[
        (r#"{"raw":"+/8="}"#, r#"{"raw":"+/8="}"#),
        (r#"{"raw":"+/8"}"#, r#"{"raw":"+/8="}"#),
        (r#"{"raw":"-_8="}"#, r#"{"raw":"+/8="}"#),
        (r#"{"raw":"-_8"}"#, r#"{"raw":"+/8="}"#),
        (r#"{"raw":"-\u002f8"}"#, r#"{"raw":"+/8="}"#),
        (r#"{"raw":""}"#, r#"{"raw":""}"#),
    ]);
    refuse::<Task>(&[
        (
            r#"{"artifacts":[{"parts":[{"text":"x"},{"raw":"***"}]}]}"#,
            "`artifacts[0].parts[1].raw`: invalid base64",
        ),
        (r#"{"history":[{"parts":[{"raw":"a"}]}]}"#, "`history[0].parts[0].raw`: invalid base64"),
        (r#"{"history":[{"parts":[{"raw":7}]}]}"#, "`history[0].parts[0].raw`: "),
    ]);
}

#[test]
fn odd_timestamps_never_lose_the_event() {
    check::<TaskStatus>(&[
        (
            r#"{"state":2,"timestamp":"2026-03-04T07:06:08+02:00"}"#,
            r#"{"state":"TASK_STATE_WORKING","timestamp":"2026-03-04T05:06:08.000Z"}"#,
        ),
        (
            r#"{"state":2,"timestamp":"2026-03-04T05:06:07.123456"}"#,
            r#"{"state":"TASK_STATE_WORKING","timestamp":"2026-03-04T05:06:07.123Z"}"#,
        ),
        (r#"{"state":2,"timestamp":"soon"}"#, r#"{"state":"TASK_STATE_WORKING","timestamp":"soon"}"#),
        (
            r#"{"state":2,"timestamp":1772608530}"#,
            r#"{"state":"TASK_STATE_WORKING","timestamp":"1772608530"}"#,
        ),
        (r#"{"state":2,"timestamp":-1.5}"#, r#"{"state":"TASK_STATE_WORKING","timestamp":"-1.5"}"#),
        (r#"{"state":2,"timestamp":false}"#, r#"{"state":"TASK_STATE_WORKING","timestamp":"false"}"#),
        (
            r#"{"state":2,"timestamp":{"seconds":5}}"#,
            r#"{"state":"TASK_STATE_WORKING","timestamp":"{\"seconds\":5}"}"#,
        ),
        (r#"{"state":2,"timestamp":[1]}"#, r#"{"state":"TASK_STATE_WORKING","timestamp":"[1]"}"#),
    ]);
}

#[test]
fn integers_in_every_form() {
    check::<GetTaskRequest>(&[
        (r#"{"id":"t","historyLength":5}"#, r#"{"id":"t","historyLength":5}"#),
        (r#"{"id":"t","historyLength":5.0}"#, r#"{"id":"t","historyLength":5}"#),
        (r#"{"id":"t","historyLength":1e1}"#, r#"{"id":"t","historyLength":10}"#),
        (r#"{"id":"t","historyLength":"5"}"#, r#"{"id":"t","historyLength":5}"#),
        (r#"{"id":"t","historyLength":"5.0"}"#, r#"{"id":"t","historyLength":5}"#),
        (r#"{"id":"t","historyLength":-2147483648}"#, r#"{"id":"t","historyLength":-2147483648}"#),
    ]);
    refuse::<GetTaskRequest>(&[
        (r#"{"historyLength":5.5}"#, "`historyLength`: "),
        (r#"{"historyLength":"five"}"#, "`historyLength`: "),
        (r#"{"historyLength":true}"#, "`historyLength`: "),
        (r#"{"historyLength":2147483648}"#, "`historyLength`: "),
        (r#"{"historyLength":"1e99"}"#, "`historyLength`: "),
    ]);
}

#[test]
fn data_is_any_value_as_written() {
    for data in [
        "null",
        "true",
        "0",
        "1.0",
        "-1.50e+3",
        "123456789012345678901234567890",
        r#""text""#,
        "[]",
        r#"{"a":{"b":[1,null]},"a b":" "}"#,
    ] {
        let text = format!(r#"{{"data":{data},"mediaType":"application/json"}}"#);
        check::<Part>(&[(&text, &text)]);
    }
    check::<Part>(&[("{ \"data\" : { \"a\" : [ 1 , 2 ] } }", r#"{"data":{"a":[1,2]}}"#)]);
}

#[test]
fn exactly_one_content() {
    check::<Part>(&[
        (r#"{"text":""}"#, r#"{"text":""}"#),
        (r#"{"text":null,"url":"x"}"#, r#"{"url":"x"}"#),
        (r#"{"kind":"text","text":"x"}"#, r#"{"text":"x"}"#),
        ("{}", "{}"),
        (r#"{"metadata":{"a":1}}"#, r#"{"metadata":{"a":1}}"#),
        (r#"{"newKind":{"x":1},"mediaType":"m"}"#, r#"{"newKind":{"x":1},"mediaType":"m"}"#),
    ]);
    refuse::<Message>(&[
        (r#"{"parts":[{"text":"a","url":"b"}]}"#, "`parts[0]`: a part has only one of"),
        (r#"{"parts":[{"data":null,"raw":""}]}"#, "`parts[0]`: a part has only one of"),
    ]);
    refuse::<StreamResponse>(&[(
        r#"{"task":{"id":"t"},"message":{"messageId":"m"}}"#,
        "`message`: only one member may be set",
    )]);
    refuse::<OAuthFlows>(&[(r#"{"implicit":{},"password":{}}"#, "`password`: only one member may be set")]);
}

#[test]
fn unknown_payloads_are_kept() {
    check::<StreamResponse>(&[
        (r#"{"progressUpdate":{"percent":12}}"#, r#"{"progressUpdate":{"percent":12}}"#),
        ("{}", "{}"),
    ]);
    // A whole 0.3 object in place of the wrapper: it is not lost, and can be recognised.
    let StreamResponse::Unknown(members) =
        from_str(r#"{"kind":"task","id":"t","status":{"state":"working"}}"#).unwrap()
    else {
        panic!("expected an unknown payload")
    };
    assert_eq!(v03::version_of(&members.into()), Some(v03::Version::V03));
}

#[test]
fn half_surrogate_pairs_become_replacement_characters() {
    check::<Part>(&[
        (r#"{"text":"cut \ud83d"}"#, "{\"text\":\"cut \u{fffd}\"}"),
        (r#"{"text":"\ud83d\ude00\ude00"}"#, "{\"text\":\"\u{1f600}\u{fffd}\"}"),
        (r#"{"data":{"\udc00":"\ud83d"}}"#, r#"{"data":{"\ufffd":"\ufffd"}}"#),
        (
            r#"{"text":"x","metadata":{"k":["\ud83d"]}}"#,
            "{\"text\":\"x\",\"metadata\":{\"k\":[\"\u{fffd}\"]}}",
        ),
    ]);
}

#[test]
fn errors_name_the_member() {
    refuse::<StreamResponse>(&[
        (r#"{"task":5}"#, "`task`: invalid type: integer `5`, expected an object (Task)"),
        (r#"{"task":{"history":{}}}"#, "`task.history`: invalid type: map, expected a list"),
        (
            r#"{"statusUpdate":{"status":{"message":{"parts":[{"text":["x"]}]}}}}"#,
            "`statusUpdate.status.message.parts[0].text`: ",
        ),
        (r#"{"artifactUpdate":{"append":"true"}}"#, "`artifactUpdate.append`: "),
        (r#"{"task":{"metadata":[]}}"#, "`task.metadata`: "),
    ]);
    refuse::<AgentCard>(&[(r#"{"skills":[{"tags":[1]}]}"#, "`skills[0].tags[0]`: ")]);
    refuse::<AgentCard>(&[(
        r#"{"securitySchemes":{"a":{"oauth2SecurityScheme":{}}},"securityRequirements":[{"schemes":{"a":{"list":[1]}}}]}"#,
        "`securityRequirements[0].schemes.a.list[0]`: ",
    )]);
}
