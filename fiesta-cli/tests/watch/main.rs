//! Tests of `fiesta watch`: what it shows, whom it refuses, what it costs, and that nothing harms
//! it.

#[path = "../support/mod.rs"]
mod support;
#[path = "../support/usage.rs"]
mod usage;

mod follows;
mod growing;
mod harmless;
mod page;
mod refuses;

use support::{Bench, code};

/// A study of two arms, whose jobs take no time.
pub(crate) fn bench() -> Bench {
    Bench::with_study(support::STUDY)
}
