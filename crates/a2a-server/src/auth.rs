//! Who calls, and how that is found out.

use std::{collections::BTreeMap, fmt};

use a2a_types::Metadata;
use futures::future::{BoxFuture, ready};
use http::{HeaderName, header, request::Parts};

/// Who a request comes from. Tasks belong to the caller that created them; nobody else can see them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Caller {
    /// Stable id; empty for anonymous callers, who share their tasks.
    pub id: String,
    /// What else is known of the caller: roles, scopes, claims.
    pub claims: Metadata,
}

impl Caller {
    /// A caller with this id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), claims: Metadata::new() }
    }

    /// A caller nobody knows.
    pub fn anonymous() -> Self {
        Self::default()
    }
}

/// Finds out who calls, before anything else of a request is looked at.
pub trait Authenticator: Send + Sync + 'static {
    /// The caller of a request.
    ///
    /// # Errors
    ///
    /// [`AuthError`]: the request is refused.
    fn authenticate<'a>(&'a self, request: &'a Parts) -> BoxFuture<'a, Result<Caller, AuthError>>;
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// No credentials, or wrong ones (401).
    #[error("authentication is required")]
    Unauthenticated {
        /// `WWW-Authenticate`: how to authenticate.
        challenge: String,
    },
    /// The caller may not do this (403).
    #[error("permission denied")]
    Forbidden,
}

/// Bearer tokens of known callers.
#[derive(Clone)]
pub struct BearerTokens {
    callers: Secrets,
}

impl BearerTokens {
    /// Callers by their token.
    pub fn new(callers: impl IntoIterator<Item = (impl Into<String>, Caller)>) -> Self {
        Self { callers: Secrets::new(callers) }
    }
}

impl Authenticator for BearerTokens {
    fn authenticate<'a>(&'a self, request: &'a Parts) -> BoxFuture<'a, Result<Caller, AuthError>> {
        let value = request.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = value
            .and_then(|value| value.split_once(' '))
            .and_then(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer").then_some(token.trim()));
        let found = token.and_then(|token| self.callers.find(token));
        Box::pin(ready(found.ok_or_else(|| AuthError::Unauthenticated { challenge: "Bearer".to_owned() })))
    }
}

impl fmt::Debug for BearerTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BearerTokens").finish_non_exhaustive()
    }
}

/// API keys of known callers, in a header.
#[derive(Clone)]
pub struct ApiKeys {
    header: HeaderName,
    callers: Secrets,
}

impl ApiKeys {
    /// Callers by their key, which they send in this header.
    pub fn new(header: HeaderName, callers: impl IntoIterator<Item = (impl Into<String>, Caller)>) -> Self {
        Self { header, callers: Secrets::new(callers) }
    }
}

impl Authenticator for ApiKeys {
    fn authenticate<'a>(&'a self, request: &'a Parts) -> BoxFuture<'a, Result<Caller, AuthError>> {
        let key = request.headers.get(&self.header).and_then(|value| value.to_str().ok());
        let found = key.and_then(|key| self.callers.find(key));
        let challenge = || format!("ApiKey header=\"{}\"", self.header);
        Box::pin(ready(found.ok_or_else(|| AuthError::Unauthenticated { challenge: challenge() })))
    }
}

impl fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKeys").field("header", &self.header).finish_non_exhaustive()
    }
}

/// Callers by their secret.
#[derive(Clone)]
struct Secrets(BTreeMap<String, Caller>);

impl Secrets {
    fn new(callers: impl IntoIterator<Item = (impl Into<String>, Caller)>) -> Self {
        Self(callers.into_iter().map(|(secret, caller)| (secret.into(), caller)).collect())
    }

    /// The caller with this secret. Takes as long for a secret that is nearly right as for any other of its
    /// length.
    fn find(&self, given: &str) -> Option<Caller> {
        let mut found = None;
        for (secret, caller) in &self.0 {
            let same_length = secret.len() == given.len();
            let difference = secret.bytes().zip(given.bytes()).fold(0, |sum, (one, two)| sum | (one ^ two));
            if std::hint::black_box(difference) == 0 && same_length {
                found = Some(caller.clone());
            }
        }
        found
    }
}
