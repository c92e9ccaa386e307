//! When a turn is over, and how long it is still listened to.

use std::time::Duration;

use a2a_agent::{AgentOptions, TaskState};
use a2a_testkit::{ScriptedTransport, Step};
use a2a_types::Method;
use tokio::time::Instant;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_peer_that_keeps_the_stream_open_is_left_after_the_grace() {
    let settled = [
        message("done"),
        status(TaskState::Completed, "done"),
        status(TaskState::InputRequired, "done"),
        status(TaskState::Failed, "done"),
        snapshot(TaskState::Canceled, "done"),
    ];
    for last in settled {
        let transport =
            ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([last, Step::Hang]));
        let mut agent = agent(&transport);
        let before = Instant::now();
        let reply = read(agent.reply_stream("hi")).await;
        assert_eq!(reply.text(), "done");
        assert!(reply.error.is_none());
        assert_eq!(before.elapsed(), Duration::from_secs(1));
        assert_eq!(transport.open_streams(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_within_the_grace_is_translated() {
    let steps = [
        first("Hel"),
        status(TaskState::Completed, ""),
        Step::Sleep(Duration::from_millis(300)),
        snapshot(TaskState::Completed, "Hello"),
    ];
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream(steps));
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!((reply.text().as_str(), reply.reason()), ("Hello", Some("completed")));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_goes_on_after_all_is_listened_to() {
    let steps = [
        status(TaskState::InputRequired, "where?"),
        Step::Sleep(Duration::from_millis(500)),
        status(TaskState::Working, ""),
        Step::Sleep(Duration::from_secs(20)),
        first("Hello"),
        status(TaskState::Completed, ""),
    ];
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream(steps));
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.text().as_str(), reply.reason()), ("where?Hello", Some("completed")));
    assert_eq!(agent.state().task_id, None);
}

#[tokio::test(start_paused = true)]
async fn the_grace_is_an_option() {
    let transport =
        ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([message("done"), Step::Hang]));
    let options = AgentOptions::default().with_settle_grace(Duration::from_millis(20));
    let mut agent = builder(&transport).options(options).build().unwrap();
    let before = Instant::now();
    agent.reply("hi").await.unwrap();
    assert_eq!(before.elapsed(), Duration::from_millis(20));
}

#[tokio::test(start_paused = true)]
async fn a_stream_cut_after_the_turn_has_settled_is_complete() {
    let transport = ScriptedTransport::new().answer(
        Method::SendStreamingMessage,
        stream([first("all"), status(TaskState::Completed, ""), Step::fail("stream_cut")]),
    );
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.reason()), (None, Some("completed")));
}

#[tokio::test(start_paused = true)]
async fn authentication_is_waited_for_in_the_same_stream() {
    let steps = [
        status(TaskState::AuthRequired, "log in"),
        Step::Sleep(Duration::from_secs(100)),
        status(TaskState::Working, ""),
        first("unlocked"),
        status(TaskState::Completed, ""),
    ];
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream(steps));
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.text().as_str(), reply.reason()), ("log inunlocked", Some("completed")));
    assert_eq!(agent.state().task_id, None);
}

#[tokio::test(start_paused = true)]
async fn authentication_that_never_comes_completes_the_reply_and_keeps_the_task() {
    for end in [None, Some(Step::fail("timeout")), Some(Step::fail("stream_cut"))] {
        let steps = [status(TaskState::AuthRequired, "log in")].into_iter().chain(end);
        let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream(steps));
        let mut agent = agent(&transport);
        let reply = read(agent.reply_stream("hi")).await;
        assert_eq!((reply.error_kind(), reply.reason()), (None, Some("completed")));
        assert_eq!(agent.state().task_id.as_deref(), Some("t-1"));
    }
}
