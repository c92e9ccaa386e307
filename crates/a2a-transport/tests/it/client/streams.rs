//! Streams: how they begin, go on and end.

use std::time::Duration;

use a2a_testkit::{Exchange, Gate, Loopback};
use a2a_transport::{CallOptions, ErrorKind, HttpConfig, ResponseStream, Transport, TransportError};
use a2a_types::{ErrorCode, GetTaskRequest, StreamResponse, SubscribeToTaskRequest, TaskState};
use futures::{FutureExt as _, StreamExt as _, stream::FusedStream as _};

use super::support::{
    all_transports, drain, hello, http, http_with, in_time, jsonrpc, jsonrpc_with, no_options, rest, texts,
};

/// An event of JSON-RPC with a chunk of an artifact.
fn chunk(text: &str) -> String {
    let update = update(text);
    format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{update}}}\n\n")
}

fn update(text: &str) -> String {
    format!(
        r#"{{"artifactUpdate":{{"taskId":"t","contextId":"c","append":true,"artifact":{{"artifactId":"a","parts":[{{"text":"{text}"}}]}}}}}}"#
    )
}

fn completed() -> String {
    let update =
        r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}"#;
    format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{update}}}\n\n")
}

async fn open(transport: &dyn Transport) -> ResponseStream {
    in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap()
}

/// The texts that a JSON-RPC stream of these pieces carries, and the error that ends it.
async fn texts_of(exchange: Exchange) -> (Vec<String>, Option<TransportError>) {
    let server = Loopback::start([exchange]).await;
    let (payloads, error) = in_time(drain(open(&jsonrpc(&server)).await)).await;
    (texts(&payloads), error)
}

async fn kind_of(exchange: Exchange) -> (Vec<String>, Option<ErrorKind>) {
    let (texts, error) = texts_of(exchange).await;
    (texts, error.map(|error| error.kind()))
}

#[tokio::test]
async fn payloads_arrive_whatever_the_pieces() {
    let stream = format!(": hello\n\n{}{}{}", chunk("low "), chunk("tide 😀"), completed());
    for width in [1, 2, 3, 7, 64, 1460] {
        let exchange = Exchange::any().split(width).event_stream([stream.as_str()]).end();
        assert_eq!(kind_of(exchange).await, (vec!["low ".to_owned(), "tide 😀".to_owned()], None), "{width}");
    }
    let pieces: Vec<String> = stream.chars().map(String::from).collect();
    let exchange = Exchange::any().event_stream(pieces.iter().map(String::as_str)).end();
    assert_eq!(kind_of(exchange).await.0, ["low ", "tide 😀"]);
}

#[tokio::test]
async fn a_body_without_length_ends_with_its_connection() {
    let body = format!("{}{}", chunk("all"), completed()).replace("\"$ID\"", "1");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n";
    assert_eq!(
        kind_of(Exchange::any().send(format!("{head}{body}")).cut()).await,
        (vec!["all".to_owned()], None)
    );
    let head = head.replace("1.1", "1.0");
    assert_eq!(
        kind_of(Exchange::any().send(format!("{head}{body}")).cut()).await,
        (vec!["all".to_owned()], None)
    );
}

#[tokio::test]
async fn payloads_come_as_soon_as_they_are_complete() {
    for line_end in ["\n", "\r\n", "\r"] {
        let gates = [Gate::new(), Gate::new()];
        let [one, two] = ["one ", "two"].map(|text| chunk(text).replace('\n', line_end));
        let exchange =
            Exchange::any().event_stream([one.as_str()]).wait(&gates[0]).chunk(&two).wait(&gates[1]).end();
        let server = Loopback::start([exchange]).await;
        let mut stream = open(&jsonrpc(&server)).await;
        for (gate, text) in gates.iter().zip(["one ", "two"]) {
            let payload = in_time(stream.next()).await.unwrap().unwrap();
            assert_eq!(texts(&[payload]), [text], "{line_end:?}");
            gate.open();
        }
        assert!(in_time(stream.next()).await.is_none());
        assert!(stream.is_terminated());
    }
}

#[tokio::test]
async fn events_that_say_nothing_are_passed_over() {
    let stream = format!(
        ": ping - 2026\n\nevent: ping\ndata:\n\ndata: \n\nid: 7\nretry: 10\n\n{}unknown: field\n{}",
        chunk("ok"),
        completed()
    );
    assert_eq!(
        kind_of(Exchange::any().event_stream([stream.as_str()]).end()).await,
        (vec!["ok".to_owned()], None)
    );
}

