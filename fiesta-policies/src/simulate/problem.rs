//! Problems whose best arm is known: recorded scores, and Gaussian arms.

use fiesta_core::{ArmId, Arms, ArmsError, Case, Design, Moments, Streams};
use rand::{RngExt, rngs::ChaCha8Rng};
use rand_distr::{Distribution, Normal};
use std::collections::BTreeMap;

/// A selection problem with a known answer.
pub trait Problem: Sync {
    /// The arms.
    fn arms(&self) -> &Arms;

    /// Whether this arm is best, or as good as the best.
    fn is_best(&self, arm: ArmId) -> bool;

    /// The scores of run `number`, drawn from that run's own streams.
    fn scores(&self, design: Design, streams: &Streams, number: u64) -> Box<dyn Scores + '_>;
}

/// Where the scores of one run come from.
pub trait Scores {
    /// The score of an arm on a case.
    fn score(&mut self, arm: ArmId, case: Case) -> f64;
}

/// Arms with independent Gaussian scores.
#[derive(Debug, Clone)]
pub struct Gaussian {
    arms: Arms,
    scores: Vec<Normal<f64>>,
    best: f64,
}

/// Means and standard deviations that are no problem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GaussianError {
    /// There are fewer than two arms.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// A mean or standard deviation is out of range.
    #[error(
        "arm {arm} has mean {mean} and standard deviation {sd}: both must be finite, the latter at least 0"
    )]
    Moments {
        /// Its number, from 1.
        arm: usize,
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        sd: f64,
    },
}

impl Gaussian {
    /// Arms with these means and standard deviations.
    ///
    /// # Errors
    /// [`GaussianError`] for fewer than two arms, or a mean or standard deviation that is not finite.
    pub fn new(moments: impl IntoIterator<Item = (f64, f64)>) -> Result<Self, GaussianError> {
        let moments: Vec<(f64, f64)> = moments.into_iter().collect();
        let arms = Arms::new((1..=moments.len()).map(|i| format!("arm{i}")))?;
        let scores = moments
            .iter()
            .enumerate()
            .map(|(index, &(mean, sd))| {
                let normal = Normal::new(mean, sd).ok();
                normal
                    .filter(|_| mean.is_finite() && sd.is_finite() && sd >= 0.0)
                    .ok_or(GaussianError::Moments {
                        arm: index + 1,
                        mean,
                        sd,
                    })
            })
            .collect::<Result<_, _>>()?;
        let best = moments
            .iter()
            .map(|&(mean, _)| mean)
            .fold(f64::NEG_INFINITY, f64::max);
        Ok(Self { arms, scores, best })
    }
}

impl Problem for Gaussian {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn is_best(&self, arm: ArmId) -> bool {
        self.scores[arm.index()].mean() >= self.best
    }

    fn scores(&self, _design: Design, streams: &Streams, number: u64) -> Box<dyn Scores + '_> {
        Box::new(GaussianScores {
            scores: &self.scores,
            rng: streams.run(number),
        })
    }
}

struct GaussianScores<'a> {
    scores: &'a [Normal<f64>],
    rng: ChaCha8Rng,
}

impl Scores for GaussianScores<'_> {
    fn score(&mut self, arm: ArmId, _case: Case) -> f64 {
        self.scores[arm.index()].sample(&mut self.rng)
    }
}

/// Recorded scores, replayed with replacement; the best arm is the one with the highest recorded mean.
///
/// With independent splits each evaluation draws one of its arm's scores. With shared splits each run draws a
/// sequence of recorded splits; an arm's k-th evaluation takes the k-th of them and one of the scores that
/// the arm has there.
#[derive(Debug, Clone)]
pub struct Recorded {
    arms: Arms,
    scores: Vec<Vec<f64>>,
    /// Per split and arm, the scores there; none if some score has no split or some cell no score.
    cells: Option<Vec<Vec<Vec<f64>>>>,
    means: Vec<f64>,
    best: f64,
}

