//! Differences between a new and an old version whose mean difference is known.

use rand::{Rng, RngExt, seq::SliceRandom};
use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;

/// Margin by which a new version may be worse.
pub(super) const MARGIN: f64 = 0.02;

/// Kinds of simulated differences between a new version and the old one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) enum Kind {
    /// A pool whose versions answer this share of the items differently, right or wrong.
    Answers { items: usize, differ: f64 },
    /// A pool of graded answers: differences are normal with this standard deviation.
    Graded { items: usize, sd: f64 },
    /// Right and wrong answers without end, as of items with repeats.
    Repeats { differ: f64 },
    /// Scores on splits whose differences are normal with this standard deviation.
    Gaussian { sd: f64 },
    /// Scores on splits between 0 and 1: the new version diverges to 0 on 5 % of them.
    Skewed,
}

/// True mean difference between the new and the old version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Truth {
    /// The mean difference is exactly −margin.
    AtMargin,
    /// The mean difference is one item of a pool, or .001, above −margin.
    JustAbove,
    Equal,
    /// The new version is better by the margin.
    Better,
}

impl Truth {
    pub(super) const ALL: [Self; 4] = [Self::AtMargin, Self::JustAbove, Self::Equal, Self::Better];

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::AtMargin => "at the margin",
            Self::JustAbove => "just above",
            Self::Equal => "equal",
            Self::Better => "better",
        }
    }

    fn mean(self, least: f64) -> f64 {
        match self {
            Self::AtMargin => -MARGIN,
            Self::JustAbove => least - MARGIN,
            Self::Equal => 0.0,
            Self::Better => MARGIN,
        }
    }
}

impl Kind {
    pub(crate) fn words(self) -> String {
        let percent = |share: f64| (100.0 * share).round();
        match self {
            Self::Answers { items, differ } => {
                format!("{items} items, {} % differ", percent(differ))
            }
            Self::Graded { items, sd } => format!("{items} items, graded, sd {sd}"),
            Self::Repeats { differ } => format!("repeats, {} % differ", percent(differ)),
            Self::Gaussian { sd } => format!("splits, Gaussian, sd {sd}"),
            Self::Skewed => "splits, 5 % diverge".to_owned(),
        }
    }

    /// Returns the number of differences: all items of a pool, else as many as a study would afford.
    pub(super) fn count(self) -> usize {
        match self {
            Self::Answers { items, .. } | Self::Graded { items, .. } => items,
            Self::Repeats { .. } | Self::Skewed => 2000,
            Self::Gaussian { .. } => 500,
        }
    }

    /// Draws all differences between the two versions, in a random order.
    pub(crate) fn draw(self, truth: Truth, rng: &mut impl Rng) -> Vec<f64> {
        let count = self.count();
        match self {
            Self::Answers { items, differ } => {
                let all = items as f64;
                let lead = (truth.mean(1.0 / all) * all).round();
                let differing = (differ * all).round().max(lead.abs());
                // As many better as worse ones, but for the lead.
                let differing = differing + (differing - lead).rem_euclid(2.0);
                let better = f64::midpoint(differing, lead);
                let value = |item: usize| match item as f64 {
                    item if item < better => 1.0,
                    item if item < differing => -1.0,
                    _ => 0.0,
                };
                let mut pool: Vec<f64> = (0..items).map(value).collect();
                pool.shuffle(rng);
                pool
            }
            Self::Graded { sd, .. } => {
                // Within the bounds also once the mean is what it should be.
                let draw = |_| (sd * normal(rng)).clamp(-0.9, 0.9);
                let mut pool: Vec<f64> = (0..count).map(draw).collect();
                let mean = truth.mean(0.001);
                let off = mean - pool.iter().sum::<f64>() / count as f64;
                for difference in &mut pool {
                    *difference += off;
                }
                pool
            }
            Self::Repeats { differ } => {
                let better = f64::midpoint(differ, truth.mean(0.001));
                let draw = |rng: &mut dyn Rng| match rng.random::<f64>() {
                    u if u < better => 1.0,
                    u if u < differ => -1.0,
                    _ => 0.0,
                };
                (0..count).map(|_| draw(rng)).collect()
            }
            Self::Gaussian { sd } => {
                let mean = truth.mean(0.001);
                (0..count).map(|_| mean + sd * normal(rng)).collect()
            }
            Self::Skewed => {
                let mean = truth.mean(0.001);
                let draw = |rng: &mut dyn Rng| {
                    let old = 0.95 * 0.9 - mean + 0.02 * normal(rng);
                    let new = 0.9 + 0.02 * normal(rng);
                    if rng.random::<f64>() < 0.05 {
                        -old
                    } else {
                        new - old
                    }
                };
                (0..count).map(|_| draw(rng)).collect()
            }
        }
    }
}

fn normal<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    StandardNormal.sample(rng)
}
