//! From a card to a transport.

use std::{fmt, sync::Arc};

use a2a_types::AgentCard;
use http::Uri;

use crate::{
    Authorizer, Binding, CredentialProvider, ErrorKind, HttpClient, InterfacePreferences, JsonRpcTransport,
    ProtocolVersion, RestTransport, Selected, Transport, TransportError,
    client::{
        credentials::origin,
        fallback::Fallback,
        intercept::{Intercepted, Interceptor},
        interface::{no_interface, rank_interfaces},
        v03,
    },
};

/// How to call the agent of a card. The default: the interface it prefers, no credentials, no extensions.
#[derive(Clone, Default)]
pub struct ClientOptions {
    preferences: InterfacePreferences,
    credentials: Option<Arc<dyn CredentialProvider>>,
    extensions: Vec<String>,
    tolerates_missing_extensions: bool,
    interceptors: Vec<Arc<dyn Interceptor>>,
}

impl ClientOptions {
    /// Which interface to use.
    #[must_use]
    pub fn with_preferences(mut self, preferences: InterfacePreferences) -> Self {
        self.preferences = preferences;
        self
    }

    /// Where credentials come from. They go to the interface that is used, by what the card demands.
    #[must_use]
    pub fn with_credentials(mut self, credentials: impl CredentialProvider + 'static) -> Self {
        self.credentials = Some(Arc::new(credentials));
        self
    }

    /// Extensions to activate with every call, before those of [`CallOptions`](crate::CallOptions).
    #[must_use]
    pub fn with_extensions<S: Into<String>>(mut self, uris: impl IntoIterator<Item = S>) -> Self {
        self.extensions = uris.into_iter().map(Into::into).collect();
        self
    }

    /// Whether calls are made though an extension that the card demands is not activated. Default: no; they fail
    /// with [`ErrorKind::ExtensionRequired`] before anything is sent.
    #[must_use]
    pub fn tolerating_missing_extensions(mut self, tolerated: bool) -> Self {
        self.tolerates_missing_extensions = tolerated;
        self
    }

    /// Has every call seen by this too. The first one added is the outermost: first before a call, last after.
    #[must_use]
    pub fn with_interceptor(mut self, interceptor: impl Interceptor + 'static) -> Self {
        self.interceptors.push(Arc::new(interceptor));
        self
    }

    fn transport(
        &self,
        card: &AgentCard,
        http: &HttpClient,
        selected: &Selected,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        let (http, interface) = (http.clone(), &selected.interface);
        macro_rules! authorized {
            ($transport:ty) => {{
                let transport = <$transport>::new(http, interface)?;
                match &self.credentials {
                    None => Ok(Arc::new(transport)),
                    Some(credentials) => {
                        let authorizer = Authorizer::new(Arc::clone(credentials), card);
                        Ok(Arc::new(transport.with_authorizer(authorizer)))
                    }
                }
            }};
        }
        match (&selected.binding, selected.version) {
            (Binding::JsonRpc, ProtocolVersion::V1_0) => authorized!(JsonRpcTransport),
            (Binding::JsonRpc, ProtocolVersion::V0_3) => authorized!(v03::JsonRpcTransport),
            (Binding::HttpJson, ProtocolVersion::V1_0) => authorized!(RestTransport),
            (Binding::HttpJson, ProtocolVersion::V0_3) => authorized!(v03::RestTransport),
            (Binding::Custom(name), _) => match self.preferences.custom(name) {
                Some((_, factory)) => factory(interface),
                None => {
                    let message = format!("no transport is registered for the binding {name}");
                    Err(TransportError::new(ErrorKind::NoInterface, message))
                }
            },
        }
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientOptions")
            .field("preferences", &self.preferences)
            .field("credentials", &self.credentials)
            .field("extensions", &self.extensions)
            .field("tolerates_missing_extensions", &self.tolerates_missing_extensions)
            .field("interceptors", &self.interceptors)
            .finish()
    }
}

/// Options that want nothing but an interface.
impl From<&InterfacePreferences> for ClientOptions {
    fn from(preferences: &InterfacePreferences) -> Self {
        Self::default().with_preferences(preferences.clone())
    }
}

/// The transport to the agent of a card, by the interface that [`select_interface`](crate::select_interface)
/// chooses. Nothing is sent yet.
///
/// When no connection to that interface comes about, so that nothing was sent, calls go to the next one at
/// another host or port.
///
/// # Errors
///
/// [`NoInterface`](ErrorKind::NoInterface): the card offers none that can be used, or an error of a custom
/// binding's factory.
pub fn connect(
    card: &AgentCard,
    http: &HttpClient,
    options: impl Into<ClientOptions>,
) -> Result<Arc<dyn Transport>, TransportError> {
    let options = options.into();
    let mut candidates: Vec<Arc<dyn Transport>> = Vec::new();
    let mut places = Vec::new();
    let mut refusal = None;
    for selected in rank_interfaces(card, &options.preferences) {
        let place = place(&selected.interface.url);
        if places.contains(&place) {
            continue;
        }
        match options.transport(card, http, &selected) {
            Ok(candidate) => {
                candidates.push(candidate);
                places.push(place);
            }
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    let transport: Arc<dyn Transport> = match (candidates.len(), refusal) {
        (0, Some(error)) => return Err(error),
        (0, None) => return Err(no_interface(card, &options.preferences)),
        (1, _) => candidates.swap_remove(0),
        _ => Arc::new(Fallback::new(candidates)),
    };
    let required = if options.tolerates_missing_extensions { Vec::new() } else { required_extensions(card) };
    Ok(Intercepted::wrap(transport, options.extensions, required, options.interceptors))
}

fn required_extensions(card: &AgentCard) -> Vec<String> {
    let required = card.capabilities.extensions.iter().filter(|extension| extension.required);
    required.map(|extension| extension.uri.clone()).collect()
}

/// What connecting depends on.
fn place(url: &str) -> String {
    url.trim().parse::<Uri>().map_or_else(|_| url.to_owned(), |url| origin(&url))
}
