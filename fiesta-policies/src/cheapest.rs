//! The cheapest arm that is good enough: what is in doubt about it, a policy and a stopping rule.

mod claims;
mod costs;

use crate::{
    stopping::{LEAST_EVALUATIONS, Tolerance, ToleranceError},
    top_two::{CostAware, Rule, TieBreak},
};
use claims::Claims;
pub use costs::SAME_COST;
use costs::{Costs, probability_cheaper};
use fiesta_core::{ArmId, Next, Policy, Reason, StoppingRule, Verdict, View};
use rand::Rng;
use std::iter;

/// Doubts below this part of δ, shared by all arms, need no evaluations of their own before a verdict.
const NEGLIGIBLE: f64 = 0.1;

/// Doubts up to this are none to a policy.
const NO_DOUBT: f64 = 1e-4;

/// Question that is open about an arm, with the probability that the answer is against it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Doubt {
    /// Probability that the arm is not the answer for this reason.
    error: f64,
    /// Arms whose evaluations tell most of it. They may be the same arm twice.
    between: [ArmId; 2],
    told: Told,
}

/// Kind of values of two arms by which a doubt is settled.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    /// Costs of the two arms.
    Costs,
    /// Scores of the two arms.
    Scores,
    /// Answers of the two arms to the same items.
    Items,
}

impl Doubt {
    /// Returns the arm whose next evaluation tells most of the doubt for its cost. `None` if neither can be
    /// evaluated again.
    fn tell(&self, view: &View<'_>, rng: &mut dyn Rng) -> Option<ArmId> {
        let cost = |arm: ArmId| view.expected_cost(arm).max(f64::MIN_POSITIVE);
        match self.between.map(|arm| view.has_case_left(arm)) {
            [true, true] if self.told == Told::Items => {
                // What both have answered tells most, and items that were chosen by answers are no sample for others.
                let paid = |arm: &ArmId| (view.attempts(*arm), cost(*arm));
                let arms = self.between.into_iter();
                arms.min_by(|a, b| {
                    let [a, b] = [paid(a), paid(b)];
                    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
                })
            }
            [true, true] if self.told == Told::Costs => {
                // Costs c vary in proportion: (s·c)²/n falls most for its cost where n/√c is least.
                let paid = |arm: &ArmId| view.attempts(*arm) as f64 / cost(*arm).sqrt();
                self.between
                    .into_iter()
                    .min_by(|a, b| paid(a).total_cmp(&paid(b)))
            }
            [true, true] => {
                let rule = Rule::Greatest;
                Some(CostAware { rule }.choose(view, self.between, rng))
            }
            [first, second] => first
                .then_some(self.between[0])
                .or(second.then_some(self.between[1])),
        }
    }
}

/// Arm that is most probably the cheapest that is good enough, with what speaks against it.
///
/// Let N_j be the event that the mean of arm j is at most a distance D below the best, and C_{ca} that arm c
/// is cheaper than arm a: its mean cost is below .95 of the other's. Then a is the answer unless N_a is
/// false, or N_c and C_{ca} hold for another arm c. So
///
/// P(a is not the answer) ≤ 1 − P(N_a) + Σ_c min(P(N_c), P(C_{ca})).
///
/// Of a posterior that accounts for how often one looks itself, such as that of a pool of items, it is the greatest
/// error of the [claims](Claims) that name the arm.
#[derive(Debug, Clone, PartialEq)]
struct Answer {
    arm: ArmId,
    doubts: Vec<Doubt>,
    is_claim: bool,
}

impl Answer {
    /// Finds the arm with the smallest bound. `None` before there is a belief.
    fn find(view: &View<'_>, within: f64) -> Option<Self> {
        if let Some(claims) = Claims::of(view, within) {
            return claims.answer();
        }
        let arms = view.candidates();
        let near = arms.iter().map(|&arm| view.within(arm, within));
        let near: Vec<f64> = near.collect::<Option<_>>()?;
        let rivals: Vec<ArmId> = { arms.iter() }
            .map(|&arm| rival(view, arm, within))
            .collect::<Option<_>>()?;
        let of = |place: usize| {
            let arm = arms[place];
            let own = Doubt {
                error: 1.0 - near[place],
                between: [arm, rivals[place]],
                told: Told::Scores,
            };
            let others = (0..arms.len()).filter(|&other| other != place);
            let others = others.map(|other| {
                let cheaper =
                    probability_cheaper([arms[other], arm].map(|arm| Costs::of(view, arm)));
                let is_of_costs = cheaper < near[other];
                let rival = if is_of_costs { arm } else { rivals[other] };
                Doubt {
                    error: near[other].min(cheaper),
                    between: [arms[other], rival],
                    told: if is_of_costs {
                        Told::Costs
                    } else {
                        Told::Scores
                    },
                }
            });
            let doubts = iter::once(own).chain(others).collect();
            Self {
                arm,
                doubts,
                is_claim: false,
            }
        };
        let answers = (0..arms.len()).map(of);
        answers.min_by(|a, b| a.error().total_cmp(&b.error()))
    }

