//! `fiesta run --check`: one job per arm, what was parsed of it, and what the study will cost.

use super::{
    super::{
        Format,
        exit::{Code, Failure},
        print, print_json, say,
        study_argument::read_study,
        width,
    },
    listen,
};
use fiesta::{
    report::{
        Table, TableOf, amount, cost, cost_with_unit,
        words::{count, span},
    },
    runner::{
        RunError, Study, Trial, check,
        history::Cause,
        run::result::words,
        signal::Signals,
        status::{CheckReport, EndsReport, StrataReport},
        study::Unnamed,
        trial_executor_for,
    },
};
use std::path::Path;

/// Runs one job per arm of the study in a file, as `--check` does.
pub(in super::super) fn check_study(file: &Path) -> Result<Code, Failure> {
    let study = read_study(file)?;
    run_check(&study, &mut listen()?, file, Format::Text)
}

pub(super) fn run_check(
    study: &Study,
    signals: &mut Signals,
    file: &Path,
    format: Format,
) -> Result<Code, Failure> {
    let mut executor = trial_executor_for(study)?;
    let trials = check(study, &mut *executor, signals);
    executor.notices().into_iter().for_each(say);
    match trials {
        Ok(trials) => show_trials(study, &trials, file, format),
        Err(RunError::Interrupted { .. }) => {
            say("stopped; nothing was recorded");
            Ok(Code::Interrupted)
        }
        Err(error) => Err(error.into()),
    }
}

fn show_trials(
    study: &Study,
    trials: &[Trial],
    file: &Path,
    format: Format,
) -> Result<Code, Failure> {
    let failed = trials.iter().filter(|trial| trial.error.is_some()).count();
    let mean = |of: fn(&Trial) -> f64| trials.iter().map(of).sum::<f64>() / trials.len() as f64;
    let unit = study.cost_unit();
    let shown = |cost| cost_with_unit(cost, unit.as_ref());
    let (seconds, cost) = (mean(|trial| trial.seconds), mean(|trial| trial.cost));
    if format == Format::Json {
        print_json(&CheckReport::new(study, trials))?;
    } else {
        print(trial_table(study, trials).text_within(width()))?;
        for line in trial_notes(study, trials) {
            say(line);
        }
        for note in notes_of_commands(study) {
            say(note);
        }
        if let Some(note) = study.note_of_failures() {
            say(note);
        }
        if let Some(line) = trials.iter().find_map(|trial| trial.line.as_ref()) {
            print(format_args!("the score was read from the line: {line}"))?;
        }
        print(format_args!(
            "an evaluation takes {} s and costs {} on average",
            amount(seconds),
            shown(cost),
        ))?;
        if let Some(strata) = StrataReport::new(study) {
            print(strata.text())?;
        }
        // What jobs took that failed says nothing of what others take.
        if let Some(most) = study.most_evaluations().filter(|_| failed == 0) {
            let most = most as f64;
            print(format_args!(
                "at most {most} evaluations would take {} on {} and cost {}",
                span(most * seconds / study.parallel as f64),
                count(study.parallel, "slot"),
                shown(most * cost),
            ))?;
        }
        print(EndsReport::new(study).text(shown, span))?;
        if let Some(fewest) = study.note_of_fewest_items() {
            print(fewest)?;
        }
        print(format_args!(
            "policy {}, posterior {}, stopping rule {}",
            or_none(study.policy()),
            or_none(study.posterior()),
            or_none(study.stopping()),
        ))?;
        if failed > 0 {
            print(failed_check(failed, trials.len(), file))?;
        }
    }
    Ok(if failed > 0 {
        Code::ArmFailed
    } else {
        Code::Done
    })
}

/// Returns advice on what to do after a check in which arms failed.
fn failed_check(failed: usize, arms: usize, file: &Path) -> String {
    let file = file.display();
    let so = match (failed, arms) {
        (1, 1) => "the only arm has no result, and `fiesta run` would not work so".to_owned(),
        (_, _) if failed == arms => {
            format!("none of the {arms} arms has a result, and `fiesta run` would not work so")
        }
        _ => format!(
            "{failed} of {arms} arms {} no result, and `fiesta run` would not work so: it compares only arms that have",
            if failed == 1 { "has" } else { "have" }
        ),
    };
    format!("check failed: {so}; mend what is said above, then `fiesta run {file} --check` again")
}

