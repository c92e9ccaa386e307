//! Which interface of a card to use (§8.3.2).

use std::{fmt, sync::Arc};

use a2a_types::{AgentCard, AgentInterface};
use http::Uri;

use crate::{ErrorKind, ProtocolVersion, Transport, TransportError, client::http::has_usable_port};

/// A way to carry calls that this client speaks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binding {
    /// JSON-RPC over HTTP.
    JsonRpc,
    /// HTTP with JSON bodies.
    HttpJson,
    /// One that the caller registered under this name.
    Custom(String),
}

impl Binding {
    /// The name, as cards have it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::JsonRpc => AgentInterface::JSONRPC,
            Self::HttpJson => AgentInterface::HTTP_JSON,
            Self::Custom(name) => name,
        }
    }
}

/// An interface that this client can use, and how.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Selected {
    /// The interface, as the card has it.
    pub interface: AgentInterface,
    /// Its binding.
    pub binding: Binding,
    /// The version to speak.
    pub version: ProtocolVersion,
}

/// Makes the transport to an interface of a custom binding.
pub type TransportFactory =
    Arc<dyn Fn(&AgentInterface) -> Result<Arc<dyn Transport>, TransportError> + Send + Sync>;

/// What a caller wants of an interface. The default wants the first one that the client speaks.
#[derive(Clone, Default)]
pub struct InterfacePreferences {
    ranking: Vec<String>,
    ranked_only: bool,
    without_v0_3: bool,
    custom: Vec<(String, TransportFactory)>,
}

impl InterfacePreferences {
    /// Prefers bindings in this order over the order of the card, which holds for all others. Names as in
    /// cards (`JSONRPC`, `HTTP+JSON`), compared without case.
    #[must_use]
    pub fn with_ranking<S: Into<String>>(mut self, bindings: impl IntoIterator<Item = S>) -> Self {
        self.ranking = bindings.into_iter().map(Into::into).collect();
        self.ranked_only = false;
        self
    }

    /// Uses this binding and no other.
    #[must_use]
    pub fn pinned_to(mut self, binding: impl Into<String>) -> Self {
        self.ranking = vec![binding.into()];
        self.ranked_only = true;
        self
    }

    /// Never falls back to version 0.3.
    #[must_use]
    pub fn without_v0_3(mut self) -> Self {
        self.without_v0_3 = true;
        self
    }

    /// Speaks version 1.0 over one more binding, or over a known one in another way.
    #[must_use]
    pub fn with_custom_binding(mut self, name: impl Into<String>, factory: TransportFactory) -> Self {
        self.custom.push((name.into(), factory));
        self
    }

    /// The custom binding of this name.
    pub(crate) fn custom(&self, name: &str) -> Option<&(String, TransportFactory)> {
        self.custom.iter().find(|(custom, _)| custom.eq_ignore_ascii_case(name))
    }

    fn understand(&self, interface: &AgentInterface) -> Option<Selected> {
        let name = interface.protocol_binding.trim();
        let version = ProtocolVersion::of(&interface.protocol_version)?;
        let (binding, speaks_v0_3, is_http) = if let Some((custom, _)) = self.custom(name) {
            (Binding::Custom(custom.clone()), false, false)
        } else if name.eq_ignore_ascii_case(AgentInterface::JSONRPC) {
            (Binding::JsonRpc, true, true)
        } else if name.eq_ignore_ascii_case(AgentInterface::HTTP_JSON) {
            (Binding::HttpJson, true, true)
        } else {
            return None;
        };
        let spoken = version != ProtocolVersion::V0_3 || (speaks_v0_3 && !self.without_v0_3);
        let usable = if is_http { is_http_url(&interface.url) } else { !interface.url.trim().is_empty() };
        (spoken && usable).then(|| Selected { interface: interface.clone(), binding, version })
    }

