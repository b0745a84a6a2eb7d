//! Evidence of a report: evaluations, samples, belief, table of arms, curves, replays.

use super::{
    ReportInput, ReportOptions,
    belief::ReportedBelief,
    curves::curves,
    evaluations::ReportedEvaluations,
    pool::PoolEvidence,
    search,
    simulated::{Simulated, simulate},
};
use crate::{
    ArmRow, ArmTable, CostUnit, TieWords,
    analysis::{
        AnalysisError, ArmScores, as_reported, best_of_n::BestOfNReport, curve::CurveReport,
        shares, study::StudyFindings,
    },
    summary::{
        Bootstrap, Interval, Resampling, Sample, ScoreSummary, Tie, credible_set, possibly_best,
    },
    tuning_curve::Failed,
    words::level,
};
use fiesta_core::{ArmId, Assumption};
use fiesta_policies::stopping::{anytime::difference_interval, assumption};
use fiesta_records::Evaluations;
use std::iter;

/// Results that were read, and what follows from them.
pub(super) struct Evidence<'a> {
    pub(super) options: &'a ReportOptions,
    pub(super) input: &'a ReportInput,
    /// Study that made the evaluations, as its other texts state it.
    pub(super) study: Option<StudyFindings<'a>>,
    /// Words for the arms of a file that are tied for the best. A study's are among its findings.
    pub(super) tie: Option<TieWords>,
    pub(super) evaluations: &'a ReportedEvaluations,
    pub(super) samples: Vec<Option<Sample<'a>>>,
    pub(super) belief: ReportedBelief,
    /// Pool of items that was answered, where there is one.
    pub(super) pool: Option<PoolEvidence>,
    pub(super) table: ArmTable,
    pub(super) bootstrap: Bootstrap,
    /// Number of times that scores are drawn again.
    pub(super) resamples: u32,
    /// Meaning of the marks in the table of arms.
    pub(super) mark: String,
    pub(super) bounds: Option<(f64, f64)>,
    /// Tuning curves of the arms. `None` of items, which are no trials.
    pub(super) curves: Option<CurveReport>,
    /// Results of replays of the scores, if these were asked for.
    pub(super) simulated: Option<Simulated>,
}

/// Greatest product of scores and resamples, beyond which fewer resamples must do.
const DRAWS: u64 = 200_000_000;

impl<'a> Evidence<'a> {
    /// Collects what follows from evaluations, which are the answers to `pool` if there is one.
    pub(super) fn new(
        input: &'a ReportInput,
        options: &'a ReportOptions,
        evaluations: &'a ReportedEvaluations,
        pool: Option<PoolEvidence>,
    ) -> Result<Self, AnalysisError> {
        let direction = input.direction;
        let study = input.study.as_ref().map(StudyFindings::new);
        let bounds = input.bounds();
        let samples = evaluations.counted.iter().map(ArmScores::sample);
        let samples: Vec<Option<Sample>> = samples.collect();
        let belief =
            ReportedBelief::new(input, options, study.as_ref(), evaluations, pool.as_ref())?;
        let resamples = resamples(options.resamples, evaluations.counted());
        let resampling = match options.strata(pool.is_some()) {
            Some(_) => Resampling::WithinGroups,
            None => Resampling::Units,
        };
        let bootstrap = Bootstrap::new(options.confidence, resamples, options.seed)?;
        let confidence = options.confidence;
        let simulated = options
            .replays
            .map(|runs| simulate(&evaluations.scores(input)?, runs, options.seed))
            .transpose()?;
        let mut table = table(input, confidence, evaluations, &samples, &belief)?;
        if input.is_recorded_search() {
            search::complete(&mut table, input);
        }
        if let Some(study) = input.study.as_ref().filter(|study| study.search.is_none()) {
            let bounds = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            let means = study.background.means.iter().map(Option::as_ref);
            let means = means.chain(iter::repeat(None));
            for (arm, mean) in table.arms.iter_mut().zip(means) {
                let of_posterior = mean.map(|mean| as_reported(mean, direction, confidence));
                arm.posterior_mean = of_posterior.map(|(mean, _)| mean);
                arm.interval =
                    of_posterior.map(|(_, interval)| interval.inside(bounds.0, bounds.1));
            }
        }
        if let Some(pool) = &pool {
            pool.complete(&mut table, confidence);
        }
        let (possibly, mark) = marks(confidence, &table, &belief.posterior, &samples)?;
        for (arm, possibly) in table.arms.iter_mut().zip(possibly) {
            arm.possibly_best = possibly;
        }
        let (tied, tie) = match &study {
            Some(study) => {
                let recommended = study.recommended().filter(|_| !is_search(study));
                table.recommended = recommended.map(ArmId::index);
                (study.tied().to_vec(), None)
            }
            None => match tie_of_scores(confidence, &table, &samples) {
                None => (Vec::new(), None),
                Some(tie) => {
                    let names: Vec<&str> = { table.arms.iter() }.map(|arm| &*arm.name).collect();
                    let known = table.arms.iter().all(|arm| arm.probability_best.is_some());
                    let percentages = known.then(|| table.percentages());
                    let words = TieWords::new(&tie, &names, percentages.as_ref());
                    (tie.arms, Some(words))
                }
            },
        };
        for place in tied {
            table.arms[place].possibly_best = true;
            table.arms[place].tied = true;
        }
        let mut evidence = Self {
            options,
            input,
            study,
            tie,
            evaluations,
            samples,
            belief,
            pool,
            table,
            bootstrap: bootstrap.resampling(resampling),
            resamples,
            mark,
            bounds,
            curves: None,
            simulated,
        };
        evidence.curves = curves(&evidence)?;
        Ok(evidence)
    }

