//! Posteriors over the mean performance of noisy candidates, and the probability of each to be the
//! best.
//!
//! - [`NormalInverseGamma`] and [`Pooled`]: how scores of one arm, or of all arms, tell of a mean;
//!   [`KnownVariance`] where their spread is known.
//! - [`GaussianArms`]: arms under such a model; implements [`fiesta_core::Observe`], so that every
//!   policy and stopping rule works on it.
//! - [`Paired`]: arms whose evaluations share splits, exactly; the default.
//! - [`Pool`]: arms that answer the items of a finite pool, compared item by item.
//! - [`best_arm`]: P(arm is best) by quadrature to any accuracy, and by Monte Carlo for any joint
//!   posterior.
//! - [`best_of_n`]: which arm has the highest expected best of n trials, for every n; [`Best`]:
//!   what a random search keeps.
//! - [`Logit`]: the same models on the logit scale.
//!
//! # Example
//! Which of three models is best, given a few scores of each?
//! ```
//! use fiesta_core::{ArmId, Posterior, Case, Observe};
//! use fiesta_posterior::GaussianArms;
//!
//! let scores = [[0.62, 0.60, 0.63], [0.66, 0.67, 0.64], [0.61, 0.65, 0.62]];
//! let mut posterior = GaussianArms::pooled(3);
//! for (arm, scores) in ArmId::all(3).zip(&scores) {
//!     for (split, &score) in (0..).zip(scores) {
//!         posterior.observe(arm, Case { split, seed: 0 }, score)?;
//!     }
//! }
//! let arms: Vec<ArmId> = ArmId::all(3).collect();
//! let belief = posterior.belief(&arms);
//! assert_eq!(belief.leader().0, ArmId::new(1));
//! assert!(belief.absolute_error < 1e-9);
//! # Ok::<(), fiesta_core::ObserveError>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod best;
pub mod best_arm;
pub mod best_of_n;
mod by_name;
#[cfg(feature = "f-measure")]
pub mod f_measure;
mod gaussian;
mod lead;
mod numeric;
mod observations;
mod paired;
mod pool;
mod score;

pub use best::Best;
pub use by_name::{ABOUT, DEFAULT, NAMES, PAIRED, POOL, UnknownPosterior, by_name};
#[cfg(feature = "f-measure")]
pub use f_measure::FMeasureArms;
pub use gaussian::{
    AtTheBounds, GaussianArms, KnownVariance, Logit, MeanModel, NormalInverseGamma, Pooled,
    PriorError,
};
pub use lead::{Lead, lead, leads};
pub use numeric::student;
pub use observations::{OfCounts, OfScores};
pub use paired::Paired;
#[cfg(feature = "f-measure")]
pub use pool::FOfItems;
pub use pool::{BoundsError, Completion, Differences, Pool, PoolOfCounts, WithinItem};

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
