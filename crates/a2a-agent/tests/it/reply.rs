//! One turn: what is sent, what is given, what is kept.

use a2a_agent::{A2aAgentState, AgentErrorKind, AgentOptions, DataBlock, Msg, TaskState};
use a2a_testkit::{Answer, ScriptedTransport};
use a2a_types::{ErrorCode, Method};
use futures::StreamExt as _;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_reply_is_its_stream_folded() {
    let answer = || {
        stream([
            snapshot(TaskState::Submitted, ""),
            first("Hel"),
            more("lo"),
            status(TaskState::Completed, ""),
        ])
    };
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, answer())
        .answer(Method::SendStreamingMessage, answer());
    let mut agent = agent(&transport);

    let streamed = read(agent.reply_stream("hi")).await;
    assert_eq!(streamed.shape(), "<(..)>");
    let reply = agent.reply(Msg::user("user", "hi")).await.unwrap();
    assert_eq!(texts(&reply), ["Hello"]);
    assert_eq!(reply.name, "Remote");
    assert_eq!(streamed.text(), "Hello");
    assert_eq!(streamed.reason(), Some("completed"));

    let sent = transport.calls_of(Method::SendStreamingMessage);
    assert!(sent[0].request["message"].get("contextId").is_none());
    assert_eq!(sent[1].request["message"]["contextId"], "c-1");
    assert!(sent[1].request["message"].get("taskId").is_none());
}

#[tokio::test(start_paused = true)]
async fn nothing_happens_before_the_stream_is_polled() {
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([message("hi")]));
    let mut agent = agent(&transport);
    drop(agent.reply_stream("hi"));
    assert!(transport.calls().is_empty());

    let mut stream = agent.reply_stream("hi");
    stream.next().await.unwrap().unwrap();
    assert!(transport.calls().is_empty(), "REPLY_START comes before the request");
    stream.next().await.unwrap().unwrap();
    assert_eq!(transport.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn nothing_to_send_is_an_error_before_anything_else() {
    let transport = ScriptedTransport::new();
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream(())).await;
    assert_eq!((reply.shape().as_str(), reply.error_kind()), ("", Some("no_input")));
    assert_eq!(agent.reply(Vec::new()).await.unwrap_err().kind(), AgentErrorKind::NoInput);
    assert!(transport.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn observed_messages_are_sent_ahead_and_once() {
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([message("one")]))
        .answer(Method::SendStreamingMessage, stream([message("two")]));
    let mut agent = agent(&transport);
    agent.observe([Msg::user("bob", "fog"), Msg::assistant("weather", "rain")]);
    assert!(
        agent.state().observed_context.iter().all(|msg| !msg.id.is_empty() && !msg.created_at.is_empty())
    );
    agent.reply(()).await.unwrap();
    agent.reply("go").await.unwrap();

    let parts = |call: usize| transport.calls()[call].request["message"]["parts"].clone();
    assert_eq!(parts(0), serde_json::json!([{"text": "fog"}, {"text": "rain"}]));
    assert_eq!(parts(1), serde_json::json!([{"text": "go"}]));
    assert!(agent.state().observed_context.is_empty());
}

#[tokio::test(start_paused = true)]
async fn observed_messages_stay_until_the_peer_has_answered() {
    let failures = [
        Answer::fail("connect"),
        Answer::fail("http_status"),
        Answer::rpc_error(ErrorCode::InternalError, "no"),
        stream([a2a_testkit::Step::fail("stream_cut")]),
        stream([]),
    ];
    for failure in failures {
        let transport = ScriptedTransport::new()
            .answer(Method::SendStreamingMessage, failure)
            .answer(Method::SendStreamingMessage, stream([message("ok")]));
        let mut agent = agent(&transport);
        agent.observe("fog");
        let failed = read(agent.reply_stream("go")).await;
        assert_eq!((failed.shape().as_str(), failed.reason()), ("<>", Some("error")));
        assert!(failed.error.is_some());
        assert_eq!(agent.state().observed_context.len(), 1);

        agent.reply("again").await.unwrap();
        let parts = transport.calls()[1].request["message"]["parts"].clone();
        assert_eq!(parts, serde_json::json!([{"text": "fog"}, {"text": "again"}]));
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_sent_is_refused_before_anything_is_sent() {
    for (content, kind) in [
        (DataBlock::base64("!", "a/b"), "invalid_base64"),
        (DataBlock::url("not a url", "a/b"), "unsupported_block"),
    ] {
        let transport = ScriptedTransport::new();
        let mut agent = agent(&transport);
        agent.observe("fog");
        let reply = read(agent.reply_stream(Msg::user("user", content))).await;
        assert_eq!(
            (reply.shape().as_str(), reply.error_kind(), reply.reason()),
            ("<>", Some(kind), Some("error"))
        );
        assert!(transport.calls().is_empty());
        assert_eq!(agent.state().observed_context.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_task_is_not_an_error_of_the_agent() {
    let transport = ScriptedTransport::new().answer(
        Method::SendStreamingMessage,
        stream([status(TaskState::Working, ""), status(TaskState::Failed, "boom")]),
    );
    let reply = agent(&transport).reply("hi").await.unwrap();
    let error = reply.error.unwrap();
    assert_eq!((reply.finished_reason.unwrap().as_str(), error.message.as_str()), ("error", "boom"));
}

#[tokio::test(start_paused = true)]
async fn an_unsupported_part_ends_the_reply_with_what_came_before() {
    let data = a2a_testkit::Step::json(
        r#"{"artifactUpdate": {"taskId": "t-1", "contextId": "c-1", "append": true,
            "artifact": {"artifactId": "a-1", "parts": [{"text": "!"}, {"data": 1}]}}}"#,
    );
    let transport =
        ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([first("Hel"), data]));
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.shape().as_str(), reply.text().as_str()), ("<(..)>", "Hel!"));
    assert_eq!((reply.error_kind(), reply.reason()), (Some("unsupported_part"), Some("error")));
}

#[tokio::test(start_paused = true)]
async fn a_reply_of_which_nothing_was_understood_is_an_error() {
    let future = a2a_testkit::Step::json(r#"{"hologram": {}}"#);
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([future]))
        .answer(Method::SendStreamingMessage, stream([]));
    let mut agent = agent(&transport);
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!(
        (reply.shape().as_str(), reply.error_kind(), reply.reason()),
        ("<>", Some("decode"), Some("error"))
    );
    let reply = read(agent.reply_stream("hi")).await;
    assert_eq!((reply.error_kind(), reply.reason()), (Some("empty_stream"), Some("error")));
}

#[tokio::test(start_paused = true)]
async fn the_state_is_readable_and_current_during_the_stream() {
    let transport = ScriptedTransport::new().answer(
        Method::SendStreamingMessage,
        stream([first("one"), status(TaskState::InputRequired, "where?")]),
    );
    let mut agent = agent(&transport);
    let mut reply = agent.reply_stream("hi");
    assert_eq!(reply.state().context_id, None);
    for _ in 0..3 {
        reply.next().await.unwrap().unwrap();
    }
    assert_eq!(reply.state().running_task_id.as_deref(), Some("t-1"));
    let message = reply.finish().await.unwrap();
    assert_eq!(texts(&message), ["one", "where?"]);

    let state = agent.close().await;
    assert_eq!((state.context_id.as_deref(), state.task_id.as_deref()), (Some("c-1"), Some("t-1")));
    assert_eq!(state.running_task_id, None);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_reply_leaves_the_running_task_in_the_state() {
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([first("one"), a2a_testkit::Step::Hang]));
    let mut agent = agent(&transport);
    let mut reply = agent.reply_stream("hi");
    for _ in 0..3 {
        reply.next().await.unwrap().unwrap();
    }
    drop(reply);
    assert_eq!(transport.open_streams(), 0);
    assert_eq!(agent.state().running_task_id.as_deref(), Some("t-1"));
    assert_eq!(transport.calls().len(), 1, "nothing is cancelled unless asked for");
}

#[tokio::test(start_paused = true)]
async fn next_may_be_dropped_without_losing_an_event() {
    let gate = a2a_testkit::Gate::new();
    let steps =
        [first("one"), a2a_testkit::Step::Wait(gate.clone()), more(" two"), status(TaskState::Completed, "")];
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream(steps));
    let mut agent = agent(&transport);
    let mut reply = agent.reply_stream("hi");
    for _ in 0..3 {
        reply.next().await.unwrap().unwrap();
    }
    for _ in 0..3 {
        tokio::time::timeout(std::time::Duration::from_millis(1), reply.next()).await.unwrap_err();
    }
    gate.open();
    assert_eq!(texts(&reply.finish().await.unwrap()), ["one two"]);
}

