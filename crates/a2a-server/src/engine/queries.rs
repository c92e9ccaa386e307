//! Operations that only read or write what is stored.

use a2a_types::{
    AgentCard, DeleteTaskPushNotificationConfigRequest, ErrorCode, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Method, RpcError,
    TaskPushNotificationConfig, TaskState,
};

use super::{Call, Engine, check_history_length, with_history};
use crate::{
    errors::{invalid, store_error, unsupported},
    store::{Owner, PushConfig, TaskQuery},
};

impl Engine {
    /// ListTasks (§3.1.4): the caller's tasks, newest status first.
    ///
    /// # Errors
    ///
    /// A filter or the page token is not valid.
    pub async fn list_tasks(
        &self,
        request: ListTasksRequest,
        call: Call,
    ) -> Result<ListTasksResponse, RpcError> {
        check_history_length(request.history_length)?;
        let page_size = match request.page_size {
            None => DEFAULT_PAGE_SIZE,
            Some(size @ 1..=MAX_PAGE_SIZE) => size,
            Some(_) => return Err(invalid("pageSize", "must be between 1 and 100")),
        };
        let mut query = TaskQuery::new(Owner::new(&request.tenant, &call.caller));
        query.context_id = Some(request.context_id).filter(|id| !id.is_empty());
        query.state = match request.status {
            TaskState::Unspecified => None,
            TaskState::Other(_) => return Err(invalid("status", "is not a state of a task")),
            state => Some(state),
        };
        if let Some(since) = request.status_timestamp_after {
            if since.to_system_time().is_none() {
                return Err(invalid(
                    "statusTimestampAfter",
                    "must be a timestamp such as 2026-03-04T07:15:30Z",
                ));
            }
            query.status_since = Some(since);
        }
        query.page_size = usize::try_from(page_size).unwrap_or_default();
        query.page_token = request.page_token;
        query.with_artifacts = request.include_artifacts == Some(true);
        let page = self.shared.store.list(query).await.map_err(|error| store_error(&error))?;
        let mut response = ListTasksResponse::default();
        response.tasks =
            page.tasks.into_iter().map(|task| with_history(task, request.history_length)).collect();
        response.next_page_token = page.next_page_token;
        response.page_size = page_size;
        response.total_size = i32::try_from(page.total).unwrap_or(i32::MAX);
        Ok(response)
    }

    /// GetExtendedAgentCard (§3.1.11).
    ///
    /// # Errors
    ///
    /// The card does not declare it, or there is none.
    pub async fn extended_card(
        &self,
        _request: GetExtendedAgentCardRequest,
        _call: Call,
    ) -> Result<AgentCard, RpcError> {
        if self.shared.card.capabilities.extended_agent_card != Some(true) {
            return Err(unsupported(Method::GetExtendedAgentCard));
        }
        let code = ErrorCode::ExtendedAgentCardNotConfigured;
        self.shared.extended_card.clone().ok_or_else(|| RpcError::new(code, "there is no extended card"))
    }

    /// CreateTaskPushNotificationConfig (§3.1.7): registers a webhook, or replaces the one of the same id.
    ///
    /// # Errors
    ///
    /// The card does not declare push notifications, the task is not found, the URL is not allowed, or the
    /// task has too many.
    pub async fn create_push_config(
        &self,
        mut config: TaskPushNotificationConfig,
        call: Call,
    ) -> Result<TaskPushNotificationConfig, RpcError> {
        self.must_push()?;
        let tenant = config.tenant.clone();
        self.own(&tenant, &call, &config.task_id).await?;
        super::push::complete(&mut config, &self.shared.webhooks)?;
        let stored = PushConfig { config: config.clone(), legacy: call.legacy };
        let limit = self.shared.limits.max_push_configs;
        self.shared.store.put_push_config(stored, limit).await.map_err(|error| store_error(&error))?;
        let owner = Owner::new(&tenant, &call.caller);
        super::push::follow_if_live(&self.shared, &owner, &config.task_id, &config.id);
        Ok(config)
    }

