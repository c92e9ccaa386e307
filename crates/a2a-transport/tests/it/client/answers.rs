//! What becomes of answers in one piece, good and bad.

use std::time::Duration;

use a2a_testkit::{Exchange, Loopback};
use a2a_transport::{ErrorKind, HttpConfig, ResponseStream, Transport, TransportError};
use a2a_types::{
    DeleteTaskPushNotificationConfigRequest, ErrorCode, GetTaskRequest, ListTasksRequest, SendMessageRequest,
    SendMessageResponse,
};

use super::support::{
    all_transports, chain, drain, hello, http_with, in_time, jsonrpc, jsonrpc_with, no_options, rest, texts,
};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const HTML: (&str, &str) = ("Content-Type", "text/html; charset=utf-8");

/// The errors of a unary call and of a streaming call that are answered the same.
async fn errors_of(transport: &dyn Transport) -> [TransportError; 2] {
    let unary = in_time(transport.send_message(hello(), no_options())).await.unwrap_err();
    let streaming =
        in_time(transport.send_streaming_message(hello(), no_options())).await.map(|_| ()).unwrap_err();
    [unary, streaming]
}

/// Answers like this are errors of this kind to every transport and call, with the status and these words.
async fn check(status: u16, headers: &[(&str, &str)], body: &str, kind: ErrorKind, words: &[&str]) {
    let server = Loopback::start([Exchange::any().times(100).status(status, headers, body)]).await;
    for (name, transport) in all_transports(&server) {
        for error in errors_of(transport.as_ref()).await {
            let text = error.to_string();
            assert_eq!(error.kind(), kind, "{name}: {text}");
            assert_eq!(error.url().map(|url| url.starts_with(&server.url(""))), Some(true), "{name}: {text}");
            if kind != ErrorKind::Decode {
                assert_eq!(error.http_status(), Some(status), "{name}: {text}");
            }
            for word in words {
                assert!(text.contains(word), "{name}: {text} does not say {word:?}");
            }
        }
    }
    // Nothing is ever sent twice.
    assert_eq!(server.requests().len(), 8);
}

