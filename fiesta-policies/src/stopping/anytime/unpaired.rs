//! Evidence between arms whose scores are independent: both against every value that may lie between their means.

use super::{
    martingale::{Mixture, standardised},
    tables::{Table, rounding},
};
use fiesta_core::Moments;

/// Evaluations of the sum of evidence after which an infimum counts as not reached.
const EFFORT: u32 = 400;

/// For every ordered pair (l, a) the greatest of the `goals` that the infimum over λ of
/// ln M⁺(mean(l) > λ) + ln M⁺(mean(a) < λ + ε) has reached.
#[derive(Debug, Clone)]
pub(super) struct Unpaired {
    tolerance: f64,
    goals: Vec<f64>,
    scores: Vec<Moments>,
    /// How many of the goals were reached, at l·K + a.
    reached: Vec<usize>,
}

impl Unpaired {
    /// The goals must increase.
    pub(super) fn new(arms: usize, tolerance: f64, goals: Vec<f64>) -> Self {
        Self {
            tolerance,
            goals,
            scores: vec![Moments::default(); arms],
            reached: vec![0; arms * arms],
        }
    }

    /// The greatest goal that the evidence that `leader` is better than `arm` has reached.
    pub(super) fn strongest(&self, leader: usize, arm: usize) -> f64 {
        match self.reached[leader * self.scores.len() + arm] {
            0 => f64::NEG_INFINITY,
            reached => self.goals[reached - 1],
        }
    }

    /// Takes the new scores of `arm`'s prefix into account.
    pub(super) fn extend(&mut self, arm: usize, tables: &[Table]) {
        let seen = usize::try_from(self.scores[arm].count()).unwrap_or(usize::MAX);
        self.scores[arm].extend(tables[arm].prefix()[seen..].iter().copied());
        for other in (0..self.scores.len()).filter(|&other| other != arm) {
            for (leader, rival) in [(arm, other), (other, arm)] {
                let place = leader * self.scores.len() + rival;
                let [above, below] = [leader, rival].map(|arm| &self.scores[arm]);
                // Equal scores have no spread, which is not certainty: nothing stops on them.
                let spread = [leader, rival].iter().all(|&arm| {
                    let scores = &self.scores[arm];
                    scores.squares() > rounding(scores.count(), tables[arm].largest())
                });
                if !spread {
                    continue;
                }
                let sum = Sum {
                    above,
                    below,
                    tolerance: self.tolerance,
                };
                while let Some(&goal) = self.goals.get(self.reached[place])
                    && sum.reaches(goal)
                {
                    self.reached[place] += 1;
                }
            }
        }
    }
}

/// The evidence against μ_l ≤ λ and μ_a ≥ λ + ε, as a function of λ.
#[derive(Clone, Copy)]
struct Sum<'a> {
    above: &'a Moments,
    below: &'a Moments,
    tolerance: f64,
}

/// A λ and both parts of the evidence there.
#[derive(Clone, Copy)]
struct At {
    value: f64,
    /// ln M⁺ for "mean(l) > λ", which falls as λ grows.
    above: f64,
    /// ln M⁺ for "mean(a) < λ + ε", which grows.
    below: f64,
}

impl Sum<'_> {
    fn at(&self, value: f64) -> At {
        let above = standardised(self.above, value);
        let below = standardised(self.below, value + self.tolerance);
        At {
            value,
            above: Mixture::ARMS.ln(self.above.count(), above),
            below: Mixture::ARMS.ln(self.below.count(), -below),
        }
    }

    /// Whether the sum is at least `goal` for every λ; where that is hard to tell, no.
    ///
    /// On an interval the sum is at least its falling part at the right end plus its growing part at the left end. Intervals for
    /// which that does not suffice are halved, until a λ is found where the sum is less, or none is left.
    fn reaches(&self, goal: f64) -> bool {
        let (low, high) = (self.below.mean() - self.tolerance, self.above.mean());
        let width = high - low;
        if width <= 0.0 {
            return false;
        }
        let less = |at: At| at.above + at.below < goal;
        // The value between the means at which the two are about equally improbable: where most pairs end.
        let [one, other] = [self.above, self.below].map(|m| m.squares().sqrt() / m.count() as f64);
        let middle = self.at(low + width * other / (one + other));
        if less(middle) {
            return false;
        }
        let ends = [f64::NEG_INFINITY, low, middle.value, high, f64::INFINITY].map(|v| self.at(v));
        if ends.into_iter().any(less) {
            return false;
        }
        let mut intervals: Vec<(At, At)> = ends.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut effort = 0;
        while let Some((left, right)) = intervals.pop() {
            if right.above + left.below >= goal {
                continue;
            }
            effort += 1;
            let within = match (left.value.is_finite(), right.value.is_finite()) {
                (true, true) => f64::midpoint(left.value, right.value),
                (false, _) => low - 2.0 * (low - right.value) - width,
                (_, false) => high + 2.0 * (left.value - high) + width,
            };
            let between = self.at(within);
            if less(between) || effort > EFFORT || within == left.value || within == right.value {
                return false;
            }
            intervals.extend([(left, between), (between, right)]);
        }
        true
    }
}
