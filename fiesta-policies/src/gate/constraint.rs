//! Constraints of a gate: upper limits of a new version's measures, such as its latency.

use super::Evidence;

/// Constraint on a measure of a new version, of which smaller values are better.
///
/// Every value is turned into a difference d between bounds, whose mean is above 0 exactly if the
/// constraint is met with room to spare. Bets on these differences show the one or the other
/// ([`Evidence::without_end`]). Values are independent draws: those of other items, other splits, or
/// the same item asked again. So a constraint is about items like these, and never certain.
///
/// # Example
/// ```
/// use fiesta_policies::gate::{Answer, Constraint, Limit};
/// // At most 5 % of all evaluations take more than 2 s.
/// let latency = Constraint { measure: 0, limit: Limit::Share { above: 2.0, at_most: 0.05 } };
/// let mut evidence = latency.evidence()?;
/// while evidence.answer(0.05) == Answer::Undecided {
///     evidence.push(latency.difference(0.7, f64::NAN));
/// }
/// assert_eq!(evidence.answer(0.05), Answer::Ships);
/// assert!(evidence.count() < 100);
/// # Ok::<(), fiesta_policies::gate::ConstraintError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// Number of the measure, as the gate is told of it.
    pub measure: usize,
    /// Limit that the values of the measure are tested against.
    pub limit: Limit,
}

/// Upper limit of a measure: of a share of its values, of their mean, or of their mean in proportion to
/// the baseline's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// The share of the values above `above` is less than `at_most`. A quantile q of at most x is the
    /// share 1 − q above x.
    Share {
        /// Value above which an evaluation is too large.
        above: f64,
        /// Largest share of such evaluations, between 0 and 1.
        at_most: f64,
    },
    /// The mean is less than `at_most`.
    Mean {
        /// Largest mean.
        at_most: f64,
        /// The least and the greatest value that there can be.
        bounds: (f64, f64),
    },
    /// The mean is less than `factor` times the mean of the old version on the same items or splits.
    OfBaseline {
        /// Largest ratio of the means, above 0.
        factor: f64,
        /// The least and the greatest value that there can be.
        bounds: (f64, f64),
    },
}

/// The reason why a constraint cannot be tested.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// The share is none.
    #[error("the share {0} must lie strictly between 0 and 1")]
    Share(f64),
    /// A number of the constraint is not finite, or a factor is not above 0.
    #[error("{0} is no limit of a measure: give a finite number, and a factor above 0")]
    Limit(f64),
    /// The limit does not lie between the bounds of the measure, so that the answer is known.
    #[error(
        "with the bounds {} and {} of the measure nothing is to be tested: the limit must lie between the least and the greatest mean that there can be", .0.0, .0.1
    )]
    Bounds((f64, f64)),
}

impl Constraint {
    /// Returns the evidence before any value, whose threshold is 0.
    ///
    /// # Errors
    /// [`ConstraintError`] if the limit lies beyond what the measure can be.
    pub fn evidence(&self) -> Result<Evidence, ConstraintError> {
        let finite = |number: f64| {
            let found = Some(number).filter(|number| number.is_finite());
            found.ok_or(ConstraintError::Limit(number))
        };
        let bounds = match self.limit {
            Limit::Share { above, at_most } => {
                finite(above)?;
                if !(at_most > 0.0 && at_most < 1.0) {
                    return Err(ConstraintError::Share(at_most));
                }
                (at_most - 1.0, at_most)
            }
            Limit::Mean {
                at_most,
                bounds: (low, high),
            } => (finite(at_most)? - high, at_most - low),
            Limit::OfBaseline {
                factor,
                bounds: (low, high),
            } => {
                if finite(factor)? <= 0.0 {
                    return Err(ConstraintError::Limit(factor));
                }
                (factor * low - high, factor * high - low)
            }
        };
        Evidence::without_end(bounds, 0.0).map_err(|_| match self.limit {
            Limit::Mean { bounds, .. } | Limit::OfBaseline { bounds, .. } => {
                ConstraintError::Bounds(bounds)
            }
            Limit::Share { .. } => ConstraintError::Bounds(bounds),
        })
    }

    /// Returns the difference d of an evaluation with the value `new`, above 0 if that is within the
    /// limit. `old` is the baseline's value on the same item, which only
    /// [`Limit::OfBaseline`] compares with.
    pub fn difference(&self, new: f64, old: f64) -> f64 {
        match self.limit {
            Limit::Share { above, at_most } => {
                at_most - f64::from(u8::from(new > above || new.is_nan()))
            }
            Limit::Mean { at_most, .. } => at_most - new,
            Limit::OfBaseline { factor, .. } => factor * old - new,
        }
    }

    /// Returns what a mean of differences is in terms of the constraint: the share above, the mean, or
    /// the mean of `new` − `factor`·`old`.
    pub fn shown(&self, difference: f64) -> f64 {
        match self.limit {
            Limit::Share { at_most, .. } | Limit::Mean { at_most, .. } => at_most - difference,
            Limit::OfBaseline { .. } => -difference,
        }
    }

