//! The canned server: answers every request with the stream of the workload that its path names.

use std::error::Error;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

use crate::workload::{Binding, Workload, Writes};

/// Serves until its standard input is closed; the first line it prints is its address.
pub(crate) async fn run() -> Result<(), Box<dyn Error>> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    // A crowd that comes at once is let in at once: no client has an easier time because its connections trickle in.
    let listener = socket.listen(BACKLOG)?;
    println!("{}", listener.local_addr()?);
    let parent = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    let accepting = async {
        loop {
            let (stream, _) = listener.accept().await?;
            // A client that goes away has what it wanted.
            tokio::spawn(async move { drop(serve(stream).await) });
        }
    };
    tokio::select! {
        _ = parent => Ok(()),
        ended = accepting => ended,
    }
}

const BACKLOG: u32 = 4096;

async fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(feature = "http2")]
    if http2::is_spoken(&stream).await? {
        return http2::serve(stream).await;
    }
    let mut read = Vec::new();
    let mut canned: Option<(String, Vec<Vec<u8>>)> = None;
    while let Some((workload, id)) = request(&mut stream, &mut read).await? {
        let key = format!("{workload} {id}");
        if canned.as_ref().is_none_or(|(known, _)| *known != key) {
            canned = Some((key, response(&workload, &id)));
        }
        for piece in canned.iter().flat_map(|(_, pieces)| pieces) {
            stream.write_all(piece).await?;
        }
    }
    Ok(())
}

/// The workload and the id that the next request asks for; `None` at the end of the connection.
async fn request(stream: &mut TcpStream, read: &mut Vec<u8>) -> std::io::Result<Option<(Workload, String)>> {
    let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
    let head_length = loop {
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(read.get(..head_length).unwrap_or_default()).to_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap_or("0").trim().to_owned();
    let length: usize = length.parse().map_err(|_| invalid())?;
    while read.len() < head_length + length {
        if stream.read_buf(read).await? == 0 {
            return Err(invalid());
        }
    }
    let path = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let workload = path.split('/').next().unwrap_or_default().parse().map_err(|_| invalid())?;
    let body: serde_json::Value =
        serde_json::from_slice(read.get(head_length..).unwrap_or_default()).unwrap_or_default();
    let id = body.get("id").map_or_else(|| "null".to_owned(), ToString::to_string);
    read.clear();
    Ok(Some((workload, id)))
}

/// The whole response, in the pieces that are written.
fn response(workload: &Workload, id: &str) -> Vec<Vec<u8>> {
    let head =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let events = events(workload, id);
    let chunked = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let end = b"0\r\n\r\n".to_vec();
    match workload.writes {
        Writes::Event => {
            let chunks = events.iter().map(|event| chunked(event.as_bytes()));
            std::iter::once(head).chain(chunks).chain([end]).collect()
        }
        Writes::Bytes(size) => {
            let mut whole = head;
            whole.extend(events.iter().flat_map(|event| chunked(event.as_bytes())));
            whole.extend(end);
            whole.chunks(size).map(<[u8]>::to_vec).collect()
        }
        Writes::Fragments(size) => {
            let fragments = events.concat();
            let chunks = fragments.as_bytes().chunks(size).map(chunked);
            std::iter::once(head).chain(chunks).chain([end]).collect()
        }
    }
}

fn events(workload: &Workload, id: &str) -> Vec<String> {
    let text = "tide ".repeat(workload.chunk_bytes / 5 + 1);
    let text = text.get(..workload.chunk_bytes).unwrap_or_default();
    let status = |state: &str| {
        format!(
            r#"{{"statusUpdate":{{"taskId":"task-1","contextId":"ctx-1","status":{{"state":"{state}"}}}}}}"#
        )
    };
    let chunk = |append: &str| {
        format!(
            r#"{{"artifactUpdate":{{"taskId":"task-1","contextId":"ctx-1","artifact":{{"artifactId":"answer","parts":[{{"text":"{text}"}}]}}{append}}}}}"#
        )
    };
    let event = |payload: &str| match workload.binding {
        Binding::JsonRpc => format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{payload}}}\n\n"),
        Binding::Rest => format!("data: {payload}\n\n"),
    };
    let mut events = Vec::with_capacity(workload.chunks + 2);
    events.push(event(&status("TASK_STATE_WORKING")));
    events.push(event(&chunk("")));
    events.resize(workload.chunks + 1, event(&chunk(r#","append":true"#)));
    events.push(event(&status("TASK_STATE_COMPLETED")));
    events
}

/// The same over HTTP/2, as whoever knows it beforehand speaks it: an event is a frame.
#[cfg(feature = "http2")]
mod http2 {
    use std::{convert::Infallible, io::Error};

    use bytes::Bytes;
    use http_body_util::{BodyExt as _, StreamBody};
    use hyper::{
        Request, Response,
        body::{Frame, Incoming},
        header::CONTENT_TYPE,
        server::conn::http2,
        service::service_fn,
    };
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use tokio::net::TcpStream;

    use super::{Workload, events};

    /// Whether the client begins with the preface of HTTP/2.
    pub(super) async fn is_spoken(stream: &TcpStream) -> std::io::Result<bool> {
        let mut start = [0; 3];
        Ok(stream.peek(&mut start).await? == start.len() && start == *b"PRI")
    }

    pub(super) async fn serve(stream: TcpStream) -> std::io::Result<()> {
        http2::Builder::new(TokioExecutor::new())
            .max_concurrent_streams(u32::MAX)
            .serve_connection(TokioIo::new(stream), service_fn(answer))
            .await
            .map_err(Error::other)
    }

    async fn answer(
        request: Request<Incoming>,
    ) -> Result<Response<StreamBody<impl futures::Stream<Item = Result<Frame<Bytes>, Infallible>>>>, Error>
    {
        let path = request.uri().path().trim_start_matches('/').to_owned();
        let workload: Workload = path.split('/').next().unwrap_or_default().parse().map_err(Error::other)?;
        let body = request.into_body().collect().await.map_err(Error::other)?.to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let id = body.get("id").map_or_else(|| "null".to_owned(), ToString::to_string);
        let frames = events(&workload, &id).into_iter().map(|event| Ok(Frame::data(Bytes::from(event))));
        let mut response = Response::new(StreamBody::new(futures::stream::iter(frames)));
        response
            .headers_mut()
            .insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("text/event-stream"));
        Ok(response)
    }
}
