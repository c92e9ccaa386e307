//! What every call over HTTP has in common, whatever its binding: what is sent besides the body, and the order
//! in which a response is judged (status, encoding, media type, body).

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};

use crate::{
    CallOptions, ErrorKind, HttpClient, ProtocolVersion, ResponseStream, SseEvent, TransportError,
    client::{
        credentials::{Authorization, Authorizer},
        events::{Piece, payloads},
        http::{HttpBody, HttpResponse, MediaType, at},
        parameters::{override_headers, set_extensions, set_version},
        refusal::{MAX_ERROR_BODY_BYTES, ReadRefusal, refusal, text_header, unexpected},
    },
};

/// A way to one interface of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    http: HttpClient,
    version: ProtocolVersion,
    authorizer: Option<Authorizer>,
    read_refusal: ReadRefusal,
}

/// One request of a binding.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: http::Method,
    pub(crate) url: Uri,
    /// Media type and content, if it has any.
    pub(crate) body: Option<(HeaderValue, Bytes)>,
    /// It changes nothing, so that it can be repeated.
    pub(crate) is_read: bool,
    pub(crate) options: CallOptions,
}

/// What a streaming call was answered with.
pub(crate) enum Answer {
    Events(HttpBody),
    Json(Bytes),
}

impl Channel {
    pub(crate) fn new(http: HttpClient, version: ProtocolVersion) -> Self {
        Self { http, version, authorizer: None, read_refusal: |_, _| None }
    }

    /// The same channel, for a binding that reports errors like this.
    pub(crate) fn reading_errors_by(mut self, read: ReadRefusal) -> Self {
        self.read_refusal = read;
        self
    }

    pub(crate) fn set_authorizer(&mut self, authorizer: Authorizer) {
        self.authorizer = Some(authorizer);
    }

    /// The JSON that a call is answered with; empty if the answer is.
    ///
    /// # Errors
    ///
    /// Every kind of [`ErrorKind`] that a connection or the head of a response can give.
    pub(crate) async fn unary(&self, outgoing: Outgoing) -> Result<Bytes, TransportError> {
        let response = self.exchange(&outgoing, JSON_ACCEPTED).await?;
        match response.media_type() {
            MediaType::Json | MediaType::Missing => self.json(response).await,
            other => Err(unexpected(&response, &other, "JSON")),
        }
    }

    /// What a streaming call is answered with: events, or JSON in their place.
    ///
    /// # Errors
    ///
    /// As [`unary`](Self::unary).
    pub(crate) async fn streaming(&self, outgoing: Outgoing) -> Result<Answer, TransportError> {
        let response = self.exchange(&outgoing, EVENTS_ACCEPTED).await?;
        match response.media_type() {
            MediaType::EventStream => {
                let idle = outgoing.options.idle_timeout.or_else(|| self.http.config().stream_idle_timeout);
                Ok(Answer::Events(response.body.with_idle_timeout(idle)))
            }
            MediaType::Json => self.json(response).await.map(Answer::Json),
            other => Err(unexpected(&response, &other, "an event stream")),
        }
    }

    /// The payloads of an event stream.
    pub(crate) fn payloads<R>(&self, body: HttpBody, read: R) -> ResponseStream
    where
        R: FnMut(SseEvent<'_>) -> Result<Piece, TransportError> + Send + Unpin + 'static,
    {
        payloads(body, self.http.config().max_event_bytes, read)
    }

    async fn json(&self, response: HttpResponse) -> Result<Bytes, TransportError> {
        let status = response.status.as_u16();
        let body = response.body.collect(self.http.config().max_body_bytes).await;
        body.map_err(|error| error.with_http_status(status))
    }

    /// Sends a request; the response has a status of success and no encoding.
    async fn exchange(
        &self,
        outgoing: &Outgoing,
        accept: HeaderValue,
    ) -> Result<HttpResponse, TransportError> {
        let response = self.send_authorized(outgoing, accept).await?;
        if !response.status.is_success() {
            return Err(refusal(response, self.read_refusal).await);
        }
        if let Some(encoding) = response.content_encoding() {
            let message = format!("the answer is encoded as {encoding}, which was not asked for");
            let error = TransportError::new(ErrorKind::ContentType, message);
            return Err(at(&outgoing.url, error).with_http_status(response.status.as_u16()));
        }
        Ok(response)
    }

    /// Sends a request, and once more if it was refused for its credentials and there are others. A 401 says
    /// that the call was not carried out.
    async fn send_authorized(
        &self,
        outgoing: &Outgoing,
        accept: HeaderValue,
    ) -> Result<HttpResponse, TransportError> {
        let Some(authorizer) = &self.authorizer else {
            return self.send(outgoing, accept, &Authorization::default()).await;
        };
        let has_identity = self.http.config().has_client_identity();
        let authorize = |refused| authorizer.authorize(&outgoing.url, has_identity, refused);
        let authorization = authorize(None).await?;
        let mut response = self.send(outgoing, accept.clone(), &authorization).await?;
        if response.status != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        let challenge = text_header(&response.headers, &header::WWW_AUTHENTICATE).unwrap_or_default();
        let other = authorize(Some(&challenge)).await?;
        if other == authorization {
            return Ok(response);
        }
        // Read to its end the connection can be used again; whether it can does not matter.
        let _ = response.body.collect_up_to(MAX_ERROR_BODY_BYTES).await;
        self.send(outgoing, accept, &other).await
    }

    async fn send(
        &self,
        outgoing: &Outgoing,
        accept: HeaderValue,
        authorization: &Authorization,
    ) -> Result<HttpResponse, TransportError> {
        let config = self.http.config();
        let idle = outgoing.options.idle_timeout;
        let request =
            self.request(outgoing, accept, authorization).map_err(|error| at(&outgoing.url, error))?;
        let head_timeout = idle.unwrap_or(config.head_timeout);
        let again = outgoing.is_read.then(|| request.clone());
        let mut sent = self.http.send(request, head_timeout).await;
        // A connection that was kept for long may be closed by the peer just when it is used again.
        if let (Some(request), Err(error)) = (again, &sent)
            && error.kind() == ErrorKind::StreamCut
        {
            sent = self.http.send(request, head_timeout).await;
        }
        let mut response = sent?;
        response.body = response.body.with_idle_timeout(Some(idle.unwrap_or(config.body_idle_timeout)));
        Ok(response)
    }

    fn request(
        &self,
        outgoing: &Outgoing,
        accept: HeaderValue,
        authorization: &Authorization,
    ) -> Result<Request<Bytes>, TransportError> {
        let mut url = outgoing.url.clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept);
        let content = outgoing.body.as_ref().map_or_else(Bytes::new, |(media_type, content)| {
            headers.insert(header::CONTENT_TYPE, media_type.clone());
            content.clone()
        });
        set_version(&mut headers, self.version);
        set_extensions(&mut headers, self.version, &outgoing.options.extensions)?;
        authorization.apply(&mut url, &mut headers)?;
        override_headers(&mut headers, &self.http.config().headers)?;
        override_headers(&mut headers, &outgoing.options.headers)?;
        let mut request = Request::new(content);
        *request.method_mut() = outgoing.method.clone();
        *request.uri_mut() = url;
        *request.headers_mut() = headers;
        Ok(request)
    }
}

const JSON_ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, application/a2a+json");
/// A refused stream is answered in JSON.
const EVENTS_ACCEPTED: HeaderValue =
    HeaderValue::from_static("text/event-stream, application/json, application/a2a+json");
