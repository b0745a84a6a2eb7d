//! Tables of arms: evaluations, scores, P(best) and costs, in brief, in full, by the best trial, or
//! as numbers for programs.

mod columns;
mod versus;

pub(crate) use versus::{Versus, less_arm, signed_ends, versus};

use crate::{
    CostUnit, Percentages, Table,
    summary::{Interval, ScoreSummary},
    words::decimals,
};
use columns::Columns;
use fiesta_core::{Counts, Direction, FBeta, Moments};
use serde::Serialize;

/// Least P(best) that ranks arms: below it they are ranked by their values, as tables show no
/// difference.
const SHOWN: f64 = 0.001;

/// One arm of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArmRow {
    /// Name of the arm.
    pub name: String,
    /// Count, mean and spread of the arm's scores, as reported; of counts, of the documents'
    /// F-measures.
    pub scores: Moments,
    /// Quartiles of the arm's scores, which the full table shows; none without scores.
    pub summary: Option<ScoreSummary>,
    /// The interval that the full table shows of what arms are compared by; none where nothing is
    /// known of the noise.
    pub interval: Option<Interval>,
    /// Posterior mean of what arms are compared by, where `interval` is that mean's. `None` where
    /// the interval is of the mean of the scores.
    pub posterior_mean: Option<f64>,
    /// Sum of the arm's counts, where evaluations report counts.
    pub counts: Option<Counts>,
    /// Number of evaluations that failed.
    pub failed: u64,
    /// Failed evaluations that are among the scores, as each counts as a score.
    pub failed_with_score: u64,
    /// Probability that the arm is the best, P(best); none while too little is known.
    pub probability_best: Option<f64>,
    /// Cost of the arm's evaluations together; none if that is not known.
    pub cost: Option<f64>,
    /// Whether the arm was retired for failing.
    pub retired: bool,
    /// Whether the arm may be the best as well, as far as is known.
    pub possibly_best: bool,
    /// Whether the arm is tied for the best: it cannot be told from the best.
    pub tied: bool,
    /// Best of the arm's trials, in a random search.
    pub(crate) best_trial: Option<BestTrial>,
    /// Mean over a pool of items; if there is one, the arm is compared by it.
    pub(crate) of_pool: Option<MeanOverPool>,
    /// Mean of the first of the ranked arms less this arm's. `None` where the two have no splits in
    /// common.
    pub(crate) behind: Option<BehindBest>,
}

/// The mean of an arm over all items of a pool, of which it has answered some. It is an estimate,
/// and not the average of the answers: what was answered before decides which items are asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanOverPool {
    /// Posterior mean of the arm's mean over the pool, as reported.
    pub(crate) mean: f64,
    /// Posterior standard deviation of the arm's mean over the pool; 0 once all items are answered.
    pub(crate) standard_error: f64,
    /// Share of the pool that the arm has answered.
    pub(crate) share: f64,
    /// P(best) on items like these. `None` where it was not computed.
    pub(crate) like_these: Option<f64>,
}

/// How far an arm is behind the best: the best arm's mean less its own, as reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BehindBest {
    /// The difference of the means: by the posterior, or by the scores where that has none.
    pub difference: f64,
    /// Standard error of the distance, or the scale of its posterior. `None` where nothing is known
    /// of the noise.
    pub standard_error: Option<f64>,
    /// Lower end of the distance's 95 % interval. `None` where nothing is known of the noise.
    pub lower: Option<f64>,
    /// Upper end of the distance's 95 % interval.
    pub upper: Option<f64>,
}

impl BehindBest {
    /// Returns the ends of the distance's interval. `None` where nothing is known of the noise.
    pub(crate) fn interval(&self) -> Option<Interval> {
        let (lower, upper) = self.lower.zip(self.upper)?;
        Some(Interval { lower, upper })
    }
}

/// The trial of a random search with the best score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BestTrial {
    /// Score of the trial, as reported.
    pub(crate) score: f64,
    /// Hyperparameters of the trial in words; empty if there are none.
    pub(crate) setting: String,
}

impl ArmRow {
    /// Returns a row of an arm of which nothing but its scores is known.
    pub fn new(name: impl Into<String>, scores: Moments) -> Self {
        Self {
            name: name.into(),
            scores,
            ..Self::default()
        }
    }

    /// Adds P(best) to the row.
    pub fn probability_best(mut self, probability: f64) -> Self {
        self.probability_best = Some(probability);
        self
    }

    /// Returns the mean of the arm's scores; none without any.
    pub fn mean(&self) -> Option<f64> {
        (self.scores.count() > 0).then(|| self.scores.mean())
    }
}

/// The arms of a study or a file, to be shown as a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArmTable {
    /// Name of the metric.
    pub metric: String,
    /// Direction in which the metric is better.
    pub direction: Direction,
    /// The F-measure of the sum of an arm's counts, where arms are compared by that and not by the
    /// mean of their scores.
    pub f_beta: Option<FBeta>,
    /// The unit of costs; none where nobody says it.
    pub cost_unit: Option<CostUnit>,
    /// Number of the best arms of which `probability_best` is the probability of being one; 1 where it
    /// is that of being the best.
    pub top: usize,
    /// The place of the arm that the study recommends; without one it is the first.
    pub recommended: Option<usize>,
    /// Rows of the arms, in their own order.
    pub arms: Vec<ArmRow>,
}

