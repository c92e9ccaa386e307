//! Seeing every call, whatever its binding.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use a2a_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Method, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use futures::{Stream, StreamExt as _};
use tokio::time::Instant;

use crate::{
    CallFuture, CallOptions, ErrorKind, ResponseStream, Transport, TransportError, client::decorate::decorate,
};

/// Sees every call of a transport, before and after.
pub trait Interceptor: fmt::Debug + Send + Sync {
    /// Before a call: may change its options, such as by adding headers.
    ///
    /// # Errors
    ///
    /// The call is not made, and fails with the error.
    fn before(&self, _call: &mut InterceptedCall) -> Result<(), TransportError> {
        Ok(())
    }

    /// A payload of a stream, before the caller has it.
    fn payload(&self, _call: &InterceptedCall, _payload: &StreamResponse) {}

    /// After a call, once: it was answered, its stream ended, it failed, or the caller lost interest.
    fn after(&self, _call: &InterceptedCall, _outcome: &Outcome<'_>) {}
}

/// A call that is being made.
#[derive(Debug)]
#[non_exhaustive]
pub struct InterceptedCall {
    /// The operation.
    pub method: Method,
    /// The task that the request names; empty if none.
    pub task_id: String,
    /// The conversation that the request names; empty if none.
    pub context_id: String,
    /// The message that is sent; empty if none.
    pub message_id: String,
    /// Options, those of the client included.
    pub options: CallOptions,
    /// What interceptors keep from before a call until after it.
    pub state: http::Extensions,
}

/// What became of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome<'a> {
    /// From before the call until now.
    pub duration: Duration,
    /// Payloads of the stream, if it is one.
    pub payloads: u64,
    /// The answer, or why there is none.
    pub result: Result<Answered<'a>, &'a TransportError>,
}

