//! From a URL to a connection: name, TCP or a proxy's tunnel, TLS. The only file that names rustls.

use std::{
    error::Error,
    fmt, io,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures::{FutureExt as _, future::BoxFuture};
use http::Uri;
use hyper_util::{
    client::legacy::connect::{
        HttpConnector,
        dns::{GaiAddrs, GaiResolver, Name},
    },
    rt::TokioIo,
};
use tokio::net::TcpStream;
use tower_service::Service;

use crate::{ErrorKind, HttpConfig, TransportError};

type BoxError = Box<dyn Error + Send + Sync>;

/// Connects within a time limit, and says at which stage it failed.
#[derive(Clone)]
pub(super) struct Connector {
    stages: Stages,
    timeout: Duration,
}

#[cfg(feature = "tls")]
type Stages = hyper_rustls::HttpsConnector<Dialer>;
#[cfg(not(feature = "tls"))]
type Stages = Dialer;

/// What a connection reads and writes.
pub(super) type Io = <Stages as Service<Uri>>::Response;

impl Connector {
    /// # Errors
    ///
    /// [`ErrorKind::Config`]: certificates or keys that cannot be read.
    pub(super) fn new(config: &HttpConfig) -> Result<Self, TransportError> {
        let dialer = Dialer::new(config);
        #[cfg(feature = "tls")]
        let stages = Stages::from((dialer, tls::client_config(config)?));
        #[cfg(not(feature = "tls"))]
        let stages = dialer;
        Ok(Self { stages, timeout: config.connect_timeout })
    }

    /// A connection to the host of a URL.
    pub(super) async fn connect(&self, destination: Uri) -> Result<Io, ConnectFailure> {
        let mut stages = self.stages.clone();
        let connecting = async move {
            std::future::poll_fn(|cx| stages.poll_ready(cx)).await?;
            stages.call(destination).await
        };
        match tokio::time::timeout(self.timeout, connecting).await {
            Ok(connected) => connected.map_err(ConnectFailure::from_stages),
            Err(_) => Err(ConnectFailure { stage: Stage::Timeout(self.timeout), source: None }),
        }
    }
}

/// Whether the peer has chosen HTTP/2 in the TLS handshake.
#[cfg(feature = "http2")]
pub(super) fn speaks_http2(io: &Io) -> bool {
    use hyper_util::client::legacy::connect::Connection as _;
    io.connected().is_negotiated_h2()
}

/// No connection came about; nothing was sent.
#[derive(Debug, Clone)]
pub(super) struct ConnectFailure {
    stage: Stage,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    Resolve,
    Dial,
    #[cfg(feature = "proxy")]
    Proxy,
    #[cfg(feature = "tls")]
    Tls,
    #[cfg(feature = "http2")]
    Http2,
    Timeout(Duration),
}

impl ConnectFailure {
    fn kind(&self) -> ErrorKind {
        match self.stage {
            #[cfg(feature = "tls")]
            Stage::Tls => ErrorKind::Tls,
            _ => ErrorKind::Connect,
        }
    }

    #[cfg(feature = "tls")]
    fn from_stages(error: BoxError) -> Self {
        match error.downcast() {
            Ok(failure) => *failure,
            // What does not come from below is TLS's own.
            Err(error) => Self { stage: Stage::Tls, source: Some(error.into()) },
        }
    }

    #[cfg(not(feature = "tls"))]
    fn from_stages(failure: Self) -> Self {
        failure
    }

    #[cfg(feature = "http2")]
    pub(super) fn from_http2(error: hyper::Error) -> Self {
        Self { stage: Stage::Http2, source: Some(Arc::new(error)) }
    }

    /// The error to tell, and what caused it.
    pub(super) fn into_error(self) -> TransportError {
        let error = TransportError::new(self.kind(), self.to_string());
        match self.source {
            Some(source) => error.with_source(source),
            None => error,
        }
    }

    fn from_tcp(error: impl Into<BoxError>) -> Self {
        let error = error.into();
        let resolving = causes(error.as_ref()).any(|cause| cause.is::<ResolveError>());
        Self { stage: if resolving { Stage::Resolve } else { Stage::Dial }, source: Some(error.into()) }
    }

    fn io_kind(&self) -> Option<io::ErrorKind> {
        let source = self.source.as_deref()?;
        causes(source).find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind)
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage {
            Stage::Resolve => f.write_str("the host name does not resolve"),
            Stage::Dial => f.write_str(match self.io_kind() {
                Some(io::ErrorKind::ConnectionRefused) => "connection refused",
                Some(io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable) => {
                    "the host is unreachable"
                }
                _ => "no connection to the host",
            }),
            #[cfg(feature = "proxy")]
            Stage::Proxy => f.write_str("no connection through the proxy"),
            #[cfg(feature = "tls")]
            Stage::Tls => f.write_str("the TLS handshake failed"),
            #[cfg(feature = "http2")]
            Stage::Http2 => f.write_str("the HTTP/2 handshake failed"),
            Stage::Timeout(limit) => write!(f, "no connection within {limit:?}"),
        }
    }
}

impl Error for ConnectFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// An error, its source, that one's source and so on.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Makes the TCP connection: straight, or by a tunnel through a proxy.
#[derive(Clone)]
pub(super) struct Dialer {
    tcp: HttpConnector<Resolver>,
    #[cfg(feature = "proxy")]
    proxies: Option<Arc<proxy::Matcher>>,
}

