//! Resamples of scores: drawn one by one, by split, or within splits.

use super::Sample;
use rand::{Rng, RngExt};

/// What is drawn again to see how far an estimate would vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Resampling {
    /// What is independent: whole splits with all their scores, where scores have splits; otherwise
    /// each score. The conclusion is about other splits of the same kind.
    #[default]
    Units,
    /// Scores within each group, as often as it has any, where scores have groups (rliable's
    /// stratified bootstrap over tasks); otherwise each score. The conclusion is about these very
    /// tasks, and a group of a single score adds no variation.
    WithinGroups,
}

/// How much there is to draw again from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Freedom {
    /// Scores, or splits that are drawn whole.
    pub(super) units: usize,
    /// The units less one for each group that they are drawn within.
    pub(super) degrees: usize,
}

/// Ranks of a sample's scores among the distinct values in ascending order, by group. Bootstrap
/// resamples are drawn from them.
#[derive(Debug)]
pub(super) struct Urns {
    /// The places of each group's scores, or of all.
    urns: Vec<Vec<u32>>,
    /// Whether urns are drawn, and not scores from each.
    whole: bool,
}

impl Urns {
    /// `rank` says where among ascending values the score at each place of the sample stands.
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

    /// How many units are drawn, and how many of them are free to vary.
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

    /// Whether scores are drawn from more than one group.
    pub(super) fn is_stratified(&self) -> bool {
        !self.whole && self.urns.len() > 1
    }

    /// Draws once more: how often each value occurs. Returns how many scores there are.
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

/// The distinct values of some samples in ascending order, and for each sample where its scores
/// stand among them.
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
