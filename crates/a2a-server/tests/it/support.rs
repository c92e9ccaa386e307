//! Agents to serve, a server on loopback, and a plain HTTP client.

use std::{net::SocketAddr, time::Duration};

use a2a_server::{AgentExecutor, ExecuteFuture, RequestContext, Server, TaskUpdater};
use a2a_types::{AgentCard, AgentInterface};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

/// Longer than anything here takes: a guard against tests that hang.
pub(crate) const GUARD: Duration = Duration::from_secs(20);

/// An agent made of a function.
pub(crate) struct Agent<F>(pub(crate) F);

pub(crate) type AgentFuture = BoxFuture<'static, Result<(), a2a_server::BoxError>>;

impl<F> AgentExecutor for Agent<F>
where
    F: Fn(RequestContext, TaskUpdater) -> AgentFuture + Send + Sync + 'static,
{
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        (self.0)(context, updater)
    }
}

pub(crate) fn agent<F, Fut>(run: F) -> impl AgentExecutor
where
    F: Fn(RequestContext, TaskUpdater) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), a2a_server::BoxError>> + Send + 'static,
{
    Agent(move |context, updater| -> AgentFuture { Box::pin(run(context, updater)) })
}

/// A card of an agent that can do everything.
pub(crate) fn card(url: &str) -> AgentCard {
    let mut card = AgentCard::new(
        "Test agent",
        vec![
            AgentInterface::new(url, AgentInterface::JSONRPC, "1.0"),
            AgentInterface::new(url, AgentInterface::HTTP_JSON, "1.0"),
        ],
    );
    card.version = "1".to_owned();
    card.capabilities.streaming = Some(true);
    card.capabilities.push_notifications = Some(true);
    card.capabilities.extended_agent_card = Some(true);
    card
}

/// A running server; it stops when dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) engine: a2a_server::Engine,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Running {
    /// Serves an agent that the function puts together, given its URL.
    pub(crate) async fn start(build: impl FnOnce(&str) -> Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = build(&format!("http://{address}")).into_service();
        let engine = service.engine().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(a2a_server::serve(listener, service, async {
            let _ = stopped.await;
        }));
        Self { address, engine, stop: Some(stop), served }
    }

    /// Serves an agent with a full card and default options.
    pub(crate) async fn agent(executor: impl AgentExecutor) -> Self {
        Self::start(|url| Server::new(card(url), executor)).await
    }

    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    pub(crate) async fn stopped(mut self) {
        self.stop();
        timeout(GUARD, self.served).await.unwrap().unwrap().unwrap();
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let response = timeout(GUARD, sender.send_request(request)).await.unwrap().unwrap();
        let (parts, body) = response.into_parts();
        Answer { status: parts.status, headers: parts.headers, body, buffer: String::new() }
    }

    /// A request of protocol 1.0.
    pub(crate) fn request(&self, verb: &str, path: &str) -> http::request::Builder {
        Request::builder()
            .method(verb)
            .uri(path)
            .header("host", self.address.to_string())
            .header("a2a-version", "1.0")
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path).body(Full::default()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = self.request("POST", path).header("content-type", "application/json");
        self.send(request.body(Full::from(body.to_string())).unwrap()).await
    }

    /// A JSON-RPC call.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Answer {
        self.post("/", &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await
    }

    /// The result of a JSON-RPC call.
    pub(crate) async fn result(&self, method: &str, params: Value) -> Value {
        let mut answer = self.call(method, params).await.json().await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The error code of a JSON-RPC call.
    pub(crate) async fn error(&self, method: &str, params: Value) -> i64 {
        let answer = self.call(method, params).await.json().await;
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}"))
    }
}

/// A response, its body still to be read.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    buffer: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub(crate) async fn text(self) -> String {
        let bytes = timeout(GUARD, self.body.collect()).await.unwrap().unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    pub(crate) async fn json(self) -> Value {
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The data of the next event of a stream, comments skipped; `None` at its end.
    pub(crate) async fn event(&mut self) -> Option<Value> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let block = block.to_owned();
                self.buffer = rest.to_owned();
                let data: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
                if data.is_empty() {
                    continue;
                }
                assert_eq!(data.len(), 1, "one JSON over several lines: {block}");
                return Some(serde_json::from_str(data[0]).unwrap());
            }
            let frame = timeout(GUARD, self.body.frame()).await.expect("the stream is silent");
            let Some(frame) = frame else {
                assert_eq!(self.buffer, "", "an event without its blank line");
                return None;
            };
            self.buffer.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        }
    }

    /// The payload of the next event of a JSON-RPC stream.
    pub(crate) async fn payload(&mut self) -> Option<Value> {
        self.event().await.map(|mut event| {
            assert!(event.get("error").is_none(), "{event}");
            event["result"].take()
        })
    }

    /// All further payloads of a JSON-RPC stream.
    pub(crate) async fn payloads(&mut self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), "text/event-stream");
        let mut payloads = Vec::new();
        while let Some(payload) = self.payload().await {
            payloads.push(payload);
        }
        payloads
    }
}

/// A user message with this text, and these further members.
pub(crate) fn message(text: &str, members: Value) -> Value {
    let mut message = json!({
        "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }],
    });
    for (name, value) in members.as_object().unwrap() {
        message[name] = value.clone();
    }
    json!({ "message": message })
}

/// What a payload says, in short.
pub(crate) fn gist(payload: &Value) -> String {
    let short =
        |state: &Value| state.as_str().unwrap_or("-").trim_start_matches("TASK_STATE_").to_lowercase();
    let text = |parts: &Value| {
        parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect::<String>()
    };
    if let Some(task) = payload.get("task") {
        let artifacts: String =
            task["artifacts"].as_array().into_iter().flatten().map(|a| text(&a["parts"])).collect();
        return format!("task {} [{artifacts}]", short(&task["status"]["state"]));
    }
    if let Some(update) = payload.get("statusUpdate") {
        let note = text(&update["status"]["message"]["parts"]);
        return format!("{} {note}", short(&update["status"]["state"])).trim_end().to_owned();
    }
    if let Some(update) = payload.get("artifactUpdate") {
        let sign = if update["append"] == true { "+" } else { "=" };
        return format!("artifact{sign}{}", text(&update["artifact"]["parts"]));
    }
    format!("message {}", text(&payload["message"]["parts"]))
}

pub(crate) fn gists(payloads: &[Value]) -> Vec<String> {
    payloads.iter().map(gist).collect()
}
