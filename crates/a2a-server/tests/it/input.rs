//! Bad input: the right error each time, no panic, and nothing left behind.

use std::time::{Duration, Instant};

use a2a_server::{HttpOptions, Server};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::support::{GUARD, Running, agent, card, gist, message};

fn echo() -> impl a2a_server::AgentExecutor {
    agent(|context, updater| async move { Ok(updater.reply(context.text()).await?) })
}

/// Sends bytes and gives everything that comes back until the connection ends.
async fn raw(server: &Running, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // The server may stop reading.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = timeout(GUARD, stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_body_of_100_mib_is_refused_unread() {
    let server = Running::agent(echo()).await;
    let head = |path: &str, more: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\ncontent-type: application/json\r\n{more}\r\n\r\n"
        )
    };
    for path in ["/", "/message:send"] {
        // Announced: refused before a byte of it is sent.
        let answer = raw(&server, head(path, "content-length: 104857600").as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        assert!(
            answer.contains("connection: close") && answer.contains("larger than 16777216 bytes"),
            "{answer}"
        );
        // In chunks, unannounced.
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(head(path, "transfer-encoding: chunked").as_bytes()).await.unwrap();
        let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
        let mut sent = 0;
        while sent < 1600 && stream.write_all(&chunk).await.is_ok() {
            sent += 1;
        }
        // 16 MiB are 256 chunks; the rest is what the sockets hold.
        assert!(sent < 600, "{sent} chunks were taken");
    }
    assert_eq!(
        gist(&server.client.result("SendMessage", message("still here", json!({}))).await),
        "message still here"
    );
}

#[tokio::test]
async fn deep_nesting_is_an_error_and_not_the_end() {
    let server = Running::agent(echo()).await;
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let headers = [("content-type", "application/json")];
    let metadata = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"x"}}],"metadata":{}}}}}}}"#,
        deep("{\"a\":", "}").replace(":}", ":1}")
    );
    for (body, code) in [
        (deep("[", "]"), -32600),
        (deep("[", ""), -32700),
        (metadata, -32602),
        (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}}"#, deep("[", "]")), -32602),
    ] {
        let answer = server.client.send("POST", "/", &headers, body.as_bytes()).await.json().await;
        assert_eq!(answer["error"]["code"], code, "{}", &body[..80]);
        let answer = server.client.send("POST", "/message:send", &headers, body.as_bytes()).await;
        assert_eq!(answer.status, 400);
    }
    // Data is kept as it is, however deep.
    let data = format!(
        r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"x"}},{{"data":{}}}]}}}}"#,
        deep("[", "]")
    );
    let answer = server.client.send("POST", "/message:send", &headers, data.as_bytes()).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn slow_heads_and_bodies_are_cut_off() {
    let mut options = HttpOptions::default();
    options.header_timeout = Duration::from_millis(200);
    options.body_timeout = Duration::from_millis(200);
    let server = Running::start(|url| Server::new(card(url), echo()).with_http(options)).await;
    for (bytes, expect) in [
        ("", ""),
        ("POST / HTTP/1.1\r\nhost: x\r\n", ""),
        (
            "POST / HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{\"json",
            "HTTP/1.1 408",
        ),
    ] {
        let begun = Instant::now();
        let answer = raw(&server, bytes.as_bytes()).await;
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert!(answer.starts_with(expect), "{bytes}: {answer}");
    }
}

#[tokio::test]
async fn a_body_that_comes_byte_by_byte_is_cut_off() {
    let mut options = HttpOptions::default();
    options.body_timeout = Duration::from_millis(300);
    let server = Running::start(|url| Server::new(card(url), echo()).with_http(options)).await;
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (mut answer, mut request) = stream.into_split();
    request.write_all(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n").await.unwrap();
    let drip = async {
        while request.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let answered = async {
        let mut text = String::new();
        // The connection may be reset, since there is more than was read.
        let _ = answer.read_to_string(&mut text).await;
        text
    };
    let (_, text) = timeout(GUARD, futures::future::join(drip, answered)).await.unwrap();
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 408"), "{text}");
}

#[tokio::test]
async fn whoever_asks_and_never_reads_is_cut_off() {
    let mut options = HttpOptions::default();
    options.write_timeout = Duration::from_millis(200);
    options.max_connections = 1;
    let talkative = agent(|context, updater| async move {
        // More than sockets hold.
        let length = if context.text() == "much" { 8 << 20 } else { 1 };
        Ok(updater.reply("x".repeat(length)).await?)
    });
    let server = Running::start(|url| Server::new(card(url), talkative).with_http(options)).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let body = message("much", json!({})).to_string();
    let request = format!(
        "POST /message:send HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    // There is room for one connection, so somebody else is answered only when this one is gone.
    let answer = server.client.result("SendMessage", message("little", json!({}))).await;
    assert_eq!(gist(&answer), "message x");
    drop(stream);
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let server = Running::agent(echo()).await;
    for bytes in [
        b"hello\r\n\r\n".as_slice(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        &[b'x'; 1 << 20],
    ] {
        let answer = raw(&server, bytes).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert_eq!(gist(&server.client.result("SendMessage", message("fine", json!({}))).await), "message fine");
}

#[tokio::test]
async fn headers_and_paths_may_be_anything() {
    let server = Running::agent(echo()).await;
    for (name, value) in [
        ("a2a-version", "\u{e9}"),
        ("a2a-extensions", ",, ,\u{e9},"),
        ("content-type", "\u{e9}"),
        ("accept", ";;;"),
        ("if-none-match", "\u{e9}"),
    ] {
        let answer = server.client.send("POST", "/", &[(name, value)], b"{}").await;
        assert_eq!(answer.status, 200, "{name}");
        answer.json().await;
    }
    for path in [
        "/%",
        "/%ff/tasks",
        "/tasks/%00",
        "/tasks/%2e%2e",
        "/tasks/:cancel",
        "//tasks//",
        "/tasks?%=%&=&pageSize",
    ] {
        let answer = server.client.get(path).await;
        assert!(matches!(answer.status, 200 | 400 | 404 | 405), "{path}: {}", answer.status);
        answer.json().await;
    }
}

#[tokio::test]
async fn nothing_is_left_of_connections_that_break_off() {
    let working = agent(|_, updater| async move {
        updater.working(()).await?;
        tokio::time::sleep(Duration::from_millis(200)).await;
        updater.complete(()).await?;
        Ok(())
    });
    let server = Running::agent(working).await;
    let open_files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let before = open_files();
    for _ in 0..5 {
        let mut streams = Vec::new();
        for _ in 0..20 {
            let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
            stream.payload().await.unwrap();
            streams.push(stream);
        }
        // Some break off in the middle of a request, too.
        let mut half = TcpStream::connect(server.address).await.unwrap();
        half.write_all(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{").await.unwrap();
    }
    let all_gone = async {
        while server.engine.live_tasks() > 0 || open_files() > before {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let gone = timeout(GUARD, all_gone).await;
    assert!(
        gone.is_ok(),
        "{} tasks are live, {} files open, {before} before",
        server.engine.live_tasks(),
        open_files()
    );
    let list =
        server.client.result("ListTasks", json!({ "status": "TASK_STATE_COMPLETED", "pageSize": 1 })).await;
    assert_eq!(list["totalSize"], 100);
}
