//! Belief about arms: the probability of each arm to be the best, and its expected shortfall.

use crate::{ArmId, Interrupt, highest};

/// P(arm is best) and the expected shortfall of every arm of a study; in a study that names several
/// best arms, P(arm is one of these) and the expected distance below the last of these.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Belief {
    /// The probability of each arm to have the highest mean, length K; 0 for arms that are no
    /// candidates.
    pub probability: Vec<f64>,
    /// The posterior mean of what choosing each arm now would lose, E[max_j μ_j − μ_a], in the unit
    /// of the scores, length K; ∞ where it does not exist (Student's t with ν ≤ 1), and for arms
    /// that are no candidates.
    pub shortfall: Vec<f64>,
    /// A bound on (quadrature), or the largest standard error of (Monte Carlo), any of the
    /// probabilities.
    pub absolute_error: f64,
    /// How the probabilities were computed.
    pub method: Method,
}

/// How a belief was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Method {
    /// Numerical integration over the marginal distributions.
    Quadrature,
    /// The frequency of each arm among joint draws.
    MonteCarlo,
}

impl Belief {
    /// Returns P(arm is best); 0 for an arm that there is not.
    pub fn of(&self, arm: ArmId) -> f64 {
        self.probability.get(arm.index()).copied().unwrap_or(0.0)
    }

    /// Returns a belief that claims nothing: no arm is best, and choosing any may lose anything.
    pub fn nothing(arms: usize, method: Method) -> Self {
        Self {
            probability: vec![0.0; arms],
            shortfall: vec![f64::INFINITY; arms],
            absolute_error: 1.0,
            method,
        }
    }

    /// Returns P(best) of each candidate as the frequency with which it has the highest mean among
    /// `draws` joint draws; 0 counts as 1. `draw` fills a slice with one draw of the means of all
    /// `arms` arms. Candidates that are none of these arms are left out.
    ///
    /// The [absolute error](Self::absolute_error) is the largest standard error √(p(1 − p)/draws)
    /// of any arm, with p no closer to 0 or 1 than half a draw: frequencies claim no certainty.
    pub fn by_draws(
        arms: usize,
        candidates: &[ArmId],
        draws: u64,
        draw: impl FnMut(&mut [f64]),
    ) -> Self {
        Self::of_top_by_draws(1, arms, candidates, draws, draw)
    }

    /// Returns P(among the `top` best) of each candidate in the same way, and how far it is expected
    /// to lie below the `top`-th highest mean.
    pub fn of_top_by_draws(
        top: usize,
        arms: usize,
        candidates: &[ArmId],
        draws: u64,
        mut draw: impl FnMut(&mut [f64]),
    ) -> Self {
        let mut means = vec![0.0; arms];
        let mut belief = Self::nothing(arms, Method::MonteCarlo);
        let among = |arm: &ArmId| arm.index() < arms;
        let candidates: Vec<ArmId> = candidates.iter().copied().filter(among).collect();
        for arm in &candidates {
            belief.shortfall[arm.index()] = 0.0;
        }
        let draws = draws.max(1);
        let last = top.clamp(1, candidates.len().max(1)) - 1;
        let mut places: Vec<usize> = (0..candidates.len()).collect();
        for _ in 0..draws {
            Interrupt::check();
            draw(&mut means);
            // What is no number is below every number, and -0 is 0.
            let mean =
                |place: usize| (means[candidates[place].index()] + 0.0).max(f64::NEG_INFINITY);
            if places.is_empty() {
                continue;
            }
            // Of equals the first.
            let by = |a: &usize, b: &usize| mean(*b).total_cmp(&mean(*a)).then(a.cmp(b));
            places.select_nth_unstable_by(last, by);
            for &place in &places[..=last] {
                belief.probability[candidates[place].index()] += 1.0;
            }
            let least = mean(places[last]);
            for &place in &places[last..] {
                belief.shortfall[candidates[place].index()] += least - mean(place);
            }
        }
        let total = draws as f64;
        let error = |wins: &f64| {
            let p = wins.clamp(0.5, total - 0.5) / total;
            (p * (1.0 - p) / total).sqrt()
        };
        belief.absolute_error = belief.probability.iter().map(error).fold(0.0, f64::max);
        for sum in belief.probability.iter_mut().chain(&mut belief.shortfall) {
            *sum /= total;
        }
        belief
    }

    /// Returns the expected shortfall of an arm: what choosing it now is expected to lose; ∞ for an
    /// arm that there is not.
    pub fn shortfall_of(&self, arm: ArmId) -> f64 {
        let shortfall = self.shortfall.get(arm.index());
        shortfall.copied().unwrap_or(f64::INFINITY)
    }

