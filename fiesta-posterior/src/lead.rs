//! Lead of one arm over another: the probability that it is better, and an interval that agrees.

use fiesta_core::{ArmId, Marginal, Posterior, tail_begins, upper_tail};

/// Knowledge that a posterior has of mean(a) − mean(b).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Lead {
    /// P(mean(a) > mean(b)): P(best) of the first of these two arms.
    pub better: f64,
    /// The posterior's [difference](Posterior::difference) of the means: a t distribution with its
    /// moments.
    pub difference: Marginal,
}

/// Returns the lead of `a` over another arm `b`. `None` without the required observations.
pub fn lead(posterior: &dyn Posterior, a: ArmId, b: ArmId) -> Option<Lead> {
    let difference = posterior.difference(a, b)?;
    let mut pair = [a, b];
    pair.sort();
    Some(Lead {
        better: posterior.belief(&pair).of(a),
        difference,
    })
}

/// Returns the leads of each of these arms over each other one, a row for each arm. `None` on the
/// diagonal, and without the required observations.
pub fn leads(posterior: &dyn Posterior, arms: &[ArmId]) -> Vec<Vec<Option<Lead>>> {
    let mut leads = vec![vec![None; arms.len()]; arms.len()];
    for (row, &a) in arms.iter().enumerate() {
        for (column, &b) in arms[..row].iter().enumerate() {
            leads[row][column] = lead(posterior, a, b);
            leads[column][row] = leads[row][column].map(Lead::reversed);
        }
    }
    leads
}

impl Lead {
    /// Returns the lead in the other direction, of b over a.
    #[must_use]
    pub fn reversed(self) -> Self {
        let location = -self.difference.location;
        Self {
            better: 1.0 - self.better,
            difference: Marginal {
                location,
                ..self.difference
            },
        }
    }

    /// Returns the distribution whose central interval with this `confidence` is printed.
    ///
    /// The interval is to exclude 0 exactly if one of the two arms is better with a probability above
    /// (1 + `confidence`)/2. A t distribution with the moments of the posterior has not its tails, and
    /// may disagree where the probability is near that. The scale is then the one for which
    /// P(T > 0) is the probability.
    pub fn at(&self, confidence: f64) -> Marginal {
        let Marginal {
            location,
            scale,
            degrees_of_freedom,
        } = self.difference;
        let level = f64::midpoint(1.0, confidence);
        let ahead = if location < 0.0 {
            1.0 - self.better
        } else {
            self.better
        };
        let excludes = upper_tail(location.abs() / scale, degrees_of_freedom) < 1.0 - level;
        if scale <= 0.0 || excludes == (ahead > level) {
            return self.difference;
        }
        let scale = location.abs() / tail_begins(1.0 - ahead.max(LEAST), degrees_of_freedom);
        Marginal {
            scale,
            ..self.difference
        }
    }
}

/// Floor of the probability of being better: below all levels of intervals, with a positive quantile.
const LEAST: f64 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{POSTERIORS, posterior_by_name};
    use fiesta_core::Case;

    /// Tests that under every posterior P(better), which of two arms is P(best), is above 97.5 %
    /// exactly if the 95 % interval excludes 0: scores whose lead grows through that point.
    #[test]
    fn an_interval_excludes_zero_exactly_if_the_probability_says_so() {
        for name in POSTERIORS {
            let (mut excluded, mut included) = (0, 0);
            for step in 0..60_u32 {
                let mut posterior = posterior_by_name(name, 2).unwrap();
                for split in 0..7_u64 {
                    let noise = |arm: u64| ((split * 5 + arm * 3) * (split + 2) % 11) as f64;
                    for arm in 0..2_u32 {
                        let case = Case { split, seed: 0 };
                        let ahead = 0.0025 * f64::from(step) * f64::from(arm);
                        let score = 0.01 * noise(arm.into()) + ahead;
                        posterior
                            .observe(ArmId::new(arm as usize), case, score)
                            .unwrap();
                    }
                }
                let [a, b] = [0, 1].map(ArmId::new);
                let lead = lead(&*posterior, b, a).unwrap();
                let of_pair = posterior.belief(&[a, b]).of(b);
                assert_eq!(lead.better.to_bits(), of_pair.to_bits());
                let of_difference = lead.at(0.95);
                let t = tail_begins(1.0 - 0.975, of_difference.degrees_of_freedom);
                let lower = of_difference.location - t * of_difference.scale;
                let p = lead.better;
                assert_eq!(p > 0.975, lower > 0.0, "{name}, step {step}: {p}, {lower}");
                if lower > 0.0 {
                    excluded += 1;
                } else {
                    included += 1;
                }
            }
            assert!(
                excluded > 0 && included > 0,
                "{name}: {excluded} {included}"
            );
        }
    }
}
