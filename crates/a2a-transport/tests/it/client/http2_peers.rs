//! Peers of HTTP/2 that go away, refuse, stall or say nothing, frame by frame.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use a2a_transport::{ErrorKind, Http2, HttpConfig, JsonRpcTransport, Transport as _};
use a2a_types::{Message, Part, Role, SendMessageRequest};
use futures::{StreamExt as _, future::join_all};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::support::{hello, http_with, in_time, interface, no_options};

const ANSWER: &[u8] = br#"{"id": 1, "result": {"message": {"messageId": "m"}}}"#;
const EVENT: &[u8] = b"data: {\"id\": 1, \"result\": {\"message\": {\"messageId\": \"m\"}}}\n\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const REFUSED_STREAM: u32 = 7;

/// One connection, as the peer sees it.
struct Peer(TcpStream);

impl Peer {
    /// Reads the preface of the client, and answers with settings unless there are none.
    async fn greet(mut stream: TcpStream, settings: Option<&[u8]>) -> Self {
        stream.read_exact(&mut [0; 24]).await.unwrap();
        let mut peer = Self(stream);
        if let Some(settings) = settings {
            peer.send(SETTINGS, 0, 0, settings).await;
        }
        peer
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        // A client that has gone away is a case of its own.
        let _ = self.0.write_all(&frame).await;
    }

    /// The stream of the next request of which all has arrived; `None` when the client has closed the connection.
    async fn request(&mut self) -> Option<u32> {
        loop {
            let mut head = [0; 9];
            self.0.read_exact(&mut head).await.ok()?;
            let mut payload = vec![0; usize::from(head[1]) << 8 | usize::from(head[2])];
            self.0.read_exact(&mut payload).await.ok()?;
            let stream = u32::from_be_bytes(head[5..].try_into().unwrap());
            if stream > 0 && matches!(head[3], DATA | HEADERS) && head[4] & END_STREAM > 0 {
                return Some(stream);
            }
        }
    }

    async fn respond(&mut self, stream: u32, media_type: &str) {
        // Status 200 and a content type, as HPACK has them.
        let mut head = vec![0x88, 0x5f, u8::try_from(media_type.len()).unwrap()];
        head.extend(media_type.as_bytes());
        self.send(HEADERS, END_HEADERS, stream, &head).await;
    }

    async fn answer(&mut self, stream: u32) {
        self.respond(stream, "application/json").await;
        self.send(DATA, END_STREAM, stream, ANSWER).await;
    }

    async fn reset(&mut self, stream: u32, code: u32) {
        self.send(RST_STREAM, 0, stream, &code.to_be_bytes()).await;
    }

    async fn go_away(&mut self, last: u32, code: u32) {
        self.send(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat()).await;
    }
}

