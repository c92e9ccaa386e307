//! Finding an agent's card (§8.2).

use a2a_types::AgentCard;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};

use crate::{
    ErrorKind, HttpClient, ProtocolVersion, TransportError,
    channel::{VERSION_HEADER, refusal},
    http::{HttpResponse, at},
};

/// Fetches agent cards.
#[derive(Debug, Clone)]
pub struct CardResolver {
    http: HttpClient,
}

impl CardResolver {
    /// A resolver that fetches with this client.
    pub fn new(http: HttpClient) -> Self {
        Self { http }
    }

    /// The card of the agent at this URL: the address of an agent, its endpoint, or the card itself (a path
    /// that ends in `.json`).
    ///
    /// Looked for under the path of the URL, then at its origin, as `agent-card.json` before the older
    /// `agent.json`. A 401 or 403 ends the search.
    ///
    /// # Errors
    ///
    /// [`Card`](ErrorKind::Card): nothing was found, or what was found is not a card; the message says what was
    /// asked for. [`Auth`](ErrorKind::Auth) and the kinds of a failed request.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future abandons the search; nothing else comes of it.
    pub async fn resolve(&self, base_url: &str) -> Result<AgentCard, TransportError> {
        let base: Uri = base_url.trim().parse().map_err(|error: http::uri::InvalidUri| {
            TransportError::new(ErrorKind::Config, "this is not a URL").with_url(base_url).with_source(error)
        })?;
        let mut not_found: Option<TransportError> = None;
        for url in candidates(&base)? {
            match self.fetch(&url).await {
                Ok(card) => return Ok(card),
                // Elsewhere there may be one; what is reported is why the first place had none.
                Err(error) if goes_on(&error) => not_found = not_found.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Err(not_found.unwrap_or_else(|| TransportError::new(ErrorKind::Card, "there is no agent card")))
    }

    async fn fetch(&self, url: &Uri) -> Result<AgentCard, TransportError> {
        let config = self.http.config();
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = url.clone();
        let headers: &mut HeaderMap = request.headers_mut();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(VERSION_HEADER, HeaderValue::from_static(ProtocolVersion::V1_0.as_str()));
        for (name, value) in &config.headers {
            headers.append(name, value.clone());
        }
        let mut response = self.http.send(request, config.head_timeout).await?;
        response.body = response.body.with_idle_timeout(Some(config.body_idle_timeout));
        self.read(url, response).await
    }

    async fn read(&self, url: &Uri, response: HttpResponse) -> Result<AgentCard, TransportError> {
        let status = response.status;
        if !status.is_success() {
            let error = refusal(response, |_, _| None).await;
            return Err(at(url, error));
        }
        let body = response.body.collect(self.http.config().max_card_bytes).await?;
        let card: AgentCard = a2a_types::from_slice(&body).map_err(|error| {
            not_a_card(url, status, format!("what is there is not an agent card: {error}"))
        })?;
        if card.supported_interfaces.is_empty() {
            return Err(not_a_card(url, status, "the card has no `supportedInterfaces`".to_owned()));
        }
        Ok(card)
    }
}

fn not_a_card(url: &Uri, status: StatusCode, message: String) -> TransportError {
    at(url, TransportError::new(ErrorKind::Card, message)).with_http_status(status.as_u16())
}

/// Whether a card may still be found elsewhere.
fn goes_on(error: &TransportError) -> bool {
    matches!(error.kind(), ErrorKind::HttpStatus | ErrorKind::Card | ErrorKind::Redirect)
}

/// Where the card may be, best first.
fn candidates(base: &Uri) -> Result<Vec<Uri>, TransportError> {
    let path = base.path();
    if path.ends_with(".json") {
        return Ok(vec![base.clone()]);
    }
    let mut paths: Vec<String> = Vec::new();
    for prefix in [path.trim_end_matches('/'), ""] {
        for name in WELL_KNOWN_PATHS {
            let path = format!("{prefix}{name}");
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths.into_iter().map(|path| with_path(base, &path)).collect()
}

fn with_path(base: &Uri, path: &str) -> Result<Uri, TransportError> {
    let mut parts = base.clone().into_parts();
    parts.path_and_query = path.parse().ok();
    Uri::from_parts(parts).map_err(|error| {
        at(base, TransportError::new(ErrorKind::Config, "the URL is not absolute").with_source(error))
    })
}

const WELL_KNOWN_PATHS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