    /// Returns the one of `arms` whose choice is expected to lose the least, the more probable one
    /// of equals. Among a leader's rivals, it is the one that matters. An arm that was hardly
    /// evaluated may be more probably best than the true runner-up, and still be a bad choice.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Belief, Method};
    /// let belief = Belief {
    ///     probability: vec![0.993, 0.003, 0.004],
    ///     shortfall: vec![0.0, 0.02, 0.3],
    ///     absolute_error: 1e-9,
    ///     method: Method::Quadrature,
    /// };
    /// assert_eq!(belief.closest(ArmId::all(3).skip(1)), Some(ArmId::new(1)));
    /// ```
    pub fn closest(&self, arms: impl IntoIterator<Item = ArmId>) -> Option<ArmId> {
        arms.into_iter().min_by(|&a, &b| {
            let by_shortfall = self.shortfall_of(a).total_cmp(&self.shortfall_of(b));
            by_shortfall.then(self.of(b).total_cmp(&self.of(a)))
        })
    }

    /// Returns the arm most probably best, and its probability; the first of equals.
    ///
    /// # Panics
    /// If the belief is about no arm at all.
    pub fn leader(&self) -> (ArmId, f64) {
        let best = highest(self.probability.iter().copied());
        (ArmId::new(best), self.probability[best])
    }

    /// Returns the `top` arms with the greatest probabilities, from the greatest on, in a belief
    /// about the `top` best; the first of equals.
    pub fn leaders(&self, top: usize) -> Vec<ArmId> {
        let mut arms: Vec<ArmId> = ArmId::all(self.probability.len()).collect();
        arms.sort_by(|&a, &b| self.of(b).total_cmp(&self.of(a)));
        arms.truncate(top);
        arms
    }

    /// Returns a lower bound of the probability that `arms` are the best, in a belief about as many
    /// best arms: Σ p − (n − 1) over these n arms. It is one less the expected number of arms among
    /// them that do not belong there, and exact for one arm.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Belief, Method};
    /// // About the two best of three arms.
    /// let belief = Belief {
    ///     probability: vec![0.03, 0.99, 0.98],
    ///     ..Belief::nothing(3, Method::Quadrature)
    /// };
    /// let leaders = belief.leaders(2);
    /// assert_eq!(leaders, [ArmId::new(1), ArmId::new(2)]);
    /// assert!((belief.of_all(&leaders) - 0.97).abs() < 1e-12);
    /// ```
    pub fn of_all(&self, arms: &[ArmId]) -> f64 {
        let sum: f64 = arms.iter().map(|&arm| self.of(arm)).sum();
        sum - (arms.len().max(1) - 1) as f64
    }
}

/// Claim about the best arm, or several best arms, for someone who looks again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The arms that can be named; more than were asked for if the others are known to be equal to
    /// one of these.
    pub arms: Vec<ArmId>,
    /// A bound on the probability that another arm is better, for whoever names it as soon as this is
    /// small enough.
    pub error: f64,
}

/// Claim about the distance of two arms, for someone who looks again and again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceClaim {
    /// How far the mean of the first arm is above that of the second less the distance, in standard deviations.
    /// ∞ where both are known and the distance is kept, −∞ where they are known and it is not.
    pub z: f64,
    /// A bound on the probability that it ever is so far on this side of 0, if the truth is on the other. 0 only where
    /// both means are known.
    pub error: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests frequencies of being among the two best in four draws, counted by hand, with ties.
    #[test]
    fn the_best_two_are_counted() {
        let draws = [
            [0.9, 0.8, 0.1],
            [0.1, 0.8, 0.9],
            [0.5, 0.5, 0.5],
            [0.9, 0.1, 0.8],
        ];
        let all: Vec<ArmId> = ArmId::all(3).collect();
        let of = |top: usize| {
            let mut drawn = draws.iter();
            Belief::of_top_by_draws(top, 3, &all, 4, |means| {
                means.copy_from_slice(drawn.next().unwrap());
            })
        };
        // Of equals the first two.
        assert_eq!(of(2).probability, [0.75, 0.75, 0.5]);
        let distances = [0.7, 0.7, 0.7].map(|distance| distance / 4.0);
        for (found, expected) in of(2).shortfall.iter().zip(distances) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!(of(1).probability, [0.75, 0.0, 0.25]);
        assert_eq!(of(5).probability, [1.0; 3]);
        assert_eq!(of(2).leaders(2), &all[..2]);
        assert!((of(2).of_all(&all[..2]) - 0.5).abs() < 1e-12);
    }
}