#[tokio::test(start_paused = true)]
async fn finish_gives_what_arrived_after_an_error_that_was_seen() {
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([first("Hel"), a2a_testkit::Step::fail("decode")]));
    let mut agent = agent(&transport);
    let mut reply = agent.reply_stream("hi");
    while let Some(item) = reply.next().await {
        if item.is_err() {
            break;
        }
    }
    let message = reply.finish().await.unwrap();
    assert_eq!(texts(&message), ["Hel"]);
    assert_eq!(message.error.unwrap().kind.as_str(), "upstream");
}

#[tokio::test(start_paused = true)]
async fn a_state_goes_on_where_it_was_left() {
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([message("ok")]));
    let text = r#"{"session_id":"s-1","context_id":"c-9","task_id":null,"observed_context":[]}"#;
    let state: A2aAgentState = serde_json::from_str(text).unwrap();
    let mut agent = builder(&transport).state(state).options(AgentOptions::default()).build().unwrap();
    let reply = read(agent.reply_stream("hi")).await;
    let a2a_agent::Event::ReplyStart(start) = &reply.events[0] else { panic!("{:?}", reply.events[0]) };
    assert_eq!(&*start.session_id, "s-1");
    assert_eq!(transport.calls()[0].request["message"]["contextId"], "c-9");
}

#[tokio::test(start_paused = true)]
async fn replies_can_be_sent_between_threads() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let transport = ScriptedTransport::new().answer(Method::SendStreamingMessage, stream([message("ok")]));
    let mut agent = is_send(agent(&transport));
    is_send(agent.reply("hi")).await.unwrap();
    drop(is_send(agent.reply_stream("hi")));
    drop(is_send(agent.cancel()));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_read_does_not_hold_the_agent() {
    let transport = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, stream([message("one")]))
        .answer(Method::SendStreamingMessage, stream([message("two")]));
    let mut agent = agent(&transport);
    let mut reply = agent.reply_stream("hi");
    while let Some(event) = reply.next().await {
        event.unwrap();
    }
    // Compiles: dropping a stream does not use the agent.
    assert_eq!(texts(&agent.reply("again").await.unwrap()), ["two"]);
}
