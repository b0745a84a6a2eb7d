//! The status of a study, as any process can see it: where it stands, its slots, its failures, the
//! logs of its evaluations; with the feature `report`, as one typed value and as the facts of its
//! report.

#[cfg(feature = "report")]
mod advice;
#[cfg(feature = "report")]
mod benchmarks;
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
mod measure;
#[cfg(feature = "report")]
mod slot_table;
mod slots;
#[cfg(feature = "report")]
mod summary;
#[cfg(feature = "report")]
mod trace;
mod waits;

#[cfg(feature = "report")]
#[doc(hidden)]
pub use advice::advice;
pub(crate) use board::{Board, SLOTS, STATES};
pub use check::CheckReport;
#[doc(hidden)]
pub use check::StrataReport;
#[doc(hidden)]
pub use current::changed;
pub use current::current;
#[doc(hidden)]
pub use ends::EndsReport;
#[cfg(feature = "report")]
pub use facts::facts;
#[cfg(feature = "report")]
#[doc(hidden)]
pub use facts::{cost_unit, report_facts};
pub use failures::{FailureGroup, failures};
#[cfg(feature = "report")]
#[doc(hidden)]
pub use follow::{Follower, Standing};
#[cfg(feature = "report")]
#[doc(hidden)]
pub use log_end::{LogEnd, LogEnds};
#[cfg(feature = "report")]
pub use measure::MeasureStatus;
#[cfg(feature = "report")]
#[doc(hidden)]
pub use slot_table::{SlotTable, duration};
pub use slots::{Running, Slot, SlotState, slots};
#[cfg(feature = "report")]
pub use summary::{
    ArmSearchStatus, ArmStatus, BestTrialStatus, ConclusionStatus, SearchStatus, State, Status,
};
pub(crate) use waits::WAITS;
#[doc(hidden)]
pub use waits::waits;
