//! Peers without streaming.

use a2a_agent::{AgentOptions, PollingOptions, TaskState};
use a2a_testkit::{Answer, ScriptedTransport};
use a2a_types::{ErrorCode, Method};
use serde_json::json;

use crate::support::*;

fn sent(answer: serde_json::Value) -> ScriptedTransport {
    ScriptedTransport::new().answer(Method::SendMessage, Answer::value(answer))
}

#[tokio::test(start_paused = true)]
async fn a_message_or_a_finished_task_is_the_whole_answer() {
    for answer in [
        json!({"task": task(TaskState::Completed, "Hello")}),
        json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "Hello"}]}}),
    ] {
        let transport = sent(answer);
        let reply = read(unary_agent(&transport).reply_stream("hi")).await;
        assert_eq!((reply.shape().as_str(), reply.text().as_str()), ("<(.)>", "Hello"));
        assert_eq!(transport.calls().len(), 1);
        assert!(transport.calls()[0].request.get("configuration").is_none(), "blocking is the default");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_still_running_is_looked_at_until_it_ends() {
    let transport = sent(json!({"task": task(TaskState::Working, "")}))
        .answer(Method::GetTask, Answer::value(task(TaskState::Working, "Hel")))
        .answer(Method::GetTask, Answer::value(task(TaskState::Working, "Hel")))
        .answer(Method::GetTask, Answer::value(task(TaskState::Completed, "Hello")));
    let mut agent = unary_agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.shape().as_str(), reply.text().as_str()), ("<(..)>", "Hello"));
    assert_eq!((transport.unused_answers(), agent.state().running_task_id.as_deref()), (0, None));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_waits_completes_the_reply() {
    for state in [TaskState::InputRequired, TaskState::AuthRequired] {
        let transport = sent(json!({"task": task(state, "where?")}));
        let mut agent = unary_agent(&transport);
        let reply = read(agent.reply_stream("hi")).await;
        assert_eq!((reply.text().as_str(), reply.reason()), ("where?", Some("completed")));
        assert_eq!(agent.state().task_id.as_deref(), Some("t-1"));
    }
}

#[tokio::test(start_paused = true)]
async fn looking_is_bounded() {
    let transport = sent(json!({"task": task(TaskState::Working, "")}))
        .always(Method::GetTask, Answer::value(task(TaskState::Working, "")));
    let options = AgentOptions::default().with_polling(PollingOptions::default().with_max_idle_polls(7));
    let mut card = a2a_agent::AgentCard::new("Remote", Vec::new());
    card.capabilities.streaming = Some(false);
    let mut agent = a2a_agent::A2aAgent::builder(card)
        .transport(std::sync::Arc::new(transport.clone()))
        .options(options)
        .build()
        .unwrap();
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.reason()), (Some("stream_cut"), Some("error")));
    assert_eq!(transport.calls_of(Method::GetTask).len(), 7);
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_for_good_ends_the_reply() {
    let transport = sent(json!({"task": task(TaskState::Working, "")}))
        .answer(Method::GetTask, Answer::rpc_error(ErrorCode::InternalError, "no"));
    let mut agent = unary_agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.reason()), (Some("rpc"), Some("error")));
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_streaming_is_used_without() {
    let transport = sent(json!({"task": task(TaskState::Completed, "Hello")}))
        .answer(Method::SendStreamingMessage, Answer::fail("unsupported"));
    let reply = read(agent(&transport).reply_stream("hi")).await;
    assert_eq!(reply.text(), "Hello");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_neither_is_an_error() {
    let transport = sent(json!({"kind": "task", "id": "t-1"}));
    let mut agent = unary_agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.shape().as_str(), reply.error_kind()), ("<>", Some("decode")));
}
