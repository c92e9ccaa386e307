//! Interceptors and extensions, whatever the binding.

use std::sync::{Arc, Mutex};

use a2a_testkit::{Answer, Exchange, Loopback, ScriptedTransport, Step};
use a2a_transport::{
    Answered, ClientOptions, ErrorKind, InterceptedCall, Interceptor, InterfacePreferences, Outcome,
    Transport, TransportError, connect,
};
use a2a_types::{
    AgentExtension, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, ErrorCode,
    GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, Method, StreamResponse,
};
use futures::StreamExt as _;
use http::HeaderValue;

use super::support::{card, hello, http, interface, no_options};

/// Writes down what it sees.
#[derive(Debug, Clone)]
struct Log {
    name: &'static str,
    lines: Arc<Mutex<Vec<String>>>,
    refuses: bool,
}

impl Log {
    fn new(name: &'static str, lines: &Arc<Mutex<Vec<String>>>) -> Self {
        Self { name, lines: Arc::clone(lines), refuses: false }
    }

    fn say(&self, line: String) {
        self.lines.lock().unwrap().push(format!("{} {line}", self.name));
    }
}

impl Interceptor for Log {
    fn before(&self, call: &mut InterceptedCall) -> Result<(), TransportError> {
        self.say(format!("before {} {}{}{}", call.method, call.task_id, call.context_id, call.message_id));
        if self.refuses {
            return Err(TransportError::new(ErrorKind::Config, "not today"));
        }
        call.options.headers.append("x-seen-by", HeaderValue::from_static(self.name));
        Ok(())
    }

    fn payload(&self, _call: &InterceptedCall, payload: &StreamResponse) {
        let what = if matches!(payload, StreamResponse::Task(_)) { "task" } else { "other" };
        self.say(format!("payload {what}"));
    }

    fn after(&self, call: &InterceptedCall, outcome: &Outcome<'_>) {
        let what = match outcome.result {
            Ok(Answered::Message(_)) => "message".to_owned(),
            Ok(Answered::Task(task)) => format!("task {}", task.id),
            Ok(other) => format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
            Err(error) => error.kind().as_str().to_owned(),
        };
        self.say(format!("after {} {what} {}", call.method, outcome.payloads));
    }
}

