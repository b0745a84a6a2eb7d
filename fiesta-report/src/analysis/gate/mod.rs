//! Gate of two complete files: may a candidate replace the baseline?

mod constraint;
mod drift;
mod flipped;
mod judge;
mod markdown;
mod pairs;
mod study;
#[cfg(test)]
mod tests;
mod text;

pub use constraint::{ConstrainedQuantity, GateConstraint};
pub use drift::GateDrift;
pub use fiesta_policies::gate::Answer as GateVerdict;
pub use flipped::{FlippedAnswer, FlippedItem};
pub use study::{GateFacts, VersionFacts, not_a_gate};

use super::{
    AnalysisError, ScoresOfArms,
    belief::{ItemClusters, Sampling, fit},
    folds::folds_note,
    unknown_arm,
};
use fiesta_core::{ArmId, Direction, Target};
use fiesta_records::{Evaluations, SplitSource};
use judge::Judge;
use pairs::Answers;
use serde::Serialize;

/// Differences of means up to this part of the range of the scores are rounding.
const ROUNDING: f64 = 1e-9;

/// Options of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GateOptions {
    /// Name of the baseline. `None` for the first arm.
    pub baseline: Option<String>,
    /// How much worse a candidate may be, in the unit of the score, above 0.
    pub margin: Option<f64>,
    /// By how much a candidate has to be better, 0 or more; in place of a margin.
    pub better_by: Option<f64>,
    /// Confidence of the gate: one less the share of gates that may err, each way.
    pub confidence: f64,
    /// Which items the verdict is of.
    pub target: Target,
    /// Column that says which items belong together.
    pub clusters: Option<String>,
    /// The least and the greatest possible score. `None` for 0 and 1, if all scores lie there.
    pub bounds: Option<(f64, f64)>,
}

impl Default for GateOptions {
    fn default() -> Self {
        Self {
            baseline: None,
            margin: None,
            better_by: None,
            confidence: 0.95,
            target: Target::ItemsLikeThese,
            clusters: None,
            bounds: None,
        }
    }
}

impl GateOptions {
    /// Returns the difference that a candidate must exceed to ship: −margin, or by how much it has to be better.
    fn threshold(&self) -> Result<Option<f64>, AnalysisError> {
        let refused = |why: &str| Err(AnalysisError::refused(why));
        if !(self.confidence > 0.5 && self.confidence < 1.0) {
            return refused("give a confidence between 0.5 and 1, for example 0.95");
        }
        match (self.margin, self.better_by) {
            (Some(_), Some(_)) => refused(
                "a margin and a lead exclude each other: give --margin for not worse, or --better-by for better",
            ),
            (Some(margin), None) if margin.is_finite() && margin > 0.0 => Ok(Some(-margin)),
            (Some(_), None) => refused(
                "the margin is how much worse the new version may be: give a number above 0, for example 0.02, or --better-by 0 if it has to be better",
            ),
            (None, Some(lead)) if lead.is_finite() && lead >= 0.0 => Ok(Some(lead)),
            (None, Some(_)) => refused("--better-by takes a number that is 0 or more"),
            (None, None) => Ok(None),
        }
    }
}

/// How a candidate compares with the baseline, whatever the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Standing {
    /// The candidate is shown to be better than the baseline.
    Better,
    /// The candidate is shown to differ from the baseline by less than the margin; on these items, to be equal.
    Equal,
    /// The candidate is shown to be worse than the baseline.
    Worse,
    /// The candidate is not shown to be better, equal or worse.
    Open,
}

/// Verdicts of a gate on one or several candidates.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GateReport {
    /// Verdict on all candidates: blocked if one is, else undecided if one is, else ships. `None`
    /// without a margin.
    pub verdict: Option<GateVerdict>,
    /// Name of the score.
    pub metric: String,
    /// Which scores are better: `maximize` or `minimize`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub direction: Direction,
    /// Name of the baseline.
    pub baseline: String,
    /// How much worse a candidate may be, in the unit of the score. `None` if it has to be better.
    pub margin: Option<f64>,
    /// By how much a candidate has to be better, in the unit of the score. `None` with a margin.
    pub better_by: Option<f64>,
    /// Whether margin and lead are in standard deviations of the difference, and not in the unit of
    /// the score.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_sd: bool,
    /// Confidence of the gate: one less the share of gates in which any candidate at or below the
    /// margin ships, and one less the share in which any above it is blocked.
    pub confidence: f64,
    /// Share of gates that may err on one candidate: (1 − confidence) over the number of candidates.
    pub error_each: f64,
    /// Which items the verdict is of: `these items` or `items like these`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub target: Target,
    /// Column of the clusters of items. `None` if items are independent.
    pub clusters: Option<String>,
    /// Fewest items after which a candidate that answers as the baseline does can ship, whatever the
    /// method, in a study of items. `None` if none can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest_items: Option<u64>,
    /// The candidates, in the order of the files.
    pub candidates: Vec<GateCandidate>,
    /// Drift since the first baseline, in a study with a kept baseline. `None` without one, and while it is
    /// the first.
    pub drift: Option<GateDrift>,
    /// Notes on the data.
    pub notes: Vec<String>,
    /// Noun for what both were asked: item, document or split.
    #[serde(skip)]
    noun: &'static str,
}

