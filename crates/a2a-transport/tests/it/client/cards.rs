//! Finding cards, keeping them, and who is shown what on the way.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use a2a_testkit::{Answer, Exchange, Loopback, ScriptedTransport};
use a2a_transport::{CardResolver, Credentials, ErrorKind, HttpConfig};
use a2a_types::{AgentCard, Method};
use http::{HeaderMap, HeaderValue};

use super::support::{chain, http, http_with, in_time, no_options};

const CARD: &str = r#"{"name":"Tide Desk","supportedInterfaces":[{"url":"https://desk.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}"#;
const WELL_KNOWN: &str = "/.well-known/agent-card.json";
const LEGACY: &str = "/.well-known/agent.json";
const TEXT: [(&str, &str); 1] = [("Content-Type", "text/plain")];

fn resolver() -> CardResolver {
    CardResolver::new(http())
}

/// Where the card was found, and what was asked on the way.
async fn search(base: &str, card_at: &str) -> Vec<String> {
    let server = Loopback::start([Exchange::on(&format!("GET {card_at}")).json(CARD)]).await;
    let found = in_time(resolver().fetch(&server.url(base))).await.unwrap();
    assert_eq!((found.card.name.as_str(), found.json.as_str()), ("Tide Desk", CARD));
    assert_eq!(found.url, server.url(card_at));
    server.requests().into_iter().map(|request| request.target).collect()
}

#[tokio::test]
async fn cards_are_looked_for_below_the_path_then_at_the_origin() {
    assert_eq!(search("", WELL_KNOWN).await, [WELL_KNOWN]);
    assert_eq!(search("/", WELL_KNOWN).await, [WELL_KNOWN]);
    assert_eq!(search("/", LEGACY).await, [WELL_KNOWN, LEGACY]);
    let below = |path: &str| format!("/agents/foo{path}");
    assert_eq!(search("/agents/foo", &below(WELL_KNOWN)).await, [below(WELL_KNOWN)]);
    assert_eq!(search("/agents/foo/", &below(WELL_KNOWN)).await, [below(WELL_KNOWN)]);
    assert_eq!(search("/agents/foo?k=v#top", &below(WELL_KNOWN)).await, [below(WELL_KNOWN)]);
    assert_eq!(
        search("/agents/foo", LEGACY).await,
        [below(WELL_KNOWN), below(LEGACY), WELL_KNOWN.to_owned(), LEGACY.to_owned()]
    );
    assert_eq!(search("/cards/desk.json", "/cards/desk.json").await, ["/cards/desk.json"]);
    assert_eq!(search("/cards/desk.json?v=1", "/cards/desk.json").await, ["/cards/desk.json?v=1"]);
}

#[tokio::test]
async fn cards_may_have_a_path_of_their_own() {
    let server = Loopback::start([Exchange::on("GET /about/card").json(CARD)]).await;
    let resolver = resolver().with_path("about/card");
    in_time(resolver.resolve(&server.url("/x"))).await.unwrap();
    assert_eq!(server.request_lines(), ["GET /x/about/card", "GET /about/card"]);
}

#[tokio::test]
async fn a_search_without_success_says_where_and_why() {
    let server = Loopback::start([]).await;
    let error = in_time(resolver().resolve(&server.url("/x"))).await.unwrap_err();
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::Card, Some(404)));
    let text = error.to_string();
    assert!(text.contains("404") && text.contains("/x/.well-known/agent-card.json"), "{text}");
    assert_eq!(server.requests().len(), 4);

    // What was found and is bad says more than what was not found.
    let server = Loopback::start([Exchange::on(&format!("GET {WELL_KNOWN}")).json("{}")]).await;
    let error = in_time(resolver().resolve(&server.url("/x"))).await.unwrap_err();
    assert!(error.to_string().contains("supportedInterfaces"), "{error}");
}

