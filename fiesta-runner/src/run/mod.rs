//! Runs: attempts at evaluations, each with a directory of its own, and what is read from it.
//!
//! A **run** is one attempt at one evaluation. It has a directory of its own, which is never used
//! for another run, and the truth about it is what its supervisor (see [`crate::supervisor`])
//! published there.

mod directory;
mod end;
pub(crate) mod files;
mod held;
mod id;
pub(crate) mod marks;
#[doc(hidden)]
pub mod result;
pub(crate) mod seconds;
mod spec;
mod variable;

pub use directory::RunDirectory;
pub(crate) use directory::{Claim, Meta, TAIL, worth_keeping};
pub use end::{Carried, End, Ended, Rescued, ScoreLine};
pub(crate) use held::RunFiles;
pub use id::{BadRunId, RunId};
pub use spec::RunSpec;
pub(crate) use spec::inherited;
pub(crate) use variable::{HYPERPARAMETER, JobVariable};
