//! Which connection a request goes over: one that is kept, or a new one.

use std::{sync::Arc, task::Context};

use bytes::Bytes;
#[cfg(feature = "http2")]
use futures::FutureExt as _;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;

#[cfg(feature = "http2")]
use super::shared::{SharedConnection, SharedConnections};
use super::{
    connect::Connector,
    connection::{Connection, Exchanged, to_origin},
    failure::Failure,
    pool::{Lease, Origin, Pool},
};
use crate::{HttpConfig, TransportError};

/// All connections of a client.
pub(super) struct Connections {
    connector: Connector,
    pool: Arc<Pool>,
    #[cfg(feature = "http2")]
    shared: SharedConnections,
    #[cfg(feature = "http2")]
    http2: crate::Http2,
}

impl Connections {
    /// # Errors
    ///
    /// As [`Connector::new`].
    pub(super) fn new(config: &HttpConfig) -> Result<Self, TransportError> {
        Ok(Self {
            connector: Connector::new(config)?,
            pool: Pool::new(config.pool_idle_timeout, config.max_idle_connections),
            #[cfg(feature = "http2")]
            shared: SharedConnections::new(config.pool_idle_timeout),
            #[cfg(feature = "http2")]
            http2: config.http2,
        })
    }

    /// Sends a request and waits for the head of its response. The line is what the body comes by.
    ///
    /// # Errors
    ///
    /// There was no connection, or it ended first.
    pub(super) async fn exchange(
        &self,
        url: &Uri,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(Response<Incoming>, Line), Failure> {
        let origin = Origin::of(url);
        loop {
            let kept = self.kept(&origin).await;
            let is_new = kept.is_none();
            let mut line = match kept {
                Some(line) => line,
                None => Box::pin(self.open(url, &origin)).await?,
            };
            match line.exchange(url, request).await {
                Ok(response) => return Ok((response, line)),
                Err(mut error) => match error.take_message() {
                    // The peer has closed the connection before the request was sent.
                    Some(unsent) if !is_new => request = unsent,
                    #[cfg(feature = "http2")]
                    _ if is_new && self.http2 == crate::Http2::Always => {
                        return Err(Failure::UnaskedHttp2(error.into_error()));
                    }
                    _ => return Err(error.into_error().into()),
                },
            }
        }
    }

    async fn kept(&self, origin: &Origin) -> Option<Line> {
        #[cfg(feature = "http2")]
        if let Some(connection) = self.shared.get(origin).await {
            return Some(Line::Shared(connection));
        }
        self.pool.take(origin).await.map(Line::Own)
    }

    async fn open(&self, url: &Uri, origin: &Origin) -> Result<Line, Failure> {
        #[cfg(feature = "http2")]
        if self.http2 == crate::Http2::Always {
            return Ok(Line::Shared(self.shared.connect(&self.connector, url, origin).await?));
        }
        let io = self.connector.connect(url.clone()).await?;
        #[cfg(feature = "http2")]
        if super::connect::speaks_http2(&io) {
            return Ok(Line::Shared(self.shared.start(io, origin).await?));
        }
        Ok(Line::Own(self.pool.lease(Connection::start(io, origin.clone()).await?)))
    }
}

/// What an exchange goes over. Dropping it gives up the exchange.
pub(super) enum Line {
    Own(Lease),
    #[cfg(feature = "http2")]
    Shared(SharedConnection),
}

impl Line {
    fn exchange(&mut self, url: &Uri, mut request: Request<Full<Bytes>>) -> impl Future<Output = Exchanged> {
        match self {
            Self::Own(lease) => {
                to_origin(&mut request, url);
                let exchange = lease.connection().exchange(request);
                #[cfg(feature = "http2")]
                let exchange = exchange.left_future();
                exchange
            }
            #[cfg(feature = "http2")]
            Self::Shared(connection) => {
                *request.uri_mut() = url.clone();
                connection.exchange(request).right_future()
            }
        }
    }

    /// Moves on what goes over the line, and has the task woken when there is more to do.
    pub(super) fn drive(&mut self, cx: &mut Context<'_>) {
        match self {
            Self::Own(lease) => lease.connection().drive(cx),
            // It has a task.
            #[cfg(feature = "http2")]
            Self::Shared(_) => {}
        }
    }

    /// The exchange is over: the connection can serve another.
    pub(super) fn give_back(self) {
        match self {
            Self::Own(lease) => lease.give_back(),
            #[cfg(feature = "http2")]
            Self::Shared(_) => {}
        }
    }
}
