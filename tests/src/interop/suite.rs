//! The whole run.

use std::collections::BTreeSet;

use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::{
    book::{Book, Scenario},
    faults::{Fault, Faults},
    matrix::{Cell, Matrix},
    ours::{Scratch, Target, by_library, by_program},
    peer::{Places, Server},
    theirs::{CLIENTS, Client},
};

/// What is run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Only columns whose name contains this.
    pub column: String,
    /// Only rows whose name contains this.
    pub row: String,
    /// A peer that is not set up is a failure.
    pub require: bool,
}

/// What the run came to.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The tables.
    pub tables: Vec<Matrix>,
    /// The SDKs that were run, with their versions.
    pub sdks: Vec<String>,
    /// What could not be run.
    pub missing: Vec<String>,
}

/// Runs everything.
///
/// # Errors
///
/// The suite itself is broken.
pub async fn suite(places: &Places, options: &Options) -> Result<Report, String> {
    let scratch = Scratch::new()?;
    let mut run = Run {
        places,
        options,
        scratch: &scratch,
        book: Book::read()?,
        faults: Faults::read()?,
        servers: Vec::new(),
        missing: Vec::new(),
    };
    let tables = vec![run.our_client().await?, run.our_server().await?];
    let sdks =
        run.servers.iter().map(|(_, server)| server.sdk.clone()).filter(|sdk| !sdk.is_empty()).collect();
    for (_, server) in run.servers {
        server.stop().await;
    }
    Ok(Report { tables, sdks, missing: run.missing })
}

/// An agent that is called: a variant of a peer's server.
#[derive(Clone, Copy)]
struct Agent {
    /// How tables name it.
    name: &'static str,
    sdk: &'static str,
    variant: &'static str,
    /// The version of the protocol that it speaks.
    version: &'static str,
}

const AGENTS: [Agent; 6] = [
    Agent { name: "Python 1.x", sdk: "python-1", variant: "plain", version: "1.0" },
    Agent { name: "Python 1.x as 0.3", sdk: "python-1", variant: "old", version: "0.3" },
    Agent { name: "Python 0.3", sdk: "python-0.3", variant: "plain", version: "0.3" },
    Agent { name: "JS 1.x", sdk: "js-1", variant: "plain", version: "1.0" },
    Agent { name: "JS 1.x as 0.3", sdk: "js-1", variant: "old", version: "0.3" },
    Agent { name: "JS 0.3", sdk: "js-0.3", variant: "plain", version: "0.3" },
];

const BINDINGS: [(&str, &str); 2] = [("JSON-RPC", "JSONRPC"), ("REST", "HTTP+JSON")];

/// A row of one column, and what is wrong.
type Row = (String, Result<(), String>);

struct Run<'a> {
    places: &'a Places,
    options: &'a Options,
    scratch: &'a Scratch,
    book: Book,
    faults: Faults,
    /// The servers that run, by SDK.
    servers: Vec<(&'static str, Server)>,
    missing: Vec<String>,
}

