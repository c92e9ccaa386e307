//! Turns that break, and the rest of them.

use std::time::Duration;

use a2a_agent::{AgentOptions, RecoveryOptions, TaskState};
use a2a_testkit::{Answer, ScriptedTransport, Step};
use a2a_transport::{ErrorKind, TransportError};
use a2a_types::{ErrorCode, Method};
use tokio::time::Instant;

use crate::support::*;

/// A stream that says `Hel` and breaks in this way.
fn broken(end: Option<Step>) -> ScriptedTransport {
    let steps = [snapshot(TaskState::Working, ""), first("Hel")].into_iter().chain(end);
    ScriptedTransport::new().answer(Method::SendStreamingMessage, stream(steps))
}

fn cut() -> Option<Step> {
    Some(Step::fail("stream_cut"))
}

fn unauthorized() -> Answer {
    Answer::steps([Step::Error(std::sync::Arc::new(|| {
        TransportError::new(ErrorKind::Auth, "the peer answered HTTP 401").with_http_status(401)
    }))])
}

#[tokio::test(start_paused = true)]
async fn the_rest_is_streamed_without_repeating_anything() {
    for end in [cut(), Some(Step::fail("timeout")), None] {
        let transport = broken(end).answer(
            Method::SubscribeToTask,
            stream([snapshot(TaskState::Working, "Hello"), more(" world"), status(TaskState::Completed, "")]),
        );
        let mut agent = agent(&transport);
        let reply = read(agent.reply_stream("hi")).await;
        assert_eq!((reply.shape().as_str(), reply.text().as_str()), ("<(...)>", "Hello world"));
        assert_eq!((reply.error_kind(), reply.reason()), (None, Some("completed")));
        assert_eq!(transport.calls_of(Method::SendStreamingMessage).len(), 1);
        assert_eq!(transport.calls_of(Method::SubscribeToTask)[0].request["id"], "t-1");
        assert_eq!(agent.state().running_task_id, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_breaks_again_is_taken_up_again() {
    let transport = broken(cut())
        .answer(
            Method::SubscribeToTask,
            stream([snapshot(TaskState::Working, "Hello"), Step::fail("stream_cut")]),
        )
        .answer(Method::SubscribeToTask, Answer::fail("connect"))
        .answer(Method::SubscribeToTask, stream([snapshot(TaskState::Completed, "Hello world")]));
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!((reply.text().as_str(), reply.reason()), ("Hello world", Some("completed")));
    assert_eq!(transport.calls_of(Method::SendStreamingMessage).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_cannot_be_followed_is_looked_at() {
    let refusals = [
        Answer::rpc_error(ErrorCode::UnsupportedOperation, "the task is over"),
        Answer::rpc_error(ErrorCode::MethodNotFound, "no such method"),
        Answer::fail("unsupported"),
        // Told in the stream, as some servers do.
        stream([Step::rpc_error(ErrorCode::InvalidParams, "the task is over")]),
    ];
    for refusal in refusals {
        let transport = broken(cut())
            .answer(Method::SubscribeToTask, refusal)
            .answer(Method::GetTask, Answer::value(task(TaskState::Working, "Hello")))
            .answer(Method::GetTask, Answer::fail("timeout"))
            .answer(Method::GetTask, Answer::value(task(TaskState::Completed, "Hello world")));
        let reply = read(agent(&transport).reply_stream("hi")).await;
        assert_eq!((reply.text().as_str(), reply.error_kind()), ("Hello world", None));
        assert_eq!(transport.unused_answers(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_are_counted_and_spread() {
    let transport = broken(cut()).always(Method::SubscribeToTask, Answer::fail("connect"));
    let mut agent = agent(&transport);
    let before = Instant::now();
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!(transport.calls_of(Method::SubscribeToTask).len(), 5);
    let took = before.elapsed();
    assert!((Duration::from_secs(15)..=Duration::from_secs(30)).contains(&took), "{took:?}");

    assert_eq!((reply.shape().as_str(), reply.text().as_str()), ("<(.)>", "Hel"));
    assert_eq!((reply.error_kind(), reply.reason()), (Some("stream_cut"), Some("error")));
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));
    assert_eq!(reply.message.unwrap().error.unwrap().kind.as_str(), "connection");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_early_for_good_is_an_error() {
    let transport = broken(None).always(Method::SubscribeToTask, Answer::fail("connect"));
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!(reply.error_kind(), Some("connect"));
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));

    let transport =
        broken(None).answer(Method::SubscribeToTask, Answer::rpc_error(ErrorCode::TaskNotFound, "gone"));
    let reply = read(crate::support::agent(&transport).reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.reason()), (Some("stream_cut"), Some("error")));
    assert!(reply.error.unwrap().to_string().contains("t-1"));
}

#[tokio::test(start_paused = true)]
async fn artifacts_without_any_status_are_complete_unless_recovery_says_more() {
    let only_artifacts =
        || ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([first("Hel")]));
    let transport =
        only_artifacts().answer(Method::SubscribeToTask, Answer::rpc_error(ErrorCode::TaskNotFound, "gone"));
    let mut one = agent(&transport);
    let reply = read(one.reply_stream("hi")).await;
    assert_eq!((reply.text().as_str(), reply.error_kind(), reply.reason()), ("Hel", None, Some("completed")));
    assert_eq!(one.state().running_task_id, None);

    let transport =
        only_artifacts().answer(Method::SubscribeToTask, stream([snapshot(TaskState::Completed, "Hello")]));
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!(reply.text(), "Hello");
}

#[tokio::test(start_paused = true)]
async fn artifacts_without_any_status_are_complete_however_recovery_fails() {
    for answer in [Answer::fail("connect"), stream([Step::fail("stream_cut")]), stream([])] {
        let transport = ScriptedTransport::new()
            .answer(Method::SendStreamingMessage, stream([first("Hel")]))
            .always(Method::SubscribeToTask, answer);
        let mut agent = agent(&transport);
        let reply = read(agent.reply_stream("hi")).await;
        assert_eq!(
            (reply.text().as_str(), reply.error_kind(), reply.reason()),
            ("Hel", None, Some("completed"))
        );
        assert_eq!(transport.calls_of(Method::SubscribeToTask).len(), 5);
        assert_eq!(agent.state().running_task_id, None);
    }
    // Also when the attempts fail in different ways.
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([first("Hel")]))
        .answer(Method::SubscribeToTask, stream([Step::fail("stream_cut")]))
        .always(Method::SubscribeToTask, stream([]));
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.reason()), (None, Some("completed")));
    // A stream that was cut is another matter.
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([first("Hel"), Step::fail("stream_cut")]))
        .always(Method::SubscribeToTask, Answer::fail("connect"));
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.reason()), (Some("stream_cut"), Some("error")));
}

