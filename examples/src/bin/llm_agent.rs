//! Serves a language model as an agent, by any endpoint that speaks the chat completions of OpenAI.
//!
//! Set `LLM_BASE_URL` (such as `http://127.0.0.1:11434/v1`), `LLM_MODEL`, and `LLM_API_KEY` if the endpoint wants
//! one. The port is 9997, or the first argument. The first line of output is `{"url": …}`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::{env, error::Error, process::ExitCode};

use a2a_server::{AgentExecutor, BoxError, ExecuteFuture, RequestContext, Server, TaskUpdater};
use a2a_transport::SseDecoder;
use a2a_types::{AgentCard, AgentInterface, Part, Role};
use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Asks a language model, with the conversation so far.
struct Model {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    url: String,
    model: String,
    key: Option<String>,
}

impl AgentExecutor for Model {
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        Box::pin(async move {
            updater.working(()).await?;
            let mut messages = Vec::new();
            for task in context.earlier_tasks().await? {
                messages
                    .extend(task.history.iter().map(|message| chat_message(&message.role, &message.parts)));
                messages
                    .extend(task.artifacts.iter().map(|answer| chat_message(&Role::Agent, &answer.parts)));
            }
            messages.push(chat_message(&Role::User, &context.message.parts));
            let mut answer = updater.artifact("answer");
            let mut body = self.ask(&messages).await?;
            let mut events = SseDecoder::new();
            while let Some(frame) = body.frame().await {
                let Ok(chunk) = frame?.into_data() else { continue };
                events.push(chunk);
                while let Some(event) = events.next_event() {
                    let data = event?.data;
                    if data == "[DONE]" {
                        break;
                    }
                    let delta: Value = serde_json::from_str(data)?;
                    let text = delta.pointer("/choices/0/delta/content").and_then(Value::as_str);
                    if let Some(text) = text.filter(|text| !text.is_empty()) {
                        answer.chunk(text).await?;
                    }
                }
            }
            updater.complete(()).await?;
            Ok(())
        })
    }
}

impl Model {
    /// Sends the conversation. Gives the body of the response, an event stream.
    async fn ask(&self, messages: &[Value]) -> Result<hyper::body::Incoming, BoxError> {
        let body = json!({ "model": self.model, "messages": messages, "stream": true });
        let mut request = Request::post(&self.url).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let response = self.client.request(request.body(Full::from(body.to_string()))?).await?;
        if !response.status().is_success() {
            return Err(format!("the model answered {}", response.status()).into());
        }
        Ok(response.into_body())
    }
}

fn chat_message(role: &Role, parts: &[Part]) -> Value {
    let role = if *role == Role::User { "user" } else { "assistant" };
    let texts: String = parts.iter().filter_map(Part::as_text).collect();
    json!({ "role": role, "content": texts })
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (Ok(base), Ok(model)) = (env::var("LLM_BASE_URL"), env::var("LLM_MODEL")) else {
        eprintln!(
            "Set LLM_BASE_URL (such as http://127.0.0.1:11434/v1), LLM_MODEL, and LLM_API_KEY if the endpoint wants one."
        );
        return Ok(ExitCode::from(2));
    };
    let port = env::args().nth(1).map_or(Ok(9997), |port| port.parse())?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let mut card = AgentCard::new("Model", vec![AgentInterface::new(&url, AgentInterface::JSONRPC, "1.0")]);
    card.description = format!("Answers by {model}.");
    card.capabilities.streaming = Some(true);
    let connector = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
    let agent = Model {
        client: Client::builder(TokioExecutor::new()).build(connector),
        url: format!("{}/chat/completions", base.trim_end_matches('/')),
        model,
        key: env::var("LLM_API_KEY").ok(),
    };
    println!("{}", json!({ "url": url }));
    Server::new(card, agent).serve(listener).await?;
    Ok(ExitCode::SUCCESS)
}
