//! P(best) on the weighted mean of several benchmarks.

mod fitted;
mod text;
mod units;
mod weights;

pub use weights::{BenchmarkScale, BenchmarkWeights};

use super::{BeliefReport, BeliefRequest, INTERVAL, check_sum};
use crate::{analysis::AnalysisError, figure::Estimate, summary::Interval};
use fiesta_core::{Belief, Direction, Marginal, Moments, Observe, Posterior, Target};
use fiesta_posterior::{BENCHMARKS, Pool};
use fiesta_records::Evaluations;
use fitted::Fitted;
use serde::Serialize;

/// Probability of a harm from which on a caution is given.
const HARM: f64 = 0.95;

/// Evaluations on one of several benchmarks.
#[derive(Debug, Clone)]
pub struct BenchmarkRecords {
    /// Name of the benchmark.
    pub name: String,
    /// Evaluations of the arms, each with a score.
    pub records: Evaluations,
    /// Direction in which scores are better.
    pub direction: Direction,
}

/// Comparison of arms by the weighted mean of their means over several benchmarks. Values are in
/// the unit of the scores, or of benchmarks with scales from 0, the worst, to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BenchmarksReport {
    /// How benchmarks are weighted: `equal`, by `items`, or as `given`.
    pub weights: &'static str,
    /// The arm that is most probably best; of several that are known to be equal, all of them.
    pub best: Vec<String>,
    /// The next arm: the one that is most probably best without the first.
    pub runner_up: String,
    /// Value of the best arm less the runner-up's; above 0 if it is better.
    pub lead: f64,
    /// The benchmark with the greatest part of the lead. `None` where the two are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decides: Option<String>,
    /// Difference from the runner-up by which the best arm has to be worse on a benchmark for a caution.
    pub tolerance: f64,
    /// Arms by their values.
    pub arms: Vec<ArmOnBenchmarks>,
    /// Benchmarks that count.
    pub benchmarks: Vec<BenchmarkResult>,
    /// Arms that are left out, as a benchmark has no score of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<ArmLeftOut>,
    /// Benchmarks with the weight 0, which are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_weight: Vec<String>,
    /// Whether every benchmark is a pool of items.
    #[serde(skip)]
    is_of_items: bool,
}

/// An arm on the weighted mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmOnBenchmarks {
    /// Name of the arm.
    pub name: String,
    /// Weighted mean of the arm's means.
    pub value: f64,
    /// P(best) on the items of all benchmarks. `None` where a benchmark is no pool, or answers are
    /// missing that no study chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_on_these_items: Option<f64>,
    /// P(best) on items like these, and of scores on splits.
    pub probability_on_items_like_these: f64,
    /// P(best) on many more benchmarks drawn as these were, each counted once. `None` of fewer than
    /// three benchmarks, and where they have unequal weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_on_benchmarks_like_these: Option<f64>,
}

/// One of several benchmarks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BenchmarkResult {
    /// Name of the benchmark.
    pub name: String,
    /// Weight of the benchmark; all sum to 1.
    pub weight: f64,
    /// Name of the score.
    pub metric: String,
    /// Number of items; 0 where the benchmark is no pool of items.
    pub items: u64,
    /// The posterior of the benchmark's means.
    pub posterior: String,
    /// Worst and best score of the scale that was declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<(f64, f64)>,
    /// Arms on this benchmark, in the order of all arms.
    pub arms: Vec<ArmOnBenchmark>,
    /// Value of the best arm of all less the runner-up's on this benchmark; below 0 where the rank of the two is
    /// reversed.
    pub lead: f64,
    /// Weight times lead: the part that the benchmark has in the lead on the weighted mean.
    pub part_of_lead: f64,
    /// P(the best arm of all is better than the runner-up here), on items like these.
    pub probability_ahead: f64,
    /// P(the best arm of all is worse than the runner-up here by more than the tolerance), on items like these.
    pub probability_harm: f64,
    /// Whether the best arm of all is worse here with a probability of .95 or more.
    pub is_harm: bool,
    /// Least and greatest weight of this benchmark, the others in proportion, at which the arm with
    /// the highest value stays that. `None` of a single benchmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights_of_best: Option<(f64, f64)>,
}

