//! Answer at the top of a report: the arm, its probability, the cost, the sentence to quote.

use super::{
    evaluations::ArmEvaluations,
    evidence::Evidence,
    pool::PoolEvidence,
    verdict::{tie, verdict},
};
use crate::{
    Versus,
    analysis::{best_of_n::DEPENDENT_TRIALS, shares, study::StudyFindings},
    arm_table::signed_ends,
    cost_with_unit, counted_share, decimals,
    html::{Answer, Highlight, Share},
    summary::Pairing,
    words::{count, level, one_or_more, sentence, signed, span},
};
use fiesta_core::{Design, Direction, Target};

/// Caveat on the numbers of a study that goes on.
pub(in crate::analysis) const NOT_OVER: &str =
    "The study is not over. Numbers that were looked at before the end are not those to report.";

/// Returns the answer at the top of a report.
pub(super) fn answer(evidence: &Evidence<'_>, versus: &[Versus]) -> Answer {
    let (verdict, sentence) = verdict(evidence);
    // A tie is said of all arms in it alike.
    let is_of_one = tie(evidence).is_none() && evidence.table.top == 1;
    let named = evidence.best().filter(|_| is_of_one);
    Answer {
        arm: named.map(|arm| evidence.evaluations.arms[arm].name.clone()),
        verdict,
        highlights: highlights(evidence, versus),
        belief: shares(evidence),
        belief_of: evidence.pool.as_ref().map(shown_target),
        method: method(evidence, &sentence),
        sentence,
        caveats: caveats(evidence),
    }
}

/// Returns the line below the sentence to quote: the names of the policy, the posterior and the
/// stopping rule.
fn method(evidence: &Evidence<'_>, sentence: &str) -> String {
    match &evidence.study {
        _ if sentence.is_empty() => String::new(),
        Some(study) => study.method().unwrap_or_default(),
        None if evidence.belief.known.is_err() => String::new(),
        None => format!("Method: posterior {}.", evidence.belief.posterior),
    }
}

/// Returns what the sentence does not claim, by the kind of its confidence.
fn caveats(evidence: &Evidence<'_>) -> Vec<String> {
    let mut caveats = Vec::new();
    match &evidence.input.study {
        _ if evidence.is_search() => caveats.push(
            "The best of many scores is too good: the same setting will score less on new data. Compare families of models by their expected best of as many trials, below.".to_owned(),
        ),
        Some(study) => {
            if let Some(conclusion) = &study.conclusion {
                caveats.extend(study.meaning(conclusion));
            } else {
                caveats.push(NOT_OVER.to_owned());
            }
            if study.design == Design::Fixed {
                caveats.push("All evaluations were on one split of the data; another split may have another best arm.".to_owned());
            }
        }
        None if evidence.belief.known.is_ok() && evidence.best().is_some() => caveats.push(
            "The probability takes the scores as they are. Had they been gathered until one arm looked good enough, it would be too high.".to_owned(),
        ),
        None => {}
    }
    if evidence.is_search() {
        caveats.extend(evidence.best_of_n().map(|best| best.leads() + "."));
    }
    if evidence.input.is_recorded_search() {
        caveats.push(sentence(DEPENDENT_TRIALS));
    }
    let pool = evidence.pool.as_ref();
    let like = pool.and_then(|pool| pool.report.items_like_these.as_ref());
    caveats.extend(like.map(|like| {
        let said = sentence(&like.sentence());
        format!("{said} {}", sentence(&like.doubt()))
    }));
    let told = evidence.pool.iter().flat_map(|pool| &pool.told);
    caveats.extend(told.map(|told| sentence(told)));
    let may_be_search = evidence.has_trials() && !evidence.is_search();
    if evidence.input.study.is_none() && may_be_search && evidence.best().is_some() {
        caveats.push(
            "Where the scores are of settings that a search tried, it speaks of their mean and not of the best of them: which arm is worth tuning depends on how many settings one can afford to try, below.".to_owned(),
        );
    }
    if evidence.failures().is_some() {
        caveats.push(format!(
            "{} failed. How such are counted changes the numbers; the notes say how.",
            count(evidence.evaluations.failed(), "evaluation")
        ));
    }
    if evidence.best().is_some() {
        caveats.push(format!(
            "It speaks of {} as it was measured here. Other data, other hyperparameters and other measures may rank the arms otherwise.",
            evidence.target()
        ));
    }
    caveats
}

fn highlights(evidence: &Evidence<'_>, versus: &[Versus]) -> Vec<Highlight> {
    let mut highlights = Vec::new();
    highlights.extend(lead(evidence, versus));
    let ended = evidence.evaluations.scored() as u64 + evidence.evaluations.failed();
    let failed = evidence.evaluations.failed();
    let mut note = vec![count(evidence.compared(), "arm")];
    let study = evidence.study.as_ref();
    let retired = study.map_or_else(Vec::new, StudyFindings::retired);
    if retired.len() + evidence.compared() == evidence.evaluations.arms.len() && !retired.is_empty()
    {
        note = vec![format!("{} and {} retired", note.concat(), retired.len())];
    }
    if let Some(groups) = evidence.evaluations.distinct_groups {
        let of_one = evidence.evaluations.groups.trim_end_matches('s');
        let what = one_or_more(groups, of_one, &evidence.evaluations.groups);
        note.push(format!("{groups} {what}"));
    }
    if failed > 0 {
        note.push(format!("{failed} failed"));
    }
    highlights.push(Highlight::new(
        "Evaluations",
        ended.to_string(),
        note.join(", "),
    ));
    highlights.extend(evidence.pool.iter().flat_map(of_pool));
    highlights.extend(cost(evidence));
    highlights
}

