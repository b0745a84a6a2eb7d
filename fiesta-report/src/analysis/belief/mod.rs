//! P(best) of each arm from evaluations that exist already.

mod asked;
mod benchmarks;
mod better;
mod clusters;
mod means_text;
mod measures;
mod of_counts;
mod of_means;
mod of_pool;
mod of_scores;
mod on_items;

pub use asked::BeliefRequest;
pub use benchmarks::{
    ArmLeftOut, ArmOnBenchmark, ArmOnBenchmarks, BenchmarkRecords, BenchmarkResult, BenchmarkScale,
    BenchmarkWeights, BenchmarksReport,
};
#[cfg(feature = "html")]
pub(crate) use better::probabilities_better;
pub use clusters::ItemClusters;
pub use measures::{
    ArmMeasure, ArmMeasures, MeasureLimit, MeasuresReport, MeasuresRequest, MeasuresVerdict,
};
pub use of_counts::{CountsModel, of_counts};
pub use of_means::MeansTable;
pub use of_scores::of_scores;
pub(crate) use of_scores::{Sampling, fit};
pub use on_items::ItemComparison;

use super::{
    AnalysisError, SplitsOutlook, as_reported,
    pool::{OutlookOptions, PoolReport},
};
use crate::{BehindBest, Table, decimals, expected_loss, figure::Estimate, percent, wrapped};
use fiesta_core::{ArmId, Belief, Counts, Direction, Method, Moments};
use fiesta_posterior::Lead;
use serde::Serialize;
use std::{collections::BTreeMap, time::Instant};

/// The confidence of the intervals that are shown.
pub(super) const INTERVAL: f64 = 0.95;

/// How P(best) is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum BeliefMethod {
    /// The posterior's own method: quadrature for independent arms, Monte Carlo for paired and f-measure.
    #[default]
    Auto,
    /// P(best) by numerical integration, to 1e-9; not for the posteriors `paired` and `f-measure`.
    Quadrature,
    /// P(best) by random draws, with its standard error.
    MonteCarlo,
}

/// Options of a belief.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BeliefOptions {
    /// How the probabilities are computed.
    pub method: BeliefMethod,
    /// Draws of the Monte Carlo method, and of paired; of f-measure the least number of effective
    /// draws of each arm. Without a number, paired draws until its error is at most
    /// `Paired::ERROR`, unless that takes too long.
    pub draws: Option<u64>,
    /// The seed of the Monte Carlo method.
    pub seed: Option<u64>,
    /// Smallest step of a score, if scores between 0 and 1 are taken on the logit scale: scores of
    /// 0 and 1 are moved in by half of it (0 refuses them).
    pub logit: Option<f64>,
    /// How often the belief is computed again to measure the time of one computation.
    pub repeat: Option<u32>,
    /// Clusters of items that belong together, for the standard error of the best two arms'
    /// difference.
    pub clusters: Option<ItemClusters>,
    /// Largest distance below the best arm, in the unit of the scores, at which an arm of a pool may still be named.
    pub tolerance: f64,
    /// Options of the outlook on further evaluations. `None` for no outlook.
    pub outlook: Option<OutlookOptions>,
}

/// P(best) of each arm, and how it was computed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeliefReport {
    /// How the probabilities were computed.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub method: Method,
    /// Largest error of the probabilities; of Monte Carlo, their standard error.
    pub absolute_error: f64,
    /// Name of the posterior.
    pub posterior: String,
    /// Name of the score.
    pub metric: String,
    /// The quantity that arms are compared by, of confusion counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The prior of the pooled F-measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<FMeasurePrior>,
    /// The arms that are tied for the best; empty if there is no tie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tied: Option<Vec<String>>,
    /// The source of splits that pair scores: `column`, `rows` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing: Option<&'static str>,
    /// Arms in the order in which they were asked for.
    pub arms: Vec<ArmBelief>,
    /// The best two arms on the items that both have answered, in a pool of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_items: Option<ItemComparison>,
    /// Report on the pool of items that the arms answered, and on what further answers would buy,
    /// under the posterior `pool`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolReport>,
    /// Comparison on the weighted mean of several benchmarks, under the posterior `benchmarks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmarks: Option<BenchmarksReport>,
    /// Answer about measures beside the score. `None` if it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<MeasuresReport>,
    /// Table of means with their spread, where these are all that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<MeansTable>,
    /// Outlook on further evaluations, under the posterior `paired`. `None` if it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<SplitsOutlook>,
    /// Notes on the data.
    pub notes: Vec<String>,
    /// The median time of one computation, in seconds, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_per_belief: Option<f64>,
    /// Belief that the report states.
    #[serde(skip)]
    pub(super) belief: Belief,
    #[serde(skip)]
    table: Table,
    #[serde(skip)]
    pub(super) direction: Direction,
    /// Meaning of the estimates, in words.
    #[serde(skip)]
    pub(super) estimated: &'static str,
    /// Value of each arm with the ends of its interval; none of an arm without scores.
    #[serde(skip)]
    pub(super) estimates: Vec<Option<Estimate>>,
    /// Remarks between the table and what is said of the method.
    #[serde(skip)]
    remarks: Vec<String>,
    /// Table of the arms by groups of the items, where these have groups.
    #[serde(skip)]
    groups: Option<Table>,
}

