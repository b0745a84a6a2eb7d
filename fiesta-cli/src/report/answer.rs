//! The answer at the top of a report: the arm, its probability, the cost, the sentence to quote.

use super::known::Known;
use crate::{
    platform::Recorded,
    search,
    standing::{StudyStatus, is_known},
};
use fiesta::{
    core::{Design, Limit, Reason},
    report::{
        TieWords, Versus, asks_for_one, decimals,
        html::{Answer, Highlight, Share},
        percent,
        summary::Pairing,
    },
};

/// The answer at the top of a report.
pub(super) fn answer(known: &Known<'_>, versus: &[Versus]) -> Answer {
    let study = known.results.study.as_deref();
    let (verdict, sentence) = match (study, &known.status) {
        (Some(recorded), Some(status)) => of_study(known, recorded, status),
        _ => of_scores(known),
    };
    // A tie is said of all arms in it alike.
    let named = known.best().filter(|_| tie(known).is_none());
    Answer {
        arm: named.map(|arm| known.counted.arms[arm].name.clone()),
        verdict,
        highlights: highlights(known, versus),
        belief: shares(known),
        sentence,
        caveats: caveats(known),
    }
}

/// The tie that is the answer; none where a study asked for less than the one best arm.
fn tie<'a>(known: &'a Known<'_>) -> Option<&'a TieWords> {
    let study = known.results.study.as_deref();
    let conclusion = study.and_then(|recorded| recorded.history.selector.conclusion());
    let is_answered = conclusion.is_some_and(|conclusion| !asks_for_one(&conclusion.reason));
    known.tie.as_ref().filter(|_| !is_answered)
}

const NOTHING: &str = "Nothing is known yet: no evaluation has ended with a score.";

fn of_study(known: &Known<'_>, recorded: &Recorded, status: &StudyStatus<'_>) -> (String, String) {
    let (study, history) = (&recorded.study, &recorded.history);
    let (arms, target) = (known.compared(), known.target());
    let quoted = status.quote().unwrap_or_default();
    if let Some(of_search) = study.search() {
        let verdict = match search::leader(study, history) {
            None => NOTHING.to_owned(),
            Some((_, score)) => format!(
                "has the best {target} of {arms} arms, {score:.4}, {} {} trials of random search each.",
                if history.selector.conclusion().is_some() {
                    "after"
                } else {
                    "so far, of"
                },
                of_search.trials()
            ),
        };
        return (verdict, quoted);
    }
    if !is_known(history) {
        return (NOTHING.to_owned(), quoted);
    }
    let p = known.best().and_then(|best| known.probability_of(best));
    let conclusion = history.selector.conclusion();
    let tied = tie(known).map(|tie| format!("{}.", tie.claim(arms, &target)));
    let Some(conclusion) = conclusion else {
        let with = p.map_or("; too little is known for a probability".to_owned(), |p| {
            format!(", with {p} posterior probability of being the best")
        });
        let sentence = format!(
            "The study has not ended: after {} evaluations, no arm is recommended yet.",
            history.selector.view().total_ended()
        );
        let leads = || format!("leads {arms} arms by {target} so far{with}.");
        return (tied.unwrap_or_else(leads), sentence);
    };
    if let Some(tied) = tied {
        return (tied, quoted);
    }
    if let (Some((other, q)), Some(p)) = (status.overtaken_by(), &p) {
        let verdict = format!(
            "was chosen among {arms} arms by {target}; with what ended afterwards counted, it is the best with {p} posterior probability, and {other} with {q}."
        );
        return (verdict, quoted);
    }
    let verdict = match (&conclusion.reason, p) {
        (Reason::PosteriorProbability { .. }, Some(p)) => {
            format!("is the best of {arms} arms by {target}, with {p} posterior probability.")
        }
        (Reason::Tolerance { level, tolerance }, _) => format!(
            "is within {tolerance} of the best of {arms} arms by {target}, with at least {} posterior probability.",
            percent(*level)
        ),
        (Reason::AnytimeValid { level, tolerance }, _) => format!(
            "is {} of {arms} arms by {target}, by a test that errs in at most {} of studies.",
            if *tolerance > 0.0 {
                format!("within {tolerance} of the best")
            } else {
                "the best".to_owned()
            },
            percent(1.0 - level)
        ),
        (Reason::Limit(_), Some(p)) => format!(
            "leads {arms} arms by {target}, with {p} posterior probability of being the best; a limit ended the study."
        ),
        (Reason::Limit(_), None) => {
            format!(
                "leads {arms} arms by {target}; a limit ended the study before a probability could be given."
            )
        }
        (Reason::Exhausted, p) => format!(
            "leads {arms} arms by {target}{}; every {} was {}.",
            p.map_or_else(String::new, |p| format!(
                ", with {p} posterior probability of being the best"
            )),
            if study.documents().is_some() {
                "document"
            } else {
                "split"
            },
            if study.documents().is_some() {
                "queried"
            } else {
                "used"
            },
        ),
        (Reason::OnlyCandidate, _) => {
            format!("is the only one of {arms} arms that could be evaluated.")
        }
        (_, p) => format!(
            "is chosen among {arms} arms by {target}{}.",
            p.map_or_else(String::new, |p| format!(
                ", with {p} posterior probability of being the best"
            ))
        ),
    };
    (verdict, quoted)
}

