//! `a2a serve`: the demo agent for others to call.

use std::{
    io::{self, Write as _},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use a2a_server::{BearerTokens, Caller, HttpOptions, Server};
use a2a_transport::Secret;
use a2a_types::{
    AgentCard, AgentInterface, HttpAuthSecurityScheme, SecurityRequirement, SecurityScheme, StringList,
};
use serde_json::json;
use tokio::net::TcpListener;

use super::{CommandResult, args::Serve};
use crate::{
    demo::TripPlanner,
    failure::{Exit, Failure},
    output::Output,
    signals::Signals,
};

/// What is served, and where.
#[derive(Debug, Default)]
pub(super) struct Setup {
    pub(super) v0_3: bool,
    pub(super) no_streaming: bool,
    pub(super) bearer: Option<Secret>,
}

pub(super) async fn run(args: Serve, output: &mut Output) -> CommandResult {
    if args.grpc_port.is_some() {
        return Err(Failure::usage("--grpc-port: this build does not serve gRPC").into());
    }
    let place = (args.host.as_str(), args.port);
    let listener = TcpListener::bind(place).await.map_err(|error| {
        Failure::usage(format!("nothing can be served at {}:{}: {error}", args.host, args.port))
    })?;
    let bearer = args.bearer.filter(|token| !token.expose().is_empty());
    let setup = Setup { v0_3: args.v0_3, no_streaming: args.no_streaming, bearer };
    let url = url_of(listener.local_addr()?);
    let server = setup.server(&url);
    let mut signals = Signals::new()?;
    let mut stdout = io::stdout();
    writeln!(stdout, "{}", json!({ "url": url }))?;
    stdout.flush()?;
    output.note("serving the demo agent; Ctrl-C ends it")?;
    let stop = async move {
        signals.next().await;
    };
    server.serve_until(listener, stop).await?;
    Ok(Exit::Success)
}

impl Setup {
    /// The demo agent, to be found at this URL.
    pub(super) fn server(self, url: &str) -> Server {
        let versions: &[&str] = if self.v0_3 { &["1.0", "0.3"] } else { &["1.0"] };
        let interfaces = versions
            .iter()
            .flat_map(|version| {
                [AgentInterface::JSONRPC, AgentInterface::HTTP_JSON]
                    .map(|binding| AgentInterface::new(url, binding, *version))
            })
            .collect();
        let mut card = TripPlanner::card(interfaces, !self.no_streaming);
        let mut options = HttpOptions::default();
        options.legacy = self.v0_3;
        options.shutdown_grace = SHUTDOWN_GRACE;
        match self.bearer {
            None => Server::new(card, TripPlanner::new()).with_http(options),
            Some(token) => {
                demand_bearer(&mut card);
                let tokens = BearerTokens::new([(token.expose(), Caller::new("bearer"))]);
                Server::new(card, TripPlanner::new()).with_http(options).with_authenticator(tokens)
            }
        }
    }
}

fn demand_bearer(card: &mut AgentCard) {
    let mut scheme = HttpAuthSecurityScheme::default();
    scheme.scheme = "Bearer".to_owned();
    card.security_schemes.insert("bearer".to_owned(), SecurityScheme::HttpAuth(scheme));
    let mut requirement = SecurityRequirement::default();
    requirement.schemes.insert("bearer".to_owned(), StringList::default());
    card.security_requirements.push(requirement);
}

/// Where to call what listens here.
pub(super) fn url_of(mut address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("http://{address}")
}

/// How long replies may go on when the server is to end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
