//! The protocol over HTTP, as a service for hyper, tower and whatever builds on them.

mod body;
mod card;
mod cors;
mod events;
mod intake;
mod jsonrpc;
mod operation;
mod options;
mod request;
mod rest;
mod route;

use std::{
    convert::Infallible,
    fmt,
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
};

use a2a_types::{ErrorCode, RpcError};
use futures::{FutureExt as _, future::BoxFuture};
use http::{HeaderMap, HeaderValue, Method as Verb, Request, Response, StatusCode, header, request::Parts};
use http_body::Body;

use self::{card::ServedCard, intake::Intake, operation::Dialect, rest::Problem, route::Route};
use crate::{
    auth::{AuthError, Authenticator, Caller},
    engine::{Call, Engine},
    errors::broke_down,
    executor::BoxError,
};

pub use body::ResponseBody;
pub use cors::Cors;
pub use options::HttpOptions;

/// Serves one agent: JSON-RPC, HTTP+JSON and the card.
///
/// It is a [`tower_service::Service`] and a [`hyper::service::Service`]; clones serve the same agent. Paths
/// are relative to where it is mounted, so the router in front must cut its own prefix off (as axum's
/// `nest_service` does).
///
/// # Cancel safety
///
/// Dropping a response future or body ends the subscription it served; see
/// [`AgentExecutor`](crate::AgentExecutor) for what becomes of the work.
#[derive(Clone)]
pub struct A2aService {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    options: HttpOptions,
    card: ServedCard,
    intake: Intake,
    authenticator: Option<Arc<dyn Authenticator>>,
}

impl A2aService {
    pub(crate) fn new(
        engine: Engine,
        options: HttpOptions,
        authenticator: Option<Arc<dyn Authenticator>>,
    ) -> Self {
        let card = ServedCard::new(engine.card(), options.card_max_age, options.legacy);
        let intake = Intake::new(&options);
        Self { inner: Arc::new(Inner { engine, options, card, intake, authenticator }) }
    }

    /// The engine behind it.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// The options.
    pub fn options(&self) -> &HttpOptions {
        &self.inner.options
    }

    /// Answers a request. Whatever is wrong with it becomes a response.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<ResponseBody>
    where
        B: Body<Error: Into<BoxError>>,
    {
        let (parts, body) = request.into_parts();
        let inner = &self.inner;
        let Some(cors) = &inner.options.cors else { return inner.respond(parts, body).await };
        let origin = parts.headers.get(header::ORIGIN).cloned();
        let mut response = match cors::is_preflight(&parts) {
            true => cors.preflight(),
            false => inner.respond(parts, body).await,
        };
        cors.allow(origin.as_ref(), response.headers_mut());
        response
    }
}

