//! `fiesta export`: results in the long form.

use super::{
    exit::{Code, Failure},
    output::write,
    results::ResultsArguments,
};
use clap::ValueEnum;
use fiesta::{
    Direction,
    records::{Evaluations, named_direction, write_csv, write_jsonl},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The arguments of `fiesta export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta export study.toml                     one row per evaluation that counts, as CSV
  fiesta export study.toml -o study.jsonl      the same as JSON lines, also while the study runs
  fiesta export scores.json --format csv       any scores in the long form

A study's rows have the columns evaluation, arm, arm_digest (of what made the arm as the study last ran: its command, variables and files), split, seed, score (where smaller is better, the metric's name), cost, duration; status if one failed; lost_attempts and lost_cost, if attempts before
the one that ended an evaluation were lost or stopped (cost is without them); cost_unit, where the study file names the unit of costs; recorded, where it was read from, if one was made before the study; item in place of split, turn (its place among the evaluations
that ended) and pool_size, and with strata group, in a study of items: by these `fiesta belief` knows that the study chose which answers there are; document, tp, fp, tn and fn in a study of documents; the hyperparameters of a random search, by their names; and one for every other key of the results. In CSV, names that a spreadsheet would take for a formula have an
apostrophe before them, which fiesta takes away when it reads them.")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    #[command(flatten)]
    output: Output,
}

/// Arguments about the file to write rows to, and its format.
#[derive(Debug, clap::Args)]
pub(super) struct Output {
    /// The format (default: that of the extension of --output, or else csv)
    #[arg(long, value_enum)]
    format: Option<RowFormat>,
    /// Write to this file and not to the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RowFormat {
    /// Comma-separated values
    Csv,
    /// A JSON object per line
    Jsonl,
}

pub(super) fn export(arguments: &Arguments) -> Result<Code, Failure> {
    arguments.results.reading.scores.draws_nothing()?;
    let results = arguments.results.read_or_tell(&[])?;
    results.said.say();
    let of_study = results.study.is_some().then_some(results.direction);
    let is_whole = results.is_whole();
    let records = arguments.results.counted(results)?;
    let records = match of_study {
        Some(direction) => named(records, direction)?,
        None => records,
    };
    arguments.output.write(&records)?;
    Ok(Code::of_what_is_left(is_whole))
}

/// Names the scores of a study so that their column says which are better: `score` of which larger are, else the
/// metric's own name, or `loss` where that name says the contrary.
fn named(records: Evaluations, direction: Direction) -> Result<Evaluations, Failure> {
    let own = named_direction(records.metric());
    Ok(match (direction, own) {
        (Direction::Maximize, _) => records.renamed("score")?,
        (Direction::Minimize, Some(Direction::Maximize)) => records.renamed("loss")?,
        (Direction::Minimize, _) => records,
    })
}

impl Output {
    /// Writes all rows to the chosen file, or to the standard output.
    pub(super) fn write(&self, records: &Evaluations) -> Result<(), Failure> {
        let format = self.format()?;
        let mut rows = Vec::new();
        let made = match format {
            RowFormat::Csv => write_csv(&mut rows, records),
            RowFormat::Jsonl => write_jsonl(&mut rows, records),
        };
        made.map_err(|source| Failure::System {
            action: "write the rows of these results".to_owned(),
            source,
        })?;
        match &self.output {
            Some(file) => fs::write(file, rows).map_err(|error| {
                Failure::Usage(format!("cannot write {}: {error}", file.display()))
            }),
            None => write(&rows),
        }
    }

    fn format(&self) -> Result<RowFormat, Failure> {
        let extension = |file: &Path| Some(file.extension()?.to_str()?.to_ascii_lowercase());
        match (self.format, self.output.as_deref()) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(RowFormat::Csv),
            (None, Some(file)) => match extension(file).as_deref() {
                Some("csv") => Ok(RowFormat::Csv),
                Some("jsonl" | "ndjson") => Ok(RowFormat::Jsonl),
                _ => Err(Failure::Usage(format!(
                    "the extension of {} says nothing of the format: choose one with --format csv or --format jsonl",
                    file.display()
                ))),
            },
        }
    }
}
