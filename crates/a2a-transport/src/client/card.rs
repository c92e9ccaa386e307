//! Finding an agent's card (§8.2), and keeping it as long as its server says (§8.6).

use std::{
    error::Error,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use a2a_types::{AgentCard, GetExtendedAgentCardRequest, v03};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};

use crate::{
    Authorizer, CallOptions, CredentialProvider, ErrorKind, HttpClient, ProtocolVersion, Transport,
    TransportError,
    client::{
        card_cache::{CardCache, Validators},
        credentials::origin,
        http::{HttpResponse, at, check_url},
        location,
        parameters::{override_headers, set_version},
        refusal::{refusal, text_header},
    },
};

/// Checks the JSON text of a card, such as its signatures, and gives the card that it vouches for.
pub type CardVerifier = Arc<dyn Fn(&str) -> Result<AgentCard, Box<dyn Error + Send + Sync>> + Send + Sync>;

/// Fetches agent cards. Clones share what is cached.
///
/// Cards are cached as `Cache-Control`, `ETag` and `Last-Modified` say; without them they are fetched anew each time.
#[derive(Clone)]
pub struct CardResolver {
    http: HttpClient,
    authorizer: Option<Authorizer>,
    path: Option<String>,
    verifier: Option<CardVerifier>,
    cache: Arc<Mutex<CardCache>>,
}

/// A card as it was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResolvedCard {
    /// The card, its version whatever it is.
    pub card: AgentCard,
    /// The text it was read from.
    pub json: String,
    /// Where it was found, after redirects; without query.
    pub url: String,
}

impl CardResolver {
    /// A resolver that fetches with this client.
    pub fn new(http: HttpClient) -> Self {
        Self { http, authorizer: None, path: None, verifier: None, cache: Arc::default() }
    }

    /// Sends credentials with card fetches, to the origin that is asked for the card only.
    #[must_use]
    pub fn with_credentials(mut self, credentials: impl CredentialProvider + 'static) -> Self {
        self.authorizer = Some(Authorizer::without_card(Arc::new(credentials)));
        self
    }

