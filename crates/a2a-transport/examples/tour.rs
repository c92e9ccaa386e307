//! Calls every operation of an agent, over every interface of its card that the client speaks.
//!
//! `cargo run -p a2a-transport --example tour -- http://127.0.0.1:9999 "Plan me a weekend trip."`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use a2a_transport::{
    CallOptions, CardResolver, ClientOptions, Credentials, HttpClient, HttpConfig, ResponseStream, Transport,
    TransportError, connect,
};
use a2a_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, Message, Part, Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use futures::StreamExt as _;

type Error = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: tour URL [TEXT]")?;
    let text = arguments.next().unwrap_or_else(|| "hello".to_owned());
    let credentials = std::env::var("A2A_BEARER")
        .map_or_else(|_| Credentials::new(), |token| Credentials::new().with_token(token));

    let http = HttpClient::new(HttpConfig::default())?;
    let resolver = CardResolver::new(http.clone()).with_credentials(credentials.clone());
    let card = resolver.resolve(&url).await?;
    println!("{}: {}", card.name, card.description);
    for interface in &card.supported_interfaces {
        let mut only = card.clone();
        only.supported_interfaces = vec![interface.clone()];
        println!("\n{} {} at {}", interface.protocol_binding, interface.protocol_version, interface.url);
        let options = ClientOptions::default().with_credentials(credentials.clone());
        match connect(&only, &http, options) {
            Ok(transport) => tour(transport.as_ref(), &resolver, &only, &text).await,
            Err(error) => println!("  {error}"),
        }
    }
    Ok(())
}

async fn tour(transport: &dyn Transport, resolver: &CardResolver, card: &AgentCard, text: &str) {
    let options = CallOptions::default;
    let sent = transport.send_message(message(text), options()).await;
    say("send", sent.as_ref().map(|answer| format!("{answer:?}")));

    let streamed = transport.send_streaming_message(message(text), options()).await;
    say("stream", payloads(streamed, usize::MAX).await.map(|payloads| format!("{payloads:?}")));

    // A task that takes its time, to look at while it runs.
    let mut request = message("slow 5");
    let mut configuration = SendMessageConfiguration::default();
    configuration.return_immediately = true;
    request.configuration = Some(configuration);
    let id = match transport.send_message(request, options()).await {
        Ok(SendMessageResponse::Task(task)) => task.id,
        other => return say("slow", other.map(|answer| format!("no task: {answer:?}"))),
    };
    say("get", transport.get_task(GetTaskRequest::new(&id), options()).await.map(|task| task.status.state));
    let subscribed = transport.subscribe_to_task(SubscribeToTaskRequest::new(&id), options()).await;
    say("subscribe", payloads(subscribed, 2).await.map(|payloads| payloads.len()));
    let listed = transport.list_tasks(ListTasksRequest::default(), options()).await;
    say("list", listed.map(|list| list.tasks.len()));

    let mut config = TaskPushNotificationConfig::new("http://127.0.0.1:9/hook");
    (config.task_id, config.id) = (id.clone(), "tour".to_owned());
    let created = transport.create_push_config(config, options()).await;
    say("create push config", created.map(|config| config.id));
    let mut get = GetTaskPushNotificationConfigRequest::default();
    (get.task_id, get.id) = (id.clone(), "tour".to_owned());
    say("get push config", transport.get_push_config(get, options()).await.map(|config| config.url));
    let mut list = ListTaskPushNotificationConfigsRequest::default();
    list.task_id.clone_from(&id);
    let listed = transport.list_push_configs(list, options()).await;
    say("list push configs", listed.map(|list| list.configs.len()));
    let mut delete = DeleteTaskPushNotificationConfigRequest::default();
    (delete.task_id, delete.id) = (id.clone(), "tour".to_owned());
    say("delete push config", transport.delete_push_config(delete, options()).await);

    let cancelled = transport.cancel_task(CancelTaskRequest::new(&id), options()).await;
    say("cancel", cancelled.map(|task| task.status.state));
    let unknown = transport.get_task(GetTaskRequest::new("no-such-task"), options()).await;
    say("get unknown", unknown.map(|task| task.id));
    say("extended card", resolver.extended(card, transport, options()).await.map(|card| card.skills.len()));
}

fn message(text: &str) -> SendMessageRequest {
    // An id that is new in every call; a real program takes random ones.
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let id = format!("tour-{}-{number}", std::process::id());
    SendMessageRequest::new(Message::new(id, Role::User, vec![Part::text(text)]))
}

async fn payloads(
    stream: Result<ResponseStream, TransportError>,
    most: usize,
) -> Result<Vec<StreamResponse>, TransportError> {
    stream?.take(most).collect::<Vec<_>>().await.into_iter().collect()
}

fn say(what: &str, result: Result<impl std::fmt::Debug, impl std::fmt::Display>) {
    match result {
        Ok(value) => println!("  {what}: {value:?}"),
        Err(error) => println!("  {what}: error: {error}"),
    }
}