/// Returns why trials failed, and warnings about other trials. A text common to several arms comes once.
fn trial_notes(study: &Study, trials: &[Trial]) -> Vec<String> {
    let mut alike: Vec<(Cause, &str, Vec<&str>)> = Vec::new();
    let mut warnings = Vec::new();
    for trial in trials {
        let name = trial.arm.as_str();
        if let Some(reason) = &trial.error {
            let cause = Cause::of_trial(study, trial, reason);
            match alike.iter_mut().find(|(other, ..)| *other == cause) {
                Some((.., names)) => names.push(name),
                None => alike.push((cause, reason, vec![name])),
            }
        } else if let Some(warning) = &trial.warning {
            warnings.push(format!("{name}: warning: {warning}"));
        }
    }
    let arms = study.arms().len();
    let told = alike
        .iter()
        .map(|(_, reason, names)| match names.as_slice() {
            [name] => format!("{name}: {reason}"),
            names if names.len() == arms => {
                format!("all {arms} arms failed alike; {}: {reason}", names[0])
            }
            names => format!(
                "{} arms failed alike ({}); {}: {reason}",
                names.len(),
                names.join(", "),
                names[0]
            ),
        });
    told.chain(warnings).collect()
}

fn or_none(name: &str) -> &str {
    if name.is_empty() { "none" } else { name }
}

/// Returns a score with four significant digits, without zeros at its end.
fn rounded(score: f64) -> String {
    if score == 0.0 {
        return "0".to_owned();
    }
    let decimals = fiesta::whole((3.0 - score.abs().log10().floor()).clamp(0.0, 300.0));
    let text = format!("{score:.decimals$}");
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns notes on inputs that commands must read from the environment. Arms with equal needs share a note.
fn notes_of_commands(study: &Study) -> Vec<String> {
    let mut alike: Vec<(Vec<Unnamed>, Vec<&str>)> = Vec::new();
    for arm in study.arms().ids() {
        let (unnamed, name) = (study.unnamed(arm), study.arms().name(arm));
        match alike.iter_mut().find(|(other, _)| *other == unnamed) {
            Some((_, names)) => names.push(name),
            None => alike.push((unnamed, vec![name])),
        }
    }
    alike.retain(|(unnamed, _)| !unnamed.is_empty());
    let arms = study.arms().len();
    let note = |(unnamed, names): &(Vec<Unnamed>, Vec<&str>)| {
        let of = if names.len() == arms {
            String::new()
        } else {
            format!(" of {}", names.join(", "))
        };
        let words: Vec<String> = unnamed
            .iter()
            .map(|u| format!("{{{}}}", u.placeholder))
            .collect();
        let variables: Vec<&str> = unnamed.iter().map(|u| u.variable.as_str()).collect();
        format!(
            "note: the command{of} does not name {}: it is assumed to read {} from its environment itself; if it does not, evaluations that should differ are the same",
            words.join(", "),
            variables.join(", ")
        )
    };
    alike.iter().map(note).collect()
}

fn trial_table(study: &Study, trials: &[Trial]) -> Table {
    let of_counts = study.f_beta().is_some();
    let unit = study.cost_unit();
    let highest = trials.iter().map(|trial| trial.cost).fold(0.0, f64::max);
    let unit = unit.as_ref().map(|unit| unit.readable(highest));
    let one = unit.map_or(1.0, |(one, _)| one);
    let header_of_cost = unit.map_or("cost".to_owned(), |(_, name)| format!("cost ({name})"));
    let noun = study.items().map(|items| items.key().noun());
    TableOf::new(trials)
        .words("arm", |trial| trial.arm.clone())
        .when(noun.is_some(), |table| {
            table.words(noun.unwrap_or_default(), |trial| {
                trial.document.clone().unwrap_or_default()
            })
        })
        .when(of_counts, |table| {
            table.words("counts", |trial| {
                trial.observed.as_ref().map_or_else(String::new, words)
            })
        })
        .when(study.search().is_some(), |table| {
            table.words("setting", |trial| match trial.setting.to_string() {
                words if words.is_empty() => "–".to_owned(),
                words => words,
            })
        })
        .numbers(study.metric().name(), |trial| {
            // A score as it was parsed; an F-measure was computed.
            match trial.score {
                _ if trial.error.is_some() => "failed".to_owned(),
                Some(f) if of_counts => format!("{f:.4}"),
                Some(score) => rounded(score),
                None => "–".to_owned(),
            }
        })
        .numbers("seconds", |trial| amount(trial.seconds))
        .numbers(&header_of_cost, |trial| cost(trial.cost / one))
        .words("command", |trial| trial.command.join(" "))
        .table()
        .dispensable(&["command", &header_of_cost, "seconds"])
}
