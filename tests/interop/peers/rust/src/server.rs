//! The scenarios on the official Rust SDK: JSON-RPC and HTTP+JSON, protocol 1.0.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use a2a::{A2AError, AgentCard, ListTasksRequest, ListTasksResponse, StreamResponse, Task, TaskState};
use a2a_server::{
    AgentExecutor, DefaultRequestHandler, ExecutorContext, HttpPushSender, InMemoryPushConfigStore,
    InMemoryTaskStore, StaticAgentCard, TaskStore, agent_card::agent_card_router, jsonrpc::jsonrpc_router,
    rest::rest_router,
};
use async_trait::async_trait;
use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header::WWW_AUTHENTICATE},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream, stream::BoxStream};
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt, net::TcpListener, time::sleep};

use crate::book::{Book, Said, each, from_wire, to_wire};

/// Loses a doomed task as soon as it waits for input.
#[derive(Clone, Default)]
struct ForgetfulStore {
    tasks: Arc<InMemoryTaskStore>,
    doomed: Arc<Mutex<HashSet<String>>>,
    lost: Arc<Mutex<HashSet<String>>>,
}

#[async_trait]
impl TaskStore for ForgetfulStore {
    async fn create(&self, task: Task) -> Result<u64, A2AError> {
        self.tasks.create(task).await
    }

    async fn update(&self, task: Task) -> Result<u64, A2AError> {
        if task.status.state == TaskState::InputRequired && self.doomed.lock().unwrap().contains(&task.id) {
            self.lost.lock().unwrap().insert(task.id.clone());
        }
        self.tasks.update(task).await
    }

    async fn get(&self, id: &str) -> Result<Option<Task>, A2AError> {
        if self.lost.lock().unwrap().contains(id) { Ok(None) } else { self.tasks.get(id).await }
    }

    async fn list(&self, request: &ListTasksRequest) -> Result<ListTasksResponse, A2AError> {
        self.tasks.list(request).await
    }

    async fn begin_cancel(&self, id: &str) -> Result<Task, A2AError> {
        self.tasks.begin_cancel(id).await
    }
}

#[derive(Clone)]
struct Executor {
    store: ForgetfulStore,
    tenant: Option<&'static str>,
    book: Arc<Book>,
    notes: Arc<AtomicU64>,
}

impl Executor {
    fn event(
        &self,
        step: &Value,
        message: &Value,
        task_id: &str,
        context_id: &str,
    ) -> Result<StreamResponse, A2AError> {
        let ids = |mut value: Value| {
            value["taskId"] = task_id.into();
            value["contextId"] = context_id.into();
            value
        };
        let note = |parts: &Value| {
            let id = format!("note-{}", self.notes.fetch_add(1, Ordering::Relaxed));
            json!({"messageId": id, "role": "ROLE_AGENT", "parts": each(parts, to_wire), "contextId": context_id})
        };
        let event = if step["message"].is_array() {
            json!({"message": note(&step["message"])})
        } else if let Some(id) = step["artifact"].as_str() {
            let mut artifact = json!({"artifactId": id, "parts": each(&step["parts"], to_wire)});
            for member in ["name", "description", "metadata"] {
                if !step[member].is_null() {
                    artifact[member] = step[member].clone();
                }
            }
            let flag = |name: &str| step[name].as_bool().unwrap_or(false);
            json!({"artifactUpdate": ids(json!({"artifact": artifact, "append": flag("append"), "lastChunk": flag("last")}))})
        } else {
            let name = step["status"].as_str().or(step["task"].as_str()).unwrap();
            let state = format!("TASK_STATE_{}", name.to_uppercase().replace('-', "_"));
            let mut status = json!({"state": state});
            if step["parts"].is_array() {
                status["message"] = ids(note(&step["parts"]));
            }
            if step["status"].is_string() {
                let mut update = ids(json!({"status": status}));
                if step["metadata"].is_object() {
                    update["metadata"] = step["metadata"].clone();
                }
                json!({"statusUpdate": update})
            } else {
                let artifacts = step["artifacts"].as_object().into_iter().flatten();
                let artifacts: Value = artifacts
                    .map(|(id, parts)| json!({"artifactId": id, "parts": each(parts, to_wire)}))
                    .collect();
                let task =
                    json!({"id": task_id, "contextId": context_id, "status": status, "history": [message]});
                let mut task = task;
                task["artifacts"] = artifacts;
                json!({"task": task})
            }
        };
        serde_json::from_value(event).map_err(|error| A2AError::internal(error.to_string()))
    }
}

