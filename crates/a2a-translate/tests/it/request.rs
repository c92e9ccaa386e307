//! From messages to the request.

use a2a_translate::{
    ContentBlock, CountingIds, DataBlock, Msg, RequestOptions, Role, TextBlock, TranslateError, build_request,
};
use a2a_types::{Metadata, SendMessageRequest};
use serde_json::{Value, json};

fn build(msgs: &[Msg], options: &RequestOptions) -> Result<SendMessageRequest, TranslateError> {
    build_request(msgs, Some("c-1"), Some("t-1"), options, &mut CountingIds::new("m-"))
}

fn written(msgs: &[Msg], options: &RequestOptions) -> Value {
    serde_json::to_value(build(msgs, options).unwrap()).unwrap()
}

#[test]
fn messages_become_one_of_the_user() {
    let msgs = [
        Msg::system("system", "be brief"),
        Msg::user(
            "alice",
            vec![
                TextBlock::new("look:").into(),
                DataBlock::bytes([0x89, b'P'], "image/png").with_name("pic.png").into(),
            ],
        ),
        Msg::assistant("bob", DataBlock::url("HTTPS://Example.com:443/a b", "text/html")),
    ];
    assert_eq!(
        written(&msgs, &RequestOptions::default()),
        json!({"message": {
            "messageId": "m-1", "contextId": "c-1", "taskId": "t-1", "role": "ROLE_USER",
            "parts": [
                {"text": "be brief"},
                {"text": "look:"},
                {"raw": "iVA=", "mediaType": "image/png", "filename": "pic.png"},
                {"url": "https://example.com/a%20b", "mediaType": "text/html"},
            ],
        }})
    );
}

#[test]
fn options_are_carried() {
    let options = RequestOptions::default()
        .with_accepted_output_modes(["text/plain"])
        .with_history_length(0)
        .with_reference_task_ids(["t-0"])
        .with_extensions(["https://e.test/ext"])
        .with_metadata(Metadata::from_iter([("request".to_owned(), json!(1))]))
        .with_message_metadata(Metadata::from_iter([("message".to_owned(), json!(2))]));
    let request = written(&[Msg::user("user", "hi")], &options);
    assert_eq!(request["configuration"], json!({"acceptedOutputModes": ["text/plain"], "historyLength": 0}));
    assert_eq!(request["metadata"], json!({"request": 1}));
    assert_eq!(request["message"]["metadata"], json!({"message": 2}));
    assert_eq!(request["message"]["referenceTaskIds"], json!(["t-0"]));
    assert_eq!(request["message"]["extensions"], json!(["https://e.test/ext"]));
}

#[test]
fn what_cannot_be_sent_is_an_error() {
    let thinking = r#"{"type":"thinking","thinking":"hm"}"#;
    let thinking: ContentBlock = serde_json::from_str(thinking).unwrap();
    let error = |content: ContentBlock| {
        build(&[Msg::assistant("bob", content)], &RequestOptions::default()).unwrap_err()
    };
    assert_eq!(error(thinking), TranslateError::UnsupportedBlock { kind: "thinking" });
    let broken = DataBlock::base64("QUJD!", "a/b").with_name("x.bin");
    assert_eq!(error(broken.into()), TranslateError::InvalidBase64 { name: Some("x.bin".to_owned()) });
    let relative = error(DataBlock::url("a.png", "image/png").into());
    assert!(matches!(relative, TranslateError::InvalidUrl { .. }), "{relative}");
    assert_eq!(relative.to_string(), "the url of a block cannot be sent: not an absolute url");
}

#[test]
fn stamping_fills_only_what_is_empty() {
    let mut ids = CountingIds::default();
    let mut clock = a2a_translate::CountingClock::default();
    let mut msg = Msg::user("user", "hi");
    msg.stamp(&mut ids, &mut clock);
    let time = "2026-01-01T00:00:00.000001";
    let expect = json!({
        "name": "user", "role": "user", "id": "id-1", "metadata": {}, "created_at": time, "usage": null,
        "content": [{"type": "text", "text": "hi", "id": "id-2", "created_at": time, "finished_at": null}],
        "finished_at": time, "finished_reason": null, "structured_output": null, "error": null,
    });
    assert_eq!(serde_json::to_value(&msg).unwrap(), expect);
    msg.stamp(&mut ids, &mut clock);
    assert_eq!(serde_json::to_value(&msg).unwrap(), expect);
    assert_eq!(Msg::new("bob", Role::Assistant, "hi").finished_at, None);
}
