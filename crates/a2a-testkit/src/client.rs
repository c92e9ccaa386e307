//! A plain HTTP client that sees everything as it comes.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

/// Sends requests to a server under test, each on a connection of its own.
#[derive(Debug, Clone)]
pub struct RawClient {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

impl RawClient {
    /// A client of this server.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, headers: Vec::new() }
    }

    /// The same client with a header in every request, which a header of one request replaces.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends a request and waits for the head of its response.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> RawResponse {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n", self.address);
        let replaced = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let common = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in common.filter(|(name, _)| !replaced(name)).chain(headers.iter().copied()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !replaced("content-length")
            && !replaced("transfer-encoding")
            && (method != "GET" || !body.is_empty())
        {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        let mut stream = TcpStream::connect(self.address).await.expect("the server accepts connections");
        // A server that refuses a request may stop reading it.
        let _ = stream.write_all(&bytes).await;
        RawResponse::read(stream).await
    }

    /// Gets a path.
    pub async fn get(&self, path: &str) -> RawResponse {
        self.send("GET", path, &[], &[]).await
    }

    /// Posts JSON.
    pub async fn post(&self, path: &str, body: &Value) -> RawResponse {
        let headers = [("content-type", "application/json")];
        self.send("POST", path, &headers, body.to_string().as_bytes()).await
    }

    /// Makes a JSON-RPC call at `/`, with id 1.
    pub async fn call(&self, method: &str, params: Value) -> RawResponse {
        self.post("/", &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await
    }

    /// The result of a JSON-RPC call.
    ///
    /// # Panics
    ///
    /// It has an error.
    pub async fn result(&self, method: &str, params: Value) -> Value {
        let mut answer = self.call(method, params).await.json().await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        assert!(
            answer.get("jsonrpc") == Some(&json!("2.0")) && answer.get("id") == Some(&json!(1)),
            "{answer}"
        );
        answer.get_mut("result").expect("a response has a result or an error").take()
    }

    /// The error of a JSON-RPC call.
    ///
    /// # Panics
    ///
    /// It has none.
    pub async fn error(&self, method: &str, params: Value) -> Value {
        let mut answer = self.call(method, params).await.json().await;
        answer.get_mut("error").map(Value::take).unwrap_or_else(|| panic!("{method}: {answer}"))
    }
}

/// A response whose body is read as it comes.
#[derive(Debug)]
pub struct RawResponse {
    /// HTTP status.
    pub status: u16,
    /// Header fields in the order sent, names in lower case.
    pub headers: Vec<(String, String)>,
    stream: TcpStream,
    /// What was read of the connection and not yet of the body.
    read: Vec<u8>,
    body: BodyKind,
    /// What was read of the body and not yet given out.
    decoded: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    Length(usize),
    Chunked,
    UntilClose,
}

impl RawResponse {
    async fn read(mut stream: TcpStream) -> Self {
        let mut read = Vec::new();
        let at = loop {
            if let Some(at) = find(&read, b"\r\n\r\n") {
                break at;
            }
            assert!(more(&mut stream, &mut read).await > 0, "the connection ended before a response");
        };
        let rest = read.split_off(at + 4);
        let head = String::from_utf8(read).expect("a head is ASCII");
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|text| text.parse().ok());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let status = status.expect("a head begins with a status line");
        let mut response =
            Self { status, headers, stream, read: rest, body: BodyKind::UntilClose, decoded: Vec::new() };
        response.body =
            match (response.header("content-length").parse(), response.header("transfer-encoding")) {
                (Ok(length), _) => BodyKind::Length(length),
                (Err(_), "chunked") => BodyKind::Chunked,
                _ if matches!(status, 204 | 304) => BodyKind::Length(0),
                _ => BodyKind::UntilClose,
            };
        response
    }

    /// The value of a header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The rest of the body.
    pub async fn text(mut self) -> String {
        while self.more_of_body().await {}
        String::from_utf8(self.decoded).expect("the body is UTF-8")
    }

    /// The rest of the body as JSON.
    ///
    /// # Panics
    ///
    /// It is not.
    pub async fn json(self) -> Value {
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The next block of an event stream, without its blank line; `None` at the end.
    ///
    /// # Panics
    ///
    /// The stream is cut in the middle of a block, or silent for long.
    pub async fn block(&mut self) -> Option<String> {
        loop {
            if let Some(at) = find(&self.decoded, b"\n\n") {
                let rest = self.decoded.split_off(at + 2);
                let mut block = std::mem::replace(&mut self.decoded, rest);
                block.truncate(at);
                return Some(String::from_utf8(block).expect("events are UTF-8"));
            }
            if !self.more_of_body().await {
                assert!(self.decoded.is_empty(), "an event without its blank line");
                return None;
            }
        }
    }

    /// The data of the next event, comments skipped; `None` at the end.
    ///
    /// # Panics
    ///
    /// The data is not JSON in one line.
    pub async fn event(&mut self) -> Option<Value> {
        loop {
            let block = self.block().await?;
            let mut data = block.lines().filter_map(|line| line.strip_prefix("data: "));
            if let Some(line) = data.next() {
                assert!(data.next().is_none(), "one JSON over several lines: {block}");
                return Some(serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {block}")));
            }
        }
    }

    /// The payload of the next event, with or without a JSON-RPC envelope; `None` at the end.
    ///
    /// # Panics
    ///
    /// The event is an error.
    pub async fn payload(&mut self) -> Option<Value> {
        let mut event = self.event().await?;
        assert!(event.get("error").is_none(), "{event}");
        if event.get("jsonrpc").is_none() {
            return Some(event);
        }
        Some(event.get_mut("result").expect("an envelope has a result or an error").take())
    }

    /// All further payloads of an event stream.
    ///
    /// # Panics
    ///
    /// The response is none, or one of the events is an error.
    pub async fn payloads(&mut self) -> Vec<Value> {
        if self.header("content-type") != "text/event-stream" {
            while self.more_of_body().await {}
            panic!("not a stream: {}", String::from_utf8_lossy(&self.decoded));
        }
        let mut payloads = Vec::new();
        while let Some(payload) = self.payload().await {
            payloads.push(payload);
        }
        payloads
    }

    /// Reads further. Gives whether there was anything.
    async fn more_of_body(&mut self) -> bool {
        match self.body {
            BodyKind::Length(0) => false,
            BodyKind::Length(left) => {
                if self.read.is_empty() {
                    assert!(more(&mut self.stream, &mut self.read).await > 0, "the body was cut");
                }
                let taken = left.min(self.read.len());
                self.decoded.extend(self.read.drain(..taken));
                self.body = BodyKind::Length(left - taken);
                true
            }
            BodyKind::UntilClose => {
                let any = !self.read.is_empty() || more(&mut self.stream, &mut self.read).await > 0;
                self.decoded.append(&mut self.read);
                any
            }
            BodyKind::Chunked => {
                let line = self.until(b"\r\n").await;
                let size =
                    std::str::from_utf8(&line).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
                let size = size.expect("a chunk begins with its size");
                while self.read.len() < size + 2 {
                    assert!(more(&mut self.stream, &mut self.read).await > 0, "a chunk was cut");
                }
                self.decoded.extend(self.read.drain(..size));
                self.read.drain(..2);
                if size == 0 {
                    self.body = BodyKind::Length(0);
                }
                size > 0
            }
        }
    }

    async fn until(&mut self, mark: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = find(&self.read, mark) {
                let line = self.read.drain(..at).collect();
                self.read.drain(..mark.len());
                return line;
            }
            assert!(more(&mut self.stream, &mut self.read).await > 0, "the body was cut");
        }
    }
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

async fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> usize {
    let reading = timeout(PATIENCE, stream.read_buf(read)).await;
    // A connection that is reset has ended too.
    reading.expect("the server is silent for too long").unwrap_or_default()
}

/// Longer than anything takes in a test.
const PATIENCE: Duration = Duration::from_secs(30);
