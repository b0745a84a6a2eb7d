//! Weights of draws without replacement: C(i, n)/C(B, n).

use super::sums::Weights;
use std::ops::Range;

/// C(i, n)/C(B, n) for some of the ranks i < B, ascending, and n ≤ B.
///
/// From n to n + 1 a factor (i − n)/(B − n). Anew, from i to i − 1 a factor (i − n)/i beginning at
/// rank B, whose weight is 1, or all n factors (i − j)/(B − j), whichever are fewer: so that
/// rounding never adds up over more than some √(37·B) factors where weights matter.
pub(crate) struct Subsets {
    ranks: Vec<f64>,
    count: usize,
}

impl Subsets {
    pub(crate) fn new(ranks: impl Iterator<Item = usize>, count: usize) -> Self {
        Self {
            ranks: ranks.map(|rank| rank as f64).collect(),
            count,
        }
    }
}

impl Weights for Subsets {
    const CONSTANT: bool = false;

    fn parameters(&self) -> &[f64] {
        &self.ranks
    }

    fn step(&self, n: u64) -> (f64, f64) {
        let left = self.count as f64 - n as f64;
        // After n = B there is nothing.
        (n as f64, if left > 0.0 { 1.0 / left } else { 0.0 })
    }

    fn at(&self, n: u64, window: Range<usize>, weights: &mut [f64]) {
        let (n, count) = (n as f64, self.count as f64);
        let (mut rank, mut weight, mut walked) = (count, 1.0, 0.0);
        for (&target, out) in self.ranks[window].iter().zip(weights).rev() {
            walked += rank - target;
            if walked > n {
                weight = from_the_first(target, count, n);
                (rank, walked) = (target, 0.0);
            }
            while rank > target {
                weight *= ((rank - n) / rank).max(0.0);
                rank -= 1.0;
            }
            *out = weight;
        }
    }
}

/// Returns Π_{j<n} (i − j)/(B − j).
fn from_the_first(rank: f64, count: f64, n: f64) -> f64 {
    if rank < n {
        return 0.0;
    }
    let (mut weight, mut j) = (1.0, 0.0);
    while j < n && weight > 0.0 {
        weight *= (rank - j) / (count - j);
        j += 1.0;
    }
    weight
}
