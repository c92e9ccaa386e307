//! Our own layers, each to its end: payloads, events, events and the message.

use std::{error::Error, sync::Arc};

use a2a_agent::{A2aAgent, AgentCard, ClientOptions, ContentBlock, Event, HttpClient, HttpConfig, Transport};
use a2a_transport::CallOptions;
use a2a_types::{AgentInterface, Message, Part, Role, SendMessageRequest, StreamResponse};
use futures::StreamExt as _;

use crate::{
    client::Found,
    workload::{Binding, Workload},
};

pub(crate) struct Ours {
    card: AgentCard,
    transport: Arc<dyn Transport>,
}

impl Ours {
    pub(crate) fn new(url: &str, workload: &Workload, http2: bool) -> Result<Self, Box<dyn Error>> {
        let binding = match workload.binding {
            Binding::JsonRpc => AgentInterface::JSONRPC,
            Binding::Rest => AgentInterface::HTTP_JSON,
        };
        let mut card = AgentCard::new("Bench", vec![AgentInterface::new(url, binding, "1.0")]);
        card.capabilities.streaming = Some(true);
        let http = HttpClient::new(config(http2)?)?;
        let transport = a2a_transport::connect(&card, &http, ClientOptions::default())?;
        Ok(Self { card, transport })
    }

    pub(crate) async fn transport(&self) -> Found {
        let request = SendMessageRequest::new(Message::new("m-1", Role::User, vec![Part::text("go")]));
        let mut stream = self.transport.send_streaming_message(request, CallOptions::default()).await?;
        let mut text = 0;
        while let Some(payload) = stream.next().await {
            if let StreamResponse::ArtifactUpdate(update) = payload? {
                text += update.artifact.parts.iter().filter_map(Part::as_text).map(str::len).sum::<usize>();
            }
        }
        Ok(text)
    }

    pub(crate) async fn agent_events(&self) -> Found {
        let mut agent = self.new_agent()?;
        let mut events = agent.reply_stream("go").into_events();
        let mut text = 0;
        while let Some(event) = events.next().await {
            if let Event::TextBlockDelta(delta) = event? {
                text += delta.delta.len();
            }
        }
        Ok(text)
    }

    pub(crate) async fn agent(&self) -> Found {
        let mut agent = self.new_agent()?;
        let mut reply = agent.reply_stream("go");
        let mut text = 0;
        while let Some(event) = reply.next().await {
            if let Event::TextBlockDelta(delta) = event? {
                text += delta.delta.len();
            }
        }
        let message = reply.finish().await?;
        let folded: usize = message.content.iter().filter_map(ContentBlock::as_text).map(str::len).sum();
        if folded == text { Ok(text) } else { Err("the message is not what the events say".into()) }
    }

    pub(crate) fn new_agent(&self) -> Result<A2aAgent, Box<dyn Error>> {
        Ok(A2aAgent::builder(self.card.clone()).transport(Arc::clone(&self.transport)).build()?)
    }
}

/// Twice the huge event does not fit into the default.
const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

fn config(http2: bool) -> Result<HttpConfig, Box<dyn Error>> {
    let config = HttpConfig::default().with_max_event_bytes(MAX_EVENT_BYTES);
    if !http2 {
        return Ok(config);
    }
    // Without TLS it has to be known beforehand.
    #[cfg(feature = "http2")]
    return Ok(config.with_http2(a2a_transport::Http2::Always));
    #[cfg(not(feature = "http2"))]
    Err("HTTP/2 needs the feature `http2`".into())
}
