//! The whole run.

use std::collections::BTreeSet;

use futures::{StreamExt as _, stream};

use super::{
    agentscope,
    book::{Book, Scenario},
    faults::{Fault, Faults},
    fleet::{AGENTS, BINDINGS, Fleet},
    itk,
    matrix::{Cell, Matrix},
    operations::operations,
    orders,
    ours::{Scratch, Target, by_both},
    peer::Places,
    theirs::{CLIENTS, Client, Connection},
};

/// What is run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Only this table: `client`, `server`, `agentscope` or `itk`.
    pub table: String,
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

/// What a run has at hand.
pub(super) struct Run<'a> {
    pub(super) places: &'a Places,
    pub(super) scratch: Scratch,
    pub(super) book: Book,
    pub(super) fleet: Fleet,
    options: &'a Options,
    faults: Faults,
}

/// A row of one column, and what is wrong.
pub(super) type Row = (String, Result<(), String>);

/// Runs everything.
///
/// # Errors
///
/// The suite itself is broken.
pub async fn suite(places: &Places, options: &Options) -> Result<Report, String> {
    let run = Run {
        places,
        scratch: Scratch::new()?,
        book: Book::read()?,
        fleet: Fleet::start(places).await?,
        options,
        faults: Faults::read()?,
    };
    let wants = |table: &str| options.table.is_empty() || options.table == table;
    let mut tables = Vec::new();
    if wants("client") {
        tables.push(run.our_client().await);
    }
    if wants("server") {
        tables.push(run.our_server().await);
    }
    if wants("agentscope") {
        tables.extend(agentscope::table(&run).await);
    }
    if wants("itk") {
        tables.push(itk::table(&run).await);
    }
    let (sdks, missing) = (run.fleet.sdks(), run.fleet.missing.clone());
    run.fleet.stop().await;
    Ok(Report { tables, sdks, missing })
}

/// The official client that is asked whether a fault is the peer's own.
pub(super) type Witness<'a> = dyn Fn(&str, &str) -> Option<(Client, Connection)> + Sync + 'a;

impl Run<'_> {
    /// Our client with the servers of others.
    async fn our_client(&self) -> Matrix {
        let mut columns = Vec::new();
        for agent in AGENTS {
            for (shown, binding) in BINDINGS {
                if let Some(url) = self.fleet.url(agent.sdk) {
                    columns.push((format!("{} {shown}", agent.name), agent, url, binding));
                }
            }
        }
        columns.retain(|(name, ..)| name.contains(&self.options.column));
        let results = stream::iter(&columns).map(|(column, agent, url, binding)| async move {
            let target = Target::new(format!("{url}/{}", agent.variant), binding);
            let mut rows = Vec::new();
            for scenario in self.scenarios("ours", agent.sdk) {
                rows.push((scenario.name.clone(), by_both(self, &target, scenario).await));
            }
            rows.extend(operations(self, *agent, url, binding).await);
            let witness = |sdk: &str, row: &str| {
                let variant = if row == "tenant" { row } else { agent.variant };
                let target = Target::new(format!("{url}/{variant}"), binding);
                Some((Client::on(sdk)?, Connection::to(&target).speaking(agent.version)))
            };
            self.judge("server", column, rows, &witness).await
        });
        let results: Vec<_> = results.buffered(COLUMNS_AT_ONCE).collect().await;
        self.table(
            "Our client with the servers of other SDKs",
            columns.iter().map(|(name, ..)| name),
            results,
        )
    }

    /// Our server with the clients of others.
    async fn our_server(&self) -> Matrix {
        let mut columns = Vec::new();
        for client in CLIENTS {
            for (shown, binding) in BINDINGS {
                if self.places.script(client.sdk, "").is_ok() {
                    columns.push((format!("{} {shown}", client.name), client, binding));
                }
            }
        }
        columns.retain(|(name, ..)| name.contains(&self.options.column));
        let results = stream::iter(&columns).map(|(column, client, binding)| async move {
            let rows = orders::rows(self, *client, binding, &self.scenarios(client.sdk, "ours")).await;
            let witness = |name: &str, _: &str| {
                let agent = AGENTS.into_iter().find(|agent| agent.name == name)?;
                let url = format!("{}/{}", self.fleet.url(agent.sdk)?, agent.variant);
                Some((*client, Connection::to(&Target::new(url, binding))))
            };
            self.judge("client", column, rows, &witness).await
        });
        let results: Vec<_> = results.buffered(COLUMNS_AT_ONCE).collect().await;
        self.table(
            "Our server with the clients of other SDKs",
            columns.iter().map(|(name, ..)| name),
            results,
        )
    }

    /// What this client can go through with this server.
    fn scenarios(&self, client: &str, server: &str) -> Vec<&Scenario> {
        let fits = |scenario: &&Scenario| {
            scenario.name.contains(&self.options.row)
                && (scenario.only.is_empty() || scenario.only.iter().any(|peer| peer == server))
                && !scenario.skip.iter().any(|peer| peer == client)
        };
        self.book.scenarios.iter().filter(fits).collect()
    }

    /// Tells the faults of a peer from ours. A fault must be seen where it is known, and with the witness too.
    pub(super) async fn judge(
        &self,
        peer: &str,
        column: &str,
        rows: Vec<Row>,
        witness: &Witness<'_>,
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
            // Without the witness a fault is as it was known.
            let Some((client, connection)) = witness(name, "") else { continue };
            if self.places.script(client.sdk, "").is_err() {
                continue;
            }
            let (mut scenarios, mut shown) = (Vec::new(), Vec::new());
            let mut results = Vec::new();
            for (at, fault, failure) in known.iter().filter(|(_, fault, _)| fault.witness == name) {
                let row = cells.get(*at).map_or("", |(row, _)| row.as_str());
                if let Ok(scenario) = self.book.scenario(fault.shown_in(row)) {
                    scenarios.push(scenario);
                    shown.push((*at, *fault, failure));
                } else if let Some((client, connection)) = witness(name, row)
                    && let Some(result) = orders::alike(self, client, &connection, row).await
                {
                    results.push((*at, *fault, failure, result));
                }
            }
            if !scenarios.is_empty() {
                let seen = client.go_through(self.places, &connection, &self.book, &scenarios, false).await;
                let seen = seen.unwrap_or_else(|reason| vec![Err(reason); scenarios.len()]);
                let seen = shown.into_iter().zip(seen);
                results.extend(seen.map(|((at, fault, failure), result)| (at, fault, failure, result)));
            }
            for (at, fault, failure, result) in results {
                if let (Err(unlike), Some((_, cell))) = (fault.is_seen(result), cells.get_mut(at)) {
                    *cell = Cell::Fail(format!("{failure}; {unlike}"));
                }
            }
        }
        cells
    }

    /// One table of the results of columns. Scenarios come first, in the order of the book.
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

    /// Whether a row was asked for.
    pub(super) fn wants(&self, row: &str) -> bool {
        row.contains(&self.options.row)
    }
}

const COLUMNS_AT_ONCE: usize = 4;
