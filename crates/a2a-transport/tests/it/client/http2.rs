//! HTTP/2: streams of one connection, and dropping one without the others.

use std::{convert::Infallible, time::Duration};

use a2a_transport::{ErrorKind, Http2, HttpConfig, JsonRpcTransport, ResponseStream, Transport};
use bytes::Bytes;
use futures::StreamExt as _;
use http::{Request, Response, Version};
use http_body_util::StreamBody;
use hyper::{
    body::{Frame, Incoming},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
};

use super::support::{drain, hello, http_with, in_time, interface, no_options};

const EVENT: &str = "data: {\"id\":1,\"result\":{\"message\":{\"messageId\":\"m\"}}}\n\n";

/// A server whose streams never end by themselves; it counts connections and streams that are over.
struct Server {
    url: String,
    connections: watch::Receiver<usize>,
    ended: mpsc::UnboundedReceiver<()>,
}

/// Tells when it is dropped.
struct Ends(mpsc::UnboundedSender<()>);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

async fn answer(
    request: Request<Incoming>,
    ends: Ends,
) -> Response<StreamBody<impl futures::Stream<Item = Result<Frame<Bytes>, Infallible>>>> {
    assert_eq!(request.version(), Version::HTTP_2);
    let first = futures::stream::iter([Ok(Frame::data(Bytes::from(EVENT)))]);
    let silence = futures::stream::once(async move {
        let _ends = ends;
        std::future::pending().await
    });
    let body = StreamBody::new(first.chain(silence));
    Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
}

async fn server(tls: Option<tokio_rustls::TlsAcceptor>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}/rpc", listener.local_addr().unwrap());
    let (count, connections) = watch::channel(0);
    let (ends, ended) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.send_modify(|count| *count += 1);
            let (tls, ends) = (tls.clone(), ends.clone());
            let service = service_fn(move |request| {
                let ends = Ends(ends.clone());
                async move { Ok::<_, Infallible>(answer(request, ends).await) }
            });
            tokio::spawn(async move {
                let http2 = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let served = match tls {
                    None => http2.serve_connection(TokioIo::new(stream), service).await,
                    Some(tls) => {
                        http2.serve_connection(TokioIo::new(tls.accept(stream).await.unwrap()), service).await
                    }
                };
                drop(served);
            });
        }
    });
    Server { url, connections, ended }
}

async fn streams_share_a_connection(mut server: Server, config: HttpConfig) {
    let interface = interface(server.url.clone(), "JSONRPC", "1.0");
    let transport = JsonRpcTransport::new(http_with(config), &interface).unwrap();
    let mut streams: Vec<ResponseStream> = Vec::new();
    for _ in 0..50 {
        let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
        in_time(stream.next()).await.unwrap().unwrap();
        streams.push(stream);
    }
    assert_eq!(*server.connections.borrow(), 1);
    // Dropping one ends it, and no other.
    drop(streams.pop());
    in_time(server.ended.recv()).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(100), server.ended.recv()).await.is_err());
    assert!(futures::FutureExt::now_or_never(streams[0].next()).is_none());
}

#[tokio::test]
async fn without_asking() {
    let server = server(None).await;
    streams_share_a_connection(server, HttpConfig::default().with_http2(Http2::Always)).await;
}

#[tokio::test]
async fn an_unused_connection_is_closed_and_one_in_use_is_not() {
    let server = server(None).await;
    let config = HttpConfig::default().with_http2(Http2::Always);
    let http = http_with(config.with_pool_idle_timeout(Duration::from_millis(50)));
    let interface = interface(server.url.clone(), "JSONRPC", "1.0");
    let transport = JsonRpcTransport::new(http, &interface).unwrap();
    let begin = || in_time(transport.send_streaming_message(hello(), no_options()));
    let long = begin().await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(begin().await.unwrap());
    assert_eq!(*server.connections.borrow(), 1);
    drop(long);
    in_time(async {
        while *server.connections.borrow() == 1 {
            tokio::time::sleep(Duration::from_millis(300)).await;
            drop(begin().await.unwrap());
        }
    })
    .await;
}

/// Who comes at once waits for one connection, and all are told when there is none.
#[tokio::test]
async fn a_crowd_waits_for_one_connection() {
    let server = server(None).await;
    let config = HttpConfig::default().with_http2(Http2::Always);
    let transport =
        |url| JsonRpcTransport::new(http_with(config.clone()), &interface(url, "JSONRPC", "1.0")).unwrap();
    let crowd = transport(server.url.clone());
    let streams = (0..100).map(|_| crowd.send_streaming_message(hello(), no_options()));
    let streams = in_time(futures::future::try_join_all(streams)).await.unwrap();
    assert_eq!((streams.len(), *server.connections.borrow()), (100, 1));
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let nobody = transport(format!("http://{closed}/rpc"));
    let calls = (0..10).map(|_| nobody.send_streaming_message(hello(), no_options()));
    for failed in in_time(futures::future::join_all(calls)).await {
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Connect);
    }
}

