//! Cancelling, from outside of the reply.

use std::time::Duration;

use a2a_agent::{AgentOptions, TaskState};
use a2a_testkit::{Answer, Gate, ScriptedTransport, Step};
use a2a_types::{ErrorCode, Method};
use futures::StreamExt as _;
use tokio::time::Instant;

use crate::support::*;

fn canceled() -> Answer {
    Answer::value(task(TaskState::Canceled, ""))
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_cancelled() {
    let transport = ScriptedTransport::new()
        .answer(
            Method::SendStreamingMessage,
            stream([status(TaskState::Working, ""), first("Hel"), Step::Hang]),
        )
        .answer(Method::CancelTask, canceled());
    let mut agent = agent(&transport);
    let handle = agent.cancel_handle();
    let reply = agent.reply_stream("hi");
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        handle.cancel();
        handle.cancel();
    };
    let (reply, ()) = tokio::join!(read(reply), cancel);
    assert_eq!(
        (reply.text().as_str(), reply.reason(), reply.error_kind()),
        ("Hel", Some("interrupted"), None)
    );
    assert_eq!(transport.calls_of(Method::CancelTask).len(), 1);
    assert_eq!(transport.calls_of(Method::CancelTask)[0].request["id"], "t-1");
    assert_eq!(agent.state().running_task_id, None);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_not_known_yet_is_cancelled_as_soon_as_it_is() {
    let gate = Gate::new();
    let steps = [Step::Wait(gate.clone()), status(TaskState::Working, ""), Step::Hang];
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream(steps))
        .answer(Method::CancelTask, canceled());
    let mut agent = agent(&transport);
    let handle = agent.cancel_handle();
    let reply = agent.reply_stream("hi");
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        handle.cancel();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(transport.calls_of(Method::CancelTask).is_empty());
        gate.open();
    };
    let (reply, ()) = tokio::join!(read(reply), cancel);
    assert_eq!(reply.reason(), Some("interrupted"));
    assert_eq!(transport.calls_of(Method::CancelTask).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_reply_whose_task_never_becomes_known_is_left_after_the_grace() {
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([Step::Hang]));
    let options = AgentOptions::default().with_cancel_grace(Duration::from_secs(3));
    let mut agent = builder(&transport).options(options).build().unwrap();
    let mut reply = agent.reply_stream("hi");
    reply.next().await.unwrap().unwrap();
    reply.cancel_handle().cancel();
    let before = Instant::now();
    assert_eq!(reply.finish().await.unwrap().finished_reason.unwrap().as_str(), "interrupted");
    // The request goes out first: it was not known that it would be cancelled.
    assert!(before.elapsed() <= Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_before_anything_was_sent_sends_nothing() {
    let transport = ScriptedTransport::new();
    let mut agent = agent_with(&transport, running("t-1"));
    agent.observe("fog");
    let before = agent.state().clone();
    let reply = agent.reply_stream("hi");
    reply.cancel_handle().cancel();
    let reply = read(reply).await;
    assert_eq!((reply.shape().as_str(), reply.reason()), ("<>", Some("interrupted")));
    assert!(transport.calls().is_empty());
    assert_eq!(agent.state(), &before);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_has_ended_already_ends_as_it_did() {
    let gate = Gate::new();
    let steps = [first("all"), Step::Wait(gate.clone()), status(TaskState::Completed, "")];
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream(steps))
        .answer(Method::CancelTask, Answer::rpc_error(ErrorCode::TaskNotCancelable, "it is over"));
    let mut agent = agent(&transport);
    let handle = agent.cancel_handle();
    let reply = agent.reply_stream("hi");
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        handle.cancel();
        tokio::time::sleep(Duration::from_millis(10)).await;
        gate.open();
    };
    let (reply, ()) = tokio::join!(read(reply), cancel);
    assert_eq!((reply.text().as_str(), reply.reason(), reply.error_kind()), ("all", Some("completed"), None));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_answer_the_cancellation_does_not_hang_the_reply() {
    for answer in
        [Answer::steps([Step::Hang]), Answer::fail("connect"), Answer::value(task(TaskState::Working, ""))]
    {
        let transport = ScriptedTransport::new()
            .answer(
                Method::SendStreamingMessage,
                stream([status(TaskState::Working, ""), first("Hel"), Step::Hang]),
            )
            .answer(Method::CancelTask, answer);
        let mut agent = agent(&transport);
        let mut reply = agent.reply_stream("hi");
        for _ in 0..3 {
            reply.next().await.unwrap().unwrap();
        }
        reply.cancel_handle().cancel();
        let before = Instant::now();
        let reply = read(reply).await;
        assert_eq!((reply.reason(), reply.error_kind()), (Some("interrupted"), None));
        assert!(before.elapsed() <= Duration::from_secs(20));
        assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"), "it may still run");
    }
}

#[tokio::test(start_paused = true)]
async fn a_polled_task_is_cancelled_too() {
    let working = serde_json::json!({"task": task(TaskState::Working, "Hel")});
    let transport = ScriptedTransport::new()
        .answer(Method::SendMessage, Answer::value(working))
        .always(Method::GetTask, Answer::value(task(TaskState::Working, "Hel")))
        .answer(Method::CancelTask, Answer::value(task(TaskState::Canceled, "Hel")));
    let mut agent = unary_agent(&transport);
    let handle = agent.cancel_handle();
    let reply = agent.reply_stream("hi");
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(30)).await;
        handle.cancel();
    };
    let (reply, ()) = tokio::join!(read(reply), cancel);
    assert_eq!((reply.text().as_str(), reply.reason()), ("Hel", Some("interrupted")));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_of_an_earlier_reply_does_not_reach_the_next() {
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([message("one")]))
        .answer(Method::SendStreamingMessage, stream([message("two")]));
    let mut agent = agent(&transport);
    agent.reply("hi").await.unwrap();
    agent.cancel_handle().cancel();
    let reply = agent.reply("hi").await.unwrap();
    assert_eq!(texts(&reply), ["two"]);
}

#[tokio::test(start_paused = true)]
async fn the_task_of_the_last_turn_can_be_cancelled_between_replies() {
    let transport = ScriptedTransport::new().answer(Method::CancelTask, canceled());
    let mut agent = agent_with(&transport, running("t-1"));
    assert_eq!(agent.cancel().await.unwrap().unwrap().status.state, TaskState::Canceled);
    assert_eq!(agent.state().running_task_id, None);
    assert!(agent.cancel().await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn dropping_cancels_only_when_told_to() {
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([first("Hel"), Step::Hang]))
        .answer(Method::CancelTask, canceled());
    let options = AgentOptions::default().with_cancel_on_drop(true);
    let mut agent = builder(&transport).options(options).build().unwrap();
    let mut reply = agent.reply_stream("hi");
    for _ in 0..3 {
        reply.next().await.unwrap().unwrap();
    }
    drop(reply);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(transport.calls_of(Method::CancelTask).len(), 1);
}
