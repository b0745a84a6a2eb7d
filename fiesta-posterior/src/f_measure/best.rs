//! P(best) and expected shortfall of independent quantities with weighted draws of each.

use super::draws::Population;
use fiesta_core::greatest;

/// Product of all arms' distribution functions at a place, from which one arm's factor can be taken
/// out.
struct Product {
    values: Vec<f64>,
    ln: f64,
    zeros: usize,
}

impl Product {
    fn new(arms: usize) -> Self {
        Self {
            values: vec![0.0; arms],
            ln: 0.0,
            zeros: arms,
        }
    }

    fn set(&mut self, arm: usize, value: f64) {
        let old = std::mem::replace(&mut self.values[arm], value);
        match (old > 0.0, value > 0.0) {
            (true, true) => self.ln += (value / old).ln(),
            (false, true) => {
                self.zeros -= 1;
                self.ln += value.ln();
            }
            (true, false) => {
                self.zeros += 1;
                self.ln -= old.ln();
            }
            (false, false) => {}
        }
    }

    fn of_rivals(&self, arm: usize) -> f64 {
        let own = self.values[arm];
        match (self.zeros, own > 0.0) {
            (0, true) => (self.ln - own.ln()).exp(),
            (1, false) => self.ln.exp(),
            _ => 0.0,
        }
    }
}

/// Computes Σ_i w_i Π_{j≠k} F_j(x_i) for every arm k: the probability that its quantity is the
/// largest, exact for the draws as they are. Where arms tie, each counts the other's mass at that
/// place for one half; the probabilities then are made to add up to 1. Beside them the mean of the
/// largest.
///
/// O(Σn log Σn) for Σn draws over all arms.
pub(super) fn best(populations: &[&Population]) -> (Vec<f64>, f64) {
    let mut probability = vec![0.0; populations.len()];
    let mut maximum = 0.0;
    if populations.is_empty() {
        return (probability, maximum);
    }
    // Below the largest of the smallest values some arm's distribution function is 0, and those of
    // its rivals count for nothing.
    let from = greatest(populations.iter().map(|p| p.values[0]));
    let mut entries: Vec<(f64, u32, u32)> = Vec::new();
    let mut product = Product::new(populations.len());
    for (arm, population) in (0..).zip(populations) {
        let below = population.values.partition_point(|&value| value < from);
        if below > 0 {
            product.set(arm as usize, population.cumulative[below - 1]);
        }
        let places = (0_u32..).zip(&population.values).skip(below);
        entries.extend(places.map(|(place, &value)| (value, arm, place)));
    }
    entries.sort_by(|a, b| a.0.total_cmp(&b.0));
    let cumulative = |arm: u32, place: u32| {
        let cumulative = &populations[arm as usize].cumulative;
        let place = place as usize;
        let before = if place == 0 {
            0.0
        } else {
            cumulative[place - 1]
        };
        (before, cumulative[place])
    };
    for tied in entries.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        if let [(value, arm, place)] = *tied {
            let (before, after) = cumulative(arm, place);
            let p = (after - before) * product.of_rivals(arm as usize);
            probability[arm as usize] += p;
            maximum += value * p;
            product.set(arm as usize, after);
            continue;
        }
        let mut changes: Vec<(usize, f64, f64)> = Vec::new();
        for &(_, arm, place) in tied {
            let (before, after) = cumulative(arm, place);
            match changes.iter_mut().find(|change| change.0 == arm as usize) {
                Some(change) => change.2 = after,
                None => changes.push((arm as usize, before, after)),
            }
        }
        for &(arm, before, after) in &changes {
            product.set(arm, f64::midpoint(before, after));
        }
        for &(arm, before, after) in &changes {
            let p = (after - before) * product.of_rivals(arm);
            probability[arm] += p;
            maximum += tied[0].0 * p;
        }
        for &(arm, _, after) in &changes {
            product.set(arm, after);
        }
    }
    let total: f64 = probability.iter().sum();
    for p in &mut probability {
        *p /= total;
    }
    (probability, maximum / total)
}

