//! A transport that answers from a script.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use a2a_transport::{CallFuture, CallOptions, ErrorKind, ResponseStream, Transport, TransportError};
use a2a_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, ErrorCode,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, ListTasksRequest,
    ListTasksResponse, Method, RpcError, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::Gate;

/// Answers each operation with what was scripted for it, in order, and remembers every call.
///
/// ```
/// use a2a_testkit::{Answer, ScriptedTransport, Step};
/// use a2a_transport::{CallOptions, Transport as _};
/// use a2a_types::{GetTaskRequest, Method};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let transport = ScriptedTransport::new()
///     .answer(Method::SendStreamingMessage, Answer::stream([
///         Step::json(r#"{"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}}"#),
///         Step::fail("stream_cut"),
///     ]))
///     .answer(Method::GetTask, Answer::json(r#"{"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}}"#));
///
/// let task = transport.get_task(GetTaskRequest::new("t"), CallOptions::default()).await?;
/// assert!(task.status.state.is_terminal());
/// assert_eq!(transport.calls()[0].request["id"], "t");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A call that nothing is scripted for is answered with the RPC error `UnsupportedOperation`, which no test
/// expects by accident.
#[derive(Clone, Default)]
pub struct ScriptedTransport {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    script: Mutex<Script>,
    open_streams: AtomicUsize,
}

#[derive(Default)]
struct Script {
    answers: HashMap<Method, VecDeque<Answer>>,
    defaults: HashMap<Method, Answer>,
    calls: Vec<Call>,
}

/// A call that was made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// The operation.
    pub method: Method,
    /// Its request, as the wire has it.
    pub request: Value,
    /// Its options.
    pub options: CallOptions,
}

/// What an operation is answered with.
#[derive(Clone)]
pub struct Answer {
    steps: Vec<Step>,
    is_stream: bool,
}

/// A piece of an answer.
#[derive(Clone)]
#[non_exhaustive]
pub enum Step {
    /// A value, as JSON text: a payload of a stream, or the answer itself.
    Value(String),
    /// An error, which ends the answer.
    Error(Arc<dyn Fn() -> TransportError + Send + Sync>),
    /// A pause.
    Sleep(Duration),
    /// Waits for the test.
    Wait(Gate),
    /// Silence for ever.
    Hang,
}

impl Step {
    /// A value from JSON text.
    pub fn json(text: impl Into<String>) -> Self {
        Self::Value(text.into())
    }

    /// A value.
    ///
    /// # Panics
    ///
    /// The value cannot be written as JSON.
    pub fn value(value: impl Serialize) -> Self {
        Self::Value(serde_json::to_string(&value).expect("wire values can be written"))
    }

    /// An error of the kind with this name.
    ///
    /// # Panics
    ///
    /// There is no such kind among those that a connection or a peer causes.
    pub fn fail(kind: &str) -> Self {
        let kind = FAILURES.into_iter().find(|known| known.as_str() == kind).expect("a kind of failure");
        Self::Error(Arc::new(move || TransportError::new(kind, "scripted failure")))
    }

    /// An error that the peer reports.
    pub fn rpc_error(code: ErrorCode, message: &'static str) -> Self {
        Self::Error(Arc::new(move || rpc_error(code, message)))
    }
}

impl Answer {
    /// An answer in one piece, from JSON text. To a streaming operation: a stream of this payload alone.
    pub fn json(text: impl Into<String>) -> Self {
        Self { steps: vec![Step::json(text)], is_stream: false }
    }

    /// An answer in one piece.
    ///
    /// # Panics
    ///
    /// The value cannot be written as JSON.
    pub fn value(value: impl Serialize) -> Self {
        Self { steps: vec![Step::value(value)], is_stream: false }
    }

