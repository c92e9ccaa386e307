//! The HTTP+JSON binding (§11), for 1.0 and 0.3.

use a2a_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, ErrorCode, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, RpcError, SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
    TaskState, Timestamp, rest, v03,
};
use http::{HeaderValue, Method as Verb, Response, StatusCode, header, request::Parts};
use serde::de::DeserializeOwned;

use super::{
    Inner,
    body::ResponseBody,
    events::{self, Framing},
    intake::{BodyError, Received},
    json_response,
    operation::{Dialect, Operation, Reply, write_reply},
    request::{self, Version, query_pairs, unsupported_version},
    route::{Resource, Route},
};
use crate::{auth::Caller, errors::invalid};

pub(super) async fn handle(
    service: &Inner,
    route: Route,
    parts: Parts,
    body: Result<Received<'_>, BodyError>,
    caller: Caller,
) -> Response<ResponseBody> {
    let dialect = if route.legacy { Dialect::V03Rest } else { Dialect::V1 };
    let (call, active) = service.call(&parts, caller, dialect);
    let answer = match read(&route, &parts, body) {
        Ok(operation) => operation.run(&service.engine, call).await.map_err(Problem::from),
        Err(problem) => Err(problem),
    };
    let response = match answer {
        Ok(Reply::Stream(updates)) => {
            let framing = Framing { dialect, id: None };
            events::respond(updates, framing, &service.options).await.map_err(Problem::from)
        }
        Ok(Reply::Deleted) => Ok(json_response(StatusCode::OK, "{}".to_owned())),
        Ok(reply) => Ok(json_response(StatusCode::OK, write_reply(&reply, dialect))),
        Err(problem) => Err(problem),
    };
    let mut response = response.unwrap_or_else(|problem| problem.respond(dialect));
    if dialect == Dialect::V1 && request::speaks_a2a_json(&parts.headers) {
        let content_type = response.headers_mut().get_mut(header::CONTENT_TYPE);
        if let Some(json) = content_type.filter(|value| value.as_bytes() == b"application/json") {
            *json = HeaderValue::from_static(request::A2A_JSON);
        }
    }
    active.echo(response.headers_mut());
    response
}

/// An error, and the HTTP status if it is not the one of the error.
pub(super) struct Problem {
    status: Option<StatusCode>,
    error: RpcError,
}

impl From<RpcError> for Problem {
    fn from(error: RpcError) -> Self {
        Self { status: None, error }
    }
}

impl Problem {
    pub(super) fn new(status: StatusCode, error: RpcError) -> Self {
        Self { status: Some(status), error }
    }

    pub(super) fn respond(self, dialect: Dialect) -> Response<ResponseBody> {
        let (status, mut body) = error_body(&self.error, dialect);
        let status = self.status.unwrap_or(status);
        if let Some(code) = body.pointer_mut("/error/code") {
            *code = status.as_u16().into();
        }
        json_response(status, body.to_string())
    }
}

fn error_body(error: &RpcError, dialect: Dialect) -> (StatusCode, serde_json::Value) {
    let (status, body) = match dialect {
        Dialect::V1 => (error.code.http_status(), rest::error_body(error)),
        Dialect::V03JsonRpc | Dialect::V03Rest => v03::error_body(error),
    };
    (StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
}

/// An error as the data of an event.
pub(super) fn error_json(error: &RpcError, dialect: Dialect) -> String {
    crate::json::to_line(&error_body(error, dialect).1)
}

fn read(route: &Route, parts: &Parts, body: Result<Received<'_>, BodyError>) -> Result<Operation, Problem> {
    match (route.legacy, Version::of(&parts.headers, &parts.uri)?) {
        (false, Version::V1) | (true, Version::V03 | Version::Unnamed) => {}
        (false, _) => return Err(unsupported_version("this route needs the header A2A-Version: 1.0").into()),
        (true, Version::V1) => return Err(unsupported_version("this route is of 0.3").into()),
    }
    let body = body.map_err(|error| {
        let (status, message) = error.problem();
        Problem::new(status, RpcError::new(ErrorCode::InvalidRequest, message))
    })?;
    if !body.is_empty() && !request::is_json(&parts.headers) {
        let message = "the body must be application/json or application/a2a+json";
        let error = RpcError::new(ErrorCode::ContentTypeNotSupported, message);
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error));
    }
    let input = Input { route, query: parts.uri.query().unwrap_or_default(), body: &body };
    input.operation(&parts.method)
}

struct Input<'a> {
    route: &'a Route,
    query: &'a str,
    body: &'a [u8],
}

