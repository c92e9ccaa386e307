//! The servers of a run.

use futures::future::join_all;

use super::peer::{Places, Server};

/// An agent that is called: a variant of a peer's server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Agent {
    /// How tables name it.
    pub(super) name: &'static str,
    /// The SDK it runs on.
    pub(super) sdk: &'static str,
    /// Its path on the server.
    pub(super) variant: &'static str,
    /// The version of the protocol that it speaks.
    pub(super) version: &'static str,
}

/// The agents of other SDKs.
pub(super) const AGENTS: [Agent; 7] = [
    Agent { name: "Python 1.x", sdk: "python-1", variant: "plain", version: "1.0" },
    Agent { name: "Python 1.x as 0.3", sdk: "python-1", variant: "old", version: "0.3" },
    Agent { name: "Python 0.3", sdk: "python-0.3", variant: "plain", version: "0.3" },
    Agent { name: "JS 1.x", sdk: "js-1", variant: "plain", version: "1.0" },
    Agent { name: "JS 1.x as 0.3", sdk: "js-1", variant: "old", version: "0.3" },
    Agent { name: "JS 0.3", sdk: "js-0.3", variant: "plain", version: "0.3" },
    Agent { name: "Rust", sdk: "rust", variant: "plain", version: "1.0" },
];

/// The bindings, as tables and as cards name them.
pub(super) const BINDINGS: [(&str, &str); 2] = [("JSON-RPC", "JSONRPC"), ("REST", "HTTP+JSON")];

/// What callers must show where a credential is demanded.
pub(super) const TOKEN: &str = "interop-secret";

/// Where an agent serves several tenants, this is the one that its card names.
pub(super) const TENANT: &str = "tenant-7";

/// All servers, ours and others.
#[derive(Debug, Default)]
pub(super) struct Fleet {
    servers: Vec<(&'static str, Server)>,
    /// What is not set up.
    pub(super) missing: Vec<String>,
}

impl Fleet {
    /// Starts everything that is set up.
    pub(super) async fn start(places: &Places) -> Result<Self, String> {
        let mut fleet = Self::default();
        let mut commands = Vec::new();
        for (name, flags) in [
            ("ours", ["--v03"].as_slice()),
            ("ours-bearer", &["--v03", "--bearer", TOKEN]),
            ("ours-bare", &["--v03", "--caps", "bare"]),
            ("ours-tenant", &["--tenant", TENANT]),
        ] {
            let mut program = places.program("conformance_agent")?;
            program.args(flags).arg("--watch-stdin");
            commands.push((name, program));
        }
        for name in ["itk", "itk-other"] {
            let mut program = places.program("itk_agent")?;
            program.arg("--watch-stdin");
            commands.push((name, program));
        }
        let ours = commands.len();
        for (name, sdk, script) in [
            ("python-1", "python-1", "server_1"),
            ("python-0.3", "python-0.3", "server_0_3"),
            ("js-1", "js-1", "server_1"),
            ("js-0.3", "js-0.3", "server_0_3"),
            ("rust", "rust", "serve"),
            ("itk-python-1", "python-1", "itk_agent_1"),
            ("itk-python-0.3", "python-0.3", "itk_agent_0_3"),
        ] {
            match places.script(sdk, script) {
                Ok(command) => commands.push((name, command)),
                // Agents of the kit are not told of twice.
                Err(reason) if name == sdk => fleet.missing.push(reason),
                Err(_) => {}
            }
        }
        if let Err(reason) = places.script("agentscope", "") {
            fleet.missing.push(reason);
        }
        let starting =
            commands.into_iter().map(|(name, command)| async move { (name, Server::start(command).await) });
        for (index, (name, started)) in join_all(starting).await.into_iter().enumerate() {
            match started {
                Ok(server) => fleet.servers.push((name, server)),
                Err(reason) if index < ours => return Err(reason),
                Err(reason) => fleet.missing.push(format!("{name}: {reason}")),
            }
        }
        Ok(fleet)
    }

    /// Where a server is; none if it is not set up.
    pub(super) fn url(&self, name: &str) -> Option<&str> {
        self.servers.iter().find(|(known, _)| *known == name).map(|(_, server)| server.url.as_str())
    }

    /// The SDKs of the servers, with their versions.
    pub(super) fn sdks(&self) -> Vec<String> {
        let sdks = self.servers.iter().map(|(_, server)| server.sdk.clone());
        sdks.filter(|sdk| !sdk.is_empty()).collect()
    }

    /// Ends all of them.
    pub(super) async fn stop(self) {
        join_all(self.servers.into_iter().map(|(_, server)| server.stop())).await;
    }
}
