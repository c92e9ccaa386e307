//! From the command line to an agent.

use std::sync::Arc;

use a2a_agent::{
    A2aAgent, A2aAgentState, AgentCard, AgentOptions, CardResolver, ErrorKind, HttpClient, HttpConfig,
    InterfacePreferences, RecoveryOptions, Transport, TransportError,
};
use a2a_transport::{ClientOptions, Credentials, ResolvedCard, Secret, connect, select_interface};
use a2a_types::{
    AgentInterface,
    signatures::{self, KeySet, SignatureError, Verified},
};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::args::{Binding, Connection, Reply};
use crate::failure::Failure;

/// An agent that was found, and how it is to be called.
#[derive(Debug)]
pub(super) struct Peer {
    /// The card as it was found.
    pub(super) found: ResolvedCard,
    /// What is wanted of its interfaces.
    pub(super) preferences: InterfacePreferences,
    /// Whether a trusted key has signed the card, if any keys are trusted.
    pub(super) verified: Option<Result<Verified, SignatureError>>,
    http: HttpClient,
    credentials: Credentials,
    extensions: Vec<String>,
    endpoint: Option<String>,
}

impl Peer {
    /// Fetches the card of the agent at this URL.
    ///
    /// # Errors
    ///
    /// The options make no sense, or there is no card.
    pub(super) async fn find(url: &str, options: &Connection) -> Result<Self, Failure> {
        let preferences = preferences(options)?;
        let credentials = credentials(options)?;
        let keys = trusted_keys(options)?;
        let http = HttpClient::new(config(options)?)?;
        let found = CardResolver::new(http.clone()).with_credentials(credentials.clone()).fetch(url).await?;
        let verified = keys.map(|keys| signatures::verify(&found.json, &keys));
        let (extensions, endpoint) = (options.extension.clone(), options.endpoint.clone());
        Ok(Self { found, preferences, verified, http, credentials, extensions, endpoint })
    }

    /// The card, with the address it is to be called at.
    ///
    /// # Errors
    ///
    /// Keys are trusted, and none of them has signed the card. An address is given, but the card has no interface
    /// that can be used.
    pub(super) fn card(&self) -> Result<AgentCard, Failure> {
        match &self.verified {
            None => self.at_endpoint(&self.found.card),
            Some(Ok(verified)) => self.at_endpoint(&verified.card),
            Some(Err(error)) => {
                Err(TransportError::new(ErrorKind::Card, format!("the card is not verified: {error}")).into())
            }
        }
    }

    /// A card, with the address it is to be called at.
    ///
    /// # Errors
    ///
    /// An address is given, but the card has no interface that can be used.
    pub(super) fn at_endpoint(&self, card: &AgentCard) -> Result<AgentCard, Failure> {
        let mut card = card.clone();
        if let Some(endpoint) = &self.endpoint {
            let mut interface = select_interface(&card, &self.preferences)?.interface;
            interface.url.clone_from(endpoint);
            card.supported_interfaces = vec![interface];
        }
        Ok(card)
    }

    /// The way to the agent.
    ///
    /// # Errors
    ///
    /// The card has no interface that can be used.
    pub(super) fn transport(&self) -> Result<Arc<dyn Transport>, Failure> {
        let options = ClientOptions::default()
            .with_preferences(self.preferences.clone())
            .with_credentials(self.credentials.clone())
            .with_extensions(&self.extensions);
        Ok(connect(&self.card()?, &self.http, options)?)
    }

    /// The agent.
    ///
    /// # Errors
    ///
    /// The card has no interface that can be used.
    pub(super) fn agent(&self, reply: &Reply, state: A2aAgentState) -> Result<A2aAgent, Failure> {
        let recovery = (!reply.no_recover).then(RecoveryOptions::default);
        let options = AgentOptions::default().with_recovery(recovery).with_data_parts(reply.data_parts());
        let builder = A2aAgent::builder(self.card()?).transport(self.transport()?);
        Ok(builder.options(options).state(state).build()?)
    }
}

fn preferences(options: &Connection) -> Result<InterfacePreferences, Failure> {
    let preferences = InterfacePreferences::default();
    match options.binding {
        None => Ok(preferences),
        Some(Binding::Jsonrpc) => Ok(preferences.pinned_to(AgentInterface::JSONRPC)),
        Some(Binding::HttpJson) => Ok(preferences.pinned_to(AgentInterface::HTTP_JSON)),
        Some(Binding::Grpc) => Err(Failure::usage("--binding grpc: this build does not speak gRPC")),
    }
}

fn trusted_keys(options: &Connection) -> Result<Option<KeySet>, Failure> {
    let Some(path) = &options.jwks else { return Ok(None) };
    let unusable = |what: String| Failure::usage(format!("--jwks {} {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| unusable(format!("cannot be read: {error}")))?;
    match KeySet::from_jwks(&text) {
        Ok(keys) if keys.is_empty() => {
            Err(unusable("has no key for ES256, RS256 or EdDSA with a `kid`".to_owned()))
        }
        Ok(keys) => Ok(Some(keys)),
        Err(error) => Err(unusable(format!("is not a JSON Web Key Set: {error}"))),
    }
}

/// Empty ones, as environment variables may be, count as none.
fn credentials(options: &Connection) -> Result<Credentials, Failure> {
    let mut credentials = Credentials::new();
    if let Some(token) = options.bearer.as_ref().filter(|token| !token.expose().is_empty()) {
        credentials = credentials.with_token(token.clone());
    }
    if let Some(key) = options.api_key.as_ref().map(Secret::expose).filter(|key| !key.is_empty()) {
        let (name, key) =
            key.split_once('=').ok_or_else(|| Failure::usage("--api-key is not of the form NAME=VALUE"))?;
        credentials = credentials.with_api_key(name.trim(), key);
    }
    Ok(credentials)
}

fn config(options: &Connection) -> Result<HttpConfig, Failure> {
    let mut config = HttpConfig::default().with_proxy_from_env(true).with_headers(headers(options)?);
    if let Some(path) = &options.ca_file {
        let pem = std::fs::read(path).map_err(|error| {
            Failure::usage(format!("--ca-file {} cannot be read: {error}", path.display()))
        })?;
        config = config.with_extra_roots_pem(pem);
    }
    if let Some(silence) = options.idle_timeout {
        config = config
            .with_head_timeout(silence)
            .with_body_idle_timeout(silence)
            .with_stream_idle_timeout(Some(silence));
    }
    Ok(config)
}

fn headers(options: &Connection) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for line in options.header.iter().map(Secret::expose) {
        let (name, value) =
            line.split_once(':').ok_or_else(|| Failure::usage("--header is not of the form 'K: V'"))?;
        let name: HeaderName = name
            .trim()
            .parse()
            .map_err(|_| Failure::usage(format!("--header: {:?} is not a name of a header", name.trim())))?;
        let mut value = HeaderValue::from_str(value.trim())
            .map_err(|_| Failure::usage(format!("--header: the value of {name} cannot be sent")))?;
        value.set_sensitive(true);
        headers.append(name, value);
    }
    Ok(headers)
}