impl Run<'_> {
    fn wants(&self, column: &str) -> bool {
        column.contains(&self.options.column)
    }

    fn scenarios(&self, client: &str, server: &str) -> Vec<&Scenario> {
        let fits = |scenario: &&Scenario| {
            scenario.name.contains(&self.options.row)
                && (scenario.only.is_empty() || scenario.only.iter().any(|peer| peer == server))
                && !scenario.skip.iter().any(|peer| peer == client)
        };
        self.book.scenarios.iter().filter(fits).collect()
    }

    /// The URL of the server on an SDK, which is started if need be; none if it is not set up.
    async fn server(&mut self, sdk: &'static str) -> Result<Option<String>, String> {
        if let Some((_, server)) = self.servers.iter().find(|(known, _)| *known == sdk) {
            return Ok(Some(server.url.clone()));
        }
        let command = match sdk {
            "ours" => self.places.program("conformance_agent").map(|mut program| {
                program.arg("--v03");
                program
            }),
            sdk => self.places.script(sdk, if sdk.ends_with("-0.3") { "server_0_3" } else { "server_1" }),
        };
        match command {
            Ok(command) => {
                let server = Server::start(command).await?;
                let url = server.url.clone();
                self.servers.push((sdk, server));
                Ok(Some(url))
            }
            Err(reason) => {
                if !self.missing.contains(&reason) {
                    self.missing.push(reason);
                }
                Ok(None)
            }
        }
    }

    /// Our client against the servers of others.
    async fn our_client(&mut self) -> Result<Matrix, String> {
        let mut columns = Vec::new();
        for agent in AGENTS {
            for (shown, binding) in BINDINGS {
                let column = format!("{} {shown}", agent.name);
                if self.wants(&column)
                    && let Some(url) = self.server(agent.sdk).await?
                {
                    let target = Target::new(format!("{url}/{}", agent.variant), binding);
                    columns.push((column, agent, target));
                }
            }
        }
        let run = &*self;
        let results = stream::iter(&columns).map(|(column, agent, target)| async move {
            let mut rows = Vec::new();
            for scenario in run.scenarios("ours", agent.sdk) {
                rows.push((scenario.name.clone(), run.ours(target, scenario).await));
            }
            let witness = |sdk: &str| Some((Client::on(sdk)?, target.connection(agent.version)));
            run.judge("server", column, rows, &witness).await
        });
        let results: Vec<_> = results.buffered(COLUMNS_AT_ONCE).collect().await;
        Ok(self.table(
            "Our client with the servers of other SDKs",
            columns.iter().map(|(name, ..)| name),
            results,
        ))
    }

    async fn ours(&self, target: &Target, scenario: &Scenario) -> Result<(), String> {
        by_library(target, &self.book, scenario).await?;
        by_program(self.places, self.scratch, target, &self.book, scenario).await
    }

    /// Our server with the clients of others.
    async fn our_server(&mut self) -> Result<Matrix, String> {
        let mut columns = Vec::new();
        for client in CLIENTS {
            for (shown, binding) in BINDINGS {
                let column = format!("{} {shown}", client.name);
                if self.wants(&column)
                    && let Some(url) = self.server("ours").await?
                {
                    match self.places.script(client.sdk, "") {
                        Ok(_) => columns.push((column, client, Target::new(url, binding))),
                        Err(reason) if !self.missing.contains(&reason) => self.missing.push(reason),
                        Err(_) => {}
                    }
                }
            }
        }
        for agent in AGENTS {
            self.server(agent.sdk).await?;
        }
        let run = &*self;
        let results = stream::iter(&columns).map(|(column, client, target)| async move {
            let scenarios = run.scenarios(client.sdk, "ours");
            let connection = target.connection("");
            let rows = match client.go_through(run.places, &connection, &run.book, &scenarios, true).await {
                Ok(results) => scenarios
                    .iter()
                    .zip(results)
                    .map(|(scenario, result)| (scenario.name.clone(), result))
                    .collect(),
                Err(reason) => vec![("connect".to_owned(), Err(reason))],
            };
            let witness = |name: &str| {
                let agent = AGENTS.into_iter().find(|agent| agent.name == name)?;
                let (_, server) = run.servers.iter().find(|(sdk, _)| *sdk == agent.sdk)?;
                let target = Target::new(format!("{}/{}", server.url, agent.variant), target.binding);
                Some((*client, target.connection("")))
            };
            run.judge("client", column, rows, &witness).await
        });
        let results: Vec<_> = results.buffered(COLUMNS_AT_ONCE).collect().await;
        Ok(self.table(
            "Our server with the clients of other SDKs",
            columns.iter().map(|(name, ..)| name),
            results,
        ))
    }

    /// Tells the faults of a peer from ours. A fault must be seen where it is known, and with the witness too.
    async fn judge(
        &self,
        peer: &str,
        column: &str,
        rows: Vec<Row>,
        witness: &(dyn Fn(&str) -> Option<(Client, Value)> + Sync),
    ) -> Vec<(String, Cell)> {
        let mut cells: Vec<(String, Cell)> = Vec::new();
        let mut known: Vec<(usize, &Fault, String)> = Vec::new();
        for (row, result) in rows {
            let cell = match (result, self.faults.of(peer, column, &row)) {
                (Ok(()), None) => Cell::Pass,
                (Ok(()), Some(fault)) => Cell::Fail(format!("a known fault is gone: {}", fault.fault)),
                (Err(failure), Some(fault)) if fault.explains(&failure) => {
                    known.push((cells.len(), fault, failure));
                    Cell::Fault(fault.fault.clone())
                }
                (Err(failure), _) => Cell::Fail(failure),
            };
            cells.push((row, cell));
        }
        let witnesses: BTreeSet<&str> = known.iter().map(|(_, fault, _)| fault.witness.as_str()).collect();
        for name in witnesses {
            let seen: Vec<_> = known.iter().filter(|(_, fault, _)| fault.witness == name).collect();
            let scenarios: Vec<&Scenario> =
                seen.iter().filter_map(|(at, ..)| self.book.scenario(&cells.get(*at)?.0).ok()).collect();
            let Some((client, connection)) = witness(name) else { continue };
            let results = client.go_through(self.places, &connection, &self.book, &scenarios, false).await;
            // A witness that cannot even begin fails alike.
            for (result, (at, _, failure)) in results.into_iter().flatten().zip(seen) {
                if let (Ok(()), Some((_, cell))) = (result, cells.get_mut(*at)) {
                    *cell = Cell::Fail(format!("{failure}; not so with {name}"));
                }
            }
        }
        cells
    }

    /// One table of the results of columns. Rows are in the order of the book.
    fn table<'a>(
        &self,
        title: &str,
        columns: impl Iterator<Item = &'a String> + Clone,
        results: Vec<Vec<(String, Cell)>>,
    ) -> Matrix {
        let mut matrix = Matrix::new(title, columns.clone());
        for (column, cells) in columns.zip(results) {
            for (row, cell) in cells {
                matrix.put(&row, column, cell);
            }
        }
        matrix.sort_by(|name| self.book.scenarios.iter().position(|scenario| scenario.name == name));
        matrix
    }
}

impl Target {
    /// What the client of another SDK is told about the connection.
    fn connection(&self, version: &str) -> Value {
        json!({"url": self.url, "binding": self.binding, "version": version})
    }
}

const COLUMNS_AT_ONCE: usize = 4;
