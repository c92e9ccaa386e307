//! Two-sided examples.
