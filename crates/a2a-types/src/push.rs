//! Push notification configurations (§4.3) and their operations (§3.1.7 to §3.1.10).

use crate::wire::wire_struct;

wire_struct! {
    /// A webhook registered for a task (§4.3.1), also the request that creates one.
    pub struct TaskPushNotificationConfig {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Configuration; empty lets the server choose.
        pub id: String = "id";
        /// Owning task; empty inside the configuration of a message.
        pub task_id: String = "taskId";
        /// The webhook.
        pub url: String = "url", required;
        /// Opaque value for the webhook to recognise; empty for none.
        pub token: String = "token";
        /// How to authenticate to the webhook.
        pub authentication: Option<AuthenticationInfo> = "authentication";
    }
}

impl TaskPushNotificationConfig {
    /// A webhook without credentials.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

wire_struct! {
    /// Credentials for a webhook (§4.3.2).
    pub struct AuthenticationInfo {
        /// An HTTP authentication scheme, compared without case.
        pub scheme: String = "scheme", required;
        /// Scheme-specific credentials; empty for none.
        pub credentials: String = "credentials";
    }
}

wire_struct! {
    /// GetTaskPushNotificationConfig (§3.1.8).
    pub struct GetTaskPushNotificationConfigRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Task.
        pub task_id: String = "taskId", required;
        /// Configuration.
        pub id: String = "id", required;
    }
}

wire_struct! {
    /// DeleteTaskPushNotificationConfig (§3.1.10).
    pub struct DeleteTaskPushNotificationConfigRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Task.
        pub task_id: String = "taskId", required;
        /// Configuration.
        pub id: String = "id", required;
    }
}

wire_struct! {
    /// ListTaskPushNotificationConfigs (§3.1.9).
    pub struct ListTaskPushNotificationConfigsRequest {
        /// Routing key.
        pub tenant: String = "tenant";
        /// Task.
        pub task_id: String = "taskId", required;
        /// Most entries to return; 0 for the server's default.
        pub page_size: i32 = "pageSize";
        /// Cursor of the previous page; empty for the first.
        pub page_token: String = "pageToken";
    }
}

wire_struct! {
    /// A page of configurations (§3.1.9).
    pub struct ListTaskPushNotificationConfigsResponse {
        /// The configurations.
        pub configs: Vec<TaskPushNotificationConfig> = "configs";
        /// Cursor of the next page; empty on the last.
        pub next_page_token: String = "nextPageToken";
    }
}
