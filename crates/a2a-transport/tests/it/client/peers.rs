//! Peers that speak HTTP/1.1 in their own way, badly, too much or not to the end.

use std::{
    io::{Read as _, Write as _},
    time::{Duration, Instant},
};

use a2a_testkit::{Exchange, Gate, Loopback};
use a2a_transport::{ErrorKind, HttpConfig, JsonRpcTransport, ResponseStream, Transport as _};
use a2a_types::{Message, Part, Role, SendMessageRequest};
use futures::StreamExt as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::support::{hello, http_with, in_time, interface, jsonrpc, jsonrpc_with, no_options};

const ANSWER: &str = r#"{"id": 1, "result": {"message": {"messageId":"m"}}}"#;
/// A head, up to what says where the body ends.
const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/// What becomes of the connection after a response.
#[derive(Debug, Clone, Copy)]
enum Then {
    Stays,
    Cut,
}
use Then::{Cut, Stays};

/// What the first message of two comes to, and how many connections the two take.
async fn outcome(response: &str, then: Then, width: usize) -> (Result<(), ErrorKind>, usize) {
    let first = Exchange::any().split(width).send(response);
    let first = if matches!(then, Cut) { first.cut() } else { first };
    let server = Loopback::start([first, Exchange::any().json(ANSWER)]).await;
    let config = HttpConfig::default().with_body_idle_timeout(Duration::from_millis(500));
    let transport = jsonrpc_with(&server, http_with(config));
    let send = || in_time(transport.send_message(hello(), no_options()));
    let first = send().await.map(|_| ()).map_err(|error| error.kind());
    send().await.unwrap();
    assert_eq!(server.requests().len(), 2, "a message is sent once: {response}");
    (first, server.opened_connections())
}

/// Checks a response in one piece and byte by byte; the second message takes a connection of its own or not.
async fn check(response: &str, then: Then, expect: (Result<(), ErrorKind>, usize)) {
    for width in [0, 1] {
        assert_eq!(outcome(response, then, width).await, expect, "{width}: {response}");
    }
}

#[tokio::test]
async fn what_comes_before_the_response_is_passed_over() {
    let response = format!("{OK}Content-Length: 51\r\n\r\n{ANSWER}");
    for before in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n",
        &"HTTP/1.1 100 Continue\r\n\r\n".repeat(100),
        "\r\n\r\n",
    ] {
        check(&format!("{before}{response}"), Stays, (Ok(()), 1)).await;
    }
    let upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
    check(upgrade, Stays, (Err(ErrorKind::HttpStatus), 2)).await;
    check("HTTP/1.1 100 Continue\r\n\r\n", Cut, (Err(ErrorKind::StreamCut), 2)).await;
}

#[tokio::test]
async fn a_response_without_a_body_keeps_its_connection() {
    for (head, kind) in [
        ("HTTP/1.1 204 No Content\r\n\r\n", ErrorKind::Decode),
        ("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", ErrorKind::Decode),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 51\r\n\r\n", ErrorKind::Redirect),
        ("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", ErrorKind::HttpStatus),
    ] {
        check(head, Stays, (Err(kind), 1)).await;
    }
}

#[tokio::test]
async fn a_connection_is_kept_as_the_peer_wants_it() {
    let old = OK.replace("1.1", "1.0");
    for (head, then, connections) in [
        (format!("{old}Content-Length: 51\r\n"), Stays, 2),
        (format!("{old}Connection: keep-alive\r\nContent-Length: 51\r\n"), Stays, 1),
        (format!("{OK}Connection: close\r\nContent-Length: 51\r\n"), Stays, 2),
        (old, Cut, 2),
        (OK.to_owned(), Cut, 2),
    ] {
        check(&format!("{head}\r\n{ANSWER}"), then, (Ok(()), connections)).await;
    }
}

#[tokio::test]
async fn lengths_are_taken_at_their_word() {
    for (length, then, expect) in [
        ("Content-Length: 51\r\nContent-Length: 51", Stays, (Ok(()), 1)),
        ("Content-Length: 51\r\nContent-Length: 52", Stays, (Err(ErrorKind::Decode), 2)),
        ("Content-Length: -1", Stays, (Err(ErrorKind::Decode), 2)),
        ("Content-Length: +51", Stays, (Err(ErrorKind::Decode), 2)),
        ("Content-Length: 18446744073709551615", Stays, (Err(ErrorKind::Decode), 2)),
        ("Content-Length: 18446744073709551000", Stays, (Err(ErrorKind::TooLarge), 2)),
        ("Content-Length: 52", Stays, (Err(ErrorKind::Timeout), 2)),
        ("Content-Length: 52", Cut, (Err(ErrorKind::StreamCut), 2)),
    ] {
        check(&format!("{OK}{length}\r\n\r\n{ANSWER}"), then, expect).await;
    }
    // What is left over is nothing that can be followed by a response.
    let left_over = format!("{OK}Content-Length: 50\r\n\r\n{ANSWER}");
    assert_eq!(outcome(&left_over, Stays, 0).await, (Err(ErrorKind::Decode), 2));
}

