//! A study at one moment, as plain facts, and what follows from them: the recommended arm, ties,
//! the sentence to quote, the table of arms.
//!
//! Whoever runs studies fills in [`StudyFacts`]; [`StudyFindings`] are computed from these alone,
//! so that status, page and table of one study state the same numbers.

mod benchmarks;
mod facts;
mod failing;
mod findings;
mod meaning;
mod notice;
mod quote;
mod search;
mod search_winner;
#[cfg(test)]
mod tests;
mod top;

pub use benchmarks::{BenchmarkArm, BenchmarkFacts};
pub use facts::{
    ArmFacts, BeliefPath, EvaluationFacts, ExtensionFacts, LostAttempts, SearchFacts,
    StudyBackground, StudyFacts,
};
pub use findings::{StudyFindings, StudyVerdict};
#[cfg(feature = "html")]
pub(in crate::analysis) use search::first_best;
pub use search_winner::{SearchWinnerFacts, SearchWinnerReport};
pub use top::TopReport;