#[tokio::test(start_paused = true)]
async fn refused_credentials_end_the_search_at_once() {
    let transport = broken(cut()).always(Method::SubscribeToTask, unauthorized());
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!(transport.calls_of(Method::SubscribeToTask).len(), 1);
    let error = reply.error.unwrap();
    assert!(error.is_auth() && error.to_string().contains("401"));
    assert_eq!(reply.message.unwrap().error.unwrap().kind.as_str(), "authentication");
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));
}

#[tokio::test(start_paused = true)]
async fn what_a_repetition_cannot_mend_is_not_repeated() {
    for kind in ["decode", "too_large", "content_type"] {
        let transport = broken(Some(Step::fail(kind)));
        let reply = read(agent(&transport).reply_stream("hi")).await;
        assert_eq!((reply.error_kind(), reply.text().as_str()), (Some(kind), "Hel"));
        assert_eq!(transport.calls().len(), 1);
    }
    let transport = broken(Some(Step::rpc_error(ErrorCode::InternalError, "the agent raised")));
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!(reply.error_kind(), Some("rpc"));
    assert_eq!(transport.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_dies_before_the_first_payload_is_an_error_at_once() {
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream(cut()));
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.shape().as_str(), reply.error_kind()), ("<>", Some("stream_cut")));
    assert_eq!(transport.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn recovery_can_be_switched_off() {
    let transport = broken(cut());
    let options = AgentOptions::default().with_recovery(None);
    let mut agent = builder(&transport).options(options).build().unwrap();
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), transport.calls().len()), (Some("stream_cut"), 1));
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_streams_nothing_new_is_not_asked_for_ever() {
    let transport = broken(cut()).always(
        Method::SubscribeToTask,
        stream([snapshot(TaskState::Working, "Hel"), Step::fail("stream_cut")]),
    );
    let recovery = RecoveryOptions::default().with_max_attempts(3);
    let options = AgentOptions::default().with_recovery(recovery);
    let mut agent = builder(&transport).options(options).build().unwrap();
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.text().as_str()), (Some("stream_cut"), "Hel"));
    assert_eq!(transport.calls_of(Method::SubscribeToTask).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_running_task_can_be_resumed_later() {
    let transport = ScriptedTransport::new().answer(
        Method::SubscribeToTask,
        stream([snapshot(TaskState::Working, "Hello"), more(" world"), status(TaskState::Completed, "")]),
    );
    let mut agent = agent_with(&transport, running("t-1"));
    let reply = read(agent.resume()).await;
    assert_eq!((reply.shape().as_str(), reply.text().as_str()), ("<(..)>", "Hello world"));
    assert_eq!(agent.state().running_task_id, None);

    let reply = read(agent.resume()).await;
    assert_eq!((reply.shape().as_str(), reply.error_kind()), ("", Some("nothing_to_resume")));
}

#[tokio::test(start_paused = true)]
async fn a_resumption_that_fails_can_be_tried_again() {
    let transport = ScriptedTransport::new().always(Method::SubscribeToTask, Answer::fail("connect"));
    let mut agent = agent_with(&transport, running("t-1"));
    let reply = read(agent.resume()).await;
    assert_eq!((reply.shape().as_str(), reply.error_kind()), ("<>", Some("connect")));
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ended_meanwhile_is_resumed_by_looking_at_it() {
    let transport = ScriptedTransport::new()
        .answer(
            Method::SubscribeToTask,
            Answer::rpc_error(ErrorCode::UnsupportedOperation, "the task is over"),
        )
        .answer(Method::GetTask, Answer::value(task(TaskState::Completed, "all of it")));
    let mut agent = agent_with(&transport, running("t-1"));
    let reply = read(agent.resume()).await;
    assert_eq!((reply.text().as_str(), reply.reason()), ("all of it", Some("completed")));
}
