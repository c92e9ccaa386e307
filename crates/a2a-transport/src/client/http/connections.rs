//! Which connection a request goes over: one that is kept, or a new one.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::{body::Incoming, client::conn::TrySendError};

#[cfg(feature = "http2")]
use super::shared::{Requests, SharedConnections};
use super::{
    connect::Connector,
    connection::{Connection, to_origin},
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
            shared: SharedConnections::default(),
            #[cfg(feature = "http2")]
            http2: config.http2,
        })
    }

    /// Sends a request and waits for the head of its response. The lease is the connection that the body comes by,
    /// unless others share it.
    ///
    /// # Errors
    ///
    /// There was no connection, or it ended first.
    pub(super) async fn exchange(
        &self,
        url: &Uri,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(Response<Incoming>, Option<Lease>), Failure> {
        let origin = Origin::of(url);
        loop {
            let kept = self.kept(&origin);
            let is_new = kept.is_none();
            let mut line = match kept {
                Some(line) => line,
                None => Box::pin(self.open(url, &origin)).await?,
            };
            match line.exchange(url, request).await {
                Ok(response) => return Ok((response, line.into_lease())),
                Err(mut error) => match error.take_message() {
                    // The peer has closed the connection before the request was sent.
                    Some(unsent) if !is_new => request = unsent,
                    _ => return Err(error.into_error().into()),
                },
            }
        }
    }

    fn kept(&self, origin: &Origin) -> Option<Line> {
        #[cfg(feature = "http2")]
        if let Some(requests) = self.shared.get(origin) {
            return Some(Line::Shared(requests));
        }
        self.pool.take(origin).map(Line::Own)
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
        Ok(Line::Own(self.pool.lease(Connection::start(io).await?, origin)))
    }
}

/// What a request goes over.
enum Line {
    Own(Lease),
    #[cfg(feature = "http2")]
    Shared(Requests),
}

impl Line {
    async fn exchange(
        &mut self,
        url: &Uri,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        match self {
            Self::Own(lease) => {
                to_origin(&mut request, url);
                lease.exchange(request).await
            }
            #[cfg(feature = "http2")]
            Self::Shared(requests) => {
                *request.uri_mut() = url.clone();
                requests.try_send_request(request).await
            }
        }
    }

    fn into_lease(self) -> Option<Lease> {
        match self {
            Self::Own(lease) => Some(lease),
            #[cfg(feature = "http2")]
            Self::Shared(_) => None,
        }
    }
}
