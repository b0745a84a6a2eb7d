//! Evaluations that failed or have no score: what each counts as, and a sentence that says so.

use super::{
    AnalysisError,
    decisive::{Outcomes, Part, Question, Scored},
};
use crate::{
    tuning_curve::{Failed, worst_score},
    words::one_or_more,
};
use fiesta_core::{ArmId, Direction};
use fiesta_records::{Evaluations, words::quoted};
use std::{borrow::Cow, collections::HashSet};

/// Returns the evaluations with those that failed counted as `failed` says, and what was done to
/// how many of them, in words. The words are `None` if none failed. The worst score is the bound,
/// or the worst that was observed.
///
/// # Errors
/// [`AnalysisError`] if one failed and that is an error, or there is no score that could be the
/// worst. `source` names the file.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_records::{Reading, read_from};
/// use fiesta_report::{analysis::count_failures, tuning_curve::Failed};
/// let csv = "arm,score\na,0.5\na,\nb,0.7\n";
/// let options = Reading { keep_failures: true, keep_missing: true, ..Reading::default() };
/// let records = read_from(csv.as_bytes(), None, &options, "s.csv")?;
/// let (counted, said) = count_failures(&records, Failed::Worst, Direction::Maximize, None, "s.csv")?;
/// assert_eq!(counted.by_arm(), [vec![0.5, 0.5], vec![0.7]]);
/// assert!(said.unwrap().contains("counts as 0.5"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_failures<'r>(
    records: &'r Evaluations,
    failed: Failed,
    direction: Direction,
    bounds: Option<(f64, f64)>,
    source: &str,
) -> Result<(Cow<'r, Evaluations>, Option<String>), AnalysisError> {
    let Some(first) = records.failures().first() else {
        return Ok((Cow::Borrowed(records), None));
    };
    let failures = Failures {
        count: records.failures().len(),
        arm: &records.arms()[first.arm.index()],
        place: place_of(first.line, source),
    };
    let scores = records.records().iter().map(|record| record.score);
    let worst = worst_score(scores, direction, bounds);
    let (score, mut said) = failures.count(failed, worst, bounds.is_some())?;
    let counted = score.map(|score| records.with_failures_as(score));
    if let (None, Some(hidden)) = (score, decisive_failures(records, direction, bounds)) {
        said = format!("{said}. {hidden}");
    }
    Ok((
        counted.map_or(Cow::Borrowed(records), Cow::Owned),
        Some(said),
    ))
}

/// Number of digits of the score with which another arm would be ahead.
const DIGITS: usize = 4;

/// Says with which scores of its failures another arm would be ahead of the one that leads. `None`
/// where that cannot be.
pub(crate) fn decisive_failures(
    records: &Evaluations,
    direction: Direction,
    bounds: Option<(f64, f64)>,
) -> Option<String> {
    let names = records.arms().iter();
    let mut arms: Vec<Outcomes<'_>> = names
        .map(|name| Outcomes {
            name,
            ..Outcomes::default()
        })
        .collect();
    for record in records.records().iter() {
        arms[record.arm.index()].scored.push(Scored {
            split: record.split.unwrap_or_default(),
            score: record.score,
            weight: 1.0,
        });
    }
    // A failure that was made again keeps its seed.
    let key = |arm, split, seed: Option<u64>| seed.map(|seed| (arm, split, seed));
    let scored = records.records().iter();
    let scored: HashSet<_> = scored
        .filter_map(|own| key(own.arm, own.split, own.seed))
        .collect();
    let is_missing = |own: &&fiesta_records::Failed| {
        key(own.arm, own.split, own.seed).is_none_or(|key| !scored.contains(&key))
    };
    for failed in records.failures().iter().filter(is_missing) {
        let split = failed.split.unwrap_or_default();
        arms[failed.arm.index()].failed.push(split);
    }
    let question = Question {
        direction,
        bounds,
        is_shared: records
            .records()
            .iter()
            .all(|record| record.split.is_some()),
        is_pooled: false,
        parts: vec![Part::ALL],
        slack: 0.0,
        top: 1,
    };
    Some(question.of_leader(&arms)?.sentence(DIGITS))
}

/// Leaves out arms all of whose evaluations failed, unless fewer than two are left. Returns what is
/// left, and a line that names the others.
pub fn without_unscored(records: Cow<'_, Evaluations>) -> (Cow<'_, Evaluations>, Option<String>) {
    let arms = (0..).map(ArmId::new).zip(records.by_arm());
    let (kept, others): (Vec<_>, Vec<_>) = arms.partition(|(_, scores)| !scores.is_empty());
    if others.is_empty() || kept.len() < 2 {
        return (records, None);
    }
    let names = others.iter().map(|(arm, _)| &records.arms()[arm.index()]);
    let line = format!(
        "left out, as all of their evaluations failed: {}",
        quoted(names)
    );
    let kept: Vec<ArmId> = kept.into_iter().map(|(arm, _)| arm).collect();
    (Cow::Owned(records.select(&kept)), Some(line))
}

/// Evaluations that failed, one at least.
pub(crate) struct Failures<'a> {
    /// Number of failures.
    pub(crate) count: usize,
    /// Arm of the first failure.
    pub(crate) arm: &'a str,
    /// Place of the first failure in a file.
    pub(crate) place: String,
}

impl Failures<'_> {
    /// Returns the score that each failure counts as, and what was done to them, in words. The score
    /// is `None` if they are left out. `worst` is the [worst score](worst_score).
    ///
    /// # Errors
    /// As [`count_failures`].
    pub(crate) fn count(
        &self,
        failed: Failed,
        worst: Option<f64>,
        is_bound: bool,
    ) -> Result<(Option<f64>, String), AnalysisError> {
        let Self { count, arm, place } = self;
        let evaluations = match count {
            1 => format!("1 evaluation failed or has no score ({place})"),
            _ => format!("{count} evaluations failed or have no score (the first is {place})"),
        };
        match (failed, worst) {
            (Failed::Error, _) => Err(AnalysisError::Uncounted(format!(
                "{evaluations}, first of `{arm}`: count them as the worst score with --failed worst, or leave them out with --failed drop"
            ))),
            (Failed::Drop, _) => {
                let fate = one_or_more(*count, "it is left out", "they are left out");
                Ok((None, format!("{evaluations}: {fate}")))
            }
            (Failed::Worst, None) => Err(AnalysisError::Refused(format!(
                "{evaluations}, and so did all others: give --bounds, of which the worse one is the worst score there can be"
            ))),
            (Failed::Worst, Some(worst)) => {
                let counts = one_or_more(*count, "it counts as", "each counts as");
                let which = if is_bound { "can be" } else { "was" };
                let said =
                    format!("{evaluations}: {counts} {worst}, the worst score there {which}");
                Ok((Some(worst), said))
            }
        }
    }
}

/// Names the place of a failed evaluation: its file, and its line unless that is 0.
pub(crate) fn place_of(line: u64, source: &str) -> String {
    match line {
        0 => source.to_owned(),
        line => format!("{source}:{line}"),
    }
}
