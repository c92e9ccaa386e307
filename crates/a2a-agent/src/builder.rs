//! How an agent is put together.

use std::{fmt, sync::Arc};

use a2a_translate::{Clock, IdSource};
use a2a_transport::{ClientOptions, HttpClient, HttpConfig, InterfacePreferences, Transport};
use a2a_types::AgentCard;

use crate::{A2aAgent, A2aAgentState, AgentError, AgentOptions, system::Sources};

/// Builds an [`A2aAgent`] from a card.
#[must_use]
pub struct A2aAgentBuilder {
    card: AgentCard,
    transport: Option<Arc<dyn Transport>>,
    http: Option<HttpClient>,
    client: ClientOptions,
    state: A2aAgentState,
    options: AgentOptions,
    sources: Sources,
}

impl A2aAgentBuilder {
    pub(crate) fn new(card: AgentCard) -> Self {
        Self {
            card,
            transport: None,
            http: None,
            client: ClientOptions::default(),
            state: A2aAgentState::new(),
            options: AgentOptions::default(),
            sources: Sources::default(),
        }
    }

    /// Sends over this transport instead of one made from the card. Several agents may share one.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Makes the transport with this client, and so with its configuration and its pool of connections.
    pub fn http(mut self, client: HttpClient) -> Self {
        self.http = Some(client);
        self
    }

    /// Which interface of the card to use. The default is the first one that the client speaks.
    pub fn preferences(mut self, preferences: InterfacePreferences) -> Self {
        self.client = self.client.with_preferences(preferences);
        self
    }

    /// What the transport made from the card does: credentials, extensions, interceptors, and which interface it
    /// uses.
    pub fn client(mut self, options: ClientOptions) -> Self {
        self.client = options;
        self
    }

    /// Goes on with an earlier conversation.
    pub fn state(mut self, state: A2aAgentState) -> Self {
        self.state = state;
        self
    }

    /// How the agent behaves.
    pub fn options(mut self, options: AgentOptions) -> Self {
        self.options = options;
        self
    }

    /// Where ids come from: makes a source for every reply. The default is [`RandomIds`](crate::RandomIds).
    pub fn ids<I: IdSource + 'static>(mut self, ids: impl Fn() -> I + Send + Sync + 'static) -> Self {
        self.sources.ids = Box::new(move || Box::new(ids()));
        self
    }

    /// Where times come from: makes a clock for every reply. The default is [`LocalClock`](crate::LocalClock).
    pub fn clock<C: Clock + 'static>(mut self, clock: impl Fn() -> C + Send + Sync + 'static) -> Self {
        self.sources.clock = Box::new(move || Box::new(clock()));
        self
    }

    /// The agent. Nothing is sent.
    ///
    /// # Errors
    ///
    /// Without a transport of its own: the card has no interface that the client speaks, or the
    /// configuration cannot be used.
    pub fn build(self) -> Result<A2aAgent, AgentError> {
        let transport = match self.transport {
            Some(transport) => transport,
            None => {
                let http = match self.http {
                    Some(http) => http,
                    None => HttpClient::new(HttpConfig::default())?,
                };
                a2a_transport::connect(&self.card, &http, self.client)?
            }
        };
        Ok(A2aAgent::new(self.card, transport, self.state, self.options, self.sources))
    }
}

impl fmt::Debug for A2aAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aAgentBuilder")
            .field("card", &self.card.name)
            .field("transport", &self.transport)
            .field("client", &self.client)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
