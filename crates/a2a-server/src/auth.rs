//! Who calls.

use a2a_types::Metadata;

/// Who a request comes from. Tasks belong to the caller that created them; nobody else can see them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Caller {
    /// Stable id; empty for anonymous callers, who share their tasks.
    pub id: String,
    /// What else is known of the caller: roles, scopes, claims.
    pub claims: Metadata,
}

impl Caller {
    /// A caller with this id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), claims: Metadata::new() }
    }

    /// A caller nobody knows.
    pub fn anonymous() -> Self {
        Self::default()
    }
}
