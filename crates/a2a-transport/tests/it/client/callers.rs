//! Callers that wait in odd ways, and many at once: no wake-up is lost, and no message is sent twice.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use a2a_testkit::{Exchange, Loopback};
use a2a_transport::{ErrorKind, HttpConfig, JsonRpcTransport, ResponseStream, Transport as _};
use a2a_types::{Message, Part, Role, SendMessageRequest};
use futures::{StreamExt as _, stream::FuturesUnordered};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::support::{hello, http, http_with, in_time, interface, jsonrpc, no_options};

const EVENTS: usize = 20;
const EVENT: &str = "data: {\"id\": 1, \"result\": {\"message\": {\"messageId\": \"m\"}}}\n\n";

/// Numbers that differ, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A server whose connections are served by a function that is told their number.
async fn serve<F>(connection: impl Fn(u64, TcpStream) -> F + Send + 'static) -> String
where
    F: Future<Output = std::io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/rpc", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut number = 0;
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).unwrap();
            tokio::spawn(connection(number, stream));
            number += 1;
        }
    });
    url
}

/// The next request on a connection, which has a body.
async fn request(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut read = Vec::new();
    loop {
        if stream.read_buf(&mut read).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        // The last member of an envelope is an object.
        if read.ends_with(b"}}") {
            return Ok(String::from_utf8(read).unwrap());
        }
    }
}

/// A stream of events in pieces of any size.
async fn in_pieces(number: u64, mut stream: TcpStream) -> std::io::Result<()> {
    let mut dice = Dice(number);
    loop {
        request(&mut stream).await?;
        let mut whole = String::from(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        );
        for _ in 0..EVENTS {
            whole += &format!("{:x}\r\n{EVENT}\r\n", EVENT.len());
        }
        whole += "0\r\n\r\n";
        let mut rest = whole.as_bytes();
        while !rest.is_empty() {
            let length = usize::try_from(dice.below(200) + 1).unwrap().min(rest.len());
            let (piece, after) = rest.split_at(length);
            stream.write_all(piece).await?;
            rest = after;
            match dice.below(16) {
                0 => tokio::time::sleep(Duration::from_millis(1)).await,
                1..8 => tokio::task::yield_now().await,
                _ => {}
            }
        }
    }
}