/// The share of the pool that is answered, and how many more answers would settle it.
fn of_pool(pool: &PoolEvidence) -> Vec<Highlight> {
    let report = &pool.report;
    let share = report.answered as f64 / report.cells.max(1) as f64;
    let of = format!(
        "of {} answers ({} of {} items)",
        report.cells,
        count(report.arms.len(), "arm"),
        report.items
    );
    let mut highlights = vec![Highlight::new("Pool answered", counted_share(share), of)];
    if let Some(outlook) = report
        .outlook
        .as_ref()
        .filter(|outlook| !outlook.is_settled())
    {
        let [median, lower, upper] = outlook.rounded_answers();
        let note = format!(
            "to settle it at {}; {lower} to {upper} in 80 % of continuations",
            level(outlook.confidence)
        );
        highlights.push(Highlight::new(
            "Further answers",
            format!("about {median}"),
            note,
        ));
    }
    highlights
}

/// Returns how far the best is ahead of the next. `None` where several arms are named as the best.
fn lead(evidence: &Evidence<'_>, versus: &[Versus]) -> Option<Highlight> {
    if evidence.is_search() || evidence.table.top > 1 {
        return None;
    }
    let (best, next) = (evidence.best()?, evidence.rival()?);
    let name = &evidence.table.arms[next].name;
    let row = versus.iter().find(|row| row.name == *name);
    let (difference, interval) = match row {
        Some(row) => row.difference(),
        None => evidence
            .difference(best, next)
            .map(|of| (of.0, Some(of.1)))?,
    };
    let digits = row.map_or(4, |row| decimals(row.comparison.standard_error));
    let show = |value: f64| signed(value, digits);
    let over = evidence.pool.as_ref().map(PoolEvidence::over);
    let over = over.map_or_else(String::new, |over| format!(" {over}"));
    let mut note = format!("than {name}{over}");
    if let Some(interval) = interval {
        let (level, ends) = (evidence.level(), signed_ends(interval, digits));
        note = format!("{note}; {level} interval {ends}");
    }
    if let Some(row) = row
        && let Pairing::Paired { splits, .. } = row.comparison.pairing
    {
        // What the scores say by themselves, where the posterior says something else.
        let of_scores = show(row.comparison.difference);
        let by_scores = match row.of_posterior {
            Some(_) => format!("{of_scores} "),
            None => String::new(),
        };
        let groups = &evidence.evaluations.groups;
        note = format!("{note}; {by_scores}on the {splits} {groups} that both have");
        let plain = show(row.difference_of_means);
        if plain != of_scores {
            note = format!("{note} (their means over all their scores differ by {plain})");
        }
    }
    let label = match evidence.input.direction {
        Direction::Maximize => "Mean higher by",
        Direction::Minimize => "Mean lower by",
    };
    let ahead = show(evidence.input.direction.orient(difference));
    Some(Highlight::new(label, ahead.trim_start_matches('+'), note))
}

/// Tells how many attempts led to no outcome. `None` if each led to one.
pub(in crate::analysis) fn of_lost(attempts: u64) -> Option<String> {
    let were = one_or_more(attempts, "was", "were");
    let said = format!(
        "with {} that {were} lost or stopped",
        count(attempts, "attempt")
    );
    (attempts > 0).then_some(said)
}

fn cost(evidence: &Evidence<'_>) -> Option<Highlight> {
    let total = |of: fn(&ArmEvaluations) -> Option<f64>| {
        let known: Vec<f64> = evidence.evaluations.arms.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>())
    };
    let (cost, seconds) = (total(|arm| arm.cost), total(|arm| arm.seconds));
    let ended = evidence.evaluations.scored() as f64 + evidence.evaluations.failed() as f64;
    let lost: u64 = evidence.evaluations.arms.iter().map(|arm| arm.lost).sum();
    let lost = of_lost(lost).map_or_else(String::new, |lost| format!(", {lost}"));
    let unit = evidence.table.cost_unit.as_ref();
    let shown = |cost| cost_with_unit(cost, unit);
    match (cost, seconds) {
        (Some(cost), _) if !evidence.cost_is_seconds() => {
            let note = seconds.map_or_else(String::new, |seconds| {
                format!("in {} of computing{lost}", span(seconds))
            });
            Some(Highlight::new("Cost", shown(cost), note))
        }
        (_, Some(seconds)) => Some(Highlight::new(
            "Computing time",
            span(seconds),
            format!("{} per evaluation{lost}", span(seconds / ended.max(1.0))),
        )),
        _ => None,
    }
}

/// Returns which items the bar of P(best) is of: the target of the verdict, or items like these if
/// the verdict on these items was counted.
fn shown_target(pool: &PoolEvidence) -> Target {
    let these = pool.report.these_items.as_ref();
    match these {
        Some(these) if these.probability.is_none() => Target::ItemsLikeThese,
        _ => pool.report.target,
    }
}

/// P(best) of all arms, the most probable first, each with the colour that it has in the figures.
fn shares(evidence: &Evidence<'_>) -> Vec<Share> {
    let known = evidence.table.arms.iter().map(|arm| arm.probability_best);
    let Some(mut probability) = known.collect::<Option<Vec<f64>>>() else {
        return Vec::new();
    };
    if let Some(pool) = &evidence.pool
        && shown_target(pool) == Target::ItemsLikeThese
    {
        for (p, arm) in probability.iter_mut().zip(&pool.report.arms) {
            *p = arm.probability_on_items_like_these.unwrap_or_default();
        }
    }
    shares::shares(&evidence.table, &probability)
}
