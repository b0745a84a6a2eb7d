//! `fiesta gate`: may a new version replace the old one?

mod junit;

use super::{
    Format,
    exit::{Code, Failure},
    plan::confidence,
    platform::run_gate,
    propose::{flag, typed},
    results::{ReadingArguments, Results, ResultsArguments, Said, is_study, source},
};
use fiesta::{
    Target,
    import::by_arm_or_file,
    records::{ColumnRole, Role, excerpt},
    report::{
        analysis::gate::{self, GateOptions, GateReport, GateVerdict},
        tuning_curve::Failed,
    },
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The arguments of `fiesta gate`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:
  fiesta gate old.jsonl new.jsonl --margin 0.02
  fiesta gate old.csv new.csv --better-by 0 --junit gate.xml --markdown comment.md
  fiesta gate old.eval new.eval --margin 0.02          logs of Inspect AI; lm-eval's samples, promptfoo's JSON
  fiesta gate old.csv a.csv b.csv --margin 0.01        several candidates, each judged at a part of the error
  fiesta gate answers.csv --baseline v1 --margin 0.02  one file with a column of arms, or a column for each
  fiesta gate old.csv new.csv --margin 0.02 --clusters passage --confidence 0.9
  fiesta gate old.csv new.csv --margin 0.02 --target \"these items\"
  fiesta gate study.toml                               a study with a baseline, asked until it is decided; resumes
  fiesta gate study.toml --keep-baseline baseline.jsonl.zst   keeps the answers for the gates that follow
  fiesta gate old.csv new.csv                          without a margin: which one these items could decide
Exit code: 0 ships, 8 blocked, 3 undecided, 2 bad input or no margin")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    /// The files of the candidates, with the same columns or of the same tool
    #[arg(value_name = "NEW")]
    more: Vec<PathBuf>,
    /// The arm that is to be replaced (default: the arm of the first file)
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// How much worse a candidate's mean may be, in the unit of the score
    #[arg(long, value_name = "D", conflicts_with = "better_by")]
    margin: Option<f64>,
    /// By more than how much a candidate has to be better; 0 for any lead
    #[arg(long, value_name = "D")]
    better_by: Option<f64>,
    /// One less the share of gates that may let a worse candidate pass, or block a good one
    /// (default: 0.95)
    #[arg(long, value_name = "LEVEL", value_parser = confidence)]
    confidence: Option<f64>,
    /// Which items the verdict is of: "items like these", many more that are drawn as these were, or
    /// "these items", which are counted (default: items like these)
    #[arg(long, value_name = "WORDS")]
    target: Option<Target>,
    /// The column of the long form that says which items belong together (questions on one text)
    #[arg(long, value_name = "NAME")]
    clusters: Option<String>,
    /// Write JUnit's XML: a failure if blocked, an error if undecided
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a comment for a pull request
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Keep the answers of the arm that the next gate compares with, that is the one that ships or else the
    /// baseline, for `baseline_file` under [goal] (compressed if the name ends with .zst)
    #[arg(long, value_name = "FILE")]
    keep_baseline: Option<PathBuf>,
    /// Show no texts of items and answers
    #[arg(long)]
    no_texts: bool,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn gate(arguments: &Arguments) -> Result<Code, Failure> {
    if arguments.more.is_empty() && is_study(&arguments.results.results) {
        return of_study(arguments);
    }
    if arguments.keep_baseline.is_some() {
        return Err(Failure::Usage(
            "--keep-baseline is for the gate of a study: files of answers are kept already"
                .to_owned(),
        ));
    }
    let results = arguments.read()?;
    let mut said = results.said;
    said.notices
        .extend(results.records.cautions_of_arms(&said.roles));
    said.say();
    let scores = &arguments.results.reading.scores;
    let default = GateOptions::default();
    let options = GateOptions {
        baseline: arguments.baseline.clone(),
        margin: arguments.margin,
        better_by: arguments.better_by,
        confidence: arguments.confidence.unwrap_or(default.confidence),
        target: arguments.target.unwrap_or(default.target),
        clusters: arguments.clusters.clone(),
        bounds: scores.bounds,
    };
    let source = source(&arguments.results.results);
    let mut report = gate::gate(&results.records, results.direction, &source, &options)?;
    report.add_texts(|wanted| results.texts.read(results.records.items(), wanted));
    let (named, are_graded) = (scores.columns()?, !results.records.are_right_or_wrong());
    if are_graded && !results.is_foreign && named.item.or(named.split).is_none() {
        report.notes.extend(other_reading(&report, &said.roles));
    }
    arguments.show(report, &said)
}

/// Tells how a column of cases that nobody named was taken, and the command that takes it otherwise. `None` if
/// items are enough to decide.
fn other_reading(report: &GateReport, roles: &[ColumnRole]) -> Option<String> {
    let is_case = |role| roles.iter().find(|of| of.role == role);
    let cases = [Role::Item, Role::Split, Role::Seed].into_iter();
    let of = { cases.filter_map(is_case) }.find(|of| !of.column.is_empty())?;
    let few = { report.candidates.iter() }.any(|own| own.smallest_margin.is_none());
    let (taken, values, other) = match of.role {
        Role::Item if few => ("items", "splits, seeds or data sets", "split"),
        Role::Item => return None,
        Role::Seed => ("splits, as all share them", "questions", "item"),
        _ => ("splits", "questions or documents", "item"),
    };
    let column = excerpt(&of.column);
    let command = typed(&[flag(other, &of.column)]);
    Some(format!(
        "`{column}` is taken for {taken}; if its values are {values}: {command}"
    ))
}

/// Runs or resumes a study whose `[goal]` names the baseline of a gate, and reports on the study.
fn of_study(arguments: &Arguments) -> Result<Code, Failure> {
    let asked = [
        ("--margin", arguments.margin.is_some()),
        ("--better-by", arguments.better_by.is_some()),
        ("--baseline", arguments.baseline.is_some()),
        ("--clusters", arguments.clusters.is_some()),
        ("--confidence", arguments.confidence.is_some()),
        ("--target", arguments.target.is_some()),
        (
            "--failed",
            arguments.results.reading.scores.failed.is_some(),
        ),
    ];
    if let Some((flag, _)) = asked.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Usage(format!(
            "the gate of a study stands under [goal] in its file, with baseline and margin or better_by: leave {flag} out"
        )));
    }
    arguments
        .results
        .reading
        .scores
        .refuse_columns("a study knows its evaluations")?;
    let (report, failed) = run_gate(&arguments.results, arguments.keep_baseline.as_deref())?;
    let shown = report.map(|report| arguments.show(report, &Said::default()));
    let shown = shown.transpose()?;
    // A version that failed does not hide that another one is blocked.
    Ok(match shown {
        Some(code @ (Code::Done | Code::Blocked)) => code,
        other => failed.or(other).unwrap_or(Code::Internal),
    })
}

