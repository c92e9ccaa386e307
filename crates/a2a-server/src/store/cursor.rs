//! Where a page of tasks begins.

use std::time::UNIX_EPOCH;

use a2a_types::{Task, Timestamp};

/// A task's place in the order of a list: newest status first, then by id, descending.
///
/// It is the key of the last task of a page, so that tasks that change meanwhile neither shift nor repeat
/// the others. As text it is `{milliseconds}.{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Cursor {
    /// Time of the status, in milliseconds since 1970.
    pub millis: i64,
    /// Id of the task.
    pub id: String,
}

impl Cursor {
    /// The place of a task.
    pub fn of(task: &Task) -> Self {
        Self { millis: task.status.timestamp.as_ref().map_or(0, millis), id: task.id.clone() }
    }

    /// A page token.
    pub fn to_token(&self) -> String {
        format!("{}.{}", self.millis, self.id)
    }

    /// What a page token says.
    pub fn from_token(token: &str) -> Option<Self> {
        let (millis, id) = token.split_once('.')?;
        Some(Self { millis: millis.parse().ok()?, id: id.to_owned() })
    }
}

/// Milliseconds since 1970; 0 if the timestamp cannot be read or is older.
pub(super) fn millis(timestamp: &Timestamp) -> i64 {
    let since = timestamp.to_system_time().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
