//! Credentials: what a card demands, matched with what a caller has (§7.3).

use std::{collections::BTreeMap, fmt, sync::Arc};

use a2a_types::{
    AgentCard, ApiKeySecurityScheme, HttpAuthSecurityScheme, SecurityRequirement, SecurityScheme,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use futures::future::{BoxFuture, ready};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use crate::{
    ErrorKind, TransportError,
    client::{parameters::is_of_client, route::percent_encode},
};

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text. Whoever takes it sees to it that it stays secret.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What proves who the caller is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// A token, for bearer, OAuth 2.0 and OpenID Connect, and for other schemes of HTTP.
    Token(Secret),
    /// User and password, for HTTP Basic.
    Basic {
        /// User name.
        user: String,
        /// Password.
        password: Secret,
    },
    /// An API key.
    ApiKey(Secret),
}

/// What a [`CredentialProvider`] is asked for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CredentialRequest<'a> {
    /// Name of the scheme in the card.
    pub scheme_name: &'a str,
    /// The scheme.
    pub scheme: &'a SecurityScheme,
    /// Scopes that the card demands.
    pub scopes: &'a [String],
    /// Where the credential will be sent: scheme, host and port.
    pub origin: &'a str,
    /// The peer answered 401 to the credential given last, with this challenge, empty if there was none: give
    /// another one, if there is.
    pub refused: Option<&'a str>,
}

/// Has the credentials of a caller, for the schemes of a card.
///
/// Asked before every request, so it should remember what is costly to get.
pub trait CredentialProvider: fmt::Debug + Send + Sync {
    /// The credential for a scheme; `None` if there is none.
    ///
    /// # Errors
    ///
    /// There should be one, but it cannot be got; the call fails with the error.
    fn credential<'a>(
        &'a self,
        request: CredentialRequest<'a>,
    ) -> BoxFuture<'a, Result<Option<Credential>, TransportError>>;

    /// Credentials, with how to send them, where no card demands any: with card fetches, and with calls of
    /// agents whose card does not say or demands what this provider does not have. `origin` is where they will be
    /// sent: scheme, host and port. By default none.
    fn undeclared(&self, _origin: &str) -> Vec<(SecurityScheme, Credential)> {
        Vec::new()
    }
}

/// Credentials that do not change.
///
/// They are sent as the card demands. Where it demands nothing, or nothing that is here, they are sent all the
/// same: a token as `Authorization: Bearer`, user and password as `Authorization: Basic`, an API key as the
/// header of its name.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    token: Option<Secret>,
    basic: Option<(String, Secret)>,
    api_keys: Vec<(String, Secret)>,
    origins: Option<Vec<String>>,
}

impl Credentials {
    /// No credentials.
    pub fn new() -> Self {
        Self::default()
    }

