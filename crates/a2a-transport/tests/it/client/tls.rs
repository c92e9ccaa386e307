//! TLS: whom the client trusts, and who it is.

use std::sync::Arc;

use a2a_testkit::{Exchange, Io, Loopback, Wrap};
use a2a_transport::{ErrorKind, HttpClient, HttpConfig, JsonRpcTransport, Transport, TransportError};
use a2a_types::{GetTaskRequest, Task};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
        server::WebPkiClientVerifier,
    },
};

use super::support::{chain, drain, hello, http_with, in_time, interface, no_options};

const TASK: &str = r#"{"id":"$ID","result":{"id":"t"}}"#;

/// A certificate authority of one's own.
pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(super) fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate and its key, for this name.
    pub(super) fn issue(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &self.0).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    pub(super) fn server_config(&self, name: &str, clients: Option<&Self>) -> ServerConfig {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(clients) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_slice(clients.pem().as_bytes()).unwrap()).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build().unwrap();
                builder.with_client_cert_verifier(verifier)
            }
        };
        let (certificate, key) = self.issue(name);
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        builder.with_single_cert(chain, PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap()).unwrap()
    }
}

/// A server with a certificate for 127.0.0.1, or another name, that may want certificates of clients.
async fn server(authority: &Authority, name: &str, clients: Option<&Authority>) -> Loopback {
    let acceptor = TlsAcceptor::from(Arc::new(authority.server_config(name, clients)));
    let wrap: Wrap = Arc::new(move |stream| {
        let acceptor = acceptor.clone();
        Box::pin(async move { Ok(Box::new(acceptor.accept(stream).await?) as Box<dyn Io>) })
    });
    Loopback::start_wrapped("https", wrap, [Exchange::any().times(9).json(TASK)]).await
}

async fn call(server: &Loopback, config: HttpConfig) -> Result<Task, TransportError> {
    let interface = interface(server.url("/rpc"), "JSONRPC", "1.0");
    let transport = JsonRpcTransport::new(http_with(config), &interface).unwrap();
    in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await
}

#[tokio::test]
async fn an_authority_of_ones_own_can_be_trusted() {
    let authority = Authority::new();
    let server = server(&authority, "127.0.0.1", None).await;
    let trusting = || HttpConfig::default().with_extra_roots_pem(authority.pem());
    assert_eq!(call(&server, trusting()).await.unwrap().id, "t");
    assert_eq!(call(&server, trusting().with_built_in_roots(false)).await.unwrap().id, "t");
}

#[tokio::test]
async fn nobody_else_is() {
    let authority = Authority::new();
    let server = server(&authority, "127.0.0.1", None).await;
    for config in [HttpConfig::default(), HttpConfig::default().with_extra_roots_pem(Authority::new().pem())]
    {
        let error = call(&server, config).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Tls, "{error:?}");
        assert!(error.is_connect());
        let causes = chain(&error);
        assert!(causes[0].contains("TLS handshake failed"), "{causes:?}");
        assert!(causes.iter().any(|cause| cause.contains("invalid peer certificate")), "{causes:?}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn the_name_must_be_right() {
    let authority = Authority::new();
    let server = server(&authority, "desk.example", None).await;
    let error = call(&server, HttpConfig::default().with_extra_roots_pem(authority.pem())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls);
}

#[tokio::test]
async fn a_client_shows_who_it_is() {
    let (servers, clients) = (Authority::new(), Authority::new());
    let server = server(&servers, "127.0.0.1", Some(&clients)).await;
    let config = || HttpConfig::default().with_extra_roots_pem(servers.pem());
    let (certificate, key) = clients.issue("client.example");
    assert_eq!(call(&server, config().with_client_identity_pem(certificate + &key)).await.unwrap().id, "t");
    // TLS 1.3 tells the client only after its handshake.
    let error = call(&server, config()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Tls | ErrorKind::StreamCut), "{error:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn plain_http_is_not_tls() {
    let plain = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/rpc", plain.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    });
    let transport = JsonRpcTransport::new(super::support::http(), &interface(url, "JSONRPC", "1.0")).unwrap();
    let error = in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls, "{error:?}");
}

#[tokio::test]
async fn the_handshake_has_a_time_limit() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/rpc", silent.local_addr().unwrap());
    let http = http_with(HttpConfig::default().with_connect_timeout(std::time::Duration::from_millis(100)));
    let transport = JsonRpcTransport::new(http, &interface(url, "JSONRPC", "1.0")).unwrap();
    let error = in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
    assert!(error.to_string().contains("no connection within 100ms"), "{error}");
}

/// Only the end of TLS is the end of a body without a length: who cuts the connection cannot make one.
#[tokio::test]
async fn a_stream_that_is_cut_does_not_look_complete() {
    let authority = Authority::new();
    let acceptor = TlsAcceptor::from(Arc::new(authority.server_config("127.0.0.1", None)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/rpc", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for is_ended in [true, false] {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = acceptor.accept(stream).await.unwrap();
            stream.read_buf(&mut Vec::with_capacity(16 * 1024)).await.unwrap();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            let event = "data: {\"id\": 1, \"result\": {\"message\": {\"messageId\": \"m\"}}}\n\n";
            stream.write_all(format!("{head}{event}").as_bytes()).await.unwrap();
            if is_ended {
                stream.shutdown().await.unwrap();
            }
        }
    });
    let http = http_with(HttpConfig::default().with_extra_roots_pem(authority.pem()));
    let transport = JsonRpcTransport::new(http, &interface(url, "JSONRPC", "1.0")).unwrap();
    for expect in [None, Some(ErrorKind::StreamCut)] {
        let stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
        let (payloads, error) = in_time(drain(stream)).await;
        assert_eq!((payloads.len(), error.map(|error| error.kind())), (1, expect));
    }
}

#[test]
fn bad_certificates_are_refused_at_once() {
    let garbled = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let (certificate, key) = Authority::new().issue("client.example");
    let (other, _) = Authority::new().issue("client.example");
    for config in [
        HttpConfig::default().with_extra_roots_pem("nothing"),
        HttpConfig::default().with_extra_roots_pem(garbled),
        HttpConfig::default().with_extra_roots_pem("-----BEGIN CERTIFICATE-----\n!"),
        HttpConfig::default().with_client_identity_pem(certificate),
        HttpConfig::default().with_client_identity_pem(key.clone()),
        HttpConfig::default().with_client_identity_pem(other + &key),
        HttpConfig::default().with_client_identity_pem(garbled.to_owned() + &key),
    ] {
        assert!(!format!("{config:?}").contains("BEGIN"));
        let error = HttpClient::new(config).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{error:?}");
        let secret = key.lines().nth(1).unwrap();
        assert!(!format!("{error:?}").contains(secret));
    }
}