    /// Returns the bound of the probability that the arm is not the answer.
    fn error(&self) -> f64 {
        let errors = self.doubts.iter().map(|doubt| doubt.error);
        if self.is_claim {
            errors.fold(0.0, f64::max)
        } else {
            errors.sum()
        }
    }

    /// Returns the arms that a verdict with an error of at most `delta` rests on.
    fn rests_on(&self, delta: f64) -> Vec<ArmId> {
        let least = NEGLIGIBLE * delta / self.doubts.len() as f64;
        let open = { self.doubts.iter() }.filter(|doubt| doubt.error > least);
        let all = open.flat_map(|doubt| doubt.between);
        let mut arms: Vec<ArmId> = iter::once(self.arm).chain(all).collect();
        arms.sort_unstable();
        arms.dedup();
        arms
    }
}

/// Returns the arm that leaves most in doubt whether `arm` is at most `within` below the best: the one for
/// which exp(−z²/2)/n is greatest, z its lead less the distance in standard deviations and n its
/// evaluations, as one more takes away some n-th part of the variance. `arm` itself if there is no other.
fn rival(view: &View<'_>, arm: ArmId, within: f64) -> Option<ArmId> {
    let mut greatest = (arm, f64::NEG_INFINITY);
    for &other in view.candidates().iter().filter(|&&other| other != arm) {
        let lead = view.difference(other, arm)?;
        let z = (lead.location - within) / lead.scale.max(f64::MIN_POSITIVE);
        let weight = -z * z / 2.0 - (view.attempts(other).max(1) as f64).ln();
        if weight > greatest.1 {
            greatest = (other, weight);
        }
    }
    Some(greatest.0)
}

/// Policy for the cheapest arm that is good enough: it evaluates what takes most of the doubt away for its cost.
///
/// Doubts about the arm that is most probably the answer are whether that arm is near the
/// best, whether another arm that may be cheaper is, and whether another that is near the best is cheaper.
/// The first two are told by evaluations of that arm or of an arm that may be better by more than the
/// distance, the third by those of the two arms. Of the two the one goes first whose evaluation tells more for its cost.
/// Of all doubts the one goes first for which p/(n·c) is greatest: p its probability, n and c the evaluations and
/// the mean cost of that arm, as one more evaluation takes away about an n-th part.
///
/// Where the posterior accounts for how often one looks itself ([`View::claim_of_distance`]), doubts are the errors of
/// the claims that name the arm, and of the two arms of a claim the one with fewer evaluations goes first: arms are
/// compared on the items that both have answered.
///
/// # Example
/// ```
/// use fiesta_core::{Arms, Ask, Event, Outcome, Selector};
/// use fiesta_policies::{Cheapest, stopping::CheapestWithin};
/// use fiesta_posterior::Paired;
///
/// // `large` is better by .01, and costs five times as much.
/// let (within, arms) = (0.02, Arms::new(["large", "small", "tiny"])?);
/// let means = [[0.80, 5.0], [0.79, 1.0], [0.60, 0.2]];
/// let rule = CheapestWithin::new(0.95, within)?;
/// let mut selector = Selector::builder(arms, Paired::new(3), Cheapest::within(within), rule).build()?;
/// let conclusion = loop {
///     match selector.ask()? {
///         Ask::Evaluate(e) => {
///             let noise = (e.case.seed as f64).sin() / 100.0;
///             let [score, cost] = means[e.arm.index()];
///             let outcome = Outcome::Observed(score + noise);
///             selector.tell(Event::Ended { id: e.id, outcome, cost: cost * (1.0 + noise) })?;
///         }
///         Ask::Wait => unreachable!("nothing is pending"),
///         Ask::Finished(conclusion) => break conclusion,
///     }
/// };
/// assert_eq!(selector.arms().name(conclusion.arm), "small");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cheapest {
    within: f64,
}

