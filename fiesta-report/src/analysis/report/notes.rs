//! Notes of a report: the choices that were made, and what they change.

use super::{
    evaluations::ReportedEvaluations, evidence::Evidence, figures::Pictures, simulated,
    tables::Sheet,
};
use crate::{
    analysis::{
        ArmScores,
        belief::{BeliefReport, MeasuresReport},
        folds::folds_note,
        study::{BeliefPath, StudyFacts},
    },
    summary::Sample,
    tuning_curve::Failed,
    words::{count, sentence},
};
use fiesta_core::{Direction, Method};

/// Returns a note for each choice.
pub(super) fn notes(
    evidence: &Evidence<'_>,
    pictures: &Pictures,
    sheets: &[Sheet],
    measures: Option<&MeasuresReport>,
) -> Vec<String> {
    let mut notes = vec![of_belief(evidence)];
    if evidence.evaluations.counted() > 0 {
        notes.extend(of_intervals(evidence));
    }
    let varying = evidence
        .pool
        .as_ref()
        .and_then(|pool| pool.report.varying.as_ref());
    notes.extend(varying.map(|varying| sentence(&varying.sentence())));
    if sheets.iter().any(|sheet| sheet.file == "against-best") {
        notes.push(of_pairs(evidence, pictures));
    }
    notes.extend(of_failures(evidence));
    if pictures.find("tuning").is_some() {
        notes.extend(of_curves(evidence));
    }
    notes.extend(of_replays(evidence));
    let of_measures = measures.into_iter().flat_map(|measures| &measures.notes);
    notes.extend(of_measures.map(|note| sentence(note)));
    let of_pairs = evidence.belief.note.as_deref();
    // Groups that are values of a column are no splits.
    let of_pairs = of_pairs.filter(|_| evidence.options.strata.is_none());
    notes.extend(of_pairs.map(sentence));
    let folds = evidence.input.records.folds();
    let folds = folds.map(|folds| folds_note(folds, "intervals, bands and P(best)"));
    notes.extend(folds.map(|note| sentence(&note)));
    let study = evidence.input.study.as_ref();
    notes.extend(study.and_then(|study| of_history(&study.background.belief_path)));
    notes.extend(pictures.notes.iter().cloned());
    let of_scores = study.into_iter().flat_map(|study| &study.notes);
    let notices = of_scores.chain(&evidence.input.notices);
    notes.extend(notices.map(|notice| sentence(notice)));
    notes
}

fn of_intervals(evidence: &Evidence<'_>) -> [String; 2] {
    let (level, groups) = (evidence.level(), &evidence.evaluations.groups);
    let of_means = if evidence.is_adaptive() {
        let study = evidence.input.study.as_ref();
        let covered = study.and_then(StudyFacts::coverage);
        format!(
            "Intervals of means and of differences are those of the posterior that decided, at {level}. {} The study chose its evaluations by what it saw; bootstrap and rank tests take their number as fixed, and here describe the scores only. ",
            covered.unwrap_or(
                "How often such intervals hold at the end of a study of this kind was not measured."
            )
        )
    } else {
        format!(
            "Intervals of means are Student's t at {level}, and exact binomial ones of scores that are only 0 and 1. "
        )
    };
    let neither = if evidence.is_adaptive() {
        "Neither these"
    } else {
        "Neither they"
    };
    [
        format!(
            "{of_means}{neither} nor bootstrap intervals hold for few scores that are very skewed: at 95 %, with 5 to 20 scores, they hold the mean of exponential scores in 89 to 92 % and that of lognormal ones in 82 to 86 % of cases. Where an arm has several scores on one of the {groups}, these are not independent: the standard error is then that between {groups}, and the bootstrap draws each with all its scores."
        ),
        format!(
            "The interquartile mean is that of the middle half of the scores: a quarter at each end is left out. Bootstrap intervals are of {} resamples, seed {}{}; of few scores there are others, or none, as the table says.",
            evidence.resamples,
            evidence.options.seed,
            match &evidence.options.strata {
                Some(column) => format!(
                    ", drawn within the values of {column} (the conventions of rliable): they are about these very {column}s"
                ),
                None => String::new(),
            }
        ),
    ]
}

fn of_curves(evidence: &Evidence<'_>) -> [String; 2] {
    let bands = match evidence.bounds {
        Some((low, high)) => format!(
            "Bands of tuning curves hold for all n at once with {}, whatever the distribution, and reach to the bounds of the metric, {low} and {high}. They take scores as independent; those of one split are not quite.",
            evidence.level()
        ),
        None => "There are no confidence bands for tuning curves: without the bounds of the metric nothing limits the mean of the best of n. A study has them under [metric] bounds, a file by --bounds.".to_owned(),
    };
    let estimate = "Tuning curves are the plug-in estimate of the expected best of n (Dodge et al. 2019, equation 8): what n draws from the recorded scores give. It is too low by what was not seen, most of all for n near the number of scores. Curves that cross within their bands may not cross at all.";
    [estimate.to_owned(), bands]
}

