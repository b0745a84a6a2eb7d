//! Answers to the questions of checklists, as far as the results and the ledger hold them.

use super::{answer::span, known::Known};
use crate::platform::Recorded;
#[cfg(target_os = "linux")]
use fiesta::runner::{Ledger, ledger::Entry};
use fiesta::{
    core::{ArmId, Design, Direction},
    report::checklist::{Fact, Facts},
};
use std::collections::BTreeSet;

/// Arms that are named one by one; of more it is said how many there are.
const NAMED: usize = 20;

/// All that is known; `caveats` are the limits of the conclusion.
pub(super) fn facts(known: &Known<'_>, sentence: &str, caveats: &[String]) -> Facts {
    let mut facts = Facts::default();
    of_results(known, &mut facts);
    facts.know(Fact::Selection, sentence);
    facts.know_in_part(Fact::Limits, caveats.join(" "));
    expected(known, &mut facts);
    if let Some(recorded) = known.results.study.as_deref() {
        #[cfg(target_os = "linux")]
        of_study(known, recorded, &mut facts);
    } else {
        let version = env!("CARGO_PKG_VERSION");
        facts.know_in_part(Fact::Software, format!("the report is by FIESTA {version}"));
    }
    facts
}

fn of_results(known: &Known<'_>, facts: &mut Facts) {
    let evaluations = &known.evaluations;
    let direction = match known.results.direction {
        Direction::Maximize => "more is better",
        Direction::Minimize => "less is better",
    };
    let bounds = known.bounds.map_or_else(String::new, |(low, high)| {
        format!(", between {low} and {high}")
    });
    facts.know_in_part(
        Fact::Metric,
        format!("{}: {direction}{bounds}", known.target()),
    );
    facts.know(
        Fact::Runtime,
        per_arm(known, |arm| Some(span(arm.mean_seconds()?))),
    );
    let seconds: f64 = evaluations.arms.iter().filter_map(|arm| arm.seconds).sum();
    if seconds > 0.0 {
        let runs = evaluations.scored() as u64 + evaluations.failed();
        let text = format!(
            "{} of computing time over {runs} evaluations, failed ones included; preliminary work is not recorded",
            span(seconds)
        );
        facts.know_in_part(Fact::Budget, text);
    }
    let first = evaluations.arms.first().map_or(0, |arm| arm.trials.len());
    let trials = if evaluations.arms.iter().all(|arm| arm.trials.len() == first) {
        format!("{first} of each of {} arms", evaluations.arms.len())
    } else {
        per_arm(known, |arm| Some(arm.trials.len().to_string()))
    };
    let failed = match evaluations.failed() {
        0 => String::new(),
        failed => format!(" ({failed} failed)"),
    };
    if evaluations.scored() > 0 || evaluations.failed() > 0 {
        facts.know(Fact::Trials, format!("{trials}{failed}"));
    }
    if evaluations.scored() > 0 {
        let text = format!(
            "mean, standard deviation, quartiles, interquartile mean and {} intervals of every arm, with the number of evaluations, are in the table of arms",
            known.level()
        );
        facts.know(Fact::Statistics, text);
    }
}

/// A few words on each arm, or on the first of many; empty if there is one of which nothing is known.
fn per_arm(
    known: &Known<'_>,
    words: impl Fn(&super::evaluations::OfArm) -> Option<String>,
) -> String {
    let arms = &known.evaluations.arms;
    let said: Option<Vec<String>> = arms
        .iter()
        .take(NAMED)
        .map(|arm| Some(format!("{}: {}", arm.name, words(arm)?)))
        .collect();
    let Some(said) = said.filter(|said| !said.is_empty()) else {
        return String::new();
    };
    match arms.len().saturating_sub(NAMED) {
        0 => said.join("; "),
        more => format!("{}; and {more} more", said.join("; ")),
    }
}

/// The expected best of all trials.
fn expected(known: &Known<'_>, facts: &mut Facts) {
    let digits = known.overview.decimals();
    let text = per_arm(known, |arm| {
        let curve = known.curves.iter().find(|curve| curve.name == arm.name)?;
        let (n, mean) = (curve.n.last()?, curve.mean.last()?);
        Some(format!("{mean:.digits$} (n = {n})"))
    });
    if text.is_empty() {
        return;
    }
    let text = format!("the figure of tuning curves shows it; of all trials, {text}");
    let of_search = known
        .results
        .study
        .as_deref()
        .is_some_and(|recorded| recorded.study.search().is_some());
    if of_search {
        facts.know(Fact::ExpectedPerformance, text);
    } else {
        let note = format!(
            "{text} – over evaluations as they were recorded, which need not be trials of hyperparameters"
        );
        facts.know_in_part(Fact::ExpectedPerformance, note);
    }
}

