//! Proxies from the environment. A process of its own per case, since its environment is the input.

use std::process::Command;

use a2a_testkit::{Exchange, Loopback};
use a2a_transport::{HttpConfig, JsonRpcTransport, Transport};
use a2a_types::GetTaskRequest;

use super::support::{chain, http_with, in_time, interface, no_options};

const TASK: &str = r#"{"id":1,"result":{"id":"t"}}"#;

/// Not a case: what the cases run in a process of their own. Calls the agent at `A2A_TEST_URL`.
#[tokio::test]
async fn caller() {
    let Ok(url) = std::env::var("A2A_TEST_URL") else { return };
    let uses_proxy = std::env::var("A2A_TEST_DIRECT").is_err();
    let http = http_with(HttpConfig::default().with_proxy_from_env(uses_proxy));
    let transport = JsonRpcTransport::new(http, &interface(url, "JSONRPC", "1.0")).unwrap();
    match in_time(transport.get_task(GetTaskRequest::new("t"), no_options())).await {
        Ok(task) => println!("got {}", task.id),
        Err(error) => println!("failed: {} {:?}", error.kind().as_str(), chain(&error)),
    }
}

/// What a call of this URL prints, in this environment.
async fn call(url: &str, environment: &[(&str, String)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "client::proxy::caller", "--nocapture"]).env("A2A_TEST_URL", url);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A proxy whose tunnel leads to an agent that is itself.
async fn proxy() -> Loopback {
    Loopback::start([
        Exchange::on("CONNECT").times(9).send("HTTP/1.1 200 Connection established\r\n\r\n"),
        Exchange::on("POST /rpc").times(9).status(200, &[("Content-Type", "application/json")], TASK),
    ])
    .await
}

fn address(server: &Loopback) -> String {
    format!("127.0.0.1:{}", server.port())
}

#[tokio::test]
async fn calls_go_through_a_tunnel() {
    let proxy = proxy().await;
    let url = format!("http://ada:p%40w@{}", address(&proxy));
    for (name, target) in
        [("HTTP_PROXY", "http://desk.example/rpc"), ("ALL_PROXY", "http://desk.example:8080/rpc")]
    {
        let printed = call(target, &[(name, url.clone())]).await;
        assert!(printed.contains("got t"), "{printed}");
    }
    assert_eq!(
        proxy.request_lines(),
        ["CONNECT desk.example:80", "POST /rpc", "CONNECT desk.example:8080", "POST /rpc"]
    );
    let requests = proxy.requests();
    assert_eq!(requests[0].header("proxy-authorization").as_deref(), Some("Basic YWRhOnBAdw=="));
    assert_eq!(requests[1].header("host").as_deref(), Some("desk.example"));
    assert_eq!(requests[1].header("proxy-authorization"), None);
}

#[tokio::test]
async fn a_tunnel_to_https_is_tls_within() {
    let tunnel = Exchange::on("CONNECT").send("HTTP/1.1 200 Connection established\r\n\r\n").cut();
    let proxy = Loopback::start([tunnel]).await;
    let printed =
        call("https://desk.example/rpc", &[("HTTPS_PROXY", format!("http://{}", address(&proxy)))]).await;
    // There is nobody at the end of this tunnel.
    assert!(printed.contains("failed: tls"), "{printed}");
    assert_eq!(proxy.request_lines()[0], "CONNECT desk.example:443");
}

#[tokio::test]
async fn this_machine_is_always_reached_directly() {
    let proxy = proxy().await;
    let agent = Loopback::start([Exchange::any().json(TASK)]).await;
    let environment = [("ALL_PROXY", format!("http://{}", address(&proxy)))];
    let printed = call(&agent.url("/rpc"), &environment).await;
    assert!(printed.contains("got t"), "{printed}");
    for host in ["localhost", "desk.localhost", "[::1]"] {
        // Nobody listens there: what counts is that the proxy was not asked.
        call(&format!("http://{host}:9/rpc"), &environment).await;
    }
    assert!(proxy.requests().is_empty());
}

#[tokio::test]
async fn proxies_are_not_used_unless_asked_for_nor_where_excluded() {
    let proxy = proxy().await;
    let url = format!("http://{}", address(&proxy));
    for (name, value) in [("A2A_TEST_DIRECT", "1"), ("NO_PROXY", "other.example,.invalid")] {
        let environment = [("HTTP_PROXY", url.clone()), (name, value.to_owned())];
        let printed = call("http://no-such-host.invalid/rpc", &environment).await;
        assert!(printed.contains("failed: connect"), "{printed}");
    }
    assert!(proxy.requests().is_empty());
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named() {
    let proxy = Loopback::start([Exchange::on("CONNECT").times(9).status(407, &[], "")]).await;
    let printed =
        call("http://desk.example/rpc", &[("HTTP_PROXY", format!("http://{}", address(&proxy)))]).await;
    assert!(
        printed.contains("failed: connect") && printed.contains("no connection through the proxy"),
        "{printed}"
    );
    let printed = call("http://desk.example/rpc", &[("HTTP_PROXY", "https://127.0.0.1:9".to_owned())]).await;
    assert!(printed.contains("only proxies with an http URL"), "{printed}");
    let printed = call("http://desk.example/rpc", &[("HTTP_PROXY", "http://127.0.0.1:9".to_owned())]).await;
    assert!(printed.contains("failed: connect") && printed.contains("Connection refused"), "{printed}");
}
