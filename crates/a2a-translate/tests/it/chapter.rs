//! AgentScope's chapter "Protocol Translation", sentence by sentence.

use a2a_translate::{
    ContentBlock, CountingIds, Msg, ReplyContext, ReplyFinishedReason, RequestOptions, Source,
    TranslateError, build_request,
};
use a2a_types::{Artifact, Part, PartContent, RawJson, TaskState};
use serde_json::json;

use crate::support::{Reply, artifact, message, status, task};

// Conversations and tasks

/// "Several `reply()` calls under the same `context_id` share the remote context, carried automatically."
#[test]
fn the_context_is_carried_to_the_next_request() {
    let reply = Reply::new([status("t-1", TaskState::Completed, "one")]);
    let request = build_request(
        [&Msg::user("user", "two")],
        reply.translator.context_id(),
        reply.translator.task_id(),
        &RequestOptions::default(),
        &mut CountingIds::default(),
    );
    let message = request.unwrap().message;
    assert_eq!(message.context_id, "c-1");
    assert_eq!(message.task_id, "");
}

/// "A single `reply()` may span several tasks."
#[test]
fn a_reply_may_span_several_tasks() {
    let reply = Reply::new([
        artifact("t-1", "a", vec!["from one".into()]).into(),
        status("t-1", TaskState::Completed, ""),
        artifact("t-2", "a", vec!["from two".into()]).into(),
        status("t-2", TaskState::InputRequired, ""),
    ]);
    assert_eq!(reply.texts(), ["from one", "from two"]);
    assert_eq!(reply.translator.task_id(), Some("t-2"));
    assert_eq!(reply.events.first().unwrap().reply_id(), reply.events.last().unwrap().reply_id());
}

/// "… or continue a task left over from an earlier `reply()`."
#[test]
fn a_reply_may_continue_a_task() {
    let context = ReplyContext::new("session", "Remote").with_task_id(Some("t-1".to_owned()));
    let reply = Reply::within(context, [status("t-1", TaskState::Completed, "done")]);
    assert_eq!(reply.texts(), ["done"]);
    assert_eq!(reply.translator.task_id(), None);
}

/// "That state also carries a local `session_id`, used only to group the events this adapter produces."
#[test]
fn the_session_groups_events() {
    let reply = Reply::new([status("t-1", TaskState::Completed, "x")]);
    let sessions: Vec<_> = reply
        .events
        .iter()
        .filter_map(|event| serde_json::to_value(event).unwrap().get("session_id").cloned())
        .collect();
    assert_eq!(sessions, ["session", "session"]);
}

// Response payloads

/// "`Message`: Its parts become content; this is a direct answer that produces no task, so `task_id` is cleared."
#[test]
fn a_message_is_a_direct_answer() {
    let context = ReplyContext::new("session", "Remote").with_task_id(Some("t-1".to_owned()));
    let mut answer = message("m-1", vec!["a".into()]);
    answer.task_id = "t-1".to_owned();
    let reply = Reply::within(context, [answer.into()]);
    assert_eq!(reply.texts(), ["a"]);
    assert_eq!(reply.translator.task_id(), None);
}

/// "`TaskArtifactUpdateEvent`: The artifact's parts become content; the `append` and `last_chunk` markers decide
/// whether text keeps flowing into the same block, so streamed text is not chopped up."
#[test]
fn chunks_of_an_artifact_flow_into_one_block() {
    let chunk = |text: &str, append, last_chunk| {
        let mut chunk = artifact("t-1", "a", vec![text.into()]);
        (chunk.append, chunk.last_chunk) = (append, last_chunk);
        chunk.into()
    };
    let reply = Reply::new([
        chunk("Hang", false, false),
        chunk("zhou", true, true),
        chunk("later", true, false),
        chunk("anew", false, false),
    ]);
    assert_eq!(reply.texts(), ["Hangzhou", "later", "anew"]);
}

/// "`TaskStatusUpdateEvent`: The status message's parts become content, and the status decides `finished_reason`
/// and `task_id`."
#[test]
fn a_status_decides() {
    let reply = Reply::new([status("t-1", TaskState::InputRequired, "when?")]);
    assert_eq!(reply.texts(), ["when?"]);
    assert_eq!(reply.finished_reason(), ReplyFinishedReason::Completed);
    assert_eq!(reply.translator.task_id(), Some("t-1"));
}

/// "`Task`: A full snapshot: every artifact is translated first, then the status message."
#[test]
fn a_snapshot_is_artifacts_then_status() {
    let mut snapshot = a2a_types::Task::new("t-1", "c-1", a2a_types::TaskStatus::new(TaskState::Completed));
    snapshot.status.message = Some(message("s-1", vec!["summary".into()]));
    snapshot.artifacts = vec![Artifact::new("a", vec!["one".into()]), Artifact::new("b", vec!["two".into()])];
    snapshot.history = vec![message("h-1", vec!["before".into()])];
    let reply = Reply::new([snapshot.into()]);
    assert_eq!(reply.texts(), ["one", "two", "summary"]);
}

// Content parts

/// "Text part: `TextBlock`; consecutive text within one batch flows into the same block."
#[test]
fn consecutive_text_is_one_block() {
    let parts = vec!["one ".into(), "two".into(), Part::raw([0]), "three".into()];
    let reply = Reply::new([message("m-1", parts).into()]);
    assert_eq!(reply.texts(), ["one two", "three"]);
}

