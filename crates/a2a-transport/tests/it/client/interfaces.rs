//! Which interface is used, and what happens when it cannot be reached.

use std::sync::Arc;

use a2a_testkit::{Answer, Exchange, Loopback, ScriptedTransport};
use a2a_transport::{
    ClientOptions, ErrorKind, InterfacePreferences, ProtocolVersion, Transport, connect, select_interface,
};
use a2a_types::{AgentInterface, GetTaskRequest, Method};
use futures::StreamExt as _;

use super::support::{card, hello, http, in_time, interface, no_options};

const WEBSOCKETS: &str = "https://bindings.example/ws/v2";

/// Interfaces as (binding, version), at URLs that are numbered from 0.
fn interfaces(offered: &[(&str, &str)]) -> Vec<AgentInterface> {
    let numbered = offered.iter().enumerate();
    numbered
        .map(|(n, (binding, version))| interface(format!("https://desk.example/{n}"), binding, version))
        .collect()
}

/// The number of the interface that is chosen, and the version spoken to it.
fn chosen(offered: &[(&str, &str)], preferences: &InterfacePreferences) -> Option<(usize, ProtocolVersion)> {
    let selected = select_interface(&card(interfaces(offered)), preferences).ok()?;
    let number = selected.interface.url.rsplit('/').next()?.parse().ok()?;
    Some((number, selected.version))
}

