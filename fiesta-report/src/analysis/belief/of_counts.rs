//! P(best) from confusion counts: of the pooled F-measure, or of the mean of the documents'
//! F-measures.

use super::{
    ArmCounts, BeliefMarginal, BeliefMethod, BeliefOptions, BeliefReport, FMeasureBelief,
    FMeasurePrior, median_seconds, no_quadrature, of_scores::of_rows,
};
use crate::{
    ArmRow, Percentages, Table, TableOf,
    analysis::{AnalysisError, CountsOfArms, CountsTarget, ScoresOfArms},
    figure::Estimate,
};
use fiesta_core::{ArmId, Belief, Case, Direction, Observe, Posterior, Streams};
use fiesta_posterior::{
    FMeasureArms,
    f_measure::{Concentration, Measure, NAME, PosteriorSummary, Prior},
};
use fiesta_records::{CountRecord, Record, SplitSource};

/// Number of effective draws of each arm by default.
const DRAWS: u64 = 1000;
/// Largest number of draws that fit in memory.
const MOST: u64 = 10_000_000;

/// The model of the F-measure: how counts of documents vary.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountsModel {
    /// How much documents differ.
    pub concentration: Concentration,
    /// The prior of the shares of TP, FP, TN and FN.
    pub prior: Prior,
}

impl CountsModel {
    /// Returns the posterior of pooled F-measures, before any observation.
    pub fn posterior(&self, counts: &CountsOfArms) -> FMeasureArms {
        FMeasureArms::new(counts.arms.len())
            .measure(Measure::F(counts.f_beta))
            .prior(self.prior)
            .concentration(self.concentration)
    }

    /// Returns the prior in words, unless it is the default.
    pub fn words(&self) -> Option<String> {
        (self.prior != Prior::default()).then(|| format!("prior: {}", self.prior))
    }
}

/// Returns P(best) of each arm by this target.
///
/// # Errors
/// [`AnalysisError`] as of [`of_scores`](super::of_scores()), and if so many draws do not fit in
/// memory.
pub fn of_counts(
    counts: &CountsOfArms,
    target: &CountsTarget,
    model: &CountsModel,
    options: &BeliefOptions,
) -> Result<BeliefReport, AnalysisError> {
    let mut report = match target {
        CountsTarget::Pooled => of_pooled(counts, model, options)?,
        CountsTarget::Mean(posterior) => {
            let complete = |arm, row| ArmRow {
                counts: Some(counts.sum(arm)),
                ..row
            };
            let (mut report, _) = of_rows(&f_measures(counts), posterior, options, complete)?;
            let words = counts.words(target);
            report.remarks.push(format!("compared by the {words}"));
            report
        }
    };
    report.target = Some(counts.words(target));
    report.notes.splice(0..0, counts.notes(target));
    if *target == CountsTarget::Pooled && counts.are_ones() {
        report.notes.push(format!(
            "each evaluation has one count: the posterior {NAME} takes these for documents that differ, does not see that arms answer the same items, and is too sure of near ties; a study, and `fiesta simulate`, compare them item by item"
        ));
    }
    for (arm, of_arm) in counts.arms.ids().zip(&mut report.arms) {
        of_arm.counts = Some(ArmCounts {
            counts: counts.sum(arm),
            value: counts.value(arm),
        });
    }
    Ok(report)
}

/// The F-measures of the documents, each a split that the arms share.
fn f_measures(counts: &CountsOfArms) -> ScoresOfArms<'static> {
    let of_document = |record: &CountRecord| Record {
        split: Some(record.document),
        line: record.line,
        ..Record::new(record.arm, counts.score(record.counts))
    };
    let of_arm = |records: &Vec<CountRecord>| records.iter().map(of_document).collect();
    ScoresOfArms {
        metric: counts.measure(),
        direction: Direction::Maximize,
        arms: counts.arms.clone(),
        scores: counts.records.iter().map(of_arm).collect(),
        splits: SplitSource::Column,
        unpaired: None,
        folds: None,
        pool: None,
        items: Vec::new(),
        source: counts.source.clone(),
    }
}