#[tokio::test]
async fn json_over_several_lines_is_one_event() {
    let pretty = "data: {\ndata:   \"jsonrpc\": \"2.0\", \"id\": \"$ID\",\ndata:   \"result\":\ndata: {\"message\": {\"messageId\": \"m\",\ndata:  \"parts\": [{\"text\": \"pretty\"}]}}\ndata: }\ndata:\n\n";
    assert_eq!(
        kind_of(Exchange::any().event_stream([pretty]).end()).await,
        (vec!["pretty".to_owned()], None)
    );
}

#[tokio::test]
async fn an_error_of_the_peer_ends_the_stream() {
    let error = r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":-32603,"message":"winch jammed"}}"#;
    for event in [format!("data: {error}\n\n"), format!("event: error\ndata: {error}\n\n")] {
        let stream = format!("{}event: ping\ndata:\n\n{event}{}", chunk("part one "), chunk("never"));
        let (texts, error) = texts_of(Exchange::any().event_stream([stream.as_str()]).hold()).await;
        assert_eq!(texts, ["part one "]);
        let error = error.unwrap();
        assert_eq!((error.kind(), error.rpc().unwrap().code), (ErrorKind::Rpc, ErrorCode::InternalError));
        assert!(error.to_string().contains("winch jammed"));
    }
}

#[tokio::test]
async fn rest_errors_end_the_stream_too() {
    for (event, code, word) in [
        (
            "event: error\ndata: {\"error\":{\"code\":404,\"message\":\"gone\"}}\n\n",
            ErrorCode::TaskNotFound,
            "gone",
        ),
        ("data: {\"error\":{\"code\":500,\"message\":\"gone\"}}\n\n", ErrorCode::InternalError, "gone"),
        ("event: error\ndata: {\"message\":\"gone\"}\n\n", ErrorCode::InternalError, "gone"),
        ("event: error\ndata: it is gone\n\n", ErrorCode::InternalError, "the stream failed"),
        ("data: {\"error\":{\"code\":-32001,\"message\":\"gone\"}}\n\n", ErrorCode::TaskNotFound, "gone"),
        ("data: {\"code\":-32001,\"message\":\"gone\",\"data\":[]}\n\n", ErrorCode::TaskNotFound, "gone"),
        ("data: {\"message\":\"gone\",\"code\":-32001}\n\n", ErrorCode::TaskNotFound, "gone"),
    ] {
        let stream = format!("data: {}\n\n{event}", update("part"));
        let server = Loopback::start([Exchange::any().event_stream([stream.as_str()]).hold()]).await;
        let (payloads, error) = in_time(drain(open(&rest(&server)).await)).await;
        assert_eq!(texts(&payloads), ["part"]);
        let error = error.unwrap();
        assert_eq!(error.rpc().map(|rpc| rpc.code), Some(code), "{event}");
        assert!(error.to_string().contains(word), "{event}: {error}");
    }
}

#[tokio::test]
async fn what_is_not_a_payload_ends_the_stream() {
    for bad in
        ["nonsense", "{\"jsonrpc\":\"2.0\",\"id\":1}", "[]", "{\"result\":{\"task\":7}}", "{\"result\":null}"]
    {
        let stream = format!("{}data: {bad}\n\n", chunk("part"));
        let got = kind_of(Exchange::any().event_stream([stream.as_str()]).hold()).await;
        assert_eq!(got, (vec!["part".to_owned()], Some(ErrorKind::Decode)), "{bad}");
    }
    // Frames that are not told apart: no blank line between them.
    let stream = chunk("one").replace("\n\n", "\n") + &chunk("two");
    assert_eq!(
        kind_of(Exchange::any().event_stream([stream.as_str()]).end()).await.1,
        Some(ErrorKind::Decode)
    );
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let bytes = [head.as_bytes(), b"data: \xFF\n\n"].concat();
    assert_eq!(kind_of(Exchange::any().send(bytes).cut()).await.1, Some(ErrorKind::Decode));
}

