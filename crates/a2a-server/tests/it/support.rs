//! Agents to serve, and a server on loopback.

use std::{net::SocketAddr, time::Duration};

use a2a_server::{AgentExecutor, Engine, ExecuteFuture, RequestContext, Server, TaskUpdater};
use a2a_testkit::RawClient;
use a2a_types::{AgentCard, AgentInterface};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle, time::timeout};

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

/// A running server, and a client of it that asks for 1.0. It stops when dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) engine: Engine,
    pub(crate) client: RawClient,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Running {
    /// Serves what the function puts together, given its URL.
    pub(crate) async fn start(build: impl FnOnce(&str) -> Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = build(&format!("http://{address}")).into_service();
        let engine = service.engine().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(a2a_server::serve(listener, service, async {
            let _ = stopped.await;
        }));
        let client = RawClient::new(address).with_header("a2a-version", "1.0");
        Self { address, engine, client, stop: Some(stop), served }
    }

    /// Serves an agent with a full card and default options.
    pub(crate) async fn agent(executor: impl AgentExecutor) -> Self {
        Self::start(|url| Server::new(card(url), executor)).await
    }

    /// Tells the server to stop.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server has stopped.
    pub(crate) async fn stopped(mut self) {
        self.stop();
        timeout(GUARD, self.served).await.unwrap().unwrap().unwrap();
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