fn of_pooled(
    counts: &CountsOfArms,
    model: &CountsModel,
    options: &BeliefOptions,
) -> Result<BeliefReport, AnalysisError> {
    if options.method == BeliefMethod::Quadrature {
        return Err(no_quadrature(NAME));
    }
    let draws = options.draws.unwrap_or(DRAWS);
    let in_memory = usize::try_from(draws).ok().filter(|_| draws <= MOST);
    let Some(in_memory) = in_memory else {
        return Err(AnalysisError::Refused(format!(
            "{draws} draws do not fit in memory: {MOST} is the most, and its error below 0.02 %"
        )));
    };
    let seed = options.seed.unwrap_or(0);
    let fitted = || fit(counts, model.posterior(counts).draws(in_memory).seed(seed));
    let arms: Vec<ArmId> = counts.arms.ids().collect();
    let posterior = fitted()?;
    let belief = posterior.belief(&arms);
    let again = || Ok(fitted()?.belief(&arms));
    let seconds = options.repeat.map(|times| median_seconds(times, again));
    let of_f = |arm: ArmId| {
        let mut rng = Streams::new(seed).run(arm.index() as u64);
        let sample = posterior.sample(arm, in_memory, &mut rng)?;
        let f = sample.summary(|theta, _| posterior.of(theta));
        let of_arm = FMeasureBelief {
            f: marginal(&f),
            theta: [0, 1, 2, 3].map(|cell| marginal(&sample.summary(|theta, _| theta[cell]))),
            alpha: marginal(&sample.summary(|_, alpha| alpha)),
            effective_draws: sample.effective(),
        };
        Some((f, of_arm))
    };
    let (f, known): (Vec<PosteriorSummary>, Vec<FMeasureBelief>) =
        arms.iter().filter_map(|&arm| of_f(arm)).unzip();
    // Of as many draws as were asked for, one may be missing by rounding.
    let reached = |of_arm: &&FMeasureBelief| of_arm.effective_draws < draws as f64 - 0.5;
    let named = counts.arms.names().iter().zip(&known);
    let notes = named
        .filter(|(_, known)| reached(known))
        .map(|(name, known)| {
            format!(
                "only {:.0} effective draws of {name} were reached, of {draws}",
                known.effective_draws
            )
        });
    let notes = notes.collect();
    let table = table(counts, &belief, &f);
    let words = counts.words(&CountsTarget::Pooled);
    let names = counts.arms.names().iter().map(String::as_str);
    let scores = counts.arms.ids().map(|arm| counts.scores(arm));
    let (metric, scored) = (counts.measure(), names.zip(scores));
    let mut report = BeliefReport {
        prior: Some(FMeasurePrior {
            alpha0: model.prior.alpha0(),
            theta0: model.prior.theta0(),
        }),
        notes,
        seconds_per_belief: seconds.transpose()?,
        table,
        estimated: "posterior mean, central 95 % interval",
        estimates: f
            .iter()
            .map(|f| {
                Some(Estimate {
                    value: f.mean,
                    lower: f.quantiles[0],
                    upper: f.quantiles[4],
                })
            })
            .collect(),
        remarks: [format!(
            "compared by the {words}; shown are its posterior mean and central 95 % interval"
        )]
        .into_iter()
        .chain(model.words())
        .collect(),
        ..BeliefReport::bare(belief, NAME, &metric, Direction::Maximize, scored)
    };
    for (of_arm, known) in report.arms.iter_mut().zip(known) {
        of_arm.f_measure = Some(known);
    }
    Ok(report)
}

/// Returns the posterior after all counts.
fn fit(counts: &CountsOfArms, mut posterior: FMeasureArms) -> Result<FMeasureArms, AnalysisError> {
    for (arm, records) in counts.arms.ids().zip(&counts.records) {
        for record in records {
            let case = Case {
                split: record.document,
                seed: 0,
            };
            let observed = posterior.observe(arm, case, record.counts);
            observed.map_err(|error| {
                let place = format!("{}:{}", counts.source, record.line);
                AnalysisError::Refused(format!("{place}: {error}"))
            })?;
        }
    }
    Ok(posterior)
}

fn marginal(summary: &PosteriorSummary) -> BeliefMarginal {
    let quantiles = PosteriorSummary::PROBABILITIES
        .iter()
        .zip(summary.quantiles);
    BeliefMarginal {
        mean: summary.mean,
        sd: summary.standard_deviation,
        quantiles: quantiles
            .map(|(probability, value)| (format!("q{}", probability * 100.0), value))
            .collect(),
    }
}

fn table(counts: &CountsOfArms, belief: &Belief, f: &[PosteriorSummary]) -> Table {
    let percentages = Percentages::new(&belief.probability);
    let mut ranked: Vec<ArmId> = counts.arms.ids().collect();
    ranked.sort_by(|&a, &b| {
        let by_probability = belief.of(b).total_cmp(&belief.of(a));
        by_probability.then(f[b.index()].mean.total_cmp(&f[a.index()].mean))
    });
    let best = ranked.first().copied();
    let mut table = TableOf::new(ranked)
        .words("arm", |&arm| counts.arms.name(arm).to_owned())
        .numbers("P(best)", |arm| percentages.of(arm.index()))
        .numbers("documents", |arm| counts.records[arm.index()].len());
    for (cell, title) in ["TP", "FP", "TN", "FN"].into_iter().enumerate() {
        table = table.numbers(title, |&arm| counts.sum(arm).cells()[cell]);
    }
    table
        .numbers(&counts.measure(), |arm| {
            format!("{:.4}", f[arm.index()].mean)
        })
        .numbers("95 %", |arm| {
            let [low, .., high] = f[arm.index()].quantiles;
            format!("{low:.4}–{high:.4}")
        })
        .bold(|&arm| Some(arm) == best)
        .table()
        .dispensable(&["TN", "TP", "FP", "FN"])
}