#[cfg(target_os = "linux")]
fn of_study(known: &Known<'_>, recorded: &Recorded, facts: &mut Facts) {
    let (study, history) = (&recorded.study, &recorded.history);
    let table = &study.fingerprint()["report"];
    let given = |key: &str| table[key].as_str().unwrap_or_default().to_owned();
    facts.know(Fact::Code, given("code"));
    facts.know(Fact::Data, given("data"));
    let validation = given("validation_metric");
    if !validation.is_empty() {
        facts.know(
            Fact::ValidationPerformance,
            format!("the scores are of {validation}; they are in the table of arms"),
        );
    }
    infrastructure(recorded, facts);
    let groups = known.evaluations.distinct_groups().unwrap_or(0);
    let of = study
        .splits()
        .map_or_else(String::new, |count| format!(" of {count}"));
    let splits = match study.design() {
        Design::Shared => {
            format!("{groups}{of} splits, the same for every arm: its k-th evaluation uses split k")
        }
        Design::Independent => format!("{groups}{of} splits, one of its own for every evaluation"),
        Design::Fixed => "one fixed split for all evaluations; only seeds vary".to_owned(),
        Design::Documents { count } => {
            format!("no splits: {groups} of {count} documents were queried, in a random order")
        }
    };
    facts.know_in_part(Fact::Splits, splits);
    facts.know(
        Fact::Repeating,
        format!(
            "seed {} of the study, from which all splits, seeds and decisions follow; FIESTA {}; study {}",
            study.seed(),
            env!("CARGO_PKG_VERSION"),
            study.digest()
        ),
    );
    let program = |arm: ArmId| study.program(arm).map(ToOwned::to_owned);
    let programs: BTreeSet<String> = study.arms().ids().filter_map(program).collect();
    let programs: Vec<String> = programs.into_iter().collect();
    facts.know_in_part(
        Fact::Software,
        format!(
            "FIESTA {}; evaluations run {}",
            env!("CARGO_PKG_VERSION"),
            programs.join(", ")
        ),
    );
    let criterion = given("selection_criterion");
    let Some(search) = study.search() else {
        facts.know_in_part(Fact::SearchMethod, criterion);
        return;
    };
    let arms = || study.arms().ids();
    let name = |arm| study.arms().name(arm);
    let bounds: Vec<String> = arms()
        .map(|arm| format!("{}: {}", name(arm), search.space(arm)))
        .collect();
    facts.know(Fact::SearchBounds, bounds.join(". "));
    let best: Vec<String> = arms()
        .filter_map(|arm| {
            let best = history.best(study, arm)?;
            Some(format!("{}: {}", name(arm), best.record.setting))
        })
        .collect();
    if best.len() == study.arms().len() {
        facts.know(Fact::BestSettings, best.join(". "));
    } else {
        facts.know_in_part(Fact::BestSettings, best.join(". "));
    }
    let chosen = if criterion.is_empty() {
        format!("the best {}", known.target())
    } else {
        criterion
    };
    facts.know(
        Fact::SearchMethod,
        format!("independent random draws from the bounds above; chosen by {chosen}"),
    );
}

#[cfg(target_os = "linux")]
/// The machines, as far as the ledger names them.
fn infrastructure(recorded: &Recorded, facts: &mut Facts) {
    let study = &recorded.study;
    let entries = Ledger::read(&study.state_directory()).unwrap_or_default();
    let hosts: BTreeSet<String> = entries
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Opened(session) => Some(session.host),
            _ => None,
        })
        .collect();
    if hosts.is_empty() {
        return;
    }
    let hosts: Vec<String> = hosts.into_iter().collect();
    let gpus: BTreeSet<String> = study
        .arms()
        .ids()
        .filter_map(|arm| Some(study.gpus_per_job(arm)?.to_string()))
        .collect();
    let gpus: Vec<String> = gpus.into_iter().collect();
    let gpus = if gpus.is_empty() {
        String::new()
    } else {
        format!("; each evaluation {}", gpus.join(" or "))
    };
    facts.know_in_part(
        Fact::Infrastructure,
        format!(
            "{}, up to {} evaluations at once{gpus}",
            hosts.join(", "),
            study.parallel()
        ),
    );
}
