//! The status of a study, as any process can see it: where it stands, its slots, its failures, the
//! logs of its evaluations; with the feature `report`, as one typed value and as the facts of its
//! report.

mod board;
mod check;
mod current;
mod ends;
#[cfg(feature = "report")]
mod facts;
mod failures;
pub mod log;
mod slots;
#[cfg(feature = "report")]
mod summary;

pub(crate) use board::{Board, Mark, SLOTS, STATES};
pub use check::{CheckReport, StrataReport, TrialReport};
pub use current::current;
pub use ends::EndsReport;
#[cfg(feature = "report")]
pub use facts::{facts, report_facts};
pub use failures::{FailureGroup, advice, failures};
pub use slots::{Running, Slot, SlotState, slots};
#[cfg(feature = "report")]
pub use summary::{
    ArmSearchStatus, ArmStatus, BestTrialStatus, ConclusionStatus, SearchStatus, State, Status,
};
