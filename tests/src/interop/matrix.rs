//! The table of results: rows are scenarios, columns are peers and bindings.

use std::fmt::Write as _;

/// What one scenario came to with one peer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cell {
    /// As it should be.
    Pass,
    /// The peer is at fault, as is known and was seen again: what it does.
    Fault(String),
    /// Not as it should be.
    Fail(String),
    /// The peer cannot play it.
    Absent,
}

/// A table of results.
#[derive(Debug, Default)]
pub struct Matrix {
    title: String,
    columns: Vec<String>,
    rows: Vec<(String, Vec<Cell>)>,
}

impl Matrix {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Puts a result in its place; a row that is new comes last.
    pub fn put(&mut self, row: &str, column: &str, cell: Cell) {
        let at = self.columns.iter().position(|name| name == column).unwrap_or_else(|| {
            self.columns.push(column.to_owned());
            self.columns.len() - 1
        });
        let index = self.rows.iter().position(|(name, _)| name == row).unwrap_or_else(|| {
            self.rows.push((row.to_owned(), Vec::new()));
            self.rows.len() - 1
        });
        if let Some((_, cells)) = self.rows.get_mut(index) {
            if cells.len() < self.columns.len() {
                cells.resize(self.columns.len(), Cell::Absent);
            }
            if let Some(place) = cells.get_mut(at) {
                *place = cell;
            }
        }
    }

    /// Puts the rows in order; those without a place come last.
    pub fn sort_by(&mut self, place: impl Fn(&str) -> Option<usize>) {
        self.rows.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    }

    /// How many results there are that satisfy this.
    pub fn count(&self, wanted: impl Fn(&Cell) -> bool) -> usize {
        self.rows.iter().flat_map(|(_, cells)| cells).filter(|cell| wanted(cell)).count()
    }

    /// How many results are not as they should be.
    pub fn failures(&self) -> usize {
        self.count(|cell| matches!(cell, Cell::Fail(_)))
    }

    /// The table in Markdown, with the reasons below it.
    pub fn markdown(&self) -> String {
        let mut notes: Vec<&str> = Vec::new();
        let mut note = |reason| {
            notes.iter().position(|known| *known == reason).unwrap_or_else(|| {
                notes.push(reason);
                notes.len() - 1
            }) + 1
        };
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let mut text = format!("### {}\n\n| {:width$} |", self.title, "");
        for column in &self.columns {
            let _ = write!(text, " {column} |");
        }
        let _ = write!(text, "\n| {:-<width$} |", "");
        for column in &self.columns {
            let _ = write!(text, " {:-<1$} |", "", column.len());
        }
        for (name, cells) in &self.rows {
            let _ = write!(text, "\n| {name:width$} |");
            for (index, column) in self.columns.iter().enumerate() {
                let cell = match cells.get(index).unwrap_or(&Cell::Absent) {
                    Cell::Pass => "ok".to_owned(),
                    Cell::Absent => "-".to_owned(),
                    Cell::Fault(reason) => format!("fault {}", note(reason)),
                    Cell::Fail(reason) => format!("FAIL {}", note(reason)),
                };
                let _ = write!(text, " {cell:0$} |", column.len());
            }
        }
        text.push('\n');
        for (index, reason) in notes.iter().enumerate() {
            let _ = write!(text, "\n{}. {reason}", index + 1);
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_with_its_reasons() {
        let mut matrix = Matrix::new("Title", ["peer A", "B"]);
        matrix.put("echo", "peer A", Cell::Pass);
        matrix.put("echo", "B", Cell::Fail("said nothing".to_owned()));
        matrix.put("raw", "B", Cell::Fault("twice base64".to_owned()));
        assert_eq!(
            matrix.markdown(),
            "### Title\n\n|      | peer A | B |\n| ---- | ------ | - |\n| echo | ok     | FAIL 1 |\n| raw  | -      | fault 2 |\n\n\
             1. said nothing\n2. twice base64\n"
        );
        assert_eq!(matrix.failures(), 1);
    }
}
