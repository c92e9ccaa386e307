//! The operations as values, so that bindings only read requests and write replies.

use a2a_types::{
    AgentCard, CancelTaskRequest, DecodeError, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, ListTasksRequest,
    ListTasksResponse, Method, RpcError, SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest,
    Task, TaskPushNotificationConfig, v03,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::engine::{Call, Engine, UpdateStream};

/// How requests are read and replies are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// 1.0, in both bindings.
    V1,
    /// 0.3 over JSON-RPC.
    V03JsonRpc,
    /// 0.3 over HTTP+JSON.
    V03Rest,
}

/// A request.
#[derive(Debug)]
pub(super) enum Operation {
    SendMessage(SendMessageRequest),
    SendStreamingMessage(SendMessageRequest),
    GetTask(GetTaskRequest),
    ListTasks(ListTasksRequest),
    CancelTask(CancelTaskRequest),
    SubscribeToTask(SubscribeToTaskRequest),
    CreatePushConfig(TaskPushNotificationConfig),
    GetPushConfig(GetTaskPushNotificationConfigRequest),
    ListPushConfigs(ListTaskPushNotificationConfigsRequest),
    DeletePushConfig(DeleteTaskPushNotificationConfigRequest),
    GetExtendedCard(GetExtendedAgentCardRequest),
}

/// What comes of it.
#[derive(Debug)]
pub(super) enum Reply {
    Sent(SendMessageResponse),
    Task(Task),
    Tasks(ListTasksResponse),
    PushConfig(TaskPushNotificationConfig),
    PushConfigs(ListTaskPushNotificationConfigsResponse),
    Deleted,
    Card(AgentCard),
    Stream(UpdateStream),
}

impl Operation {
    /// Reads the parameters of a JSON-RPC call.
    pub(super) fn from_params(method: Method, params: &str, dialect: Dialect) -> Result<Self, DecodeError> {
        Ok(match method {
            Method::SendMessage => Self::SendMessage(read(params, dialect)?),
            Method::SendStreamingMessage => Self::SendStreamingMessage(read(params, dialect)?),
            Method::GetTask => Self::GetTask(read(params, dialect)?),
            Method::ListTasks => Self::ListTasks(a2a_types::from_str(params)?),
            Method::CancelTask => Self::CancelTask(read(params, dialect)?),
            Method::SubscribeToTask => Self::SubscribeToTask(read(params, dialect)?),
            Method::CreateTaskPushNotificationConfig => Self::CreatePushConfig(read(params, dialect)?),
            Method::GetTaskPushNotificationConfig => Self::GetPushConfig(read(params, dialect)?),
            Method::ListTaskPushNotificationConfigs => Self::ListPushConfigs(read(params, dialect)?),
            Method::DeleteTaskPushNotificationConfig => Self::DeletePushConfig(read(params, dialect)?),
            // 0.3 has no parameters here, 1.0 may leave them out.
            _ => Self::GetExtendedCard(a2a_types::from_str(params)?),
        })
    }

    pub(super) async fn run(self, engine: &Engine, call: Call) -> Result<Reply, RpcError> {
        match self {
            Self::SendMessage(request) => engine.send_message(request, call).await.map(Reply::Sent),
            Self::SendStreamingMessage(request) => {
                engine.send_streaming_message(request, call).await.map(Reply::Stream)
            }
            Self::GetTask(request) => engine.get_task(request, call).await.map(Reply::Task),
            Self::ListTasks(request) => engine.list_tasks(request, call).await.map(Reply::Tasks),
            Self::CancelTask(request) => engine.cancel_task(request, call).await.map(Reply::Task),
            Self::SubscribeToTask(request) => {
                engine.subscribe_to_task(request, call).await.map(Reply::Stream)
            }
            Self::CreatePushConfig(request) => {
                engine.create_push_config(request, call).await.map(Reply::PushConfig)
            }
            Self::GetPushConfig(request) => engine.push_config(request, call).await.map(Reply::PushConfig),
            Self::ListPushConfigs(request) => {
                engine.push_configs(request, call).await.map(Reply::PushConfigs)
            }
            Self::DeletePushConfig(request) => {
                engine.delete_push_config(request, call).await.map(|()| Reply::Deleted)
            }
            Self::GetExtendedCard(request) => engine.extended_card(request, call).await.map(Reply::Card),
        }
    }
}

/// Reads a value in a dialect.
pub(super) fn read<T>(text: &str, dialect: Dialect) -> Result<T, DecodeError>
where
    T: DeserializeOwned,
    v03::JsonRpc<T>: DeserializeOwned,
{
    match dialect {
        Dialect::V1 => a2a_types::from_str(text),
        Dialect::V03JsonRpc | Dialect::V03Rest => a2a_types::from_str(text).map(|v03::JsonRpc(value)| value),
    }
}

/// Writes a value in a dialect.
fn write<T>(value: &T, dialect: Dialect) -> String
where
    T: Serialize,
    for<'a> v03::JsonRpc<&'a T>: Serialize,
    for<'a> v03::Rest<&'a T>: Serialize,
{
    match dialect {
        Dialect::V1 => json(value),
        Dialect::V03JsonRpc => json(&v03::JsonRpc(value)),
        Dialect::V03Rest => json(&v03::Rest(value)),
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The result of an operation that does not stream, as JSON.
pub(super) fn write_reply(reply: &Reply, dialect: Dialect) -> String {
    match reply {
        Reply::Sent(response) => write(response, dialect),
        Reply::Task(task) => write(task, dialect),
        Reply::Tasks(tasks) => json(tasks),
        Reply::PushConfig(config) => write(config, dialect),
        Reply::PushConfigs(configs) => write(configs, dialect),
        Reply::Card(card) => match v03::LegacyCard::new(card) {
            Some(legacy) if dialect != Dialect::V1 => json(&legacy),
            _ => json(card),
        },
        Reply::Deleted | Reply::Stream(_) => "null".to_owned(),
    }
}