#[tokio::test]
async fn unknown_payloads_are_given_out_as_such() {
    let stream = "data: {\"result\":{\"pulse\":{\"n\":1}}}\n\n";
    let server = Loopback::start([Exchange::any().event_stream([stream]).end()]).await;
    let (payloads, error) = drain(open(&jsonrpc(&server)).await).await;
    assert!(matches!(&payloads[..], [StreamResponse::Unknown(members)] if members.contains_key("pulse")));
    assert!(error.is_none());
}

#[tokio::test]
async fn a_stream_ends_complete_or_cut() {
    let part = chunk("half");
    let begun = || Exchange::any().event_stream([part.as_str()]);
    let half = || vec!["half".to_owned()];
    assert_eq!(kind_of(begun().end()).await, (half(), None));
    assert_eq!(kind_of(begun().cut()).await, (half(), Some(ErrorKind::StreamCut)));
    assert_eq!(kind_of(begun().chunk("data: {\"res").end()).await, (half(), Some(ErrorKind::StreamCut)));
    assert_eq!(kind_of(begun().chunk("data: {}\n").end()).await, (half(), Some(ErrorKind::StreamCut)));
    assert_eq!(kind_of(begun().send("ff\r\ndata: {").cut()).await, (half(), Some(ErrorKind::StreamCut)));
    assert_eq!(kind_of(begun().send("zz\r\n")).await, (half(), Some(ErrorKind::StreamCut)));
    let (_, kind) = kind_of(begun().send("ff\r\ndata: {").reset()).await;
    assert_eq!(kind, Some(ErrorKind::StreamCut));
    // A length that is not kept.
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n";
    assert_eq!(
        kind_of(Exchange::any().send(format!("{head}{part}")).cut()).await,
        (half(), Some(ErrorKind::StreamCut))
    );
    // Nothing at all is complete: what it means is for those to say who know the task.
    assert_eq!(kind_of(Exchange::any().event_stream([]).end()).await, (vec![], None));
}

#[tokio::test]
async fn a_connection_that_ends_before_the_head_is_cut() {
    let server = Loopback::start([
        Exchange::any().cut(),
        Exchange::any().reset(),
        Exchange::any().send("HTTP/1.1 200 OK\r\nContent-").cut(),
    ])
    .await;
    for _ in 0..3 {
        // On a connection of its own, as a fresh client does.
        let error =
            in_time(jsonrpc(&server).send_streaming_message(hello(), no_options())).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StreamCut, "{error:?}");
        assert!(!error.is_connect());
    }
    assert_eq!(server.requests().len(), 3, "a message is never sent twice");
}

