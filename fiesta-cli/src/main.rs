//! The program `fiesta`: arguments, verbs, exit codes. One file a verb.

mod belief;
mod compare;
mod counts;
mod curve;
mod example;
mod exit;
mod export;
mod figure;
mod gate;
mod generate;
mod help;
mod import;
mod measures;
mod output;
mod plan;
mod platform;
mod propose;
mod report;
mod results;
mod scores;
mod simulate;
mod study_argument;
mod waiting;

// Verbs of studies and what they share.
#[cfg(target_os = "linux")]
mod confirm;
#[cfg(target_os = "linux")]
mod display;
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod log;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod slots;
#[cfg(target_os = "linux")]
mod status;
#[cfg(target_os = "linux")]
mod watch;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use exit::{Code, Failure};
use output::{print, print_json, print_usage, say, say_error, say_panics, width};
use serde::Serialize;
use std::process::ExitCode;

/// Finds the best of several noisy candidates with as few evaluations as possible, and says how
/// sure it is.
#[derive(Debug, Parser)]
#[command(
    name = "fiesta",
    version,
    propagate_version = true,
    max_term_width = help::WIDEST,
    after_help = exit::CODES
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a small study that runs on any Linux machine, to begin with
    Example(example::Arguments),
    /// Write a study for a script that you have: finds its options, its score, this machine's GPUs
    Init(platform::InitArguments),
    /// Write a study of the best settings of a search and the default, on fresh splits and seeds
    Confirm(Box<platform::ConfirmArguments>),
    /// Start or resume a study
    Run(platform::RunArguments),
    /// Print where a study stands, also while it runs
    Status(platform::StatusArguments),
    /// Show one or several studies in the browser as they run
    Watch(platform::WatchArguments),
    /// Print which jobs of a study run or wait, and change how many may run at a time
    Slots(platform::SlotsArguments),
    /// Print what an evaluation printed and how its runs ended, also while the study runs
    Log(platform::LogArguments),
    /// Print the probability of each arm to be the best, from scores or confusion counts in files
    Belief(Box<belief::Arguments>),
    /// Print the differences between arms, with intervals and tests, from scores in files
    Compare(compare::Arguments),
    /// Say whether a new version may replace the old one, from the answers of both: for CI
    Gate(gate::Arguments),
    /// Replay a policy many times on recorded scores or confusion counts, or Gaussian arms
    Simulate(Box<simulate::Arguments>),
    /// Write a study's evaluations, or any other results, as CSV or JSON lines
    Export(export::Arguments),
    /// Turn another tool's results into a file of scores
    Import(import::Arguments),
    /// Print the expected best score against the number of trials, with bands, budgets and crossings
    Curve(curve::Arguments),
    /// Estimate how many evaluations a study will need
    Plan(plan::Arguments),
    /// Write one HTML page that says what was found, and every figure and table as a file
    Report(report::Arguments),
    /// Print the completions of a shell, or write the manual pages
    Generate(generate::Arguments),
}

/// Format of printed results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document on standard output, and nothing else there.
    Json,
}

impl Format {
    /// Prints a result as JSON or as its text.
    fn print<R: Serialize>(
        self,
        result: &R,
        text: impl FnOnce(&R, usize) -> String,
    ) -> Result<(), Failure> {
        match self {
            Self::Json => print_json(result),
            Self::Text => print(text(result, width())),
        }
    }

    /// Prints a result. In JSON, the notices and the roles of columns stand beside it.
    fn print_told<R: Serialize>(
        self,
        result: &R,
        said: &results::Said,
        text: impl FnOnce(&R, usize) -> String,
    ) -> Result<(), Failure> {
        #[derive(Serialize)]
        struct Told<'a, R> {
            #[serde(flatten)]
            result: &'a R,
            #[serde(flatten)]
            said: &'a results::Said,
        }
        self.print(&Told { result, said }, |told, width| {
            text(told.result, width)
        })
    }
}

fn main() -> ExitCode {
    platform::on_a_full_stack(program)
}

fn program() -> ExitCode {
    say_panics();
    platform::prepare();
    let given = help::arranged(Arguments::command()).try_get_matches();
    let arguments = match given.and_then(|given| Arguments::from_arg_matches(&given)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Also help and version come this way, to standard output and without an error.
            let failed = error.use_stderr();
            return if !print_usage(&error) || failed {
                Code::Usage
            } else {
                Code::Done
            }
            .into();
        }
    };
    let result = match arguments.verb {
        Verb::Example(arguments) => example::example(&arguments),
        Verb::Init(arguments) => platform::init(&arguments),
        Verb::Confirm(arguments) => platform::confirm(&arguments),
        Verb::Run(arguments) => platform::run(&arguments),
        Verb::Status(arguments) => platform::status(&arguments),
        Verb::Watch(arguments) => platform::watch(&arguments),
        Verb::Slots(arguments) => platform::slots(&arguments),
        Verb::Log(arguments) => platform::log(&arguments),
        Verb::Belief(arguments) => belief::belief(&arguments),
        Verb::Compare(arguments) => compare::compare(&arguments),
        Verb::Gate(arguments) => gate::gate(&arguments),
        Verb::Simulate(arguments) => simulate::simulate(&arguments),
        Verb::Export(arguments) => export::export(&arguments),
        Verb::Import(arguments) => import::import(&arguments),
        Verb::Curve(arguments) => curve::curve(&arguments),
        Verb::Plan(arguments) => plan::plan(&arguments),
        Verb::Report(arguments) => report::run(&arguments),
        Verb::Generate(arguments) => generate::generate(&arguments),
    };
    match result {
        Ok(code) => code.into(),
        Err(failure) => {
            say_error(&failure);
            propose::say_what_to_try(&failure);
            failure.code().into()
        }
    }
}
