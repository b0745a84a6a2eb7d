//! Units of benchmarks: whether their scores can be averaged, and by which scales.

use super::{BenchmarkRecords, BenchmarkScale, weights::known};
use crate::analysis::AnalysisError;
use fiesta_core::Direction;
use fiesta_records::loss_among;

/// Scores above this are no shares.
const SHARE: f64 = 1.0;

/// How a benchmark's scores become values that can be averaged: larger is better, or as all are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    /// Worst and best score of the scale, where one was declared.
    pub(super) scale: Option<(f64, f64)>,
    /// Direction in which scores are better.
    pub(super) direction: Direction,
}

impl Unit {
    /// Returns the value for each unit of the score.
    pub(super) fn factor(&self) -> f64 {
        self.scale
            .map_or(1.0, |(worst, best)| 1.0 / (best - worst).abs())
    }

    /// Returns the value of an oriented score.
    pub(super) fn value(&self, oriented: f64) -> f64 {
        let zero = self
            .scale
            .map_or(0.0, |(worst, _)| self.direction.orient(worst));
        (oriented - zero) * self.factor()
    }

    /// Returns the bounds of the scores that the scale gives.
    pub(super) fn bounds(&self) -> Option<(f64, f64)> {
        self.scale
            .map(|(worst, best)| (worst.min(best), worst.max(best)))
    }
}

/// Returns the unit of each benchmark.
///
/// Without scales, all benchmarks have the same direction, also by their names, and scores that may be of one unit: all
/// of them shares between 0 and 1, or none and of the same name, or with the bounds that the user
/// gave for all. With scales, a benchmark without one has shares, of which larger are better.
pub(super) fn units(
    benchmarks: &[BenchmarkRecords],
    scales: &[BenchmarkScale],
    are_bounded: bool,
) -> Result<Vec<Unit>, AnalysisError> {
    let names: Vec<&str> = benchmarks.iter().map(|of| &*of.name).collect();
    known(scales.iter().map(|of| &*of.benchmark), &names, "--scale")?;
    let scale = |of: &BenchmarkRecords| scales.iter().find(|scale| scale.benchmark == of.name);
    let (first, rest) = match benchmarks {
        [] => return Ok(Vec::new()),
        [first, rest @ ..] => (first, rest),
    };
    if scales.is_empty() {
        if let Some([loss, score]) = loss_among(names.iter().copied()) {
            let named = |name: &str| benchmarks.iter().find(|of| of.name == name);
            let (loss, score) = (named(loss).unwrap_or(first), named(score).unwrap_or(first));
            return refused(
                loss,
                score,
                "by their names, smaller scores are better in the first alone",
            );
        }
        for other in rest {
            if other.direction != first.direction {
                return refused(
                    first,
                    other,
                    "larger scores are better in one and smaller in the other",
                );
            }
            let are_alike = match (are_shares(first), are_shares(other)) {
                (true, true) => true,
                (false, false) => are_bounded || first.records.metric() == other.records.metric(),
                _ => are_bounded,
            };
            if !are_alike {
                return refused(first, other, "they are in different units");
            }
        }
    }
    let unit = |of: &BenchmarkRecords| match scale(of) {
        Some(BenchmarkScale { worst, best, .. }) => Ok(Unit {
            scale: Some((*worst, *best)),
            direction: if worst < best {
                Direction::Maximize
            } else {
                Direction::Minimize
            },
        }),
        None if scales.is_empty() => Ok(Unit {
            scale: None,
            direction: of.direction,
        }),
        None if are_shares(of) && of.direction == Direction::Maximize => Ok(Unit {
            scale: Some((0.0, 1.0)),
            direction: Direction::Maximize,
        }),
        None => Err(AnalysisError::Refused(format!(
            "`{}` has no scale beside those of others, and its scores are no shares between 0 and 1 of which larger are better: give its worst and its best score, --scale {}=WORST,BEST",
            of.name, of.name
        ))),
    };
    benchmarks.iter().map(unit).collect()
}

fn refused(
    one: &BenchmarkRecords,
    other: &BenchmarkRecords,
    why: &str,
) -> Result<Vec<Unit>, AnalysisError> {
    let [one, other] = [one, other].map(|of| &of.name);
    Err(AnalysisError::Refused(format!(
        "scores of `{one}` and `{other}` cannot be averaged, as {why}: give the worst and the best score of each, --scale {one}=WORST,BEST --scale {other}=WORST,BEST"
    )))
}

fn are_shares(of: &BenchmarkRecords) -> bool {
    let mut scores = of.records.records().iter().map(|record| record.score);
    scores.all(|score| (0.0..=SHARE).contains(&score))
}