    /// An answer in pieces: what has to happen before it, then the answer or an error.
    pub fn steps(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect(), is_stream: false }
    }

    /// A stream. An error among the steps ends it; without one it ends properly.
    pub fn stream(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect(), is_stream: true }
    }

    /// A stream of these payloads.
    ///
    /// # Panics
    ///
    /// A payload cannot be written as JSON.
    pub fn payloads(payloads: impl IntoIterator<Item = StreamResponse>) -> Self {
        Self::stream(payloads.into_iter().map(Step::value))
    }

    /// An error of the kind with this name, in place of an answer.
    ///
    /// # Panics
    ///
    /// As [`Step::fail`].
    pub fn fail(kind: &str) -> Self {
        Self::steps([Step::fail(kind)])
    }

    /// An error that the peer reports, in place of an answer.
    pub fn rpc_error(code: ErrorCode, message: &'static str) -> Self {
        Self::steps([Step::rpc_error(code, message)])
    }
}

impl ScriptedTransport {
    /// A transport without a script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers the next call of this operation that has no answer yet.
    #[must_use]
    pub fn answer(self, method: Method, answer: Answer) -> Self {
        self.push(method, answer);
        self
    }

    /// Answers every call of this operation that [`answer`](Self::answer) does not.
    #[must_use]
    pub fn always(self, method: Method, answer: Answer) -> Self {
        self.script().defaults.insert(method, answer);
        self
    }

    /// As [`answer`](Self::answer), on a transport in use.
    pub fn push(&self, method: Method, answer: Answer) {
        self.script().answers.entry(method).or_default().push_back(answer);
    }

    /// Drops the answers that were not asked for.
    pub fn clear_answers(&self) {
        self.script().answers.clear();
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.script().calls.clone()
    }

    /// The calls so far of one operation.
    pub fn calls_of(&self, method: Method) -> Vec<Call> {
        self.script().calls.iter().filter(|call| call.method == method).cloned().collect()
    }

    /// Streams that were given out and neither ended nor were dropped.
    pub fn open_streams(&self) -> usize {
        self.shared.open_streams.load(Ordering::SeqCst)
    }

    /// Scripted answers that were not asked for, over all operations.
    pub fn unused_answers(&self) -> usize {
        self.script().answers.values().map(VecDeque::len).sum()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.shared.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_answer(&self, method: Method, request: &impl Serialize, options: CallOptions) -> Answer {
        let request = serde_json::to_value(request).expect("wire values can be written");
        let mut script = self.script();
        script.calls.push(Call { method, request, options });
        let scripted = script.answers.get_mut(&method).and_then(VecDeque::pop_front);
        scripted.or_else(|| script.defaults.get(&method).cloned()).unwrap_or_else(|| {
            Answer::rpc_error(ErrorCode::UnsupportedOperation, "nothing is scripted for this")
        })
    }

    fn unary<R: DeserializeOwned + Send + 'static>(
        &self,
        method: Method,
        request: &impl Serialize,
        options: CallOptions,
    ) -> CallFuture<'_, R> {
        let answer = self.next_answer(method, request, options);
        Box::pin(async move { finish(method, answer.steps).await })
    }

    fn streaming(
        &self,
        method: Method,
        request: &impl Serialize,
        options: CallOptions,
    ) -> CallFuture<'_, ResponseStream> {
        let answer = self.next_answer(method, request, options);
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            if !answer.is_stream {
                return finish(method, answer.steps).await.map(ResponseStream::once);
            }
            let open = OpenStream::new(shared);
            let steps = VecDeque::from(answer.steps);
            Ok(ResponseStream::new(futures::stream::unfold((steps, open), |(mut steps, open)| async move {
                loop {
                    match steps.pop_front()?.run().await {
                        Some(Ok(text)) => {
                            return Some((Ok(decode(Method::SendStreamingMessage, &text)), (steps, open)));
                        }
                        Some(Err(error)) => return Some((Err(error), (VecDeque::new(), open))),
                        None => {}
                    }
                }
            })))
        })
    }
}

impl Step {
    /// What comes of the step: a value, an error, or nothing but time.
    async fn run(self) -> Option<Result<String, TransportError>> {
        match self {
            Self::Value(text) => Some(Ok(text)),
            Self::Error(make) => Some(Err(make())),
            Self::Sleep(duration) => {
                tokio::time::sleep(duration).await;
                None
            }
            Self::Wait(gate) => {
                gate.pass().await;
                None
            }
            Self::Hang => std::future::pending().await,
        }
    }
}