/// Returns P(no other quantity exceeds that of `arm` by more than `margin`).
pub(super) fn within(populations: &[&Population], arm: usize, margin: f64) -> f64 {
    let own = populations[arm];
    let mut places = vec![0; populations.len()];
    let mut before = 0.0;
    let mut sum = 0.0;
    for (&value, &cumulative) in own.values.iter().zip(&own.cumulative) {
        let mut product = cumulative - before;
        before = cumulative;
        for (rival, (population, place)) in populations.iter().zip(&mut places).enumerate() {
            if rival == arm {
                continue;
            }
            while *place < population.values.len() && population.values[*place] <= value + margin {
                *place += 1;
            }
            product *= if *place == 0 {
                0.0
            } else {
                population.cumulative[*place - 1]
            };
        }
        sum += product;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn population(values: &[(f64, f64)]) -> Population {
        Population::new(values.to_vec())
    }

    /// Returns P(best) by going through all combinations of the arms' values.
    fn by_hand(populations: &[&Population]) -> Vec<f64> {
        let weight = |p: &Population, i: usize| {
            p.cumulative[i] - if i == 0 { 0.0 } else { p.cumulative[i - 1] }
        };
        let mut probability = vec![0.0; 3];
        for i in 0..populations[0].values.len() {
            for j in 0..populations[1].values.len() {
                for k in 0..populations[2].values.len() {
                    let values = [
                        populations[0].values[i],
                        populations[1].values[j],
                        populations[2].values[k],
                    ];
                    let w = weight(populations[0], i)
                        * weight(populations[1], j)
                        * weight(populations[2], k);
                    let best = values.iter().copied().fold(f64::MIN, f64::max);
                    let arm = values.iter().position(|&v| v >= best).unwrap();
                    probability[arm] += w;
                }
            }
        }
        probability
    }

    /// Returns the values of a quantity with their probabilities.
    fn masses(p: &Population) -> Vec<(f64, f64)> {
        let before = [0.0].into_iter().chain(p.cumulative.iter().copied());
        let masses = p
            .cumulative
            .iter()
            .zip(before)
            .map(|(after, before)| after - before);
        p.values.iter().copied().zip(masses).collect()
    }

    #[test]
    fn is_the_sum_over_all_combinations() {
        let a = population(&[(0.1, 1.0), (0.52, 2.0), (0.55, 1.0)]);
        let b = population(&[(0.2, 1.0), (0.5, 3.0), (0.9, 0.2)]);
        let c = population(&[(0.3, 2.0), (0.45, 1.0), (0.6, 1.0), (0.51, 0.5)]);
        let all = [&a, &b, &c];
        for (ours, exact) in best(&all).0.iter().zip(by_hand(&all)) {
            assert!((ours - exact).abs() < 1e-12);
        }
        for (arm, p) in best(&all).0.iter().enumerate() {
            assert!((within(&all, arm, 0.0) - p).abs() < 1e-12);
        }
        let mut largest = 0.0;
        for (x, p) in masses(&a) {
            for (y, q) in masses(&b) {
                for (z, r) in masses(&c) {
                    largest += p * q * r * f64::max(x, f64::max(y, z));
                }
            }
        }
        assert!((best(&all).1 - largest).abs() < 1e-12);
        assert!((within(&all, 0, 0.5) - 1.0).abs() < 0.1);
        assert!((within(&all, 0, 1.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn equal_certainties_share() {
        let known = Population::exact(0.5);
        let other = population(&[(0.2, 1.0), (0.7, 1.0)]);
        assert_eq!(best(&[&known, &known]).0, [0.5, 0.5]);
        let (p, maximum) = best(&[&known, &known, &known]);
        assert!(p.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
        assert!((maximum - 0.5).abs() < 1e-12);
        assert_eq!(best(&[&known, &other]).0, [0.5, 0.5]);
        for (p, exact) in best(&[&known, &other, &known])
            .0
            .iter()
            .zip([0.25, 0.5, 0.25])
        {
            assert!((p - exact).abs() < 1e-12);
        }
        assert_eq!(best(&[&Population::exact(0.4), &known]).0, [0.0, 1.0]);
    }
}