#[test]
fn the_first_binding_in_its_highest_version() {
    use ProtocolVersion::{V0_3, V1_0};
    for (offered, expect) in [
        (&[("JSONRPC", "1.0")][..], Some((0, V1_0))),
        (&[("HTTP+JSON", "1.0"), ("JSONRPC", "1.0")], Some((0, V1_0))),
        (&[("GRPC", "1.0"), (WEBSOCKETS, "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "1.0")], Some((2, V1_0))),
        // Versions by their first two numbers.
        (&[("JSONRPC", "0.3"), ("JSONRPC", "1.0")], Some((1, V1_0))),
        (&[("JSONRPC", "0.3"), ("HTTP+JSON", "1.0"), ("JSONRPC", "1.0.7")], Some((2, V1_0))),
        (&[("JSONRPC", "0.3.0"), ("HTTP+JSON", "1.0")], Some((0, V0_3))),
        (&[("JSONRPC", "2.0"), ("JSONRPC", "latest"), ("JSONRPC", "1.0.2")], Some((2, V1_0))),
        (&[("JSONRPC", "2.0"), ("HTTP+JSON", "0.3")], Some((1, V0_3))),
        (&[("JSONRPC", "1.1"), ("JSONRPC", "1.0")], Some((1, V1_0))),
        (&[("JSONRPC", "1.0"), ("JSONRPC", "1.0.1")], Some((0, V1_0))),
        (&[("JSONRPC", "1")], Some((0, V1_0))),
        (&[("JSONRPC", "0.2.6")], Some((0, V0_3))),
        // One that is not stated counts least.
        (&[("JSONRPC", ""), ("JSONRPC", "1.0")], Some((1, V1_0))),
        (&[("JSONRPC", ""), ("JSONRPC", "0.3")], Some((1, V0_3))),
        (&[("JSONRPC", "")], Some((0, V1_0))),
        // Names without case.
        (&[("jsonrpc", "1.0")], Some((0, V1_0))),
        (&[("Http+Json", "1.0")], Some((0, V1_0))),
        (&[("jsonrpc", "0.3"), ("JSONRPC", "1.0")], Some((1, V1_0))),
        // Nothing that fits.
        (&[("GRPC", "1.0")], None),
        (&[("JSONRPC", "2.0"), ("JSONRPC", "0.1"), ("JSONRPC", "1.0rc1"), ("JSONRPC", "v1")], None),
        (&[], None),
    ] {
        assert_eq!(chosen(offered, &InterfacePreferences::default()), expect, "{offered:?}");
    }
}

#[test]
fn interfaces_without_a_usable_url_are_passed_over() {
    for url in ["", " ", "desk.example:443", "wss://desk.example/ws", "/a2a", "https://", "nonsense url"] {
        let good = interface("https://desk.example/a2a".to_owned(), "JSONRPC", "1.0");
        let bad = interface(url.to_owned(), "JSONRPC", "1.0");
        let selected =
            select_interface(&card([bad, good.clone()]), &InterfacePreferences::default()).unwrap();
        assert_eq!(selected.interface, good, "{url:?}");
    }
}

#[test]
fn callers_rank_pin_and_forbid() {
    use ProtocolVersion::{V0_3, V1_0};
    let offered = [("HTTP+JSON", "1.0"), ("JSONRPC", "0.3"), ("JSONRPC", "1.0"), ("GRPC", "1.0")];
    let prefer = InterfacePreferences::default;
    assert_eq!(chosen(&offered, &prefer().with_ranking(["jsonrpc"])), Some((2, V1_0)));
    assert_eq!(chosen(&offered, &prefer().with_ranking(["GRPC"])), Some((0, V1_0)));
    assert_eq!(chosen(&offered, &prefer().pinned_to("JSONRPC")), Some((2, V1_0)));
    assert_eq!(chosen(&offered[..1], &prefer().pinned_to("JSONRPC")), None);
    assert_eq!(chosen(&offered, &prefer().pinned_to("GRPC")), None);
    assert_eq!(chosen(&offered[1..2], &prefer()), Some((1 - 1, V0_3)));
    assert_eq!(chosen(&offered[1..2], &prefer().without_v0_3()), None);
    assert_eq!(
        chosen(&[("JSONRPC", "0.3"), ("HTTP+JSON", "1.0")], &prefer().without_v0_3()),
        Some((1, V1_0))
    );
}

#[test]
fn the_error_lists_what_there_is() {
    let offered = card(interfaces(&[("GRPC", "1.0"), (WEBSOCKETS, "2.0")]));
    let error = select_interface(&offered, &InterfacePreferences::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoInterface);
    let text = error.to_string();
    for word in ["GRPC 1.0", "https://bindings.example/ws/v2 2.0", "JSONRPC", "HTTP+JSON", "1.0 and 0.3"] {
        assert!(text.contains(word), "{text} does not say {word}");
    }
    let pinned = InterfacePreferences::default().pinned_to("JSONRPC").without_v0_3();
    let text = select_interface(&offered, &pinned).unwrap_err().to_string();
    assert!(text.contains("speaks JSONRPC in version 1.0"), "{text}");
}

#[tokio::test]
async fn bindings_can_be_added() {
    let scripted = ScriptedTransport::new().answer(Method::GetTask, Answer::json(r#"{"id": "t"}"#));
    let made = scripted.clone();
    let preferences = InterfacePreferences::default().with_custom_binding(
        WEBSOCKETS,
        Arc::new(move |interface| {
            assert_eq!(interface.url, "wss://desk.example/ws");
            Ok(Arc::new(made.clone()))
        }),
    );
    let offered = card([
        interface("wss://desk.example/ws".to_owned(), WEBSOCKETS, "1.0"),
        interface("https://desk.example/".to_owned(), "JSONRPC", "1.0"),
    ]);
    let transport = connect(&offered, &http(), &preferences).unwrap();
    transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
    assert_eq!(scripted.calls().len(), 1);
    assert!(format!("{preferences:?}").contains(WEBSOCKETS));
    // One that refuses is passed over.
    let preferences = InterfacePreferences::default().with_custom_binding(
        WEBSOCKETS,
        Arc::new(|_| Err(a2a_transport::TransportError::new(ErrorKind::Unsupported, "not today"))),
    );
    assert!(format!("{:?}", connect(&offered, &http(), &preferences).unwrap()).contains("JsonRpcTransport"));
    let only = card([offered.supported_interfaces[0].clone()]);
    assert_eq!(connect(&only, &http(), &preferences).unwrap_err().kind(), ErrorKind::Unsupported);
}

/// An address that refuses connections.
async fn refused() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn the_next_interface_is_used_when_the_first_cannot_be_connected_to() {
    let answer = r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}"#;
    let server = Loopback::start([Exchange::any().times(9).json(answer)]).await;
    let refused = refused().await;
    let offered = card([
        interface(refused.clone(), "JSONRPC", "1.0"),
        interface(refused.clone(), "JSONRPC", "0.3"),
        interface(server.url(""), "HTTP+JSON", "1.0"),
    ]);
    let transport = connect(&offered, &http(), ClientOptions::default()).unwrap();
    in_time(transport.send_message(hello(), no_options())).await.unwrap();
    let mut stream = in_time(transport.send_streaming_message(hello(), no_options())).await.unwrap();
    stream.next().await.unwrap().unwrap();
    assert_eq!(server.request_lines(), ["POST /message:send", "POST /message:stream"]);

    // When none can be, the error is that of the first.
    let offered = card([
        interface(format!("{refused}/first"), "JSONRPC", "1.0"),
        interface(self::refused().await, "HTTP+JSON", "1.0"),
    ]);
    let transport = connect(&offered, &http(), ClientOptions::default()).unwrap();
    for _ in 0..2 {
        let error = in_time(transport.send_message(hello(), no_options())).await.unwrap_err();
        assert_eq!(error.url(), Some(format!("{refused}/first").as_str()));
        assert!(error.is_connect());
    }
}

#[tokio::test]
async fn nothing_else_leads_to_another_interface() {
    let second = Loopback::start([Exchange::any().times(99).json("{}")]).await;
    for exchange in [
        Exchange::any().cut(),
        Exchange::any().reset(),
        Exchange::any().status(503, &[], ""),
        Exchange::any().status(404, &[], ""),
        Exchange::any().json(r#"{"id":1,"error":{"code":-32601,"message":"no such method"}}"#),
    ] {
        let first = Loopback::start([exchange]).await;
        let offered =
            card([interface(first.url(""), "JSONRPC", "1.0"), interface(second.url(""), "HTTP+JSON", "1.0")]);
        let transport = connect(&offered, &http(), ClientOptions::default()).unwrap();
        in_time(transport.send_message(hello(), no_options())).await.unwrap_err();
        assert_eq!(first.requests().len(), 1);
    }
    assert!(second.requests().is_empty());
}

#[tokio::test]
async fn connecting_that_fails_says_how() {
    let refused = refused().await;
    let unresolved = "http://no-such-host.invalid:8080/rpc".to_owned();
    for (url, word) in [(format!("{refused}/rpc"), "connection refused"), (unresolved, "does not resolve")] {
        let offered = card([interface(url.clone(), "JSONRPC", "1.0")]);
        let transport: Arc<dyn Transport> = connect(&offered, &http(), ClientOptions::default()).unwrap();
        let error = in_time(transport.send_message(hello(), no_options())).await.unwrap_err();
        assert_eq!((error.kind(), error.url()), (ErrorKind::Connect, Some(url.as_str())));
        assert!(error.to_string().contains(word), "{error}");
        assert!(super::support::chain(&error).len() > 2, "{error:?}");
    }
}
