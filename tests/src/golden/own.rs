//! What we expect where we differ from AgentScope on purpose.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

/// Our expectation of a case.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OwnExpectation {
    /// The differences that explain it, by their names in `docs/differences.md`.
    pub differences: Vec<String>,
    /// The results, normalised.
    pub expect: Vec<Value>,
}

/// Our expectations, by the names of their cases.
#[derive(Debug, Clone, Default)]
pub struct OwnExpectations {
    cases: BTreeMap<String, OwnExpectation>,
}

impl OwnExpectations {
    /// The expectations kept beside the cases, in `tests/data/golden`.
    ///
    /// # Errors
    ///
    /// A line is not an expectation.
    pub fn reviewed() -> Result<Self, String> {
        let mut own = Self::default();
        for text in [
            include_str!("../../data/golden/hand.ours.jsonl"),
            include_str!("../../data/golden/random.ours.jsonl"),
        ] {
            for line in text.lines() {
                own.read(line)?;
            }
        }
        Ok(own)
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let name = value["name"].as_str().ok_or("an expectation without a name")?;
        let differences = value["differences"].as_array().ok_or_else(|| format!("{name}: no differences"))?;
        let expect = value["expect"].as_array().ok_or_else(|| format!("{name}: no expectation"))?;
        let expectation = OwnExpectation {
            differences: differences.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            expect: expect.clone(),
        };
        match self.cases.insert(name.to_owned(), expectation) {
            None => Ok(()),
            Some(_) => Err(format!("{name}: two expectations")),
        }
    }

    /// The lines to keep for these cases, given the results of those that differ, normalised. Differences that were
    /// named stay named; a case that did not differ before has none, which the suite does not accept.
    pub fn renew(&self, results: &[(String, Vec<Value>)]) -> String {
        let mut text = String::new();
        for (name, results) in results {
            let differences = self.of(name).map(|own| own.differences.as_slice()).unwrap_or_default();
            let line = json!({"name": name, "differences": differences, "expect": results});
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The expectation of this case.
    pub fn of(&self, name: &str) -> Option<&OwnExpectation> {
        self.cases.get(name)
    }

    /// All of them, by the name of the case.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OwnExpectation)> {
        self.cases.iter().map(|(name, own)| (name.as_str(), own))
    }
}