/// Why recorded scores cannot be replayed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedError {
    /// There are fewer than two arms, or a name is used twice.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// An arm has no scores.
    #[error("the arm `{0}` has no scores to replay")]
    Empty(String),
    /// Shared splits need the split of every score, and every arm on every split.
    #[error(
        "a replay on shared splits needs scores of every arm on every split, and `{arm}` has none on split {split}; give the missing scores or use independent splits"
    )]
    Hole {
        /// The arm without a score.
        arm: String,
        /// The split that lacks it.
        split: u64,
    },
    /// Some scores have no split.
    #[error(
        "a replay on shared splits needs a `split` for every score; use independent splits otherwise"
    )]
    NoSplits,
}

/// A score of an arm, with its split where that is known.
type SplitScore = (Option<u64>, f64);

impl Recorded {
    /// The recorded scores of each arm, each with its split where that is known.
    ///
    /// # Errors
    /// [`RecordedError`] for fewer than two arms or an arm without scores; for shared splits, also
    /// if an arm lacks a split that another has.
    pub fn new(
        arms: impl IntoIterator<Item = (String, Vec<SplitScore>)>,
        design: Design,
    ) -> Result<Self, RecordedError> {
        let (names, records): (Vec<String>, Vec<Vec<SplitScore>>) = arms.into_iter().unzip();
        let arms = Arms::new(names)?;
        if let Some(empty) = arms.ids().find(|arm| records[arm.index()].is_empty()) {
            return Err(RecordedError::Empty(arms.name(empty).to_owned()));
        }
        let cells = match design {
            Design::Shared => Some(cells(&arms, &records)?),
            Design::Independent | Design::Fixed => None,
        };
        let scores: Vec<Vec<f64>> = records
            .into_iter()
            .map(|records| records.into_iter().map(|(_, score)| score).collect())
            .collect();
        let mean = |scores: &Vec<f64>| scores.iter().copied().collect::<Moments>().mean();
        let means: Vec<f64> = scores.iter().map(mean).collect();
        let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Self {
            arms,
            scores,
            cells,
            means,
            best,
        })
    }
}

fn cells(arms: &Arms, records: &[Vec<SplitScore>]) -> Result<Vec<Vec<Vec<f64>>>, RecordedError> {
    let mut by_split: BTreeMap<u64, Vec<Vec<f64>>> = BTreeMap::new();
    for (arm, records) in records.iter().enumerate() {
        for &(split, score) in records {
            let split = split.ok_or(RecordedError::NoSplits)?;
            let cells = by_split
                .entry(split)
                .or_insert_with(|| vec![Vec::new(); arms.len()]);
            cells[arm].push(score);
        }
    }
    for (&split, cells) in &by_split {
        if let Some(arm) = arms.ids().find(|arm| cells[arm.index()].is_empty()) {
            let arm = arms.name(arm).to_owned();
            return Err(RecordedError::Hole { arm, split });
        }
    }
    Ok(by_split.into_values().collect())
}

impl Problem for Recorded {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn is_best(&self, arm: ArmId) -> bool {
        self.means[arm.index()] >= self.best
    }

    fn scores(&self, _design: Design, streams: &Streams, number: u64) -> Box<dyn Scores + '_> {
        let rng = streams.run(number);
        match &self.cells {
            None => Box::new(Pooled {
                scores: &self.scores,
                rng,
            }),
            Some(cells) => Box::new(Split {
                cells,
                order: Vec::new(),
                splits: streams.splits(number),
                rng,
            }),
        }
    }
}

/// Every score of an arm alike.
struct Pooled<'a> {
    scores: &'a [Vec<f64>],
    rng: ChaCha8Rng,
}

impl Scores for Pooled<'_> {
    fn score(&mut self, arm: ArmId, _case: Case) -> f64 {
        let scores = &self.scores[arm.index()];
        scores[self.rng.random_range(0..scores.len())]
    }
}

/// One sequence of splits for all arms.
struct Split<'a> {
    cells: &'a [Vec<Vec<f64>>],
    order: Vec<usize>,
    splits: ChaCha8Rng,
    rng: ChaCha8Rng,
}

impl Scores for Split<'_> {
    fn score(&mut self, arm: ArmId, case: Case) -> f64 {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "splits of a run are counted from 0"
        )]
        let place = case.split as usize;
        while self.order.len() <= place {
            self.order
                .push(self.splits.random_range(0..self.cells.len()));
        }
        let scores = &self.cells[self.order[place]][arm.index()];
        scores[self.rng.random_range(0..scores.len())]
    }
}
