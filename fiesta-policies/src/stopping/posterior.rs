//! Stopping when the posterior probability of being best reaches 1 − δ.

use fiesta_core::{ArmId, Reason, StoppingRule, Verdict, View};

/// Evaluations that the two most probable arms need each before a rule stops on a posterior that
/// needs only one.
const LEAST_EVALUATIONS: u64 = 3;

/// Whether an arm with so many evaluations is known too little to be named, or to be beaten, on a
/// posterior that needs only one.
pub(crate) fn hardly_known(view: &View<'_>, arm: ArmId, evaluations: u64) -> bool {
    view.required(arm) <= 1 && evaluations < LEAST_EVALUATIONS
}

/// Stops when some arm's posterior probability of being best reaches 1 − δ, and recommends it.
///
/// This is the rule of FIESTA and of Haffari et al. (EACL 2017). It is Bayesian: right in the
/// proportion 1 − δ for arms drawn from the prior, but no frequentist guarantee under repeated
/// looks. With two exactly equal arms it named a winner in 63 % of simulated runs at δ = .05, and
/// at a gap of .1 standard deviations the wrong one in 14 %.
///
/// Where a posterior dares to speak after a single score of an arm
/// ([`Paired`](https://docs.rs/fiesta-posterior)), one lucky score could end a study: the arm that
/// is named and the one that is most probably best after it must then have three evaluations each.
/// Either of them must be [settled](fiesta_core::Posterior::settled) in any case. The papers wait
/// for neither: [`at_once`](Self::at_once).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PosteriorThreshold {
    level: f64,
    waits: bool,
}

/// A level that is no confidence.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the confidence {0} must lie strictly between 0.5 and 1")]
pub struct LevelError(f64);

impl PosteriorThreshold {
    /// Stops at the probability `level` = 1 − δ.
    ///
    /// # Errors
    /// [`LevelError`] unless ½ < level < 1.
    pub fn new(level: f64) -> Result<Self, LevelError> {
        checked(level).map(|level| Self { level, waits: true })
    }

    /// The papers' rule to the letter: stops as soon as the posterior says so, however little has
    /// been observed.
    ///
    /// For repeating what they measured. A posterior that speaks after one evaluation of each arm
    /// is often wrong then.
    ///
    /// # Errors
    /// [`LevelError`] unless ½ < level < 1.
    pub fn at_once(level: f64) -> Result<Self, LevelError> {
        checked(level).map(|level| Self {
            level,
            waits: false,
        })
    }

    /// The level 1 − δ.
    pub fn level(&self) -> f64 {
        self.level
    }
}

pub(super) fn checked(level: f64) -> Result<f64, LevelError> {
    if level > 0.5 && level < 1.0 {
        Ok(level)
    } else {
        Err(LevelError(level))
    }
}

impl<O> StoppingRule<O> for PosteriorThreshold {
    fn check(&self, view: &View<'_>) -> Verdict {
        let leader = if self.waits {
            leader(view)
        } else {
            view.belief().map(fiesta_core::Belief::leader)
        };
        match leader {
            Some((arm, probability)) if probability >= self.level => {
                Verdict::Stop(arm, Reason::PosteriorProbability { level: self.level })
            }
            _ => Verdict::Continue,
        }
    }
}

/// The arm that is most probably best, and its probability; none while it or the next is hardly
/// known.
pub(super) fn leader(view: &View<'_>) -> Option<(ArmId, f64)> {
    let belief = view.belief()?;
    let (leader, probability) = belief.leader();
    // What cannot be evaluated any more is known as well as it will ever be.
    let known = |arm| {
        let enough = !hardly_known(view, arm, view.observed(arm));
        !view.has_case_left(arm) || (enough && view.settled(arm))
    };
    (known(leader) && rival(view, leader).is_none_or(known)).then_some((leader, probability))
}

/// The candidate that is most probably best after `leader`, or while there is no belief the one
/// with the highest mean; none if there is no other.
pub(super) fn rival(view: &View<'_>, leader: ArmId) -> Option<ArmId> {
    let belief = view.belief();
    let promise = |arm: ArmId| match belief {
        Some(belief) => belief.of(arm),
        None => view.mean(arm).unwrap_or(f64::NEG_INFINITY),
    };
    let others = view.candidates().iter().copied();
    let others = others.filter(|&arm| arm != leader);
    others.max_by(|&a, &b| promise(a).total_cmp(&promise(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_and_coins_are_no_confidence() {
        for level in [1.0, 1.5, 0.5, 0.0, -0.1, f64::NAN] {
            assert!(PosteriorThreshold::new(level).is_err());
            assert!(PosteriorThreshold::at_once(level).is_err());
        }
        assert!(PosteriorThreshold::new(0.999).is_ok());
    }
}