/// Reads a stream to its end, waiting for each payload in another way.
async fn read_oddly(mut stream: ResponseStream, mut dice: Dice) -> usize {
    let mut payloads = 0;
    loop {
        // Whoever asks last is woken, not who asked before.
        if dice.below(2) == 0 {
            match stream.poll_next_unpin(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(None) => return payloads,
                Poll::Ready(Some(payload)) => {
                    payload.unwrap();
                    payloads += 1;
                    continue;
                }
                Poll::Pending => {}
            }
        }
        let payload = match dice.below(4) {
            0 => {
                let (next, back) = tokio::spawn(async move { (stream.next().await, stream) }).await.unwrap();
                stream = back;
                next
            }
            1 => loop {
                tokio::select! {
                    payload = stream.next() => break payload,
                    () = tokio::task::yield_now() => {}
                }
            },
            2 => {
                let mut all: FuturesUnordered<_> = [stream.next()].into_iter().collect();
                all.next().await.unwrap()
            }
            _ => stream.next().await,
        };
        let Some(payload) = payload else { return payloads };
        payload.unwrap();
        payloads += 1;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_wake_up_is_lost() {
    let url = serve(in_pieces).await;
    let transport = JsonRpcTransport::new(http(), &interface(url, "JSONRPC", "1.0")).unwrap();
    let transport = Arc::new(transport);
    let readers = (0..32).map(|reader| {
        let transport = Arc::clone(&transport);
        tokio::spawn(async move {
            for round in 0..20 {
                let stream = transport.send_streaming_message(hello(), no_options()).await.unwrap();
                assert_eq!(read_oddly(stream, Dice(reader << 8 | round)).await, EVENTS);
            }
        })
    });
    for reader in tokio::time::timeout(Duration::from_secs(60), futures::future::join_all(readers))
        .await
        .expect("a reader waits for ever")
    {
        reader.unwrap();
    }
}

/// Peers close connections just when they are used again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_sent_once_at_most() {
    let seen: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let server_saw = Arc::clone(&seen);
    let url = serve(move |number, mut stream| {
        let seen = Arc::clone(&server_saw);
        async move {
            let mut dice = Dice(number);
            let mut pause = Duration::from_secs(20);
            loop {
                let Ok(request) = tokio::time::timeout(pause, request(&mut stream)).await else {
                    if dice.below(2) == 0 {
                        stream.set_zero_linger()?;
                    }
                    return Ok(());
                };
                let id = request?.split("number-").nth(1).unwrap().split('"').next().unwrap().to_owned();
                *seen.lock().unwrap().entry(id).or_default() += 1;
                let body = r#"{"id": 1, "result": {"message": {"messageId": "m"}}}"#;
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                stream.write_all((head + body).as_bytes()).await?;
                // After an answer, the connection is closed soon.
                pause = Duration::from_micros(dice.below(1500));
            }
        }
    })
    .await;
    let transport = JsonRpcTransport::new(http(), &interface(url, "JSONRPC", "1.0")).unwrap();
    let mut dice = Dice(1);
    let mut answered = 0;
    for number in 0..1000 {
        let message = Message::new(format!("number-{number}"), Role::User, vec![Part::text("hi")]);
        let answer = in_time(transport.send_message(SendMessageRequest::new(message), no_options())).await;
        let times = seen.lock().unwrap().get(&number.to_string()).copied().unwrap_or_default();
        match answer {
            Ok(_) => {
                assert_eq!(times, 1);
                answered += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::StreamCut, "{error:?}");
                assert!(times <= 1);
            }
        }
        tokio::time::sleep(Duration::from_micros(dice.below(1500))).await;
    }
    assert!(answered > 0);
    assert!(seen.lock().unwrap().values().all(|times| *times == 1));
}

/// A stream can be dropped anywhere: without a runtime, and while its owner panics.
#[test]
fn a_stream_is_dropped_anywhere() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(Loopback::start([Exchange::any().event_stream([EVENT]).hold().times(4)]));
    let transport = jsonrpc(&server);
    let open = || {
        runtime.block_on(async {
            let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
            in_time(stream.next()).await.unwrap().unwrap();
            stream
        })
    };
    drop(open());
    let stream = open();
    std::thread::spawn(move || drop(stream)).join().unwrap();
    let stream = open();
    let panicked = std::thread::spawn(move || {
        let _stream = stream;
        // Not a panic that a hook would report.
        std::panic::resume_unwind(Box::new("on purpose"));
    });
    panicked.join().unwrap_err();
    runtime.block_on(in_time(server.closed_connections(3)));
    // And after its runtime.
    let stream = open();
    drop(runtime);
    drop(stream);
}

/// What a client holds is closed with it, whatever was done with it before.
#[tokio::test]
async fn a_client_that_is_dropped_leaves_no_connection() {
    for config in [
        HttpConfig::default(),
        HttpConfig::default().with_max_idle_connections(0),
        HttpConfig::default().with_pool_idle_timeout(Duration::ZERO),
        HttpConfig::default().with_pool_idle_timeout(Duration::MAX),
    ] {
        let answer = r#"{"id": "$ID", "result": {"message": {"messageId": "m"}}}"#;
        let server = Loopback::start([
            Exchange::any().json(answer).times(10),
            Exchange::any().event_stream([EVENT]).end().times(10),
            Exchange::any().event_stream([EVENT]).hold().times(10),
        ])
        .await;
        let interface = interface(server.url("/rpc"), "JSONRPC", "1.0");
        let transport = JsonRpcTransport::new(http_with(config), &interface).unwrap();
        let send = || transport.send_message(hello(), no_options());
        for answer in in_time(futures::future::join_all((0..10).map(|_| send()))).await {
            answer.unwrap();
        }
        for _ in 0..20 {
            let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
            in_time(stream.next()).await.unwrap().unwrap();
        }
        drop(transport);
        in_time(server.closed_connections(server.opened_connections())).await;
    }
}
