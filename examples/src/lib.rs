//! Agents shared by the example programs, which are in `src/bin`.

pub mod conformance;
pub mod itk;
pub mod scenarios;
pub mod stop;