/// A candidate in a gate. Differences are of its mean score less the baseline's, with the sign
/// turned around where smaller scores are better: above 0 is better.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GateCandidate {
    /// Name of the candidate.
    pub name: String,
    /// Verdict on the candidate. `None` without a margin.
    pub verdict: Option<GateVerdict>,
    /// Verdict on the candidate and what is guaranteed, in a sentence to quote.
    pub sentence: String,
    /// How the candidate compares with the baseline.
    pub standing: Standing,
    /// Number of items that the candidate or the baseline was asked.
    pub items: u64,
    /// Number of items on which candidate and baseline differ.
    pub differing: u64,
    /// Number of items on which the candidate is worse.
    pub regressions: u64,
    /// Number of items on which the candidate is better.
    pub fixed: u64,
    /// Number of items on which the candidate's evaluation failed: they count as the worst score.
    pub failed: u64,
    /// Number of items that the baseline has and the candidate has not: they count as the worst score.
    pub missing: u64,
    /// Number of items on which the baseline's evaluation failed: they count as its best score.
    pub baseline_failed: u64,
    /// Number of items that the candidate has and the baseline has not: they count as the baseline's best score.
    pub baseline_missing: u64,
    /// Verdict on those items alone that candidate and baseline both answered. `None` if nothing failed or is missing.
    pub verdict_on_answered: Option<GateVerdict>,
    /// Mean of the candidate's differences from the baseline.
    pub difference: f64,
    /// Least difference that is not rejected at `error_each`. `None` if there are too few items.
    pub lower: Option<f64>,
    /// Greatest difference that is not rejected at `error_each`.
    pub upper: Option<f64>,
    /// The verdict by counting, of these items alone. `None` without a margin.
    pub verdict_on_these_items: Option<GateVerdict>,
    /// Name of the test.
    pub test: &'static str,
    /// P-value of a difference at or below the threshold. `None` without a margin.
    pub p_not_shipping: Option<f64>,
    /// P-value of a difference above the threshold. `None` without a margin.
    pub p_not_blocked: Option<f64>,
    /// About the smallest margin that such items could decide, for an equal candidate in nine of ten
    /// gates. `None` with fewer than 50 items, or 3 splits.
    pub smallest_margin: Option<f64>,
    /// Posterior probability that the difference is above the threshold; without one, above 0. A
    /// model's statement on items like these, no error rate.
    pub probability: f64,
    /// Posterior probability that the candidate is the best of all arms. `None` with one candidate.
    pub probability_best: Option<f64>,
    /// How the candidate stands in each constraint of a study's gate. Its verdict is on the score and on
    /// all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<GateConstraint>,
    /// Items on which candidate and baseline differ, the greatest regression first.
    pub flipped: Vec<FlippedItem>,
    /// Why the gate can decide nothing about the candidate. `None` if it can.
    #[serde(skip)]
    too_few: Option<&'static str>,
}