/// "Bytes part (`raw`): `DataBlock`, with the bytes carried as base64."
#[test]
fn bytes_are_base64() {
    let part = Part::raw([0xfb, 0xff]).with_media_type("image/png").with_filename("x.png");
    let msg = Reply::new([message("m-1", vec![part]).into()]).msg();
    let [ContentBlock::Data(block)] = &msg.content[..] else { panic!("{msg:?}") };
    let Source::Base64(source) = &block.source else { panic!("{block:?}") };
    assert_eq!((&*source.data, &*source.media_type), ("+/8=", "image/png"));
    assert_eq!(block.name.as_deref(), Some("x.png"));
}

/// "URL part (`url`): `DataBlock`, keeping the original URL."
#[test]
fn urls_are_kept() {
    let part = Part::url("https://Example.com/x y").with_media_type("text/html");
    let msg = Reply::new([message("m-1", vec![part]).into()]).msg();
    let [ContentBlock::Data(block)] = &msg.content[..] else { panic!("{msg:?}") };
    let Source::Url(source) = &block.source else { panic!("{block:?}") };
    assert_eq!((&*source.url, &*source.media_type), ("https://Example.com/x y", "text/html"));
}

/// "Anything else (a structured data part, for instance): Unsupported; raises a `ValueError`."
#[test]
fn anything_else_is_unsupported() {
    let data = PartContent::Data(RawJson::from(json!({"k": 1})));
    for (content, part) in [("data", Part::from(data)), ("empty", Part::default())] {
        let reply = Reply::new([message("m-1", vec![part]).into()]);
        let Some(TranslateError::UnsupportedPart { content: found, .. }) = &reply.error else {
            panic!("{:?}", reply.error)
        };
        assert_eq!(*found, content);
        assert_eq!(reply.finished_reason(), ReplyFinishedReason::Error);
    }
}

/// "The event stream therefore only carries reply start/end events and text / data block events."
#[test]
fn there_are_eight_kinds_of_events() {
    let parts = vec!["a".into(), Part::raw([0])];
    let kinds = Reply::new([message("m-1", parts).into()]).kinds();
    assert_eq!(
        kinds,
        [
            "REPLY_START",
            "TEXT_BLOCK_START",
            "TEXT_BLOCK_DELTA",
            "TEXT_BLOCK_END",
            "DATA_BLOCK_START",
            "DATA_BLOCK_DELTA",
            "DATA_BLOCK_END",
            "REPLY_END"
        ]
    );
}

/// "The `metadata["a2a"]` of a block-end event records which A2A object it came from, and the `metadata["a2a"]` of
/// the final message records the `context_id`."
#[test]
fn metadata_says_where_content_is_from() {
    let mut whole = artifact("t-1", "a", vec!["x".into(), Part::raw([0])]);
    whole.last_chunk = true;
    let reply = Reply::new([
        whole.into(),
        status("t-1", TaskState::Completed, "y"),
        message("m-1", vec!["z".into()]).into(),
    ]);
    assert_eq!(
        reply.origins(),
        [
            json!({"task_id": "t-1", "artifact_id": "a"}),
            json!({"task_id": "t-1", "artifact_id": "a"}),
            json!({"task_id": "t-1"}),
            json!({"message_id": "m-1"}),
        ]
    );
    assert_eq!(reply.msg().metadata["a2a"], json!({"context_id": "c-1"}));
    let without_context = Reply::new([message("m-1", vec![]).into()]);
    assert_eq!(without_context.msg().metadata["a2a"], json!({"context_id": null}));
}

// Ending a reply

/// "The task status the stream stops at decides the `finished_reason` of that reply", and "the `task_id` is kept
/// only while the remote side waits for input; every other status clears it".
#[test]
fn the_last_status_decides_reason_and_task() {
    use ReplyFinishedReason::{Completed, Error, Interrupted};
    for (state, reason, kept) in [
        (TaskState::Completed, Completed, false),
        (TaskState::InputRequired, Completed, true),
        (TaskState::AuthRequired, Completed, true),
        (TaskState::Canceled, Interrupted, false),
        (TaskState::Failed, Error, false),
        (TaskState::Rejected, Error, false),
        (TaskState::Working, Error, false),
        (TaskState::Submitted, Error, false),
        (TaskState::Unspecified, Error, false),
        (TaskState::Other("TASK_STATE_BECALMED".to_owned()), Error, false),
    ] {
        for last in [status("t-1", state.clone(), "note"), task("t-1", state.clone(), Vec::new())] {
            let reply = Reply::new([status("t-1", TaskState::InputRequired, ""), last]);
            assert_eq!(reply.finished_reason(), reason, "{state}");
            assert_eq!(reply.translator.task_id(), kept.then_some("t-1"), "{state}");
            assert_eq!(reply.msg().finished_reason, Some(reason), "{state}");
        }
    }
}

/// "Its status message comes back as ordinary content, and the next `reply()` answers it."
#[test]
fn a_question_is_content_and_the_answer_goes_to_its_task() {
    let reply = Reply::new([status("t-1", TaskState::AuthRequired, "log in at https://e.test")]);
    assert_eq!(reply.texts(), ["log in at https://e.test"]);
    let request = build_request(
        [&Msg::user("user", "done")],
        reply.translator.context_id(),
        reply.translator.task_id(),
        &RequestOptions::default(),
        &mut CountingIds::default(),
    );
    assert_eq!(request.unwrap().message.task_id, "t-1");
}

/// An artifact carries no status: it leaves the task to continue as it is.
#[test]
fn an_artifact_does_not_touch_the_task() {
    let context = ReplyContext::new("session", "Remote").with_task_id(Some("t-1".to_owned()));
    let reply = Reply::within(context, [artifact("t-2", "a", vec!["x".into()]).into()]);
    assert_eq!(reply.translator.task_id(), Some("t-1"));
    assert_eq!(reply.finished_reason(), ReplyFinishedReason::Completed);
}