/// One arm on one benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmOnBenchmark {
    /// Number of evaluations.
    pub evaluations: u64,
    /// Share of the items that the arm has answered. `None` where the benchmark is no pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Mean of the arm, in the benchmark's own unit.
    pub mean: f64,
    /// Place of the arm on this benchmark, from 1; equal arms share the best place.
    pub place: usize,
    /// P(best) on items like those of the benchmark, and of scores on splits.
    pub probability_best: f64,
}

/// An arm without a score on some benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmLeftOut {
    /// Name of the arm.
    pub name: String,
    /// The benchmarks that have no score of the arm.
    pub lacks: Vec<String>,
}

impl BeliefRequest {
    /// Returns P(best) of each arm on the weighted mean of several benchmarks, under the posterior
    /// [`Benchmarks`](fiesta_posterior::Benchmarks). `source` names the file in messages.
    ///
    /// # Errors
    /// [`AnalysisError`] if weights or scales name no benchmark, benchmarks differ in unit or
    /// direction and have no scales, fewer than two arms have scores on all of them, an arm has too
    /// few, or something is asked for that one benchmark alone has.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_records::{Reading, read_from};
    /// use fiesta_report::analysis::belief::{BeliefRequest, BenchmarkRecords, BenchmarkWeights};
    /// let benchmark = |name: &str, csv: &str| BenchmarkRecords {
    ///     name: name.to_owned(),
    ///     records: read_from(csv.as_bytes(), None, &Reading::default(), name).unwrap(),
    ///     direction: Direction::Maximize,
    /// };
    /// let both = vec![
    ///     benchmark("maths", "item,large,small\n1,1,0\n2,1,1\n3,0,0\n4,1,0\n"),
    ///     benchmark("safety", "item,large,small\n1,0,1\n2,1,1\n3,1,1\n"),
    /// ];
    /// let weights: BenchmarkWeights = "maths=2,safety=1".parse()?;
    /// let report = BeliefRequest::default().of_benchmarks(both, &weights, &[], "logs")?;
    /// let all = report.benchmarks.as_ref().unwrap();
    /// assert_eq!(all.best, ["large"]);
    /// assert!((all.lead - (2.0 * 0.5 - 1.0 / 3.0) / 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_benchmarks(
        &self,
        benchmarks: Vec<BenchmarkRecords>,
        weights: &BenchmarkWeights,
        scales: &[BenchmarkScale],
        source: &str,
    ) -> Result<BeliefReport, AnalysisError> {
        self.refuse_what_one_has()?;
        let tolerance = self.tolerance.unwrap_or(0.0);
        let fitted = Fitted::new(self, benchmarks, weights, scales, source)?;
        let these = fitted.these.as_ref().map(|of| of.belief(&fitted.ids()));
        let like = fitted.like.belief(&fitted.ids());
        let is_of_these = self.target == Target::TheseItems && these.is_some();
        let main = these
            .as_ref()
            .filter(|_| is_of_these)
            .unwrap_or(&like)
            .clone();
        check_sum(&main.probability, source)?;
        check_sum(&like.probability, source)?;
        let values = fitted.values();
        let order = order(&main, &like, &values);
        let [winner, runner_up] = [order[0], order[1]];
        let is_tied = |place: usize| {
            (main.probability[place] - main.probability[winner]).abs() < 1e-12
                && (values[place] - values[winner]).abs() <= fitted.rounding()
        };
        let tied: Vec<usize> = order
            .iter()
            .copied()
            .filter(|&place| is_tied(place))
            .collect();
        let of_all = fitted.like_all_benchmarks(&values)?;
        let arms = (0..fitted.arms.len()).map(|place| ArmOnBenchmarks {
            name: fitted.arms[place].clone(),
            value: fitted.as_reported(values[place]),
            probability_on_these_items: these.as_ref().map(|of| of.probability[place]),
            probability_on_items_like_these: like.probability[place],
            probability_on_benchmarks_like_these: of_all.as_ref().map(|of| of.probability[place]),
        });
        let arms: Vec<ArmOnBenchmarks> = arms.collect();
        let lead = values[winner] - values[runner_up];
        let results = fitted.results([winner, runner_up], tolerance);
        for of in &results {
            let best: Vec<f64> = of.arms.iter().map(|arm| arm.probability_best).collect();
            check_sum(&best, source)?;
            check_sum(&[of.probability_ahead, 1.0 - of.probability_ahead], source)?;
        }
        let decides = { results.iter() }
            .filter(|of| of.part_of_lead * lead > 0.0)
            .max_by(|a, b| a.part_of_lead.abs().total_cmp(&b.part_of_lead.abs()));
        let named = |places: &[usize]| {
            places
                .iter()
                .map(|&place| fitted.arms[place].clone())
                .collect()
        };
        let report = BenchmarksReport {
            weights: weights.word(),
            best: named(&tied),
            runner_up: fitted.arms[runner_up].clone(),
            lead,
            decides: decides.map(|of| of.name.clone()),
            tolerance,
            arms,
            left_out: fitted.left_out.clone(),
            without_weight: fitted.without_weight.clone(),
            is_of_items: fitted.is_of_items(),
            benchmarks: results,
        };
        let posterior = if is_of_these {
            fitted.these.as_ref()
        } else {
            None
        };
        let posterior = posterior.unwrap_or(&fitted.like);
        let marginals = fitted.ids().into_iter().map(|arm| posterior.marginal(arm));
        let marginals: Vec<Option<Marginal>> = marginals.collect();
        Ok(show(report, main, &order, &marginals, &fitted))
    }

    /// Refuses what a single benchmark alone has.
    fn refuse_what_one_has(&self) -> Result<(), AnalysisError> {
        let given = [
            ("pool-size", self.pool_size.is_some()),
            ("strata", self.strata.is_some()),
            ("clusters", self.clusters.is_some()),
            ("outlook", self.outlook),
            ("cheapest-within", self.measures.cheapest_within.is_some()),
            ("at-most", !self.measures.at_most.is_empty()),
            ("logit", self.options.logit.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(AnalysisError::Refused(format!(
                "--{flag} is about one benchmark, and these are several: leave it out, or read one benchmark alone"
            ))),
            None => Ok(()),
        }
    }
}