impl Input<'_> {
    fn operation(&self, verb: &Verb) -> Result<Operation, Problem> {
        let tenant = self.route.tenant.clone();
        Ok(match &self.route.resource {
            Resource::SendMessage => Operation::SendMessage(self.message()?),
            Resource::SendStreamingMessage => Operation::SendStreamingMessage(self.message()?),
            Resource::Tasks => Operation::ListTasks(self.list()?),
            Resource::Task(id) => {
                let mut request = GetTaskRequest::new(id);
                request.tenant = tenant;
                request.history_length = self.number("historyLength")?;
                if self.route.legacy {
                    // In 0.3 a history length of 0 is no limit.
                    request.history_length = request.history_length.filter(|length| *length != 0);
                }
                Operation::GetTask(request)
            }
            Resource::CancelTask(id) => {
                let mut request: CancelTaskRequest = self.json_or_default()?;
                request.tenant = self.tenant_of(request.tenant)?;
                request.id.clone_from(id);
                Operation::CancelTask(request)
            }
            Resource::SubscribeToTask(id) => {
                let mut request = SubscribeToTaskRequest::new(id);
                request.tenant = tenant;
                Operation::SubscribeToTask(request)
            }
            Resource::PushConfigs(task_id) if verb == Verb::POST => {
                let mut config: TaskPushNotificationConfig = self.json()?;
                config.tenant = self.tenant_of(config.tenant)?;
                config.task_id.clone_from(task_id);
                Operation::CreatePushConfig(config)
            }
            Resource::PushConfigs(task_id) => {
                let mut request = ListTaskPushNotificationConfigsRequest::default();
                request.tenant = tenant;
                request.task_id.clone_from(task_id);
                request.page_size = self.number("pageSize")?.unwrap_or_default();
                request.page_token = self.text("pageToken").unwrap_or_default();
                Operation::ListPushConfigs(request)
            }
            Resource::PushConfig(task_id, id) if verb == Verb::DELETE => {
                let mut request = DeleteTaskPushNotificationConfigRequest::default();
                request.tenant = tenant;
                request.task_id.clone_from(task_id);
                request.id.clone_from(id);
                Operation::DeletePushConfig(request)
            }
            Resource::PushConfig(task_id, id) => {
                let mut request = GetTaskPushNotificationConfigRequest::default();
                request.tenant = tenant;
                request.task_id.clone_from(task_id);
                request.id.clone_from(id);
                Operation::GetPushConfig(request)
            }
            Resource::ExtendedCard => {
                let mut request = GetExtendedAgentCardRequest::default();
                request.tenant = tenant;
                Operation::GetExtendedCard(request)
            }
        })
    }

    fn message(&self) -> Result<SendMessageRequest, Problem> {
        let mut request: SendMessageRequest = self.json()?;
        request.tenant = self.tenant_of(request.tenant)?;
        if self.route.legacy {
            v03::decode_nested_base64(&mut request);
        }
        Ok(request)
    }

    fn list(&self) -> Result<ListTasksRequest, Problem> {
        let mut request = ListTasksRequest::default();
        request.tenant.clone_from(&self.route.tenant);
        request.context_id = self.text("contextId").unwrap_or_default();
        request.status = self.text("status").map(|name| TaskState::from_name(&name)).unwrap_or_default();
        request.page_size = self.number("pageSize")?;
        request.page_token = self.text("pageToken").unwrap_or_default();
        request.history_length = self.number("historyLength")?;
        request.status_timestamp_after = self.text("statusTimestampAfter").map(Timestamp::from_text);
        request.include_artifacts = match self.text("includeArtifacts").as_deref() {
            None => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) => return Err(invalid("includeArtifacts", "must be true or false").into()),
        };
        Ok(request)
    }

    fn json<T>(&self) -> Result<T, Problem>
    where
        T: DeserializeOwned,
        v03::Rest<T>: DeserializeOwned,
    {
        let read = if self.route.legacy {
            a2a_types::from_slice(self.body).map(|v03::Rest(value)| value)
        } else {
            a2a_types::from_slice(self.body)
        };
        read.map_err(|error| request::unreadable(&error, ErrorCode::InvalidParams).into())
    }

    fn json_or_default<T>(&self) -> Result<T, Problem>
    where
        T: DeserializeOwned + Default,
        v03::Rest<T>: DeserializeOwned,
    {
        if self.body.is_empty() { Ok(T::default()) } else { self.json() }
    }

    /// The tenant of a request: that of the path, which the body may repeat but not contradict.
    fn tenant_of(&self, in_body: String) -> Result<String, Problem> {
        match self.route.tenant.as_str() {
            "" => Ok(in_body),
            in_path if in_body.is_empty() || in_body == in_path => Ok(in_path.to_owned()),
            _ => Err(invalid("tenant", "differs from the one in the path").into()),
        }
    }

    /// A member of the query, by its name or the same in snake_case; an empty one is none.
    fn text(&self, name: &str) -> Option<String> {
        let same = |given: &str| given == name || given.replace('_', "").eq_ignore_ascii_case(name);
        query_pairs(self.query)
            .find(|(given, value)| same(given) && !value.is_empty())
            .map(|(_, value)| value)
    }

    fn number(&self, name: &str) -> Result<Option<i32>, Problem> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| invalid(name, "must be a number").into())
    }
}
