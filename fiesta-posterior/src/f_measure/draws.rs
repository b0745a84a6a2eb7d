//! Weighted draws from a posterior, and expectations of functions of θ over them.

/// Draws of (θ, α), each with a weight; the weights add up to 1.
#[derive(Debug, Clone, Default)]
pub struct WeightedDraws {
    pub(super) theta: Vec<[f64; 4]>,
    pub(super) ln_alpha: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

/// Mean, standard deviation and quantiles of a quantity under its posterior.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PosteriorSummary {
    /// The mean of the quantity.
    pub mean: f64,
    /// The standard deviation of the quantity.
    pub standard_deviation: f64,
    /// The quantiles of 2.5, 25, 50, 75 and 97.5 %.
    pub quantiles: [f64; 5],
}

impl PosteriorSummary {
    /// The probabilities of [`quantiles`](Self::quantiles).
    pub const PROBABILITIES: [f64; 5] = [0.025, 0.25, 0.5, 0.75, 0.975];
}

impl WeightedDraws {
    /// Returns the number of draws.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns whether there is no draw.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns the number of independent draws that say as much: (Σw)²/Σw².
    pub fn effective(&self) -> f64 {
        1.0 / self.weights.iter().map(|w| w * w).sum::<f64>()
    }

    /// Returns every draw: θ of TP, FP, TN, FN, the concentration α, and the weight.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ([f64; 4], f64, f64)> + '_ {
        (0..self.len()).map(|i| (self.theta[i], self.ln_alpha[i].exp(), self.weights[i]))
    }

    /// Returns the distribution of a function of θ and α over the draws.
    pub fn summary(&self, of: impl Fn(&[f64; 4], f64) -> f64) -> PosteriorSummary {
        let values = self.iter().map(|(theta, alpha, _)| of(&theta, alpha));
        Population::new(values.zip(self.weights.iter().copied()).collect()).summary()
    }
}

/// Weighted values in ascending order: the distribution of one quantity.
#[derive(Debug, Clone)]
pub(super) struct Population {
    pub(super) values: Vec<f64>,
    /// The probabilities P(quantity ≤ value), in the order of the values.
    pub(super) cumulative: Vec<f64>,
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) effective: f64,
}

impl Population {
    /// Returns the distribution of values with their weights, which need not add up to 1.
    pub(super) fn new(mut values: Vec<(f64, f64)>) -> Self {
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = values.iter().map(|(_, weight)| weight).sum();
        let squares: f64 = values.iter().map(|(_, weight)| weight * weight).sum();
        let mean = values
            .iter()
            .map(|(value, weight)| value * weight)
            .sum::<f64>()
            / total;
        let variance = values
            .iter()
            .map(|(value, weight)| (value - mean).powi(2) * weight)
            .sum::<f64>()
            / total;
        let mut sum = 0.0;
        let cumulative = values
            .iter()
            .map(|(_, weight)| {
                sum += weight / total;
                sum
            })
            .collect();
        Self {
            values: values.into_iter().map(|(value, _)| value).collect(),
            cumulative,
            mean,
            variance,
            effective: total * total / squares,
        }
    }

    /// Returns the distribution of a quantity whose value is known.
    pub(super) fn exact(value: f64) -> Self {
        Self {
            values: vec![value],
            cumulative: vec![1.0],
            mean: value,
            variance: 0.0,
            effective: f64::INFINITY,
        }
    }

    /// Returns the value below which the quantity lies with this probability: between two draws, in
    /// proportion to half their weights.
    pub(super) fn quantile(&self, probability: f64) -> f64 {
        let middle = |i: usize| {
            let before = if i == 0 { 0.0 } else { self.cumulative[i - 1] };
            f64::midpoint(before, self.cumulative[i])
        };
        // The first draw whose middle lies above.
        let mut above = self.cumulative.partition_point(|&c| c < probability);
        if above < self.values.len() && middle(above) < probability {
            above += 1;
        }
        match above {
            0 => self.values[0],
            i if i >= self.values.len() => self.values[self.values.len() - 1],
            i => {
                let (low, high) = (middle(i - 1), middle(i));
                let share = if high > low {
                    (probability - low) / (high - low)
                } else {
                    0.5
                };
                (self.values[i] - self.values[i - 1]).mul_add(share, self.values[i - 1])
            }
        }
    }

    /// Returns a random one of the quantity's values, as `uniform` in [0, 1) chooses it.
    pub(super) fn pick(&self, uniform: f64) -> f64 {
        let index = self.cumulative.partition_point(|&c| c <= uniform);
        self.values[index.min(self.values.len() - 1)]
    }

    pub(super) fn summary(&self) -> PosteriorSummary {
        PosteriorSummary {
            mean: self.mean,
            standard_deviation: self.variance.sqrt(),
            quantiles: PosteriorSummary::PROBABILITIES.map(|p| self.quantile(p)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_draws() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let population = Population::new(vec![(3.0, 1.0), (1.0, 1.0), (2.0, 2.0)]);
        near(population.mean, 2.0);
        near(population.variance, 0.5);
        for (probability, value) in [
            (0.0, 1.0),
            (0.125, 1.0),
            (0.3125, 1.5),
            (0.5, 2.0),
            (1.0, 3.0),
        ] {
            near(population.quantile(probability), value);
        }
        for (uniform, value) in [(0.2, 1.0), (0.3, 2.0), (0.99, 3.0)] {
            near(population.pick(uniform), value);
        }
        near(population.effective, 16.0 / 6.0);
        near(Population::exact(0.4).quantile(0.9), 0.4);
    }
}
