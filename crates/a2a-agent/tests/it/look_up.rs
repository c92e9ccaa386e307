//! The question before a message: how does the task of the last turn stand?

use a2a_agent::TaskState;
use a2a_testkit::{Answer, ScriptedTransport, Step};
use a2a_transport::{ErrorKind, TransportError};
use a2a_types::{ErrorCode, Method};

use crate::support::*;

fn transport(look_up: Answer) -> ScriptedTransport {
    ScriptedTransport::new()
        .answer(Method::GetTask, look_up)
        .answer(Method::SendStreamingMessage, stream([message("ok")]))
}

#[tokio::test(start_paused = true)]
async fn a_task_that_waits_is_continued() {
    for state in [TaskState::InputRequired, TaskState::AuthRequired] {
        for kept in [waiting("t-1"), running("t-1")] {
            let transport = transport(Answer::value(task(state.clone(), "")));
            let mut agent = agent_with(&transport, kept);
            agent.reply("Oslo").await.unwrap();
            let sent = &transport.calls_of(Method::SendStreamingMessage)[0].request["message"];
            assert_eq!((&sent["taskId"], &sent["contextId"]), (&"t-1".into(), &"c-1".into()));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_over_gives_way_to_a_new_one() {
    let over = [
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Canceled,
        TaskState::Rejected,
        TaskState::Unspecified,
        TaskState::Other("TASK_STATE_PAUSED".to_owned()),
    ];
    for state in over {
        let transport = transport(Answer::value(task(state, "old")));
        let mut agent = agent_with(&transport, waiting("t-1"));
        let reply = read(agent.reply_stream("next")).await;
        assert_eq!(reply.text(), "ok");
        let sent = &transport.calls_of(Method::SendStreamingMessage)[0].request["message"];
        assert_eq!((sent.get("taskId"), &sent["contextId"]), (None, &"c-1".into()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_forgotten_task_gives_way_however_the_peer_says_so() {
    let bare_404 = || {
        Step::Error(std::sync::Arc::new(|| {
            TransportError::new(ErrorKind::HttpStatus, "not found").with_http_status(404)
        }))
    };
    for look_up in [Answer::rpc_error(ErrorCode::TaskNotFound, "who?"), Answer::steps([bare_404()])] {
        let transport = transport(look_up);
        let mut agent = agent_with(&transport, waiting("t-1"));
        agent.reply("next").await.unwrap();
        assert!(
            transport.calls_of(Method::SendStreamingMessage)[0].request["message"].get("taskId").is_none()
        );
        assert_eq!(agent.state().task_id, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_running_task_is_refused_and_nothing_changes() {
    for state in [TaskState::Submitted, TaskState::Working] {
        let transport = transport(Answer::value(task(state, "")));
        let mut agent = agent_with(&transport, running("t-1"));
        agent.observe("fog");
        let before = agent.state().clone();
        let reply = read(agent.reply_stream("next")).await;
        assert_eq!((reply.shape().as_str(), reply.error_kind()), ("", Some("task_running")));
        assert!(reply.error.unwrap().is_retryable());
        assert_eq!(agent.state(), &before);
        assert!(transport.calls_of(Method::SendStreamingMessage).is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_look_up_changes_nothing_and_can_be_tried_again() {
    let transport = transport(Answer::fail("timeout"));
    transport.push(Method::GetTask, Answer::value(task(TaskState::InputRequired, "")));
    let mut agent = agent_with(&transport, waiting("t-1"));
    agent.observe("fog");
    let before = agent.state().clone();
    let reply = read(agent.reply_stream("next")).await;
    assert_eq!((reply.shape().as_str(), reply.error_kind()), ("", Some("get_task")));
    let error = reply.error.unwrap();
    assert!(error.is_retryable() && error.to_string().contains("t-1"));
    assert_eq!(agent.state(), &before);

    agent.reply("next").await.unwrap();
    assert_eq!(transport.calls_of(Method::SendStreamingMessage).len(), 1);
}
