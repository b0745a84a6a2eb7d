//! Tracking policy: an oracle that evaluates in given proportions.

use fiesta_core::{ArmId, Next, Policy, View};
use rand::Rng;

/// Policy that evaluates the arm that is furthest below its share of the evaluations made and
/// running; before that any arm with fewer than √t − K/2 of all t, so that no share is too small
/// for a posterior that knows nothing of it.
///
/// With the proportions of [`complexity`](crate::plan::complexity), which take the true means, it
/// is what a policy would do that knew the answer: a yardstick for simulations, no policy for
/// studies. Those proportions are optimal as δ → 0; at the usual levels, policies that adapt to
/// what they see may do with less. Candidates whose proportions are all 0 are evaluated equally
/// often.
///
/// Source: "D-tracking" of Garivier & Kaufmann, "Optimal best arm identification with fixed
/// confidence" (COLT 2016).
#[derive(Debug, Clone, PartialEq)]
pub struct Tracking {
    proportions: Vec<f64>,
}

impl Tracking {
    /// The share of the evaluations that each arm is to get, in the order of the arms. Only their
    /// ratios matter; a share that is no positive number counts as 0, and so does a missing one.
    pub fn new(proportions: impl IntoIterator<Item = f64>) -> Self {
        let share = |p: f64| if p.is_finite() && p > 0.0 { p } else { 0.0 };
        Self {
            proportions: proportions.into_iter().map(share).collect(),
        }
    }

    fn share(&self, arm: ArmId) -> f64 {
        self.proportions.get(arm.index()).copied().unwrap_or(0.0)
    }
}

impl Policy for Tracking {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let candidates = view.candidates();
        let attempts = |arm: ArmId| view.attempts(arm) as f64;
        let total: f64 = candidates.iter().map(|&arm| self.share(arm)).sum();
        let made: f64 = 1.0 + candidates.iter().map(|&arm| attempts(arm)).sum::<f64>();
        let lacking = |arm: ArmId| {
            let share = if total > 0.0 {
                self.share(arm) / total
            } else {
                1.0 / candidates.len() as f64
            };
            share * made - attempts(arm)
        };
        let fewest = view.with_case_left().min_by_key(|&arm| view.attempts(arm));
        let neglected =
            |arm: &ArmId| attempts(*arm) < (made - 1.0).sqrt() - candidates.len() as f64 / 2.0;
        if let Some(arm) = fewest.filter(neglected) {
            return Next::Evaluate(arm);
        }
        // The first of equals.
        let arm = view.with_case_left().reduce(|most, arm| {
            if lacking(arm) > lacking(most) {
                arm
            } else {
                most
            }
        });
        arm.map_or(Next::Wait, Next::Evaluate)
    }
}
