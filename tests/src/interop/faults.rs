//! Faults of peers that are known: `tests/interop/faults.json`. Each is seen again in every run, and is shown to
//! be the peer's own by the same failure without us.

use serde::Deserialize;

/// A fault of a peer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    /// What the peer is: `server` or `client`; `itk` for an agent of the integration test kit, which is both.
    peer: String,
    /// The columns where it shows; `*` at the end stands for anything.
    columns: Vec<String>,
    /// The rows where it shows.
    rows: Vec<String>,
    /// What the failure says.
    says: String,
    /// What the peer does.
    pub(super) fault: String,
    /// An SDK whose client, or the server of another SDK with which the peer, fails alike.
    pub(super) witness: String,
    /// What the failure of the witness says.
    witness_says: String,
    /// The scenario in which the witness fails, if it is not the row itself.
    #[serde(default)]
    shown_in: Option<String>,
}

/// The known faults.
#[derive(Debug)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn read() -> Result<Self, String> {
        serde_json::from_str(include_str!("../../interop/faults.json"))
            .map(Self)
            .map_err(|error| format!("faults.json: {error}"))
    }

    /// The fault that a cell is known for.
    pub(super) fn of(&self, peer: &str, column: &str, row: &str) -> Option<&Fault> {
        let shows_in = |wanted: &String| match wanted.strip_suffix('*') {
            Some(prefix) => column.starts_with(prefix),
            None => column == wanted,
        };
        let is_it = |fault: &&Fault| {
            fault.peer == peer
                && fault.columns.iter().any(shows_in)
                && fault.rows.iter().any(|name| name == row)
        };
        self.0.iter().find(is_it)
    }
}

impl Fault {
    /// The row or scenario in which the witness has to fail.
    pub(super) fn shown_in<'a>(&'a self, row: &'a str) -> &'a str {
        self.shown_in.as_deref().unwrap_or(row)
    }

    /// Whether the witness, which came to this, has seen the fault.
    ///
    /// # Errors
    ///
    /// It has seen nothing, or something else.
    pub(super) fn is_seen(&self, result: Result<(), String>) -> Result<(), String> {
        match result {
            Err(failure) if failure.contains(&self.witness_says) => Ok(()),
            Err(failure) => Err(format!("otherwise with {}: {failure}", self.witness)),
            Ok(()) => Err(format!("not so with {}", self.witness)),
        }
    }

    /// Whether this failure is the known one.
    pub(super) fn explains(&self, failure: &str) -> bool {
        failure.contains(&self.says)
    }
}