#[tokio::test]
async fn a_read_is_repeated_once_when_its_connection_ends() {
    let rpc = Exchange::on("POST /rpc").json(r#"{"id":"$ID","result":{"id":"t"}}"#);
    let server = Loopback::start([
        Exchange::any().cut(),
        rpc,
        Exchange::any().cut(),
        Exchange::on("GET /tasks/t").json(r#"{"id":"t"}"#),
        Exchange::any().times(2).cut(),
    ])
    .await;
    in_time(jsonrpc(&server).get_task(GetTaskRequest::new("t"), no_options())).await.unwrap();
    in_time(rest(&server).get_task(GetTaskRequest::new("t"), no_options())).await.unwrap();
    let subscribed =
        in_time(rest(&server).subscribe_to_task(SubscribeToTaskRequest::new("t"), no_options())).await;
    assert_eq!(subscribed.unwrap_err().kind(), ErrorKind::StreamCut);
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn events_are_bounded() {
    let config = HttpConfig::default().with_max_event_bytes(10_000);
    let long = chunk(&"x".repeat(10_000));
    let endless = format!("data: {}", "x".repeat(100));
    let exchanges = [
        Exchange::any().event_stream([chunk("part").as_str(), long.as_str()]).hold(),
        Exchange::any().event_stream(std::iter::repeat_n(endless.as_str(), 200)).hold(),
    ];
    let server = Loopback::start(exchanges).await;
    let transport = jsonrpc_with(&server, http_with(config));
    for expect in [1, 0] {
        let (payloads, error) = in_time(drain(open(&transport).await)).await;
        assert_eq!(payloads.len(), expect);
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        assert!(error.to_string().contains("10000 bytes"), "{error}");
    }
}

#[tokio::test]
async fn a_large_event_fits() {
    let text = "x".repeat(5_000_000);
    let stream = chunk(&text);
    let pieces: Vec<&str> =
        stream.as_bytes().chunks(16 * 1024).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
    let (texts, error) = texts_of(Exchange::any().event_stream(pieces).end()).await;
    assert_eq!(texts.iter().map(String::len).collect::<Vec<_>>(), [5_000_000]);
    assert!(error.is_none());
}

#[tokio::test]
async fn ten_thousand_events_in_one_piece() {
    let mut stream = chunk("x").repeat(10_000);
    stream.push_str(&completed());
    let (texts, error) = texts_of(Exchange::any().event_stream([stream.as_str()]).end()).await;
    assert_eq!(texts.len(), 10_000);
    assert!(error.is_none());
}

#[tokio::test]
async fn silence_is_limited() {
    let config = HttpConfig::default()
        .with_head_timeout(Duration::from_millis(300))
        .with_stream_idle_timeout(Some(Duration::from_millis(100)))
        .with_body_idle_timeout(Duration::from_millis(100));
    let part = chunk("half");
    let server = Loopback::start([
        Exchange::any().hold(),
        Exchange::any().event_stream([part.as_str()]).hold(),
        Exchange::any()
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
            .hold(),
    ])
    .await;
    let transport = jsonrpc_with(&server, http_with(config));
    let error = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("no answer within 300ms"), "{error}");
    let (payloads, error) = in_time(drain(open(&transport).await)).await;
    assert_eq!(texts(&payloads), ["half"]);
    assert!(error.unwrap().to_string().contains("silent for 100ms"));
    let error = in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    // Each of them closes its connection.
    in_time(server.closed_connections(3)).await;
}

#[tokio::test]
async fn a_call_may_limit_silence_itself() {
    let mut options = CallOptions::default();
    options.idle_timeout = Some(Duration::from_millis(100));
    let part = chunk("half");
    let server =
        Loopback::start([Exchange::any().hold(), Exchange::any().event_stream([part.as_str()]).hold()]).await;
    let transport = jsonrpc(&server);
    let error = in_time(transport.send_streaming_message(hello(), options.clone())).await.unwrap_err();
    assert!(error.is_timeout());
    let stream = in_time(transport.send_streaming_message(hello(), options)).await.unwrap();
    assert!(in_time(drain(stream)).await.1.unwrap().is_timeout());
}

#[tokio::test]
async fn comments_are_a_sign_of_life() {
    let config = HttpConfig::default().with_stream_idle_timeout(Some(Duration::from_millis(400)));
    let tick = Duration::from_millis(150);
    let (first, last) = (chunk("slow "), chunk("but sure"));
    let exchange = (0..6).fold(Exchange::any().event_stream([first.as_str()]), |exchange, _| {
        exchange.sleep(tick).chunk(": k\n\n")
    });
    let server = Loopback::start([exchange.chunk(&last).end()]).await;
    let (payloads, error) = in_time(drain(open(&jsonrpc_with(&server, http_with(config))).await)).await;
    assert_eq!(texts(&payloads), ["slow ", "but sure"]);
    assert!(error.is_none(), "{error:?}");
}

#[tokio::test]
async fn only_waiting_counts_as_silence() {
    let config = HttpConfig::default().with_stream_idle_timeout(Some(Duration::from_millis(100)));
    let parts = [chunk("one "), chunk("two")];
    let gate = Gate::new();
    let exchange = Exchange::any().event_stream([parts[0].as_str()]).wait(&gate).chunk(&parts[1]).end();
    let server = Loopback::start([exchange]).await;
    let mut stream = open(&jsonrpc_with(&server, http_with(config))).await;
    assert_eq!(texts(&[stream.next().await.unwrap().unwrap()]), ["one "]);
    // Nobody looks for longer than the limit; what has come meanwhile is there, and so is what comes soon.
    tokio::time::sleep(Duration::from_millis(250)).await;
    gate.open();
    let (payloads, error) = in_time(drain(stream)).await;
    assert_eq!(texts(&payloads), ["two"]);
    assert!(error.is_none(), "{error:?}");
}

#[tokio::test]
async fn asking_for_the_next_payload_can_be_given_up() {
    let texts_sent: Vec<String> = (0..50).map(|n| format!("{n} ")).collect();
    let stream = texts_sent.iter().map(|text| chunk(text)).collect::<String>();
    let exchange = Exchange::any().split(11).event_stream([stream.as_str()]).end();
    let server = Loopback::start([exchange]).await;
    let mut stream = open(&jsonrpc(&server)).await;
    let mut received = Vec::new();
    in_time(async {
        loop {
            // Each wait is dropped after being polled once.
            match stream.next().now_or_never() {
                Some(Some(payload)) => received.extend(texts(&[payload.unwrap()])),
                Some(None) => break,
                None => tokio::task::yield_now().await,
            }
        }
    })
    .await;
    assert_eq!(received, texts_sent);
}

#[tokio::test]
async fn dropping_closes_the_connection() {
    let part = chunk("half");
    let gate = Gate::new();
    let server =
        Loopback::start([Exchange::any().event_stream([part.as_str()]).hold(), Exchange::any().wait(&gate)])
            .await;
    let transport = jsonrpc(&server);
    let mut stream = open(&transport).await;
    stream.next().await.unwrap().unwrap();
    drop(stream);
    in_time(server.closed_connections(1)).await;
    // A call that is not answered yet, too.
    {
        let call = transport.send_message(hello(), no_options());
        tokio::pin!(call);
        tokio::select! {
            _ = &mut call => panic!("the call was not answered"),
            () = gate.reached() => {}
        }
    }
    in_time(server.closed_connections(2)).await;
}

#[tokio::test]
async fn connections_are_used_again() {
    let stream = format!("{}{}", chunk("all"), completed());
    let server = Loopback::start([
        Exchange::any().json(r#"{"id":"$ID","result":{"id":"t"}}"#),
        Exchange::any().event_stream([stream.as_str()]).end(),
        Exchange::any().status(404, &[], "gone"),
        Exchange::any().json(r#"{"id":"$ID","error":{"code":-32001,"message":"gone"}}"#),
        Exchange::any().event_stream([stream.as_str()]).end(),
    ])
    .await;
    let transport = jsonrpc(&server);
    transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
    assert!(drain(open(&transport).await).await.1.is_none());
    transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap_err();
    transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap_err();
    assert!(drain(open(&transport).await).await.1.is_none());
    assert_eq!((server.requests().len(), server.opened_connections()), (5, 1));
}

#[tokio::test]
async fn a_closed_connection_is_replaced() {
    let answer = || Exchange::any().json(r#"{"id":"$ID","result":{"id":"t"}}"#);
    let server = Loopback::start([answer().cut(), answer(), answer()]).await;
    let transport = jsonrpc(&server);
    for _ in 0..3 {
        transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
        in_time(server.closed_connections(1)).await;
    }
    assert_eq!((server.requests().len(), server.opened_connections()), (3, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_streams_at_once() {
    const STREAMS: usize = 1000;
    let gate = Gate::new();
    let stream = [chunk("one "), chunk("two")];
    let exchange =
        Exchange::any().times(STREAMS).event_stream([stream[0].as_str()]).wait(&gate).chunk(&stream[1]).end();
    let server = Loopback::start([exchange]).await;
    let transport = std::sync::Arc::new(jsonrpc(&server));
    let mut readers = tokio::task::JoinSet::new();
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..STREAMS {
        let (transport, begun) = (transport.clone(), begun.clone());
        readers.spawn(async move {
            let mut stream = transport.send_streaming_message(hello(), no_options()).await.unwrap();
            let first = stream.next().await.unwrap().unwrap();
            begun.send(()).unwrap();
            let (rest, error) = drain(stream).await;
            assert!(error.is_none(), "{error:?}");
            texts(&[first]).concat() + &texts(&rest).concat()
        });
    }
    for _ in 0..STREAMS {
        in_time(begins.recv()).await.unwrap();
    }
    gate.open();
    while let Some(text) = in_time(readers.join_next()).await {
        assert_eq!(text.unwrap(), "one two");
    }
}

#[tokio::test]
async fn v0_3_says_which_payload_is_the_last() {
    let part = r#"{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"old"}]}}"#;
    let last = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"input-required"},"final":true}"#;
    let rpc = |result: &str| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{result}}}\n\n");
    let bare = |result: &str| format!("data: {result}\n\n");
    let server = Loopback::start([
        Exchange::on("POST /rpc").event_stream([rpc(part).as_str(), &rpc(last)]).hold(),
        Exchange::on("POST /rpc/v1/message:stream").event_stream([bare(part).as_str(), &bare(last)]).hold(),
    ])
    .await;
    for (_, transport) in all_transports(&server).split_off(2) {
        let (payloads, error) = in_time(drain(open(transport.as_ref()).await)).await;
        assert_eq!(texts(&payloads), ["old"]);
        assert!(error.is_none());
        let Some(StreamResponse::StatusUpdate(update)) = payloads.last() else { panic!("{payloads:?}") };
        assert_eq!(update.status.state, TaskState::InputRequired);
    }
    in_time(server.closed_connections(2)).await;
}

#[tokio::test]
async fn bytes_that_v0_3_encoded_twice_are_decoded_twice() {
    let file = |bytes: &str| {
        format!(
            r#"{{"artifactUpdate":{{"taskId":"t","artifact":{{"artifactId":"a","parts":[{{"file":{{"fileWithBytes":"{bytes}","mimeType":"image/png"}}}}]}}}}}}"#
        )
    };
    // 89 50 4E 47 0D 0A as its SDK writes it, and as the others do.
    let (twice, once) = (file("aVZCT1J3MEs="), file("iVBORw0K"));
    let server = Loopback::start([Exchange::any()
        .event_stream([format!("data: {twice}\n\ndata: {once}\n\n").as_str()])
        .end()])
    .await;
    let (_, transport) = all_transports(&server).pop().unwrap();
    let (payloads, _) = drain(open(transport.as_ref()).await).await;
    for payload in payloads {
        let StreamResponse::ArtifactUpdate(update) = payload else { panic!("{payload:?}") };
        assert_eq!(update.artifact.parts[0].content, a2a_types::PartContent::Raw(b"\x89PNG\r\n".to_vec()));
    }
}

#[tokio::test]
async fn subscribing_goes_by_post_then_by_get() {
    let stream = format!("data: {}\n\n", update("again"));
    for status in [404, 405, 501] {
        let server = Loopback::start([
            Exchange::on("POST /tasks/t:subscribe").times(9).status(
                status,
                &[("Content-Type", "text/plain")],
                "no",
            ),
            Exchange::on("GET /tasks/t:subscribe").times(9).event_stream([stream.as_str()]).end(),
        ])
        .await;
        let transport = rest(&server);
        for _ in 0..2 {
            let subscribed =
                transport.subscribe_to_task(SubscribeToTaskRequest::new("t"), no_options()).await;
            assert_eq!(texts(&drain(subscribed.unwrap()).await.0), ["again"]);
        }
        let path = "/tasks/t:subscribe";
        let lines = server.request_lines();
        assert_eq!(lines, [format!("POST {path}"), format!("GET {path}"), format!("GET {path}")], "{status}");
    }
}

#[tokio::test]
async fn a_refusal_to_subscribe_is_no_matter_of_the_verb() {
    let info = r#"{"error":{"code":404,"message":"gone","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;
    let json = [("Content-Type", "application/json")];
    let server = Loopback::start([
        Exchange::any().status(404, &json, info),
        Exchange::any().status(401, &json, "{}"),
        Exchange::any().status(500, &json, "{}"),
    ])
    .await;
    let transport = rest(&server);
    for kind in [ErrorKind::Rpc, ErrorKind::Auth, ErrorKind::HttpStatus] {
        let refused = transport.subscribe_to_task(SubscribeToTaskRequest::new("t"), no_options()).await;
        assert_eq!(refused.unwrap_err().kind(), kind);
    }
    assert!(server.request_lines().iter().all(|line| line.starts_with("POST")));
    // Where neither verb is known, both were tried, and nothing is remembered.
    let server = Loopback::start([]).await;
    let transport = rest(&server);
    for _ in 0..2 {
        let refused = transport.subscribe_to_task(SubscribeToTaskRequest::new("t"), no_options()).await;
        assert_eq!(refused.unwrap_err().http_status(), Some(404));
    }
    let verbs: Vec<_> = server.requests().into_iter().map(|request| request.method).collect();
    assert_eq!(verbs, ["POST", "GET", "POST", "GET"]);
}

#[tokio::test]
async fn a_client_can_be_shared() {
    let server =
        Loopback::start([Exchange::any().times(2).json(r#"{"id":"$ID","result":{"id":"t"}}"#)]).await;
    let http = http();
    for _ in 0..2 {
        jsonrpc_with(&server, http.clone()).get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
    }
    assert_eq!(server.opened_connections(), 1);
}