#[tokio::test]
async fn chunks_are_read_with_all_that_belongs_to_them() {
    let cut = Err(ErrorKind::StreamCut);
    for (chunks, then, expect) in [
        ("33;a=b;c=\"d\"\r\n$\r\n0;x\r\nTrailer: v\r\n\r\n", Stays, (Ok(()), 1)),
        ("00000033\r\n$\r\n000\r\n\r\n", Stays, (Ok(()), 1)),
        ("33\r\n$\r\n", Cut, (cut, 2)),
        ("33\r\n$\r\n0\r\n", Cut, (cut, 2)),
        ("33\r\n$0\r\n\r\n", Stays, (cut, 2)),
        ("-33\r\n$\r\n0\r\n\r\n", Stays, (cut, 2)),
        ("fffffffffffffffff\r\n$", Stays, (cut, 2)),
        ("ffffffffffffffff\r\n$", Stays, (Err(ErrorKind::Timeout), 2)),
    ] {
        let chunks = chunks.replace('$', ANSWER);
        check(&format!("{OK}Transfer-Encoding: chunked\r\n\r\n{chunks}"), then, expect).await;
    }
    let both =
        format!("{OK}Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n33\r\n{ANSWER}\r\n0\r\n\r\n");
    check(&both, Stays, (Ok(()), 1)).await;
}

/// A stream that is dropped keeps its connection if all of it is there, never if anything is to come.
#[tokio::test]
async fn a_stream_is_dropped_wherever_its_end_has_got_to() {
    let event = "data: {\"id\": 1, \"result\": {\"message\": {\"messageId\": \"m\"}}}\n\n";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{event}", event.len());
    let sized = format!("{head}Content-Length: {}\r\n\r\n{event}", event.len() + 3);
    for (begin, end) in [(&chunked, "\r\n0\r\n\r\n"), (&chunked, "\r\n0\r\nA: b\r\n\r\n"), (&sized, ":\n\n")]
    {
        for there in 0..=end.len() {
            let (here, to_come) = end.split_at(there);
            let (sent, gate) = (Gate::new(), Gate::new());
            let server = Loopback::start([
                Exchange::any().send(begin.clone()).send(here).wait(&sent).wait(&gate).send(to_come),
                Exchange::any().json(ANSWER),
            ])
            .await;
            let transport = jsonrpc(&server);
            let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
            in_time(stream.next()).await.unwrap().unwrap();
            // What was written has arrived, for both ends are here.
            in_time(sent.reached()).await;
            sent.open();
            drop(stream);
            gate.open();
            in_time(transport.send_message(hello(), no_options())).await.unwrap();
            assert!(server.opened_connections() == 2 || there == end.len(), "{here:?} of {end:?}");
        }
    }
}

fn long_message() -> SendMessageRequest {
    SendMessageRequest::new(Message::new("m-1", Role::User, vec![Part::text("x".repeat(16 << 20))]))
}

/// A server of raw connections.
async fn raw<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> String
where
    F: Future<Output = std::io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/rpc", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    url
}

fn to(url: String, config: HttpConfig) -> JsonRpcTransport {
    JsonRpcTransport::new(http_with(config), &interface(url, "JSONRPC", "1.0")).unwrap()
}

const TOO_LARGE: &[u8] = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much";

/// The peer does not have to hear a request out.
#[tokio::test]
async fn an_answer_to_half_a_request_counts() {
    let polite = raw(async |mut stream: TcpStream| {
        stream.read_exact(&mut [0; 1024]).await?;
        stream.write_all(TOO_LARGE).await?;
        stream.shutdown().await?;
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map(|_| ())
    });
    let silent = raw(async |mut stream: TcpStream| {
        stream.read_exact(&mut [0; 1024]).await?;
        stream.write_all(TOO_LARGE).await?;
        std::future::pending().await
    });
    for url in [polite.await, silent.await] {
        let transport = to(url, HttpConfig::default());
        for _ in 0..2 {
            let error = in_time(transport.send_message(long_message(), no_options())).await.unwrap_err();
            assert_eq!((error.kind(), error.http_status()), (ErrorKind::HttpStatus, Some(413)), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_peer_that_stops_reading_has_a_time_limit() {
    let url = raw(async |mut stream: TcpStream| {
        stream.read_exact(&mut [0; 1024]).await?;
        std::future::pending().await
    });
    let transport = to(url.await, HttpConfig::default().with_head_timeout(Duration::from_millis(300)));
    let error = in_time(transport.send_message(long_message(), no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

/// Time runs out for a peer that never pauses, too.
#[tokio::test]
async fn a_head_that_never_begins_has_a_time_limit() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/rpc", listener.local_addr().unwrap());
    let flooding = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // What comes before the request is no response.
        stream.read_exact(&mut [0; 64]).unwrap();
        let flood = "HTTP/1.1 100 Continue\r\n\r\n".repeat(100_000);
        while stream.write_all(flood.as_bytes()).is_ok() {}
    });
    let transport = to(url, HttpConfig::default().with_head_timeout(Duration::from_millis(300)));
    let begin = Instant::now();
    let error = in_time(transport.send_message(hello(), no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    // All that is there at once would take a minute.
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    drop(transport);
    flooding.join().unwrap();
}

/// Nor does a peer that never pauses keep others from running.
#[tokio::test]
async fn a_flood_of_events_leaves_room_for_others() {
    let url = raw(async |mut stream: TcpStream| {
        stream.read_exact(&mut [0; 64]).await?;
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n").await?;
        let flood = "data: {\"id\": 1, \"result\": {\"message\": {\"messageId\": \"m\"}}}\n\n".repeat(10_000);
        loop {
            stream.write_all(flood.as_bytes()).await?;
        }
    });
    let transport = to(url.await, HttpConfig::default());
    let mut stream: ResponseStream =
        in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
    let reading = async {
        while let Some(payload) = stream.next().await {
            payload.unwrap();
        }
    };
    let begin = Instant::now();
    tokio::select! {
        biased;
        () = reading => panic!("the stream never ends"),
        () = tokio::time::sleep(Duration::from_millis(100)) => {}
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