impl AgentExecutor for Executor {
    fn execute(&self, context: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        if self.tenant.is_some() && context.tenant.as_deref() != self.tenant {
            return stream::iter([Err(A2AError::invalid_params("no such tenant"))]).boxed();
        }
        let message = serde_json::to_value(&context.message).unwrap();
        let header = |name: &str| context.service_params.get(name).cloned().unwrap_or_default();
        let extensions = header("a2a-extensions");
        let extensions: Vec<&str> =
            extensions.iter().flat_map(|list| list.split(',')).map(str::trim).collect();
        let steps = self.book.steps(&Said {
            parts: each(&message["parts"], from_wire).as_array().cloned().unwrap_or_default(),
            context_id: &context.context_id,
            task_id: &context.task_id,
            is_known_task: context.stored_task.is_some(),
            request: json!({"tenant": context.tenant, "headers": context.service_params, "extensions": extensions}),
        });
        let executor = self.clone();
        let (task_id, context_id) = context.task_info();
        stream::iter(steps)
            .filter_map(move |step| {
                let (executor, message) = (executor.clone(), message.clone());
                let (task_id, context_id) = (task_id.clone(), context_id.clone());
                async move {
                    if let Some(seconds) = step["sleep"].as_f64() {
                        sleep(Duration::from_secs_f64(seconds)).await;
                        return None;
                    }
                    if step["forget"] == true {
                        executor.store.doomed.lock().unwrap().insert(task_id);
                        return None;
                    }
                    if let Some(complaint) = step["raise"].as_str() {
                        return Some(Err(A2AError::internal(complaint)));
                    }
                    sleep(Duration::from_millis(5)).await;
                    Some(executor.event(&step, &message, &task_id, &context_id))
                }
            })
            .boxed()
    }

    fn cancel(&self, context: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        let step = json!({"status": "canceled", "parts": [{"text": "canceled on request"}]});
        let (task_id, context_id) = context.task_info();
        stream::iter([self.event(&step, &Value::Null, &task_id, &context_id)]).boxed()
    }
}

struct Variant {
    name: &'static str,
    streaming: bool,
    credential: Option<(&'static str, &'static str)>,
    tenant: Option<&'static str>,
}

const PLAIN: Variant = Variant { name: "plain", streaming: true, credential: None, tenant: None };
const VARIANTS: [Variant; 5] = [
    PLAIN,
    Variant { name: "unary", streaming: false, ..PLAIN },
    Variant { name: "bearer", credential: Some(("authorization", "Bearer interop-secret")), ..PLAIN },
    Variant { name: "apikey", credential: Some(("x-api-key", "interop-secret")), ..PLAIN },
    Variant { name: "tenant", tenant: Some("tenant-7"), ..PLAIN },
];

fn card(base: &str, variant: &Variant, extended: bool) -> AgentCard {
    let skill = |id: &str| json!({"id": id, "name": id, "description": "Plays scenarios.", "tags": ["test"]});
    let interface = |binding: &str, path: &str| {
        let url = format!("{base}{path}");
        json!({"url": url, "protocolBinding": binding, "protocolVersion": "1.0", "tenant": variant.tenant})
    };
    let modes = json!(["text/plain", "image/png", "application/pdf", "application/json"]);
    let skills =
        if extended { vec![skill("scenarios"), skill("extended")] } else { vec![skill("scenarios")] };
    let mut card = json!({
        "name": "Rust scenarios",
        "description": "Plays the scenario that a message names.",
        "version": "1.0.0",
        "supportedInterfaces": [interface("JSONRPC", "/jsonrpc"), interface("HTTP+JSON", "/rest")],
        "capabilities": {
            "streaming": variant.streaming,
            "pushNotifications": true,
            "extendedAgentCard": true,
            "extensions": [{"uri": "urn:a2a:interop:echo"}],
        },
        "defaultInputModes": modes,
        "defaultOutputModes": modes,
        "skills": skills,
    });
    if let Some((name, _)) = variant.credential {
        let scheme = match name {
            "authorization" => json!({"httpAuthSecurityScheme": {"scheme": "Bearer"}}),
            name => json!({"apiKeySecurityScheme": {"location": "header", "name": name}}),
        };
        card["securitySchemes"] = json!({"key": scheme});
        card["securityRequirements"] = json!([{"schemes": {"key": {"list": []}}}]);
    }
    serde_json::from_value(card).unwrap()
}

fn agent(base: &str, variant: &'static Variant) -> Router {
    let store = ForgetfulStore::default();
    let public = card(base, variant, false);
    let executor = Executor {
        store: store.clone(),
        tenant: variant.tenant,
        book: Arc::default(),
        notes: Arc::default(),
    };
    let handler = DefaultRequestHandler::new(executor, store)
        .with_capabilities(public.capabilities.clone())
        .with_push_notifications(InMemoryPushConfigStore::new(), HttpPushSender::new(None))
        .with_extended_agent_card(card(base, variant, true));
    let handler = Arc::new(handler);
    let guard = move |request: Request, next: Next| async move {
        let shown = variant.credential.map(|(name, value)| {
            request.headers().get(name).is_some_and(|shown| shown.as_bytes() == value.as_bytes())
        });
        match shown {
            Some(false) => refusal(),
            _ => next.run(request).await,
        }
    };
    Router::new()
        .nest("/jsonrpc", jsonrpc_router(Arc::clone(&handler)))
        .nest("/rest", rest_router(handler))
        .layer(from_fn(guard))
        .merge(agent_card_router(Arc::new(StaticAgentCard::new(public))))
}

fn refusal() -> Response {
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer realm=\"interop\"")]).into_response()
}

/// Serves until standard input closes; the first line of output says where.
pub async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = VARIANTS.iter().fold(Router::new(), |app, variant| {
        app.nest(&format!("/{}", variant.name), agent(&format!("{url}/{}", variant.name), variant))
    });
    println!("{}", json!({"sdk": "a2a-server-lf 0.5.3", "url": url}));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    std::process::exit(0);
}