fn of_scores(known: &Known<'_>) -> (String, String) {
    let (arms, target) = (known.counted.arms.len(), known.target());
    let Some(best) = known.best() else {
        return (NOTHING.to_owned(), String::new());
    };
    let name = &known.counted.arms[best].name;
    let scored = known.counted.scored();
    let on = known
        .counted
        .distinct_groups()
        .filter(|_| known.arguments.strata.is_none())
        .map_or_else(String::new, |count| {
            format!(" on {count} {}", known.counted.groups)
        });
    let version = env!("CARGO_PKG_VERSION");
    if arms == 1 {
        let mean = known.overview.arms[best].value().unwrap_or_default();
        let decimals = known.overview.decimals();
        let verdict = format!(
            "is the only arm: there is nothing to compare it with. Its mean {target} is {mean:.decimals$}."
        );
        return (verdict, String::new());
    }
    if let Some(tie) = tie(known) {
        let claim = tie.claim(arms, &target);
        let sentence =
            format!("Given {scored} scores of {arms} arms{on}, {claim} (FIESTA {version}).");
        return (format!("{claim}."), sentence);
    }
    let (Some(p), Some(p_text)) = (known.belief.probability[best], known.probability_of(best))
    else {
        return unsure(known, best, &on);
    };
    let verdict = if p >= known.arguments.confidence {
        format!("is the best of {arms} arms by {target}, with {p_text} posterior probability.")
    } else {
        format!(
            "leads {arms} arms by {target}, with {p_text} posterior probability: which arm is best is not settled."
        )
    };
    let sentence = format!(
        "Given {scored} scores of {arms} arms{on}, {name} is the best by {target} with {p_text} posterior probability (posterior {}; scores that were recorded beforehand, whose number no stopping rule decided; FIESTA {version}).",
        known.belief.posterior
    );
    (verdict, sentence)
}