/// A server whose connections are numbered from 0.
struct Server {
    url: String,
    opened: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

impl Server {
    async fn start<F>(serve: impl Fn(usize, TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/rpc", listener.local_addr().unwrap());
        let (opened, closed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (Arc::clone(&opened), Arc::clone(&closed));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serve(counts.0.fetch_add(1, Ordering::SeqCst), stream);
                let closed = Arc::clone(&counts.1);
                tokio::spawn(async move {
                    serving.await;
                    closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { url, opened, closed }
    }

    fn transport(&self, config: HttpConfig) -> JsonRpcTransport {
        let http = http_with(config.with_http2(Http2::Always));
        JsonRpcTransport::new(http, &interface(self.url.clone(), "JSONRPC", "1.0")).unwrap()
    }

    fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    async fn all_closed(&self) {
        in_time(async {
            while self.closed.load(Ordering::SeqCst) < self.opened() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}

async fn send(transport: &JsonRpcTransport) -> Result<(), ErrorKind> {
    in_time(transport.send_message(hello(), no_options())).await.map(|_| ()).map_err(|error| error.kind())
}

#[tokio::test]
async fn a_peer_that_goes_away_between_requests_is_connected_to_again() {
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    let server = Server::start(move |_, stream| {
        let count = Arc::clone(&count);
        async move {
            let mut peer = Peer::greet(stream, Some(&[])).await;
            while let Some(stream) = peer.request().await {
                count.fetch_add(1, Ordering::SeqCst);
                peer.answer(stream).await;
                peer.go_away(stream, 0).await;
            }
        }
    })
    .await;
    let transport = server.transport(HttpConfig::default());
    for _ in 0..20 {
        assert_eq!(send(&transport).await, Ok(()));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!((server.opened(), requests.load(Ordering::SeqCst)), (20, 20));
    server.all_closed().await;
}

/// Streams that a peer names before it goes away are finished.
#[tokio::test]
async fn a_peer_that_goes_away_within_a_stream_finishes_it() {
    let server = Server::start(async |_, stream| {
        let mut peer = Peer::greet(stream, Some(&[])).await;
        let first = peer.request().await.unwrap();
        peer.respond(first, "text/event-stream").await;
        peer.send(DATA, 0, first, EVENT).await;
        peer.go_away(first, 0).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        peer.send(DATA, 0, first, EVENT).await;
        peer.send(DATA, END_STREAM, first, EVENT).await;
        while peer.request().await.is_some() {}
    })
    .await;
    let transport = server.transport(HttpConfig::default());
    for connections in 1..=3 {
        let stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
        let (payloads, error) = in_time(super::support::drain(stream)).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!((payloads.len(), server.opened()), (3, connections));
    }
}

#[tokio::test]
async fn a_stream_that_is_reset_or_refused_leaves_the_others() {
    let server = Server::start(async |_, stream| {
        let mut peer = Peer::greet(stream, Some(&[])).await;
        let mut number = 0;
        while let Some(stream) = peer.request().await {
            match number % 4 {
                0 => peer.answer(stream).await,
                1 => peer.reset(stream, REFUSED_STREAM).await,
                2 => peer.reset(stream, 2).await,
                _ => {
                    peer.respond(stream, "application/json").await;
                    peer.reset(stream, 8).await;
                }
            }
            number += 1;
        }
    })
    .await;
    let transport = server.transport(HttpConfig::default());
    for number in 0..12 {
        let expect = if number % 4 == 0 { Ok(()) } else { Err(ErrorKind::StreamCut) };
        assert_eq!(send(&transport).await, expect, "{number}");
    }
    assert_eq!(server.opened(), 1);
}

#[tokio::test]
async fn calls_take_turns_where_the_peer_allows_one_at_a_time() {
    let server = Server::start(async |_, stream| {
        // Most streams at once: 1.
        let mut peer = Peer::greet(stream, Some(&[0, 3, 0, 0, 0, 1])).await;
        let mut last = None;
        while let Some(stream) = peer.request().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
            peer.answer(stream).await;
            last = Some(stream);
        }
        assert!(last.is_some());
    })
    .await;
    let transport = server.transport(HttpConfig::default());
    assert_eq!(send(&transport).await, Ok(()));
    for result in join_all((0..50).map(|_| send(&transport))).await {
        assert_eq!(result, Ok(()));
    }
    assert_eq!(server.opened(), 1);
}

#[tokio::test]
async fn a_peer_that_says_nothing_has_a_time_limit() {
    let server = Server::start(async |_, stream| {
        let mut peer = Peer::greet(stream, None).await;
        while peer.request().await.is_some() {}
    })
    .await;
    let transport = server.transport(HttpConfig::default().with_head_timeout(Duration::from_millis(200)));
    for _ in 0..3 {
        assert_eq!(send(&transport).await, Err(ErrorKind::Timeout));
    }
    drop(transport);
    server.all_closed().await;
}

/// The window of a peer that reads no more is full.
#[tokio::test]
async fn a_request_that_is_not_read_has_a_time_limit_and_leaves_the_others() {
    let server = Server::start(async |_, stream| {
        let mut peer = Peer::greet(stream, Some(&[])).await;
        while let Some(stream) = peer.request().await {
            peer.answer(stream).await;
        }
    })
    .await;
    let transport = server.transport(HttpConfig::default().with_head_timeout(Duration::from_millis(1000)));
    assert_eq!(send(&transport).await, Ok(()));
    let long = SendMessageRequest::new(Message::new("m", Role::User, vec![Part::text("x".repeat(1 << 20))]));
    let error = in_time(transport.send_message(long, no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    drop(transport);
    server.all_closed().await;
}

#[tokio::test]
async fn no_time_to_keep_a_connection_is_no_harm() {
    let server = Server::start(async |_, stream| {
        let mut peer = Peer::greet(stream, Some(&[])).await;
        while let Some(stream) = peer.request().await {
            peer.answer(stream).await;
        }
    })
    .await;
    for limit in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
        let transport = server.transport(HttpConfig::default().with_pool_idle_timeout(limit));
        for _ in 0..5 {
            assert_eq!(send(&transport).await, Ok(()));
        }
        assert_eq!(join_all((0..20).map(|_| send(&transport))).await, vec![Ok(()); 20]);
        if limit < Duration::from_secs(1) {
            server.all_closed().await;
        }
        drop(transport);
        server.all_closed().await;
    }
}

/// Who gives up waiting for a connection takes it along, and leaves no time limit behind.
#[tokio::test]
async fn connecting_is_given_up_with_its_last_caller() {
    let (accepted, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::start(move |number, mut stream| {
        let accepted = accepted.clone();
        async move {
            accepted.send(()).unwrap();
            if number == 0 {
                // Says nothing in TLS.
                let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
            }
        }
    })
    .await;
    let url = server.url.replace("http:", "https:");
    let config = HttpConfig::default().with_http2(Http2::Always).with_connect_timeout(Duration::from_secs(1));
    let transport = JsonRpcTransport::new(http_with(config), &interface(url, "JSONRPC", "1.0")).unwrap();
    {
        let sending = transport.send_message(hello(), no_options());
        tokio::select! {
            answer = sending => panic!("{answer:?}"),
            _ = seen.recv() => {}
        }
    }
    server.all_closed().await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let error = in_time(transport.send_message(hello(), no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls, "{error:?}");
}

/// A stream whose runtime is gone ends with an error, wherever it is read.
#[test]
fn a_stream_does_not_outlive_its_runtime() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (serving, first, second) = (
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap(),
        runtime(),
        runtime(),
    );
    let served = Arc::new(Mutex::new(0));
    let count = Arc::clone(&served);
    let server = serving.block_on(Server::start(move |_, stream| {
        let count = Arc::clone(&count);
        async move {
            let mut peer = Peer::greet(stream, Some(&[])).await;
            while let Some(stream) = peer.request().await {
                *count.lock().unwrap() += 1;
                peer.respond(stream, "text/event-stream").await;
                peer.send(DATA, 0, stream, EVENT).await;
            }
        }
    }));
    let transport = server.transport(HttpConfig::default());
    let mut stream = first.block_on(async {
        let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
        in_time(stream.next()).await.unwrap().unwrap();
        assert!(tokio::time::timeout(Duration::from_millis(20), stream.next()).await.is_err());
        stream
    });
    drop(first);
    second.block_on(async {
        let error = in_time(stream.next()).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StreamCut);
        let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
        in_time(stream.next()).await.unwrap().unwrap();
    });
    assert_eq!(*served.lock().unwrap(), 2);
}

/// As with HTTP/1.1: what was closed while nobody looked is not used for a message.
#[test]
fn what_was_closed_while_the_runtime_stood_still_is_not_used() {
    let serving = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = serving.block_on(Server::start(async |number, stream| {
        let mut peer = Peer::greet(stream, Some(&[])).await;
        let stream = peer.request().await.unwrap();
        peer.answer(stream).await;
        if number % 2 == 0 {
            peer.go_away(stream, 0).await;
        }
        // What is not read when the connection is closed would take the answer along.
        let _ = tokio::time::timeout(Duration::from_millis(10), peer.request()).await;
    }));
    let transport = server.transport(HttpConfig::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wait = |closed| {
        for _ in 0..2000 {
            std::thread::sleep(Duration::from_millis(5));
            if server.closed.load(Ordering::SeqCst) == closed {
                return;
            }
        }
        panic!("the connection stays open");
    };
    runtime.block_on(async {
        for call in 1..=10 {
            assert_eq!(send(&transport).await, Ok(()), "call {call}");
            wait(call);
        }
    });
    for call in 11..=20 {
        assert_eq!(runtime.block_on(send(&transport)), Ok(()), "call {call}");
        wait(call);
    }
}
