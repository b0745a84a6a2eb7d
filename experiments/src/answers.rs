//! Made-up scores of arms on splits, as they are asked for, and answers to all items.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Scores of arms by split, or answers by item.
pub(crate) struct Answers {
    /// Mean scores on splits. Empty on items.
    means: Vec<f64>,
    /// Scores of all arms on each split or item that there is.
    scores: Vec<Vec<f64>>,
}

impl Answers {
    /// Returns scores on splits, of arms with these means, of which none is drawn yet. Differences on a split have the
    /// standard deviation 1, and splits have effects as large as the noise.
    pub(crate) fn on_splits(means: Vec<f64>) -> Self {
        let scores = Vec::new();
        Self { means, scores }
    }

    /// Draws the answers to all items of arms that are right on these numbers of them. An arm is right on the items where
    /// it does best: half of that is the item's.
    pub(crate) fn on_items(items: u64, right: &[f64], rng: &mut impl Rng) -> Self {
        let items = usize::try_from(items).unwrap_or_default();
        let mut scores = vec![vec![0.0; right.len()]; items];
        let easy: Vec<f64> = scores.iter().map(|_| normal(rng)).collect();
        for (arm, &right) in right.iter().enumerate() {
            let done = easy.iter().map(|easy| easy + normal(rng));
            let mut order: Vec<(usize, f64)> = done.enumerate().collect();
            order.sort_by(|a, b| b.1.total_cmp(&a.1));
            for (place, (item, _)) in order.into_iter().enumerate() {
                scores[item][arm] = f64::from(u8::from((place as f64) < right));
            }
        }
        let means = Vec::new();
        Self { means, scores }
    }

    /// Returns the score of an arm on a split or item.
    pub(crate) fn score(&mut self, split: u64, arm: usize, rng: &mut impl Rng) -> f64 {
        let split = usize::try_from(split).unwrap_or(usize::MAX);
        while !self.means.is_empty() && self.scores.len() <= split {
            let effect = normal(rng);
            let scores = self.means.iter();
            let scores = scores.map(|mean| mean + (effect + normal(rng)) * 0.5_f64.sqrt());
            self.scores.push(scores.collect());
        }
        self.scores[split][arm]
    }
}

/// Draws a standard normal number.
pub(crate) fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}
