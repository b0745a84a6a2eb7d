//! Verdict of a report and the sentence to quote: the best arm, and how sure that is.

use super::{evidence::Evidence, search};
use crate::{
    ArmCount, TieWords,
    analysis::{failures::decisive_failures, not_compared, study::StudyFindings},
    asks_for_one, expected_loss, percent,
    sentence::{assumed, being_best, best_within, cheapest_within, is_short},
    tuning_curve::Failed,
    words::count,
};
use fiesta_core::{ArmId, Conclusion, Reason};

/// The verdict, as the rest of a sentence that begins with the arm's name, and the sentence to
/// quote.
pub(super) fn verdict(evidence: &Evidence<'_>) -> (String, String) {
    match &evidence.study {
        Some(study) => (
            of_study(study),
            study.sentence().unwrap_or_else(|| unended(study)),
        ),
        None if evidence.is_search() => search::verdict(evidence),
        None => of_scores(evidence),
    }
}

/// Returns the tie that is the answer; none where a study asked for less than the one best arm.
pub(super) fn tie<'a>(evidence: &'a Evidence<'_>) -> Option<&'a TieWords> {
    match &evidence.study {
        Some(study) => tie_of(study),
        None => evidence.tie.as_ref(),
    }
}

pub(super) const NOTHING: &str = "Nothing is known yet: no evaluation has ended with a score.";

/// Returns the verdict on a study as it stands: the place of the arm with whose name the sentence
/// begins, none where it begins with none, and the rest of the sentence.
pub(in crate::analysis) fn verdict_now(study: &StudyFindings<'_>) -> (Option<usize>, String) {
    let is_of_one = tie_of(study).is_none() && study.facts().top == 1;
    let named = study.recommended().filter(|_| is_of_one);
    (named.map(ArmId::index), of_study(study))
}

/// Returns the tie that is the answer of a study; none where it asked for less than the one best
/// arm.
fn tie_of<'a>(study: &'a StudyFindings<'_>) -> Option<&'a TieWords> {
    let conclusion = study.facts().conclusion.as_ref();
    let is_answered = conclusion.is_some_and(|ended| !asks_for_one(&ended.reason));
    study.tie_words().filter(|_| !is_answered)
}

/// Sentences to quote of a study that has not ended. Empty before the first score.
fn unended(study: &StudyFindings<'_>) -> String {
    let facts = study.facts();
    if !facts.is_known() || facts.search.is_some() || facts.conclusion.is_some() {
        return String::new();
    }
    format!(
        "The study has not ended: after {} evaluations, no arm is recommended yet.",
        facts.ended
    )
}

/// The verdict on a study, as the rest of a sentence that begins with the arm's name.
fn of_study(study: &StudyFindings<'_>) -> String {
    let facts = study.facts();
    let (arms, target) = (study.arm_count(), facts.target());
    if facts.search.is_some() {
        return of_search(study, &target);
    }
    if !facts.is_known() {
        return NOTHING.to_owned();
    }
    let doubt = if study.failures_may_decide() {
        "; what failed may decide otherwise"
    } else {
        ""
    };
    if let Some(claim) = study.top_in_words() {
        return format!("{claim}{doubt}.");
    }
    let p = study
        .recommended()
        .and_then(|arm| study.probability_of(arm));
    if let Some(tie) = tie_of(study) {
        return format!("{}{doubt}.", tie.claim(arms, &target));
    }
    let Some(conclusion) = &facts.conclusion else {
        let with = being_best(p.as_deref(), "; too little is known for a probability");
        return format!("leads {arms} arms by {target} so far{with}.");
    };
    if let Some(lead) = study.lead_without_failures() {
        return format!("{lead}{doubt}.");
    }
    if let (Some((other, q)), Some(p)) = (study.overtaken_by(), &p) {
        return format!(
            "was chosen among {arms} arms by {target}; with what ended afterwards counted, it is the best with {p} posterior probability, and {other} with {q}."
        );
    }
    of_conclusion(study, conclusion, p.as_deref())
}