/// The evaluations of one arm and its P(best).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmBelief {
    /// Name of the arm.
    pub name: String,
    /// Number of evaluations of the arm; 0 where a table of means does not say so.
    pub evaluations: u64,
    /// Mean score of the evaluations.
    pub mean: Option<f64>,
    /// Standard deviation of the scores; none of fewer than two.
    pub standard_deviation: Option<f64>,
    /// Standard error of the arm's mean, without the mean's rounding, in a table of means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Probability that the arm is the best, P(best).
    pub probability_best: f64,
    /// Expected loss of choosing the arm: the posterior mean of how far it is from the best; none
    /// where that does not exist.
    pub expected_shortfall: Option<f64>,
    /// Distance of the arm behind the one that is most probably best. `None` for that arm, for arms
    /// that share no split with it, and where arms are compared by something else than means of
    /// scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind_best: Option<BehindBest>,
    /// Posterior of the arm's pooled F-measure.
    #[serde(flatten)]
    pub f_measure: Option<FMeasureBelief>,
    /// Confusion counts of the arm.
    #[serde(flatten)]
    pub counts: Option<ArmCounts>,
}

/// The prior θ ~ Dirichlet(α₀θ₀) of the shares of TP, FP, TN and FN.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FMeasurePrior {
    /// Weight of the prior in items, α₀.
    pub alpha0: f64,
    /// The expected shares θ₀, which sum to 1.
    pub theta0: [f64; 4],
}

/// The posterior of one arm's F-measure.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FMeasureBelief {
    /// Posterior of the F-measure.
    pub f: BeliefMarginal,
    /// The probabilities of TP, FP, TN and FN.
    pub theta: [BeliefMarginal; 4],
    /// Posterior of the concentration α: how alike the documents are.
    pub alpha: BeliefMarginal,
    /// Number of independent draws that say as much as the weighted ones.
    pub effective_draws: f64,
}

/// Confusion counts of one arm over all its documents.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmCounts {
    /// Sum of the counts over the documents.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, u64>")
    )]
    pub counts: Counts,
    /// F-measure of the summed counts; none without positives.
    pub value: Option<f64>,
}

/// Mean, standard deviation and quantiles of a quantity under its posterior.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Marginal"))]
#[non_exhaustive]
pub struct BeliefMarginal {
    /// Mean of the quantity.
    pub mean: f64,
    /// Standard deviation of the quantity.
    pub sd: f64,
    /// Quantiles of the quantity by their names, such as `q2.5`.
    #[serde(flatten)]
    pub quantiles: BTreeMap<String, f64>,
}

impl ArmBelief {
    fn new(name: &str, scores: &Moments, belief: &Belief, arm: ArmId) -> Self {
        Self {
            name: name.to_owned(),
            evaluations: scores.count(),
            mean: (scores.count() > 0).then(|| scores.mean()),
            standard_deviation: scores.standard_deviation(),
            standard_error: None,
            probability_best: belief.of(arm),
            expected_shortfall: finite(belief.shortfall_of(arm)),
            behind_best: None,
            f_measure: None,
            counts: None,
        }
    }
}

impl BehindBest {
    /// Computes the distance from the posterior of the best arm's lead.
    fn of_lead(lead: &Lead, direction: Direction) -> Self {
        let known = lead.at(INTERVAL);
        let (difference, interval) = as_reported(&known, direction, INTERVAL);
        Self {
            difference,
            standard_error: Some(known.scale),
            lower: Some(interval.lower),
            upper: Some(interval.upper),
        }
    }
}

/// Returns a finite value. `None` for what is infinite, which JSON cannot say.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

impl BeliefReport {
    /// Reports a belief about arms, each with its name and the mean and spread of its scores, and
    /// nothing beside it.
    pub(super) fn bare<'n>(
        belief: Belief,
        posterior: &str,
        metric: &str,
        direction: Direction,
        arms: impl Iterator<Item = (&'n str, Moments)>,
    ) -> Self {
        let arms = (0..).map(ArmId::new).zip(arms);
        let arms = arms.map(|(arm, (name, scores))| ArmBelief::new(name, &scores, &belief, arm));
        Self {
            method: belief.method,
            absolute_error: belief.absolute_error,
            posterior: posterior.to_owned(),
            metric: metric.to_owned(),
            target: None,
            prior: None,
            tied: None,
            pairing: None,
            arms: arms.collect(),
            on_items: None,
            pool: None,
            benchmarks: None,
            measures: None,
            means: None,
            outlook: None,
            notes: Vec::new(),
            seconds_per_belief: None,
            belief,
            table: Table::new([]),
            direction,
            estimated: "",
            estimates: Vec::new(),
            remarks: Vec::new(),
            groups: None,
        }
    }

