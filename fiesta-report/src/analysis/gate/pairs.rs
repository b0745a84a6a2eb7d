//! Answers of a baseline and a candidate to the same items, with those that failed or are missing.

use super::ROUNDING;
use crate::{
    analysis::{AnalysisError, belief::ItemClusters},
    summary::PairedDifference,
    words::{count, one_or_more},
};
use fiesta_core::{ArmId, Direction, Moments};
use fiesta_policies::stopping::anytime::few_values;
use fiesta_posterior::Differences;
use fiesta_records::{Evaluations, SplitSource};
use std::collections::{BTreeMap, BTreeSet};

/// Seed and score of an evaluation; the score is `None` if it failed.
type Asked = (Option<u64>, Option<f64>);

/// Answers of every arm by item.
pub(super) struct Answers {
    /// Of each arm the mean score of every item. `None` if all its evaluations failed.
    of_arm: Vec<BTreeMap<u64, Option<f64>>>,
    /// Of each arm the items to which its answers differ.
    flaky: Vec<BTreeSet<u64>>,
    direction: Direction,
    /// The least and the greatest score. `None` if they are not known.
    pub(super) bounds: Option<(f64, f64)>,
    /// The least and the greatest score that were seen.
    seen: (f64, f64),
    repeated: u64,
    source: String,
}

/// An item with the two scores, and how much better the candidate is, on a scale that is 1 long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairedItem {
    pub(super) item: u64,
    /// Scores of baseline and candidate as reported. `None` if the evaluation failed or is missing.
    pub(super) scores: [Option<f64>; 2],
    /// Whether the answers of baseline and candidate differ when the item is asked again.
    pub(super) flaky: [bool; 2],
    pub(super) difference: f64,
}

/// The items that the baseline or the candidate was asked.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) items: Vec<PairedItem>,
    /// Items on which baseline and candidate failed.
    pub(super) failed: [u64; 2],
    /// Items that baseline and candidate lack.
    pub(super) missing: [u64; 2],
    /// Whether these are splits with graded scores, and no items.
    pub(super) of_splits: bool,
}

impl Answers {
    pub(super) fn new(
        records: &Evaluations,
        direction: Direction,
        source: &str,
        bounds: Option<(f64, f64)>,
    ) -> Result<Self, AnalysisError> {
        let mut all = vec![BTreeMap::<u64, Vec<Asked>>::new(); records.arms().len()];
        let scored = { records.records().iter() }
            .map(|of| ((of.arm, of.split, of.seed, Some(of.score)), of.line));
        let failed = records
            .failures()
            .iter()
            .map(|of| ((of.arm, of.split, of.seed, None), of.line));
        let mut seen = (f64::INFINITY, f64::NEG_INFINITY);
        let by_seed = records.split_source() == SplitSource::Nothing && are_shared_seeds(records);
        for ((arm, split, seed, score), line) in scored.chain(failed) {
            let item = split.or(seed.filter(|_| by_seed)).ok_or_else(|| {
                AnalysisError::Refused(format!(
                    "{source}:{line}: nothing says which answers of the two belong together: give both files a column `item`, name it with --item, or say --paired-rows if the k-th rows do"
                ))
            })?;
            if let Some(score) = score {
                seen = (seen.0.min(score), seen.1.max(score));
                if let Some((low, high)) = bounds.filter(|&(low, high)| score < low || score > high)
                {
                    return Err(AnalysisError::Refused(format!(
                        "{source}:{line}: the score {score} lies beyond the bounds {low} and {high}"
                    )));
                }
            }
            all[arm.index()]
                .entry(item)
                .or_default()
                .push((seed, score));
        }
        let repeats = |of_arm: &BTreeMap<u64, Vec<_>>| {
            of_arm.values().filter(|answers| answers.len() > 1).count() as u64
        };
        let is_share = seen.0 >= 0.0 && seen.1 <= 1.0;
        Ok(Self {
            repeated: all.iter().map(repeats).sum(),
            bounds: bounds.or(is_share.then_some((0.0, 1.0))),
            of_arm: Vec::new(),
            flaky: Vec::new(),
            direction,
            seen,
            source: source.to_owned(),
        }
        .with(all))
    }