    /// Whether a study compared arms by the weighted mean over several benchmarks.
    pub(super) fn is_of_benchmarks(&self) -> bool {
        let study = self.input.study.as_ref();
        study.is_some_and(|study| !study.benchmarks.is_empty())
    }

    /// The column whose values are the groups of scores, if one is asked for.
    pub(super) fn strata(&self) -> Option<&'a str> {
        self.options.strata(self.pool.is_some())
    }

    /// Returns whether what was seen decided how many evaluations there are: intervals and tests
    /// that take their number as fixed are then descriptive only.
    pub(super) fn is_adaptive(&self) -> bool {
        self.study.is_some() && !self.is_search()
    }

    /// Returns whether the study is a gate, whose items come in an order that no answer decides.
    pub(super) fn is_gate(&self) -> bool {
        let study = self.input.study.as_ref();
        study.is_some_and(|study| study.gate.is_some())
    }

    /// Returns whether the evaluations are of a random search.
    pub(super) fn is_search(&self) -> bool {
        self.study.as_ref().is_some_and(is_search) || self.input.is_recorded_search()
    }

    /// Returns which arm has the highest expected best of n, of the trials of a search; none where
    /// nothing can be said, or before a study has ended.
    pub(super) fn best_of_n(&self) -> Option<BestOfNReport> {
        match &self.study {
            Some(study) => study.best_of_n(self.options.confidence),
            None => self.curves.as_ref()?.best_of_n.clone(),
        }
    }

    /// Returns the posterior mean of the difference of two arms and its interval, as reported.
    /// `None` where it is not known, or where arms are compared by something else than their means.
    pub(super) fn difference(&self, one: usize, other: usize) -> Option<(f64, Interval)> {
        if self.table.f_beta.is_some() && self.pool.is_none() {
            return None;
        }
        let confidence = self.options.confidence;
        let lead = self.belief.lead(ArmId::new(one), ArmId::new(other))?;
        let (mean, interval) = as_reported(&lead.at(confidence), self.input.direction, confidence);
        let range = self.range();
        Some((mean, interval.inside(-range, range)))
    }

    /// Returns the anytime-valid interval of the difference of two arms of a study, as reported.
    /// The intervals of all pairs hold at once.
    pub(super) fn anytime_difference(&self, one: usize, other: usize) -> Option<Interval> {
        let study = self.input.study.as_ref()?;
        let [one, other] = [one, other].map(ArmId::new);
        let differences = study.differences_by_turn(one, other);
        let arms = study.arms.len() as f64;
        let alpha = (1.0 - self.options.confidence) / (arms * (arms - 1.0) / 2.0);
        let (lower, upper) = difference_interval(&differences, self.assumed_bounds(), None, alpha)?;
        let range = self.range();
        Some(Interval { lower, upper }.inside(-range, range))
    }

    /// Returns the bounds that anytime-valid intervals suppose and nothing else: those of a study
    /// whose stopping rule supposes them. Without, scores are supposed to be Gaussian.
    pub(super) fn assumed_bounds(&self) -> Option<(f64, f64)> {
        let study = self.input.study.as_ref()?;
        let bounded = assumption(&study.stopping) == Some(Assumption::Bounded);
        self.bounds.filter(|_| bounded)
    }

    /// Returns how far apart two scores can be.
    fn range(&self) -> f64 {
        let bounds = self.pool.as_ref().map(|pool| pool.answers.bounds);
        let bounds = bounds.or(self.bounds);
        bounds.map_or(f64::INFINITY, |(low, high)| high - low)
    }

    /// Returns the place of the best arm.
    pub(super) fn best(&self) -> Option<usize> {
        let of_study = self.study.as_ref().and_then(StudyFindings::recommended);
        of_study.map(ArmId::index).or_else(|| self.table.best())
    }

    /// Returns the closest rival of the best arm, of those that are not tied with it.
    pub(super) fn rival(&self) -> Option<usize> {
        let best = self.best()?;
        let arms = &self.table.arms;
        let ranked = self.table.ranked().into_iter();
        let mut others = ranked.filter(|&arm| arm != best && !arms[arm].tied);
        match self.belief.of_all(arms.len()) {
            Some(belief) => Some(belief.closest(others.map(ArmId::new))?.index()),
            None => others.next(),
        }
    }

    /// Returns P(best) of an arm as every table prints it; none while too little is known.
    pub(super) fn probability_of(&self, arm: usize) -> Option<String> {
        self.table.arms[arm].probability_best?;
        Some(self.table.percentages().of(arm))
    }

    /// Returns how many arms were compared: of a study those that were not retired.
    pub(super) fn compared(&self) -> usize {
        let of_study = self.study.as_ref().map(StudyFindings::compared);
        of_study.unwrap_or(self.table.arms.len())
    }

    /// Returns the names of all arms.
    pub(super) fn names(&self) -> Vec<&str> {
        let arms = self.table.arms.iter();
        arms.map(|arm| arm.name.as_str()).collect()
    }

    /// Returns what failures count as, if there are any.
    pub(super) fn failures(&self) -> Option<Failed> {
        (self.evaluations.failed() > 0).then_some(self.options.failed)
    }

    /// Returns the confidence in words: "95 %".
    pub(super) fn level(&self) -> String {
        level(self.options.confidence)
    }

    /// Returns what arms are compared by, for people.
    pub(super) fn target(&self) -> String {
        match &self.input.study {
            Some(study) => study.target(),
            None => self.input.metric.clone(),
        }
    }

    /// Returns whether costs are the seconds that evaluations took, so that they say nothing more.
    pub(super) fn cost_is_seconds(&self) -> bool {
        self.table.cost_unit == Some(CostUnit::Seconds)
    }

    /// The names of the arms that have a colour where there are too many for all.
    pub(super) fn highlighted(&self) -> Vec<&str> {
        shares::highlighted(&self.table)
    }

    /// Returns whether evaluations are trials of hyperparameters: those of a random search, and
    /// those of a file that names no splits.
    pub(super) fn has_trials(&self) -> bool {
        match &self.input.study {
            Some(study) => study.search.is_some(),
            None if self.input.of_search => true,
            None => self.pool.is_none() && self.evaluations.distinct_groups.is_none(),
        }
    }

    /// The names of the arms in the one order that all tables and figures have.
    pub(super) fn ranked_names(&self) -> Vec<&str> {
        shares::ranked_names(&self.table)
    }
}

