//! Every example, run as a program.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::{
    net::SocketAddr,
    process::{Output, Stdio},
    time::Duration,
};

use a2a_testkit::{Exchange, Loopback, RawClient};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// Longer than anything here takes.
const GUARD: Duration = Duration::from_secs(60);

/// Runs a program to its end.
async fn run(program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).kill_on_drop(true).env_remove("LLM_BASE_URL");
    timeout(GUARD, command.output()).await.unwrap().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A program that serves, until it is dropped.
struct Served {
    url: String,
    client: RawClient,
    program: Child,
}

impl Served {
    async fn start(program: &str, args: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(program);
        command.args(args).envs(environment.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        timeout(GUARD, output.read_line(&mut line)).await.unwrap().unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let url = ready["url"].as_str().unwrap().to_owned();
        let authority = url.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let address: SocketAddr = authority.parse().unwrap();
        let client = RawClient::new(address).with_header("a2a-version", "1.0");
        Self { url, client, program: child }
    }
}

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// The text of a task's first artifact.
fn artifact(result: &Value) -> String {
    let parts = result["task"]["artifacts"][0]["parts"].as_array().unwrap_or_else(|| panic!("{result}"));
    parts.iter().map(|part| part["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn two_sided() {
    let output = run(env!("CARGO_BIN_EXE_two_sided"), &[]).await;
    assert_eq!(stdout(&output), "You said: Plan me a weekend trip to Hangzhou.\n(Parrot said 1 block)\n");
}

#[tokio::test]
async fn server_and_client() {
    let server = Served::start(env!("CARGO_BIN_EXE_server"), &["0"], &[]).await;
    let output = run(env!("CARGO_BIN_EXE_client"), &[&server.url]).await;
    let text = stdout(&output);
    assert!(text.contains("From which number shall I count down?"), "{text}");
    assert!(text.contains("5 … 4 … 3 … 2 … 1 … lift-off!"), "{text}");
}

#[tokio::test]
async fn a_client_without_its_server_says_what_to_do() {
    let output = run(env!("CARGO_BIN_EXE_client"), &["http://127.0.0.1:1"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--bin server"));
}

#[tokio::test]
async fn chain() {
    let output = run(env!("CARGO_BIN_EXE_chain"), &[]).await;
    assert!(stdout(&output).contains("A FEW WORDS ABOUT CHAINS OF AGENTS."));
}

#[tokio::test]
async fn axum_mount() {
    let app = Served::start(env!("CARGO_BIN_EXE_axum_mount"), &["0"], &[]).await;
    assert_eq!(app.client.get("/health").await.text().await, "fine");
    let card = app.client.get("/agent/.well-known/agent-card.json").await.json().await;
    assert_eq!(card["supportedInterfaces"][0]["url"], app.url.as_str());
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": message("hello") });
    for path in ["/agent", "/agent/"] {
        let payloads = app.client.post(path, &call).await.payloads().await;
        assert_eq!(payloads[2]["artifactUpdate"]["artifact"]["parts"][0]["text"], "hello");
    }
    let result = app.client.post("/agent/message:send", &message("hello")).await.json().await;
    assert_eq!(artifact(&result), "hello");
}

#[tokio::test]
async fn llm_agent() {
    let output = run(env!("CARGO_BIN_EXE_llm_agent"), &["0"]).await;
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Set LLM_BASE_URL"));

    let answer = |text: &str| {
        let chunk = json!({ "choices": [{ "delta": { "content": text } }] });
        format!("data: {chunk}\n\n")
    };
    let chunks = [answer("Good "), answer("morning."), "data: [DONE]\n\n".to_owned()];
    let chunks = chunks.each_ref().map(String::as_str);
    let model = Loopback::start([
        Exchange::on("POST /v1/chat/completions").times(2).event_stream(chunks).end(),
        Exchange::any().status(429, &[], ""),
    ])
    .await;
    let base = model.url("/v1");
    let environment = [("LLM_BASE_URL", base.as_str()), ("LLM_MODEL", "small"), ("LLM_API_KEY", "key")];
    let agent = Served::start(env!("CARGO_BIN_EXE_llm_agent"), &["0"], &environment).await;
    let first = agent.client.result("SendMessage", message("Hello")).await;
    assert_eq!(artifact(&first), "Good morning.");
    let mut again = message("And in Latin?");
    again["message"]["contextId"] = first["task"]["contextId"].clone();
    agent.client.result("SendMessage", again).await;
    let asked = model.requests()[1].json();
    assert_eq!(asked["model"], "small");
    assert_eq!(model.requests()[1].header("authorization").unwrap(), "Bearer key");
    assert_eq!(
        asked["messages"],
        json!([
            { "role": "user", "content": "Hello" },
            { "role": "assistant", "content": "Good morning." },
            { "role": "user", "content": "And in Latin?" },
        ])
    );
    let failed = agent.client.result("SendMessage", message("Once more")).await;
    assert_eq!(failed["task"]["status"]["state"], "TASK_STATE_FAILED");
}

#[tokio::test]
async fn conformance_agent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let flags = ["--caps", "full", "--db", file.to_str().unwrap(), "--v03"];
    let agent = Served::start(env!("CARGO_BIN_EXE_conformance_agent"), &flags, &[]).await;
    let result = agent.client.result("SendMessage", message("artifact 2")).await;
    assert_eq!(artifact(&result), "chunk-1 chunk-2 ");
    let id = &result["task"]["id"];
    drop(agent);
    // What it kept is there for the next one.
    let agent = Served::start(env!("CARGO_BIN_EXE_conformance_agent"), &flags, &[]).await;
    assert_eq!(agent.client.result("GetTask", json!({ "id": id })).await, result["task"]);

    let bare = Served::start(env!("CARGO_BIN_EXE_conformance_agent"), &["--caps", "bare"], &[]).await;
    assert_eq!(bare.client.error("SendStreamingMessage", message("echo x")).await["code"], -32004);
    let output = run(env!("CARGO_BIN_EXE_conformance_agent"), &["--caps", "none"]).await;
    assert!(!output.status.success());
}

#[tokio::test]
async fn agents_end_with_their_standard_input() {
    for program in [env!("CARGO_BIN_EXE_conformance_agent"), env!("CARGO_BIN_EXE_itk_agent")] {
        let mut command = Command::new(program);
        command.arg("--watch-stdin").stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut agent = command.spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(agent.stdout.take().unwrap());
        timeout(GUARD, output.read_line(&mut line)).await.unwrap().unwrap();
        assert!(line.contains("url") && agent.try_wait().unwrap().is_none(), "{program} serves");
        drop(agent.stdin.take());
        assert!(timeout(GUARD, agent.wait()).await.unwrap().unwrap().success());
    }
}

#[tokio::test]
async fn a_killed_server_has_lost_nothing_that_it_had_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let flags = ["--db", file.to_str().unwrap()];
    let mut agent = Served::start(env!("CARGO_BIN_EXE_conformance_agent"), &flags, &[]).await;
    // A hundred tasks that run for longer than the server is let to.
    let mut streams = Vec::new();
    for _ in 0..100 {
        streams.push(agent.client.call("SendStreamingMessage", message("artifact 100000")).await);
    }
    let mut told = Vec::new();
    for stream in &mut streams {
        let id = stream.payload().await.unwrap()["task"]["id"].as_str().unwrap().to_owned();
        let mut text = String::new();
        while text.len() < 40 {
            let payload = stream.payload().await.unwrap();
            text.push_str(
                payload["artifactUpdate"]["artifact"]["parts"][0]["text"].as_str().unwrap_or_default(),
            );
        }
        told.push((id, text));
    }
    let done = agent.client.result("SendMessage", message("artifact 3")).await;
    agent.program.kill().await.unwrap();

    let agent = Served::start(env!("CARGO_BIN_EXE_conformance_agent"), &flags, &[]).await;
    for (id, text) in told {
        let task = agent.client.result("GetTask", json!({ "id": id })).await;
        assert!(artifact(&json!({ "task": task })).starts_with(&text));
        assert_eq!(task["status"]["state"], "TASK_STATE_FAILED");
        assert_eq!(task["history"][0]["parts"][0]["text"], "artifact 100000");
    }
    let params = json!({ "id": done["task"]["id"] });
    assert_eq!(agent.client.result("GetTask", params).await, done["task"]);
    let list =
        agent.client.result("ListTasks", json!({ "status": "TASK_STATE_FAILED", "pageSize": 1 })).await;
    assert_eq!(list["totalSize"], 100);
}

/// A protobuf field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len();
    let mut field = vec![number << 3 | 2, length as u8 & 0x7f | 0x80, (length >> 7) as u8];
    field.extend_from_slice(bytes);
    field
}

fn respond(text: &str, hold: bool) -> Vec<u8> {
    let mut response = field(1, text.as_bytes());
    if hold {
        response.extend_from_slice(&[0x10, 1]);
    }
    field(2, &response)
}

/// An instruction to say something, and then have another agent do the rest.
fn hop(text: &str, transport: &str, url: &str, rest: &[u8], behavior: &[u8]) -> Vec<u8> {
    let call = [
        field(1, transport.as_bytes()),
        field(2, url.as_bytes()),
        field(3, rest),
        vec![0x20, 1],
        behavior.to_vec(),
    ];
    let steps = [field(1, &respond(text, false)), field(1, &field(1, &call.concat()))];
    field(3, &steps.concat())
}

#[tokio::test]
async fn itk_agents_call_each_other() {
    let flags = ["--httpPort", "0", "--grpcPort", "0"];
    let one = Served::start(env!("CARGO_BIN_EXE_itk_agent"), &flags, &[]).await;
    let two = Served::start(env!("CARGO_BIN_EXE_itk_agent"), &flags, &[]).await;
    let hooks = Loopback::start([Exchange::any().times(20).status(200, &[], "")]).await;
    let push = field(6, &field(1, hooks.url("").as_bytes()));
    let resubscribe = field(7, &[]);
    for (behavior, hold) in [(Vec::new(), false), (push, false), (resubscribe, true)] {
        for transport in ["jsonrpc", "http_json"] {
            let inner = hop("two to one", transport, &one.url, &respond("the end", hold), &behavior);
            let inner = if hold { respond("the end", true) } else { inner };
            let instruction = hop("one to two", transport, &two.url, &inner, &behavior);
            let raw: String = base64(&instruction);
            let request = json!({ "message": {
                "messageId": "m", "role": "ROLE_USER",
                "parts": [{ "raw": raw, "mediaType": "application/x-protobuf", "filename": "instruction.bin" }],
            }});
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": request });
            let answer = one.client.post("/jsonrpc/", &call).await.json().await;
            let task = &answer["result"]["task"];
            assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
            let expect = if hold { "one to two\nthe end" } else { "one to two\ntwo to one\nthe end" };
            assert_eq!(task["status"]["message"]["parts"][0]["text"], expect);
        }
    }
    let notified: Vec<Value> = hooks.requests().iter().map(a2a_testkit::RawRequest::json).collect();
    let texts = |text: &str| {
        notified
            .iter()
            .filter(|body| body["statusUpdate"]["status"]["message"]["parts"][0]["text"] == text)
            .count()
    };
    assert_eq!((texts("the end"), texts("two to one\nthe end")), (2, 2));
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("hello") });
    let answer = one.client.post("/jsonrpc", &call).await.json().await;
    assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_FAILED");
}

fn base64(bytes: &[u8]) -> String {
    let part = serde_json::to_value(a2a_types::Part::raw(bytes)).unwrap();
    part["raw"].as_str().unwrap().to_owned()
}