impl Inner {
    /// Answers, whatever breaks: an authenticator or a store may panic.
    async fn respond<B>(&self, parts: Parts, body: B) -> Response<ResponseBody>
    where
        B: Body<Error: Into<BoxError>>,
    {
        AssertUnwindSafe(self.answer(parts, body)).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!("the answer to a request panicked");
            Problem::from(broke_down()).respond(Dialect::V1)
        })
    }

    async fn answer<B>(&self, parts: Parts, body: B) -> Response<ResponseBody>
    where
        B: Body<Error: Into<BoxError>>,
    {
        let path = parts.uri.path();
        if self.card.is_at(path) {
            return self.serve_card(&parts).await;
        }
        if self.options.is_rpc_path(path) {
            if parts.method != Verb::POST {
                return wrong_verb(&[Verb::POST]);
            }
            let caller = match self.authenticate(&parts).await {
                Ok(caller) => caller,
                Err(response) => return response,
            };
            let body = self.intake.read(body).await;
            return jsonrpc::handle(self, parts, body, caller).await;
        }
        let route = path.strip_prefix(self.options.rest_prefix.trim_end_matches('/'));
        let Some(route) = route.and_then(|rest| Route::parse(rest, self.options.legacy)) else {
            let error = RpcError::new(ErrorCode::MethodNotFound, "there is nothing at this path");
            return Problem::new(StatusCode::NOT_FOUND, error).respond(Dialect::V1);
        };
        if !route.resource.verbs().contains(&parts.method) {
            return wrong_verb(route.resource.verbs());
        }
        let caller = match self.authenticate(&parts).await {
            Ok(caller) => caller,
            Err(response) => return response,
        };
        let body = self.intake.read(body).await;
        rest::handle(self, route, parts, body, caller).await
    }

    async fn serve_card(&self, parts: &Parts) -> Response<ResponseBody> {
        if !matches!(parts.method, Verb::GET | Verb::HEAD) {
            return wrong_verb(&[Verb::GET, Verb::HEAD]);
        }
        if self.options.protect_card
            && let Err(response) = self.authenticate(parts).await
        {
            return response;
        }
        self.card.respond(parts)
    }

    async fn authenticate(&self, parts: &Parts) -> Result<Caller, Response<ResponseBody>> {
        let Some(authenticator) = &self.authenticator else { return Ok(Caller::anonymous()) };
        authenticator.authenticate(parts).await.map_err(|error| refusal(&error))
    }

    /// What the engine is told of a request, and the extensions that are active in it.
    fn call(&self, parts: &Parts, caller: Caller, dialect: Dialect) -> (Call, Active) {
        let mut call = Call::new(caller);
        call.legacy = dialect != Dialect::V1;
        call.extensions = request::extensions(&parts.headers);
        call.headers = parts.headers.clone();
        let active = Active(self.engine.active_extensions(&call));
        (call, active)
    }
}

/// The extensions that are active in a request.
struct Active(Vec<String>);

impl Active {
    /// Tells the client.
    fn echo(&self, headers: &mut HeaderMap) {
        if let (false, Ok(value)) = (self.0.is_empty(), HeaderValue::from_str(&self.0.join(", "))) {
            headers.insert(request::EXTENSIONS, value);
        }
    }
}

fn json_response(status: StatusCode, json: String) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::whole(json));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if matches!(
        status,
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE
    ) {
        // What was not read of the body must not be taken for the next request.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn wrong_verb(allowed: &[Verb]) -> Response<ResponseBody> {
    let error = RpcError::new(ErrorCode::MethodNotFound, "this path does not know that method");
    let mut response = Problem::new(StatusCode::METHOD_NOT_ALLOWED, error).respond(Dialect::V1);
    let verbs: Vec<&str> = allowed.iter().map(Verb::as_str).collect();
    if let Ok(value) = HeaderValue::from_str(&verbs.join(", ")) {
        response.headers_mut().insert(header::ALLOW, value);
    }
    response
}

fn refusal(error: &AuthError) -> Response<ResponseBody> {
    let (status, name, challenge) = match error {
        AuthError::Unauthenticated { challenge } => {
            (StatusCode::UNAUTHORIZED, "UNAUTHENTICATED", Some(challenge.as_str()))
        }
        AuthError::Forbidden => (StatusCode::FORBIDDEN, "PERMISSION_DENIED", None),
    };
    let body = serde_json::json!({ "error": {
        "code": status.as_u16(),
        "status": name,
        "message": error.to_string(),
    }});
    let mut response = json_response(status, body.to_string());
    if let Some(value) = challenge.and_then(|challenge| HeaderValue::from_str(challenge).ok()) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

impl<B> tower_service::Service<Request<B>> for A2aService
where
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        hyper::service::Service::call(self, request)
    }
}

impl<B> hyper::service::Service<Request<B>> for A2aService
where
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.handle(request).await) })
    }
}

impl fmt::Debug for A2aService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aService")
            .field("engine", &self.inner.engine)
            .field("options", &self.inner.options)
            .field("authenticated", &self.inner.authenticator.is_some())
            .finish_non_exhaustive()
    }
}
