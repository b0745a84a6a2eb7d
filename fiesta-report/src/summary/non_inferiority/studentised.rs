//! Student's t of differences of items or of clusters, corrected for skewness and kurtosis.

use super::ROUNDING;
use fiesta_core::upper_tail;

/// Factor on the skewness of the differences that were seen: the true one is taken to be as much larger.
const SKEWNESS: f64 = 1.5;

/// Sums of differences over independent units: items, or clusters of them.
///
/// With G units of n items in all, the sum S and the number m of items of each, Δ = ΣS/n and the
/// residuals e = S − mΔ,
/// ```text
/// se² = G/(G − 1)·(Σe² + a·max S²)/n²,   w = (Δ − threshold)/(se·√G),
/// h = w + g·w²/3 + g²·w³/27 + g/(6G),  t = √G·h, or √G·w if that is nearer to 0
/// ```
/// with g, 1.5 times the skewness of e (Hall 1992), and min(2G/(κ − 1), n²/Σm² − 1) degrees of
/// freedom, κ the kurtosis of e. The greatest sum is added a = 1 time for
/// items and 2 times for clusters: a few units seldom show the largest differences. If no unit speaks against Δ > threshold, the p-value is at least
/// (1 − (Δ − threshold)/r)^G, the probability that losses of the whole range r, frequent enough to
/// cancel the lead, were not seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Units {
    count: f64,
    mean: f64,
    variance: f64,
    skewness: f64,
    pub(super) freedom: f64,
    /// Units whose sum is not 0.
    pub(super) differing: usize,
    /// Least and greatest mean difference of a unit.
    ends: [f64; 2],
    /// Greatest possible difference of an item.
    pub(super) range: f64,
    /// Items of the largest unit over those of the mean one.
    largest: f64,
    /// Whether every unit is an item.
    pub(super) are_items: bool,
}

impl Units {
    /// Takes the sum of the differences of each unit, and its number of items.
    pub(super) fn new(units: impl Iterator<Item = (f64, f64)>, range: f64) -> Self {
        let units: Vec<(f64, f64)> = units.collect();
        let count = units.len() as f64;
        let total = |of: &dyn Fn(&(f64, f64)) -> f64| units.iter().map(of).sum::<f64>();
        let items = total(&|unit| unit.1);
        let mean = total(&|unit| unit.0) / items;
        let residual = |unit: &(f64, f64)| unit.0 - mean * unit.1;
        let squares = total(&|unit| residual(unit).powi(2));
        let second = squares / count;
        let greatest = units.iter().map(|unit| unit.0.powi(2)).fold(0.0, f64::max);
        let is_constant = squares.sqrt() <= ROUNDING * range * count.sqrt();
        let moment = |power: i32| total(&|unit| residual(unit).powi(power)) / count;
        let [skewness, kurtosis] = if is_constant {
            [0.0, 1.0]
        } else {
            [moment(3) / second.powf(1.5), moment(4) / second.powi(2)]
        };
        let by_size = items * items / total(&|unit| unit.1 * unit.1) - 1.0;
        let largest = units.iter().map(|unit| unit.1).fold(0.0, f64::max) * count / items;
        let added = if items <= count { 1.0 } else { 2.0 };
        let by_kurtosis = 2.0 * count / (kurtosis - 1.0).max(1e-9);
        let means = units.iter().map(|unit| unit.0 / unit.1);
        Self {
            count,
            mean,
            variance: count / (count - 1.0) * (squares + added * greatest) / (items * items),
            skewness: SKEWNESS * skewness * (count * (count - 1.0)).sqrt() / (count - 2.0),
            freedom: by_kurtosis.min(by_size).max(1.0),
            differing: { units.iter() }
                .filter(|unit| unit.0.abs() > ROUNDING * range)
                .count(),
            ends: means.fold([0.0, 0.0], |[low, high]: [f64; 2], mean| {
                [low.min(mean), high.max(mean)]
            }),
            range,
            largest,
            are_items: items <= count,
        }
    }

    /// Returns the standard error of the mean difference Δ.
    pub(super) fn error(&self) -> f64 {
        self.variance.sqrt()
    }

    /// Returns the units with the two arms in the other order: every difference changes its sign.
    pub(super) fn reversed(&self) -> Self {
        Self {
            mean: -self.mean,
            skewness: -self.skewness,
            ends: [-self.ends[1], -self.ends[0]],
            ..self.clone()
        }
    }

    /// Returns the p-value of Δ ≤ threshold against Δ > threshold.
    pub(super) fn p_above(&self, threshold: f64) -> f64 {
        let lead = self.mean - threshold;
        if self.count <= 2.0 || !self.error().is_normal() {
            return 1.0;
        }
        let root = self.count.sqrt();
        let (w, g) = (lead / (self.error() * root), self.skewness);
        let h = w + g * w * w / 3.0 + g * g * w.powi(3) / 27.0 + g / (6.0 * self.count);
        let nearer = if w > 0.0 {
            h.clamp(0.0, w)
        } else {
            h.clamp(w, 0.0)
        };
        let p = upper_tail(root * nearer, self.freedom);
        if self.ends[0] < threshold.min(0.0) - ROUNDING * self.range {
            return p;
        }
        let unseen = (1.0 - lead / (self.range * self.largest)).clamp(0.0, 1.0);
        p.max(unseen.powf(self.count))
    }
}