    /// Takes the mean of each item; a failure counts beside other answers unless it was asked again.
    fn with(mut self, all: Vec<BTreeMap<u64, Vec<Asked>>>) -> Self {
        let worst = self.bounds.map(|bounds| self.ends(bounds)[0]);
        let counted = |answers: Vec<Asked>| {
            let scored: BTreeSet<Option<u64>> = { answers.iter() }
                .filter_map(|(seed, score)| score.map(|_| *seed))
                .collect();
            let score = |(seed, score): (_, Option<f64>)| {
                score.or_else(|| worst.filter(|_| !scored.contains(&seed)))
            };
            let counted: Vec<f64> = answers.into_iter().filter_map(score).collect();
            (!scored.is_empty()).then_some(counted)
        };
        let equal = ROUNDING * self.range();
        for of_arm in all {
            let (mut means, mut flaky) = (BTreeMap::new(), BTreeSet::new());
            for (item, answers) in of_arm {
                let counted = counted(answers);
                let all = || counted.iter().flatten().copied();
                let (least, greatest) = (
                    all().fold(f64::INFINITY, f64::min),
                    all().fold(f64::NEG_INFINITY, f64::max),
                );
                if greatest - least > equal {
                    flaky.insert(item);
                }
                let mean = |all: Vec<f64>| all.iter().sum::<f64>() / all.len() as f64;
                means.insert(item, counted.map(mean));
            }
            self.of_arm.push(means);
            self.flaky.push(flaky);
        }
        self
    }

    /// Returns the worse and the better of two scores, in this order.
    fn ends(&self, (low, high): (f64, f64)) -> [f64; 2] {
        match self.direction {
            Direction::Maximize => [low, high],
            Direction::Minimize => [high, low],
        }
    }

    /// The greatest difference of two scores: that of the bounds, else of those that were seen.
    pub(super) fn range(&self) -> f64 {
        let (low, high) = self.bounds.unwrap_or(self.seen);
        if high > low { high - low } else { 1.0 }
    }

    /// Notes on the answers, of which each is to a case that is called by this noun.
    pub(super) fn notes(&self, noun: &str) -> Vec<String> {
        let repeated = (self.repeated > 0).then(|| {
            let items = count(self.repeated, noun);
            if noun == "split" {
                return format!("{items} of an arm have several scores, whose mean counts");
            }
            let flaky: usize = self.flaky.iter().map(BTreeSet::len).sum();
            format!(
                "{items} of an arm have several answers, whose mean counts; {flaky} of them {} flaky: their answers differ",
                one_or_more(flaky, "is", "are")
            )
        });
        repeated.into_iter().collect()
    }

    /// Pairs the answers of a baseline and a candidate to all items that either was asked.
    pub(super) fn pairs(&self, arms: [ArmId; 2]) -> Result<Pairs, AnalysisError> {
        self.paired(arms, false)
    }

    /// Pairs the answers of a baseline and a candidate to the items that both were asked; without
    /// those on which one failed, where no score stands for a failure.
    pub(super) fn pairs_of_both(&self, arms: [ArmId; 2]) -> Result<Pairs, AnalysisError> {
        self.paired(arms, true)
    }

    fn paired(&self, arms: [ArmId; 2], of_both: bool) -> Result<Pairs, AnalysisError> {
        let of = arms.map(|arm| &self.of_arm[arm.index()]);
        let items: BTreeSet<u64> = of.into_iter().flat_map(BTreeMap::keys).copied().collect();
        let (mut failed, mut missing) = ([0; 2], [0; 2]);
        let mut paired = Vec::with_capacity(items.len());
        for item in items {
            let found = of.map(|of_arm| of_arm.get(&item).copied());
            if of_both && found.iter().any(Option::is_none) {
                continue;
            }
            for (side, answer) in found.iter().enumerate() {
                missing[side] += u64::from(answer.is_none());
                failed[side] += u64::from(*answer == Some(None));
            }
            let scores = found.map(Option::flatten);
            let counted = match (scores, self.bounds) {
                ([Some(one), Some(other)], _) => [one, other],
                (_, None) if of_both => continue,
                (_, None) => {
                    return Err(AnalysisError::Refused(format!(
                        "{}: answers failed or are missing, which count as the worst score, and nothing says which that is: give --bounds LOW,HIGH",
                        self.source
                    )));
                }
                (_, Some(bounds)) => {
                    let [worst, best] = self.ends(bounds);
                    [scores[0].unwrap_or(best), scores[1].unwrap_or(worst)]
                }
            };
            let ahead = self.direction.orient(counted[1]) - self.direction.orient(counted[0]);
            let difference = ahead / self.range();
            paired.push(PairedItem {
                item,
                scores,
                flaky: arms.map(|arm| self.flaky[arm.index()].contains(&item)),
                difference: if difference.abs() <= ROUNDING {
                    0.0
                } else {
                    difference
                },
            });
        }
        Ok(Pairs {
            items: paired,
            failed,
            missing,
            of_splits: false,
        })
    }
}