/// Runs the steps of an answer in one piece.
async fn finish<R: DeserializeOwned>(method: Method, steps: Vec<Step>) -> Result<R, TransportError> {
    for step in steps {
        match step.run().await {
            Some(Ok(text)) => return Ok(decode(method, &text)),
            Some(Err(error)) => return Err(error),
            None => {}
        }
    }
    panic!("the answer scripted for {method} ends without a value")
}

fn decode<R: DeserializeOwned>(method: Method, text: &str) -> R {
    a2a_types::from_str(text).unwrap_or_else(|error| panic!("scripted for {method}: {error}: {text}"))
}

fn rpc_error(code: ErrorCode, message: &str) -> TransportError {
    let rpc = RpcError::new(code, message);
    TransportError::new(ErrorKind::Rpc, format!("the peer answered with {rpc}")).with_rpc(rpc)
}

/// Counts a stream while it exists.
struct OpenStream(Arc<Shared>);

impl OpenStream {
    fn new(shared: Arc<Shared>) -> Self {
        shared.open_streams.fetch_add(1, Ordering::SeqCst);
        Self(shared)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.open_streams.fetch_sub(1, Ordering::SeqCst);
    }
}

macro_rules! scripted {
    ($($run:ident $operation:ident($request:ty) -> $answer:ty = $method:ident;)*) => {
        impl Transport for ScriptedTransport {
            $(
                fn $operation(&self, request: $request, options: CallOptions) -> CallFuture<'_, $answer> {
                    self.$run(Method::$method, &request, options)
                }
            )*
        }
    };
}

scripted! {
    unary send_message(SendMessageRequest) -> SendMessageResponse = SendMessage;
    streaming send_streaming_message(SendMessageRequest) -> ResponseStream = SendStreamingMessage;
    streaming subscribe_to_task(SubscribeToTaskRequest) -> ResponseStream = SubscribeToTask;
    unary get_task(GetTaskRequest) -> Task = GetTask;
    unary list_tasks(ListTasksRequest) -> ListTasksResponse = ListTasks;
    unary cancel_task(CancelTaskRequest) -> Task = CancelTask;
    unary create_push_config(TaskPushNotificationConfig) -> TaskPushNotificationConfig
        = CreateTaskPushNotificationConfig;
    unary get_push_config(GetTaskPushNotificationConfigRequest) -> TaskPushNotificationConfig
        = GetTaskPushNotificationConfig;
    unary list_push_configs(ListTaskPushNotificationConfigsRequest) -> ListTaskPushNotificationConfigsResponse
        = ListTaskPushNotificationConfigs;
    unary delete_push_config(DeleteTaskPushNotificationConfigRequest) -> ()
        = DeleteTaskPushNotificationConfig;
    unary get_extended_agent_card(GetExtendedAgentCardRequest) -> AgentCard = GetExtendedAgentCard;
}

impl fmt::Debug for ScriptedTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedTransport")
            .field("calls", &self.script().calls.len())
            .field("unused_answers", &self.unused_answers())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(text) => f.debug_tuple("Value").field(text).finish(),
            Self::Error(make) => f.debug_tuple("Error").field(&make()).finish(),
            Self::Sleep(duration) => f.debug_tuple("Sleep").field(duration).finish(),
            Self::Wait(_) => f.write_str("Wait"),
            Self::Hang => f.write_str("Hang"),
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("steps", &self.steps).field("is_stream", &self.is_stream).finish()
    }
}

const FAILURES: [ErrorKind; 12] = [
    ErrorKind::Connect,
    ErrorKind::Tls,
    ErrorKind::Timeout,
    ErrorKind::StreamCut,
    ErrorKind::Auth,
    ErrorKind::HttpStatus,
    ErrorKind::Redirect,
    ErrorKind::ContentType,
    ErrorKind::TooLarge,
    ErrorKind::Decode,
    ErrorKind::Unsupported,
    ErrorKind::Rpc,
];