    /// GetTaskPushNotificationConfig (§3.1.8). Without an id it gives the only configuration there is.
    ///
    /// # Errors
    ///
    /// The card does not declare push notifications, or there is no such task or configuration.
    pub async fn push_config(
        &self,
        request: GetTaskPushNotificationConfigRequest,
        call: Call,
    ) -> Result<TaskPushNotificationConfig, RpcError> {
        self.must_push()?;
        let configs = self.configs_of(&request.tenant, &call, &request.task_id).await?;
        let mut found = configs.into_iter().filter(|config| request.id.is_empty() || config.id == request.id);
        match (found.next(), found.next()) {
            (Some(config), None) => Ok(config),
            (Some(_), Some(_)) => Err(invalid("id", "the task has several push configurations")),
            (None, _) => Err(RpcError::new(
                ErrorCode::TaskNotFound,
                format!("task {} has no such push configuration", request.task_id),
            )),
        }
    }

    /// ListTaskPushNotificationConfigs (§3.1.9).
    ///
    /// # Errors
    ///
    /// The card does not declare push notifications, or the task is not found.
    pub async fn push_configs(
        &self,
        request: ListTaskPushNotificationConfigsRequest,
        call: Call,
    ) -> Result<ListTaskPushNotificationConfigsResponse, RpcError> {
        self.must_push()?;
        let configs = self.configs_of(&request.tenant, &call, &request.task_id).await?;
        let page_size = match usize::try_from(request.page_size) {
            Ok(0) => usize::MAX,
            Ok(size) => size,
            Err(_) => return Err(invalid("pageSize", "must not be negative")),
        };
        // They are in order of id, so the last id of a page says where the next one begins.
        let mut rest = configs.into_iter().filter(|config| config.id > request.page_token).peekable();
        let mut response = ListTaskPushNotificationConfigsResponse::default();
        response.configs = rest.by_ref().take(page_size).collect();
        if let (Some(_), Some(last)) = (rest.peek(), response.configs.last()) {
            response.next_page_token.clone_from(&last.id);
        }
        Ok(response)
    }

    /// DeleteTaskPushNotificationConfig (§3.1.10); does nothing if there is no such configuration.
    ///
    /// # Errors
    ///
    /// The card does not declare push notifications, or the task is not found.
    pub async fn delete_push_config(
        &self,
        request: DeleteTaskPushNotificationConfigRequest,
        call: Call,
    ) -> Result<(), RpcError> {
        self.must_push()?;
        self.own(&request.tenant, &call, &request.task_id).await?;
        if request.id.is_empty() {
            return Err(invalid("id", "must not be empty"));
        }
        let deleted = self.shared.store.delete_push_config(request.task_id, request.id).await;
        deleted.map_err(|error| store_error(&error))
    }

    async fn configs_of(
        &self,
        tenant: &str,
        call: &Call,
        task_id: &str,
    ) -> Result<Vec<TaskPushNotificationConfig>, RpcError> {
        self.own(tenant, call, task_id).await?;
        let configs = self.shared.store.push_configs(task_id.to_owned()).await;
        let configs = configs.map_err(|error| store_error(&error))?;
        Ok(configs.into_iter().map(|stored| stored.config).collect())
    }

    /// Checks that a task is the caller's.
    async fn own(&self, tenant: &str, call: &Call, task_id: &str) -> Result<(), RpcError> {
        if task_id.is_empty() {
            return Err(invalid("taskId", "must not be empty"));
        }
        self.find(Owner::new(tenant, &call.caller), task_id).await.map(drop)
    }

    pub(super) fn must_push(&self) -> Result<(), RpcError> {
        match self.shared.card.capabilities.push_notifications {
            Some(true) => Ok(()),
            Some(false) | None => Err(RpcError::new(
                ErrorCode::PushNotificationNotSupported,
                "this agent does not send push notifications",
            )),
        }
    }
}

const DEFAULT_PAGE_SIZE: i32 = 50;
const MAX_PAGE_SIZE: i32 = 100;