    /// The place of a binding in the caller's order; `None` if it is not wanted.
    fn place(&self, binding: &Binding) -> Option<usize> {
        let place = self.ranking.iter().position(|name| name.eq_ignore_ascii_case(binding.as_str()));
        if self.ranked_only { place } else { Some(place.unwrap_or(self.ranking.len())) }
    }
}

impl fmt::Debug for InterfacePreferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InterfacePreferences")
            .field("ranking", &self.ranking)
            .field("ranked_only", &self.ranked_only)
            .field("without_v0_3", &self.without_v0_3)
            .field("custom", &self.custom.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .finish()
    }
}

/// The interface to use: the binding of the first entry, in the card's order, that the client speaks in some
/// version; of that binding the highest version it speaks; among equals the first.
///
/// Bindings and versions that the client does not know are passed over.
///
/// # Errors
///
/// [`ErrorKind::NoInterface`]: the message lists what the card offers and what the client speaks.
pub fn select_interface(
    card: &AgentCard,
    preferences: &InterfacePreferences,
) -> Result<Selected, TransportError> {
    rank_interfaces(card, preferences).into_iter().next().ok_or_else(|| no_interface(card, preferences))
}

/// All interfaces that can be used, the one to use first.
pub(crate) fn rank_interfaces(card: &AgentCard, preferences: &InterfacePreferences) -> Vec<Selected> {
    let mut usable: Vec<Selected> =
        card.supported_interfaces.iter().filter_map(|interface| preferences.understand(interface)).collect();
    usable.retain(|selected| preferences.place(&selected.binding).is_some());
    let mut bindings: Vec<Binding> = Vec::new();
    for selected in &usable {
        if !bindings.contains(&selected.binding) {
            bindings.push(selected.binding.clone());
        }
    }
    let in_card = |binding: &Binding| bindings.iter().position(|other| other == binding);
    // Stable: equals stay in the card's order. A version that is not stated counts least.
    usable.sort_by_key(|selected| {
        let stated = !selected.interface.protocol_version.trim().is_empty();
        (
            preferences.place(&selected.binding),
            in_card(&selected.binding),
            std::cmp::Reverse((stated, selected.version)),
        )
    });
    usable
}

pub(crate) fn no_interface(card: &AgentCard, preferences: &InterfacePreferences) -> TransportError {
    let offered = card.supported_interfaces.iter().take(MAX_NAMED);
    let mut offered: Vec<String> = offered
        .map(|interface| format!("{} {}", interface.protocol_binding, interface.protocol_version))
        .collect();
    if let Some(others @ 1..) = card.supported_interfaces.len().checked_sub(MAX_NAMED) {
        offered.push(format!("and {others} more"));
    }
    let offered = if offered.is_empty() { "nothing".to_owned() } else { offered.join(", ") };
    let mut spoken: Vec<&str> = vec![AgentInterface::JSONRPC, AgentInterface::HTTP_JSON];
    spoken.extend(preferences.custom.iter().map(|(name, _)| name.as_str()));
    if preferences.ranked_only {
        spoken.retain(|name| preferences.ranking.iter().any(|ranked| ranked.eq_ignore_ascii_case(name)));
    }
    let spoken = if spoken.is_empty() { "none that is asked for".to_owned() } else { spoken.join(", ") };
    let versions = if preferences.without_v0_3 { "version 1.0" } else { "versions 1.0 and 0.3" };
    TransportError::new(
        ErrorKind::NoInterface,
        format!(
            "no interface in `supportedInterfaces` can be used: the card offers {offered}; \
             the client speaks {spoken} in {versions}"
        ),
    )
}

/// Most interfaces that an error names.
const MAX_NAMED: usize = 20;

/// Whether this is an absolute URL that HTTP can be spoken to.
fn is_http_url(url: &str) -> bool {
    url.trim().parse::<Uri>().is_ok_and(|url| {
        matches!(url.scheme_str(), Some("http" | "https"))
            && url
                .authority()
                .is_some_and(|authority| !authority.host().is_empty() && has_usable_port(authority))
    })
}
