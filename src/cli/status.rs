//! `fiesta status`: where a study stands, from its ledger alone.

use super::{
    Format,
    exit::{Code, Failure},
    print, say, search, slots,
    standing::{State, json, quote, table},
};
use fiesta::{
    report::percent,
    runner::{
        History, Ledger, RunError, Study,
        history::Check,
        ledger::recorded_study,
        study::{Change, changes},
    },
};
use std::{path::PathBuf, thread, time::Duration};

/// How often `--watch` looks again.
const EVERY: Duration = Duration::from_secs(1);

/// The arguments of `fiesta status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta status study.toml
  fiesta status study.toml --watch
  fiesta status study.toml --format json")]
pub(super) struct Arguments {
    /// The study file
    study: PathBuf,
    /// Look again every second until the study has ended
    #[arg(long)]
    watch: bool,
    /// How to print the status
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn status(arguments: &Arguments) -> Result<Code, Failure> {
    let study = Study::read(&arguments.study)?;
    loop {
        let history = look(&study)?;
        let holder = Ledger::holder(&study.state_directory());
        let state = match (history.selector.conclusion(), &holder) {
            (Some(_), _) => State::Finished,
            (None, Some(_)) => State::Running,
            (None, None) => State::Stopped,
        };
        match arguments.format {
            Format::Json => print(json(&study, &history, state))?,
            Format::Text => {
                if arguments.watch && console::user_attended() {
                    console::Term::stdout().clear_screen()?;
                }
                print_text(&study, &history, state)?;
                if state == State::Stopped && is_changed(&study)? {
                    say(
                        "the study file has changed since; `fiesta run --accept-changes` goes on with it",
                    );
                }
                if let Some(holder) = holder {
                    print(format_args!("run by {holder}"))?;
                }
            }
        }
        if !arguments.watch || state != State::Running {
            return Ok(Code::Done);
        }
        thread::sleep(EVERY);
    }
}

/// Whether the study file says something else than the latest session did.
fn is_changed(study: &Study) -> Result<bool, Failure> {
    let entries = Ledger::read(&study.state_directory())?;
    let then = recorded_study(&entries);
    Ok(then.is_some_and(|then| !changes(then, study.fingerprint()).is_empty()))
}

/// A study as its ledger has it, whoever runs it, on its way to what its file asks for now.
///
/// # Errors
/// Exit code 7 if the study file is no longer about what the ledger records.
pub(super) fn look(study: &Study) -> Result<History, Failure> {
    let entries = Ledger::read(&study.state_directory())?;
    let changes = recorded_study(&entries).map_or_else(Vec::new, |study_then| {
        changes(study_then, study.fingerprint())
    });
    if !changes.iter().all(Change::is_acceptable) {
        return Err(RunError::Changed(changes).into());
    }
    let mut history = History::replay(study, entries, Check::Nothing)?;
    history.extend(study, Check::Nothing)?;
    Ok(history)
}

fn print_text(study: &Study, history: &History, state: State) -> Result<(), Failure> {
    let view = history.selector.view();
    let word = match state {
        State::Running => "running",
        State::Stopped => "stopped; `fiesta run` resumes it",
        State::Finished => "finished",
    };
    print(format_args!("{}: {word}", study.name()))?;
    print(table(study, history).text())?;
    if let Some(slots) = slots::text(study, history) {
        print(format_args!("{slots}\n"))?;
    }
    if study.search().is_some()
        && let Some(comparison) = search::best_of_n(study, history)
    {
        print(format_args!("{}\n", comparison.text()))?;
    }
    if let Some(sentence) = quote(study, history) {
        return print(sentence);
    }
    let progress = |leader: &str| {
        format!(
            "{} evaluations{}, {} pending, cost {:.1}; {leader}",
            view.total_ended(),
            match view.total_recorded() {
                0 => String::new(),
                recorded => format!(" ({recorded} recorded before)"),
            },
            view.total_pending(),
            view.total_cost(),
        )
    };
    if study.search().is_some() {
        let best = search::leader(study, history).map_or_else(
            || "no score yet".to_owned(),
            |(arm, score)| format!("{} has the best score, {score}", study.arms().name(arm)),
        );
        return print(progress(&best));
    }
    let leader = view.belief().map(fiesta::core::Belief::leader);
    let confidence = leader.map_or_else(
        || "too little is known for a belief".to_owned(),
        |(arm, p)| {
            format!(
                "{} leads with P(best) = {}",
                study.arms().name(arm),
                percent(p)
            )
        },
    );
    print(progress(&confidence))
}
