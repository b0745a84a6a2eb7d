//! `fiesta status`: where a study stands, from its ledger alone.

use super::{
    Format,
    exit::{Code, Failure},
    failures,
    output::{clear_screen, print_json},
    print, say, slots,
    study_argument::{StudyArgument, read_study},
    width,
};
use fiesta::{
    ArmId, View,
    report::{
        CostUnit,
        analysis::{best_of_n::CONFIDENCE, gate::GateReport, pool::Groups, study::StudyFindings},
        cost_with_unit,
        words::count,
    },
    runner::{
        History, Ledger, Study,
        ledger::damage_in_words,
        status::{State, Status, advice, changed, current, facts, waits},
    },
};
use std::{thread, time::Duration};

/// Interval at which `--watch` looks again.
const EVERY: Duration = Duration::from_secs(1);

/// Largest number of arms with columns in the table of groups.
const GROUP_COLUMNS: usize = 4;

/// The arguments of `fiesta status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta status                          of the study in study.toml, of this directory
  fiesta status study.toml
  fiesta status study.toml --watch
  fiesta status study.toml --format json")]
pub(super) struct Arguments {
    #[command(flatten)]
    study: StudyArgument,
    /// Look again every second until the study has ended
    #[arg(long)]
    watch: bool,
    /// How to print the status
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn status(arguments: &Arguments) -> Result<Code, Failure> {
    let study = read_study(arguments.study.file()?)?;
    loop {
        let history = current(&study)?;
        let holder = Ledger::holder(&study.state_directory());
        let state = match (history.selector.conclusion(), &holder) {
            (Some(_), _) => State::Finished,
            (None, Some(_)) => State::Running,
            (None, None) => State::Stopped,
        };
        match arguments.format {
            Format::Json => print_json(&Status::new(&study, &history, state))?,
            Format::Text => {
                if arguments.watch {
                    clear_screen();
                }
                print_text(&study, &history, state)?;
                if state == State::Stopped && !changed(&study)?.is_empty() {
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
            return Ok(Code::of_what_is_left(history.damage.is_empty()));
        }
        thread::sleep(EVERY);
    }
}

fn print_text(study: &Study, history: &History, state: State) -> Result<(), Failure> {
    let view = history.selector.view();
    let none_left = view.candidates().is_empty();
    let word = match state {
        State::Running => "running",
        State::Stopped if none_left || history.failed_alike(study) => {
            "stopped, as every arm failed"
        }
        State::Stopped => "stopped; `fiesta run` resumes it",
        State::Finished => "finished",
    };
    print(format_args!("{}: {word}", study.name()))?;
    let facts = facts(study, history);
    let findings = StudyFindings::new(&facts);
    print(findings.table().text_within(width()))?;
    if let Some(groups) = facts
        .pool_answers()
        .and_then(|answers| Groups::new(&answers))
    {
        let ranked = findings.arms().ranked().into_iter().take(GROUP_COLUMNS);
        let names: Vec<&str> = ranked.map(|arm| facts.arms[arm].name.as_str()).collect();
        print(groups.table(&names).text_within(width()))?;
    }
    let exhausted = view
        .candidates()
        .iter()
        .filter(|&&arm| !view.has_case_left(arm));
    let exhausted: Vec<&str> = exhausted.map(|&arm| study.arms().name(arm)).collect();
    if let (Some(splits), [_, ..]) = (study.splits(), exhausted.as_slice()) {
        let names = exhausted.join(", ");
        print(format_args!("all of the {splits} splits used: {names}\n"))?;
    }
    let failures = Some(failures::text(study, history)).filter(|text| !text.is_empty());
    let comparison = findings.best_of_n(CONFIDENCE);
    let paragraphs = failures
        .into_iter()
        .chain(advice(study, history, &facts))
        .chain(slots::text(study, history))
        .chain(waits(study, history))
        .chain(comparison.map(|comparison| comparison.text_within(width())))
        .chain(damage_in_words(&history.damage))
        .chain(facts.notes.iter().cloned())
        .chain(facts.variation());
    for paragraph in paragraphs {
        print(format_args!("{paragraph}\n"))?;
    }
    if facts.gate.is_some() && facts.conclusion.is_none() {
        let standing = GateReport::of_study(&facts, &history.rows(study)?, study.name())?;
        print(format_args!("{}\n", standing.standing_within(width())))?;
    }
    if let Some(sentence) = findings.sentence() {
        print(sentence)?;
        return findings
            .method()
            .into_iter()
            .chain(findings.meaning())
            .try_for_each(print);
    }
    let unit = facts.cost_unit.as_ref();
    let shown = |cost| cost_with_unit(cost, unit);
    let progress = |leader: &str| {
        format!(
            "{} evaluations{}, {} pending, cost {}{}; {leader}",
            view.total_ended(),
            match view.total_recorded() {
                0 => String::new(),
                recorded => format!(" ({recorded} recorded before)"),
            },
            view.total_pending(),
            shown(view.total_cost()),
            lost(&view, unit).map_or_else(String::new, |lost| format!(" ({lost})")),
        )
    };
    if study.search().is_some() {
        let best = findings.best_of_search().map_or_else(
            || "no score yet".to_owned(),
            |(arm, score)| format!("{} has the best score, {score}", study.arms().name(arm)),
        );
        return print(progress(&best));
    }
    let leader = findings
        .recommended()
        .and_then(|arm| Some((study.arms().name(arm), findings.probability_of(arm)?)));
    let confidence = match (findings.top_in_words(), findings.tie_words(), leader) {
        (Some(top), ..) => top,
        (None, Some(tie), _) => tie.plain().to_owned(),
        (None, None, Some((arm, p))) => format!("{arm} leads with P(best) = {p}"),
        (None, None, None) => "too little is known for a belief".to_owned(),
    };
    print(progress(&confidence))
}

/// Returns, in words, the part of a study's cost that attempts without an outcome took. `None`
/// without such attempts.
fn lost(view: &View<'_>, unit: Option<&CostUnit>) -> Option<String> {
    let attempts = view.total_lost();
    let cost: f64 = ArmId::all(view.arms())
        .map(|arm| view.lost(arm).total())
        .sum();
    (attempts > 0).then(|| {
        format!(
            "{} of it for {} lost or stopped",
            cost_with_unit(cost, unit),
            count(attempts, "attempt")
        )
    })
}
