//! Recorded scores as a problem for simulations.

use super::{Observations, Problem, standardise};
use fiesta_core::{ArmId, Arms, ArmsError, Case, Design, Moments, Streams, greatest};
use rand::{RngExt, rngs::ChaCha8Rng};
use std::collections::BTreeMap;

/// Recorded scores, replayed with replacement; the best arm is the one with the highest recorded
/// mean.
///
/// With independent splits each evaluation draws one of its arm's scores. With shared splits each
/// run draws a sequence of recorded splits; an arm's k-th evaluation takes the k-th of them and one
/// of the scores that the arm has there.
#[derive(Debug, Clone)]
pub struct Recorded {
    arms: Arms,
    scores: Vec<Vec<f64>>,
    /// Scores of each split and arm. `None` if some score has no split or some cell no score.
    cells: Option<Vec<Vec<Vec<f64>>>>,
    moments: Vec<Moments>,
    best: f64,
}

/// The reason why recorded scores cannot be replayed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedError {
    /// Fewer than two arms are recorded, or a name is used twice.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// An arm has no scores.
    #[error("the arm `{0}` has no scores to replay")]
    Empty(String),
    /// The arms are not all on every split, which shared splits need.
    #[error(
        "a replay on shared splits needs scores of every arm on every split, and `{arm}` has none on split {split}; give the missing scores or use independent splits"
    )]
    Hole {
        /// The arm without a score.
        arm: String,
        /// The split that lacks a score.
        split: u64,
    },
    /// Some scores have no split.
    #[error(
        "a replay on shared splits needs a `split` for every score; use independent splits otherwise"
    )]
    NoSplits,
}

/// A score of an arm, with its split if it is known.
type SplitScore = (Option<u64>, f64);

impl Recorded {
    /// Returns a replay of the recorded scores of each arm, each with its split where that is
    /// known.
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
            Design::Shared | Design::Items { .. } => Some(cells(&arms, &records)?),
            Design::Independent | Design::Fixed => None,
        };
        let scores: Vec<Vec<f64>> = records
            .into_iter()
            .map(|records| records.into_iter().map(|(_, score)| score).collect())
            .collect();
        let moments: Vec<Moments> = scores
            .iter()
            .map(|scores| scores.iter().copied().collect())
            .collect();
        let best = greatest(moments.iter().map(Moments::mean));
        Ok(Self {
            arms,
            scores,
            cells,
            moments,
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

    fn shortfall(&self, arm: ArmId) -> f64 {
        self.best - self.moments[arm.index()].mean()
    }

    fn standardised(&self, arm: ArmId, score: f64) -> f64 {
        let moments = &self.moments[arm.index()];
        let sd = moments.standard_deviation().unwrap_or(0.0);
        standardise(score, moments.mean(), sd)
    }

    fn observations(
        &self,
        _design: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations + '_> {
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

/// Observations that draw each score of an arm with the same probability.
struct Pooled<'a> {
    scores: &'a [Vec<f64>],
    rng: ChaCha8Rng,
}

impl Observations for Pooled<'_> {
    fn observe(&mut self, arm: ArmId, _case: Case) -> f64 {
        let scores = &self.scores[arm.index()];
        scores[self.rng.random_range(0..scores.len())]
    }
}

/// Observations of one run, on a sequence of splits that all arms share.
struct Split<'a> {
    cells: &'a [Vec<Vec<f64>>],
    order: Vec<usize>,
    splits: ChaCha8Rng,
    rng: ChaCha8Rng,
}

impl Observations for Split<'_> {
    fn observe(&mut self, arm: ArmId, case: Case) -> f64 {
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