fn is_search(study: &StudyFindings<'_>) -> bool {
    study.facts().search.is_some()
}

#[allow(clippy::cast_possible_truncation, reason = "it is less than the given")]
fn resamples(asked: u32, scores: usize) -> u32 {
    let most = DRAWS / (scores as u64).max(1);
    u64::from(asked).min(most.max(200)) as u32
}

/// Marks which arms may be the best as well, and says how that is known.
fn marks(
    confidence: f64,
    table: &ArmTable,
    posterior: &str,
    samples: &[Option<Sample>],
) -> Result<(Vec<bool>, String), AnalysisError> {
    let level = level(confidence);
    let p = table.arms.iter().map(|arm| arm.probability_best);
    if p.clone().any(|p| p.is_some()) {
        let p = p.map(Option::unwrap_or_default);
        let within = credible_set(table.top, &p.collect::<Vec<f64>>(), confidence)?;
        let mark = match table.top {
            1 => format!(
                "† With {level} posterior probability the best arm is the one in bold or one of those marked (posterior {posterior})."
            ),
            top => format!(
                "† With {level} posterior probability the best {top} arms are among the one in bold and those marked (posterior {posterior})."
            ),
        };
        return Ok((within, mark));
    }
    let found = possibly_best(samples, table.direction, confidence)?;
    let exact = match found.exact {
        0 => String::new(),
        exact => format!(
            "; {exact} of them by an exact permutation test, as no noise was seen between the arms"
        ),
    };
    let mark = format!(
        "† Not distinguishable from the best mean at {level}: one-sided t tests with Bonferroni's correction, {} of {} on shared splits{exact}.",
        found.paired, found.comparisons
    );
    Ok((found.within, mark))
}

