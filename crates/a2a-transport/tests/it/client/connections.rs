//! Which connections are used again, and which are closed.

use std::time::Duration;

use a2a_testkit::{Exchange, Gate, Loopback};
use a2a_transport::{HttpConfig, JsonRpcTransport, Transport as _};
use a2a_types::{GetTaskRequest, StreamResponse};
use futures::StreamExt as _;

use super::support::{drain, hello, http_with, in_time, jsonrpc, jsonrpc_with, no_options, texts};

const TASK: &str = r#"{"jsonrpc": "2.0", "id": "$ID", "result": {"id": "t"}}"#;

/// A message in an event.
fn event(text: &str) -> String {
    let message = format!(r#"{{"messageId": "m", "parts": [{{"text": "{text}"}}]}}"#);
    format!("data: {{\"id\": 1, \"result\": {{\"message\": {message}}}}}\n\n")
}

/// A stream of one event that arrives with its end in one piece, and what follows it.
fn whole_stream(text: &str, then: &str) -> Vec<u8> {
    let event = event(text);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    format!("{head}{:x}\r\n{event}\r\n0\r\n\r\n{then}", event.len()).into_bytes()
}

async fn get_task(transport: &JsonRpcTransport) -> String {
    in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.unwrap().id
}

async fn read_stream(transport: &JsonRpcTransport) -> Vec<StreamResponse> {
    let stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
    let (payloads, error) = in_time(drain(stream)).await;
    assert!(error.is_none(), "{error:?}");
    payloads
}

#[tokio::test]
async fn one_serves_call_after_call() {
    let server = Loopback::start([
        Exchange::any().event_stream([&*event("one"), &*event("two")]).end(),
        Exchange::any().json(TASK).times(2),
        Exchange::any().event_stream([&*event("three")]).end(),
        Exchange::any().status(500, &[], "no").times(2),
        Exchange::any().json(TASK),
    ])
    .await;
    let transport = jsonrpc(&server);
    assert_eq!(texts(&read_stream(&transport).await), ["one", "two"]);
    assert_eq!(get_task(&transport).await, "t");
    assert_eq!(get_task(&transport).await, "t");
    assert_eq!(texts(&read_stream(&transport).await), ["three"]);
    for _ in 0..2 {
        in_time(transport.send_message(hello(), no_options())).await.unwrap_err();
    }
    assert_eq!(get_task(&transport).await, "t");
    assert_eq!(server.opened_connections(), 1);
}

#[tokio::test]
async fn a_stream_that_nobody_reads_to_its_end_still_gives_it_back_if_that_is_there() {
    let server =
        Loopback::start([Exchange::any().send(whole_stream("one", "")), Exchange::any().json(TASK)]).await;
    let transport = jsonrpc(&server);
    let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
    in_time(stream.next()).await.unwrap().unwrap();
    drop(stream);
    assert_eq!(get_task(&transport).await, "t");
    assert_eq!(server.opened_connections(), 1);
}

#[tokio::test]
async fn a_stream_that_is_dropped_early_closes_it() {
    let server = Loopback::start([
        Exchange::any().event_stream([&*event("one")]).hold(),
        Exchange::any().hold(),
        Exchange::any().json(TASK),
    ])
    .await;
    let transport = jsonrpc(&server);
    let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
    in_time(stream.next()).await.unwrap().unwrap();
    drop(stream);
    in_time(server.closed_connections(1)).await;
    // So does a call that is given up before its answer.
    let asking = transport.get_task(GetTaskRequest::new("t"), no_options());
    assert!(tokio::time::timeout(Duration::from_millis(100), asking).await.is_err());
    in_time(server.closed_connections(2)).await;
    assert_eq!(get_task(&transport).await, "t");
    assert_eq!(server.opened_connections(), 3);
}

#[tokio::test]
async fn one_that_the_peer_has_closed_meanwhile_is_not_used() {
    let server = Loopback::start([
        Exchange::any().json(TASK).cut(),
        Exchange::any().json(TASK).reset(),
        Exchange::any().send(whole_stream("three", "")),
    ])
    .await;
    let transport = jsonrpc(&server);
    for closed in 1..=2 {
        assert_eq!(get_task(&transport).await, "t");
        in_time(server.closed_connections(closed)).await;
    }
    // A message, which is never sent twice, too.
    assert_eq!(texts(&read_stream(&transport).await), ["three"]);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn what_follows_an_answer_is_never_another() {
    let forged = String::from_utf8(whole_stream("forged", "")).unwrap();
    let server = Loopback::start([
        Exchange::any().send(whole_stream("one", &forged)),
        Exchange::any().send(whole_stream("two", "")).send(forged),
        Exchange::any().send(whole_stream("three", "")),
    ])
    .await;
    let transport = jsonrpc(&server);
    for text in ["one", "two", "three"] {
        assert_eq!(texts(&read_stream(&transport).await), [text]);
        // What was written later has arrived by then.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(server.opened_connections(), 3);
}

#[tokio::test]
async fn unused_ones_are_closed_after_a_while() {
    let server = Loopback::start([Exchange::any().json(TASK).times(2)]).await;
    let config = HttpConfig::default().with_pool_idle_timeout(Duration::from_millis(100));
    let transport = jsonrpc_with(&server, http_with(config));
    for closed in 1..=2 {
        assert_eq!(get_task(&transport).await, "t");
        in_time(server.closed_connections(closed)).await;
    }
}

#[tokio::test]
async fn no_more_are_kept_than_wanted() {
    let gate = Gate::new();
    let stream = Exchange::any().event_stream([&*event("one")]).wait(&gate).end();
    let server = Loopback::start([stream.times(3)]).await;
    let config = HttpConfig::default().with_max_idle_connections(1);
    let transport = jsonrpc_with(&server, http_with(config));
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap());
    }
    gate.open();
    for stream in streams {
        assert!(in_time(drain(stream)).await.1.is_none());
    }
    in_time(server.closed_connections(2)).await;
    assert_eq!(server.opened_connections(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_goes_on_in_whatever_task_reads_it() {
    let gates = [Gate::new(), Gate::new()];
    let server = Loopback::start([Exchange::any()
        .event_stream([&*event("one")])
        .wait(&gates[0])
        .chunk(&event("two"))
        .wait(&gates[1])
        .chunk(&event("three"))
        .end()])
    .await;
    let mut stream = in_time(jsonrpc(&server).send_streaming_message(hello(), no_options())).await.unwrap();
    in_time(stream.next()).await.unwrap().unwrap();
    // It waits in one task, is taken away from it, and waits in another.
    assert!(tokio::time::timeout(Duration::from_millis(50), stream.next()).await.is_err());
    let (first, second) = gates.into();
    let reading = tokio::spawn(async move {
        let two = in_time(stream.next()).await.unwrap().unwrap();
        (two, stream)
    });
    first.open();
    let (two, stream) = reading.await.unwrap();
    let rest = tokio::spawn(in_time(drain(stream)));
    second.open();
    let (three, error) = rest.await.unwrap();
    assert!(error.is_none());
    assert_eq!(texts(&[vec![two], three].concat()), ["two", "three"]);
}
