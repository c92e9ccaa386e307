//! A remote agent's replies for a web front end: an axum route that serves AgentScope's events as server-sent events.
//!
//! `axum_events AGENT_URL [PORT]`, then
//!
//! ```text
//! curl -N http://127.0.0.1:9997/ask --data "Plan me a weekend trip to Hangzhou."
//! ```
//!
//! The translation is used by itself here, on the bare transport: no agent object, no state, one question and its
//! answer. Where payloads come from is nothing to the translator, so the same few lines serve any framework.

#![allow(clippy::print_stdout, reason = "a program")]

use std::{convert::Infallible, error::Error, sync::Arc};

use a2a_agent::{LocalClock, RandomIds};
use a2a_translate::{
    End, ErrorInfo, ErrorType, Msg, ReplyContext, ReplyTranslator, RequestOptions, TranslateOptions,
    build_request,
};
use a2a_transport::{
    CallOptions, CardResolver, ClientOptions, HttpClient, HttpConfig, ResponseStream, Transport,
    TransportError, connect,
};
use axum::{
    Router,
    extract::State,
    response::sse::{Event, Sse},
    routing::post,
};
use futures::{Stream, StreamExt as _, stream};
use tokio::net::TcpListener;

/// The remote agent.
#[derive(Clone)]
struct Remote {
    name: Arc<str>,
    transport: Arc<dyn Transport>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let agent_url = args.next().ok_or("usage: axum_events AGENT_URL [PORT]")?;
    let port = args.next().map_or(Ok(9997), |port| port.parse())?;

    let http = HttpClient::new(HttpConfig::default())?;
    let card = CardResolver::new(http.clone()).resolve(&agent_url).await?;
    let transport = connect(&card, &http, ClientOptions::default())?;
    let remote = Remote { name: card.name.as_str().into(), transport };

    let app = Router::new().route("/ask", post(ask)).with_state(remote);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("{}", serde_json::json!({ "url": format!("http://{}/ask", listener.local_addr()?) }));
    axum::serve(listener, app).await?;
    Ok(())
}

/// Sends the question, and streams what comes of it.
async fn ask(
    State(remote): State<Remote>,
    question: String,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let context = ReplyContext::new("web", remote.name.clone());
    let mut translator = ReplyTranslator::new(
        context,
        TranslateOptions::default(),
        RandomIds::default(),
        LocalClock::default(),
    );
    translator.start();
    let payloads = send(&remote, question).await;
    Sse::new(events(translator, payloads).map(Ok))
}

async fn send(remote: &Remote, question: String) -> Result<ResponseStream, TransportError> {
    let msg = Msg::user("user", question);
    let request = build_request([&msg], None, None, &RequestOptions::default(), &mut RandomIds::default());
    // Text can always be sent.
    let request =
        request.map_err(|error| TransportError::new(a2a_transport::ErrorKind::Config, error.to_string()))?;
    remote.transport.send_streaming_message(request, CallOptions::default()).await
}

/// The events of a reply, one server-sent event each. The last is `REPLY_END`, whatever happens.
fn events(
    translator: ReplyTranslator,
    payloads: Result<ResponseStream, TransportError>,
) -> impl Stream<Item = Event> {
    stream::unfold((translator, payloads), |(mut translator, mut payloads)| async move {
        loop {
            if let Some(event) = translator.poll_event() {
                let text = serde_json::to_string(&event).unwrap_or_default();
                return Some((Event::default().event(event.kind()).data(text), (translator, payloads)));
            }
            if translator.outcome().is_some() {
                return None;
            }
            let payload = match &mut payloads {
                Ok(payloads) => payloads.next().await,
                Err(error) => {
                    translator.finish(End::Failed(connection_error(error)));
                    continue;
                }
            };
            match payload {
                Some(Ok(payload)) => {
                    if let Err(error) = translator.handle(payload) {
                        translator.finish(End::Failed(error.to_error_info()));
                    } else if translator.settled() {
                        translator.finish(End::Ended);
                    }
                }
                Some(Err(error)) => {
                    translator.finish(End::Cut(connection_error(&error)));
                }
                None => {
                    translator.finish(End::Ended);
                }
            }
        }
    })
}

fn connection_error(error: &TransportError) -> ErrorInfo {
    ErrorInfo::new(ErrorType::Connection, error.to_string())
}