    /// Returns the value that an evaluation without one counts as: the largest of a new version, the
    /// least of the baseline.
    pub fn without_value(&self, is_baseline: bool) -> f64 {
        match self.limit {
            Limit::Share { .. } => f64::INFINITY,
            Limit::Mean { bounds, .. } | Limit::OfBaseline { bounds, .. } if is_baseline => {
                bounds.0
            }
            Limit::Mean { bounds, .. } | Limit::OfBaseline { bounds, .. } => bounds.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Answer, *};
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

    const ALPHA: f64 = 0.05;

    const SHARE: Limit = Limit::Share {
        above: 2.0,
        at_most: 0.05,
    };
    const MEAN: Limit = Limit::Mean {
        at_most: 3.0,
        bounds: (0.0, 10.0),
    };
    const OF_BASELINE: Limit = Limit::OfBaseline {
        factor: 1.1,
        bounds: (0.0, 10.0),
    };

    /// Limits with the probabilities of a large value with which they are reached exactly: a mean of
    /// 1 + 9p is 3 at p = 2/9, and 1.1 times the baseline's 1 + 0.9 at p = 1.09/9.
    const AT_THE_BOUND: [(Limit, f64, f64); 3] = [
        (SHARE, 0.05, 0.5),
        (MEAN, 2.0 / 9.0, 0.5),
        (OF_BASELINE, 1.09 / 9.0, 0.1),
    ];

    fn of(limit: Limit) -> Constraint {
        Constraint { measure: 0, limit }
    }

    /// Returns how often in `runs` gates of at most 300 evaluations the first answer is that the
    /// constraint is met, and that it is not. Values are 10 with probability `p`, else 1; the
    /// baseline's are 10 with probability `old`.
    fn answers(limit: Limit, p: f64, old: f64, runs: u32) -> [u32; 2] {
        let (constraint, mut rng) = (of(limit), ChaCha8Rng::seed_from_u64(4));
        let mut found = [0, 0];
        for _ in 0..runs {
            let mut evidence = constraint.evidence().unwrap();
            let mut value = |p: f64| if rng.random_bool(p) { 10.0 } else { 1.0 };
            for _ in 0..300 {
                evidence.push(constraint.difference(value(p), value(old)));
                match evidence.answer(ALPHA) {
                    Answer::Undecided => continue,
                    answer => found[usize::from(answer == Answer::Blocked)] += 1,
                }
                break;
            }
        }
        found
    }

    /// Tests that at the bound a constraint is shown to be met, or not to be met, in at most α of 1,000
    /// gates each. The allowance is 4 standard errors: a false alarm in one of 30,000 seeds.
    #[test]
    fn errors_are_rare_at_the_bound() {
        let most = 50.0 + 4.0 * 47.5_f64.sqrt();
        for (limit, p, old) in AT_THE_BOUND {
            let found = answers(limit, p, old, 1000);
            assert!(
                found.iter().all(|&count| f64::from(count) < most),
                "{limit:?} {found:?}"
            );
        }
    }

    /// Tests the same in 20,000 gates, with an allowance of 2 standard errors, and prints the shares:
    /// `cargo test -p fiesta-policies --lib at_the_bound -- --ignored --nocapture`.
    #[test]
    #[ignore = "takes a minute"]
    fn errors_are_rare_at_the_bound_in_many_gates() {
        for (limit, p, old) in AT_THE_BOUND {
            let shares = answers(limit, p, old, 20_000).map(|count| f64::from(count) / 20_000.0);
            println!("{limit:?}: met {:.4}, not met {:.4}", shares[0], shares[1]);
            assert!(shares.iter().all(|share| *share < 0.0531), "{shares:?}");
        }
    }

    /// Tests that constraints are decided away from the bound.
    #[test]
    fn clear_cases_are_decided() {
        for (limit, p, old, met) in [
            (SHARE, 0.005, 0.5, true),
            (SHARE, 0.15, 0.5, false),
            (MEAN, 0.05, 0.5, true),
            (MEAN, 0.5, 0.5, false),
            (OF_BASELINE, 0.1, 0.5, true),
            (OF_BASELINE, 0.5, 0.1, false),
        ] {
            let found = answers(limit, p, old, 200);
            assert!(found[usize::from(!met)] > 180, "{limit:?} {found:?}");
        }
    }

    #[test]
    fn limits_out_of_range_are_refused() {
        let error = |limit| of(limit).evidence().unwrap_err();
        let share = |at_most| Limit::Share {
            above: 2.0,
            at_most,
        };
        assert_eq!(error(share(0.0)), ConstraintError::Share(0.0));
        assert_eq!(error(share(1.0)), ConstraintError::Share(1.0));
        let mean = |at_most| Limit::Mean {
            at_most,
            bounds: (0.0, 3.0),
        };
        assert_eq!(error(mean(3.0)), ConstraintError::Bounds((0.0, 3.0)));
        assert!(matches!(error(mean(f64::NAN)), ConstraintError::Limit(_)));
        let ratio = |factor| Limit::OfBaseline {
            factor,
            bounds: (1.0, 3.0),
        };
        assert_eq!(error(ratio(-1.0)), ConstraintError::Limit(-1.0));
        assert_eq!(error(ratio(3.0)), ConstraintError::Bounds((1.0, 3.0)));
        assert!(of(ratio(2.9)).evidence().is_ok());
    }

    #[test]
    fn what_is_missing_counts_against_the_new_version() {
        for limit in [SHARE, MEAN, OF_BASELINE] {
            let own = of(limit);
            let worst = own.difference(own.without_value(false), own.without_value(true));
            let (low, _) = own.evidence().unwrap().bounds().unwrap();
            assert!((worst - low).abs() < 1e-12, "{limit:?} {worst}");
        }
        assert!((of(SHARE).shown(0.05) - 0.0).abs() < 1e-12);
        assert!((of(SHARE).difference(f64::NAN, 0.0) - -0.95).abs() < 1e-12);
    }
}
