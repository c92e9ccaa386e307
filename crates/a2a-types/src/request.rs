//! One struct per operation (§3.1, §3.2). `tenant` is the chosen interface's, empty for none.

use crate::{
    json::Metadata,
    message::Message,
    push::TaskPushNotificationConfig,
    task::{Task, TaskState},
    timestamp::Timestamp,
    wire::wire_struct,
};

wire_struct! {
    /// SendMessage and SendStreamingMessage (§3.2.1).
    pub struct SendMessageRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// The message.
        pub message: Message = "message", required;
        /// Options; `None` is all defaults.
        pub configuration: Option<SendMessageConfiguration> = "configuration";
        /// Request-level context.
        pub metadata: Option<Metadata> = "metadata";
    }
}

impl SendMessageRequest {
    /// A request that delivers this message with default options.
    pub fn new(message: Message) -> Self {
        Self { message, ..Self::default() }
    }
}

wire_struct! {
    /// Options of a message (§3.2.2).
    pub struct SendMessageConfiguration {
        /// Media types the client can take; empty for any.
        pub accepted_output_modes: Vec<String> = "acceptedOutputModes";
        /// Webhook to register; its `task_id` stays empty.
        pub task_push_notification_config: Option<TaskPushNotificationConfig> = "taskPushNotificationConfig";
        /// At most so many recent messages of history; 0 for none, `None` for the server's default.
        pub history_length: Option<i32> = "historyLength";
        /// Return as soon as the task exists, instead of when it ends or waits.
        pub return_immediately: bool = "returnImmediately";
    }
}

wire_struct! {
    /// GetTask (§3.1.3).
    pub struct GetTaskRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Task.
        pub id: String = "id", required;
        /// At most so many recent messages of history; 0 for none, `None` for the server's default.
        pub history_length: Option<i32> = "historyLength";
    }
}

impl GetTaskRequest {
    /// Asks for this task.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }
}

wire_struct! {
    /// ListTasks (§3.1.4).
    pub struct ListTasksRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Only this conversation; empty for any.
        pub context_id: String = "contextId";
        /// Only this state; unspecified for any.
        pub status: TaskState = "status";
        /// 1 to 100; the default is 50.
        pub page_size: Option<i32> = "pageSize";
        /// Cursor of the previous page; empty for the first.
        pub page_token: String = "pageToken";
        /// At most so many recent messages of history per task.
        pub history_length: Option<i32> = "historyLength";
        /// Only tasks whose status is at least so recent.
        pub status_timestamp_after: Option<Timestamp> = "statusTimestampAfter";
        /// Whether tasks come with their artifacts; the default is no.
        pub include_artifacts: Option<bool> = "includeArtifacts";
    }
}

wire_struct! {
    /// A page of tasks, newest status first (§3.1.4). All four members are always written.
    pub struct ListTasksResponse {
        /// The tasks.
        pub tasks: Vec<Task> = "tasks", required;
        /// Cursor of the next page; empty on the last.
        pub next_page_token: String = "nextPageToken", required;
        /// Page size used.
        pub page_size: i32 = "pageSize", required;
        /// Matches before paging.
        pub total_size: i32 = "totalSize", required;
    }
}

wire_struct! {
    /// CancelTask (§3.1.5).
    pub struct CancelTaskRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Task to cancel.
        pub id: String = "id", required;
        /// Free-form context.
        pub metadata: Option<Metadata> = "metadata";
    }
}

impl CancelTaskRequest {
    /// Cancels this task.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }
}

wire_struct! {
    /// SubscribeToTask (§3.1.6).
    pub struct SubscribeToTaskRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Task to follow.
        pub id: String = "id", required;
    }
}

impl SubscribeToTaskRequest {
    /// Follows this task.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }
}

wire_struct! {
    /// GetExtendedAgentCard (§3.1.11).
    pub struct GetExtendedAgentCardRequest {
        /// Routing key.
        pub tenant: String = "tenant";
    }
}
