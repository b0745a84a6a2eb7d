//! Scores files on the command line.

use super::exit::Failure;
use fiesta::core::{Arms, Direction};
use fiesta::records::{self, ReadOptions, Record, Records, SplitSource};
use std::path::Path;

/// How a scores file is read.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ScoresArguments {
    /// The column or key of the score (default: score)
    #[arg(long, value_name = "NAME")]
    pub(super) metric: Option<String>,
    /// Smaller scores are better
    #[arg(long)]
    pub(super) minimize: bool,
    /// Refuse scores outside these bounds, for example 0,1
    #[arg(long, value_name = "LOW,HIGH", value_parser = bounds)]
    pub(super) bounds: Option<(f64, f64)>,
    /// Only these arms
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub(super) arms: Vec<String>,
    /// The rows of the file are splits: those of a CSV with a column for each arm, elsewhere the k-th score of every arm is on the k-th
    /// split; a file with a column `split` says so itself
    #[arg(long)]
    pub(super) paired_rows: bool,
}

/// Why no rows are paired with `--counts`.
pub(super) const OF_COUNTS: &str =
    "counts are paired by their documents, or where there are none by their rows";

/// A note on scores that are not paired, if their rows may be splits.
pub(super) fn unpaired(records: &Records) -> Option<String> {
    records.rows_may_be_splits().then(|| {
        "nothing says which scores were made on the same split, so pairing is not used: arms are compared as on different splits. If the rows \
         of this file (in JSON and in the long form, the k-th scores of all arms) are splits, say so with --paired-rows"
            .to_owned()
    })
}

fn bounds(text: &str) -> Result<(f64, f64), String> {
    let pair = text
        .split_once(',')
        .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    match pair {
        Some((low, high)) if low < high => Ok((low, high)),
        _ => Err("give two numbers, the smaller first, for example 0,1".to_owned()),
    }
}

/// Scores read from a file: the arms that were asked for, in that order.
pub(super) struct Scores {
    pub(super) metric: String,
    pub(super) direction: Direction,
    pub(super) arms: Arms,
    /// The records of each arm.
    pub(super) records: Vec<Vec<Record>>,
    /// What says which of them were made on the same split.
    pub(super) splits: SplitSource,
    /// What should be said where nothing does.
    pub(super) unpaired: Option<String>,
}

impl ScoresArguments {
    /// Refuses the flags about rows of scores where the file is something else.
    pub(super) fn refuse_paired_rows(&self, what: &str) -> Result<(), Failure> {
        if self.paired_rows {
            return Err(Failure::Usage(format!(
                "--paired-rows is about files of scores that do not state their splits, and {what}: leave it out"
            )));
        }
        Ok(())
    }

    pub(super) fn direction(&self) -> Direction {
        if self.minimize {
            Direction::Minimize
        } else {
            Direction::Maximize
        }
    }

    pub(super) fn read(&self, file: &Path) -> Result<Scores, Failure> {
        let options = ReadOptions {
            metric: self.metric.clone(),
            bounds: self.bounds,
            paired_rows: self.paired_rows,
            ..ReadOptions::default()
        };
        let table = if file == Path::new("-") {
            records::read_from(std::io::stdin(), None, &options, "standard input")?
        } else {
            records::read(file, &options)?
        };
        let names = if self.arms.is_empty() {
            table.arms().to_vec()
        } else {
            self.arms.clone()
        };
        let arms = Arms::new(names.iter().cloned())?;
        let places = names
            .iter()
            .map(|name| {
                table
                    .find(name)
                    .ok_or_else(|| unknown_arm(name, table.arms()))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut by_arm = vec![Vec::new(); table.arms().len()];
        for record in table.records() {
            by_arm[record.arm.index()].push(*record);
        }
        Ok(Scores {
            splits: table.split_source(),
            unpaired: unpaired(&table),
            metric: table.metric().to_owned(),
            direction: self.direction(),
            arms,
            records: places
                .into_iter()
                .map(|arm| std::mem::take(&mut by_arm[arm.index()]))
                .collect(),
        })
    }
}

/// An arm was asked for that is not among those of the file.
pub(super) fn unknown_arm(name: &str, arms: &[String]) -> Failure {
    Failure::Usage(format!(
        "there is no arm `{name}` in the file: it has {}",
        arms.join(", ")
    ))
}
