//! One request to one address, over a connection of its own.

use std::net::SocketAddr;

use bytes::Bytes;
use futures::future::{Either, select};
use http::{Request, StatusCode, Uri};
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

use super::{WebhookError, WebhookOptions};

pub(super) struct Client {
    #[cfg(feature = "tls")]
    tls: tls::Connector,
}

impl Client {
    pub(super) const SPEAKS_TLS: bool = cfg!(feature = "tls");

    pub(super) fn new(_options: &WebhookOptions) -> Self {
        Self {
            #[cfg(feature = "tls")]
            tls: tls::Connector::new(&_options.extra_roots),
        }
    }

    /// Sends a request to the first of these addresses that takes it. Gives the status of the response.
    pub(super) async fn send(
        &self,
        uri: &Uri,
        addresses: &[SocketAddr],
        request: Request<Full<Bytes>>,
    ) -> Result<StatusCode, WebhookError> {
        let stream = TcpStream::connect(addresses).await.map_err(WebhookError::Connect)?;
        if uri.scheme_str() != Some("https") {
            return exchange(stream, request).await;
        }
        #[cfg(feature = "tls")]
        return exchange(self.tls.connect(uri, stream).await.map_err(WebhookError::Connect)?, request).await;
        #[cfg(not(feature = "tls"))]
        Err(WebhookError::NotAllowed("this server cannot send to https URLs"))
    }
}

/// Sends the request and waits for the head of the response; the rest of it does not matter.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Full<Bytes>>,
) -> Result<StatusCode, WebhookError> {
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(WebhookError::Http)?;
    let response = std::pin::pin!(sender.send_request(request));
    let response = match select(response, connection).await {
        Either::Left((response, _)) => response,
        // The response may have come with the end of the connection.
        Either::Right((_, response)) => response.await,
    };
    response.map(|response| response.status()).map_err(WebhookError::Http)
}

#[cfg(feature = "tls")]
mod tls {
    use std::{io, sync::Arc};

    use http::Uri;
    use rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName},
    };
    use tokio::net::TcpStream;
    use tokio_rustls::{TlsConnector, client::TlsStream};

    use super::super::guard::host;

    pub(super) struct Connector(Option<TlsConnector>);

    impl Connector {
        pub(super) fn new(extra_roots: &[Vec<u8>]) -> Self {
            let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            let (_, unusable) =
                roots.add_parsable_certificates(extra_roots.iter().cloned().map(CertificateDer::from));
            if unusable > 0 {
                tracing::error!(unusable, "certificates of extra authorities cannot be used");
            }
            // The provider is named, since the short way panics when another crate enables a second one.
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map(|builder| builder.with_root_certificates(roots).with_no_client_auth());
            Self(config.ok().map(|config| TlsConnector::from(Arc::new(config))))
        }

        pub(super) async fn connect(&self, uri: &Uri, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
            let invalid = |_| io::Error::new(io::ErrorKind::InvalidInput, "not a name for a certificate");
            let name = ServerName::try_from(host(uri).to_owned()).map_err(invalid)?;
            let connector = self.0.as_ref().ok_or_else(|| io::Error::other("TLS is not available"))?;
            connector.connect(name, stream).await
        }
    }
}
