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
    future::{BoxFuture, Shared, WeakShared},
};
use http::{Request, Uri};
use http_body_util::Full;
use hyper::client::conn::http2;
use hyper_util::rt::TokioExecutor;
use tokio::time::Instant;

use super::{
    connect::{ConnectFailure, Connector, Io},
    connection::Exchanged,
    pool::{Origin, SHORTEST_SWEEP, catch_up, may_be_unnoticed},
};

type Requests = http2::SendRequest<Full<Bytes>>;

/// The making of a connection that several exchanges may wait for.
type Start = BoxFuture<'static, Result<SharedConnection, ConnectFailure>>;

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
    connecting: Mutex<HashMap<Origin, WeakShared<Start>>>,
    idle_timeout: Duration,
}

struct Open {
    connection: SharedConnection,
    last_use: Instant,
}

impl SharedConnections {
    pub(super) fn new(idle_timeout: Duration) -> Self {
        Self { open: Arc::default(), connecting: Mutex::default(), idle_timeout }
    }

    /// The connection to an origin, if there is one that takes requests.
    pub(super) async fn get(&self, origin: &Origin) -> Option<SharedConnection> {
        let last_use = lock(&self.open).get(origin)?.last_use;
        if may_be_unnoticed(last_use) {
            catch_up().await;
        }
        self.get_now(origin)
    }

    /// Speaks HTTP/2 on a new connection, unless there is one to that origin by now.
    pub(super) async fn start(&self, io: Io, origin: &Origin) -> Result<SharedConnection, ConnectFailure> {
        handshake(io, origin, &self.open, self.idle_timeout).await
    }

    /// A connection to an origin that is known to speak HTTP/2: made once, whoever waits for it.
    ///
    /// # Cancel safety
    ///
    /// When nobody waits any more, it is given up.
    pub(super) async fn connect(
        &self,
        connector: &Connector,
        url: &Uri,
        origin: &Origin,
    ) -> Result<SharedConnection, ConnectFailure> {
        let connecting = {
            let mut all = lock(&self.connecting);
            match all.get(origin).and_then(WeakShared::upgrade) {
                Some(connecting) if connecting.peek().is_none() => connecting,
                // The attempt is over, and perhaps there is a connection by now.
                _ => match self.get_now(origin) {
                    Some(connection) => return Ok(connection),
                    None => {
                        let connecting = self.begin(connector, url, origin);
                        all.extend(connecting.downgrade().map(|weak| (origin.clone(), weak)));
                        connecting
                    }
                },
            }
        };
        let connected = connecting.await;
        let is_under_way = |other: Shared<Start>| other.peek().is_none();
        lock(&self.connecting).retain(|_, other| other.upgrade().is_some_and(is_under_way));
        connected
    }

    fn begin(&self, connector: &Connector, url: &Uri, origin: &Origin) -> Shared<Start> {
        let (connector, url, open) = (connector.clone(), url.clone(), Arc::clone(&self.open));
        let (idle_timeout, to) = (self.idle_timeout, origin.clone());
        let started = async move { handshake(connector.connect(url).await?, &to, &open, idle_timeout).await };
        started.boxed().shared()
    }

    fn get_now(&self, origin: &Origin) -> Option<SharedConnection> {
        usable(&mut lock(&self.open), origin)
    }
}

/// The connection to an origin, if there is one that takes requests. It is used now.
fn usable(all: &mut HashMap<Origin, Open>, origin: &Origin) -> Option<SharedConnection> {
    let open = all.get_mut(origin)?;
    if open.connection.requests.is_ready() {
        open.last_use = Instant::now();
        return Some(open.connection.clone());
    }
    all.remove(origin);
    None
}

fn lock<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Speaks HTTP/2, and keeps the connection if no other is kept; else that is the one to use.
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
    let idle_timeout = idle_timeout.max(SHORTEST_SWEEP);
    tokio::spawn(async move {
        let (mut driver, mut last_use) = (pin!(driver), None);
        // The driver ends with the connection, or when nobody holds it any more; how, those who use it are told.
        while tokio::time::timeout(idle_timeout, driver.as_mut()).await.is_err() {
            last_use = kept.close_unless_used_since(last_use);
        }
    });
    let mut all = lock(open);
    Ok(usable(&mut all, origin).unwrap_or_else(|| {
        let connection = SharedConnection { requests, in_use };
        all.insert(origin.clone(), Open { connection: connection.clone(), last_use: Instant::now() });
        connection
    }))
}

/// A connection as its driver sees it: it is kept no longer than the driver is there.
struct Kept {
    open: Weak<Mutex<HashMap<Origin, Open>>>,
    origin: Origin,
    in_use: Weak<()>,
}

impl Kept {
    /// Lets go of the connection if nothing came after this use of it; gives the last one now.
    fn close_unless_used_since(&self, last_use: Option<Instant>) -> Option<Instant> {
        let mut now = None;
        self.close_if(|open| {
            now = Some(open.last_use);
            now == last_use && self.in_use.strong_count() == 1
        });
        now
    }

    fn close_if(&self, is_wanted: impl FnOnce(&Open) -> bool) {
        let Some(all) = self.open.upgrade() else { return };
        let mut all = lock(&all);
        if let Some(open) = all.get(&self.origin)
            && Weak::ptr_eq(&Arc::downgrade(&open.connection.in_use), &self.in_use)
            && is_wanted(open)
        {
            all.remove(&self.origin);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.close_if(|_| true);
    }
}

/// Largest head of a response.
const MAX_RESPONSE_HEAD_BYTES: u32 = 256 * 1024;
/// How far a peer gets ahead of the reader of one stream.
const STREAM_WINDOW_BYTES: u32 = 128 * 1024;
/// How far a peer gets ahead of all readers of a connection. It is as much as thousands of streams may, so that no stream
/// waits for the reader of another, and no peer cuts its frames small to fit what is left. And half of it is what h2 lets
/// unread frames of less than 256 bytes cost before it gives up the connection: readers that are slow make as many of
/// them pile up as their streams have room for.
const CONNECTION_WINDOW_BYTES: u32 = 512 * 1024 * 1024;