#[tokio::test]
async fn statuses_come_first() {
    check(401, &[], "", ErrorKind::Auth, &["HTTP 401 Unauthorized"]).await;
    check(401, &[HTML], "<h1>who?</h1>", ErrorKind::Auth, &["401"]).await;
    check(403, &[JSON], r#"{"detail": "not for you"}"#, ErrorKind::Auth, &["403", "not for you"]).await;
    check(401, &[JSON], r#"{"error": "token expired"}"#, ErrorKind::Auth, &["401", "token expired"]).await;
    check(404, &[HTML], "<h1>404 page not found</h1>", ErrorKind::HttpStatus, &["404"]).await;
    check(503, &[], "", ErrorKind::HttpStatus, &["503 Service Unavailable"]).await;
    check(500, &[("Content-Type", "text/event-stream")], "data: {}\n\n", ErrorKind::HttpStatus, &["500"])
        .await;
    check(400, &[JSON], "not json", ErrorKind::HttpStatus, &["400"]).await;
    check(502, &[JSON], "[1, 2]", ErrorKind::HttpStatus, &["502"]).await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let words = &["/moved", &status.to_string()];
        check(status, &[("Location", "/moved")], "", ErrorKind::Redirect, words).await;
    }
    let location = ("Location", "https://user:s3cret@other.example/rpc?key=s3cret");
    let server = Loopback::start([Exchange::any().times(2).status(307, &[location], "")]).await;
    for error in errors_of(&jsonrpc(&server)).await {
        let text = chain(&error).join("; ");
        assert!(text.contains("https://other.example/rpc"), "{text}");
        assert!(!format!("{text} {error:?}").contains("s3cret"), "{text}");
    }
    check(304, &[], "", ErrorKind::Redirect, &["304"]).await;
}

#[tokio::test]
async fn then_the_encoding_then_the_media_type() {
    let gzip = [("Content-Encoding", "gzip"), JSON];
    check(200, &gzip, "\u{1f}\u{8b}", ErrorKind::ContentType, &["gzip"]).await;
    check(200, &[HTML], "<p>hello", ErrorKind::ContentType, &["text/html"]).await;
    check(200, &[("Content-Type", "application/xml")], "<a/>", ErrorKind::ContentType, &["application/xml"])
        .await;
    check(200, &[("Content-Type", "text/json")], "{}", ErrorKind::ContentType, &["text/json"]).await;
}

#[tokio::test]
async fn then_the_body() {
    for body in ["", "nonsense", "[]", "\"text\"", "null", "{", "\u{feff}{}"] {
        check(200, &[JSON], body, ErrorKind::Decode, &[]).await;
    }
}

#[tokio::test]
async fn media_types_are_compared_without_case_and_parameters() {
    let result = r#"{"jsonrpc": "2.0", "id": "$ID", "result": {"message": {"messageId": "m", "parts": [{"text": "ok"}]}}}"#;
    for media_type in [
        "application/json",
        "APPLICATION/JSON;charset=UTF-8",
        "application/a2a+json",
        "application/vnd.api+json ; v=1",
    ] {
        let server =
            Loopback::start([Exchange::any().times(2).status(200, &[("Content-Type", media_type)], result)])
                .await;
        let transport = jsonrpc(&server);
        transport.send_message(hello(), no_options()).await.unwrap();
        let (payloads, error) =
            drain(transport.send_streaming_message(hello(), no_options()).await.unwrap()).await;
        assert_eq!(texts(&payloads), ["ok"], "{media_type}");
        assert!(error.is_none());
    }
    // Without one, JSON is what a unary call asked for; of a stream nobody knows.
    let server =
        Loopback::start([Exchange::any().times(2).status(200, &[("Content-Encoding", "identity")], result)])
            .await;
    let transport = jsonrpc(&server);
    transport.send_message(hello(), no_options()).await.unwrap();
    let error = transport.send_streaming_message(hello(), no_options()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ContentType);
}

#[tokio::test]
async fn no_content_is_no_answer() {
    let server = Loopback::start([Exchange::any().times(100).send("HTTP/1.1 204 No Content\r\n\r\n")]).await;
    for (name, transport) in all_transports(&server) {
        for error in errors_of(transport.as_ref()).await {
            assert!(matches!(error.kind(), ErrorKind::Decode | ErrorKind::ContentType), "{name}: {error}");
        }
    }
    // But of deleting it is, to HTTP+JSON.
    let mut request = DeleteTaskPushNotificationConfigRequest::default();
    (request.task_id, request.id) = ("t".to_owned(), "p".to_owned());
    rest(&server).delete_push_config(request, no_options()).await.unwrap();
}

#[tokio::test]
async fn deleting_is_confirmed_in_many_ways() {
    let mut request = DeleteTaskPushNotificationConfigRequest::default();
    (request.task_id, request.id) = ("t".to_owned(), "p".to_owned());
    for confirmation in [r#","result":null"#, r#","result":{}"#, ""] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":"$ID"{confirmation}}}"#);
        let server = Loopback::start([Exchange::any().json(&body)]).await;
        jsonrpc(&server).delete_push_config(request.clone(), no_options()).await.unwrap();
    }
    let server = Loopback::start([Exchange::any().json("{}"), Exchange::any().status(200, &[], "")]).await;
    rest(&server).delete_push_config(request.clone(), no_options()).await.unwrap();
    rest(&server).delete_push_config(request, no_options()).await.unwrap();
}

/// The JSON-RPC error that a body makes of both kinds of call.
async fn rpc_errors(status: u16, body: &str) -> [TransportError; 2] {
    let server = Loopback::start([Exchange::any().times(2).status(status, &[JSON], body)]).await;
    errors_of(&jsonrpc(&server)).await
}

#[tokio::test]
async fn jsonrpc_errors_count_whatever_the_status() {
    for status in [200, 400, 404, 500] {
        let body = r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":-32001,"message":"gone","data":[
            {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;
        for error in rpc_errors(status, body).await {
            assert_eq!(error.kind(), ErrorKind::Rpc, "{error}");
            let rpc = error.rpc().unwrap();
            assert_eq!(
                (rpc.code, rpc.message.as_str(), rpc.reason()),
                (ErrorCode::TaskNotFound, "gone", Some("TASK_NOT_FOUND"))
            );
            assert!(error.to_string().contains("gone"), "{error}");
            assert_eq!(error.http_status(), (status != 200).then_some(status));
        }
    }
    // Who may not ask is told by the status; the error stays.
    for error in
        rpc_errors(401, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"who?"}}"#).await
    {
        assert_eq!(error.kind(), ErrorKind::Auth);
        assert_eq!(error.rpc().unwrap().code, ErrorCode::InvalidRequest);
    }
}

/// A peer does not fill the logs: what it says is quoted in part, be it an error or a value in a wrong place.
#[tokio::test]
async fn long_words_of_a_peer_are_cut() {
    let words = "é".repeat(100_000);
    for body in [
        format!(r#"{{"jsonrpc":"2.0","id":"$ID","error":{{"code":-32603,"message":"{words}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"$ID","result":{{"task":"{words}"}}}}"#),
    ] {
        for error in rpc_errors(200, &body).await {
            let text = error.to_string();
            assert!(text.contains("éé") && text.len() < 5000, "{} bytes", text.len());
        }
    }
}

#[tokio::test]
async fn jsonrpc_errors_in_many_shapes() {
    for (body, code) in [
        (
            r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":-32603,"message":"winch jammed","data":null},"result":null}"#,
            -32603,
        ),
        (r#"{"error":{"code":-32001,"message":"winch jammed"}}"#, -32001),
        (r#"{"id":"someone-else","error":{"code":-32009,"message":"winch jammed","data":"text"}}"#, -32009),
        (r#"{"id":null,"error":{"code":-32001,"message":"winch jammed","data":{"taskId":"t"}}}"#, -32001),
        (r#"{"id":7,"error":{"code":42,"message":"winch jammed"}}"#, 42),
    ] {
        for error in rpc_errors(200, body).await {
            assert_eq!(error.rpc().map(|rpc| rpc.code.code()), Some(code), "{body}");
            assert!(error.to_string().contains("winch jammed"));
        }
    }
    for body in
        [r#"{"jsonrpc":"2.0","id":"$ID"}"#, r#"{"jsonrpc":"2.0","id":"$ID","result":null,"error":null}"#]
    {
        for error in rpc_errors(200, body).await {
            assert_eq!(error.kind(), ErrorKind::Decode, "{body}");
        }
    }
}

#[tokio::test]
async fn jsonrpc_results_are_taken_whatever_the_id() {
    for id in ["\"someone-else\"", "null", "1.5e0", "\"1\""] {
        let body = format!(
            r#"{{"id":{id},"error":null,"result":{{"id":"t","status":{{"state":"TASK_STATE_WORKING"}}}}}}"#
        );
        let server = Loopback::start([Exchange::any().json(&body)]).await;
        let task = jsonrpc(&server).get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
        assert_eq!(task.id, "t", "{id}");
    }
}

#[tokio::test]
async fn rest_errors_are_read_by_reason_then_by_status() {
    let info = |reason: &str| {
        format!(
            r#"{{"error":{{"code":400,"status":"FAILED_PRECONDITION","message":"no bell here","details":[
            {{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[]}},
            {{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"{reason}","domain":"a2a-protocol.org"}}]}}}}"#
        )
    };
    for (status, body, code) in [
        (400, info("PUSH_NOTIFICATION_NOT_SUPPORTED"), ErrorCode::PushNotificationNotSupported),
        (400, info("VERSION_NOT_SUPPORTED"), ErrorCode::VersionNotSupported),
        (200, info("TASK_NOT_FOUND"), ErrorCode::TaskNotFound),
        (404, r#"{"error":{"code":404,"message":"no bell here"}}"#.to_owned(), ErrorCode::TaskNotFound),
        (500, r#"{"error":{"code":500,"message":"no bell here"}}"#.to_owned(), ErrorCode::InternalError),
        (200, r#" { "error" : {"code":404,"message":"no bell here"}}"#.to_owned(), ErrorCode::TaskNotFound),
    ] {
        let server = Loopback::start([Exchange::any().times(2).status(status, &[JSON], &body)]).await;
        for error in errors_of(&rest(&server)).await {
            assert_eq!(error.kind(), ErrorKind::Rpc, "{body}: {error}");
            assert_eq!(error.rpc().unwrap().code, code, "{body}");
            assert_eq!(error.http_status(), (status != 200).then_some(status));
            assert!(error.to_string().contains("no bell here"));
        }
    }
    let server =
        Loopback::start([Exchange::any().status(404, &[JSON], r#"{"message":"Task not found"}"#)]).await;
    let error = rest(&server).get_task(GetTaskRequest::new("t-41"), no_options()).await.unwrap_err();
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::HttpStatus, Some(404)));
    assert!(error.to_string().contains("Task not found"), "{error}");
}

#[tokio::test]
async fn rest_v0_3_errors_are_read_by_type_too() {
    for (status, body, code) in [
        (404, r#"{"type":"TaskNotFoundError","message":"gone"}"#, ErrorCode::TaskNotFound),
        (409, r#"{"message":"gone"}"#, ErrorCode::TaskNotCancelable),
        (422, r#"{"code":-32602,"message":"gone"}"#, ErrorCode::InvalidParams),
        (200, r#"{"code":-32602,"message":"gone"}"#, ErrorCode::InvalidParams),
        (200, r#"{"message":"gone","code":-32001}"#, ErrorCode::TaskNotFound),
        (200, r#"{"message":"gone","type":"TaskNotFoundError"}"#, ErrorCode::TaskNotFound),
    ] {
        let server = Loopback::start([Exchange::any().times(2).status(status, &[JSON], body)]).await;
        let (_, transport) = all_transports(&server).pop().unwrap();
        for error in errors_of(transport.as_ref()).await {
            assert_eq!(error.rpc().map(|rpc| rpc.code), Some(code), "{body}: {error}");
        }
    }
}

#[tokio::test]
async fn what_the_peer_wants_is_kept() {
    let server = Loopback::start([
        Exchange::any().status(401, &[("WWW-Authenticate", "Bearer realm=\"desk\"")], ""),
        Exchange::any().status(503, &[("Retry-After", "120")], ""),
        Exchange::any().status(
            429,
            &[("Retry-After", "Wed, 04 Mar 2026 07:15:40 GMT"), ("Date", "Wed, 04 Mar 2026 07:15:30 GMT")],
            "",
        ),
        Exchange::any().status(503, &[("Retry-After", "soon")], ""),
    ])
    .await;
    let transport = jsonrpc(&server);
    let fail = || async { transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap_err() };
    assert_eq!(fail().await.www_authenticate(), Some("Bearer realm=\"desk\""));
    assert_eq!(fail().await.retry_after(), Some(Duration::from_secs(120)));
    assert_eq!(fail().await.retry_after(), Some(Duration::from_secs(10)));
    assert_eq!(fail().await.retry_after(), None);
}

#[tokio::test]
async fn bodies_are_bounded() {
    let http = || http_with(HttpConfig::default().with_max_body_bytes(1000));
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"id":"{}"}}}}"#, "x".repeat(1000));
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{long}\r\n0\r\n\r\n",
        long.len()
    );
    // With a length nothing is read.
    let endless = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1001\r\n\r\n";
    let server = Loopback::start([
        Exchange::any().json(&long),
        Exchange::any().send(chunked).split(100),
        Exchange::any().send(endless).hold(),
    ])
    .await;
    for _ in 0..3 {
        let transport = jsonrpc_with(&server, http());
        let error = in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        assert!(error.to_string().contains("1000 bytes"), "{error}");
    }
    // Just as much as is allowed.
    let padding = " ".repeat(1000 - 33);
    let fits = format!(r#"{{"jsonrpc":"2.0","result":{{}}}}{padding}"#);
    let fits = &fits[..1000.min(fits.len())];
    let server = Loopback::start([Exchange::any().json(fits)]).await;
    jsonrpc_with(&server, http()).list_tasks(ListTasksRequest::default(), no_options()).await.unwrap();
}

#[tokio::test]
async fn heads_are_bounded() {
    let endless = format!("HTTP/1.1 200 OK\r\n{}", "X-Filler: ".to_owned() + &"x".repeat(1024 * 1024));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(1000));
    let server = Loopback::start([Exchange::any().send(endless), Exchange::any().send(many)]).await;
    for _ in 0..2 {
        let error =
            in_time(jsonrpc(&server).get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode, "{error:?}");
        assert!(error.to_string().contains("too large"), "{error}");
    }
}

#[tokio::test]
async fn error_bodies_are_bounded() {
    let body = format!(r#"{{"error":"{}"}}"#, "x".repeat(1024 * 1024));
    let said = format!(r#"{{"error":"{}"}}"#, "é".repeat(10_000));
    let server = Loopback::start([
        Exchange::any().status(500, &[JSON], &body),
        Exchange::any().status(500, &[JSON], &said),
        Exchange::any().send("HTTP/1.1 500 Oops\r\nContent-Length: 10\r\n\r\nabc").cut(),
    ])
    .await;
    for expect in [100, 1_200, 100] {
        let error =
            in_time(jsonrpc(&server).get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
        assert_eq!((error.kind(), error.http_status()), (ErrorKind::HttpStatus, Some(500)));
        assert!(error.to_string().len() < expect, "{}", error.to_string().len());
    }
}

#[tokio::test]
async fn what_is_not_http_is_an_error() {
    for bytes in ["SSH-2.0-OpenSSH_9\r\n", "HTTP/9.9 200 OK\r\n\r\n", "\0\0\0\0", "HTTP/1.1 abc\r\n\r\n"] {
        let server = Loopback::start([Exchange::any().send(bytes).cut()]).await;
        let error =
            in_time(jsonrpc(&server).get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Decode | ErrorKind::StreamCut), "{bytes:?}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_in_place_of_a_stream_is_a_stream_of_one() {
    let task = r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"one piece"}]}]}}"#;
    let rpc = format!(r#"{{"jsonrpc":"2.0","id":"$ID","result":{task}}}"#);
    for (body, path) in [(task.to_owned(), "POST /message:stream"), (rpc, "POST /rpc")] {
        let server = Loopback::start([Exchange::on(path).json(&body)]).await;
        let transport: Box<dyn Transport> =
            if path.ends_with("rpc") { Box::new(jsonrpc(&server)) } else { Box::new(rest(&server)) };
        let stream: ResponseStream = transport.send_streaming_message(hello(), no_options()).await.unwrap();
        let (payloads, error) = drain(stream).await;
        assert_eq!(texts(&payloads), ["one piece"]);
        assert!(error.is_none());
    }
}

#[tokio::test]
async fn a_result_that_is_not_wrapped_is_not_mistaken() {
    let body =
        r#"{"jsonrpc":"2.0","id":"$ID","result":{"id":"t-41","status":{"state":"TASK_STATE_COMPLETED"}}}"#;
    let server = Loopback::start([Exchange::any().json(body)]).await;
    let answer = jsonrpc(&server).send_message(hello(), no_options()).await.unwrap();
    assert!(matches!(answer, SendMessageResponse::Unknown(members) if members.contains_key("status")));
}

#[tokio::test]
async fn history_that_is_not_wanted_is_dropped_by_v0_3() {
    let task = r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"},
        "history":[{"kind":"message","messageId":"m","role":"user","parts":[]}]}"#;
    let rpc = format!(r#"{{"jsonrpc":"2.0","id":"$ID","result":{task}}}"#);
    let server =
        Loopback::start([Exchange::on("POST /rpc").times(9).json(&rpc), Exchange::any().times(9).json(task)])
            .await;
    for (_, transport) in all_transports(&server).split_off(2) {
        let mut request = GetTaskRequest::new("t");
        assert_eq!(transport.get_task(request.clone(), no_options()).await.unwrap().history.len(), 1);
        request.history_length = Some(0);
        assert!(transport.get_task(request, no_options()).await.unwrap().history.is_empty());
        let mut request: SendMessageRequest = hello();
        let mut configuration = a2a_types::SendMessageConfiguration::default();
        configuration.history_length = Some(0);
        request.configuration = Some(configuration);
        let answer = transport.send_message(request, no_options()).await.unwrap();
        assert!(matches!(answer, SendMessageResponse::Task(task) if task.history.is_empty()));
    }
    assert!(server.requests().iter().all(|request| !request.target.contains("historyLength")));
}
