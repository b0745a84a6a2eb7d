//! `fiesta report`: one HTML file that says what was found, and every figure and table for a paper.

use super::{
    exit::{Code, Failure},
    measures::MeasuresArguments,
    print,
    results::{ReadingArguments, Results, ResultsArguments, is_piped},
    say, study_argument,
};
use fiesta::Target;
use fiesta::report::{
    analysis::{
        of_scores_alone,
        report::{ReportInput, ReportOptions, WrittenReport},
        unpaired_note,
    },
    figure::FigureFormat,
    tuning_curve::Failed,
    words::count,
};
use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Latest time that a date can show: the end of the year 9999, in seconds since 1970.
const LAST_SECOND: Duration = Duration::from_secs(253_402_300_799);

/// The arguments of `fiesta report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta report                                              of the study in study.toml, of this directory
  fiesta report study.toml                                   writes study.report/report.html and its figures and tables
  fiesta report scores.csv -o paper --formats pdf            any file of scores, figures as PDF
  fiesta report results.jsonl --metric macro_f1 --reported 'Smith 2018=0.71' --failed worst

A report begins with the answer: which arm, how sure, at what cost, and the sentence to quote. It is one file that needs no network.")]
pub(super) struct Arguments {
    /// A study file, a file of scores (CSV, TSV, JSON lines, JSON, Parquet, a Markdown table), another
    /// tool's results, or a directory of logs of answers; - is the standard input (default: study.toml in
    /// the current directory)
    results: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Further logs of answers, which are read together with the first
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,
    /// The directory to write to (default: beside the input, NAME.report)
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The confidence of intervals and tests
    #[arg(long, default_value_t = 0.95)]
    confidence: f64,
    /// A score reported elsewhere, drawn beside the tuning curves
    #[arg(long, value_name = "NAME=VALUE", value_parser = reported)]
    reported: Vec<(String, f64)>,
    /// The posterior of the means (default: paired; a study has its own)
    #[arg(long, value_name = "NAME")]
    posterior: Option<String>,
    /// A column of your own whose values are strata, such as tasks: scores are compared and drawn again within them; in a pool
    /// of items they are groups, by which results are shown as well
    #[arg(long, value_name = "COLUMN")]
    strata: Option<String>,
    /// The items of the file are a random sample of a pool of N items
    #[arg(long, value_name = "N")]
    pool_size: Option<u64>,
    /// Which items of a pool the verdict is of: "these items", or "items like these", many more that
    /// are drawn as these were; a study has its own
    #[arg(long, value_name = "WORDS", default_value_t, hide_default_value = true)]
    target: Target,
    /// Simulate how many more evaluations, or answers of a pool of items, would settle it, which takes a
    /// while
    #[arg(long)]
    outlook: bool,
    #[command(flatten)]
    measures: MeasuresArguments,
    /// The file formats of each figure
    #[arg(long, value_enum, value_delimiter = ',', default_value = "svg,png,pdf")]
    formats: Vec<FigureFormat>,
    /// Replay the scores so often under three policies, and show how often each budget finds the best arm (500 unless said)
    #[arg(long, value_name = "RUNS", num_args = 0..=1, require_equals = true, default_missing_value = "500", value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    simulate: Option<u64>,
    /// Bootstrap resamples; of very many scores fewer are drawn
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    resamples: u32,
    /// Draws of the posterior paired (default: as many as make the error of P(best) at most 0.0003,
    /// as far as they do not take too long): more of them make it smaller; not of a study, whose
    /// belief is that of its decisions
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    draws: Option<u64>,
}

