//! Credentials: what is sent, where, and what a 401 leads to.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use a2a_testkit::{Exchange, Loopback, RawRequest};
use a2a_transport::{
    ClientOptions, Credential, CredentialProvider, CredentialRequest, Credentials, ErrorKind, HttpConfig,
    Transport, TransportError, connect,
};
use a2a_types::{AgentCard, GetTaskRequest};
use futures::future::{BoxFuture, ready};
use http::{HeaderMap, HeaderValue};

use super::support::{http, http_with, in_time, no_options};

const TASK: &str = r#"{"id":"$ID","result":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"}}}"#;

/// A card of a JSON-RPC agent with these schemes and requirements, in JSON.
fn card(url: &str, schemes: &str, requirements: &str) -> AgentCard {
    let text = format!(
        r#"{{"name":"Tide Desk","supportedInterfaces":[{{"url":"{url}","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}],
        "securitySchemes":{{{schemes}}},"securityRequirements":[{requirements}]}}"#
    );
    a2a_types::from_str(&text).unwrap()
}

const SCHEMES: &str = r#"
    "bearer": {"httpAuthSecurityScheme": {"scheme": "bearer"}},
    "basic": {"httpAuthSecurityScheme": {"scheme": "Basic"}},
    "dpop": {"httpAuthSecurityScheme": {"scheme": "DPoP"}},
    "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
    "query": {"apiKeySecurityScheme": {"location": "Query", "name": "api key"}},
    "cookie": {"apiKeySecurityScheme": {"location": "cookie", "name": "session"}},
    "oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "https://id.example/token"}}}},
    "oidc": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://id.example"}},
    "mtls": {"mtlsSecurityScheme": {}},
    "odd": {"somethingNew": {}}"#;

/// The request that a call makes, by a card with these requirements.
async fn request(requirements: &str, credentials: Credentials) -> RawRequest {
    let server = Loopback::start([Exchange::any().json(TASK)]).await;
    let card = card(&server.url("/rpc?x=1"), SCHEMES, requirements);
    let transport = connect(&card, &http(), ClientOptions::default().with_credentials(credentials)).unwrap();
    in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.unwrap();
    server.requests().remove(0)
}

fn all() -> Credentials {
    Credentials::new()
        .with_token("tok")
        .with_basic("ada", "pw")
        .with_api_key("x-key", "k-1")
        .with_api_key("api key", "k&2")
        .with_api_key("session", "k-3")
}