/// Returns the arms by P(best), on items like these where that is equal, and by their values.
fn order(main: &Belief, like: &Belief, values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let by = |of: &[f64], a: usize, b: usize| of[b].total_cmp(&of[a]);
    // What is known for certain has P(best) 0 of all arms but one: their values tell them apart.
    let is_certain = main.probability.iter().any(|&p| p >= 1.0);
    order.sort_by(|&a, &b| {
        let first = by(&main.probability, a, b);
        let next = by(values, a, b);
        let on_like = by(&like.probability, a, b);
        if is_certain {
            first.then(next).then(on_like)
        } else {
            first.then(on_like).then(next)
        }
    });
    order
}

/// Returns the belief with the report of the benchmarks.
fn show(
    report: BenchmarksReport,
    belief: Belief,
    order: &[usize],
    marginals: &[Option<Marginal>],
    fitted: &Fitted,
) -> BeliefReport {
    let arms = report
        .arms
        .iter()
        .map(|arm| (arm.name.as_str(), Moments::default()));
    let mut shown = BeliefReport::bare(belief, BENCHMARKS, &fitted.metric, fitted.direction, arms);
    for (place, arm) in shown.arms.iter_mut().enumerate() {
        arm.evaluations = { report.benchmarks.iter() }
            .map(|of| of.arms[place].evaluations)
            .sum();
        arm.mean = Some(report.arms[place].value);
        // What is known for certain has the least scale that there is.
        let scale = |of: Marginal| {
            if of.scale > f64::MIN_POSITIVE {
                of.scale
            } else {
                0.0
            }
        };
        arm.standard_error = marginals[place].map(scale);
    }
    shown.estimates = { report.arms.iter().zip(marginals) }
        .map(|(arm, known)| {
            let known = (*known)?;
            let known = Marginal {
                location: arm.value,
                ..known
            };
            Some(Estimate::new(
                arm.value,
                Some(Interval::of_posterior(&known, INTERVAL)),
            ))
        })
        .collect();
    shown.estimated = "weighted mean over the benchmarks, 95 % posterior interval";
    shown.tied = Some(if report.best.len() > 1 {
        report.best.clone()
    } else {
        Vec::new()
    });
    shown.table = report.table(order);
    shown.groups = Some(report.table_of_benchmarks());
    shown.remarks = report.remarks();
    shown.notes.clone_from(&fitted.notes);
    shown.benchmarks = Some(report);
    shown
}

/// A pool with its posterior on these items, which is not known where answers are missing, and on
/// items like these; or the posterior of scores on splits.
enum Known {
    Pool {
        these: Option<Box<Pool>>,
        like: Box<Pool>,
    },
    Splits(Box<dyn Observe<f64>>),
}

#[cfg(test)]
mod tests;
