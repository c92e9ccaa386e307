//! Callers that come with a runtime of their own: one that ends before its client does, one that stands still
//! between calls, and none at all.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use a2a_transport::{HttpClient, HttpConfig, JsonRpcTransport, Transport as _};
use tokio::runtime::{Builder, Runtime};

use super::support::{hello, http, http_with, in_time, interface, no_options};

/// A server on threads of its own, which goes on whatever the runtimes of a test do. It answers requests of less
/// than a segment, sent at once.
struct Server {
    url: String,
    opened: Arc<AtomicUsize>,
    /// Told of each connection that is over.
    closed: mpsc::Receiver<()>,
}

#[derive(Clone, Copy)]
enum Then {
    Keep,
    Close,
}

const ANSWER: &str =
    r#"{"id": 1, "result": {"id": "t", "message": {"messageId": "m", "parts": [{"text": "hi"}]}}}"#;

impl Server {
    fn start(then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/rpc", listener.local_addr().unwrap());
        let opened = Arc::new(AtomicUsize::new(0));
        let (ends, closed) = mpsc::channel();
        let count = Arc::clone(&opened);
        thread::spawn(move || {
            for stream in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
                let ends = ends.clone();
                thread::spawn(move || {
                    serve(stream.unwrap(), then);
                    let _ = ends.send(());
                });
            }
        });
        Self { url, opened, closed }
    }

    fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    fn closed(&self) {
        self.closed.recv_timeout(Duration::from_secs(20)).expect("the connection stays open");
    }
}

fn serve(mut stream: TcpStream, then: Then) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(1..) = stream.read(&mut buffer) {
        let id = String::from_utf8_lossy(&buffer)
            .split("\"id\":")
            .nth(1)
            .and_then(|rest| rest.split(|byte: char| !byte.is_ascii_digit()).next().map(str::to_owned));
        let body = ANSWER.replacen('1', &id.unwrap_or_default(), 1);
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
        if stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).is_err() {
            return;
        }
        if let Then::Close = then {
            return;
        }
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn transport(http: HttpClient, url: &str) -> JsonRpcTransport {
    JsonRpcTransport::new(http, &interface(url.to_owned(), "JSONRPC", "1.0")).unwrap()
}

async fn send(transport: &JsonRpcTransport) -> String {
    let answer = in_time(transport.send_message(hello(), no_options())).await;
    format!("{:?}", answer.map_err(|error| error.kind()).map(|_| ()))
}

/// A program that waits for its user, not for its runtime, learns late that the peer has closed the connection: a
/// message, which is never sent twice, must not be lost to that.
#[test]
fn what_was_closed_while_the_runtime_stood_still_is_not_used() {
    let server = Server::start(Then::Close);
    let (transport, runtime) = (transport(http(), &server.url), runtime());
    let wait = || {
        server.closed();
        thread::sleep(Duration::from_millis(5));
    };
    for call in 1..=10 {
        assert_eq!(runtime.block_on(send(&transport)), "Ok(())", "call {call}");
        wait();
    }
    runtime.block_on(async {
        for call in 1..=10 {
            assert_eq!(send(&transport).await, "Ok(())", "call {call}");
            wait();
        }
    });
    let local = tokio::task::LocalSet::new();
    runtime.block_on(local.run_until(async {
        for call in 1..=10 {
            assert_eq!(send(&transport).await, "Ok(())", "call {call}");
            wait();
        }
    }));
    runtime.block_on(async move {
        let calls = tokio::spawn(async move {
            for call in 1..=10 {
                assert_eq!(send(&transport).await, "Ok(())", "call {call}");
                thread::sleep(Duration::from_millis(5));
            }
        });
        calls.await.unwrap();
    });
}

#[test]
fn a_client_serves_one_runtime_after_the_other() {
    let server = Server::start(Then::Keep);
    let transport = transport(http(), &server.url);
    for _ in 0..20 {
        let runtime = runtime();
        runtime.block_on(async {
            for _ in 0..3 {
                assert_eq!(send(&transport).await, "Ok(())");
            }
        });
    }
    assert_eq!(server.opened(), 20);
}

/// The connections of a runtime that stands still are of no use to another.
#[test]
fn a_client_serves_two_runtimes_in_turn() {
    let server = Server::start(Then::Keep);
    let transport = transport(http(), &server.url);
    let runtimes = [runtime(), runtime()];
    for _ in 0..3 {
        for runtime in &runtimes {
            assert_eq!(runtime.block_on(send(&transport)), "Ok(())");
        }
    }
    assert_eq!(server.opened(), 2);
}

#[test]
fn unused_connections_are_closed_in_every_runtime() {
    let server = Server::start(Then::Keep);
    let http = http_with(HttpConfig::default().with_pool_idle_timeout(Duration::from_millis(100)));
    let transport = transport(http, &server.url);
    for _ in 0..2 {
        let runtime = runtime();
        runtime.block_on(async {
            assert_eq!(send(&transport).await, "Ok(())");
        });
        drop(runtime);
    }
    let runtime = runtime();
    runtime.block_on(async {
        assert_eq!(send(&transport).await, "Ok(())");
        tokio::time::sleep(Duration::from_millis(500)).await;
    });
    // All of them, too those of the runtimes that are gone.
    for _ in 0..3 {
        server.closed();
    }
}
