//! Evidence between arms whose scores are independent: both against every value that may lie
//! between their means.

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

    /// What the evidence now that `leader` is better than `arm` does not exceed, and about what it
    /// is; cheap.
    pub(super) fn latest(&self, leader: usize, arm: usize) -> f64 {
        self.sum(leader, arm).at_most()
    }

    fn sum(&self, leader: usize, arm: usize) -> Sum<'_> {
        Sum {
            above: &self.scores[leader],
            below: &self.scores[arm],
            tolerance: self.tolerance,
        }
    }

    /// Lets go of all evidence about `arm`, whose prefix is not what it was.
    pub(super) fn forget(&mut self, arm: usize) {
        let arms = self.scores.len();
        self.scores[arm] = Moments::default();
        for other in (0..arms).filter(|&other| other != arm) {
            self.reached[arm * arms + other] = 0;
            self.reached[other * arms + arm] = 0;
        }
    }

    /// Takes the new scores of `arm`'s prefix into account.
    pub(super) fn extend(&mut self, arm: usize, tables: &[Table]) {
        let seen = usize::try_from(self.scores[arm].count()).unwrap_or(usize::MAX);
        self.scores[arm].extend(tables[arm].prefix()[seen..].iter().copied());
        for other in (0..self.scores.len()).filter(|&other| other != arm) {
            for (leader, rival) in [(arm, other), (other, arm)] {
                self.compare(leader, rival, tables);
            }
        }
    }

    fn compare(&mut self, leader: usize, rival: usize, tables: &[Table]) {
        // Equal scores have no spread, which is not certainty: nothing stops on them.
        let spread = [leader, rival].iter().all(|&arm| {
            let scores = &self.scores[arm];
            scores.squares() > rounding(scores.count(), tables[arm].largest())
        });
        let place = leader * self.scores.len() + rival;
        while let Some(&goal) = self.goals.get(self.reached[place])
            && spread
            && self.sum(leader, rival).reaches(goal)
        {
            self.reached[place] += 1;
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

    /// The mean of `arm` plus ε, and how far that of `leader` exceeds it.
    fn gap(&self) -> (f64, f64) {
        let low = self.below.mean() - self.tolerance;
        (low, self.above.mean() - low)
    }

    /// Between the means, each weighted by its precision: near the minimum, unless an arm has few
    /// scores.
    fn middle(&self) -> f64 {
        let [one, other] = [self.above, self.below].map(|m| {
            let n = m.count() as f64;
            m.squares() / (n * n)
        });
        let (low, width) = self.gap();
        low + width * other / (one + other)
    }

    /// What the infimum does not exceed: bounds of the sum at a few values, one of which is near
    /// the minimum. An arm with few scores tells little however far away the value is; the minimum
    /// is then at the other arm's mean, or beyond it.
    fn at_most(&self) -> f64 {
        if self.above.count().min(self.below.count()) == 0 {
            return f64::NEG_INFINITY;
        }
        let (low, width) = self.gap();
        let step = 0.1 * width.abs();
        let some = [
            self.middle(),
            low,
            low + width,
            low - step,
            low + width + step,
        ];
        some.into_iter()
            .map(|value| self.at_most_at(value))
            .fold(f64::INFINITY, f64::min)
    }

    fn at_most_at(&self, value: f64) -> f64 {
        let above = standardised(self.above, value);
        let below = standardised(self.below, value + self.tolerance);
        Mixture::ARMS.ln_at_most(self.above.count(), above)
            + Mixture::ARMS.ln_at_most(self.below.count(), -below)
    }

    /// Whether the sum is at least `goal` for every λ; where that is hard to tell, no.
    ///
    /// On an interval the sum is at least its falling part at the right end plus its growing part
    /// at the left end. Intervals for which that does not suffice are halved, until a λ is found
    /// where the sum is less, or none is left.
    fn reaches(&self, goal: f64) -> bool {
        let (low, width) = self.gap();
        let high = low + width;
        if width <= 0.0 || self.at_most() < goal {
            return false;
        }
        let less = |at: At| at.above + at.below < goal;
        let middle = self.at(self.middle());
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
            if less(between) || effort > EFFORT {
                return false;
            }
            intervals.extend([(left, between), (between, right)]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

    /// Against the least of 4,000 values of λ, which the infimum cannot exceed: a goal above it is
    /// never reached, one clearly below it always is.
    #[test]
    fn the_infimum_is_never_overestimated() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut reached = 0;
        for case in 0..300 {
            let mut arm = |mean: f64| -> Moments {
                let sd = 10.0_f64.powf(rng.random_range(-1.5..0.5));
                let n = [2, 3, 4, 9, 60, 400][rng.random_range(0..6)];
                (0..n)
                    .map(|_| mean + sd * rng.random_range(-1.0..1.0))
                    .collect()
            };
            let (above, below) = (arm(1.0), arm(0.0));
            let tolerance = if case % 3 == 0 { 0.3 } else { 0.0 };
            let sum = Sum {
                above: &above,
                below: &below,
                tolerance,
            };
            let of = |value| {
                let at = sum.at(value);
                at.above + at.below
            };
            let grid = (-2000..=2000).map(|i| of(0.5 + (f64::from(i) / 400.0).sinh() * 0.1));
            let ends = [f64::NEG_INFINITY, f64::INFINITY].map(of);
            let least = grid.chain(ends).fold(f64::INFINITY, f64::min);
            assert!(!sum.reaches(least + 1e-9), "case {case}: {least}");
            assert!(sum.at_most() >= least - 0.2, "case {case}: {least}");
            if sum.gap().1 > 0.0 {
                assert!(sum.reaches(least - 0.1), "case {case}: {least}");
                reached += 1;
            }
        }
        assert!(reached > 200);
    }
}