    /// Returns the table of the arms, and beneath it what the probabilities rest on.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let what = match self.method {
            Method::MonteCarlo => "standard error about",
            _ => "error at most",
        };
        let accuracy = format!(
            "posterior {}; {what} {:.1e}{}",
            self.posterior,
            self.absolute_error,
            self.loss()
        );
        let time = self
            .seconds_per_belief
            .map(|seconds| format!("{:.1} µs per belief (median)", seconds * 1e6));
        let groups = self.groups.as_ref().map(|groups| groups.text_within(width));
        let of_benchmarks = self.benchmarks.as_ref().map(BenchmarksReport::headline);
        let headline = of_benchmarks.or_else(|| Some(self.pool.as_ref()?.headline()));
        let headline = headline.filter(|lines| !lines.is_empty());
        let headline = headline.map(|lines| lines.join("\n") + "\n");
        let measures = self.measures.as_ref();
        let of_measures = measures.map(|of| of.sentence() + "\n");
        let measures = measures.map(|of| of.table().text_within(width));
        let lines = headline.or_else(|| self.headline_of_means()).into_iter();
        let lines = of_measures.into_iter().chain(lines);
        let lines = lines.chain([self.table.text_within(width)]).chain(measures);
        let lines = lines.chain(self.remarks.clone()).chain(groups);
        let pool = self.pool.iter().flat_map(PoolReport::lines);
        let outlook = self.outlook.iter();
        let outlook = outlook.flat_map(|outlook| [outlook.sentence(), outlook.method()]);
        let lines = lines
            .chain([accuracy])
            .chain(pool)
            .chain(outlook)
            .chain(self.notes.clone())
            .chain(time);
        wrapped(&lines.collect::<Vec<_>>().join("\n"), width)
    }
}

impl BeliefReport {
    /// Returns the arm that is most probably best; of several the first.
    fn leader(&self) -> Option<&ArmBelief> {
        let more =
            |a: &&ArmBelief, b: &&ArmBelief| a.probability_best.total_cmp(&b.probability_best);
        self.arms.iter().rev().max_by(more)
    }

    /// The arm that is most probably best with that probability, in a few words.
    pub fn in_short(&self) -> String {
        if let Some(benchmarks) = &self.benchmarks {
            return benchmarks.headline().join("; ");
        }
        let tied = self.tied.as_deref().unwrap_or_default();
        let pool = self.pool.as_ref();
        if let Some(both) = pool.and_then(PoolReport::in_short) {
            return both;
        }
        match self.leader() {
            _ if !tied.is_empty() => format!("tied for the best: {}", tied.join(", ")),
            Some(arm) => {
                let p = percent(arm.probability_best);
                let taken = match self.means.as_ref().map(|means| means.data_sets.len()) {
                    None => String::new(),
                    Some(0) => ", as if independent".to_owned(),
                    Some(sets) => format!(", as if independent, on these {sets} data sets"),
                };
                format!("{}: P(best) {p}{taken}", arm.name)
            }
            None => "no arm".to_owned(),
        }
    }

    /// Tells in words what choosing the arm that is most probably best is expected to lose.
    fn loss(&self) -> String {
        let loss = self
            .leader()
            .and_then(|arm| Some((&arm.name, arm.expected_shortfall?)));
        let error = |arm: &ArmBelief| {
            let of_scores = |sd: f64| sd / (arm.evaluations as f64).sqrt();
            let known = arm.standard_error;
            known.or_else(|| arm.standard_deviation.map(of_scores))
        };
        let decimals = decimals(self.arms.iter().filter_map(error));
        loss.map_or_else(String::new, |(name, loss)| {
            let loss = expected_loss(loss, decimals);
            format!("; choosing {name} is expected to lose {loss}")
        })
    }
}

/// Returns the median time of a computation, in seconds.
fn median_seconds(
    times: u32,
    compute: impl Fn() -> Result<Belief, AnalysisError>,
) -> Result<f64, AnalysisError> {
    let mut seconds = Vec::new();
    for _ in 0..times.max(1) {
        let began = Instant::now();
        std::hint::black_box(compute()?);
        seconds.push(began.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// The refusal of quadrature for a posterior whose probabilities are sampled.
fn no_quadrature(posterior: &str) -> AnalysisError {
    AnalysisError::Refused(format!(
        "the posterior {posterior} has no quadrature: leave the method out, or take the posterior pooled, of independent arms"
    ))
}

/// Refuses probabilities of the arms that are no numbers or do not sum to 1.
fn check_sum(probability: &[f64], source: &str) -> Result<(), AnalysisError> {
    let is_sound = (probability.iter().sum::<f64>() - 1.0).abs() < 1e-6;
    is_sound.then_some(()).ok_or_else(|| {
        AnalysisError::Refused(format!(
            "{source}: the scores are too large, too small or too close together to compute probabilities with: divide them, and their bounds and scales, by a power of 10, or subtract what they have in common"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_that_are_none_are_refused() {
        assert!(check_sum(&[0.7, 0.3], "scores.csv").is_ok());
        for none in [[f64::NAN, 0.3], [0.7, 0.2], [0.0, 0.0]] {
            let error = check_sum(&none, "scores.csv").unwrap_err().to_string();
            assert!(
                error.starts_with("scores.csv: the scores are too large"),
                "{error}"
            );
        }
    }
}
