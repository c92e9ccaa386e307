//! Connections of HTTP/2, which the exchanges with an origin share. A task of its own drives each of them.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use futures::{
    FutureExt as _,
    future::{BoxFuture, Shared},
};
use http::Uri;
use http_body_util::Full;
use hyper::client::conn::http2;
use hyper_util::rt::TokioExecutor;

use super::{
    connect::{ConnectFailure, Connector, Io},
    pool::Origin,
};

/// Where requests over a connection begin. Cheap to clone.
pub(super) type Requests = http2::SendRequest<Full<Bytes>>;

/// A connection that several exchanges wait for.
type Connecting = Shared<BoxFuture<'static, Result<Requests, ConnectFailure>>>;

/// One connection an origin.
#[derive(Default)]
pub(super) struct SharedConnections {
    open: Mutex<HashMap<Origin, Requests>>,
    connecting: Mutex<HashMap<Origin, Connecting>>,
}

impl SharedConnections {
    /// The connection to an origin, if there is one that takes requests.
    pub(super) fn get(&self, origin: &Origin) -> Option<Requests> {
        let mut open = self.open();
        let requests = open.get(origin)?;
        if requests.is_ready() {
            return Some(requests.clone());
        }
        open.remove(origin);
        None
    }

    /// Speaks HTTP/2 on a new connection, unless there is one to the origin by now.
    pub(super) async fn start(&self, io: Io, origin: &Origin) -> Result<Requests, ConnectFailure> {
        let started = handshake(io).await?;
        let mut open = self.open();
        match open.entry(origin.clone()) {
            Entry::Occupied(other) if other.get().is_ready() => Ok(other.get().clone()),
            entry => Ok(entry.insert_entry(started).get().clone()),
        }
    }

    /// A connection to an origin that is known to speak HTTP/2: made once, whoever waits for it.
    pub(super) async fn connect(
        &self,
        connector: &Connector,
        url: &Uri,
        origin: &Origin,
    ) -> Result<Requests, ConnectFailure> {
        let connecting = self
            .connecting()
            .entry(origin.clone())
            .or_insert_with(|| {
                let (connector, url) = (connector.clone(), url.clone());
                async move { handshake(connector.connect(url).await?).await }.boxed().shared()
            })
            .clone();
        let started = connecting.clone().await;
        let mut all = self.connecting();
        if all.get(origin).is_some_and(|other| other.ptr_eq(&connecting)) {
            all.remove(origin);
            if let Ok(requests) = &started {
                self.open().insert(origin.clone(), requests.clone());
            }
        }
        started
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Origin, Requests>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connecting(&self) -> MutexGuard<'_, HashMap<Origin, Connecting>> {
        self.connecting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn handshake(io: Io) -> Result<Requests, ConnectFailure> {
    let mut http2 = http2::Builder::new(TokioExecutor::new());
    http2
        .max_header_list_size(MAX_RESPONSE_HEAD_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES);
    let (requests, driver) = http2.handshake(io).await.map_err(ConnectFailure::from_http2)?;
    // It ends with the last stream, or with the connection; how, those who use it are told.
    tokio::spawn(async move { drop(driver.await) });
    Ok(requests)
}

/// Largest head of a response.
const MAX_RESPONSE_HEAD_BYTES: u32 = 256 * 1024;
/// How far a peer gets ahead of the reader of one stream.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
/// How far a peer gets ahead of all readers of a connection. It is much more than one stream may: half of it is what
/// h2 lets unread frames of less than 256 bytes cost before it gives up the connection, and small frames that pile up
/// are what a slow reader of many streams of text looks like.
const CONNECTION_WINDOW_BYTES: u32 = 32 * 1024 * 1024;
