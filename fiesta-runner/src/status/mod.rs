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
#[cfg(feature = "report")]
mod follow;
pub mod log;
#[cfg(feature = "report")]
mod log_end;
#[cfg(feature = "report")]
mod slot_table;
mod slots;
#[cfg(feature = "report")]
mod summary;
#[cfg(feature = "report")]
mod trace;
mod waits;

pub(crate) use board::{Board, SLOTS, STATES};
pub use check::{CheckReport, StrataReport};
pub use current::{changed, current};
pub use ends::EndsReport;
#[cfg(feature = "report")]
pub use facts::{cost_unit, facts, report_facts};
pub use failures::{FailureGroup, advice, failures};
#[cfg(feature = "report")]
pub use follow::{Follower, Standing};
#[cfg(feature = "report")]
pub use log_end::{LogEnd, LogEnds};
#[cfg(feature = "report")]
pub use slot_table::{SlotTable, duration};
pub use slots::{Running, Slot, SlotState, slots};
#[cfg(feature = "report")]
pub use summary::{
    ArmSearchStatus, ArmStatus, BestTrialStatus, ConclusionStatus, SearchStatus, State, Status,
};
pub(crate) use waits::WAITS;
pub use waits::waits;