    /// A bearer token, an OAuth 2.0 access token or an OpenID Connect token.
    #[must_use]
    pub fn with_token(mut self, token: impl Into<Secret>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// User and password for HTTP Basic.
    #[must_use]
    pub fn with_basic(mut self, user: impl Into<String>, password: impl Into<Secret>) -> Self {
        self.basic = Some((user.into(), password.into()));
        self
    }

    /// An API key, by the name of its header, query parameter or cookie.
    #[must_use]
    pub fn with_api_key(mut self, name: impl Into<String>, key: impl Into<Secret>) -> Self {
        self.api_keys.push((name.into(), key.into()));
        self
    }

    /// Sends the credentials to these origins only (`https://agent.example`, with the port if it is not the
    /// default one). By default they go to the card's own origin and wherever the card says the agent is.
    #[must_use]
    pub fn only_for<S: AsRef<str>>(mut self, origins: impl IntoIterator<Item = S>) -> Self {
        let origins = origins.into_iter();
        self.origins =
            Some(origins.map(|origin| origin.as_ref().trim_end_matches('/').to_ascii_lowercase()).collect());
        self
    }

    fn may_go_to(&self, origin: &str) -> bool {
        self.origins.as_ref().is_none_or(|origins| origins.iter().any(|allowed| allowed == origin))
    }

    fn for_scheme(&self, scheme: &SecurityScheme) -> Option<Credential> {
        let token = || self.token.clone().map(Credential::Token);
        match scheme {
            SecurityScheme::ApiKey(scheme) => {
                let is_it = |(name, _): &&(String, Secret)| name.eq_ignore_ascii_case(&scheme.name);
                self.api_keys.iter().find(is_it).map(|(_, key)| Credential::ApiKey(key.clone()))
            }
            SecurityScheme::HttpAuth(scheme) if scheme.scheme.eq_ignore_ascii_case("basic") => {
                let (user, password) = self.basic.clone()?;
                Some(Credential::Basic { user, password })
            }
            SecurityScheme::HttpAuth(_) | SecurityScheme::OAuth2(_) | SecurityScheme::OpenIdConnect(_) => {
                token()
            }
            // Others are not shown in a request.
            _ => None,
        }
    }
}

impl CredentialProvider for Credentials {
    fn credential<'a>(
        &'a self,
        request: CredentialRequest<'a>,
    ) -> BoxFuture<'a, Result<Option<Credential>, TransportError>> {
        let found = if self.may_go_to(request.origin) { self.for_scheme(request.scheme) } else { None };
        Box::pin(ready(Ok(found)))
    }

    fn undeclared(&self, origin: &str) -> Vec<(SecurityScheme, Credential)> {
        if !self.may_go_to(origin) {
            return Vec::new();
        }
        let http = |name: &str| {
            let mut scheme = HttpAuthSecurityScheme::default();
            scheme.scheme = name.to_owned();
            SecurityScheme::HttpAuth(scheme)
        };
        let header = |name: &str| {
            let mut scheme = ApiKeySecurityScheme::default();
            scheme.location = "header".to_owned();
            scheme.name = name.to_owned();
            SecurityScheme::ApiKey(scheme)
        };
        let mut all = Vec::new();
        if let Some((user, password)) = self.basic.clone() {
            all.push((http("Basic"), Credential::Basic { user, password }));
        }
        if let Some(token) = self.token.clone() {
            all.push((http("Bearer"), Credential::Token(token)));
        }
        all.extend(self.api_keys.iter().map(|(name, key)| (header(name), Credential::ApiKey(key.clone()))));
        all
    }
}

/// Authorises requests to one agent: what its card demands, from what a provider has.
#[derive(Debug, Clone)]
pub struct Authorizer {
    provider: Arc<dyn CredentialProvider>,
    requirements: Vec<SecurityRequirement>,
    schemes: BTreeMap<String, SecurityScheme>,
}

impl Authorizer {
    /// Authorises as this card demands.
    pub fn new(provider: Arc<dyn CredentialProvider>, card: &AgentCard) -> Self {
        Self {
            provider,
            requirements: card.security_requirements.clone(),
            schemes: card.security_schemes.clone(),
        }
    }

    /// Authorises without knowing what is demanded, as for fetching a card.
    pub fn without_card(provider: Arc<dyn CredentialProvider>) -> Self {
        Self { provider, requirements: Vec::new(), schemes: BTreeMap::new() }
    }

    /// What to send to this URL. `refused` is the challenge of a 401 that the last answer led to.
    ///
    /// Of the card's alternatives the first that can be met in full is.
    pub(crate) async fn authorize(
        &self,
        url: &Uri,
        has_client_identity: bool,
        refused: Option<&str>,
    ) -> Result<Authorization, TransportError> {
        let origin = origin(url);
        for requirement in &self.requirements {
            let met = self.meet(requirement, &origin, has_client_identity, refused).await?;
            if let Some(authorization) = met {
                return Ok(authorization);
            }
        }
        let mut authorization = Authorization::default();
        for (scheme, credential) in self.provider.undeclared(&origin) {
            authorization.add(self.declared_like(&scheme), &credential)?;
        }
        Ok(authorization)
    }

    /// What meets all the schemes of a requirement, or `None`.
    async fn meet(
        &self,
        requirement: &SecurityRequirement,
        origin: &str,
        has_client_identity: bool,
        refused: Option<&str>,
    ) -> Result<Option<Authorization>, TransportError> {
        let mut authorization = Authorization::default();
        for (scheme_name, scopes) in &requirement.schemes {
            let Some(scheme) = self.schemes.get(scheme_name) else { return Ok(None) };
            if matches!(scheme, SecurityScheme::MutualTls(_)) {
                if has_client_identity {
                    continue;
                }
                return Ok(None);
            }
            let request = CredentialRequest { scheme_name, scheme, scopes: &scopes.list, origin, refused };
            let Some(credential) = self.provider.credential(request).await? else { return Ok(None) };
            if !authorization.add(scheme, &credential)? {
                return Ok(None);
            }
        }
        Ok(Some(authorization))
    }

