//! Sends push notifications (§4.3, §13.2), and only where it may.

mod client;
mod guard;

use std::{fmt, time::Duration};

use a2a_types::TaskPushNotificationConfig;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Uri, header};
use http_body_util::Full;
use tokio::{
    sync::Semaphore,
    time::{sleep, timeout},
};

use client::Client;
use guard::Guard;

/// Options of push notifications.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WebhookOptions {
    /// Whether webhooks on this machine are allowed, also over plain HTTP. **Only for development**: callers
    /// could reach services that listen on loopback because they trust everybody there. Default no.
    pub allow_loopback: bool,
    /// Whether webhooks in private networks are allowed. Default no.
    pub allow_private: bool,
    /// Whether webhooks over plain HTTP are allowed anywhere. Default no.
    pub allow_http: bool,
    /// Longest time for one attempt, from resolving the name to the head of the response. Default 10 s.
    pub timeout: Duration,
    /// Attempts per notification, at least one. Default 4.
    pub attempts: u32,
    /// Pause after the first failed attempt; it doubles each time. Default 1 s.
    pub backoff: Duration,
    /// Notifications being sent at the same time, over all tasks. Default 128.
    pub max_concurrent: usize,
    /// Certificates (DER) of further authorities to trust, besides the well-known ones.
    pub extra_roots: Vec<Vec<u8>>,
}

impl Default for WebhookOptions {
    fn default() -> Self {
        Self {
            allow_loopback: false,
            allow_private: false,
            allow_http: false,
            timeout: Duration::from_secs(10),
            attempts: 4,
            backoff: Duration::from_secs(1),
            max_concurrent: 128,
            extra_roots: Vec::new(),
        }
    }
}

/// Why a notification was not delivered, or cannot be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WebhookError {
    #[error("{0}")]
    NotAllowed(&'static str),
    #[error("the credentials or the token cannot be sent in a header")]
    InvalidHeader,
    #[error("the name cannot be resolved")]
    Resolve(#[source] std::io::Error),
    #[error("the webhook cannot be reached")]
    Connect(#[source] std::io::Error),
    #[error("the webhook did not answer properly")]
    Http(#[source] hyper::Error),
    #[error("the webhook took too long")]
    TimedOut,
    #[error("the webhook answered {0}")]
    Status(u16),
}

impl WebhookError {
    fn is_worth_another_attempt(&self) -> bool {
        match self {
            Self::NotAllowed(_) | Self::InvalidHeader => false,
            Self::Resolve(_) | Self::Connect(_) | Self::Http(_) | Self::TimedOut => true,
            Self::Status(status) => matches!(status, 408 | 425 | 429 | 500..),
        }
    }
}

pub(crate) struct Webhooks {
    options: WebhookOptions,
    guard: Guard,
    client: Client,
    slots: Semaphore,
}

impl Webhooks {
    pub(crate) fn new(options: WebhookOptions) -> Self {
        let guard = Guard::new(&options);
        let client = Client::new(&options);
        let slots = Semaphore::new(options.max_concurrent.max(1));
        Self { options, guard, client, slots }
    }

    /// Checks what can be checked of a configuration without looking anything up.
    pub(crate) fn check(&self, config: &TaskPushNotificationConfig) -> Result<(), WebhookError> {
        let secrets =
            config.authentication.as_ref().map_or(0, |one| one.scheme.len() + one.credentials.len());
        if config.id.len() + config.url.len() + config.token.len() + secrets > MAX_CONFIG_BYTES {
            return Err(WebhookError::NotAllowed("it and what comes with it are too long"));
        }
        let uri = parse(&config.url)?;
        self.guard.check_uri(&uri)?;
        if uri.scheme_str() == Some("https") && !Client::SPEAKS_TLS {
            return Err(WebhookError::NotAllowed("this server cannot send to https URLs"));
        }
        request(config, &uri, Bytes::new()).map(drop)
    }

    /// Sends a notification, with further attempts if that may help.
    pub(crate) async fn send(
        &self,
        config: &TaskPushNotificationConfig,
        body: String,
    ) -> Result<(), WebhookError> {
        let body = Bytes::from(body);
        let mut pause = self.options.backoff;
        let mut attempt = 1;
        loop {
            let error = match self.attempt(config, body.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            if attempt >= self.options.attempts || !error.is_worth_another_attempt() {
                return Err(error);
            }
            tracing::debug!(%error, attempt, "a push notification is sent again");
            sleep(pause).await;
            pause = pause.saturating_mul(2);
            attempt += 1;
        }
    }

    async fn attempt(&self, config: &TaskPushNotificationConfig, body: Bytes) -> Result<(), WebhookError> {
        let uri = parse(&config.url)?;
        let request = request(config, &uri, body)?;
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await;
        let exchange = async {
            let addresses = self.guard.resolve(&uri).await?;
            self.client.send(&uri, &addresses, request).await
        };
        match timeout(self.options.timeout, exchange).await {
            Err(_) => Err(WebhookError::TimedOut),
            Ok(Err(error)) => Err(error),
            Ok(Ok(status)) if status.is_success() => Ok(()),
            // Redirects are not followed either: where they lead was not checked.
            Ok(Ok(status)) => Err(WebhookError::Status(status.as_u16())),
        }
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("options", &self.options).finish_non_exhaustive()
    }
}

fn parse(url: &str) -> Result<Uri, WebhookError> {
    url.parse().map_err(|_| WebhookError::NotAllowed("it is not a URL"))
}

/// The request of a notification; the body has a length, since not every receiver reads chunks.
fn request(
    config: &TaskPushNotificationConfig,
    uri: &Uri,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, WebhookError> {
    let host = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut builder = Request::post(path)
        .header(header::HOST, host)
        .header(header::CONTENT_TYPE, "application/a2a+json")
        .header(header::CONTENT_LENGTH, body.len());
    if let Some(authentication) = &config.authentication {
        let value = format!("{} {}", authentication.scheme, authentication.credentials);
        builder = builder.header(header::AUTHORIZATION, secret(value.trim_end())?);
    }
    if !config.token.is_empty() {
        builder = builder.header(TOKEN, secret(&config.token)?);
    }
    builder.body(Full::new(body)).map_err(|_| WebhookError::NotAllowed("it is not a URL"))
}

fn secret(text: &str) -> Result<HeaderValue, WebhookError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| WebhookError::InvalidHeader)?;
    value.set_sensitive(true);
    Ok(value)
}

/// No receiver takes longer headers.
const MAX_CONFIG_BYTES: usize = 16 << 10;
const TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");
