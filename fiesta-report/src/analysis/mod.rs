//! Analyses of recorded evaluations as typed results: P(best), tuning curves, the best of n
//! trials, simulations, plans.
//!
//! Each analysis is a function from records to a value that is serialised as the program's JSON, and
//! whose `text` is what the program prints: text, JSON, pages and other languages state the same
//! numbers.

pub mod belief;
pub mod best_of_n;
mod counts;
pub mod curve;
mod error;
mod figures;
pub mod plan;
mod scores;
pub mod simulation;

pub use counts::{CountsOfArms, Target};
pub use error::AnalysisError;
pub use scores::{ScoresOfArms, unpaired_note};
