//! `fiesta log`: what an evaluation printed, and how its runs ended.

use super::{
    Format,
    exit::{Code, Failure},
    output::write,
    print_json, say,
    study_argument::{StudyArgument, read_study},
    width,
};
use console::measure_text_width;
use fiesta::{
    Foreign, Outcome, harmless,
    report::{amount, wrapped},
    runner::{
        Study,
        ledger::damage_in_words,
        run::End,
        status::log::{AttemptLog, EvaluationLog, log as read},
    },
    shell_word,
};

/// The arguments of `fiesta log`.
#[derive(Debug, clap::Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Examples:
  fiesta log 17                             of the study in study.toml, of this directory
  fiesta log study.toml 17                  all attempts at evaluation 17: command, output, how it ended
  fiesta log study.toml 17 --stdout         what its last attempt printed, and nothing else
  fiesta log study.toml 17 --attempt 1      its first attempt alone
  fiesta log study.toml 17 --format json

Evaluations are numbered from 1, as in `fiesta export` and in what `fiesta run` says. It works while the study runs, and whether or not the
run is packed in study.fiesta/ledger.db."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    study: StudyArgument,
    /// The number of the evaluation
    #[arg(required = true, value_parser = number)]
    evaluation: u64,
    /// Show only this attempt at the evaluation, counted from 1
    #[arg(long, value_name = "NUMBER")]
    attempt: Option<u64>,
    /// Only what was printed to the standard output, by the last attempt unless --attempt names
    /// another
    #[arg(long, conflicts_with_all = ["stderr", "format"])]
    stdout: bool,
    /// Only what was printed to the standard error, by the last attempt unless --attempt names another
    #[arg(long, conflicts_with = "format")]
    stderr: bool,
    /// How to print the log
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn number(text: &str) -> Result<u64, String> {
    let wanted = "give the number of an evaluation last, for example fiesta log study.toml 17";
    text.parse().map_err(|_| wanted.to_owned())
}

pub(super) fn log(arguments: &Arguments) -> Result<Code, Failure> {
    let study = read_study(arguments.study.file()?)?;
    let mut log = read(&study, arguments.evaluation)?;
    for line in damage_in_words(&log.damage) {
        say(&line);
    }
    let is_whole = log.damage.is_empty();
    let count = log.attempts.len();
    if let Some(number) = arguments.attempt {
        log.attempts.retain(|attempt| attempt.attempt == number);
        if log.attempts.is_empty() {
            return Err(Failure::Usage(format!(
                "evaluation {} has no attempt {number}: it has {count}, numbered from 1",
                log.evaluation
            )));
        }
    }
    if arguments.stdout || arguments.stderr {
        let last = log.attempts.last();
        let of_last = last.map(|last| {
            if arguments.stdout {
                &last.stdout
            } else {
                &last.stderr
            }
        });
        write(of_last.map_or(&[], Vec::as_slice))?;
    } else if arguments.format == Format::Json {
        print_json(&log)?;
    } else {
        write(&text(&study, &log, count))?;
    }
    Ok(Code::of_what_is_left(is_whole))
}

/// Returns the log for people. Output of the runs stands unchanged; names and messages are made harmless.
#[allow(clippy::format_push_string, reason = "a line or two for each attempt")]
fn text(study: &Study, log: &EvaluationLog, count: usize) -> Vec<u8> {
    let case = match (study.items(), &log.document) {
        (Some(items), Some(id)) => format!("{} {}", items.key().noun(), Foreign::new(id)),
        _ => format!("split {}", log.split),
    };
    let mut text = format!(
        "evaluation {}: {} on {case}, seed {}",
        log.evaluation, log.arm, log.seed
    );
    if !log.setting.is_empty() {
        text += &format!(", {}", log.setting);
    }
    text += &match &log.outcome {
        None => "\npending".to_owned(),
        Some(Outcome::Withdrawn) => {
            "\nwithdrawn: the study ended before it did, and it does not count".to_owned()
        }
        Some(Outcome::Failed) => "\nfailed".to_owned(),
        Some(Outcome::Observed(observed)) => match study.score_of(observed) {
            Some(score) => format!("\n{} {score}", study.metric().name()),
            None => format!("\n{} is undefined", study.metric().name()),
        },
    };
    if let Some(message) = &log.message {
        text += &format!(": {message}");
    }
    text.push('\n');
    let mut text = wrapped(&harmless(&text), width()).into_bytes();
    for attempt in &log.attempts {
        add_attempt(&mut text, attempt, count, log.outcome.is_some());
    }
    text
}