    /// Looks for cards at this path, below the path of the agent's URL and at its origin, instead of the
    /// well-known ones.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(format!("/{}", path.into().trim_start_matches('/')));
        self
    }

    /// Refuses cards that none of these keys has signed, and uses of the others what is signed.
    #[cfg(feature = "signatures")]
    #[must_use]
    pub fn with_trusted_keys(self, keys: a2a_types::signatures::KeySet) -> Self {
        self.with_verifier(Arc::new(move |json| {
            let verified = a2a_types::signatures::verify(json, &keys)?;
            Ok(verified.card)
        }))
    }

    /// Refuses cards that do not pass this check, and uses what it gives of the others.
    #[must_use]
    pub fn with_verifier(mut self, verifier: CardVerifier) -> Self {
        self.verifier = Some(verifier);
        self
    }

    /// The card of the agent at this URL: the address of an agent, its endpoint, or the card itself (a path
    /// that ends in `.json`).
    ///
    /// Looked for under the path of the URL, then at its origin, as `agent-card.json` before the older
    /// `agent.json`. A 401 or 403 ends the search. Redirects are followed, at most three, never from https to
    /// http; credentials and configured headers do not follow to another origin.
    ///
    /// # Errors
    ///
    /// [`Card`](ErrorKind::Card): nothing was found, or what was found is not a card, has no interface or is not
    /// verified. [`Auth`](ErrorKind::Auth), [`Redirect`](ErrorKind::Redirect) and the kinds of a failed request.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future abandons the search; nothing else comes of it.
    pub async fn resolve(&self, base_url: &str) -> Result<AgentCard, TransportError> {
        self.fetch(base_url).await.map(|found| found.card)
    }

    /// [`resolve`](Self::resolve), with the text of the card and where it was found.
    ///
    /// # Errors
    ///
    /// As [`resolve`](Self::resolve).
    ///
    /// # Cancel safety
    ///
    /// As [`resolve`](Self::resolve).
    pub async fn fetch(&self, base_url: &str) -> Result<ResolvedCard, TransportError> {
        let base: Uri = base_url.trim().parse().map_err(|error: http::uri::InvalidUri| {
            // Without what may be credentials.
            let shown = base_url.trim().split(['?', '#']).next().unwrap_or_default();
            let shown = shown.rsplit('@').next().unwrap_or_default();
            TransportError::new(ErrorKind::Config, format!("{shown:?} is not a URL")).with_source(error)
        })?;
        let key = base.to_string();
        if let Some(found) = self.cache().fresh(&key) {
            return Ok(found);
        }
        let validators = self.cache().validators(&key);
        if let Some(validators) = validators
            && let Ok(url) = validators.url.parse()
            && let Ok(found) = self.fetch_at(&key, &base, url, Some(&validators)).await
        {
            return Ok(found);
        }
        let mut failure: Option<TransportError> = None;
        for url in self.candidates(&base)? {
            match self.fetch_at(&key, &base, url, None).await {
                Ok(found) => return Ok(found),
                Err(error) if !goes_on(&error) => return Err(error),
                // The first of those that say most.
                Err(error) if failure.as_ref().is_none_or(|known| says(&error) > says(known)) => {
                    failure = Some(error);
                }
                Err(_) => {}
            }
        }
        Err(failure.unwrap_or_else(|| TransportError::new(ErrorKind::Card, "there is no agent card")))
    }

    /// The card that the agent of a card has for callers it knows (§3.1.11), checked as the public one is. It
    /// replaces the public one for this caller.
    ///
    /// # Errors
    ///
    /// [`Unsupported`](ErrorKind::Unsupported): the card does not offer one. [`Card`](ErrorKind::Card): it is not
    /// verified, or has no interface. The kinds of a failed call.
    ///
    /// # Cancel safety
    ///
    /// As any read.
    pub async fn extended(
        &self,
        card: &AgentCard,
        transport: &dyn Transport,
        options: CallOptions,
    ) -> Result<AgentCard, TransportError> {
        if card.capabilities.extended_agent_card != Some(true) {
            let message = "the card does not offer an extended one";
            return Err(TransportError::new(ErrorKind::Unsupported, message));
        }
        let extended =
            transport.get_extended_agent_card(GetExtendedAgentCardRequest::default(), options).await?;
        let json = serde_json::to_string(&extended)
            .map_err(|error| not_a_card("the extended card cannot be written").with_source(error))?;
        self.check(extended, &json)
    }

    /// Where a card may be, best first.
    fn candidates(&self, base: &Uri) -> Result<Vec<Uri>, TransportError> {
        if base.path().ends_with(".json") {
            return Ok(vec![base.clone()]);
        }
        let names = self.path.as_ref().map_or_else(|| WELL_KNOWN_PATHS.to_vec(), |path| vec![path.as_str()]);
        let prefix = base.path().trim_end_matches('/');
        let prefixes = if prefix.is_empty() { vec![""] } else { vec![prefix, ""] };
        let paths =
            prefixes.iter().flat_map(|prefix| names.iter().map(move |name| format!("{prefix}{name}")));
        paths.map(|path| location::with_path(base, &path)).collect()
    }

    /// Gets the card at a URL, following redirects, and keeps it under the key if that is allowed.
    async fn fetch_at(
        &self,
        key: &str,
        base: &Uri,
        mut url: Uri,
        validators: Option<&Validators>,
    ) -> Result<ResolvedCard, TransportError> {
        let start = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.get(base, &url, validators).await?;
            if response.status == StatusCode::NOT_MODIFIED
                && let Some(found) = self.cache().revalidated(key, &response.headers)
            {
                return Ok(found);
            }
            if !FOLLOWED.contains(&response.status) {
                return self.read(key, &start, &url, response).await;
            }
            let target = text_header(&response.headers, &header::LOCATION);
            let target = target.and_then(|target| location::resolve(&url, &target));
            let target = target.filter(|target| check_url(target).is_ok());
            // Why it leads nowhere is in the answer.
            let Some(target) = target else { return Err(refusal(response, |_, _| None).await) };
            if url.scheme_str() == Some("https") && target.scheme_str() != Some("https") {
                let message = "the card is behind a redirect from https to http, which is not followed";
                return Err(at(&url, TransportError::new(ErrorKind::Redirect, message)));
            }
            url = target;
        }
        let message = format!("the card is behind more than {MAX_REDIRECTS} redirects");
        Err(at(&start, TransportError::new(ErrorKind::Redirect, message)))
    }

    async fn get(
        &self,
        base: &Uri,
        url: &Uri,
        validators: Option<&Validators>,
    ) -> Result<HttpResponse, TransportError> {
        let config = self.http.config();
        let mut target = url.clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        set_version(&mut headers, ProtocolVersion::V1_0);
        if let Some(validators) = validators {
            validators.apply(&mut headers);
        }
        if origin(base) == origin(url) {
            if let Some(authorizer) = &self.authorizer {
                let authorization = authorizer.authorize(url, config.has_client_identity(), None).await?;
                authorization.apply(&mut target, &mut headers)?;
            }
            override_headers(&mut headers, &config.headers)?;
        }
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        let mut response = self.http.send(request, config.head_timeout).await?;
        response.body = response.body.with_idle_timeout(Some(config.body_idle_timeout));
        Ok(response)
    }

    async fn read(
        &self,
        key: &str,
        start: &Uri,
        url: &Uri,
        response: HttpResponse,
    ) -> Result<ResolvedCard, TransportError> {
        let status = response.status;
        if !status.is_success() {
            let error = refusal(response, |_, _| None).await;
            return Err(if status.is_client_error() && !error.is_auth() && !is_overload(status) {
                error.into_kind(ErrorKind::Card, "no agent card was found")
            } else {
                error
            });
        }
        if let Some(encoding) = response.content_encoding() {
            let message = format!("the card is encoded as {encoding}, which was not asked for");
            return Err(at(url, TransportError::new(ErrorKind::ContentType, message)));
        }
        let headers = response.headers;
        let body = response.body.collect(self.http.config().max_card_bytes).await?;
        self.accept(url, &body)
            .inspect(|found| self.cache().keep(key, &start.to_string(), found, &headers))
            .map_err(|error| at(url, error).with_http_status(status.as_u16()))
    }

    fn accept(&self, url: &Uri, body: &[u8]) -> Result<ResolvedCard, TransportError> {
        let json = std::str::from_utf8(body)
            .map_err(|error| not_a_card("the card is not UTF-8").with_source(error))?;
        let card = v03::read_card(json)
            .map_err(|error| not_a_card(&format!("what is there is not an agent card: {error}")))?;
        let card = self.check(card, json)?;
        Ok(ResolvedCard { card, json: json.to_owned(), url: super::http::without_secrets(url) })
    }

    /// The card to use: as it was read, or what is vouched for.
    fn check(&self, card: AgentCard, json: &str) -> Result<AgentCard, TransportError> {
        let card = match &self.verifier {
            Some(verify) => {
                verify(json).map_err(|error| not_a_card("the card is not verified").with_source(error))?
            }
            None => card,
        };
        if card.supported_interfaces.is_empty() {
            return Err(not_a_card("the card has no interface (`supportedInterfaces`)"));
        }
        Ok(card)
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, CardCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CardResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CardResolver")
            .field("http", &self.http)
            .field("authorizer", &self.authorizer)
            .field("path", &self.path)
            .field("verifies", &self.verifier.is_some())
            .finish_non_exhaustive()
    }
}

fn not_a_card(message: &str) -> TransportError {
    TransportError::new(ErrorKind::Card, message)
}

fn is_overload(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT)
}

/// Whether a card may still be found elsewhere.
fn goes_on(error: &TransportError) -> bool {
    matches!(error.kind(), ErrorKind::HttpStatus | ErrorKind::Card | ErrorKind::Redirect)
}

/// How much a failure says: that a place has no card says least, one that was found and is bad says most.
fn says(error: &TransportError) -> u8 {
    match (error.kind(), error.http_status()) {
        (ErrorKind::Card, Some(400..)) => 0,
        (ErrorKind::Card, _) => 2,
        _ => 1,
    }
}

const WELL_KNOWN_PATHS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
const MAX_REDIRECTS: usize = 3;
const FOLLOWED: [StatusCode; 5] = [
    StatusCode::MOVED_PERMANENTLY,
    StatusCode::FOUND,
    StatusCode::SEE_OTHER,
    StatusCode::TEMPORARY_REDIRECT,
    StatusCode::PERMANENT_REDIRECT,
];
