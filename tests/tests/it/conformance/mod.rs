//! What the official conformance kit demands of a server, over raw HTTP: every rule on both bindings, against
//! the example agent that the kit itself is run against.

mod card;
mod errors;
mod jsonrpc;
mod lists;
mod push;
mod rest;
mod streams;
mod tasks;
mod versions;

use a2a_examples::conformance::{Capabilities, ConformanceAgent, card, extended_card};
use a2a_server::{Server, WebhookOptions, serve};
use a2a_testkit::{RawClient, RawResponse};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

/// How operations travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    JsonRpc,
    Rest,
}

/// A server, and a client that speaks one binding as the kit does: snake_case parameters over JSON-RPC,
/// camelCase query parameters over HTTP+JSON.
struct Kit {
    binding: Binding,
    client: RawClient,
    served: JoinHandle<std::io::Result<()>>,
}

/// How an operation ended.
#[derive(Debug)]
struct Failure {
    /// JSON-RPC code; 0 over HTTP+JSON.
    code: i64,
    /// HTTP status; 0 over JSON-RPC.
    status: u64,
    reason: String,
}

impl Kit {
    async fn start(binding: Binding, capabilities: Capabilities) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let url = format!("http://{address}");
        let card = card(&url, capabilities, false);
        let mut webhooks = WebhookOptions::default();
        webhooks.allow_loopback = true;
        let service = Server::new(card.clone(), ConformanceAgent::default())
            .with_extended_card(extended_card(card))
            .with_webhooks(webhooks)
            .into_service();
        let served = tokio::spawn(serve(listener, service, std::future::pending()));
        let client = RawClient::new(address).with_header("a2a-version", "1.0");
        Self { binding, client, served }
    }

    async fn json(&self, response: RawResponse) -> Result<Value, Failure> {
        let status = response.status;
        assert!(response.header("content-type").contains("application/json"), "{response:?}");
        let mut body = response.json().await;
        assert_canonical(&body);
        if self.binding == Binding::JsonRpc {
            assert_eq!(status, 200);
            assert_eq!(body["jsonrpc"], "2.0");
            assert_eq!(body["id"], 1);
            let Some(error) = body.get("error") else { return Ok(body["result"].take()) };
            let members: Vec<&str> = error.as_object().unwrap().keys().map(String::as_str).collect();
            assert!(members.iter().all(|name| ["code", "message", "data"].contains(name)), "{members:?}");
            let code = error["code"].as_i64().unwrap();
            return Err(Failure { code, status: 0, reason: reason(&error["data"]) });
        }
        if (200..300).contains(&status) {
            return Ok(body);
        }
        let error = &body["error"];
        assert_eq!(error["code"], status);
        assert!(error["status"].is_string() && error["message"].is_string(), "{body}");
        Err(Failure { code: 0, status: u64::from(status), reason: reason(&error["details"]) })
    }

    async fn send(&self, params: Value) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => self.client.call("SendMessage", params).await,
            Binding::Rest => self.client.post("/message:send", &params).await,
        };
        self.json(response).await
    }

    async fn stream(&self, params: Value) -> RawResponse {
        match self.binding {
            Binding::JsonRpc => self.client.call("SendStreamingMessage", params).await,
            Binding::Rest => self.client.post("/message:stream", &params).await,
        }
    }

    async fn get_task(&self, id: &str, history_length: Option<i32>) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => {
                let mut params = json!({ "id": id });
                if let Some(length) = history_length {
                    params["history_length"] = length.into();
                }
                self.client.call("GetTask", params).await
            }
            Binding::Rest => {
                let query =
                    history_length.map(|length| format!("?historyLength={length}")).unwrap_or_default();
                self.client.get(&format!("/tasks/{id}{query}")).await
            }
        };
        self.json(response).await
    }

    /// Lists tasks; the members are named in snake_case.
    async fn list(&self, params: Value) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => self.client.call("ListTasks", params).await,
            Binding::Rest => {
                let pairs = params.as_object().unwrap().iter().map(|(name, value)| {
                    let value =
                        value.as_str().map_or_else(|| value.to_string(), |text| text.replace(':', "%3A"));
                    format!("{}={value}", camel_case(name))
                });
                let query: Vec<String> = pairs.collect();
                self.client.get(&format!("/tasks?{}", query.join("&"))).await
            }
        };
        self.json(response).await
    }

    async fn cancel(&self, id: &str) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => self.client.call("CancelTask", json!({ "id": id })).await,
            Binding::Rest => {
                let headers = [("content-type", "application/json")];
                self.client.send("POST", &format!("/tasks/{id}:cancel"), &headers, &[]).await
            }
        };
        self.json(response).await
    }

    async fn subscribe(&self, id: &str) -> RawResponse {
        match self.binding {
            Binding::JsonRpc => self.client.call("SubscribeToTask", json!({ "id": id })).await,
            Binding::Rest => {
                let headers = [("content-type", "application/json")];
                self.client.send("POST", &format!("/tasks/{id}:subscribe"), &headers, &[]).await
            }
        }
    }

    async fn create_config(&self, task_id: &str, config: Value) -> Result<Value, Failure> {
        let mut params = config;
        let response = match self.binding {
            Binding::JsonRpc => {
                params["task_id"] = task_id.into();
                self.client.call("CreateTaskPushNotificationConfig", params).await
            }
            Binding::Rest => {
                self.client.post(&format!("/tasks/{task_id}/pushNotificationConfigs"), &params).await
            }
        };
        self.json(response).await
    }

    async fn config(&self, task_id: &str, id: &str) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => {
                let params = json!({ "task_id": task_id, "id": id });
                self.client.call("GetTaskPushNotificationConfig", params).await
            }
            Binding::Rest => self.client.get(&format!("/tasks/{task_id}/pushNotificationConfigs/{id}")).await,
        };
        self.json(response).await
    }

    async fn configs(&self, task_id: &str) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => {
                self.client.call("ListTaskPushNotificationConfigs", json!({ "task_id": task_id })).await
            }
            Binding::Rest => self.client.get(&format!("/tasks/{task_id}/pushNotificationConfigs")).await,
        };
        self.json(response).await
    }

    async fn delete_config(&self, task_id: &str, id: &str) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => {
                let params = json!({ "task_id": task_id, "id": id });
                self.client.call("DeleteTaskPushNotificationConfig", params).await
            }
            Binding::Rest => {
                let path = format!("/tasks/{task_id}/pushNotificationConfigs/{id}");
                self.client.send("DELETE", &path, &[], &[]).await
            }
        };
        self.json(response).await
    }

    async fn extended_card(&self) -> Result<Value, Failure> {
        let response = match self.binding {
            Binding::JsonRpc => self.client.call("GetExtendedAgentCard", json!({})).await,
            Binding::Rest => self.client.get("/extendedAgentCard").await,
        };
        self.json(response).await
    }

    /// A task that waits for input.
    async fn waiting_task(&self) -> Value {
        let mut result = self.send(message("tck-input-required", json!({}))).await.unwrap();
        assert_eq!(result["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
        result["task"].take()
    }

    /// A task that is completed.
    async fn finished_task(&self) -> Value {
        let mut result = self.send(message("tck-complete-task", json!({}))).await.unwrap();
        assert_eq!(result["task"]["status"]["state"], "TASK_STATE_COMPLETED");
        result["task"].take()
    }

    /// An error on this binding must be of this kind.
    fn assert_error<T: std::fmt::Debug>(
        &self,
        outcome: Result<T, Failure>,
        code: i64,
        status: u64,
        reason: &str,
    ) {
        let failure = outcome.unwrap_err();
        match self.binding {
            Binding::JsonRpc => assert_eq!(failure.code, code, "{failure:?}"),
            Binding::Rest => assert_eq!(failure.status, status, "{failure:?}"),
        }
        assert_eq!(failure.reason, reason);
    }
}

impl Drop for Kit {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// Runs a test on both bindings.
async fn both(capabilities: Capabilities, test: impl AsyncFn(Kit)) {
    for binding in [Binding::JsonRpc, Binding::Rest] {
        test(Kit::start(binding, capabilities).await).await;
    }
}

/// A request with a message of this id, with further members of the message.
fn message(id: &str, members: Value) -> Value {
    let mut message = json!({
        "messageId": format!("{id}-0d1f"), "role": "ROLE_USER", "parts": [{ "text": format!("text of {id}") }],
    });
    for (name, value) in members.as_object().unwrap() {
        message[name] = value.clone();
    }
    json!({ "message": message })
}

/// The same request with this configuration.
fn configured(mut request: Value, configuration: Value) -> Value {
    request["configuration"] = configuration;
    request
}

/// The reason in error details, which must be an A2A `ErrorInfo`.
fn reason(details: &Value) -> String {
    let infos = details.as_array().expect("an error has details").iter();
    let info = infos
        .filter(|detail| detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo")
        .find(|detail| detail["domain"] == "a2a-protocol.org");
    info.expect("an error has an ErrorInfo")["reason"].as_str().unwrap().to_owned()
}

/// No nulls (a result aside), no members of 0.3, no underscores in names.
fn assert_canonical(value: &Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                assert!(!name.contains('_') && name != "kind" && name != "final", "{name} in {members:?}");
                let may_be_null = name == "id" || name == "result";
                assert!(!value.is_null() || may_be_null, "{name} is null in {members:?}");
                assert_canonical(value);
            }
        }
        Value::Array(items) => items.iter().for_each(assert_canonical),
        _ => {}
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap().to_owned();
    for word in words {
        let (first, rest) = word.split_at(1);
        camel.push_str(&first.to_uppercase());
        camel.push_str(rest);
    }
    camel
}

/// The texts of a task's history.
fn history(task: &Value) -> Vec<String> {
    let messages = task["history"].as_array().into_iter().flatten();
    messages.map(|message| message["parts"][0]["text"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The states that a stream went through, and `artifact` for updates of those.
fn course(payloads: &[Value]) -> Vec<String> {
    let short = |state: &Value| state.as_str().unwrap().trim_start_matches("TASK_STATE_").to_owned();
    let of = |payload: &Value| {
        let members = payload.as_object().unwrap();
        assert_eq!(members.len(), 1, "exactly one member: {payload}");
        assert_canonical(payload);
        let (name, value) = members.iter().next().unwrap();
        match name.as_str() {
            "task" => format!("Task {}", short(&value["status"]["state"])),
            "statusUpdate" => short(&value["status"]["state"]),
            "artifactUpdate" => "artifact".to_owned(),
            other => other.to_owned(),
        }
    };
    payloads.iter().map(of).collect()
}