/// The answer to a call.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Answered<'a> {
    /// A task or a message.
    Message(&'a SendMessageResponse),
    /// A task.
    Task(&'a Task),
    /// Tasks.
    Tasks(&'a ListTasksResponse),
    /// A push notification configuration.
    PushConfig(&'a TaskPushNotificationConfig),
    /// Push notification configurations.
    PushConfigs(&'a ListTaskPushNotificationConfigsResponse),
    /// A card.
    Card(&'a AgentCard),
    /// Nothing but that it is done.
    Done,
    /// The stream is complete.
    StreamComplete,
    /// The caller dropped the call or its stream.
    Dropped,
}

/// Adds what the client wants of every call, and lets interceptors see it.
#[derive(Debug)]
pub(crate) struct Intercepted {
    inner: Arc<dyn Transport>,
    extensions: Vec<String>,
    required_extensions: Vec<String>,
    interceptors: Vec<Arc<dyn Interceptor>>,
}

impl Intercepted {
    /// The transport, within what there is to add, if anything.
    pub(crate) fn wrap(
        inner: Arc<dyn Transport>,
        extensions: Vec<String>,
        required_extensions: Vec<String>,
        interceptors: Vec<Arc<dyn Interceptor>>,
    ) -> Arc<dyn Transport> {
        if extensions.is_empty() && required_extensions.is_empty() && interceptors.is_empty() {
            return inner;
        }
        Arc::new(Self { inner, extensions, required_extensions, interceptors })
    }

    fn unary<'a, R, T>(
        &'a self,
        method: Method,
        request: R,
        options: CallOptions,
        operation: impl Fn(&'a dyn Transport, R, CallOptions) -> CallFuture<'a, T> + Send + 'a,
    ) -> CallFuture<'a, T>
    where
        R: Named + Send + 'a,
        T: Observable + Send + 'a,
    {
        Box::pin(async move {
            let (observation, options) = self.begin(method, &request, options)?;
            let result = operation(self.inner.as_ref(), request, options).await;
            observation.end(result.as_ref().map(Observable::observed));
            result
        })
    }

    fn streaming<'a, R: Named + Send + 'a>(
        &'a self,
        method: Method,
        request: R,
        options: CallOptions,
        operation: impl Fn(&'a dyn Transport, R, CallOptions) -> CallFuture<'a, ResponseStream> + Send + 'a,
    ) -> CallFuture<'a, ResponseStream> {
        Box::pin(async move {
            let (observation, options) = self.begin(method, &request, options)?;
            match operation(self.inner.as_ref(), request, options).await {
                Ok(stream) => {
                    Ok(ResponseStream::new(ObservedStream { stream, observation: Some(observation) }))
                }
                Err(error) => {
                    observation.end(Err(&error));
                    Err(error)
                }
            }
        })
    }

    /// Everything before a call, and the options to make it with.
    fn begin(
        &self,
        method: Method,
        request: &impl Named,
        mut options: CallOptions,
    ) -> Result<(Observation, CallOptions), TransportError> {
        options.extensions.splice(0..0, self.extensions.iter().cloned());
        let mut call = InterceptedCall {
            method,
            task_id: String::new(),
            context_id: String::new(),
            message_id: String::new(),
            options,
            state: http::Extensions::new(),
        };
        request.name(&mut call);
        let mut observation = Observation {
            call,
            interceptors: Vec::new(),
            started: Instant::now(),
            payloads: 0,
            is_over: false,
        };
        for interceptor in &self.interceptors {
            if let Err(error) = interceptor.before(&mut observation.call) {
                observation.end(Err(&error));
                return Err(error);
            }
            observation.interceptors.push(Arc::clone(interceptor));
        }
        let options = observation.call.options.clone();
        if let Err(error) = self.check_required(&options.extensions) {
            observation.end(Err(&error));
            return Err(error);
        }
        Ok((observation, options))
    }

    fn check_required(&self, activated: &[String]) -> Result<(), TransportError> {
        let is_missing = |required: &&String| !activated.iter().any(|uri| uri.trim() == required.as_str());
        let missing: Vec<&str> =
            self.required_extensions.iter().filter(is_missing).map(String::as_str).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!("the card demands extensions that are not activated: {}", missing.join(", "));
        Err(TransportError::new(ErrorKind::ExtensionRequired, message))
    }
}

decorate!(Intercepted);

/// A call under way, with those who want to know what becomes of it.
struct Observation {
    call: InterceptedCall,
    /// Those that have seen it begin.
    interceptors: Vec<Arc<dyn Interceptor>>,
    started: Instant,
    payloads: u64,
    is_over: bool,
}

impl Observation {
    fn payload(&mut self, payload: &StreamResponse) {
        self.payloads = self.payloads.saturating_add(1);
        for interceptor in &self.interceptors {
            interceptor.payload(&self.call, payload);
        }
    }

    fn end(mut self, result: Result<Answered<'_>, &TransportError>) {
        self.tell(result);
    }

    fn tell(&mut self, result: Result<Answered<'_>, &TransportError>) {
        self.is_over = true;
        let outcome = Outcome { duration: self.started.elapsed(), payloads: self.payloads, result };
        for interceptor in self.interceptors.iter().rev() {
            interceptor.after(&self.call, &outcome);
        }
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        if !self.is_over {
            self.tell(Ok(Answered::Dropped));
        }
    }
}

struct ObservedStream {
    stream: ResponseStream,
    /// `None` once it is over.
    observation: Option<Observation>,
}

impl Stream for ObservedStream {
    type Item = Result<StreamResponse, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = ready!(self.stream.poll_next_unpin(cx));
        match &item {
            Some(Ok(payload)) => {
                if let Some(observation) = &mut self.observation {
                    observation.payload(payload);
                }
            }
            ended => {
                if let Some(observation) = self.observation.take() {
                    let error = ended.as_ref().and_then(|item| item.as_ref().err());
                    observation.end(error.map_or(Ok(Answered::StreamComplete), Err));
                }
            }
        }
        Poll::Ready(item)
    }
}

/// A request that says what it is about.
trait Named {
    fn name(&self, call: &mut InterceptedCall);
}

/// An answer that can be shown.
trait Observable {
    fn observed(&self) -> Answered<'_>;
}

macro_rules! named {
    ($($request:ty: $($field:ident = $($path:ident).+),*;)*) => { $(
        impl Named for $request {
            fn name(&self, _call: &mut InterceptedCall) {
                $( _call.$field.clone_from(&self.$($path).+); )*
            }
        }
    )* };
}

named! {
    SendMessageRequest:
        task_id = message.task_id, context_id = message.context_id, message_id = message.message_id;
    SubscribeToTaskRequest: task_id = id;
    GetTaskRequest: task_id = id;
    ListTasksRequest: context_id = context_id;
    CancelTaskRequest: task_id = id;
    TaskPushNotificationConfig: task_id = task_id;
    GetTaskPushNotificationConfigRequest: task_id = task_id;
    ListTaskPushNotificationConfigsRequest: task_id = task_id;
    DeleteTaskPushNotificationConfigRequest: task_id = task_id;
    GetExtendedAgentCardRequest:;
}

macro_rules! observable {
    ($($answer:ty => $variant:ident;)*) => { $(
        impl Observable for $answer {
            fn observed(&self) -> Answered<'_> {
                Answered::$variant(self)
            }
        }
    )* };
}

observable! {
    SendMessageResponse => Message;
    Task => Task;
    ListTasksResponse => Tasks;
    TaskPushNotificationConfig => PushConfig;
    ListTaskPushNotificationConfigsResponse => PushConfigs;
    AgentCard => Card;
}

impl Observable for () {
    fn observed(&self) -> Answered<'_> {
        Answered::Done
    }
}