#[tokio::test]
async fn what_is_not_a_card_is_an_error_of_its_own() {
    for (body, word) in [
        ("<!doctype html><title>Harbor</title>", "not an agent card"),
        ("", "not an agent card"),
        ("[]", "not an agent card"),
        ("\"card\"", "not an agent card"),
        (r#"{"name": 7, "supportedInterfaces": [{"url": "https://h"}]}"#, "name"),
        ("{}", "supportedInterfaces"),
        (r#"{"name": "Tide Desk", "supportedInterfaces": []}"#, "supportedInterfaces"),
    ] {
        let server =
            Loopback::start([Exchange::on(&format!("GET {WELL_KNOWN}")).status(200, &TEXT, body)]).await;
        let error = in_time(resolver().resolve(&server.url(""))).await.unwrap_err();
        let text = error.to_string();
        assert_eq!((error.kind(), error.http_status()), (ErrorKind::Card, Some(200)), "{text}");
        assert!(text.contains(word) && text.contains(WELL_KNOWN), "{text}");
    }
}

#[tokio::test]
async fn a_card_of_0_3_is_a_card() {
    let old = r#"{"name":"Old Buoy","url":"https://buoy.example/a2a","protocolVersion":"0.3.0","skills":[],"capabilities":{}}"#;
    let server = Loopback::start([Exchange::on(&format!("GET {LEGACY}")).json(old)]).await;
    let card = in_time(resolver().resolve(&server.url(""))).await.unwrap();
    assert_eq!(card.supported_interfaces[0].url, "https://buoy.example/a2a");
    assert_eq!(card.supported_interfaces[0].protocol_version, "0.3.0");
}

#[tokio::test]
async fn who_may_not_see_the_card_is_told_so_at_once() {
    for status in [401, 403] {
        let challenge = ("WWW-Authenticate", "Bearer realm=\"desk\"");
        let server =
            Loopback::start([Exchange::any().status(status, &[challenge], r#"{"detail":"who are you"}"#)])
                .await;
        let error = in_time(resolver().resolve(&server.url("/x"))).await.unwrap_err();
        assert_eq!((error.kind(), error.http_status()), (ErrorKind::Auth, Some(status)));
        assert_eq!(error.www_authenticate(), Some("Bearer realm=\"desk\""));
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn failures_of_the_server_are_not_taken_for_a_missing_card() {
    let server = Loopback::start([Exchange::any().status(503, &[("Retry-After", "7")], "")]).await;
    let error = in_time(resolver().resolve(&server.url(""))).await.unwrap_err();
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::HttpStatus, Some(503)));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn cards_are_bounded() {
    let config = HttpConfig::default().with_max_card_bytes(1000);
    let server = Loopback::start([Exchange::any().json(&format!("{CARD}{}", " ".repeat(1000)))]).await;
    let error = in_time(CardResolver::new(http_with(config)).resolve(&server.url(""))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

#[tokio::test]
async fn bad_urls_are_refused() {
    for (url, word) in [
        ("", "not a URL"),
        ("not a url", "not a URL"),
        ("desk.example", "not absolute"),
        ("/path", "not absolute"),
        ("ftp://desk.example", "neither http nor https"),
        ("http://user:s3cret@desk.example", "credentials"),
        ("http://user:s3cret@desk example/?key=s3cret", "not a URL"),
        ("http://127.0.0.1:99999", "port"),
        ("http://127.0.0.1:desk/", "port"),
        ("http://[::1]:65536", "port"),
    ] {
        let error = in_time(resolver().resolve(url)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{url}");
        let text = chain(&error).join("; ");
        assert!(text.contains(word), "{url}: {text}");
        assert!(!format!("{text}{error:?}").contains("s3cret"), "{text}");
    }
}

#[tokio::test]
async fn redirects_are_followed_for_cards() {
    let hop = |from: &str, status, to: &str| {
        Exchange::on(&format!("GET {from}")).status(status, &[("Location", to)], "")
    };
    let server = Loopback::start([
        hop(WELL_KNOWN, 301, "/cards/a"),
        hop("/cards/a", 307, "b?x=1"),
        hop("/cards/b", 303, "../desk.json"),
        Exchange::on("GET /desk.json").json(CARD),
    ])
    .await;
    let found = in_time(resolver().fetch(&server.url(""))).await.unwrap();
    assert_eq!(found.url, server.url("/desk.json"));
    assert_eq!(server.requests().len(), 4);

    let server = Loopback::start([Exchange::any().times(9).status(302, &[("Location", "/again")], "")]).await;
    let error = in_time(resolver().resolve(&server.url("/card.json"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Redirect);
    assert!(error.to_string().contains("more than 3"), "{error}");
    assert_eq!(server.requests().len(), 4);

    let elsewhere =
        ["mailto:desk", "ftp://h.test/card.json", "http://ada:pw@h.test/", "http://h.test:65616/"];
    for location in elsewhere.map(Some).into_iter().chain([None]) {
        let headers: Vec<_> = location.map(|location| ("Location", location)).into_iter().collect();
        let server = Loopback::start([Exchange::any().status(302, &headers, "")]).await;
        let error = in_time(resolver().resolve(&server.url("/card.json"))).await.unwrap_err();
        assert_eq!((error.kind(), error.http_status()), (ErrorKind::Redirect, Some(302)));
    }
}

#[tokio::test]
async fn secrets_stay_at_their_origin() {
    let other = Loopback::start([Exchange::any().times(2).json(CARD)]).await;
    let target = other.url("/card.json");
    let server = Loopback::start([
        Exchange::on("GET /here.json").status(302, &[("Location", "/there.json")], ""),
        Exchange::on("GET /there.json").status(302, &[("Location", &target)], ""),
    ])
    .await;
    let mut headers = HeaderMap::new();
    headers.insert("x-desk-key", HeaderValue::from_static("k-2"));
    let resolver = CardResolver::new(http_with(HttpConfig::default().with_headers(headers)))
        .with_credentials(Credentials::new().with_token("s3cret").with_api_key("X-API-Key", "s3cret"));
    in_time(resolver.resolve(&server.url("/here.json"))).await.unwrap();
    for request in server.requests() {
        assert_eq!(request.header("authorization").as_deref(), Some("Bearer s3cret"));
        assert_eq!(request.header("x-api-key").as_deref(), Some("s3cret"));
        assert_eq!(request.header("x-desk-key").as_deref(), Some("k-2"));
    }
    let head = String::from_utf8_lossy(&other.requests()[0].head).to_ascii_lowercase();
    assert!(!head.contains("s3cret") && !head.contains("x-desk-key"), "{head}");
    assert!(!format!("{resolver:?}").contains("s3cret"));
}

#[tokio::test]
async fn the_version_is_asked_for() {
    let server = Loopback::start([Exchange::any().json(CARD)]).await;
    in_time(resolver().resolve(&server.url(""))).await.unwrap();
    let request = &server.requests()[0];
    assert_eq!(request.header("a2a-version").as_deref(), Some("1.0"));
    assert_eq!(request.header("accept").as_deref(), Some("application/json"));
    assert_eq!(request.header("accept-encoding"), None);
}

/// Answers with the card and these headers; asked again, with 304 if that is what is asked for.
async fn caching_server(headers: &[(&str, &str)]) -> Loopback {
    let mut all = vec![("Content-Type", "application/json")];
    all.extend(headers);
    let unchanged = headers.to_vec();
    Loopback::start([
        Exchange::any().status(200, &all, CARD),
        Exchange::any().status(304, &unchanged, ""),
        Exchange::any().times(9).status(200, &all, CARD),
    ])
    .await
}

#[tokio::test]
async fn cards_are_fresh_as_long_as_they_say() {
    for (cache_control, age, requests) in [
        ("max-age=60", "0", 1),
        ("public, Max-Age=60, must-revalidate", "59", 1),
        ("max-age=60", "60", 2),
        ("max-age=0", "0", 2),
        ("no-cache, max-age=60", "0", 2),
        ("max-age=soon", "0", 2),
    ] {
        let server =
            caching_server(&[("Cache-Control", cache_control), ("Age", age), ("ETag", "W/\"7\"")]).await;
        let resolver = resolver();
        for resolver in [&resolver, &resolver.clone()] {
            let found = in_time(resolver.fetch(&server.url(""))).await.unwrap();
            assert_eq!(found.json, CARD);
        }
        assert_eq!(server.requests().len(), requests, "{cache_control}, {age}");
        if let Some(second) = server.requests().get(1) {
            assert_eq!(second.header("if-none-match").as_deref(), Some("W/\"7\""));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn stale_cards_are_asked_for_again() {
    let modified = "Wed, 04 Mar 2026 07:15:30 GMT";
    let server = caching_server(&[("Cache-Control", "max-age=60"), ("Last-Modified", modified)]).await;
    let resolver = resolver();
    for (wait, requests) in [(0, 1), (59, 1), (2, 2), (58, 2), (3, 3)] {
        tokio::time::advance(Duration::from_secs(wait)).await;
        resolver.resolve(&server.url("")).await.unwrap();
        assert_eq!(server.requests().len(), requests);
    }
    let asked: Vec<_> = server.requests().iter().map(|request| request.header("if-modified-since")).collect();
    assert_eq!(asked, [None, Some(modified.to_owned()), Some(modified.to_owned())]);
}

#[tokio::test]
async fn cards_that_must_not_be_kept_are_not() {
    for headers in [&[("Cache-Control", "no-store, max-age=60"), ("ETag", "\"7\"")][..], &[]] {
        let server = Loopback::start([Exchange::any().times(2).status(200, headers, CARD)]).await;
        let resolver = resolver();
        for _ in 0..2 {
            in_time(resolver.resolve(&server.url(""))).await.unwrap();
        }
        assert_eq!(server.requests().len(), 2);
        assert!(server.requests()[1].header("if-none-match").is_none());
    }
}

#[tokio::test]
async fn a_card_that_moved_is_found_again() {
    let server = Loopback::start([
        Exchange::on(&format!("GET {WELL_KNOWN}")).status(200, &[("ETag", "\"7\"")], CARD),
        Exchange::on(&format!("GET {LEGACY}")).json(CARD),
    ])
    .await;
    let resolver = resolver();
    for _ in 0..2 {
        in_time(resolver.resolve(&server.url(""))).await.unwrap();
    }
    let lines = server.request_lines();
    assert_eq!(lines.last().unwrap(), &format!("GET {LEGACY}"));
}

#[tokio::test]
async fn cards_can_be_verified() {
    let checked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&checked);
    let resolver = resolver().with_verifier(Arc::new(move |json| {
        count.fetch_add(1, Ordering::SeqCst);
        if json.contains("Tidy") { Err("no key fits".into()) } else { Ok(a2a_types::from_str(json)?) }
    }));
    let forged = CARD.replace("Tide", "Tidy");
    let server =
        Loopback::start([Exchange::on("GET /a.json").json(CARD), Exchange::on("GET /b.json").json(&forged)])
            .await;
    let mut card: AgentCard = in_time(resolver.resolve(&server.url("/a.json"))).await.unwrap();
    let error = in_time(resolver.resolve(&server.url("/b.json"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Card);
    assert_eq!(chain(&error)[1..], ["no key fits"]);

    // The extended card is checked alike.
    let transport = ScriptedTransport::new()
        .answer(Method::GetExtendedAgentCard, Answer::json(CARD))
        .answer(Method::GetExtendedAgentCard, Answer::json(forged))
        .answer(Method::GetExtendedAgentCard, Answer::json("{}"));
    let error = resolver.extended(&card, &transport, no_options()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(transport.calls().is_empty());
    card.capabilities.extended_agent_card = Some(true);
    assert_eq!(resolver.extended(&card, &transport, no_options()).await.unwrap().name, "Tide Desk");
    for _ in 0..2 {
        let error = resolver.extended(&card, &transport, no_options()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Card);
    }
    assert_eq!(checked.load(Ordering::SeqCst), 5);
}

#[cfg(feature = "signatures")]
#[tokio::test]
async fn of_a_signed_card_only_what_is_signed_is_used() {
    use a2a_types::signatures::KeySet;

    // The test vector of the specification's digest: its key, its card.
    let keys = r#"{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"demo-1",
        "x":"JuXBD_i9NhTqUwKX_RES-ryRiscDaWvS_hL397PUXz0","y":"zOErzoHxKVD9MlBmq6FQexAVR8oyAuKKVhEiufIhITI"}]}"#;
    let signed = r#"{"name":"Marée","description":"Tide tables","version":"2.1.0",
        "supportedInterfaces":[{"url":"https://tide.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
        "capabilities":{"streaming":true,"pushNotifications":false,"extensions":[{"uri":"https://tide.example/ext/v1",
            "params":{"b":2,"a":1.50,"€":"euro","z":1e21}}]},
        "defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
        "skills":[{"id":"tide","name":"Tides","description":"Next high tide","tags":["sea"]}],
        "signatures":[{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImRlbW8tMSIsInR5cCI6IkpPU0UifQ",
            "signature":"8UwWgBQCElhfC8Yg4F29DyM7rLBxqo8NnbJZelj-tcOZI-GA6GEoB4YlphWAl-ixLXDhyEnJxlZ7fJpx74lI0A"}]}"#;
    let resolver = resolver().with_trusted_keys(KeySet::from_jwks(keys).unwrap());
    let server = Loopback::start([
        Exchange::on("GET /signed.json").json(signed),
        Exchange::on("GET /forged.json").json(&signed.replace("tide.example/a2a", "elsewhere.example/a2a")),
        Exchange::on("GET /unsigned.json").json(CARD),
    ])
    .await;
    assert_eq!(in_time(resolver.resolve(&server.url("/signed.json"))).await.unwrap().name, "Marée");
    for (path, word) in [("/forged.json", "not what was signed"), ("/unsigned.json", "not signed")] {
        let error = in_time(resolver.resolve(&server.url(path))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Card);
        assert!(chain(&error).join("; ").contains(word), "{error:?}");
    }
}