/// Of scores without a belief: the best mean, and whose it is too.
fn unsure(known: &Known<'_>, best: usize, on: &str) -> (String, String) {
    let (arms, target) = (&known.overview.arms, known.target());
    let (name, scored) = (&arms[best].name, known.counted.scored());
    let version = env!("CARGO_PKG_VERSION");
    let compared = arms.iter().filter(|arm| arm.value().is_some()).count();
    if compared == 1 {
        let verdict = format!(
            "is the only one of {} arms with a score: there is nothing to compare it with.",
            arms.len()
        );
        return (verdict, String::new());
    }
    let why = known.belief.lacking.as_deref().unwrap_or("unknown");
    #[allow(clippy::float_cmp, reason = "a tie is exact")]
    let tied = arms
        .iter()
        .filter(|arm| arm.value() == arms[best].value())
        .count()
        - 1;
    let (verdict, claim) = match tied {
        0 => (
            "has the best mean".to_owned(),
            format!("those of {name} have the best mean"),
        ),
        others => {
            let others = count(others as u64, "other");
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

/// What the sentence does not claim, by the kind of its confidence.
fn caveats(known: &Known<'_>) -> Vec<String> {
    let mut caveats = Vec::new();
    let study = known.results.study.as_deref();
    match study {
        Some(recorded) if recorded.study.search().is_some() => caveats.push(
            "The best of many scores is too good: the same setting will score less on new data. Compare families of models by their expected best of as many trials, below.".to_owned(),
        ),
        Some(recorded) => {
            if let Some(conclusion) = recorded.history.selector.conclusion() {
                caveats.extend(of_reason(&conclusion.reason, recorded.study.design()));
            } else {
                caveats.push("The study is not over. Numbers that were looked at before the end are not those to report.".to_owned());
            }
            if recorded.study.design() == Design::Fixed {
                caveats.push("All evaluations were on one split of the data; another split may have another best arm.".to_owned());
            }
        }
        None if known.belief.lacking.is_none() && known.best().is_some() => caveats.push(
            "The probability takes the scores as they are. Had they been gathered until one arm looked good enough, it would be too high.".to_owned(),
        ),
        None => {}
    }
    if known.failures().is_some() {
        caveats.push(format!(
            "{} failed. How such are counted changes the numbers; the notes say how.",
            count(known.evaluations.failed(), "evaluation")
        ));
    }
    if known.best().is_some() {
        caveats.push(format!(
            "It speaks of {} as it was measured here. Other data, other hyperparameters and other measures may rank the arms otherwise.",
            known.target()
        ));
    }
    caveats
}

fn of_reason(reason: &Reason, design: Design) -> Option<String> {
    let text = match reason {
        Reason::PosteriorProbability { .. } | Reason::Tolerance { .. } => {
            "The probability is Bayesian: a degree of belief under the posterior's assumptions, looked at after every evaluation. It is no bound on how often such studies err; between two arms that are equal, or nearly so, a study of this kind names a winner more often than its level says."
        }
        Reason::AnytimeValid { .. } => {
            "The error bound holds for Gaussian scores, however often one looks. Of two arms that are exactly equal either may be named."
        }
        Reason::Limit(Limit::Evaluations(_)) => {
            "The budget of evaluations ended the study, not its confidence: the probability is what was reached, and no level was promised."
        }
        Reason::Limit(_) => {
            "A limit ended the study, not its confidence: the probability is what was reached, and no level was promised."
        }
        Reason::Exhausted if !matches!(design, Design::Documents { .. }) => {
            "Every split that there is was used before the confidence was reached: the probability is what was reached, and no level was promised."
        }
        Reason::Exhausted => {
            "Nothing more can be learnt from these documents. Whether the arm is best on others is another question."
        }
        Reason::OnlyCandidate => {
            "Every other arm failed too often, so that there was no comparison."
        }
        _ => return None,
    };
    Some(text.to_owned())
}

fn highlights(known: &Known<'_>, versus: &[Versus]) -> Vec<Highlight> {
    let mut highlights = Vec::new();
    highlights.extend(lead(known, versus));
    let ended = known.evaluations.scored() as u64 + known.evaluations.failed();
    let failed = known.evaluations.failed();
    let mut note = vec![count(known.compared() as u64, "arm")];
    let retired = known.status.as_ref().map_or(&[][..], StudyStatus::retired);
    if retired.len() + known.compared() == known.counted.arms.len() && !retired.is_empty() {
        note = vec![format!("{} and {} retired", note.concat(), retired.len())];
    }
    if let Some(groups) = known.evaluations.distinct_groups() {
        let of_one = known.evaluations.groups.trim_end_matches('s');
        note.push(match groups {
            1 => format!("1 {of_one}"),
            _ => format!("{groups} {}", known.evaluations.groups),
        });
    }
    if failed > 0 {
        note.push(format!("{failed} failed"));
    }
    highlights.push(Highlight::new(
        "Evaluations",
        ended.to_string(),
        note.join(", "),
    ));
    highlights.extend(cost(known));
    highlights
}

/// How far the best is ahead of the next.
fn lead(known: &Known<'_>, versus: &[Versus]) -> Option<Highlight> {
    if known
        .results
        .study
        .as_deref()
        .is_some_and(|recorded| recorded.study.search().is_some())
    {
        return None;
    }
    let best = known.best()?;
    let mut ranked = known.overview.ranked().into_iter();
    let next = ranked.find(|&arm| arm != best && !known.overview.arms[arm].tied)?;
    let (best, next) = (&known.overview.arms[best], &known.overview.arms[next]);
    let plain = best.summary.as_ref()?.mean - next.summary.as_ref()?.mean;
    let next = &next.name;
    let comparison = &versus.iter().find(|row| row.name == *next)?.comparison;
    let digits = decimals(comparison.standard_error);
    let show = |value: f64| format!("{value:+.digits$}").replace('-', "−");
    let mut note = match comparison.interval {
        Some(interval) => format!(
            "than {next}; {} interval {} to {}",
            known.level(),
            show(interval.lower),
            show(interval.upper)
        ),
        None => format!("than {next}"),
    };
    if let Pairing::Paired { splits, .. } = comparison.pairing {
        note = format!(
            "{note}; on the {splits} {} that both have",
            known.counted.groups
        );
        let plain = show(plain);
        if plain != show(comparison.difference) {
            note = format!("{note} (their means over all their scores differ by {plain})");
        }
    }
    let label = match known.results.direction {
        fiesta::core::Direction::Maximize => "Mean higher by",
        fiesta::core::Direction::Minimize => "Mean lower by",
    };
    let ahead = known.results.direction.orient(comparison.difference);
    Some(Highlight::new(
        label,
        show(ahead).trim_start_matches('+'),
        note,
    ))
}

fn cost(known: &Known<'_>) -> Option<Highlight> {
    let total = |of: fn(&super::evaluations::OfArm) -> Option<f64>| {
        let known_costs: Vec<f64> = known.evaluations.arms.iter().filter_map(of).collect();
        (!known_costs.is_empty()).then(|| known_costs.iter().sum::<f64>())
    };
    let (cost, seconds) = (total(|arm| arm.cost), total(|arm| arm.seconds));
    let ended = known.evaluations.scored() as f64 + known.evaluations.failed() as f64;
    let lost: u64 = known.evaluations.arms.iter().map(|arm| arm.lost).sum();
    let lost = if lost > 0 {
        format!(", with {lost} attempts that were lost or stopped")
    } else {
        String::new()
    };
    match (cost, seconds) {
        (Some(cost), _) if !known.cost_is_seconds() => {
            let note = seconds.map_or_else(String::new, |seconds| {
                format!("in {} of computing{lost}", span(seconds))
            });
            Some(Highlight::new("Cost", fiesta::report::amount(cost), note))
        }
        (_, Some(seconds)) => Some(Highlight::new(
            "Computing time",
            span(seconds),
            format!("{} per evaluation{lost}", span(seconds / ended.max(1.0))),
        )),
        _ => None,
    }
}

/// P(best) of all arms, the most probable first, each with the colour that it has in the figures.
fn shares(known: &Known<'_>) -> Vec<Share> {
    let Some(probability) = known.belief.all() else {
        return Vec::new();
    };
    let colours = known.colours();
    let mut order: Vec<usize> = (0..probability.len())
        .filter(|&arm| !known.overview.arms[arm].retired)
        .collect();
    order.sort_by(|&a, &b| probability[b].total_cmp(&probability[a]));
    order
        .into_iter()
        .map(|arm| Share {
            name: known.counted.arms[arm].name.clone(),
            probability: probability[arm],
            colour: colours[arm],
        })
        .collect()
}

/// "1 evaluation", "3 evaluations".
pub(super) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// A time as people say it.
pub(super) fn span(seconds: f64) -> String {
    let (value, unit) = if seconds < 1.0 {
        (seconds * 1e3, "ms")
    } else if seconds < 120.0 {
        (seconds, "s")
    } else if seconds < 7_200.0 {
        (seconds / 60.0, "min")
    } else if seconds < 172_800.0 {
        (seconds / 3_600.0, "h")
    } else {
        (seconds / 86_400.0, "days")
    };
    if value < 10.0 {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_do() {
        let said = [0.0042, 3.25, 61.0, 600.0, 9_000.0, 300_000.0].map(span);
        assert_eq!(
            said,
            ["4.2 ms", "3.2 s", "61 s", "10 min", "2.5 h", "3.5 days"]
        );
    }
}