/// Finds the arms of a file that are tied with the best, if the posterior does not tell it from
/// them.
fn tie_of_scores(confidence: f64, table: &ArmTable, samples: &[Option<Sample>]) -> Option<Tie> {
    let best = table.best()?;
    if table.arms[best].probability_best.is_none() {
        return Tie::with(samples, best);
    }
    let p = table.arms.iter().map(|arm| arm.probability_best);
    let p: Vec<f64> = p.map(Option::unwrap_or_default).collect();
    Tie::unless_told_apart(samples, best, &p, confidence)
}

fn table(
    input: &ReportInput,
    confidence: f64,
    evaluations: &ReportedEvaluations,
    samples: &[Option<Sample>],
    belief: &ReportedBelief,
) -> Result<ArmTable, AnalysisError> {
    let study = input.study.as_ref();
    let arms = &evaluations.arms;
    let has_counts = arms.iter().any(|arm| arm.counts.is_some());
    let f_beta = study.and_then(|study| study.pooled_f().filter(|_| has_counts));
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    let probabilities = belief.probabilities(&names);
    let mut rows = Vec::new();
    for (place, (arm, sample)) in arms.iter().zip(samples).enumerate() {
        let scores = sample.iter().flat_map(Sample::scores);
        let summary = sample
            .as_ref()
            .map(|sample| ScoreSummary::new(sample, confidence))
            .transpose()?;
        rows.push(ArmRow {
            interval: summary.as_ref().and_then(|summary| summary.interval),
            summary,
            counts: arm.counts.filter(|_| f_beta.is_some()),
            failed: arm.failed,
            failed_with_score: (evaluations.counted[place].len() - arm.scored()) as u64,
            probability_best: probabilities[place],
            cost: arm.cost,
            retired: study.is_some_and(|study| study.arms[place].retired),
            ..ArmRow::new(&arm.name, scores.copied().collect())
        });
    }
    Ok(ArmTable {
        f_beta,
        top: study.map_or(1, |study| study.top),
        cost_unit: match study {
            Some(study) => study.cost_unit.clone(),
            None => cost_unit(&input.records),
        },
        ..ArmTable::new(&input.metric, input.direction, rows)
    })
}

/// Returns the unit of the costs of a file: what its column `cost_unit`, which exports of studies
/// have, says of all of them.
fn cost_unit(records: &Evaluations) -> Option<CostUnit> {
    let column = records.column("cost_unit")?;
    let priced = records.rows().filter(|row| row.cost.is_some());
    let mut units = priced.map(|row| row.cell(column));
    let first = units.next()??.trim();
    let is_same = |unit: Option<&str>| unit.is_some_and(|unit| unit.trim() == first);
    let of_all = !first.is_empty() && units.all(is_same);
    of_all.then(|| CostUnit::of_name(first))
}
