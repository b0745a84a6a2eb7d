//! `fiesta run`: starts or resumes a study.

use super::{
    Format,
    display::{self, Style},
    exit::{Code, Failure},
    failures,
    output::print_as_it_is,
    print, print_json, say, width,
};
use fiesta::{
    core::{Reason, SelectorError},
    report::{Align, Table, amount, analysis::study::StudyFindings, cost, cost_with_unit},
    runner::{
        Finished, History, Options, Preview, RunError, Study, Trial, check, executor_for,
        history::Cause,
        preview, run as run_study,
        run::result::words,
        signal::Signals,
        status::{CheckReport, EndsReport, State, Status, StrataReport, advice, current, facts},
        study::Unnamed,
        trial_executor_for,
    },
};
use std::path::{Path, PathBuf};

/// The arguments of `fiesta run`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  fiesta run study.toml            start the study, or go on where it stopped
  fiesta run study.toml --check    one job per arm: what was parsed, what it will cost
  fiesta run study.toml --dry-run  the jobs that would be started first, and no more than that
  fiesta run study.toml --retry gru   let a retired arm come back, once its script is mended

Ctrl-C once waits for the running jobs, twice stops them; the same command resumes.")]
pub(super) struct Arguments {
    /// The study file
    study: PathBuf,
    /// Run one job per arm, show what was parsed, what the study will cost and what commands must
    /// read from their environment, and record nothing
    #[arg(long)]
    check: bool,
    /// Print the jobs that would be started first, with what an engine would be given for them, and
    /// start and record nothing
    #[arg(long, conflicts_with_all = ["check", "accept_changes", "retry"])]
    dry_run: bool,
    /// Go on although the study file has changed, if the changes concern only how jobs are run, or
    /// extend the study: another confidence or budget, more trials or splits, another arm
    #[arg(long)]
    accept_changes: bool,
    /// Let an arm come back that was retired for failing, once the cause is mended: its failures in
    /// a row are counted from zero and made again, and what was evaluated stays counted. Give it
    /// once for each arm; `all` stands for every such arm, unless an arm is called so
    #[arg(long, value_name = "ARM", conflicts_with = "check")]
    retry: Vec<String>,
    /// Print the result only
    #[arg(short, long)]
    quiet: bool,
    /// Also print each job's directory as it starts
    #[arg(short, long)]
    verbose: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(arguments: &Arguments) -> Result<Code, Failure> {
    let study = Study::read(&arguments.study)?;
    if study.is_of_functions() {
        return Err(RunError::Functions(arguments.study.clone()).into());
    }
    if arguments.dry_run {
        return show_preview(&preview(&study)?, arguments.format);
    }
    let mut signals = listen()?;
    if arguments.check {
        return run_check(&study, &mut signals, arguments.format);
    }
    let style = match (arguments.quiet, arguments.verbose) {
        (true, _) => Style::Quiet,
        (false, true) => Style::Verbose,
        (false, false) => Style::Normal,
    };
    let mut observer = display::observer(style, &study);
    let options = Options {
        accept_changes: arguments.accept_changes,
        retry: arguments.retry.clone(),
    };
    let mut executor = executor_for(&study)?;
    let finished = run_study(
        &study,
        &mut *executor,
        &mut signals,
        &mut *observer,
        &options,
    );
    drop(observer);
    match finished {
        Ok(finished) => show(&study, &finished, arguments),
        Err(RunError::Interrupted { left_running }) => interrupted(&study, left_running, arguments),
        Err(RunError::Selector(SelectorError::NoArmLeft)) => Err(all_failed(&study, arguments)?),
        Err(error @ RunError::FailedAlike(_)) => {
            if arguments.format == Format::Json {
                print_stopped(&study, &current(&study)?)?;
            }
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}

fn listen() -> Result<Signals, Failure> {
    Signals::new().map_err(|source| Failure::System {
        action: "listen to signals".to_owned(),
        source,
    })
}

/// Runs one job per arm of the study in a file, as `--check` does.
pub(super) fn check_study(file: &Path) -> Result<Code, Failure> {
    let study = Study::read(file)?;
    run_check(&study, &mut listen()?, Format::Text)
}

fn run_check(study: &Study, signals: &mut Signals, format: Format) -> Result<Code, Failure> {
    let mut executor = trial_executor_for(study)?;
    let trials = check(study, &mut *executor, signals);
    executor.notices().into_iter().for_each(say);
    match trials {
        Ok(trials) => show_trials(study, &trials, format),
        Err(RunError::Interrupted { .. }) => {
            say("stopped; nothing was recorded");
            Ok(Code::Interrupted)
        }
        Err(error) => Err(error.into()),
    }
}

/// Prints what a session would begin with.
fn show_preview(preview: &Preview, format: Format) -> Result<Code, Failure> {
    if format == Format::Json {
        print_json(preview)?;
        return Ok(Code::Done);
    }
    for run in &preview.runs {
        let known = if run.is_pending {
            ", decided before"
        } else {
            ""
        };
        print(format_args!(
            "# {}: {} {}{known}",
            run.run, run.arm, run.description
        ))?;
        print_as_it_is(run.line())?;
        if let Some(request) = &run.request {
            print_json(request)?;
        }
    }
    for submission in &preview.submissions {
        print_as_it_is(format_args!("\n{submission}"))?;
    }
    match preview.runs.as_slice() {
        [] => say("the study is over: nothing would be started"),
        runs => say(format_args!(
            "nothing was started; these {} would come first, from {}",
            runs.len(),
            runs[0].working_directory
        )),
    }
    Ok(Code::Done)
}

/// The status of a study that nobody runs any more, as JSON.
fn print_stopped(study: &Study, history: &History) -> Result<(), Failure> {
    print_json(&Status::new(study, history, State::Stopped))
}

/// Says how to go on after an interruption, which is what was asked for and no error.
fn interrupted(study: &Study, left_running: usize, arguments: &Arguments) -> Result<Code, Failure> {
    let file = arguments.study.display();
    match left_running {
        _ if arguments.quiet => {}
        0 => say(format_args!(
            "stopped; `fiesta run {file}` goes on from here"
        )),
        jobs => say(format_args!(
            "left {jobs} jobs running; `fiesta run {file}` finds them again"
        )),
    }
    if arguments.format == Format::Json {
        print_stopped(study, &current(study)?)?;
    }
    Ok(Code::Interrupted)
}

/// Says why each arm failed, for the last time.
fn all_failed(study: &Study, arguments: &Arguments) -> Result<Failure, Failure> {
    let history = current(study)?;
    if arguments.format == Format::Json {
        print_stopped(study, &history)?;
    }
    Ok(Failure::AllFailed {
        reasons: failures::text(study, &history),
        advice: advice(study, &history).unwrap_or_default(),
    })
}

fn show(study: &Study, finished: &Finished, arguments: &Arguments) -> Result<Code, Failure> {
    let history = &finished.history;
    let facts = facts(study, history);
    let findings = StudyFindings::new(&facts);
    if let Some(notice) = findings.notice()
        && !arguments.quiet
    {
        say(notice);
    }
    if let Some(advice) = advice(study, history)
        && !arguments.quiet
    {
        say(advice);
    }
    match arguments.format {
        Format::Json => print_json(&Status::new(study, history, State::Finished))?,
        Format::Text => {
            if finished.before && !arguments.quiet {
                say("the study is finished; nothing was run");
            }
            print(findings.text_within(width()))?;
        }
    }
    let view = history.selector.view();
    let reached = matches!(
        finished.conclusion.reason,
        Reason::PosteriorProbability { .. }
            | Reason::Tied { .. }
            | Reason::Shortfall { .. }
            | Reason::Tolerance { .. }
            | Reason::AnytimeValid { .. }
    );
    let is_used_up = finished.conclusion.reason == Reason::Exhausted;
    // Short of the confidence, but nothing more can be known of a collection of documents; there
    // could be more splits.
    let reached = reached || (is_used_up && study.items().is_some());
    let out_of_splits = is_used_up && study.items().is_none();
    let is_search = study.search().is_some();
    let cut_off = is_search && finished.conclusion.reason != Reason::Schedule;
    let short =
        !facts.is_known() || cut_off || out_of_splits || (study.confidence().is_some() && !reached);
    // Of a random search, an arm may have failed in all of its trials before anybody lost
    // failure_limits.
    let mut arms = study.arms().ids();
    let fruitless = is_search && !cut_off && arms.any(|arm| view.observed(arm) == 0);
    Ok(
        if view.candidates().len() < study.arms().len() || fruitless {
            Code::ArmFailed
        } else if short {
            Code::Short
        } else {
            Code::Done
        },
    )
}

fn show_trials(study: &Study, trials: &[Trial], format: Format) -> Result<Code, Failure> {
    let failed = trials.iter().filter(|trial| trial.result.is_err()).count();
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
        if let Some(most) = study.most_evaluations() {
            let most = most as f64;
            print(format_args!(
                "at most {most} evaluations would take {} on {} and cost {}",
                rough(most * seconds / study.parallel() as f64),
                slots(study.parallel()),
                shown(most * cost),
            ))?;
        }
        print(EndsReport::new(study).text(shown, rough))?;
        print(format_args!(
            "policy {}, posterior {}, stopping rule {}",
            or_none(study.policy()),
            or_none(study.posterior()),
            or_none(study.stopping()),
        ))?;
    }
    Ok(if failed > 0 {
        Code::ArmFailed
    } else {
        Code::Done
    })
}

/// Why trials failed, and what is to be said of those that did not: what arms have in common, once.
fn trial_notes(study: &Study, trials: &[Trial]) -> Vec<String> {
    let mut alike: Vec<(Cause, &str, Vec<&str>)> = Vec::new();
    let mut warnings = Vec::new();
    for trial in trials {
        let name = study.arms().name(trial.arm);
        if let Err(reason) = &trial.result {
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

fn slots(count: usize) -> String {
    match count {
        1 => "1 slot".to_owned(),
        count => format!("{count} slots"),
    }
}

fn or_none(name: &str) -> &str {
    if name.is_empty() { "none" } else { name }
}

/// A time that may be long, in its unit.
fn rough(seconds: f64) -> String {
    const HOUR: f64 = 3600.0;
    if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else if seconds < 2.0 * HOUR {
        format!("{:.0} min", seconds / 60.0)
    } else if seconds < 48.0 * HOUR {
        format!("{:.1} h", seconds / HOUR)
    } else {
        format!("{:.1} days", seconds / (24.0 * HOUR))
    }
}

/// A score in four digits that count, without zeros at its end.
fn rounded(score: f64) -> String {
    if score == 0.0 {
        return "0".to_owned();
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped before"
    )]
    let decimals = (3.0 - score.abs().log10().floor()).clamp(0.0, 300.0) as usize;
    let text = format!("{score:.decimals$}");
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What commands must read from their environment, a note for all arms that must read the same.
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
    let mut header = vec![("arm", Align::Left)];
    if let Some(items) = study.items() {
        header.push((items.key().noun(), Align::Left));
    }
    if of_counts {
        header.push(("counts", Align::Left));
    }
    let is_search = study.search().is_some();
    if is_search {
        header.push(("setting", Align::Left));
    }
    header.extend([
        (study.metric().name(), Align::Right),
        ("seconds", Align::Right),
        (&header_of_cost, Align::Right),
        ("command", Align::Left),
    ]);
    let mut table = Table::new(header).dispensable(&["command", &header_of_cost, "seconds"]);
    for trial in trials {
        let mut cells = vec![study.arms().name(trial.arm).to_owned()];
        cells.extend(trial.document.clone());
        if of_counts {
            cells.push(trial.result.as_ref().map_or_else(|_| String::new(), words));
        }
        if is_search {
            let setting = Some(trial.setting.to_string()).filter(|words| !words.is_empty());
            cells.push(setting.unwrap_or_else(|| "–".to_owned()));
        }
        // A score as it was parsed; an F-measure was computed.
        let score = |observed| match study.score_of(observed) {
            Some(f) if of_counts => format!("{f:.4}"),
            Some(score) => rounded(score),
            None => "–".to_owned(),
        };
        cells.extend([
            trial.result.as_ref().map_or("failed".to_owned(), score),
            amount(trial.seconds),
            cost(trial.cost / one),
            trial.command.join(" "),
        ]);
        table.row(cells, false);
    }
    table
}