impl Dialer {
    fn new(config: &HttpConfig) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(Resolver(GaiResolver::new()));
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // So that a peer that vanished behind a long silence is noticed even without an idle timeout.
        tcp.set_keepalive(Some(TCP_KEEPALIVE));
        tcp.set_connect_timeout(Some(config.connect_timeout));
        Self {
            tcp,
            #[cfg(feature = "proxy")]
            proxies: config.proxy_from_env.then(|| proxy::Matcher::from_env().into()),
        }
    }
}

impl Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = ConnectFailure;
    type Future = BoxFuture<'static, Result<Self::Response, ConnectFailure>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ConnectFailure>> {
        self.tcp.poll_ready(cx).map_err(ConnectFailure::from_tcp)
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        #[cfg(feature = "proxy")]
        if let Some(proxy) =
            self.proxies.as_deref().and_then(|proxies| proxy::for_host(proxies, &destination))
        {
            return proxy::tunnel(proxy, self.tcp.clone(), destination);
        }
        let connecting = self.tcp.call(destination);
        Box::pin(async move { connecting.await.map_err(ConnectFailure::from_tcp) })
    }
}

/// The system's resolver, whose failures can be told from those of connecting.
#[derive(Debug, Clone)]
pub(super) struct Resolver(GaiResolver);

impl Service<Name> for Resolver {
    type Response = GaiAddrs;
    type Error = ResolveError;
    type Future = BoxFuture<'static, Result<GaiAddrs, ResolveError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ResolveError>> {
        Poll::Ready(ready!(self.0.poll_ready(cx)).map_err(ResolveError))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        self.0.call(name).map(|resolved| resolved.map_err(ResolveError)).boxed()
    }
}

#[derive(Debug)]
pub(super) struct ResolveError(io::Error);

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("name resolution failed")
    }
}

impl Error for ResolveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// How long a connection is silent before it is probed.
const TCP_KEEPALIVE: Duration = Duration::from_secs(60);

#[cfg(feature = "proxy")]
mod proxy {
    use std::net::IpAddr;

    use http::uri::{Port, Scheme};
    pub(super) use hyper_util::client::proxy::matcher::Matcher;
    use hyper_util::client::{legacy::connect::proxy::Tunnel, proxy::matcher::Intercept};

    use super::*;

    /// The proxy for a destination; never one for this machine itself.
    pub(super) fn for_host(proxies: &Matcher, destination: &Uri) -> Option<Intercept> {
        if destination.host().is_none_or(is_loopback) { None } else { proxies.intercept(destination) }
    }

    fn is_loopback(host: &str) -> bool {
        let address = host.trim_start_matches('[').trim_end_matches(']');
        match address.parse() {
            Ok(IpAddr::V4(address)) => address.is_loopback(),
            Ok(IpAddr::V6(address)) => address.to_canonical().is_loopback(),
            Err(_) => {
                let name = host.trim_end_matches('.').to_ascii_lowercase();
                name == "localhost" || name.ends_with(".localhost")
            }
        }
    }

    pub(super) fn tunnel(
        proxy: Intercept,
        tcp: HttpConnector<Resolver>,
        destination: Uri,
    ) -> BoxFuture<'static, Result<TokioIo<TcpStream>, ConnectFailure>> {
        Box::pin(async move {
            let failed = |error: BoxError| ConnectFailure { stage: Stage::Proxy, source: Some(error.into()) };
            if proxy.uri().scheme() != Some(&Scheme::HTTP) {
                return Err(failed("only proxies with an http URL are supported".into()));
            }
            let destination = with_port(destination).map_err(|error| failed(error.into()))?;
            let mut tunnel = Tunnel::new(proxy.uri().clone(), tcp);
            if let Some(credentials) = proxy.basic_auth() {
                tunnel = tunnel.with_auth(credentials.clone());
            }
            tunnel.call(destination).await.map_err(|error| failed(error.into()))
        })
    }

    /// The tunnel takes 443 for granted.
    fn with_port(destination: Uri) -> Result<Uri, http::Error> {
        let is_plain = destination.scheme() == Some(&Scheme::HTTP);
        let port = destination.port().as_ref().map(Port::as_u16);
        match (destination.host(), port) {
            (Some(host), None) if is_plain => {
                Uri::builder().scheme("http").authority(format!("{host}:80")).path_and_query("/").build()
            }
            _ => Ok(destination),
        }
    }
}

#[cfg(feature = "tls")]
mod tls {
    use rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    };

    use super::*;

    pub(super) fn client_config(config: &HttpConfig) -> Result<ClientConfig, TransportError> {
        let mut roots = RootCertStore::empty();
        if config.built_in_roots {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        for pem in &config.extra_roots_pem {
            for certificate in certificates(pem, "root certificates")? {
                roots.add(certificate).map_err(|error| invalid("root certificates", error))?;
            }
        }
        // The provider is named: the short builder panics when another crate brings a second one.
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid("TLS versions", error))?
            .with_root_certificates(roots);
        let mut client = match &config.client_identity_pem {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let chain = certificates(pem, "client certificate")?;
                let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| invalid("client key", error))?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| invalid("client certificate", error))?
            }
        };
        client.alpn_protocols = config.alpn_protocols();
        Ok(client)
    }

    fn certificates(pem: &[u8], what: &'static str) -> Result<Vec<CertificateDer<'static>>, TransportError> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        match certificates {
            Ok(certificates) if certificates.is_empty() => Err(TransportError::new(
                ErrorKind::Config,
                format!("the {what} contain no certificate in PEM"),
            )),
            Ok(certificates) => Ok(certificates),
            Err(error) => Err(invalid(what, error)),
        }
    }

    fn invalid(what: &'static str, error: impl Into<BoxError>) -> TransportError {
        TransportError::new(ErrorKind::Config, format!("the {what} cannot be used")).with_source(error)
    }
}