/// Writes the verdict of a random search: the best score so far.
fn of_search(study: &StudyFindings<'_>, target: &str) -> String {
    let facts = study.facts();
    let trials = facts.search.as_ref().map_or(0, |search| search.trials);
    match study.best_of_search() {
        None => NOTHING.to_owned(),
        Some((_, score)) => format!(
            "has the best {target} of {} arms, {score:.4}, {} {trials} trials of random search each.",
            study.arm_count(),
            if facts.conclusion.is_some() {
                "after"
            } else {
                "so far, of"
            },
        ),
    }
}

/// Writes the verdict by the kind of the conclusion, with P(best) of the arm.
fn of_conclusion(study: &StudyFindings<'_>, conclusion: &Conclusion, p: Option<&str>) -> String {
    let (arms, target) = (study.arm_count(), study.facts().target());
    if let Some(within) = study.facts().cheapest_within
        && is_short(&conclusion.reason)
    {
        return format!(
            "is recommended as {} of {arms} arms by {target}; the study ended before its confidence was reached.",
            cheapest_within(within)
        );
    }
    match (&conclusion.reason, p) {
        (Reason::PosteriorProbability { .. }, Some(p)) => {
            format!("is the best of {arms} arms by {target}, with {p} posterior probability.")
        }
        (Reason::Tolerance { level, tolerance }, _) => format!(
            "is within {tolerance} of the best of {arms} arms by {target}, with at least {} posterior probability.",
            percent(*level)
        ),
        (Reason::CheapestWithin { level, within }, _) if *level >= 1.0 => format!(
            "is {} of {arms} arms by {target}: all answers that decide are known.",
            cheapest_within(*within)
        ),
        (Reason::CheapestWithin { level, within }, _) => format!(
            "is {} of {arms} arms by {target}, {}.",
            cheapest_within(*within),
            if study.facts().noun == "item" {
                format!("at a confidence of {}", percent(*level))
            } else {
                format!("with at least {} posterior probability", percent(*level))
            }
        ),
        (Reason::Shortfall { shortfall, .. }, _) => format!(
            "is chosen among {arms} arms by {target}; under the posterior, this is expected to lose {}.",
            expected_loss(*shortfall, study.arms().decimals())
        ),
        (
            Reason::AnytimeValid {
                level,
                tolerance,
                assumes,
            },
            _,
        ) => format!(
            "is {} of {arms} arms by {target}, by a test that errs in at most {} of studies with {}.",
            best_within(*tolerance),
            percent(1.0 - level),
            assumed(*assumes)
        ),
        (Reason::Gate { baseline, .. }, _) if conclusion.arm == *baseline => {
            "stays: no other arm is shown to be good enough.".to_owned()
        }
        (Reason::Gate { baseline, .. }, _) => {
            format!("may replace {}.", study.facts().name(*baseline))
        }
        (Reason::Limit(_), Some(p)) => format!(
            "leads {arms} arms by {target}, with {p} posterior probability of being the best; a limit ended the study."
        ),
        (Reason::Limit(_), None) => {
            format!(
                "leads {arms} arms by {target}; a limit ended the study before a probability could be given."
            )
        }
        (Reason::Exhausted, p) => format!(
            "leads {arms} arms by {target}{}; {}.",
            being_best(p, ""),
            study.facts().used_up(),
        ),
        (Reason::OnlyCandidate, _) => {
            format!("is the only one of {arms} arms that could be evaluated.")
        }
        (_, p) => format!(
            "is chosen among {arms} arms by {target}{}.",
            being_best(p, "")
        ),
    }
}

/// Returns the verdict on scores and the sentence to quote, with the arms that have no scores.
fn of_scores(evidence: &Evidence<'_>) -> (String, String) {
    let (verdict, sentence) = of_scored(evidence);
    let arms = evidence.evaluations.arms.iter().enumerate();
    let without = arms.filter(|(place, _)| evidence.table.value(*place).is_none());
    let names: Vec<&str> = without.map(|(_, arm)| arm.name.as_str()).collect();
    let told_of = not_compared(&names).filter(|_| names.len() < evidence.evaluations.arms.len());
    let input = evidence.input;
    let hidden = (evidence.options.failed == Failed::Drop)
        .then(|| decisive_failures(&input.records, input.direction, input.bounds()))
        .flatten();
    let more = || told_of.iter().chain(&hidden).map(String::as_str);
    let told = |text: String| match text.as_str() {
        "" => text,
        text => [text]
            .into_iter()
            .chain(more())
            .collect::<Vec<_>>()
            .join(" "),
    };
    (told(verdict), told(sentence))
}

