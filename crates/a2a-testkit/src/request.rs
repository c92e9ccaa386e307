//! A request as it came over the wire.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// A request, byte for byte.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RawRequest {
    /// Number of the connection it came on, from 0.
    pub connection: usize,
    /// HTTP method.
    pub method: String,
    /// Request target, as sent.
    pub target: String,
    /// Header fields in the order sent, names as sent.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// The head, as sent.
    pub head: Vec<u8>,
}

impl RawRequest {
    /// The values of a header, joined by a comma; `None` if there is none.
    pub fn header(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self
            .headers
            .iter()
            .filter(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// Method and target.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    /// The body as JSON; `null` if it is not.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// Reads a request; `None` if the connection ends before one begins.
    pub(crate) async fn read(
        connection: usize,
        stream: &mut (impl AsyncRead + Unpin),
        read: &mut Vec<u8>,
    ) -> io::Result<Option<Self>> {
        let head_length = loop {
            if let Some(at) = read.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            if read_more(stream, read).await? == 0 {
                return if read.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        };
        let head: Vec<u8> = read.drain(..head_length).collect();
        let text = String::from_utf8_lossy(&head);
        let mut lines = text.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
        let (method, target) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let mut request = Self { connection, method, target, headers, body: Vec::new(), head: head.clone() };
        let length =
            request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0_usize);
        if length > MAX_REQUEST_BYTES {
            return Err(io::Error::other("the request is too large for a test"));
        }
        while read.len() < length {
            if read_more(stream, read).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        request.body = read.drain(..length).collect();
        Ok(Some(request))
    }
}

async fn read_more(stream: &mut (impl AsyncRead + Unpin), read: &mut Vec<u8>) -> io::Result<usize> {
    if read.len() > MAX_REQUEST_BYTES {
        return Err(io::Error::other("the request is too large for a test"));
    }
    stream.read_buf(read).await
}

const MAX_REQUEST_BYTES: usize = 256 * 1024 * 1024;