impl Arguments {
    /// Writes and prints a report, and returns the exit code of its verdict.
    fn show(&self, mut report: GateReport, said: &Said) -> Result<Code, Failure> {
        if self.no_texts {
            report = report.without_texts();
        }
        if let Some(file) = &self.junit {
            write(file, &junit::junit(&report)?)?;
        }
        if let Some(file) = &self.markdown {
            write(file, &report.markdown())?;
        }
        self.format
            .print_told(&report, said, GateReport::text_within)?;
        Ok(match report.verdict {
            Some(GateVerdict::Ships) => Code::Done,
            Some(GateVerdict::Blocked) => Code::Blocked,
            Some(_) => Code::Short,
            None => Code::Usage,
        })
    }

    /// Reads the answers of all arms, failed ones too. Versions of one arm are called by their
    /// files.
    fn read(&self) -> Result<Results, Failure> {
        let reading = &self.results.reading;
        if !matches!(reading.scores.failed, None | Some(Failed::Worst)) {
            return Err(Failure::Usage(
                "a gate counts what failed as the worst score, as otherwise dropping hard items would let a version pass: leave --failed out"
                    .to_owned(),
            ));
        }
        reading.scores.draws_nothing()?;
        let read = |arm: Option<&str>| {
            let mut reading: ReadingArguments = reading.clone();
            reading.scores.failed = Some(Failed::Worst);
            reading.scores.arm = arm.map(str::to_owned).or(reading.scores.arm);
            let results = self.results.results.clone();
            let results = ResultsArguments { results, reading };
            results.read_or_tell(&self.more)?.compared()
        };
        let is_named = self.more.is_empty() || reading.scores.arm.is_some();
        let results = by_arm_or_file(is_named, |of: &Results| of.records.arms().len(), read)?;
        if results.study.is_some() {
            return Err(Failure::Usage(format!(
                "{} is a study, and a gate takes files of answers: `fiesta export` writes such a file",
                self.results.results.display()
            )));
        }
        if self.more.is_empty() && self.baseline.is_none() {
            return Err(Failure::Usage(format!(
                "one file does not say which arm is the old one: name it with --baseline, one of {}",
                results.records.arms().join(", ")
            )));
        }
        Ok(results)
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|source| Failure::System {
        action: format!("write {}", file.display()),
        source,
    })
}