impl ArmTable {
    /// Returns a table of arms that are compared by the means of their scores, in their own order.
    pub fn new(metric: impl Into<String>, direction: Direction, arms: Vec<ArmRow>) -> Self {
        Self {
            metric: metric.into(),
            direction,
            f_beta: None,
            cost_unit: None,
            top: 1,
            recommended: None,
            arms,
        }
    }

    /// Marks the arms at these places as tied for the best, the recommended one included.
    pub(crate) fn mark_tied(&mut self, places: &[usize]) {
        for &place in places {
            self.arms[place].tied = true;
        }
    }

    /// Returns what the arm at a place is compared by: the mean of its scores, that over a pool of
    /// items, or the F-measure of its counts. `None` while it is undefined.
    pub fn value(&self, place: usize) -> Option<f64> {
        let arm = &self.arms[place];
        match self.f_beta {
            Some(f_beta) => f_beta.of_counts(arm.counts.as_ref()?),
            None => arm.of_pool.map(|known| known.mean).or_else(|| arm.mean()),
        }
    }

    /// The places of the arms from the best to the worst: by P(best), then by value, also where
    /// P(best) is less than is shown; retired arms and those without scores last.
    pub fn ranked(&self) -> Vec<usize> {
        let key = |&place: &usize| {
            let arm = &self.arms[place];
            (
                !arm.retired,
                arm.probability_best.filter(|&p| p >= SHOWN).unwrap_or(0.0),
                self.oriented(self.value(place)),
            )
        };
        let mut ranked: Vec<usize> = (0..self.arms.len()).collect();
        ranked.sort_by(|a, b| {
            let ((a0, a1, a2), (b0, b1, b2)) = (key(a), key(b));
            b0.cmp(&a0).then(b1.total_cmp(&a1)).then(b2.total_cmp(&a2))
        });
        ranked
    }

    fn oriented(&self, value: Option<f64>) -> f64 {
        value.map_or(f64::NEG_INFINITY, |value| self.direction.orient(value))
    }

    /// Returns the place of the best arm: of the recommended one, or of the first; none if nothing
    /// is known of any.
    pub fn best(&self) -> Option<usize> {
        let first = match self.recommended {
            Some(recommended) => recommended,
            None => *self.ranked().first()?,
        };
        (self.value(first).is_some() && !self.arms[first].retired).then_some(first)
    }

    /// Returns the title of the column of probabilities: "P(best)", or "P(top 3)".
    pub(crate) fn probability_title(&self) -> String {
        match self.top {
            1 => "P(best)".to_owned(),
            top => format!("P(top {top})"),
        }
    }

    /// Returns P(best) of the arms in percent, by their places; they divide a whole.
    pub fn percentages(&self) -> Percentages {
        let probability = self.arms.iter().map(|arm| arm.probability_best);
        let probability: Vec<f64> = probability.map(Option::unwrap_or_default).collect();
        Percentages::new(&probability)
    }

    /// Returns how many decimals the table's numbers deserve.
    pub fn decimals(&self) -> usize {
        let summaries = self.arms.iter().filter_map(|arm| arm.summary.as_ref());
        decimals(summaries.filter_map(|summary| summary.standard_error))
    }

    /// Returns the table in brief, from the best to the worst: P(best), evaluations (documents
    /// where there are counts), failures, counts and costs where there are any, mean ± standard
    /// deviation or the F-measure, and differences to the first where these are known.
    pub fn brief(&self) -> Table {
        let ranked = self.ranked();
        let best = self.recommended.or_else(|| ranked.first().copied());
        self.noted(Columns::brief(self, &ranked).table(best, tied))
    }

    /// Returns the table in full, from the best to the worst, with quartiles and with the intervals
    /// of the summaries, which are at this confidence: the best bold, those that may be as good
    /// marked with a dagger.
    pub fn full(&self, confidence: f64) -> Table {
        let best = self.best();
        let mark = |place: usize, arm: &ArmRow| {
            let is_near = arm.possibly_best && best.is_some_and(|best| best != place);
            if is_near && !arm.tied {
                "†"
            } else {
                tied(place, arm)
            }
        };
        self.noted(Columns::full(self, &self.ranked(), confidence).table(best, mark))
    }

    /// Adds the meaning of the mark of tied arms, if there are some.
    fn noted(&self, table: Table) -> Table {
        if self.arms.iter().any(|arm| arm.tied) {
            table.note(TIED_NOTE)
        } else {
            table
        }
    }

    /// Returns the table of a random search, from the best score to the worst: trials, failures and
    /// costs where there are any, the best score and its setting.
    pub(crate) fn best_trials(&self) -> Table {
        let mut ranked: Vec<usize> = (0..self.arms.len()).collect();
        let key = |place: usize| {
            let best = self.arms[place].best_trial.as_ref();
            self.oriented(best.map(|best| best.score))
        };
        ranked.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
        let first = ranked.first().copied();
        Columns::best_trials(self, &ranked).table(first, tied)
    }
}

/// The mark of arms that are tied for the best.
const TIED: &str = "=";

fn tied(_: usize, arm: &ArmRow) -> &'static str {
    if arm.tied { TIED } else { "" }
}

/// Note on the mark of tied arms.
const TIED_NOTE: &str = "= Tied: these arms cannot be told apart.";

#[cfg(test)]
mod tests;