fn of_scored(evidence: &Evidence<'_>) -> (String, String) {
    let scored =
        (0..evidence.evaluations.arms.len()).filter(|&arm| evidence.table.value(arm).is_some());
    let arms = ArmCount {
        compared: scored.count(),
        all: evidence.evaluations.arms.len(),
    };
    let target = evidence.target();
    let Some(best) = evidence.best() else {
        return (NOTHING.to_owned(), String::new());
    };
    let name = &evidence.evaluations.arms[best].name;
    let scored = evidence.evaluations.counted();
    let on = evidence
        .evaluations
        .distinct_groups
        .filter(|_| evidence.options.strata.is_none())
        .map_or_else(String::new, |count| {
            format!(" on {count} {}", evidence.evaluations.groups)
        });
    let version = env!("CARGO_PKG_VERSION");
    if arms.all == 1 {
        let mean = evidence.table.value(best).unwrap_or_default();
        let decimals = evidence.table.decimals();
        let verdict = format!(
            "is the only arm: there is nothing to compare it with. Its mean {target} is {mean:.decimals$}."
        );
        return (verdict, String::new());
    }
    if let Some(tie) = tie(evidence) {
        let claim = tie.claim(arms, &target);
        let sentence =
            format!("Given {scored} scores of {arms} arms{on}, {claim} (FIESTA {version}).");
        return (format!("{claim}."), sentence);
    }
    let both = evidence.pool.as_ref().and_then(|pool| {
        let report = &pool.report;
        Some((
            report.these_items.as_ref()?,
            report.items_like_these.as_ref()?,
        ))
    });
    if let Some((these, like)) = both {
        let like = like.words();
        let verdict = format!("leads {arms} arms by {target}: {}; {like}.", these.words());
        let sentence = format!(
            "Of {scored} answers of {arms} arms{on}, by {target}: {}; {like} (FIESTA {version}).",
            these.words()
        );
        return (verdict, sentence);
    }
    let (Some(p), Some(p_text)) = (
        evidence.table.arms[best].probability_best,
        evidence.probability_of(best),
    ) else {
        return unsure(evidence, best, &on);
    };
    let verdict = if p >= evidence.options.confidence {
        format!("is the best of {arms} arms by {target}, with {p_text} posterior probability.")
    } else {
        format!(
            "leads {arms} arms by {target}, with {p_text} posterior probability: which arm is best is not settled."
        )
    };
    let sentence = format!(
        "Given {scored} scores of {arms} arms{on}, {name} is the best by {target} with {p_text} posterior probability (scores that were recorded beforehand, whose number no stopping rule decided; FIESTA {version})."
    );
    (verdict, sentence)
}

/// Writes the verdict of scores without a belief: the best mean, and which arms share it.
fn unsure(evidence: &Evidence<'_>, best: usize, on: &str) -> (String, String) {
    let (arms, target) = (&evidence.table.arms, evidence.target());
    let (name, scored) = (&arms[best].name, evidence.evaluations.counted());
    let version = env!("CARGO_PKG_VERSION");
    let values: Vec<Option<f64>> = (0..arms.len())
        .map(|arm| evidence.table.value(arm))
        .collect();
    let compared = values.iter().flatten().count();
    if compared == 1 {
        let verdict = format!(
            "is the only one of {} arms with a score: there is nothing to compare it with.",
            arms.len()
        );
        return (verdict, String::new());
    }
    let why = { evidence.belief.known.as_ref() }.map_or_else(String::as_str, |_| "unknown");
    #[allow(clippy::float_cmp, reason = "a tie is exact")]
    let tied = values
        .iter()
        .filter(|&&value| value == values[best])
        .count()
        - 1;
    let (verdict, claim) = match tied {
        0 => (
            "has the best mean".to_owned(),
            format!("those of {name} have the best mean"),
        ),
        others => {
            let others = count(others, "other");
            (
                format!("and {others} share the best mean"),
                format!("those of {name} and {others} share the best mean"),
            )
        }
    };
    (
        format!(
            "{verdict} {target} of {compared} arms; there is no posterior probability, because {why}."
        ),
        format!(
            "Of {scored} scores of {compared} arms{on}, {claim} {target}; no probability of being the best is claimed (FIESTA {version})."
        ),
    )
}
