//! Plans of studies: lower bounds, proven budgets and the classical power calculation.
//!
//! - [`Instance`]: what is supposed of the arms, or estimated from pilot scores.
//! - [`complexity`] and [`unknown_variances`]: how little evidence can do, whatever the policy.
//! - [`HalvingBound`]: the budget that suffices for sequential halving.
//! - [`TTest`]: the evaluations that a t-test takes.
//! - [`Benchmark`]: the documents that the classical comparison of systems takes.

mod benchmark;
mod complexity;
mod halving_bound;
mod instance;
mod power;
mod unknown_variance;

pub use benchmark::{Benchmark, Rival, Size};
pub use complexity::{Complexity, ComplexityError, complexity};
pub use halving_bound::HalvingBound;
pub use instance::{Instance, InstanceError};
pub use power::{PowerError, TTest};
pub use unknown_variance::unknown_variances;