fn reported(text: &str) -> Result<(String, f64), String> {
    let pair = text.rsplit_once('=').and_then(|(name, value)| {
        let value: f64 = value.trim().parse().ok()?;
        Some((name.trim().to_owned(), value))
    });
    pair.filter(|(name, value)| !name.is_empty() && value.is_finite())
        .ok_or_else(|| "give a name and a score, for example 'Smith 2018=0.71'".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> Result<Code, Failure> {
    let path = match &arguments.results {
        Some(path) => path.clone(),
        None => study_argument::default_file()?.to_owned(),
    };
    let found = ResultsArguments {
        results: path.clone(),
        reading: arguments.reading.clone(),
    };
    let mut results = found.read_or_tell(&arguments.more)?.compared()?;
    if results.study.is_some() && !arguments.reading.scores.arms.is_empty() {
        return Err(Failure::Usage(
            "a report of a study is about all its arms: leave --arms out, or `fiesta export` the study and report on that file".to_owned(),
        ));
    }
    if arguments.strata.is_none() && !results.of_search {
        results.said.notices.extend(unpaired_note(&results.records));
    }
    results.said.say();
    let is_whole = results.is_whole();
    if results.study.is_none() {
        of_scores_alone(arguments.posterior.as_deref())?;
    }
    let report = WrittenReport::new(&arguments.input(&path, results)?, &arguments.options()?)?;
    let directory = arguments.output.clone();
    let directory = directory.unwrap_or_else(|| beside(&path));
    let files = report.write(&directory, &arguments.formats)?;
    for note in &files.notes {
        say(note);
    }
    let answer = &report.page.answer;
    let arm = answer.arm.as_deref().unwrap_or_default();
    print(format!("{arm} {}", answer.verdict).trim())?;
    if !answer.sentence.is_empty() {
        print(&answer.sentence)?;
    }
    if !answer.method.is_empty() {
        print(&answer.method)?;
    }
    if let Some(measures) = &report.measures {
        print(measures.sentence())?;
    }
    print(format_args!(
        "{}; beside it {} of figures, {} (Markdown, LaTeX, CSV), 3 checklists",
        files.page.display(),
        count(files.figures, "file"),
        count(files.tables, "table"),
    ))?;
    Ok(Code::of_what_is_left(is_whole))
}

impl Arguments {
    fn input(&self, path: &Path, results: Results) -> Result<ReportInput, Failure> {
        let is_piped = is_piped(path);
        let named = |name: Option<&std::ffi::OsStr>, otherwise: &str| {
            let name = name.filter(|_| !is_piped);
            name.map_or(otherwise.to_owned(), |name| name.to_string_lossy().into())
        };
        Ok(ReportInput {
            title: named(path.file_stem(), "scores"),
            // Its directories are nobody else's business.
            source: match self.more.len() {
                0 => named(path.file_name(), "standard input"),
                more => format!("{} and {more} more", named(path.file_name(), "")),
            },
            metric: results.metric,
            direction: results.direction,
            bounds: self.reading.scores.bounds,
            of_search: results.of_search,
            study: results.study.map(|study| study.facts()).transpose()?,
            notices: results.said.notices,
            records: results.records,
        })
    }

    fn options(&self) -> Result<ReportOptions, Failure> {
        let scores = &self.reading.scores;
        Ok(ReportOptions {
            date: date(SystemTime::now()),
            confidence: self.confidence,
            failed: scores.failed.unwrap_or(Failed::Drop),
            reported: self.reported.clone(),
            posterior: self.posterior.clone(),
            strata: self.strata.clone(),
            pool_size: self.pool_size,
            target: self.target,
            outlook: self.outlook,
            measures: self.measures.request(),
            replays: self.simulate,
            resamples: self.resamples,
            draws: self.draws,
            seed: scores.drawing_seed()?.unwrap_or(0),
        })
    }
}

/// Returns the date of a moment; moments outside the years 1970 to 9999 get the nearest date.
fn date(moment: SystemTime) -> String {
    let last = SystemTime::UNIX_EPOCH + LAST_SECOND;
    let moment = moment.clamp(SystemTime::UNIX_EPOCH, last);
    let moment = humantime::format_rfc3339_seconds(moment).to_string();
    moment.split('T').next().unwrap_or_default().to_owned()
}

/// Returns the directory for a report on this file: `study.report` for `study.toml`.
fn beside(input: &Path) -> PathBuf {
    if is_piped(input) || input.file_name().is_none() {
        return PathBuf::from("scores.report");
    }
    input.with_extension("report")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_clock_has_a_day() {
        let epoch = SystemTime::UNIX_EPOCH;
        let year = Duration::from_hours(365 * 24);
        assert_eq!(date(epoch - year), "1970-01-01");
        assert_eq!(date(epoch + year), "1971-01-01");
        assert_eq!(date(epoch + 20_000 * year), "9999-12-31");
    }
}
