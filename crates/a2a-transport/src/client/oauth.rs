//! OAuth 2.0 client credentials (RFC 6749, section 4.4).

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use a2a_types::SecurityScheme;
use bytes::Bytes;
use futures::{
    FutureExt as _,
    future::{BoxFuture, Shared},
};
use oauth2::{
    ClientId, ClientSecret, HttpRequest, HttpResponse, RequestTokenError, Scope, TokenResponse as _,
    TokenUrl, basic::BasicClient,
};
use tokio::time::Instant;

use crate::{
    Credential, CredentialProvider, CredentialRequest, ErrorKind, HttpClient, Secret, TransportError,
};

/// Gets access tokens for a client by its id and secret, and gets new ones when they expire or are refused.
///
/// A token is got when it is first needed, once for all calls that need it, and kept until shortly before it
/// expires. The address of the token server is the caller's to say, not the card's: the secret goes there.
pub struct OAuthClientCredentials {
    http: HttpClient,
    token_url: TokenUrl,
    client_id: ClientId,
    client_secret: ClientSecret,
    scopes: Option<Vec<String>>,
    /// Tokens by their scopes.
    tokens: Mutex<HashMap<Vec<String>, Fetch>>,
}

/// A token, got or being got.
type Fetch = Shared<BoxFuture<'static, Result<Token, Arc<TransportError>>>>;

#[derive(Clone)]
struct Token {
    secret: Secret,
    fresh_until: Option<Instant>,
}

impl Token {
    fn is_fresh(&self) -> bool {
        self.fresh_until.is_none_or(|until| Instant::now() < until)
    }
}

impl OAuthClientCredentials {
    /// Credentials for the token server at this URL.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`]: it is not a URL.
    pub fn new(
        http: HttpClient,
        token_url: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<Secret>,
    ) -> Result<Self, TransportError> {
        let token_url = TokenUrl::new(token_url.to_owned()).map_err(|error| {
            TransportError::new(ErrorKind::Config, "the URL of the token server cannot be used")
                .with_source(error)
        })?;
        Ok(Self {
            http,
            token_url,
            client_id: ClientId::new(client_id.into()),
            client_secret: ClientSecret::new(client_secret.into().expose().to_owned()),
            scopes: None,
            tokens: Mutex::default(),
        })
    }

    /// Asks for these scopes instead of those that the card demands.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    async fn token(&self, scopes: &[String], was_refused: bool) -> Result<Secret, TransportError> {
        let scopes = self.scopes.as_deref().unwrap_or(scopes);
        let fetch = self.current(scopes, was_refused);
        match fetch.clone().await {
            Ok(token) => Ok(token.secret),
            Err(error) => {
                // The next call tries again.
                self.forget(scopes, &fetch);
                let text = format!("no access token: {error}");
                Err(TransportError::new(ErrorKind::Auth, text).with_source(error))
            }
        }
    }

    /// The token to use, or the way to it that all who need it now share.
    fn current(&self, scopes: &[String], was_refused: bool) -> Fetch {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fetch) = tokens.get(scopes) {
            let is_usable = match fetch.peek() {
                None => true,
                Some(Ok(token)) => token.is_fresh() && !was_refused,
                Some(Err(_)) => false,
            };
            if is_usable {
                return fetch.clone();
            }
        }
        let fetch = self.fetch(scopes);
        tokens.insert(scopes.to_owned(), fetch.clone());
        fetch
    }

    fn forget(&self, scopes: &[String], failed: &Fetch) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.get(scopes).is_some_and(|fetch| fetch.ptr_eq(failed)) {
            tokens.remove(scopes);
        }
    }

    fn fetch(&self, scopes: &[String]) -> Fetch {
        let http = self.http.clone();
        let client = BasicClient::new(self.client_id.clone())
            .set_client_secret(self.client_secret.clone())
            .set_token_uri(self.token_url.clone());
        let url = self.token_url.as_str().to_owned();
        let scopes: Vec<Scope> = scopes.iter().cloned().map(Scope::new).collect();
        let fetching = async move {
            let send = |request| send(http.clone(), request);
            let request = client.exchange_client_credentials().add_scopes(scopes);
            let token = request.request_async(&send).await.map_err(|error| Arc::new(refused(error, &url)))?;
            let lifetime = token.expires_in().map(|lifetime| lifetime.saturating_sub(LEEWAY));
            Ok(Token {
                secret: Secret::from(token.access_token().secret().as_str()),
                fresh_until: lifetime.map(|lifetime| Instant::now() + lifetime.min(MAX_LIFETIME)),
            })
        };
        fetching.boxed().shared()
    }
}

async fn send(http: HttpClient, request: HttpRequest) -> Result<HttpResponse, TransportError> {
    let config = http.config();
    let response = http.send(request.map(Bytes::from), config.head_timeout).await?;
    let body =
        response.body.with_idle_timeout(Some(config.body_idle_timeout)).collect(MAX_ANSWER_BYTES).await?;
    let mut answer = HttpResponse::new(body.to_vec());
    *answer.status_mut() = response.status;
    *answer.headers_mut() = response.headers;
    Ok(answer)
}

/// The error of a request for a token. Its causes are left out where they quote the answer.
fn refused<T>(error: RequestTokenError<TransportError, T>, url: &str) -> TransportError
where
    T: oauth2::ErrorResponse + fmt::Display + 'static,
{
    let url = url.split('?').next().unwrap_or_default();
    match error {
        RequestTokenError::Request(error) => error,
        RequestTokenError::ServerResponse(answer) => {
            let message = format!("the token server refuses: {answer}");
            TransportError::new(ErrorKind::Auth, message).with_url(url)
        }
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            TransportError::new(ErrorKind::Decode, "the token server's answer is not what OAuth says")
                .with_url(url)
        }
    }
}

impl CredentialProvider for OAuthClientCredentials {
    fn credential<'a>(
        &'a self,
        request: CredentialRequest<'a>,
    ) -> BoxFuture<'a, Result<Option<Credential>, TransportError>> {
        Box::pin(async move {
            match request.scheme {
                SecurityScheme::OAuth2(_) | SecurityScheme::OpenIdConnect(_) => {
                    let token = self.token(request.scopes, request.refused.is_some()).await?;
                    Ok(Some(Credential::Token(token)))
                }
                _ => Ok(None),
            }
        })
    }
}

impl fmt::Debug for OAuthClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthClientCredentials")
            .field("token_url", &self.token_url.as_str().split('?').next())
            .field("client_id", &self.client_id.as_str())
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// A token is replaced so long before it expires.
const LEEWAY: Duration = Duration::from_secs(30);
/// Longest that a token is used, whatever it says.
const MAX_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
const MAX_ANSWER_BYTES: usize = 64 * 1024;
