//! P(best) from scores.

use super::{
    BeliefMethod, BeliefOptions, BeliefReport, INTERVAL, ItemComparison, check_sum, median_seconds,
    no_quadrature,
};
use crate::{
    ArmRow, ArmTable, BehindBest, Percentages, TieWords,
    analysis::{
        AnalysisError, ArmScores, ScoresOfArms, SplitsOutlook, folds::folds_note, pool::PoolReport,
    },
    figure::Estimate,
    summary::{ArmComparison, Pairing, Sample, ScoreSummary, Tie},
    words,
};
use fiesta_core::{
    ArmId, Belief, Case, Direction, Method, Observe, ObserveError, Posterior, Streams, finest,
};
use fiesta_posterior::{
    AtTheBounds, Logit, PAIRED, POOL, Paired, Pool, best_arm, lead, posterior_by_name,
};
use std::iter;
/// The most scores of an arm of which differences to others are shown: they are copied for it.
const MOST_COMPARED: usize = 10_000;
/// Draws of the Monte Carlo method by default.
const DRAWS: u64 = 100_000;
/// Draws of all arms together that are kept at most.
const MOST_NUMBERS: u64 = 30_000_000;
/// The P(best) below which the best arm may be tied with others.
const TIED_BELOW: f64 = 0.95;

/// Report of a belief, and the posterior on which it rests.
pub(super) type Fitted = (BeliefReport, Box<dyn Observe<f64>>);

/// How often the posterior `paired` draws, by default until its error is [`Paired::ERROR`], and with
/// which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sampling {
    pub(crate) draws: Option<u64>,
    pub(crate) seed: Option<u64>,
}

impl Sampling {
    /// Creates the posterior `paired` of `arms` arms.
    pub(super) fn paired(self, arms: usize) -> Result<Box<dyn Observe<f64>>, AnalysisError> {
        let paired = Paired::new(arms).seed(self.seed.unwrap_or(0));
        let Some(draws) = self.draws else {
            return Ok(Box::new(paired));
        };
        let most = MOST_NUMBERS / arms.max(1) as u64;
        match usize::try_from(draws) {
            Ok(number) if draws <= most => Ok(Box::new(paired.draws(number))),
            _ => Err(AnalysisError::Refused(format!(
                "{draws} draws of {arms} arms do not fit in memory: {most} is the most"
            ))),
        }
    }
}

/// P(best) of each arm under the posterior with this name.
///
/// # Errors
/// [`AnalysisError`] if there is no such posterior, it does not have the method, an arm has too few
/// scores for it, or a score is not possible on the logit scale.
pub fn of_scores(
    scores: &ScoresOfArms,
    posterior: &str,
    options: &BeliefOptions,
) -> Result<BeliefReport, AnalysisError> {
    fitted(scores, posterior, options).map(|(report, _)| report)
}

/// Computes P(best) of each arm; the second value is the posterior that it is of.
///
/// # Errors
/// As [`of_scores`].
pub(super) fn fitted(
    scores: &ScoresOfArms,
    posterior: &str,
    options: &BeliefOptions,
) -> Result<Fitted, AnalysisError> {
    let is_of_pool = posterior == POOL && options.logit.is_none();
    let pool = is_of_pool.then(|| scores.pool_posterior(options.clusters.as_ref()));
    let (pool, answers) = pool.transpose()?.unzip();
    let (mut report, of_scores) = of_rows(scores, posterior, options, pool.as_ref(), |_, row| row)?;
    check_sum(&report.belief.probability, &scores.source)?;
    let note = scores.unpaired.as_ref().filter(|_| posterior == PAIRED);
    report.notes.extend(note.cloned());
    let disjoint = scores.disjoint_note().filter(|_| posterior == PAIRED);
    report.notes.extend(disjoint);
    let folds = scores.folds.as_ref();
    let folds = folds.map(|folds| folds_note(folds, "intervals and P(best)"));
    report.notes.extend(folds);
    report
        .notes
        .extend(scores.no_pool_note().filter(|_| posterior != POOL));
    report.notes.extend(scores.copies());
    if posterior != POOL {
        let outlook = options.outlook.as_ref();
        let outlook = outlook.map(|asked| SplitsOutlook::of_scores(scores, asked));
        report.outlook = outlook.transpose()?;
        return Ok((report, of_scores));
    }
    if let (Some(pool), Some(answers)) = (pool, answers.flatten()) {
        if options.outlook.is_some() && answers.are_compared_in_pairs() {
            return Err(AnalysisError::refused(
                "an outlook draws the missing answers from those that are known, and no study chose which are missing: leave --outlook out, or say with --pool-size that the items are a random sample",
            ));
        }
        let known = match &options.outlook {
            Some(asked) => PoolReport::with_outlook(&answers, asked)?,
            None => PoolReport::of(&answers, &pool, options.tolerance)?,
        };
        report.show_pool(known);
    }
    Ok((report, of_scores))
}

