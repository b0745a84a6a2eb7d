//! By how much a search overstated its winner, from the first evaluations of the winner on fresh
//! splits.

use super::StudyFacts;
use crate::{percent, words::decimals};
use fiesta_core::{ArmId, Design, Moments, Outcome};
use serde::Serialize;

/// The winner of a search, as a study of the search's best settings fixed it before its first
/// evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchWinnerFacts {
    /// Arm with the setting that had the best score in the search.
    pub arm: ArmId,
    /// Score of this setting in the search, as reported.
    pub score: f64,
    /// How many of the arm's evaluations, the first ones, are compared with the score.
    pub first: u64,
    /// Arm with the default setting. `None` if there is none, or it is the winner.
    pub default: Option<ArmId>,
    /// Posterior probability that the default's mean is better than the winner's. `None` while too
    /// little is known.
    pub default_better: Option<f64>,
}

/// The search's winner after its first evaluations.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchWinnerReport {
    /// The name of the arm.
    pub arm: String,
    /// Score of the arm's setting in the search.
    pub search_score: f64,
    /// How many of the arm's evaluations are compared with that score, failed ones included.
    pub first: u64,
    /// Number of these that have ended.
    pub ended: u64,
    /// Number of these that failed.
    pub failed: u64,
    /// Mean of the scores of these evaluations. `None` before all have ended, and if all failed.
    pub mean: Option<f64>,
    /// Standard error of the mean, and of the optimism. `None` of fewer than two scores.
    pub standard_error: Option<f64>,
    /// By how much the search overstated the arm: the search's score less the mean, oriented so that
    /// a positive number is an overstatement.
    pub optimism: Option<f64>,
    /// Posterior probability that the default is better than the arm. `None` without a default, or
    /// while too little is known.
    pub default_better: Option<f64>,
}

impl StudyFacts {
    /// Returns what is known of the search's winner. `None` if the study file names none.
    ///
    /// The optimism is s − m, of the search's score s and the mean m of the arm's first n₀ evaluations in
    /// the order in which they were decided; n₀ and s are fixed before. Its standard error is that of m:
    /// the standard deviation of these scores divided by the root of their number. Evaluations that
    /// failed have no score and are left out, which is told.
    pub fn search_winner(&self) -> Option<SearchWinnerReport> {
        let winner = self.search_winner?;
        let is_counted = |outcome: &Option<Outcome<_>>| *outcome != Some(Outcome::Withdrawn);
        let of_arm = self.evaluations.iter();
        let of_arm =
            of_arm.filter(|e| e.arm == winner.arm && !e.recorded && is_counted(&e.outcome));
        let first = of_arm.take(usize::try_from(winner.first).unwrap_or(usize::MAX));
        let ended: Vec<Option<f64>> = first
            .filter(|evaluation| evaluation.outcome.is_some())
            .map(super::EvaluationFacts::plain_score)
            .collect();
        let scores: Moments = ended.iter().flatten().copied().collect();
        let (all, observed) = (ended.len() as u64, scores.count());
        let is_known = all == winner.first && observed > 0;
        let mean = is_known.then(|| scores.mean());
        Some(SearchWinnerReport {
            arm: self.name(winner.arm).to_owned(),
            search_score: winner.score,
            first: winner.first,
            ended: all,
            failed: all - observed,
            mean,
            standard_error: scores.standard_error().filter(|_| is_known),
            optimism: mean.map(|mean| self.metric.direction().orient(winner.score - mean)),
            default_better: winner.default_better,
        })
    }

    /// Tells by how much the search overstated its winner, and whether the default is better. `None` if
    /// the study file names no winner.
    pub fn search_winner_words(&self) -> Option<String> {
        let report = self.search_winner()?;
        let digits = decimals(report.standard_error);
        let SearchWinnerReport {
            arm,
            search_score,
            first,
            ended,
            failed,
            ..
        } = &report;
        let what = match self.design {
            Design::Fixed => "seeds",
            _ => "splits",
        };
        let default = self.search_winner.and_then(|winner| winner.default);
        let better = default.zip(report.default_better).map(|(default, p)| {
            format!(
                " {} is better than this winner with {} posterior probability.",
                self.name(default),
                percent(p)
            )
        });
        let (Some(mean), Some(optimism)) = (report.mean, report.optimism) else {
            let known = if failed == first {
                "all failed".to_owned()
            } else if self.conclusion.is_some() {
                format!("the study ended after {ended}")
            } else {
                format!("{ended} have ended")
            };
            return Some(format!(
                "By how much the search overstated its winner, {arm}, is not known: of its first {first} evaluations, {known}.{}",
                better.unwrap_or_default()
            ));
        };
        let verb = if optimism < 0.0 {
            "understated"
        } else {
            "overstated"
        };
        let error = report.standard_error;
        let error = error.map(|error| format!(" ± {error:.digits$} (standard error)"));
        let failures = match failed {
            0 => "",
            1 => "; 1 of them failed and is left out",
            _ => &format!("; {failed} of them failed and are left out"),
        };
        Some(format!(
            "The search {verb} its winner, {arm}, by {:.digits$}{}: its first {first} evaluations on fresh {what} have the mean {mean:.digits$}, in the search it had {search_score:.digits$}{failures}.{}",
            optimism.abs(),
            error.unwrap_or_default(),
            better.unwrap_or_default()
        ))
    }
}