fn needs(schemes: &str) -> String {
    let schemes: Vec<_> =
        schemes.split_whitespace().map(|name| format!(r#""{name}": {{"list": []}}"#)).collect();
    format!(r#"{{"schemes": {{{}}}}}"#, schemes.join(", "))
}

#[tokio::test]
async fn credentials_are_sent_as_the_card_demands() {
    for (scheme, authorization) in [
        ("bearer", Some("Bearer tok")),
        ("oauth", Some("Bearer tok")),
        ("oidc", Some("Bearer tok")),
        ("basic", Some("Basic YWRhOnB3")),
        ("dpop", Some("DPoP tok")),
        ("key", None),
        ("query", None),
        ("cookie", None),
    ] {
        let request = request(&needs(scheme), all()).await;
        assert_eq!(request.header("authorization").as_deref(), authorization, "{scheme}");
        assert_eq!(request.header("x-key").as_deref(), (scheme == "key").then_some("k-1"), "{scheme}");
        assert_eq!(
            request.header("cookie").as_deref(),
            (scheme == "cookie").then_some("session=k-3"),
            "{scheme}"
        );
        let target = if scheme == "query" { "/rpc?x=1&api%20key=k%262" } else { "/rpc?x=1" };
        assert_eq!(request.target, target, "{scheme}");
    }
}

#[tokio::test]
async fn all_schemes_of_a_requirement_are_met() {
    let request = request(&needs("bearer key query cookie"), all()).await;
    assert_eq!(request.header("authorization").as_deref(), Some("Bearer tok"));
    assert_eq!(request.header("x-key").as_deref(), Some("k-1"));
    assert_eq!(request.header("cookie").as_deref(), Some("session=k-3"));
    assert_eq!(request.target, "/rpc?x=1&api%20key=k%262");
}

#[tokio::test]
async fn the_first_requirement_that_can_be_met_is() {
    let only_key = || Credentials::new().with_api_key("X-Key", "k-1");
    // Neither one that is half met, nor one that nobody knows, nor a client certificate that there is not.
    let alternatives =
        [needs("bearer"), needs("key basic"), needs("odd"), needs("missing"), needs("mtls"), needs("key")];
    let request = request(&alternatives.join(","), only_key()).await;
    assert_eq!(request.header("x-key").as_deref(), Some("k-1"));
    assert_eq!(request.header("authorization"), None);
    // One that demands nothing demands nothing.
    let request = self::request(&[needs(""), needs("key")].join(","), only_key()).await;
    assert_eq!(request.header("x-key"), None);
}

#[tokio::test]
async fn credentials_are_sent_too_where_the_card_does_not_say() {
    for requirements in [String::new(), needs("odd")] {
        let request = request(&requirements, all()).await;
        assert_eq!(request.header("authorization").as_deref(), Some("Bearer tok"));
        assert_eq!(request.header("x-key").as_deref(), Some("k-1"));
        // Where a key goes the card may still know.
        assert_eq!(request.header("cookie").as_deref(), Some("session=k-3"));
        assert!(request.target.contains("api%20key=k%262"));
    }
    let request = request("", Credentials::new().with_api_key("X-Other", "k-9")).await;
    assert_eq!(request.header("x-other").as_deref(), Some("k-9"));
}

#[tokio::test]
async fn headers_of_the_caller_win() {
    let server = Loopback::start([Exchange::any().times(2).json(TASK)]).await;
    let card = card(&server.url("/rpc"), SCHEMES, &needs("bearer"));
    let mut configured = HeaderMap::new();
    configured.insert("authorization", HeaderValue::from_static("Configured"));
    configured.append("x-two", HeaderValue::from_static("a"));
    configured.append("x-two", HeaderValue::from_static("b"));
    let http = http_with(HttpConfig::default().with_headers(configured));
    let transport = connect(&card, &http, ClientOptions::default().with_credentials(all())).unwrap();
    transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
    let mut options = no_options();
    options.headers.insert("authorization", HeaderValue::from_static("Of this call"));
    options.headers.insert("x-two", HeaderValue::from_static("c"));
    transport.get_task(GetTaskRequest::new("t"), options).await.unwrap();
    let seen: Vec<_> = server
        .requests()
        .iter()
        .map(|request| (request.header("authorization"), request.header("x-two")))
        .collect();
    let pair = |one: &str, two: &str| (Some(one.to_owned()), Some(two.to_owned()));
    assert_eq!(seen, [pair("Configured", "a, b"), pair("Of this call", "c")]);
}

#[tokio::test]
async fn headers_of_the_exchange_itself_cannot_be_set() {
    for name in ["content-length", "transfer-encoding", "connection", "accept-encoding", "te", "upgrade"] {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static("1"));
        let error =
            a2a_transport::HttpClient::new(HttpConfig::default().with_headers(headers.clone())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{name}");
        let server = Loopback::start([]).await;
        let mut options = no_options();
        options.headers = headers;
        let error =
            super::support::jsonrpc(&server).get_task(GetTaskRequest::new("t"), options).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{name}");
        assert!(server.requests().is_empty());
    }
}

/// The card names the header: not one that would end the request elsewhere, or make two of it.
#[tokio::test]
async fn a_card_has_no_key_sent_as_a_header_of_the_exchange() {
    for name in ["Content-Length", "Transfer-Encoding", "Connection", "Host"] {
        let server = Loopback::start([]).await;
        let schemes =
            format!(r#""key": {{"apiKeySecurityScheme": {{"location": "header", "name": "{name}"}}}}"#);
        let card = card(&server.url("/rpc"), &schemes, &needs("key"));
        let credentials = Credentials::new().with_api_key(name, "5");
        let transport =
            connect(&card, &http(), ClientOptions::default().with_credentials(credentials)).unwrap();
        let error = in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{name}: {error}");
        assert!(server.requests().is_empty(), "{name}");
    }
}

#[tokio::test]
async fn credentials_can_be_for_some_origins_only() {
    let server = Loopback::start([Exchange::any().times(9).json(TASK)]).await;
    for (origins, is_sent) in [
        (vec![server.url("")], true),
        (vec![server.url("/")], true),
        (vec!["https://other.example".to_owned(), server.url("")], true),
        (vec!["https://other.example".to_owned()], false),
        (vec!["http://127.0.0.1".to_owned()], false),
    ] {
        let card = card(&server.url("/rpc"), SCHEMES, &needs("bearer"));
        let credentials = Credentials::new().with_token("tok").only_for(&origins);
        let transport =
            connect(&card, &http(), ClientOptions::default().with_credentials(credentials)).unwrap();
        transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
        let authorization = server.requests().last().unwrap().header("authorization");
        assert_eq!(authorization.is_some(), is_sent, "{origins:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_an_error_that_does_not_quote_it() {
    let server = Loopback::start([]).await;
    let card = card(&server.url("/rpc"), SCHEMES, &needs("bearer"));
    let credentials = Credentials::new().with_token("s3cret\nInjected: yes");
    assert!(!format!("{credentials:?}").contains("s3cret"));
    let transport = connect(&card, &http(), ClientOptions::default().with_credentials(credentials)).unwrap();
    let error = transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(!format!("{error} {error:?} {transport:?}").contains("s3cret"), "{error:?}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn keys_in_the_query_are_not_in_errors() {
    let server = Loopback::start([]).await;
    let card = card(&server.url("/rpc"), SCHEMES, &needs("query"));
    let credentials = Credentials::new().with_api_key("api key", "s3cret");
    let transport = connect(&card, &http(), ClientOptions::default().with_credentials(credentials)).unwrap();
    let error = transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap_err();
    assert_eq!(error.http_status(), Some(404));
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    assert!(server.requests()[0].target.contains("s3cret"));
}

/// Gives `old`, and when that was refused `new`, or `old` for ever.
#[derive(Debug)]
struct Rotating {
    can_renew: bool,
    asked: Arc<AtomicUsize>,
}

impl CredentialProvider for Rotating {
    fn credential<'a>(
        &'a self,
        request: CredentialRequest<'a>,
    ) -> BoxFuture<'a, Result<Option<Credential>, TransportError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        assert!(request.origin.starts_with("http://127.0.0.1:"), "{}", request.origin);
        assert_eq!((request.scheme_name, request.scopes), ("bearer", &["read".to_owned()][..]));
        let token = match request.refused {
            Some(challenge) if self.can_renew => {
                assert_eq!(challenge, "Bearer error=\"invalid_token\"");
                "new"
            }
            _ => "old",
        };
        Box::pin(ready(Ok(Some(Credential::Token(token.into())))))
    }
}

#[tokio::test]
async fn a_401_asks_once_for_another_credential() {
    let unauthorized =
        || Exchange::any().status(401, &[("WWW-Authenticate", "Bearer error=\"invalid_token\"")], "");
    for (can_renew, second, requests, asked) in [
        (true, Exchange::any().json(TASK), &["Bearer old", "Bearer new"][..], 2),
        (true, unauthorized(), &["Bearer old", "Bearer new"], 2),
        // The same again would only be refused again.
        (false, Exchange::any().json(TASK), &["Bearer old"], 2),
    ] {
        let is_accepted = requests.len() == 2 && format!("{second:?}").contains("times: 1") && asked == 2;
        let server = Loopback::start([unauthorized(), second]).await;
        let counter = Arc::new(AtomicUsize::new(0));
        let provider = Rotating { can_renew, asked: Arc::clone(&counter) };
        let requirement = r#"{"schemes": {"bearer": {"list": ["read"]}}}"#;
        let card = card(&server.url("/rpc"), SCHEMES, requirement);
        let transport = connect(&card, &http(), ClientOptions::default().with_credentials(provider)).unwrap();
        let answer = in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await;
        let sent: Vec<_> =
            server.requests().iter().map(|request| request.header("authorization").unwrap()).collect();
        assert_eq!(sent, requests);
        assert_eq!(counter.load(Ordering::SeqCst), asked);
        if let Err(error) = answer {
            assert_eq!((error.kind(), error.http_status()), (ErrorKind::Auth, Some(401)));
            assert_eq!(error.www_authenticate(), Some("Bearer error=\"invalid_token\""));
        } else {
            assert!(is_accepted);
        }
        // Refused before it was carried out, so on the same connection.
        assert_eq!(server.opened_connections(), 1);
    }
}

#[tokio::test]
async fn a_403_asks_for_nothing() {
    let server = Loopback::start([Exchange::any().status(403, &[], "")]).await;
    let counter = Arc::new(AtomicUsize::new(0));
    let provider = Rotating { can_renew: true, asked: Arc::clone(&counter) };
    let card = card(&server.url("/rpc"), SCHEMES, r#"{"schemes": {"bearer": {"list": ["read"]}}}"#);
    let transport = connect(&card, &http(), ClientOptions::default().with_credentials(provider)).unwrap();
    let error = transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap_err();
    assert_eq!((error.kind(), counter.load(Ordering::SeqCst)), (ErrorKind::Auth, 1));
    assert_eq!(server.requests().len(), 1);
}