/// Judges candidates against a baseline, on items or splits that were fixed beforehand.
///
/// With Δ = mean(candidate) − mean(baseline), a candidate ships if Δ > −margin is shown, and is blocked
/// if Δ ≤ −margin is ([`PairedDifference`](crate::summary::PairedDifference)), each at (1 − confidence)/(number of candidates); on these
/// items alone, it is counted. Cases are items where records [name items](SplitSource::Items), and else splits:
/// on fewer than 50 of them, graded differences are supposed to be Gaussian. Failed and missing answers count as the worst score of the candidate and
/// the best of the baseline.
///
/// # Errors
/// [`AnalysisError`] if there is no rival, the baseline is unknown, the options are none, nothing says
/// which scores belong together, or answers are missing and the bounds of scores are not known.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_records::{Reading, read_from};
/// use fiesta_report::analysis::gate::{GateOptions, GateVerdict, gate};
/// let rows = (0..400).map(|item| format!("{item},{},{}\n", u8::from(item % 9 > 0), u8::from(item % 8 > 0)));
/// let csv = "item,old,new\n".to_owned() + &rows.collect::<String>();
/// let records = read_from(csv.as_bytes(), None, &Reading::default(), "s.csv")?;
/// let options = GateOptions { margin: Some(0.1), ..GateOptions::default() };
/// let report = gate(&records, Direction::Maximize, "s.csv", &options)?;
/// assert_eq!(report.verdict, Some(GateVerdict::Ships));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gate(
    records: &Evaluations,
    direction: Direction,
    source: &str,
    options: &GateOptions,
) -> Result<GateReport, AnalysisError> {
    let threshold = options.threshold()?;
    let names = records.arms();
    let baseline = match &options.baseline {
        None => ArmId::new(0),
        Some(name) => records.find(name).ok_or_else(|| unknown_arm(name, names))?,
    };
    let candidates: Vec<ArmId> = ArmId::all(names.len())
        .filter(|&arm| arm != baseline)
        .collect();
    if candidates.is_empty() {
        return Err(AnalysisError::Refused(format!(
            "{source} has one arm, `{}`: a gate compares a baseline with one candidate at least",
            names.first().map_or("", String::as_str)
        )));
    }
    let clusters = { options.clusters.as_ref() }
        .map(|column| ItemClusters::new(records, column, source))
        .transpose()?;
    let answers = Answers::new(records, direction, source, options.bounds)?;
    let of_splits = records.split_source() != SplitSource::Items;
    let is_beyond = threshold.is_some_and(|threshold| threshold.abs() >= answers.range());
    if is_beyond && (answers.bounds.is_some() || !of_splits) {
        return Err(AnalysisError::Refused(format!(
            "scores differ by at most {}: give a margin below that",
            answers.range()
        )));
    }
    let error_each = (1.0 - options.confidence) / candidates.len() as f64;
    let judge = Judge {
        options,
        threshold: threshold.map(|threshold| threshold / answers.range()),
        error: error_each,
    };
    let target = Some(options.target).filter(|_| !of_splits);
    let best =
        (candidates.len() > 1).then(|| probabilities_best(records, direction, source, target));
    let mut report = GateReport {
        verdict: None,
        metric: records.metric().to_owned(),
        direction,
        baseline: names[baseline.index()].clone(),
        margin: options.margin,
        better_by: options.better_by,
        in_sd: false,
        confidence: options.confidence,
        error_each,
        target: options.target,
        clusters: options.clusters.clone(),
        fewest_items: None,
        candidates: Vec::new(),
        drift: None,
        notes: Vec::new(),
        noun: if of_splits { "split" } else { "item" },
    };
    for candidate in candidates {
        let mut pairs = answers.pairs([baseline, candidate])?;
        pairs.of_splits = of_splits && !records.are_right_or_wrong();
        let mut judged = judge.candidate(&pairs, clusters.as_ref(), answers.range());
        judged.name.clone_from(&names[candidate.index()]);
        judged.probability_best = best
            .as_ref()
            .and_then(|best| best.get(candidate.index()).copied());
        if !pairs.of_splits {
            judged.flipped = flipped::of(records, &answers, &pairs, [baseline, candidate], &[]);
        }
        judged.sentence = report.sentence_of(&judged);
        report.notes.extend(report.counted_against(&judged));
        report.candidates.push(judged);
    }
    let any = |verdict| { report.candidates.iter() }.any(|own| own.verdict == Some(verdict));
    report.verdict = threshold.map(|_| {
        let worst = [GateVerdict::Blocked, GateVerdict::Undecided];
        let found = worst.into_iter().find(|&verdict| any(verdict));
        found.unwrap_or(GateVerdict::Ships)
    });
    report.notes.extend(answers.notes(report.noun));
    let folds = records.folds().filter(|_| of_splits);
    let folds = folds.map(|folds| folds_note(folds, "the verdict and its interval"));
    report.notes.extend(folds);
    Ok(report)
}

/// Returns P(best) of every arm under the default posterior, on the items that the verdict is of, if it is of any.
/// Empty where the posterior needs more scores.
fn probabilities_best(
    records: &Evaluations,
    direction: Direction,
    source: &str,
    target: Option<Target>,
) -> Vec<f64> {
    let sampling = Sampling {
        draws: None,
        seed: None,
    };
    let scores = ScoresOfArms::new(records, &[], direction, source);
    let aimed = scores.and_then(|scores| scores.aimed_to_compare(target));
    let believed = aimed.and_then(|scores| {
        let posterior = fit(&scores, scores.default_posterior(), None, sampling, None)?;
        let arms: Vec<ArmId> = scores.arms.ids().collect();
        Ok(posterior.belief(&arms).probability)
    });
    believed.unwrap_or_default()
}