/// Small frames pile up when readers are slow, which must not end the connection.
#[tokio::test]
async fn readers_may_be_slow() {
    for (streams, events) in [(1, 15_000), (300, 500)] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/rpc", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let service = service_fn(move |_: Request<Incoming>| async move {
                let frames = (0..events).map(|_| Ok::<_, Infallible>(Frame::data(Bytes::from(EVENT))));
                let body = StreamBody::new(futures::stream::iter(frames));
                Response::builder().header("content-type", "text/event-stream").body(body)
            });
            let mut http2 = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            http2.max_concurrent_streams(streams);
            drop(http2.serve_connection(TokioIo::new(stream), service).await);
        });
        let config = HttpConfig::default().with_http2(Http2::Always);
        let transport = JsonRpcTransport::new(http_with(config), &interface(url, "JSONRPC", "1.0")).unwrap();
        let begun = (0..streams).map(|_| transport.send_streaming_message(hello(), no_options()));
        let begun = in_time(futures::future::try_join_all(begun)).await.unwrap();
        // Long enough for much to arrive; nothing depends on it but what the test may find.
        tokio::time::sleep(Duration::from_millis(500)).await;
        for (payloads, error) in in_time(futures::future::join_all(begun.into_iter().map(drain))).await {
            assert!(error.is_none(), "{error:?}");
            assert_eq!(payloads.len(), events);
        }
    }
}

/// What is spoken is in the error.
#[tokio::test]
async fn a_peer_without_it_is_told_of() {
    let server = a2a_testkit::Loopback::start([]).await;
    let config = HttpConfig::default().with_http2(Http2::Always);
    let transport = super::support::jsonrpc_with(&server, http_with(config));
    let error = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamCut);
    assert!(error.to_string().contains("does not speak HTTP/2"), "{error}");
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn where_it_is_offered() {
    let authority = super::tls::Authority::new();
    let mut config = authority.server_config("127.0.0.1", None);
    config.alpn_protocols = vec![b"h2".to_vec()];
    let server = server(Some(std::sync::Arc::new(config).into())).await;
    let config = HttpConfig::default().with_extra_roots_pem(authority.pem());
    streams_share_a_connection(server, config.with_http2(Http2::IfOffered)).await;
}

/// Whoever comes first cannot know what the peer will choose: those who come at once connect each for themselves, and
/// one of the connections is for all that follow.
#[cfg(feature = "tls")]
#[tokio::test]
async fn a_crowd_that_finds_it_offered() {
    let authority = super::tls::Authority::new();
    let mut config = authority.server_config("127.0.0.1", None);
    config.alpn_protocols = vec![b"h2".to_vec()];
    let server = server(Some(std::sync::Arc::new(config).into())).await;
    let http = HttpConfig::default().with_extra_roots_pem(authority.pem()).with_http2(Http2::IfOffered);
    let interface = interface(server.url.clone(), "JSONRPC", "1.0");
    let transport = JsonRpcTransport::new(http_with(http), &interface).unwrap();
    let crowd = || {
        let streams = (0..20).map(|_| transport.send_streaming_message(hello(), no_options()));
        in_time(futures::future::try_join_all(streams))
    };
    let first = crowd().await.unwrap();
    let connections = *server.connections.borrow();
    let second = crowd().await.unwrap();
    assert_eq!((first.len(), second.len(), *server.connections.borrow()), (20, 20, connections));
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_peer_may_choose_http1_all_the_same() {
    use a2a_testkit::{Exchange, Io, Loopback, Wrap};
    let authority = super::tls::Authority::new();
    let mut config = authority.server_config("127.0.0.1", None);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config));
    let wrap: Wrap = std::sync::Arc::new(move |stream| {
        let acceptor = acceptor.clone();
        Box::pin(async move { Ok(Box::new(acceptor.accept(stream).await?) as Box<dyn Io>) })
    });
    let server =
        Loopback::start_wrapped("https", wrap, [Exchange::any().times(2).event_stream([EVENT]).end()]).await;
    let http = HttpConfig::default().with_extra_roots_pem(authority.pem()).with_http2(Http2::IfOffered);
    let interface = interface(server.url("/rpc"), "JSONRPC", "1.0");
    let transport = JsonRpcTransport::new(http_with(http), &interface).unwrap();
    for _ in 0..2 {
        let stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
        assert!(in_time(drain(stream)).await.1.is_none());
    }
    assert_eq!(server.opened_connections(), 1);
}