/// Computes P(best) of each arm; `complete` adds what else the table says of the arm. `pool` is the
/// posterior of that name, if it is known.
pub(super) fn of_rows(
    scores: &ScoresOfArms,
    name: &str,
    options: &BeliefOptions,
    pool: Option<&Pool>,
    complete: impl Fn(ArmId, ArmRow) -> ArmRow,
) -> Result<Fitted, AnalysisError> {
    let sampling = Sampling {
        draws: options.draws,
        seed: options.seed,
    };
    let fitted = || fit(scores, name, options.logit, sampling, pool);
    let posterior = fitted()?;
    let arms: Vec<ArmId> = scores.arms.ids().collect();
    let sampled = posterior.belief(&arms).method == Method::MonteCarlo;
    check_method(name, options, sampled)?;
    let belief = compute(options, &*posterior, &arms, sampled)?;
    // What is sampled is kept with the posterior: the time of a belief is that of another one.
    let again = || {
        if sampled {
            compute(options, &*fitted()?, &arms, sampled)
        } else {
            compute(options, &*posterior, &arms, sampled)
        }
    };
    let seconds = options.repeat.map(|times| median_seconds(times, again));
    let moments = scores.moments();
    let row = |arm: ArmId| {
        let row = ArmRow {
            probability_best: Some(belief.of(arm)),
            ..ArmRow::new(scores.arms.name(arm), moments[arm.index()])
        };
        complete(arm, row)
    };
    let rows = scores.arms.ids().map(row).collect();
    let mut table = ArmTable::new(&scores.metric, scores.direction, rows);
    let mut remarks = Vec::new();
    let samples: Vec<Option<Sample>> = scores.scores.iter().map(ArmScores::sample).collect();
    // Differences of logits are none of scores.
    let of_differences = options
        .logit
        .is_none()
        .then_some(&*posterior as &dyn Posterior);
    compare_with_best(&mut table, &samples, of_differences)?;
    let tie = tie(scores, &samples, &belief);
    if let Some((tie, words)) = &tie {
        remarks.push(format!("{}\n", words.plain()));
        table.mark_tied(&tie.arms);
    }
    let on_items = ItemComparison::new(scores, &belief, options.clusters.as_ref());
    remarks.extend(on_items.as_ref().map(ItemComparison::text));
    let tied = tie.map_or_else(Vec::new, |(tie, _)| tie.arms);
    let name_of = |place: &usize| scores.arms.names()[*place].clone();
    let names = scores.arms.names().iter().map(String::as_str);
    let (metric, direction) = (&scores.metric, scores.direction);
    let mut report = BeliefReport {
        tied: Some(tied.iter().map(name_of).collect()),
        pairing: Some(scores.splits.name()),
        on_items,
        seconds_per_belief: seconds.transpose()?,
        table: table.brief(),
        estimated: "mean, 95 % t interval",
        estimates: samples.iter().map(Option::as_ref).map(estimate).collect(),
        remarks,
        ..BeliefReport::bare(belief, name, metric, direction, names.zip(moments))
    };
    for (arm, row) in report.arms.iter_mut().zip(&table.arms) {
        arm.behind_best = row.behind;
    }
    Ok((report, posterior))
}

