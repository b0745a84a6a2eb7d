//! Scores files on the command line.

use super::exit::Failure;
use fiesta::{
    core::Direction,
    records::{self, ReadOptions},
    report::analysis::ScoresOfArms,
};
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
    /// The rows of the file are splits: those of a CSV with a column for each arm, elsewhere the
    /// k-th score of every arm is on the k-th split; a file with a column `split` says so itself
    #[arg(long)]
    pub(super) paired_rows: bool,
}

/// Why no rows are paired with `--counts`.
pub(super) const OF_COUNTS: &str =
    "counts are paired by their documents, or where there are none by their rows";

fn bounds(text: &str) -> Result<(f64, f64), String> {
    let pair = text
        .split_once(',')
        .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    match pair {
        Some((low, high)) if low < high => Ok((low, high)),
        _ => Err("give two numbers, the smaller first, for example 0,1".to_owned()),
    }
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

    pub(super) fn read(&self, file: &Path) -> Result<ScoresOfArms<'static>, Failure> {
        let options = ReadOptions {
            metric: self.metric.clone(),
            bounds: self.bounds,
            paired_rows: self.paired_rows,
            ..ReadOptions::default()
        };
        let records = if file == Path::new("-") {
            records::read_from(std::io::stdin(), None, &options, "standard input")?
        } else {
            records::read(file, &options)?
        };
        let source = file.display().to_string();
        let scores = ScoresOfArms::new(&records, &self.arms, self.direction(), source)?;
        Ok(scores.in_pool(self.bounds, None)?)
    }
}