fn of_replays(evidence: &Evidence<'_>) -> Option<String> {
    let simulated = evidence.simulated.as_ref()?;
    Some(format!(
        "P(correct) is the share of {} replays in which a policy named the arm with the best recorded mean: scores are drawn again from those that were recorded, on {} splits; the adaptive policy believes by the posterior {}. It says what such budgets would do on arms like these, and not whether this arm is the best.",
        simulated.runs,
        simulated.design.name(),
        simulated::POSTERIOR
    ))
}

fn of_history(history: &BeliefPath) -> Option<String> {
    let (shown, all) = (history.points.len(), history.evaluations);
    (shown > 1 && all > shown + 10)
        .then(|| format!("The history of the belief shows {shown} of {all} evaluations."))
}

fn of_belief(evidence: &Evidence<'_>) -> String {
    match &evidence.belief.known {
        Ok(known) => format!(
            "{} is the posterior probability that an arm's mean is {}, under the posterior {}; it was computed {}.",
            evidence.table.probability_title(),
            match evidence.table.top {
                1 => "the best".to_owned(),
                top => format!("one of the best {top}"),
            },
            evidence.belief.posterior,
            accuracy(known)
        ),
        Err(why) => format!("There is no P(best): {why}."),
    }
}

/// Tells in words how exact the probabilities are.
fn accuracy(known: &BeliefReport) -> String {
    let error = known.absolute_error;
    match known.method {
        _ if error < 1e-6 => "to more digits than are shown".to_owned(),
        Method::MonteCarlo => {
            format!("by Monte Carlo, with a standard error of at most {error:.1e}")
        }
        _ => format!("by quadrature, with an error of at most {error:.1e}"),
    }
}

fn of_pairs(evidence: &Evidence<'_>, pictures: &Pictures) -> String {
    let groups = &evidence.evaluations.groups;
    let ranks = if pictures.find("ranks").is_some() {
        format!(
            " Ranks are over those of the {groups} on which every arm has a score, and over no others."
        )
    } else {
        format!(" There is no diagram of ranks, as the arms have too few {groups} in common.")
    };
    let posterior = &evidence.belief.posterior;
    let best = evidence.best().zip(evidence.rival());
    let by_posterior = best.and_then(|(best, rival)| evidence.difference(best, rival));
    let by_posterior = match by_posterior {
        Some(_) if !evidence.is_adaptive() => format!(
            " Where the posterior {posterior} has a distribution of the difference, the difference and its interval are of this."
        ),
        _ => String::new(),
    };
    format!(
        "Two arms are compared by their differences on the {groups} that both have seen, where these are the same by design, and by Welch's interval otherwise. A difference on common {groups} is not that of the means in the table of arms, which are over all scores of each arm; the table of comparisons has both. The intervals are each for one pair, and not corrected for how many there are.{by_posterior}{ranks}"
    )
}

/// How failures are counted, and what the other choice would have been.
fn of_failures(evidence: &Evidence<'_>) -> Option<String> {
    let choice = evidence.failures()?;
    let failed = evidence.evaluations.failed();
    let other = match choice {
        Failed::Drop => Failed::Worst,
        _ => Failed::Drop,
    };
    let (direction, bounds) = (evidence.input.direction, evidence.bounds);
    let counted = ReportedEvaluations::new(evidence.input, evidence.strata(), other).ok()?;
    let now = best_mean(&evidence.samples, direction);
    let then = counted.counted.iter().map(ArmScores::sample);
    let then: Vec<Option<Sample>> = then.collect();
    let effect = match (now, best_mean(&then, direction)) {
        (Some((now, mean)), Some((then, other_mean))) => {
            let digits = evidence.table.decimals();
            let name = |arm: usize| &evidence.evaluations.arms[arm].name;
            format!(
                " The best mean is now that of {}, {mean:.digits$}; with --failed {} it would be that of {}, {other_mean:.digits$}.",
                name(now),
                other.name(),
                name(then)
            )
        }
        _ => String::new(),
    };
    let how = match choice {
        Failed::Drop => {
            "left out of all summaries, and counted in costs and as trials that were started"
        }
        _ if bounds.is_some() => "counted as the worst score that is possible",
        _ => "counted as the worst score that any arm had",
    };
    let belief = match evidence.study {
        Some(_) => " P(best) is the study's own, which leaves them out.",
        None => "",
    };
    Some(format!(
        "{} failed: {how} (--failed {}).{effect}{belief}",
        count(failed, "evaluation"),
        choice.name()
    ))
}

/// The place of the arm with the best mean, and that mean.
fn best_mean(samples: &[Option<Sample>], direction: Direction) -> Option<(usize, f64)> {
    let means = samples.iter().enumerate();
    let means = means.filter_map(|(arm, sample)| Some((arm, sample.as_ref()?.mean())));
    means.max_by(|a, b| direction.orient(a.1).total_cmp(&direction.orient(b.1)))
}