/// Notes for each arm that shares splits with the best how far it is behind: by the posterior, or by
/// the scores where the posterior has no differences. Notes nothing where arms are compared by
/// something else than the means of these scores, nor where there are so many that these, which are
/// only borrowed, would be copied.
fn compare_with_best(
    table: &mut ArmTable,
    samples: &[Option<Sample>],
    posterior: Option<&dyn Posterior>,
) -> Result<(), AnalysisError> {
    let is_of_means = |arm: &ArmRow| arm.counts.is_none() && arm.of_pool.is_none();
    let ranked = table.ranked();
    let (true, [best, others @ ..]) = (table.arms.iter().all(is_of_means), &ranked[..]) else {
        return Ok(());
    };
    let Some(of_best) = &samples[*best] else {
        return Ok(());
    };
    if of_best.len() > MOST_COMPARED {
        return Ok(());
    }
    for &arm in others {
        if let Some(own) = &samples[arm] {
            let comparison = ArmComparison::new(of_best, own, INTERVAL)?;
            let is_paired = matches!(comparison.pairing, Pairing::Paired { .. });
            let of_posterior = || {
                let lead = lead(finest(posterior?), ArmId::new(*best), ArmId::new(arm))?;
                Some(BehindBest::of_lead(&lead, table.direction))
            };
            let of_scores = || BehindBest {
                difference: comparison.difference,
                standard_error: comparison.standard_error,
                lower: comparison.interval.map(|interval| interval.lower),
                upper: comparison.interval.map(|interval| interval.upper),
            };
            table.arms[arm].behind = is_paired.then(|| of_posterior().unwrap_or_else(of_scores));
        }
    }
    Ok(())
}

/// Returns the mean of a sample with its interval. `None` without a sample, or if it has no interval.
fn estimate(sample: Option<&Sample>) -> Option<Estimate> {
    let (mean, interval) = ScoreSummary::mean_interval(sample?, INTERVAL).ok()?;
    Some(Estimate::new(mean, interval))
}

/// Finds the arms that are tied with the one that is most probably best, and the words for it, if
/// the posterior does not tell it from them.
fn tie(
    scores: &ScoresOfArms,
    samples: &[Option<Sample>],
    belief: &Belief,
) -> Option<(Tie, TieWords)> {
    let (leader, _) = belief.leader();
    let p = &belief.probability;
    let tie = Tie::unless_told_apart(samples, leader.index(), p, TIED_BELOW)?;
    let names: Vec<&str> = scores.arms.names().iter().map(String::as_str).collect();
    let words = TieWords::new(&tie, &names, Some(&Percentages::new(p)));
    Some((tie, words))
}

/// Fits the posterior with this name to all scores, of which every arm must have enough; `pool` is the
/// one of that name, if it is known.
///
/// # Errors
/// [`AnalysisError::TooFew`] if an arm has no score, or fewer than the posterior needs. Other
/// errors as of [`of_scores`].
pub(crate) fn fit(
    scores: &ScoresOfArms,
    name: &str,
    logit: Option<f64>,
    sampling: Sampling,
    pool: Option<&Pool>,
) -> Result<Box<dyn Observe<f64>>, AnalysisError> {
    let posterior = observed(scores, name, logit, sampling, pool)?;
    let mut arms = scores.arms.names().iter().zip(&scores.scores);
    if let Some((arm, _)) = arms.find(|(_, of_arm)| of_arm.is_empty()) {
        return Err(AnalysisError::TooFew(format!(
            "the arm `{arm}` has no score, as all of its evaluations failed, so that no probability can be given of it: count failed ones as the worst score (--failed worst), or remove its rows and say that it was left out"
        )));
    }
    for (arm, of_arm) in scores.arms.ids().zip(&scores.scores) {
        let required = posterior.required(arm);
        if (of_arm.len() as u64) < required {
            return Err(AnalysisError::TooFew(too_few(name, scores, arm, required)));
        }
    }
    Ok(posterior)
}