/// A scripted agent behind interceptors, and what they see.
fn intercepted(
    script: ScriptedTransport,
    options: ClientOptions,
    names: &[&'static str],
) -> (Arc<dyn Transport>, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let binding = "https://bindings.example/scripted";
    let preferences = InterfacePreferences::default()
        .with_custom_binding(binding, Arc::new(move |_| Ok(Arc::new(script.clone()))));
    let options = names.iter().fold(options.with_preferences(preferences), |options, name| {
        options.with_interceptor(Log { refuses: *name == "refusing", ..Log::new(name, &lines) })
    });
    let transport =
        connect(&card([interface("scripted".to_owned(), binding, "1.0")]), &http(), options).unwrap();
    (transport, lines)
}

fn taken(lines: &Arc<Mutex<Vec<String>>>) -> Vec<String> {
    std::mem::take(&mut lines.lock().unwrap())
}

#[tokio::test]
async fn every_call_is_seen_before_and_after() {
    let script = ScriptedTransport::new()
        .always(Method::SendMessage, Answer::json(r#"{"task": {"id": "t"}}"#))
        .always(Method::GetTask, Answer::json(r#"{"id": "t"}"#))
        .always(Method::ListTasks, Answer::json("{}"))
        .always(Method::CancelTask, Answer::rpc_error(ErrorCode::TaskNotFound, "gone"))
        .always(Method::DeleteTaskPushNotificationConfig, Answer::json("null"))
        .always(Method::GetExtendedAgentCard, Answer::json("{}"));
    let (transport, lines) = intercepted(script.clone(), ClientOptions::default(), &["outer", "inner"]);
    transport.send_message(hello(), no_options()).await.unwrap();
    assert_eq!(
        taken(&lines),
        [
            "outer before SendMessage m-1",
            "inner before SendMessage m-1",
            "inner after SendMessage message 0",
            "outer after SendMessage message 0",
        ]
    );
    let seen = &script.calls()[0].options.headers;
    assert_eq!(seen.get_all("x-seen-by").iter().collect::<Vec<_>>(), ["outer", "inner"]);

    transport.get_task(GetTaskRequest::new("t-1"), no_options()).await.unwrap();
    transport.cancel_task(CancelTaskRequest::new("t-2"), no_options()).await.unwrap_err();
    transport.list_tasks(ListTasksRequest::default(), no_options()).await.unwrap();
    transport
        .delete_push_config(DeleteTaskPushNotificationConfigRequest::default(), no_options())
        .await
        .unwrap();
    transport.get_extended_agent_card(GetExtendedAgentCardRequest::default(), no_options()).await.unwrap();
    let outer: Vec<_> = taken(&lines).into_iter().filter(|line| line.starts_with("outer")).collect();
    assert_eq!(
        outer,
        [
            "outer before GetTask t-1",
            "outer after GetTask task t 0",
            "outer before CancelTask t-2",
            "outer after CancelTask rpc 0",
            "outer before ListTasks ",
            "outer after ListTasks Tasks 0",
            "outer before DeleteTaskPushNotificationConfig ",
            "outer after DeleteTaskPushNotificationConfig Done 0",
            "outer before GetExtendedAgentCard ",
            "outer after GetExtendedAgentCard Card 0",
        ]
    );
}

#[tokio::test]
async fn streams_are_seen_to_their_end() {
    let task = || Step::json(r#"{"task": {"id": "t"}}"#);
    let script = ScriptedTransport::new()
        .answer(
            Method::SendStreamingMessage,
            Answer::stream([task(), Step::json(r#"{"message": {"messageId": "m"}}"#)]),
        )
        .answer(Method::SendStreamingMessage, Answer::stream([task(), Step::fail("stream_cut")]))
        .answer(Method::SendStreamingMessage, Answer::stream([task(), Step::Hang]))
        .answer(Method::SendStreamingMessage, Answer::steps([Step::Hang]))
        .answer(Method::SendStreamingMessage, Answer::fail("connect"));
    let (transport, lines) = intercepted(script, ClientOptions::default(), &["i"]);
    let open = || transport.send_streaming_message(hello(), no_options());
    let mut seen = Vec::new();

    open().await.unwrap().collect::<Vec<_>>().await;
    seen.push(taken(&lines));
    open().await.unwrap().collect::<Vec<_>>().await;
    seen.push(taken(&lines));
    open().await.unwrap().next().await.unwrap().unwrap();
    seen.push(taken(&lines));
    assert!(futures::FutureExt::now_or_never(open()).is_none());
    seen.push(taken(&lines));
    open().await.unwrap_err();
    seen.push(taken(&lines));

    let after: Vec<_> =
        seen.iter().map(|lines| lines[1..].join(", ").replace("SendStreamingMessage ", "")).collect();
    assert_eq!(
        after,
        [
            "i payload task, i payload other, i after StreamComplete 2",
            "i payload task, i after stream_cut 1",
            "i payload task, i after Dropped 1",
            "i after Dropped 0",
            "i after connect 0",
        ]
    );
}

#[tokio::test]
async fn an_interceptor_may_refuse_a_call() {
    let script = ScriptedTransport::new();
    let (transport, lines) =
        intercepted(script.clone(), ClientOptions::default(), &["first", "refusing", "never"]);
    let error = transport.get_task(GetTaskRequest::new("t"), no_options()).await.unwrap_err();
    assert_eq!(error.to_string(), "not today");
    assert_eq!(
        taken(&lines),
        ["first before GetTask t", "refusing before GetTask t", "first after GetTask config 0"]
    );
    assert!(script.calls().is_empty());
}

#[tokio::test]
async fn extensions_of_the_client_come_before_those_of_the_call() {
    let script = ScriptedTransport::new().always(Method::GetTask, Answer::json("{}"));
    let options = ClientOptions::default().with_extensions(["https://x.example/geo/v1"]);
    let (transport, _) = intercepted(script.clone(), options, &[]);
    let mut call = no_options();
    call.extensions = vec!["https://x.example/cite/v2".to_owned()];
    transport.get_task(GetTaskRequest::new("t"), call).await.unwrap();
    assert_eq!(
        script.calls()[0].options.extensions,
        ["https://x.example/geo/v1", "https://x.example/cite/v2"]
    );
}

#[tokio::test]
async fn extensions_that_the_card_demands_must_be_asked_for() {
    let server = Loopback::start([Exchange::any().times(9).json(r#"{"id":1,"result":{"id":"t"}}"#)]).await;
    let mut card = card([interface(server.url("/rpc"), "JSONRPC", "1.0")]);
    for (uri, required) in [("https://x.example/geo/v1", true), ("https://x.example/cite/v2", false)] {
        let mut extension = AgentExtension::default();
        (extension.uri, extension.required) = (uri.to_owned(), required);
        card.capabilities.extensions.push(extension);
    }
    let get = async |options: ClientOptions, call: &[&str]| {
        let mut call_options = no_options();
        call_options.extensions = call.iter().map(|uri| (*uri).to_owned()).collect();
        let transport = connect(&card, &http(), options).unwrap();
        transport.get_task(GetTaskRequest::new("t"), call_options).await.map(drop)
    };
    let error = get(ClientOptions::default(), &["https://x.example/cite/v2"]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExtensionRequired);
    assert!(error.to_string().contains("https://x.example/geo/v1"), "{error}");
    assert!(server.requests().is_empty());
    get(ClientOptions::default(), &["https://x.example/geo/v1"]).await.unwrap();
    get(ClientOptions::default().with_extensions(["https://x.example/geo/v1"]), &[]).await.unwrap();
    get(ClientOptions::default().tolerating_missing_extensions(true), &[]).await.unwrap();
    let sent: Vec<_> = server.requests().iter().map(|request| request.header("a2a-extensions")).collect();
    assert_eq!(
        sent,
        [Some("https://x.example/geo/v1".to_owned()), Some("https://x.example/geo/v1".to_owned()), None]
    );
}

#[cfg(feature = "tracing")]
#[tokio::test]
async fn spans_have_ids_and_sizes_and_nothing_else() {
    use tracing_subscriber::fmt::format::FmtSpan;

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Output {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let output = Output::default();
    let writer = output.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let script = ScriptedTransport::new()
        .answer(Method::SendStreamingMessage, Answer::stream([Step::json(r#"{"task": {"id": "t"}}"#)]))
        .answer(Method::GetTask, Answer::fail("timeout"));
    let options = ClientOptions::default().with_interceptor(a2a_transport::TracingInterceptor::new());
    let (transport, _) = intercepted(script, options, &[]);
    let mut call = no_options();
    call.headers.insert("authorization", HeaderValue::from_static("s3cret"));
    let mut request = hello();
    request.message.parts = vec![a2a_types::Part::text("confidential")];
    transport.send_streaming_message(request, call).await.unwrap().collect::<Vec<_>>().await;
    transport.get_task(GetTaskRequest::new("t-1"), no_options()).await.unwrap_err();

    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    for word in
        ["a2a_call", "operation=\"SendStreamingMessage\"", "message_id=\"m-1\"", "payloads=1", "duration_ms="]
    {
        assert!(lines[0].contains(word), "{text}");
    }
    assert!(lines[1].contains("task_id=\"t-1\"") && lines[1].contains("error=\"timeout\""), "{text}");
    assert!(!text.contains("s3cret") && !text.contains("confidential"), "{text}");
}
