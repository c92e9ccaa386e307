//! An HTTP server that does exactly what it is told.

use std::{
    fmt, io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::future::BoxFuture;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

use crate::{Gate, RawRequest};

/// A server on 127.0.0.1 and a free port, gone when it is dropped.
///
/// Each request takes the first exchange that matches it and is not used up. One that no exchange matches is
/// answered 404. A connection is kept for further requests unless its exchange ends it.
///
/// ```
/// use a2a_testkit::{Exchange, Loopback};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Loopback::start([
///     Exchange::on("POST /rpc").event_stream(["data: {}\n\n"]).cut(),
///     Exchange::on("GET").json(r#"{"name": "Tide Desk"}"#),
/// ])
/// .await;
/// let url = server.url("/rpc");
/// // … call the server …
/// assert!(server.requests().is_empty());
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Loopback {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    acceptor: JoinHandle<()>,
}

struct Shared {
    exchanges: Mutex<Vec<Exchange>>,
    seen: watch::Sender<Seen>,
}

/// What the server has seen so far.
#[derive(Default, Clone)]
struct Seen {
    requests: Vec<RawRequest>,
    opened: usize,
    /// Connections that the client ended, or that are over.
    closed: Vec<usize>,
}

/// What happens on one request.
#[derive(Clone)]
pub struct Exchange {
    method: Option<String>,
    path: Option<String>,
    times: usize,
    steps: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Send(Vec<u8>),
    Respond(Respond),
    Split(usize),
    Sleep(Duration),
    Wait(Gate),
    Hold,
    Cut,
    Reset,
}

type Respond = Arc<dyn Fn(&RawRequest) -> Vec<u8> + Send + Sync>;

/// A connection, be it encrypted.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// Makes an encrypted connection of a plain one.
pub type Wrap = Arc<dyn Fn(TcpStream) -> BoxFuture<'static, io::Result<Box<dyn Io>>> + Send + Sync>;

impl Loopback {
    /// Starts a server with these exchanges.
    ///
    /// # Panics
    ///
    /// There is no free port, or no runtime.
    pub async fn start(exchanges: impl IntoIterator<Item = Exchange>) -> Self {
        let plain: Wrap = Arc::new(|stream| Box::pin(async move { Ok(Box::new(stream) as Box<dyn Io>) }));
        Self::start_wrapped("http", plain, exchanges).await
    }

    /// Starts a server whose connections are wrapped, such as by TLS.
    ///
    /// # Panics
    ///
    /// There is no free port, or no runtime.
    pub async fn start_wrapped(
        scheme: &'static str,
        wrap: Wrap,
        exchanges: impl IntoIterator<Item = Exchange>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        let shared = Arc::new(Shared {
            exchanges: Mutex::new(exchanges.into_iter().collect()),
            seen: watch::Sender::new(Seen::default()),
        });
        let acceptor = tokio::spawn(accept(listener, wrap, Arc::clone(&shared)));
        Self { address, scheme, shared, acceptor }
    }

    /// The address of a path, which begins with a slash or is empty.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Adds an exchange to the running server.
    pub fn push(&self, exchange: Exchange) {
        self.shared.exchanges().push(exchange);
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<RawRequest> {
        self.shared.seen.borrow().requests.clone()
    }

    /// Methods and targets of the requests so far.
    pub fn request_lines(&self) -> Vec<String> {
        self.shared.seen.borrow().requests.iter().map(RawRequest::line).collect()
    }

    /// How many connections were opened so far.
    pub fn opened_connections(&self) -> usize {
        self.shared.seen.borrow().opened
    }

    /// Waits until so many connections are over.
    pub async fn closed_connections(&self, number: usize) {
        let mut seen = self.shared.seen.subscribe();
        let _ = seen.wait_for(|seen| seen.closed.len() >= number).await;
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.acceptor.abort();
    }
}

impl fmt::Debug for Loopback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loopback").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Exchange {
    /// An exchange for any request, once.
    pub fn any() -> Self {
        Self { method: None, path: None, times: 1, steps: Vec::new() }
    }

    /// An exchange for requests of this method, or of this method and path (`POST /rpc`), once. A path without
    /// a query matches any query.
    pub fn on(line: &str) -> Self {
        let (method, path) = line.split_once(' ').map_or((line, None), |(method, path)| (method, Some(path)));
        Self { method: Some(method.to_owned()), path: path.map(str::to_owned), ..Self::any() }
    }

    /// The exchange can be used so often.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Writes these bytes.
    #[must_use]
    pub fn send(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.then(Step::Send(bytes.into()))
    }

    /// Writes what the function makes of the request.
    #[must_use]
    pub fn respond(self, make: impl Fn(&RawRequest) -> Vec<u8> + Send + Sync + 'static) -> Self {
        self.then(Step::Respond(Arc::new(make)))
    }

    /// Answers with a status, header fields and a body of known length. `"$ID"` in the body, with its quotes,
    /// is the id of the request.
    #[must_use]
    pub fn status(self, status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let head = head(status, headers);
        let body = body.to_owned();
        self.respond(move |request| {
            let body = with_id(&body, request);
            format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
        })
    }

    /// Answers 200 with JSON. `"$ID"` as in [`status`](Self::status).
    #[must_use]
    pub fn json(self, body: &str) -> Self {
        self.status(200, &[("Content-Type", "application/json")], body)
    }

    /// Answers 200 with an event stream: each text is one piece of it. It is not ended: see
    /// [`end`](Self::end), [`cut`](Self::cut), [`hold`](Self::hold). `"$ID"` as in [`status`](Self::status).
    #[must_use]
    pub fn event_stream<'a>(self, chunks: impl IntoIterator<Item = &'a str>) -> Self {
        let head = head(200, &[("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")]);
        chunks.into_iter().fold(self.send(format!("{head}\r\n")), Self::chunk)
    }

    /// Writes one more piece of a body that was begun by [`event_stream`](Self::event_stream).
    #[must_use]
    pub fn chunk(self, text: &str) -> Self {
        let text = text.to_owned();
        self.respond(move |request| {
            let text = with_id(&text, request);
            format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
        })
    }

    /// Ends a body in pieces properly.
    #[must_use]
    pub fn end(self) -> Self {
        self.send("0\r\n\r\n")
    }

    /// From here on writes this many bytes at a time, each flushed; 0 for no such limit.
    #[must_use]
    pub fn split(self, width: usize) -> Self {
        self.then(Step::Split(width))
    }

    /// Waits.
    #[must_use]
    pub fn sleep(self, duration: Duration) -> Self {
        self.then(Step::Sleep(duration))
    }

    /// Waits for the test.
    #[must_use]
    pub fn wait(self, gate: &Gate) -> Self {
        self.then(Step::Wait(gate.clone()))
    }

    /// Is silent until the client closes the connection.
    #[must_use]
    pub fn hold(self) -> Self {
        self.then(Step::Hold)
    }

    /// Closes the connection.
    #[must_use]
    pub fn cut(self) -> Self {
        self.then(Step::Cut)
    }

    /// Resets the connection.
    #[must_use]
    pub fn reset(self) -> Self {
        self.then(Step::Reset)
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    fn matches(&self, request: &RawRequest) -> bool {
        let path = request.target.split('?').next().unwrap_or_default();
        self.times > 0
            && self.method.as_ref().is_none_or(|method| *method == request.method)
            && self.path.as_ref().is_none_or(|wanted| *wanted == path || *wanted == request.target)
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("times", &self.times)
            .field("steps", &self.steps.len())
            .finish()
    }
}

impl Shared {
    fn exchanges(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The steps for a request.
    fn steps(&self, request: &RawRequest) -> Vec<Step> {
        let mut exchanges = self.exchanges();
        match exchanges.iter_mut().find(|exchange| exchange.matches(request)) {
            Some(exchange) => {
                exchange.times -= 1;
                exchange.steps.clone()
            }
            None => Exchange::any().status(404, &[("Content-Type", "text/plain")], "not scripted").steps,
        }
    }
}

async fn accept(listener: TcpListener, wrap: Wrap, shared: Arc<Shared>) {
    // Connections end with the server.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let mut number = 0;
        shared.seen.send_modify(|seen| {
            number = seen.opened;
            seen.opened += 1;
        });
        let (wrap, shared) = (Arc::clone(&wrap), Arc::clone(&shared));
        connections.spawn(async move {
            // What a client does to its connection is no fault of the server.
            let _ = serve(number, stream, &wrap, &shared).await;
            shared.seen.send_modify(|seen| seen.closed.push(number));
        });
    }
}

async fn serve(number: usize, stream: TcpStream, wrap: &Wrap, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    // A reset is made of the plain socket, which a second handle keeps within reach.
    let plain = stream.into_std()?;
    let handle = plain.try_clone()?;
    let mut stream = wrap(TcpStream::from_std(plain)?).await?;
    let mut read = Vec::new();
    while let Some(request) = RawRequest::read(number, &mut stream, &mut read).await? {
        let steps = shared.steps(&request);
        shared.seen.send_modify(|seen| seen.requests.push(request.clone()));
        let mut width = 0;
        for step in steps {
            match step {
                Step::Send(bytes) => write(&mut stream, &bytes, width).await?,
                Step::Respond(make) => write(&mut stream, &make(&request), width).await?,
                Step::Split(new_width) => width = new_width,
                Step::Sleep(duration) => tokio::time::sleep(duration).await,
                Step::Wait(gate) => {
                    tokio::select! {
                        () = gate.pass() => {}
                        closed = until_closed(&mut stream, &mut read) => return closed,
                    }
                }
                Step::Hold => return until_closed(&mut stream, &mut read).await,
                Step::Cut => return stream.shutdown().await,
                Step::Reset => {
                    TcpStream::from_std(handle)?.set_zero_linger()?;
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

async fn write(stream: &mut Box<dyn Io>, bytes: &[u8], width: usize) -> io::Result<()> {
    let width = if width == 0 { bytes.len().max(1) } else { width };
    for piece in bytes.chunks(width) {
        stream.write_all(piece).await?;
        stream.flush().await?;
        // Lets the reader have the piece on its own.
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Waits until the client closes the connection; what it still sends is kept.
async fn until_closed(stream: &mut Box<dyn Io>, read: &mut Vec<u8>) -> io::Result<()> {
    while stream.read_buf(read).await? > 0 {}
    Ok(())
}

fn head(status: u16, headers: &[(&str, &str)]) -> String {
    let reason = http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason.unwrap_or("Unknown"));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

fn with_id(text: &str, request: &RawRequest) -> String {
    if !text.contains(ID) {
        return text.to_owned();
    }
    let id = request.json().get("id").map_or_else(|| "null".to_owned(), ToString::to_string);
    text.replace(ID, &id)
}

const ID: &str = "\"$ID\"";
