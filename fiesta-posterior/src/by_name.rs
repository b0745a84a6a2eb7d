//! Posteriors by the names that study files and the command line use.

use crate::{GaussianArms, Paired};
use fiesta_core::Observe;

/// Names of posteriors that [`posterior_by_name`] knows.
pub const POSTERIORS: [&str; 4] = ["uniform", "jeffreys", "pooled", "paired"];

/// The posteriors of scores that a study may name, each with a description: [`POSTERIORS`], the one of pools and the one of several benchmarks.
pub const ABOUT: [(&str, &str); 6] = [
    (
        "paired",
        "means of scores on shared splits: splits and arms have effects of their own; also without shared splits",
    ),
    (
        "pooled",
        "means of independent scores with one variance for all arms",
    ),
    (
        "jeffreys",
        "means of independent scores, each arm with its own variance, under Jeffreys' prior",
    ),
    ("uniform", "the same under a uniform prior: FIESTA's"),
    (POOL, "means over a pool of items of scores within bounds"),
    (
        BENCHMARKS,
        "weighted means over the pools of several benchmarks",
    ),
];

/// Name of the default posterior.
pub const DEFAULT: &str = PAIRED;

/// Name of the posterior that uses shared splits.
pub const PAIRED: &str = "paired";

/// The name of the posterior [`Pool`](crate::Pool), which needs to know how many items there are and
/// is none of [`POSTERIORS`].
pub const POOL: &str = "pool";

/// The name of the posterior [`BenchmarksOfStudy`](crate::BenchmarksOfStudy), which needs to know the
/// benchmarks and is none of [`POSTERIORS`].
pub const BENCHMARKS: &str = "benchmarks";

/// The name of a posterior is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no posterior `{0}`: use one of {list}", list = POSTERIORS.join(", "))]
pub struct UnknownPosterior(String);

/// Returns the posterior of scores with this name, over K arms.
///
/// # Errors
/// [`UnknownPosterior`] unless the name is one of [`POSTERIORS`].
pub fn posterior_by_name(
    name: &str,
    arms: usize,
) -> Result<Box<dyn Observe<f64>>, UnknownPosterior> {
    match name {
        "uniform" => Ok(Box::new(GaussianArms::uniform(arms))),
        "jeffreys" => Ok(Box::new(GaussianArms::jeffreys(arms))),
        "pooled" => Ok(Box::new(GaussianArms::pooled(arms))),
        "paired" => Ok(Box::new(Paired::new(arms))),
        other => Err(UnknownPosterior(other.to_owned())),
    }
}
