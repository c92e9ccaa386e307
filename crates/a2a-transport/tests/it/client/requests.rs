//! What goes over the wire, for every operation of every binding.

use a2a_testkit::{Exchange, Loopback, RawRequest};
use a2a_transport::{CallOptions, ErrorKind, JsonRpcTransport, RestTransport, Transport, v03};
use a2a_types::{
    AgentInterface, AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
    SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig, TaskState, Timestamp,
};
use insta::assert_snapshot;

use super::support::{hello, http, in_time, interface, no_options};

const TASK: &str = r#"{"id": "t/4 1", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}"#;
const CONFIG: &str = r#"{"id": "p", "taskId": "t/4 1", "url": "https://hook.example/x"}"#;

fn rpc(result: &str) -> String {
    format!(r#"{{"jsonrpc": "2.0", "id": "$ID", "result": {result}}}"#)
}

fn webhook() -> TaskPushNotificationConfig {
    let mut config = TaskPushNotificationConfig::new("https://hook.example/x");
    config.id = "p".to_owned();
    config.task_id = "t/4 1".to_owned();
    config.token = "echo".to_owned();
    let mut authentication = AuthenticationInfo::default();
    authentication.scheme = "Bearer".to_owned();
    config.authentication = Some(authentication);
    config
}

fn full_message() -> SendMessageRequest {
    let parts = vec![
        Part::text("hi"),
        Part::raw([0xFB, 0xFF]).with_media_type("image/png").with_filename("dot.png"),
        Part::url("https://files.example/x.png"),
        Part::data(serde_json::json!({"n": 1})),
    ];
    let mut message = Message::new("m-1", Role::User, parts);
    message.context_id = "c-9".to_owned();
    message.task_id = "t-41".to_owned();
    let mut request = SendMessageRequest::new(message);
    let mut configuration = SendMessageConfiguration::default();
    configuration.accepted_output_modes = vec!["text/plain".to_owned()];
    configuration.history_length = Some(2);
    configuration.task_push_notification_config =
        Some(TaskPushNotificationConfig::new("https://hook.example/x"));
    request.configuration = Some(configuration);
    request
}

/// Makes every call once.
async fn call_everything(transport: &dyn Transport) {
    let options = no_options;
    transport.send_message(full_message(), options()).await.unwrap();
    transport.send_streaming_message(hello(), options()).await.unwrap();
    transport.subscribe_to_task(SubscribeToTaskRequest::new("t/4 1"), options()).await.unwrap();
    let mut get = GetTaskRequest::new("t/4 1");
    get.history_length = Some(3);
    transport.get_task(get, options()).await.unwrap();
    let mut list = ListTasksRequest::default();
    list.context_id = "c&d".to_owned();
    list.status = TaskState::Working;
    list.page_size = Some(5);
    list.page_token = "a+b=".to_owned();
    list.status_timestamp_after = Some(Timestamp::from_text("2026-03-04T07:15:30+01:00"));
    list.include_artifacts = Some(true);
    let listed = transport.list_tasks(list, options()).await;
    assert!(listed.is_ok_and(|list| list.total_size == 7) || true_of_v0_3(transport));
    let mut cancel = CancelTaskRequest::new("t/4 1");
    cancel.metadata = serde_json::json!({"why": "tide"}).as_object().cloned();
    transport.cancel_task(cancel, options()).await.unwrap();
    transport.create_push_config(webhook(), options()).await.unwrap();
    let mut get = GetTaskPushNotificationConfigRequest::default();
    (get.task_id, get.id) = ("t/4 1".to_owned(), "p".to_owned());
    let config = transport.get_push_config(get, options()).await.unwrap();
    assert_eq!(config.url, "https://hook.example/x");
    let mut list = ListTaskPushNotificationConfigsRequest::default();
    list.task_id = "t/4 1".to_owned();
    assert_eq!(transport.list_push_configs(list, options()).await.unwrap().configs.len(), 1);
    let mut delete = DeleteTaskPushNotificationConfigRequest::default();
    (delete.task_id, delete.id) = ("t/4 1".to_owned(), "p".to_owned());
    transport.delete_push_config(delete, options()).await.unwrap();
    let card =
        transport.get_extended_agent_card(GetExtendedAgentCardRequest::default(), options()).await.unwrap();
    assert_eq!(card.name, "Tide Desk");
}

fn true_of_v0_3(transport: &dyn Transport) -> bool {
    format!("{transport:?}").contains("V0_3")
}

/// The requests, one a line; of the bodies, the parameters.
fn transcript(server: &Loopback) -> String {
    let line = |request: &RawRequest| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        format!("{} {body}", request.line()).trim().to_owned()
    };
    server.requests().iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A JSON-RPC server that knows every method by its name, which is in the request.
async fn rpc_server(answers: &'static [(&'static str, &'static str)]) -> Loopback {
    Loopback::start([Exchange::any().times(100).respond(move |request| {
        let method = request.json()["method"].as_str().unwrap().to_owned();
        let result = answers.iter().find(|(name, _)| *name == method).map_or("null", |(_, result)| result);
        let body = rpc(result).replace("\"$ID\"", &request.json()["id"].to_string());
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length";
        format!("{head}: {}\r\n\r\n{body}", body.len()).into_bytes()
    })])
    .await
}

#[tokio::test]
async fn jsonrpc() {
    let server = rpc_server(&[
        ("SendMessage", r#"{"task": {"id": "t"}}"#),
        ("SendStreamingMessage", r#"{"message": {"messageId": "m"}}"#),
        ("SubscribeToTask", r#"{"task": {"id": "t"}}"#),
        ("GetTask", TASK),
        ("ListTasks", r#"{"tasks": [], "nextPageToken": "", "pageSize": 5, "totalSize": 7}"#),
        ("CancelTask", TASK),
        ("CreateTaskPushNotificationConfig", CONFIG),
        ("GetTaskPushNotificationConfig", CONFIG),
        ("ListTaskPushNotificationConfigs", r#"{"configs": [{"url": "https://hook.example/x"}]}"#),
        ("GetExtendedAgentCard", r#"{"name": "Tide Desk"}"#),
    ])
    .await;
    let transport = JsonRpcTransport::new(http(), &interface(server.url("/rpc"), "JSONRPC", "1.0")).unwrap();
    in_time(call_everything(&transport)).await;
    assert_snapshot!(transcript(&server));
}

#[tokio::test]
async fn jsonrpc_v0_3() {
    let server = rpc_server(&[
        (
            "message/send",
            r#"{"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"}}"#,
        ),
        ("message/stream", r#"{"kind": "message", "messageId": "m", "role": "agent", "parts": []}"#),
        (
            "tasks/resubscribe",
            r#"{"kind": "task", "id": "t", "contextId": "c", "status": {"state": "working"}}"#,
        ),
        ("tasks/get", r#"{"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"}}"#),
        ("tasks/cancel", r#"{"kind": "task", "id": "t", "contextId": "c", "status": {"state": "canceled"}}"#),
        (
            "tasks/pushNotificationConfig/set",
            r#"{"taskId": "t", "pushNotificationConfig": {"url": "https://hook.example/x"}}"#,
        ),
        (
            "tasks/pushNotificationConfig/get",
            r#"{"taskId": "t", "pushNotificationConfig": {"url": "https://hook.example/x"}}"#,
        ),
        (
            "tasks/pushNotificationConfig/list",
            r#"[{"taskId": "t", "pushNotificationConfig": {"url": "https://hook.example/x"}}]"#,
        ),
        ("agent/getAuthenticatedExtendedCard", r#"{"name": "Tide Desk", "url": "https://desk.example"}"#),
    ])
    .await;
    let transport =
        v03::JsonRpcTransport::new(http(), &interface(server.url("/rpc"), "JSONRPC", "0.3")).unwrap();
    in_time(call_everything(&transport)).await;
    let error = transport.list_tasks(ListTasksRequest::default(), no_options()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_snapshot!(transcript(&server));
}

/// A server that knows every route of HTTP+JSON.
async fn rest_server(prefix: &str, task: &str, config: &str) -> Loopback {
    let on = |line: &str| {
        let (method, path) = line.split_once(' ').unwrap();
        Exchange::on(&format!("{method} {prefix}{path}"))
    };
    let wrapped = format!(r#"{{"task": {task}}}"#);
    Loopback::start([
        on("POST /message:send").json(&wrapped),
        on("POST /message:stream").json(&wrapped),
        on("POST /tasks/t%2F4%201:subscribe").json(&wrapped),
        on("GET /tasks/t%2F4%201").json(task),
        on("GET /tasks").json(r#"{"tasks": [], "nextPageToken": "", "pageSize": 5, "totalSize": 7}"#),
        on("POST /tasks/t%2F4%201:cancel").json(task),
        on("POST /tasks/t%2F4%201/pushNotificationConfigs").json(config),
        on("GET /tasks/t%2F4%201/pushNotificationConfigs/p").json(config),
        on("GET /tasks/t%2F4%201/pushNotificationConfigs").json(&format!(r#"{{"configs": [{config}]}}"#)),
        on("DELETE /tasks/t%2F4%201/pushNotificationConfigs/p").status(204, &[], ""),
        on("GET /extendedAgentCard").json(r#"{"name": "Tide Desk"}"#),
        on("GET /card").json(r#"{"name": "Tide Desk", "url": "https://desk.example"}"#),
    ])
    .await
}

#[tokio::test]
async fn rest() {
    let server = rest_server("/api", TASK, CONFIG).await;
    let transport = RestTransport::new(http(), &interface(server.url("/api/"), "HTTP+JSON", "1.0")).unwrap();
    in_time(call_everything(&transport)).await;
    assert_snapshot!(transcript(&server));
}

#[tokio::test]
async fn rest_v0_3() {
    let task = r#"{"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}"#;
    let config = r#"{"name": "tasks/t/pushNotificationConfigs/p", "pushNotificationConfig": {"url": "https://hook.example/x"}}"#;
    let server = rest_server("/api/v1", task, config).await;
    let transport =
        v03::RestTransport::new(http(), &interface(server.url("/api"), "HTTP+JSON", "0.3")).unwrap();
    in_time(call_everything(&transport)).await;
    assert_snapshot!(transcript(&server));
}

#[tokio::test]
async fn the_tenant_is_in_every_request() {
    let mut interface = AgentInterface::new("", "HTTP+JSON", "1.0");
    interface.tenant = "a/c me".to_owned();
    let server = rest_server("/a%2Fc%20me", TASK, CONFIG).await;
    interface.url = server.url("");
    let transport = RestTransport::new(http(), &interface).unwrap();
    in_time(call_everything(&transport)).await;
    assert!(server.requests().iter().all(|request| request.target.starts_with("/a%2Fc%20me/")));
    let with_body = server.requests().into_iter().filter(|request| !request.body.is_empty());
    assert!(with_body.into_iter().all(|request| request.json()["tenant"] == "a/c me"));

    let server = rpc_server(&[("GetTask", TASK)]).await;
    interface.url = server.url("");
    let transport = JsonRpcTransport::new(http(), &interface).unwrap();
    transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
    // That of a request comes first.
    let mut request = GetTaskRequest::new("t");
    request.tenant = "other".to_owned();
    transport.get_task(request, no_options()).await.unwrap();
    let tenants: Vec<_> =
        server.requests().iter().map(|request| request.json()["params"]["tenant"].clone()).collect();
    assert_eq!(tenants, ["a/c me", "other"]);
}

#[tokio::test]
async fn ids_that_name_another_route_are_not_sent() {
    let server = Loopback::start([]).await;
    let transport = super::support::rest(&server);
    for id in ["", ".", ".."] {
        let error = transport.get_task(GetTaskRequest::new(id), no_options()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{id:?}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn the_url_of_jsonrpc_is_used_as_it_is() {
    for path in ["/calc", "/calc/", "/calc?k=a%2Fb", "/", "/a//b"] {
        let server = rpc_server(&[("GetTask", TASK)]).await;
        let transport =
            JsonRpcTransport::new(http(), &interface(server.url(path), "JSONRPC", "1.0")).unwrap();
        transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap();
        assert_eq!(server.requests()[0].line(), format!("POST {path}"));
    }
}

#[tokio::test]
async fn headers_of_a_request() {
    let server = rpc_server(&[("GetTask", TASK)]).await;
    let transport = super::support::jsonrpc(&server);
    let mut options = CallOptions::default();
    options.extensions =
        ["https://x.example/geo/v1", " https://x.example/cite/v2 ", "https://x.example/geo/v1", ""]
            .map(str::to_owned)
            .into();
    transport.get_task(GetTaskRequest::new("t"), options).await.unwrap();
    let request = &server.requests()[0];
    let mut names: Vec<_> = request.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    names.sort();
    assert_eq!(names, ["a2a-extensions", "a2a-version", "accept", "content-length", "content-type", "host"]);
    assert_eq!(
        request.header("a2a-extensions").unwrap(),
        "https://x.example/geo/v1,https://x.example/cite/v2"
    );
    assert_eq!(request.header("a2a-version").unwrap(), "1.0");
    assert_eq!(request.header("content-type").unwrap(), "application/json");

    transport.send_streaming_message(hello(), no_options()).await.unwrap_err();
    assert!(server.requests()[1].header("accept").unwrap().contains("text/event-stream"));
}

#[tokio::test]
async fn headers_by_version() {
    let server = Loopback::start([Exchange::any().times(100).json("{}")]).await;
    for (name, transport) in super::support::all_transports(&server) {
        let mut options = no_options();
        options.extensions = vec!["https://x.example/geo/v1".to_owned()];
        let _ = transport.send_message(hello(), options).await;
        let request = server.requests().pop().unwrap();
        let is_v0_3 = name.ends_with("0.3");
        assert_eq!(request.header("a2a-version").is_none(), is_v0_3, "{name}");
        assert_eq!(request.header("a2a-extensions").is_none(), is_v0_3, "{name}");
        assert_eq!(request.header("x-a2a-extensions").is_some(), is_v0_3, "{name}");
        let media_type = if name == "HTTP+JSON 1.0" { "application/a2a+json" } else { "application/json" };
        assert_eq!(request.header("content-type").unwrap(), media_type, "{name}");
    }
}

/// Of 0.3 over HTTP+JSON some servers want a webhook wrapped, as the SDKs for Python do, and some bare.
#[tokio::test]
async fn a_webhook_that_is_refused_wrapped_is_sent_bare() {
    const ROUTE: &str = "POST /v1/tasks/t%2F4%201/pushNotificationConfigs";
    let config = r#"{"name": "tasks/t/pushNotificationConfigs/p", "pushNotificationConfig": {"url": "https://hook.example/x"}}"#;
    let refusal = |text: &str| Exchange::on(ROUTE).status(400, &[], text);
    let create = async |exchanges: [Exchange; 2]| {
        let server = Loopback::start(exchanges).await;
        let transport =
            v03::RestTransport::new(http(), &interface(server.url(""), "HTTP+JSON", "0.3")).unwrap();
        (in_time(transport.create_push_config(webhook(), no_options())).await, server.requests())
    };

    let (created, requests) = create([refusal("first"), Exchange::on(ROUTE).json(config)]).await;
    assert_eq!(created.unwrap().url, "https://hook.example/x");
    let bodies: Vec<_> = requests.iter().map(RawRequest::json).collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0]["config"], bodies[1]);
    assert_eq!(bodies[1]["pushNotificationConfig"]["url"], "https://hook.example/x");

    // The caller learns of the first refusal.
    let other = Exchange::on(ROUTE).status(500, &[], "second");
    let (created, requests) = create([refusal("first"), other]).await;
    assert_eq!((created.unwrap_err().http_status(), requests.len()), (Some(400), 2));
    // What is no refusal of the body is not tried again.
    let broken = Exchange::on(ROUTE).status(500, &[], "first");
    let (created, requests) = create([broken, Exchange::on(ROUTE).json(config)]).await;
    assert_eq!((created.unwrap_err().http_status(), requests.len()), (Some(500), 1));
}
