//! Puts an agent together and serves it.

use std::{fmt, future::pending, io, sync::Arc};

use a2a_types::AgentCard;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Duration, sleep, timeout},
};

use crate::{
    auth::Authenticator,
    connection::Impatient,
    engine::{Engine, EngineParts, Limits, Recovery},
    executor::AgentExecutor,
    service::{A2aService, HttpOptions},
    store::{MemoryStore, TaskStore},
    webhook::WebhookOptions,
};

/// An agent to be served: its card, its executor, and options.
///
/// ```no_run
/// # use a2a_server::{AgentExecutor, Server};
/// # use a2a_types::{AgentCard, AgentInterface};
/// # async fn example(agent: impl AgentExecutor) -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// let url = format!("http://{}", listener.local_addr()?);
/// let mut card = AgentCard::new("Parrot", vec![AgentInterface::new(url, AgentInterface::JSONRPC, "1.0")]);
/// card.capabilities.streaming = Some(true);
/// Server::new(card, agent).serve(listener).await
/// # }
/// ```
pub struct Server {
    card: AgentCard,
    executor: Arc<dyn AgentExecutor>,
    store: Option<Arc<dyn TaskStore>>,
    authenticator: Option<Arc<dyn Authenticator>>,
    extended_card: Option<AgentCard>,
    limits: Limits,
    webhooks: WebhookOptions,
    recovery: Recovery,
    options: HttpOptions,
}

impl Server {
    /// A server with default options and a [`MemoryStore`].
    pub fn new(card: AgentCard, executor: impl AgentExecutor) -> Self {
        Self {
            card,
            executor: Arc::new(executor),
            store: None,
            authenticator: None,
            extended_card: None,
            limits: Limits::default(),
            webhooks: WebhookOptions::default(),
            recovery: Recovery::default(),
            options: HttpOptions::default(),
        }
    }

    /// Keeps tasks in this store.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn TaskStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Finds out who calls; without, all callers are anonymous and share their tasks.
    #[must_use]
    pub fn with_authenticator(mut self, authenticator: impl Authenticator) -> Self {
        self.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Gives this card to callers that ask for the extended one; the public card must declare it.
    #[must_use]
    pub fn with_extended_card(mut self, card: AgentCard) -> Self {
        self.extended_card = Some(card);
        self
    }

    /// Options of push notifications.
    #[must_use]
    pub fn with_webhooks(mut self, options: WebhookOptions) -> Self {
        self.webhooks = options;
        self
    }

    /// Limits what callers may use.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What becomes of tasks that were being worked on when the server was stopped.
    #[must_use]
    pub fn with_recovery(mut self, recovery: Recovery) -> Self {
        self.recovery = recovery;
        self
    }

    /// Options of the HTTP side.
    #[must_use]
    pub fn with_http(mut self, options: HttpOptions) -> Self {
        self.options = options;
        self
    }

    /// The agent as a service, to be mounted in a router. Tasks of an earlier process are left as they are
    /// until [`Engine::recover`] is called.
    pub fn into_service(self) -> A2aService {
        let store = self.store.unwrap_or_else(|| Arc::new(MemoryStore::new()));
        let engine = Engine::new(EngineParts {
            card: self.card,
            extended_card: self.extended_card,
            executor: self.executor,
            store,
            limits: self.limits,
            webhooks: self.webhooks,
        });
        A2aService::new(engine, self.options, self.authenticator)
    }

    /// Recovers the tasks of an earlier process, then serves the agent until the listener fails.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or the listener cannot accept connections any more.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        self.serve_until(listener, pending()).await
    }

    /// Serves the agent until the future is ready. Then no connection is accepted any more, open responses
    /// may go on for [`HttpOptions::shutdown_grace`], and streams that wait for something that nobody works
    /// on are ended at once.
    ///
    /// # Errors
    ///
    /// As [`serve`](Self::serve).
    pub async fn serve_until(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        let recovery = self.recovery;
        let service = self.into_service();
        service.engine().recover(recovery).await.map_err(io::Error::other)?;
        serve(listener, service, stop).await
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("agent", &self.card.name)
            .field("limits", &self.limits)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Serves a service; see [`Server::serve_until`].
///
/// # Errors
///
/// The listener cannot accept connections any more.
pub async fn serve(
    listener: TcpListener,
    service: A2aService,
    stop: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let options = service.options().clone();
    let graceful = GracefulShutdown::new();
    let connections = Arc::new(Semaphore::new(options.max_connections));
    let mut stop = std::pin::pin!(stop);
    let result = loop {
        let accepted = async {
            let permit = Arc::clone(&connections).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = match futures::future::select(stop.as_mut(), std::pin::pin!(accepted)).await
        {
            futures::future::Either::Left(((), _)) => break Ok(()),
            futures::future::Either::Right((accepted, _)) => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) if is_out_of_files(&error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(PAUSE).await;
                continue;
            }
            Err(error) => break Err(error),
        };
        let connection = connection(stream, service.clone(), &options);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended");
            }
            drop(permit);
        });
    };
    drop(listener);
    service.engine().close();
    if timeout(options.shutdown_grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("responses were still open when the time to end them was over");
    }
    result
}

fn connection(
    stream: TcpStream,
    service: A2aService,
    options: &HttpOptions,
) -> http1::Connection<TokioIo<Impatient>, A2aService> {
    // Events must not wait for each other.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.header_timeout)
        .serve_connection(TokioIo::new(Impatient::new(stream, options.write_timeout)), service)
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// EMFILE and ENFILE, which pass when connections end.
fn is_out_of_files(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(23 | 24))
}

const PAUSE: Duration = Duration::from_millis(100);