/// Returns whether every arm has each of the same seeds once.
fn are_shared_seeds(records: &Evaluations) -> bool {
    let mut of_arms: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    let is_new = records.rows().all(|row| {
        row.seed
            .is_some_and(|seed| of_arms.entry(row.arm).or_default().insert(seed))
    });
    let first = of_arms.values().next();
    is_new && of_arms.values().all(|seeds| Some(seeds) == first)
}

impl PairedItem {
    /// Returns whether baseline and candidate both answered the item.
    pub(super) fn is_whole(&self) -> bool {
        self.scores.iter().all(Option::is_some)
    }
}

impl Pairs {
    pub(super) fn lacks(&self) -> bool {
        self.items.iter().any(|item| !item.is_whole())
    }

    /// Numbers of items on which the candidate is worse, and better.
    pub(super) fn differing(&self) -> [u64; 2] {
        let count = |is: fn(f64) -> bool| {
            { self.items.iter() }
                .filter(|item| is(item.difference))
                .count() as u64
        };
        [
            count(|difference| difference < 0.0),
            count(|difference| difference > 0.0),
        ]
    }

    /// Returns the sum of the differences on the items that are taken, and the number of these items.
    pub(super) fn sum(&self, is_taken: impl Fn(&PairedItem) -> bool) -> (f64, f64) {
        let taken = self.items.iter().filter(|item| is_taken(item));
        taken.fold((0.0, 0.0), |(sum, items), item| {
            (sum + item.difference, items + 1.0)
        })
    }

    /// Returns the standard deviation of the differences; 0 of fewer than two.
    pub(super) fn sd(&self) -> f64 {
        let differences: Moments = self.items.iter().map(|item| item.difference).collect();
        differences.standard_deviation().unwrap_or(0.0)
    }

    /// The differences of some items for a test.
    pub(super) fn difference(
        &self,
        clusters: Option<&ItemClusters>,
        is_taken: impl Fn(&PairedItem) -> bool,
    ) -> PairedDifference {
        let taken = self.items.iter().filter(|item| is_taken(item));
        match clusters {
            None => {
                let all: Vec<f64> = taken.map(|item| item.difference).collect();
                if self.of_splits && few_values(&all).is_none() {
                    PairedDifference::of_splits(all, 1.0)
                } else {
                    PairedDifference::new(all, 1.0)
                }
            }
            Some(clusters) => {
                let of_item =
                    |item: &PairedItem| (item.difference, clusters.of(item.item).unwrap_or(0));
                PairedDifference::of_clusters(&taken.map(of_item).collect::<Vec<_>>(), 1.0)
            }
        }
    }

    /// Returns the differences for the posterior of items like these, and what one unit of a mean over items is on
    /// their scale. With clusters, a difference is the sum over a cluster, divided by the size of the largest.
    pub(super) fn posterior(&self, clusters: Option<&ItemClusters>) -> (Differences, f64) {
        let Some(clusters) = clusters else {
            return (self.items.iter().map(|item| item.difference).collect(), 1.0);
        };
        let mut sums: BTreeMap<Option<usize>, (f64, f64)> = BTreeMap::new();
        for item in &self.items {
            let of = sums.entry(clusters.of(item.item)).or_default();
            *of = (of.0 + item.difference, of.1 + 1.0);
        }
        let most = sums.values().map(|of| of.1).fold(1.0, f64::max);
        let scale = self.items.len() as f64 / (sums.len().max(1) as f64 * most);
        (sums.into_values().map(|of| of.0 / most).collect(), scale)
    }
}
