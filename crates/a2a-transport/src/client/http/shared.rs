//! Connections of HTTP/2, which the exchanges with an origin share. A task of its own drives each of them.

use std::{
    collections::HashMap,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use bytes::Bytes;
use futures::{
    FutureExt as _,
    future::{BoxFuture, Shared},
};
use http::{Request, Uri};
use http_body_util::Full;
use hyper::client::conn::http2;
use hyper_util::rt::TokioExecutor;

use super::{
    connect::{ConnectFailure, Connector, Io},
    connection::Exchanged,
    pool::Origin,
};

type Requests = http2::SendRequest<Full<Bytes>>;

/// A connection that several exchanges wait for.
type Connecting = Shared<BoxFuture<'static, Result<SharedConnection, ConnectFailure>>>;

/// A connection to use for an exchange, and to hold until the exchange is over.
#[derive(Clone)]
pub(super) struct SharedConnection {
    requests: Requests,
    /// As many clones are there as exchanges, and the one that is kept.
    in_use: Arc<()>,
}

impl SharedConnection {
    /// Sends a request and waits for the head of its response.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future resets the stream; the connection stays.
    pub(super) fn exchange(&mut self, request: Request<Full<Bytes>>) -> impl Future<Output = Exchanged> {
        self.requests.try_send_request(request)
    }
}

/// One connection an origin.
pub(super) struct SharedConnections {
    open: Arc<Mutex<HashMap<Origin, Open>>>,
    connecting: Mutex<HashMap<Origin, Connecting>>,
    idle_timeout: Duration,
}

struct Open {
    connection: SharedConnection,
    /// How often it was used.
    uses: u64,
}

impl SharedConnections {
    pub(super) fn new(idle_timeout: Duration) -> Self {
        Self { open: Arc::default(), connecting: Mutex::default(), idle_timeout }
    }

    /// The connection to an origin, if there is one that takes requests.
    pub(super) fn get(&self, origin: &Origin) -> Option<SharedConnection> {
        let mut all = lock(&self.open);
        let open = all.get_mut(origin)?;
        if open.connection.requests.is_ready() {
            open.uses += 1;
            return Some(open.connection.clone());
        }
        all.remove(origin);
        None
    }

    /// Speaks HTTP/2 on a new connection, unless there is one to that origin by now.
    pub(super) async fn start(&self, io: Io, url: &Uri) -> Result<SharedConnection, ConnectFailure> {
        let origin = Origin::of(url);
        let started = handshake(io, &origin, &self.open, self.idle_timeout).await?;
        match self.get(&origin) {
            Some(other) => Ok(other),
            None => Ok(self.keep(origin, started)),
        }
    }

    /// A connection to an origin that is known to speak HTTP/2: made once, whoever waits for it.
    pub(super) async fn connect(
        &self,
        connector: &Connector,
        url: &Uri,
    ) -> Result<SharedConnection, ConnectFailure> {
        let origin = Origin::of(url);
        let connecting = self.connecting(connector, url, &origin);
        let started = connecting.clone().await?;
        // The first that learns of it sees to it that the others find it.
        let mut all = lock(&self.connecting);
        if all.get(&origin).is_some_and(|other| other.ptr_eq(&connecting)) {
            all.remove(&origin);
            self.keep(origin, started.clone());
        }
        Ok(started)
    }

    fn connecting(&self, connector: &Connector, url: &Uri, origin: &Origin) -> Connecting {
        let mut all = lock(&self.connecting);
        if let Some(connecting) = all.get(origin)
            && connecting.peek().is_none()
        {
            return connecting.clone();
        }
        let (connector, url, open) = (connector.clone(), url.clone(), Arc::clone(&self.open));
        let (idle_timeout, to) = (self.idle_timeout, origin.clone());
        let started = async move { handshake(connector.connect(url).await?, &to, &open, idle_timeout).await };
        let connecting = started.boxed().shared();
        all.insert(origin.clone(), connecting.clone());
        connecting
    }

    fn keep(&self, origin: Origin, connection: SharedConnection) -> SharedConnection {
        lock(&self.open).insert(origin, Open { connection: connection.clone(), uses: 0 });
        connection
    }
}

fn lock<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn handshake(
    io: Io,
    origin: &Origin,
    open: &Arc<Mutex<HashMap<Origin, Open>>>,
    idle_timeout: Duration,
) -> Result<SharedConnection, ConnectFailure> {
    let mut http2 = http2::Builder::new(TokioExecutor::new());
    http2
        .max_header_list_size(MAX_RESPONSE_HEAD_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES);
    let (requests, driver) = http2.handshake(io).await.map_err(ConnectFailure::from_http2)?;
    let in_use = Arc::new(());
    let kept = Kept { open: Arc::downgrade(open), origin: origin.clone(), in_use: Arc::downgrade(&in_use) };
    tokio::spawn(async move {
        let (mut driver, mut uses) = (pin!(driver), None);
        // The driver ends with the connection, or when nobody holds it any more; how, those who use it are told.
        while tokio::time::timeout(idle_timeout, driver.as_mut()).await.is_err() {
            uses = kept.close_unless_used_since(uses);
        }
    });
    Ok(SharedConnection { requests, in_use })
}

/// A connection as its driver sees it.
struct Kept {
    open: Weak<Mutex<HashMap<Origin, Open>>>,
    origin: Origin,
    in_use: Weak<()>,
}

impl Kept {
    /// Lets go of the connection if it was not used since it was this many times; gives how many times it is now.
    fn close_unless_used_since(&self, uses: Option<u64>) -> Option<u64> {
        let open = self.open.upgrade()?;
        let mut open = lock(&open);
        let kept = open.get(&self.origin)?;
        let is_this = Weak::ptr_eq(&Arc::downgrade(&kept.connection.in_use), &self.in_use);
        let now = is_this.then_some(kept.uses);
        if is_this && now == uses && self.in_use.strong_count() == 1 {
            open.remove(&self.origin);
        }
        now
    }
}

/// Largest head of a response.
const MAX_RESPONSE_HEAD_BYTES: u32 = 256 * 1024;
/// How far a peer gets ahead of the reader of one stream.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
/// How far a peer gets ahead of all readers of a connection. It is much more than one stream may: half of it is what
/// h2 lets unread frames of less than 256 bytes cost before it gives up the connection, and small frames that pile up
/// are what a slow reader of many streams of text looks like.
const CONNECTION_WINDOW_BYTES: u32 = 32 * 1024 * 1024;