#[allow(clippy::format_push_string, reason = "a line or two for each attempt")]
fn add_attempt(text: &mut Vec<u8>, attempt: &AttemptLog, count: usize, is_over: bool) {
    let mut heading = format!("\nattempt {} of {count}: ", attempt.attempt);
    heading += &how_it_ended(attempt, is_over);
    if let Some(seconds) = attempt.seconds {
        heading += &format!(", after {} s", amount(seconds));
    }
    if let Some(lost) = &attempt.lost {
        heading += &format!("\ntried again: {lost}");
    }
    if let Some(directory) = &attempt.directory {
        heading += &format!("\ndirectory: {}", directory.display());
    } else if attempt.packed {
        heading += &format!("\npacked: the run {} in the study's ledger", attempt.run);
    }
    if !attempt.command.is_empty() {
        heading += &format!("\ncommand: {}", shell(&attempt.command, width()));
    }
    if let Some(request) = &attempt.request {
        heading += &format!("\nasked: {}", serde_json::json!(request));
    }
    text.extend(wrapped(&harmless(&heading), width()).as_bytes());
    text.push(b'\n');
    let others = [
        ("result.json", attempt.result.as_deref()),
        ("wrapper.log", attempt.complaints.as_deref()),
    ];
    let streams = [("stdout", &attempt.stdout), ("stderr", &attempt.stderr)];
    let streams = streams.map(|(name, printed)| (name, Some(printed.as_slice())));
    for (name, printed) in streams.into_iter().chain(others) {
        let Some(printed) = printed.filter(|printed| !printed.is_empty()) else {
            continue;
        };
        text.extend(format!("--- {name}\n").as_bytes());
        text.extend(printed);
        if !printed.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
}

fn how_it_ended(attempt: &AttemptLog, is_over: bool) -> String {
    match &attempt.end {
        Some(End::Exited(code)) => format!("exit code {code}"),
        Some(End::Signaled(signal)) => format!("killed by signal {signal}"),
        Some(End::TimedOut) => "stopped at its time limit".to_owned(),
        Some(End::Silent) => "stopped as it had printed nothing for too long".to_owned(),
        Some(End::Cancelled) => "stopped from outside, or as the study ended".to_owned(),
        Some(End::NotStarted { reason }) => format!("not started: {reason}"),
        Some(End::Lost { reason }) => format!("lost: {reason}"),
        Some(End::Preempted { reason }) => format!("preempted: {reason}"),
        Some(_) => "ended".to_owned(),
        None if attempt.directory.is_none()
            && !attempt.packed
            && attempt.lost.is_none()
            && !is_over =>
        {
            "not started yet".to_owned()
        }
        None if attempt.directory.is_none() && !attempt.packed => {
            "never started, or its directory was removed".to_owned()
        }
        None if is_over || attempt.lost.is_some() => "left no word of its end".to_owned(),
        None => "goes on".to_owned(),
    }
}

/// Returns an argument vector in a shell's syntax, on several lines if it is wider than `width`.
fn shell(command: &[String], width: usize) -> String {
    let quoted = command.iter().map(|word| shell_word(word));
    let mut lines = vec!["command:".to_owned()];
    for word in quoted {
        let line = lines.last_mut().expect("there is one");
        let is_begun = !line.trim().is_empty();
        if is_begun
            && measure_text_width(line) + 1 + measure_text_width(&word) + 2 > width
            && line != "command:"
        {
            line.push_str(" \\");
            lines.push(format!("  {word}"));
        } else {
            line.push(' ');
            line.push_str(&word);
        }
    }
    lines.join("\n").trim_start_matches("command: ").to_owned()
}