    /// The card's own scheme for an API key of the same name, which knows better where the key goes.
    fn declared_like<'a>(&'a self, scheme: &'a SecurityScheme) -> &'a SecurityScheme {
        let SecurityScheme::ApiKey(wanted) = scheme else { return scheme };
        let is_it = |declared: &&SecurityScheme| matches!(declared, SecurityScheme::ApiKey(key) if key.name.eq_ignore_ascii_case(&wanted.name));
        self.schemes.values().find(is_it).unwrap_or(scheme)
    }
}

/// What is added to a request.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Authorization {
    headers: Vec<(HeaderName, HeaderValue)>,
    cookies: Vec<String>,
    query: Vec<String>,
}

impl Authorization {
    /// Adds a credential as its scheme wants it; `false` if they do not fit.
    fn add(&mut self, scheme: &SecurityScheme, credential: &Credential) -> Result<bool, TransportError> {
        match (scheme, credential) {
            (SecurityScheme::HttpAuth(scheme), Credential::Basic { user, password })
                if scheme.scheme.eq_ignore_ascii_case("basic") =>
            {
                let encoded = BASE64_STANDARD.encode(format!("{user}:{}", password.expose()));
                self.add_header(header::AUTHORIZATION, &format!("Basic {encoded}"))?;
            }
            (SecurityScheme::HttpAuth(scheme), Credential::Token(token))
                if !scheme.scheme.eq_ignore_ascii_case("basic") =>
            {
                let name =
                    if scheme.scheme.eq_ignore_ascii_case("bearer") { "Bearer" } else { &scheme.scheme };
                self.add_header(header::AUTHORIZATION, &format!("{name} {}", token.expose()))?;
            }
            (SecurityScheme::OAuth2(_) | SecurityScheme::OpenIdConnect(_), Credential::Token(token)) => {
                self.add_header(header::AUTHORIZATION, &format!("Bearer {}", token.expose()))?;
            }
            (SecurityScheme::ApiKey(scheme), Credential::ApiKey(key) | Credential::Token(key)) => {
                return self.add_api_key(scheme, key);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn add_api_key(&mut self, scheme: &ApiKeySecurityScheme, key: &Secret) -> Result<bool, TransportError> {
        match scheme.location.to_ascii_lowercase().as_str() {
            "header" => {
                let name = HeaderName::try_from(&scheme.name)
                    .map_err(|error| cannot_be_sent().with_source(error))?;
                self.add_header(name, key.expose())?;
            }
            "query" => {
                let mut parameter = String::new();
                percent_encode(&mut parameter, &scheme.name);
                parameter.push('=');
                percent_encode(&mut parameter, key.expose());
                self.query.push(parameter);
            }
            "cookie" => self.cookies.push(format!("{}={}", scheme.name, key.expose())),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn add_header(&mut self, name: HeaderName, value: &str) -> Result<(), TransportError> {
        // The card says where a key goes: not where a request would end elsewhere, or become two.
        if is_of_client(&name) || name == header::HOST {
            let message = format!("the header `{name}` is the client's own and carries no credential");
            return Err(TransportError::new(ErrorKind::Config, message));
        }
        self.headers.push((name, secret_value(value)?));
        Ok(())
    }

    /// Writes what is to be sent into a request to be.
    pub(crate) fn apply(&self, url: &mut Uri, headers: &mut HeaderMap) -> Result<(), TransportError> {
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        if !self.cookies.is_empty() {
            headers.append(header::COOKIE, secret_value(&self.cookies.join("; "))?);
        }
        if !self.query.is_empty() {
            let separator = if url.query().is_some() { '&' } else { '?' };
            let text = format!("{url}{separator}{}", self.query.join("&"));
            *url = text.parse().map_err(|_| cannot_be_sent())?;
        }
        Ok(())
    }
}

fn secret_value(value: &str) -> Result<HeaderValue, TransportError> {
    let mut value = HeaderValue::from_str(value).map_err(|error| cannot_be_sent().with_source(error))?;
    value.set_sensitive(true);
    Ok(value)
}

fn cannot_be_sent() -> TransportError {
    TransportError::new(ErrorKind::Config, "a credential contains characters that cannot be sent")
}

/// Scheme, host and port of a URL; the port only if it is not the default one.
pub(crate) fn origin(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let host = url.host().unwrap_or_default().to_ascii_lowercase();
    match (scheme, url.port_u16()) {
        ("http", Some(80) | None) | ("https", Some(443) | None) => format!("{scheme}://{host}"),
        (_, Some(port)) => format!("{scheme}://{host}:{port}"),
        (_, None) => format!("{scheme}://{host}"),
    }
}
