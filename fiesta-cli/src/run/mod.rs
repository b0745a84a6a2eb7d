//! `fiesta run`: starts or resumes a study.

mod check;
mod gate;

pub(super) use check::check_study;
pub(super) use gate::gate;

use super::{
    Format,
    display::{self, Style},
    exit::{Code, Failure},
    failures,
    output::print_as_it_is,
    print, print_json, say,
    study_argument::{StudyArgument, read_study},
    width,
};
use check::run_check;
use fiesta::{
    Reason, SelectorError, Target,
    report::analysis::study::{StudyFacts, StudyFindings},
    runner::{
        Finished, History, Options, Preview, RunError, Study, executor_for, preview,
        run as run_study,
        signal::Signals,
        status::{State, Status, advice, current, facts},
    },
    shell_word,
};

/// The arguments of `fiesta run`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(after_help = "Examples:
  fiesta run                       the study in study.toml, of this directory
  fiesta run study.toml            start the study, or go on where it stopped
  fiesta run study.toml --check    one job per arm: what was parsed, what it will cost
  fiesta run study.toml --dry-run  the jobs that would be started first, and no more than that
  fiesta run study.toml --retry gru   let a retired arm come back, once its script is mended
  fiesta run study.toml --again short  set an arm's scores aside and ask anew, as its prompt was edited

Ctrl-C once waits for the running jobs, twice stops them; the same command resumes.")]
pub(super) struct Arguments {
    #[command(flatten)]
    study: StudyArgument,
    /// Run one job per arm, show what was parsed, what the study will cost and what commands must
    /// read from their environment, and record nothing
    #[arg(long)]
    check: bool,
    /// Print the jobs that would be started first, with what an engine would be given for them, and
    /// start and record nothing
    #[arg(long, conflicts_with_all = ["check", "accept_changes", "retry", "again"])]
    dry_run: bool,
    /// Go on although the study has changed, if the changes concern only how jobs are run, or
    /// extend the study: another confidence or budget, more trials or splits, another arm. Where a
    /// command or a file of an arm has changed, this says that scores are the same as before, which
    /// is recorded and told
    #[arg(long)]
    accept_changes: bool,
    /// Set the evaluations of an arm aside, as its command, its variables or one of its files has
    /// changed, and ask anew: they stay paid, and count no longer. Give it once for each arm
    #[arg(long, value_name = "ARM", conflicts_with = "check")]
    again: Vec<String>,
    /// Let an arm come back that was retired for failing, or make again what failed of an arm, once
    /// the cause is mended: its failures in a row are counted from zero, and what was evaluated
    /// stays counted. Give it once for each arm; `all` stands for every such arm, unless an arm is
    /// called so
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
    let file = arguments.study.file()?;
    let study = read_study(file)?;
    if study.is_of_functions() {
        return Err(RunError::Functions(file.to_owned()).into());
    }
    if arguments.dry_run {
        return show_preview(&preview(&study)?, arguments.format);
    }
    let mut signals = listen()?;
    if arguments.check {
        return run_check(&study, &mut signals, file, arguments.format);
    }
    match run_to_end(&study, &mut signals, arguments)? {
        Ok(finished) => show(&study, &finished, arguments),
        Err(code) => Ok(code),
    }
}

/// Runs a study until it has ended; where it was interrupted or an error stopped it, the exit code or
/// failure.
fn run_to_end(
    study: &Study,
    signals: &mut Signals,
    arguments: &Arguments,
) -> Result<Result<Finished, Code>, Failure> {
    let style = match (arguments.quiet, arguments.verbose) {
        (true, _) => Style::Quiet,
        (false, true) => Style::Verbose,
        (false, false) => Style::Normal,
    };
    let mut observer = display::observer(style, study);
    let options = Options {
        accept_changes: arguments.accept_changes,
        retry: arguments.retry.clone(),
        again: arguments.again.clone(),
    };
    let mut executor = executor_for(study)?;
    let finished = run_study(study, &mut *executor, signals, &mut *observer, &options);
    drop(observer);
    match finished {
        Ok(finished) => Ok(Ok(finished)),
        Err(RunError::Interrupted { left_running }) => {
            interrupted(study, left_running, arguments).map(Err)
        }
        Err(RunError::Selector(SelectorError::NoArmLeft)) => Err(all_failed(study, arguments)?),
        Err(error @ RunError::FailedAlike(_)) => {
            if arguments.format == Format::Json {
                print_stopped(study, &current(study)?)?;
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

/// Prints the jobs that a session would start first.
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

/// Prints, as JSON, the status of a study whose controller has stopped.
fn print_stopped(study: &Study, history: &History) -> Result<(), Failure> {
    print_json(&Status::new(study, history, State::Stopped))
}

/// Tells how to resume the study after the user interrupted it. The exit code is no error's.
fn interrupted(study: &Study, left_running: usize, arguments: &Arguments) -> Result<Code, Failure> {
    let file = arguments.study.file()?.display();
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

/// Returns the error that every arm failed, with the causes and advice.
fn all_failed(study: &Study, arguments: &Arguments) -> Result<Failure, Failure> {
    let history = current(study)?;
    if arguments.format == Format::Json {
        print_stopped(study, &history)?;
    }
    Ok(Failure::AllFailed {
        reasons: failures::text(study, &history),
        advice: advice(study, &history, &facts(study, &history)).unwrap_or_default(),
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
    if let Some(advice) = advice(study, history, &facts)
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
    let can_be_reported = study.arms().ids().any(|arm| view.observed(arm) > 0);
    if can_be_reported && !arguments.quiet {
        let file = shell_word(&arguments.study.file()?.to_string_lossy());
        say(format_args!(
            "next: fiesta report {file}   (the page of the study, with its figures, tables and checklists)"
        ));
    }
    Ok(if has_failed_arm(study, finished) {
        Code::ArmFailed
    } else if !facts.is_known()
        || findings.failures_may_decide()
        || is_short(study, &facts, &finished.conclusion.reason)
    {
        Code::Short
    } else {
        Code::Done
    })
}

/// Returns whether a study ended without reaching its goal.
fn is_short(study: &Study, facts: &StudyFacts, reason: &Reason) -> bool {
    if let Some(gate) = &facts.gate {
        return !gate.is_decided();
    }
    match reason {
        Reason::Exhausted if facts.unanswered().is_some() => true,
        reason if study.search().is_some() && *reason != Reason::Schedule => true,
        // Nothing more can be known of these items; there could be more splits, and items like these.
        Reason::Exhausted => study.items().is_none() || study.target() == Target::ItemsLikeThese,
        Reason::PosteriorProbability { .. }
        | Reason::Top { .. }
        | Reason::Tied { .. }
        | Reason::Shortfall { .. }
        | Reason::Tolerance { .. }
        | Reason::CheapestWithin { .. }
        | Reason::AnytimeValid { .. }
        | Reason::Gate { .. } => false,
        _ => study.confidence().is_some(),
    }
}

/// Returns whether an arm was retired for failing, or has no score after a whole random search. In
/// a search, all trials of an arm may fail without reaching the limit that retires it.
fn has_failed_arm(study: &Study, finished: &Finished) -> bool {
    let view = finished.history.selector.view();
    let is_whole = study.search().is_some() && finished.conclusion.reason == Reason::Schedule;
    let mut arms = study.arms().ids();
    view.candidates().len() < study.arms().len()
        || is_whole && arms.any(|arm| view.observed(arm) == 0)
}