impl Cheapest {
    /// Returns the policy for the cheapest arm at most this far below the best, in the unit of the scores.
    pub fn within(within: f64) -> Self {
        Self { within }
    }
}

impl Policy for Cheapest {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let doubts = Answer::find(view, self.within).map_or(Vec::new(), |of| of.doubts);
        let open = doubts.iter().filter(|doubt| doubt.error > NO_DOUBT);
        let told = open.filter_map(|doubt| {
            let arm = doubt.tell(view, rng)?;
            let cost = view.expected_cost(arm).max(f64::MIN_POSITIVE);
            Some((arm, doubt.error / (view.attempts(arm) as f64 * cost)))
        });
        let told = told.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(arm, _)| arm);
        let least = || view.with_case_left().min_by_key(|&arm| view.attempts(arm));
        told.or_else(least).map_or(Next::Wait, Next::Evaluate)
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        let answer = Answer::find(view, self.within).map(|answer| answer.arm);
        answer.or_else(|| view.empirical_best())
    }
}

/// Stops when some arm is the cheapest that is good enough with posterior probability 1 − δ: its mean is
/// at most D below the best, and no other arm of which this is true costs less than .95 of what it costs.
///
/// The arm, and each arm that is in more than negligible doubt, must have eight evaluations, as of
/// [`PosteriorThreshold`](super::stopping::PosteriorThreshold): what errs is a posterior that is looked at
/// after every evaluation. A posterior that accounts for the looks itself ([`View::claim_of_distance`], of a pool of
/// items) needs no such wait: the arm is named once all that it takes is claimed with an error of at most δ in all.
/// On splits, where an arm is exactly D below the best no rule can end but by chance: give a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheapestWithin {
    level: f64,
    within: f64,
}

impl CheapestWithin {
    /// Returns a rule that stops at the probability `level` = 1 − δ for the distance D = `within`.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1 and 0 ≤ D < ∞.
    pub fn new(level: f64, within: f64) -> Result<Self, ToleranceError> {
        let checked = Tolerance::new(level, within)?;
        let level = checked.level();
        Ok(Self { level, within })
    }

    /// Returns the answer, if it is sure enough.
    fn sure(&self, view: &View<'_>) -> Option<Answer> {
        let answer = Answer::find(view, self.within)?;
        (answer.error() <= 1.0 - self.level).then_some(answer)
    }
}

impl<O> StoppingRule<O> for CheapestWithin {
    fn check(&self, view: &View<'_>) -> Verdict {
        let delta = 1.0 - self.level;
        let known = |arm: ArmId| {
            let is_enough = view.observed(arm) >= LEAST_EVALUATIONS && view.settled(arm);
            is_enough || !view.has_case_left(arm)
        };
        let sure = self.sure(view);
        let is_known = |of: &Answer| of.is_claim || of.rests_on(delta).into_iter().all(known);
        match sure.filter(is_known) {
            Some(answer) => {
                let is_known = answer.is_claim && answer.error() <= 0.0;
                let level = if is_known { 1.0 } else { self.level };
                let within = self.within;
                Verdict::Stop(answer.arm, Reason::CheapestWithin { level, within })
            }
            None => Verdict::Continue,
        }
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        let expected = |arm: ArmId| view.observed(arm) + view.pending(arm);
        if expected(chosen) < LEAST_EVALUATIONS {
            return None;
        }
        let sure = self.sure(view).filter(|answer| !answer.is_claim)?;
        let rests_on = sure.rests_on(1.0 - self.level).into_iter();
        let lacks = |&arm: &ArmId| expected(arm) < LEAST_EVALUATIONS && view.has_case_left(arm);
        rests_on.filter(lacks).min_by_key(|&arm| expected(arm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_distance_is_refused() {
        assert!(CheapestWithin::new(0.95, -0.1).is_err());
        assert!(CheapestWithin::new(0.95, f64::NAN).is_err());
        assert!(CheapestWithin::new(1.0, 0.1).is_err());
    }
}
