//! A client on the official Rust SDK. It takes the orders of `../python/client_1.py` and prints in the same form.

use std::{sync::Arc, time::Duration};

use a2a::{A2AError, StreamResponse};
use a2a_client::{
    A2AClient, A2AClientFactory, BoxStream, Transport, agent_card::AgentCardResolver, auth::AuthInterceptor,
};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    time::timeout,
};

use crate::book::{each, from_wire, to_wire};

type Client = A2AClient<Box<dyn Transport>>;

/// Carries out the orders of standard input, line by line.
pub async fn run() {
    let mut talk: Option<Conversation> = None;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let order: Value = serde_json::from_str(&line).unwrap();
        let doing = async {
            if order["connect"].is_object() {
                talk = None;
                talk = Some(connect(&order["connect"]).await?);
                return Ok(());
            }
            let talk = talk.as_mut().ok_or_else(|| A2AError::internal("not connected"))?;
            if order["call"].is_string() { talk.operate(&order).await } else { talk.say(&order).await }
        };
        match timeout(Duration::from_secs(15), doing).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => emit(json!({"error": format!("{error}")})),
            Err(_) => emit(json!({"error": "no end"})),
        }
        emit(json!({"end": true}));
    }
}

fn emit(event: Value) {
    println!("{event}");
}

async fn connect(wanted: &Value) -> Result<Conversation, A2AError> {
    let mut card = AgentCardResolver::new(None).resolve(wanted["url"].as_str().unwrap()).await?;
    card.supported_interfaces.retain(|each| wanted["binding"] == each.protocol_binding.as_str());
    let mut factory = A2AClientFactory::builder();
    for (name, value) in wanted["headers"].as_object().into_iter().flatten() {
        factory = factory.with_interceptor(Arc::new(AuthInterceptor::custom(name, value.as_str().unwrap())));
    }
    let streaming = wanted["streaming"] != false && card.capabilities.streaming == Some(true);
    let client = factory.build().create_from_card(&card).await?;
    Ok(Conversation {
        client,
        streaming,
        context_id: Value::Null,
        task_id: Value::Null,
        waiting: Value::Null,
    })
}

struct Conversation {
    client: Client,
    streaming: bool,
    context_id: Value,
    task_id: Value,
    waiting: Value,
}

/// A request of the SDK from its JSON.
fn request<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn state_name(status: &Value) -> String {
    let name = status["state"].as_str().unwrap_or_default();
    name.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-")
}

fn with_parts(mut event: Value, message: &Value) -> Value {
    if message["parts"].is_array() {
        event["parts"] = each(&message["parts"], from_wire);
    }
    event
}

fn task_of(task: &Value) -> Value {
    let artifacts = task["artifacts"].as_array().into_iter().flatten();
    let artifacts = artifacts.map(|each_one| {
        (each_one["artifactId"].as_str().unwrap_or_default().to_owned(), each(&each_one["parts"], from_wire))
    });
    let artifacts: serde_json::Map<_, _> = artifacts.collect();
    with_parts(
        json!({"task": state_name(&task["status"]), "artifacts": artifacts}),
        &task["status"]["message"],
    )
}

fn called(name: &str, task: Value) -> Value {
    let mut event = task_of(&task);
    event["call"] = name.into();
    event
}

impl Conversation {
    fn show(&mut self, response: &impl serde::Serialize) {
        let response = serde_json::to_value(response).unwrap();
        let (kind, payload) = response.as_object().unwrap().iter().next().unwrap();
        if payload["contextId"].is_string() {
            self.context_id = payload["contextId"].clone();
        }
        if kind == "message" {
            return emit(json!({"message": each(&payload["parts"], from_wire)}));
        }
        self.task_id = payload[if kind == "task" { "id" } else { "taskId" }].clone();
        if kind == "artifactUpdate" {
            let artifact = &payload["artifact"];
            let parts = each(&artifact["parts"], from_wire);
            return emit(
                json!({"artifact": artifact["artifactId"], "parts": parts, "append": payload["append"] == true}),
            );
        }
        let state = state_name(&payload["status"]);
        let waits = matches!(state.as_str(), "input-required" | "auth-required");
        self.waiting = if waits { self.task_id.clone() } else { Value::Null };
        emit(match kind.as_str() {
            "task" => task_of(payload),
            _ => with_parts(json!({"status": state}), &payload["status"]["message"]),
        });
    }

    async fn follow(
        &mut self,
        mut stream: BoxStream<'static, Result<StreamResponse, A2AError>>,
        order: &Value,
    ) -> Result<(), A2AError> {
        let mut count = 0;
        let mut answer = None;
        while let Some(response) = stream.next().await {
            self.show(&response?);
            count += 1;
            if order["cancel_after"] == count {
                let cancel = request(json!({"id": self.task_id}));
                answer = Some(serde_json::to_value(self.client.cancel_task(&cancel).await?).unwrap());
            }
            if order["drop_after"] == count {
                drop(stream);
                let again = self.client.subscribe_to_task(&request(json!({"id": self.task_id}))).await?;
                return Box::pin(self.follow(again, &Value::Null)).await;
            }
        }
        if let Some(task) = answer {
            emit(called("cancel", task));
        }
        Ok(())
    }

    async fn say(&mut self, order: &Value) -> Result<(), A2AError> {
        if order["fresh"] == true {
            (self.context_id, self.task_id, self.waiting) = Default::default();
        }
        let message = json!({
            "messageId": a2a::new_message_id(),
            "role": "ROLE_USER",
            "parts": each(&order["parts"], to_wire),
            "contextId": self.context_id,
            "taskId": self.waiting,
        });
        let message = request(json!({"message": message}));
        if self.streaming {
            let stream = self.client.send_streaming_message(&message).await?;
            return self.follow(stream, order).await;
        }
        let response = self.client.send_message(&message).await?;
        self.show(&response);
        Ok(())
    }

    async fn operate(&mut self, order: &Value) -> Result<(), A2AError> {
        let client = &self.client;
        let name = order["call"].as_str().unwrap();
        let id = if order["id"].is_string() { &order["id"] } else { &self.task_id };
        let config = json!({"taskId": id, "id": "config-1"});
        match name {
            "get" => emit(called(name, json!(client.get_task(&request(json!({"id": id}))).await?))),
            "cancel" => emit(called(name, json!(client.cancel_task(&request(json!({"id": id}))).await?))),
            "list" => {
                let found = client.list_tasks(&request(json!({"contextId": self.context_id}))).await?;
                emit(json!({"call": name, "tasks": found.tasks.len()}));
            }
            "card" => {
                let card = client.get_extended_agent_card(&request(json!({}))).await?;
                let skills: Vec<&String> = card.skills.iter().map(|skill| &skill.id).collect();
                emit(json!({"call": name, "skills": skills}));
            }
            "push" => {
                let wanted = json!({"taskId": id, "id": "config-1", "url": order["url"], "token": "token-1"});
                let made = client.create_push_config(&request(wanted)).await?;
                let got = client.get_push_config(&request(config.clone())).await?;
                let listed = client.list_push_configs(&request(json!({"taskId": id}))).await?;
                client.delete_push_config(&request(config)).await?;
                let urls: Vec<&String> =
                    [&made, &got].into_iter().chain(&listed.configs).map(|each| &each.url).collect();
                emit(json!({"call": name, "urls": urls}));
            }
            other => return Err(A2AError::internal(format!("no call {other}"))),
        }
        Ok(())
    }
}