/// Returns the posterior with this name after all scores, however few these are.
fn observed(
    scores: &ScoresOfArms,
    name: &str,
    logit: Option<f64>,
    sampling: Sampling,
    pool: Option<&Pool>,
) -> Result<Box<dyn Observe<f64>>, AnalysisError> {
    let plain: Box<dyn Observe<f64>> = match name {
        POOL if logit.is_some() => {
            return Err(AnalysisError::Refused(format!(
                "the posterior {POOL} takes answers as they are: leave the logit scale out, or take another posterior"
            )));
        }
        POOL => {
            return Ok(Box::new(match pool {
                Some(pool) => pool.clone(),
                None => scores.pool_posterior(None)?.0,
            }));
        }
        PAIRED => sampling.paired(scores.arms.len())?,
        _ => posterior_by_name(name, scores.arms.len())?,
    };
    let mut posterior: Box<dyn Observe<f64>> = match logit {
        None => plain,
        Some(0.0) => Box::new(Logit::new(plain, AtTheBounds::Refuse)),
        Some(unit) => Box::new(Logit::new(plain, AtTheBounds::HalfUnit(unit))),
    };
    // Larger is better to a posterior; on the logit scale a smaller score is a larger complement.
    let oriented = |score: f64| match (logit, scores.direction) {
        (Some(_), Direction::Minimize) => 1.0 - score,
        (_, direction) => direction.orient(score),
    };
    observe_all(&mut *posterior, &scores.scores, oriented, &scores.source)?;
    Ok(posterior)
}

/// Shows a posterior all scores, each as what `oriented` makes of it. `source` names the file in messages.
pub(super) fn observe_all(
    posterior: &mut dyn Observe<f64>,
    scores: &[ArmScores],
    oriented: impl Fn(f64) -> f64,
    source: &str,
) -> Result<(), AnalysisError> {
    let refused = |line: u64, error: ObserveError| {
        AnalysisError::Refused(format!("{source}:{line}: {error}"))
    };
    let arms = || ArmId::all(scores.len()).zip(scores);
    if scores.iter().all(ArmScores::are_rows_splits) {
        let rows = scores.iter().map(ArmScores::len).max();
        for row in 0..rows.unwrap_or(0) {
            let case = Case {
                split: row as u64,
                seed: 0,
            };
            let mut on_row = arms().filter_map(|(arm, of_arm)| {
                let score = of_arm.scores().get(row)?;
                Some((arm, case, oriented(*score)))
            });
            let observed = posterior.observe_whole_split(&mut on_row);
            observed.map_err(|error| refused(case.split + 1, error))?;
        }
        return Ok(());
    }
    // Evaluations whose split is not known share none.
    let mut unshared = (0..=u64::MAX).rev();
    for (arm, of_arm) in arms() {
        for score in of_arm.iter() {
            let case = Case {
                split: score.split.or_else(|| unshared.next()).unwrap_or(0),
                seed: score.seed.unwrap_or(0),
            };
            let value = oriented(score.score);
            let observed = match score.split {
                Some(_) => posterior.observe(arm, case, value),
                None => posterior.observe_whole_split(&mut iter::once((arm, case, value))),
            };
            observed.map_err(|error| refused(score.line, error))?;
        }
    }
    Ok(())
}

/// Says which scores are too few or too alike for a posterior, and what to do.
fn too_few(posterior: &str, scores: &ScoresOfArms, arm: ArmId, required: u64) -> String {
    let name = scores.arms.name(arm);
    let of_arm = &scores.scores[arm.index()];
    let count = of_arm.len() as u64;
    let total: usize = scores.scores.iter().map(ArmScores::len).sum();
    let arms = scores.arms.len();
    if posterior == PAIRED && arms <= Paired::EXACT_UP_TO {
        return if total < arms + 2 {
            format!(
                "{total} scores of {arms} arms are too few: the posterior paired needs one of each arm and two more; give scores on further splits, seeds or items, or the mean of each arm's scores with its spread (--spread) and their number (--n)"
            )
        } else {
            format!(
                "the {total} scores are all equal, or as splits and arms explain them without a rest, which tells the posterior paired nothing of the noise: give at least one more evaluation of each arm"
            )
        };
    }
    let moments = of_arm.moments();
    if count > 1 && moments.squares() == 0.0 {
        let advice = if matches!(posterior, "pooled" | "paired") {
            "no arm's scores differ at all"
        } else {
            "use --posterior pooled, which learns from the other arms"
        };
        format!(
            "the {count} scores of `{name}` are all equal, which tells the posterior {posterior} nothing of their spread: {advice}"
        )
    } else {
        let scores = words::count(count, "score");
        format!(
            "the arm `{name}` has {scores}, and the posterior {posterior} needs at least {required} of each arm"
        )
    }
}

