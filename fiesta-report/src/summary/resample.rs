//! Resamples of scores: drawn one by one, by split, or within splits.

use super::Sample;
use rand::{Rng, RngExt};

/// Unit that is drawn again to see how far an estimate would vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Resampling {
    /// Whole splits are drawn with all their scores, where scores have splits; otherwise each
    /// score. The conclusion is about other splits of the same kind.
    #[default]
    Units,
    /// Scores are drawn within each group, as often as it has any, where scores have groups
    /// (rliable's stratified bootstrap over tasks); otherwise each score. The conclusion is about
    /// these very tasks, and a group of a single score adds no variation.
    WithinGroups,
}

/// Number of units from which resamples are drawn, and degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Freedom {
    /// Number of units that are drawn: scores, or whole splits.
    pub(super) units: usize,
    /// Degrees of freedom: the units, less one for each group within which they are drawn.
    pub(super) degrees: usize,
}

/// Ranks of a sample's scores among the distinct values in ascending order, by group. Bootstrap
/// resamples are drawn from them.
#[derive(Debug)]
pub(super) struct Urns {
    /// Ranks of the scores in each urn: an urn is a group, or holds all scores.
    urns: Vec<Vec<u32>>,
    /// Whether whole urns are drawn, and not scores from each urn.
    whole: bool,
}

impl Urns {
    /// Sorts a sample's scores into urns. `rank` is the place of each score among the ascending values.
    pub(super) fn new(sample: &Sample, rank: &[u32], resampling: Resampling) -> Self {
        let groups = sample.places().filter(|groups| groups.len() > 1);
        let ranks = |places: &Vec<usize>| places.iter().map(|&place| rank[place]).collect();
        match groups {
            // Groups of one score each are drawn as scores.
            Some(groups)
                if resampling == Resampling::WithinGroups || groups.len() < sample.len() =>
            {
                Self {
                    urns: groups.values().map(ranks).collect(),
                    whole: resampling == Resampling::Units,
                }
            }
            _ => Self {
                urns: vec![rank.to_vec()],
                whole: false,
            },
        }
    }

    /// Returns how many units are drawn, and how many of them are free to vary.
    pub(super) fn freedom(&self) -> Freedom {
        let urns = self.urns.len();
        let units = if self.whole {
            urns
        } else {
            self.urns.iter().map(Vec::len).sum()
        };
        let fixed = if self.whole { 1 } else { urns };
        Freedom {
            units,
            degrees: units - fixed,
        }
    }

    /// Returns whether scores are drawn from more than one group.
    pub(super) fn is_stratified(&self) -> bool {
        !self.whole && self.urns.len() > 1
    }

    /// Draws one resample: counts how often each value occurs, and returns how many scores the resample has.
    pub(super) fn draw(&self, rng: &mut impl Rng, counts: &mut [u32]) -> u64 {
        counts.fill(0);
        if self.whole {
            let mut total = 0;
            for _ in 0..self.urns.len() {
                let urn = &self.urns[rng.random_range(0..self.urns.len())];
                for &rank in urn {
                    counts[rank as usize] += 1;
                }
                total += urn.len() as u64;
            }
            return total;
        }
        for urn in &self.urns {
            // Of 32 bits: half the work for the generator.
            let last = u32::try_from(urn.len() - 1).expect("there are fewer than 2^32 scores");
            for _ in 0..urn.len() {
                let place = rng.random_range(0..=last);
                counts[urn[place as usize] as usize] += 1;
            }
        }
        self.urns.iter().map(|urn| urn.len() as u64).sum()
    }
}

/// Returns the distinct values of some samples in ascending order, and for each sample where its
/// scores stand among them.
pub(super) fn places<const N: usize>(samples: [&Sample; N]) -> (Vec<f64>, [Vec<u32>; N]) {
    let mut values: Vec<f64> = samples
        .iter()
        .flat_map(|sample| sample.scores().iter().copied())
        .collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let place = |score: &f64| {
        let place = values.partition_point(|value| value < score);
        u32::try_from(place).expect("there are fewer than 2^32 scores")
    };
    let ranks = samples.map(|sample| sample.scores().iter().map(place).collect());
    (values, ranks)
}
