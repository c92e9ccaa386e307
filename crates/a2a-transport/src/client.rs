//! From a card to a transport.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use a2a_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use http::Uri;

use crate::{
    Binding, CallFuture, CallOptions, ErrorKind, HttpClient, InterfacePreferences, JsonRpcTransport,
    ResponseStream, Selected, Transport, TransportError,
    interface::{no_interface, rank_interfaces},
};

/// The transport to the agent of a card, by the interface that [`select_interface`](crate::select_interface)
/// chooses. Nothing is sent yet.
///
/// When no connection to that interface comes about, so that nothing was sent, calls go to the next one at
/// another host or port.
///
/// # Errors
///
/// [`NoInterface`](ErrorKind::NoInterface): the card offers none that can be used, or an error of a custom
/// binding's factory.
pub fn connect(
    card: &AgentCard,
    http: &HttpClient,
    preferences: &InterfacePreferences,
) -> Result<Arc<dyn Transport>, TransportError> {
    let mut candidates: Vec<Arc<dyn Transport>> = Vec::new();
    let mut places = Vec::new();
    let mut refusal = None;
    for selected in rank_interfaces(card, preferences) {
        let place = authority(&selected.interface.url);
        if places.contains(&place) {
            continue;
        }
        match transport(&selected, http, preferences) {
            Ok(candidate) => {
                candidates.push(candidate);
                places.push(place);
            }
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    match (candidates.len(), refusal) {
        (0, Some(error)) => Err(error),
        (0, None) => Err(no_interface(card, preferences)),
        (1, _) => Ok(candidates.swap_remove(0)),
        _ => Ok(Arc::new(Fallback { candidates, current: AtomicUsize::new(0) })),
    }
}

fn transport(
    selected: &Selected,
    http: &HttpClient,
    preferences: &InterfacePreferences,
) -> Result<Arc<dyn Transport>, TransportError> {
    match &selected.binding {
        Binding::JsonRpc => Ok(Arc::new(JsonRpcTransport::new(http.clone(), &selected.interface)?)),
        Binding::HttpJson => Err(TransportError::new(ErrorKind::NoInterface, "")),
        Binding::Custom(name) => match preferences.custom(name) {
            Some((_, factory)) => factory(&selected.interface),
            None => Err(TransportError::new(
                ErrorKind::NoInterface,
                format!("no transport is registered for the binding {name}"),
            )),
        },
    }
}

/// Host and port, which connecting depends on.
fn authority(url: &str) -> String {
    match url.trim().parse::<Uri>() {
        Ok(uri) => uri.authority().map_or_else(|| url.to_owned(), |authority| authority.as_str().to_owned()),
        Err(_) => url.to_owned(),
    }
}

/// Uses the first transport that a connection comes about with, and stays with it while it does.
#[derive(Debug)]
struct Fallback {
    candidates: Vec<Arc<dyn Transport>>,
    current: AtomicUsize,
}

impl Fallback {
    /// Makes a call on one candidate after the other, each at most once. A request is only repeated when
    /// nothing of it was sent.
    fn call<'a, R, T>(
        &'a self,
        request: R,
        options: CallOptions,
        operation: impl Fn(&'a dyn Transport, R, CallOptions) -> CallFuture<'a, T> + Send + 'a,
    ) -> CallFuture<'a, T>
    where
        R: Clone + Send + 'a,
        T: Send + 'a,
    {
        Box::pin(async move {
            let start = self.current.load(Ordering::Relaxed);
            let mut first_error = None;
            for (place, candidate) in
                self.candidates.iter().enumerate().cycle().skip(start).take(self.candidates.len())
            {
                match operation(candidate.as_ref(), request.clone(), options.clone()).await {
                    Err(error) if error.is_connect() => {
                        crate::log::warn!("an interface cannot be connected to, trying the next: {error}");
                        first_error = first_error.or(Some(error));
                    }
                    answered => {
                        self.current.store(place, Ordering::Relaxed);
                        return answered;
                    }
                }
            }
            Err(first_error.unwrap_or_else(|| {
                TransportError::new(ErrorKind::NoInterface, "there is no interface to connect to")
            }))
        })
    }
}

macro_rules! fall_back {
    ($($operation:ident: $request:ty => $answer:ty;)*) => {
        impl Transport for Fallback {
            $(
                fn $operation(&self, request: $request, options: CallOptions) -> CallFuture<'_, $answer> {
                    self.call(request, options, |candidate, request, options| candidate.$operation(request, options))
                }
            )*
        }
    };
}

fall_back! {
    send_message: SendMessageRequest => SendMessageResponse;
    send_streaming_message: SendMessageRequest => ResponseStream;
    subscribe_to_task: SubscribeToTaskRequest => ResponseStream;
    get_task: GetTaskRequest => Task;
    list_tasks: ListTasksRequest => ListTasksResponse;
    cancel_task: CancelTaskRequest => Task;
    create_push_config: TaskPushNotificationConfig => TaskPushNotificationConfig;
    get_push_config: GetTaskPushNotificationConfigRequest => TaskPushNotificationConfig;
    list_push_configs: ListTaskPushNotificationConfigsRequest => ListTaskPushNotificationConfigsResponse;
    delete_push_config: DeleteTaskPushNotificationConfigRequest => ();
    get_extended_agent_card: GetExtendedAgentCardRequest => AgentCard;
}