/// Refuses options that a posterior whose probabilities are sampled anyway does not have.
fn check_method(
    posterior: &str,
    options: &BeliefOptions,
    sampled: bool,
) -> Result<(), AnalysisError> {
    if sampled && options.method == BeliefMethod::Quadrature {
        return Err(no_quadrature(posterior));
    }
    if sampled && posterior != PAIRED && (options.draws.is_some() || options.seed.is_some()) {
        return Err(AnalysisError::Refused(format!(
            "the posterior {posterior} draws as often as it needs to, with a stream of its own: leave the number of draws and the seed out"
        )));
    }
    Ok(())
}

fn compute(
    options: &BeliefOptions,
    posterior: &dyn Posterior,
    arms: &[ArmId],
    sampled: bool,
) -> Result<Belief, AnalysisError> {
    if sampled || options.method != BeliefMethod::MonteCarlo {
        return Ok(finest(posterior).belief(arms));
    }
    let mut rng = Streams::new(options.seed.unwrap_or(0)).draws(0);
    let draw = |rng: &mut dyn rand::Rng, means: &mut [f64]| posterior.draw(rng, means);
    let draws = options.draws.unwrap_or(DRAWS);
    Ok(best_arm::monte_carlo(arms.len(), draws, &mut rng, draw)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::Arms;
    use fiesta_records::{Record, SplitSource};

    /// Twelve arms on ten splits, of which two are about as good.
    fn scores() -> ScoresOfArms<'static> {
        let of_arm = |arm: u64| {
            let noise = |split: u64| (split * split * (arm + 2) + 3 * arm * split) % 13;
            let record = |split: u64| Record {
                split: Some(split),
                ..Record::new(
                    ArmId::new(0),
                    0.002 * (arm / 2) as f64 + 0.005 * noise(split) as f64,
                )
            };
            (0..10).map(record).collect()
        };
        ScoresOfArms {
            metric: "score".to_owned(),
            direction: Direction::Maximize,
            arms: Arms::new((0..12).map(|arm| format!("arm{arm}"))).unwrap(),
            scores: (0..12).map(of_arm).collect(),
            splits: SplitSource::Column,
            unpaired: None,
            folds: None,
            pool: None,
            items: Vec::new(),
            source: "scores".to_owned(),
        }
    }

    fn belief(draws: Option<u64>, seed: u64) -> Vec<f64> {
        let options = BeliefOptions {
            draws,
            seed: Some(seed),
            ..BeliefOptions::default()
        };
        let report = of_scores(&scores(), PAIRED, &options).unwrap();
        report.arms.iter().map(|arm| arm.probability_best).collect()
    }

    /// Returns how far P(best) is at most from that of other streams: the root of the mean of
    /// squares.
    fn noise(draws: Option<u64>) -> f64 {
        const STREAMS: u64 = 4;
        let beliefs: Vec<Vec<f64>> = (0..STREAMS).map(|seed| belief(draws, seed)).collect();
        let n = STREAMS as f64;
        let of_arm = |arm: usize| {
            let all = beliefs.iter().map(|belief| belief[arm]);
            let mean = all.clone().sum::<f64>() / n;
            (all.map(|p| (p - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
        };
        (0..12).map(of_arm).fold(0.0, f64::max)
    }

    /// Tests the error of what is printed: the largest of twelve estimates from four streams each
    /// is up to 2.3 times the error.
    #[test]
    fn what_is_printed_has_an_error_of_three_ten_thousandths() {
        let (printed, of_decision) = (noise(None), noise(Some(Paired::DRAWS as u64)));
        assert!(
            printed < 2.3 * Paired::ERROR && printed < of_decision / 4.0,
            "{printed} {of_decision}"
        );
    }
}
