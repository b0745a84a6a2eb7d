//! Columns and scores of results on the command line: the flags of every verb that reads them.

use super::exit::Failure;
use fiesta::{
    records::{ColumnNames, Reading},
    report::tuning_curve::Failed,
};
use std::str::FromStr;

/// Arguments about how scores are read: columns, arms, failures, bounds.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ScoresArguments {
    /// The column or key of the score (default: score)
    #[arg(long, visible_alias = "score", value_name = "COLUMN")]
    pub(super) metric: Option<String>,
    /// The column of the arms' names (default: arm); in logs of answers, what arms are called by
    #[arg(long, value_name = "COLUMN")]
    pub(super) arm: Option<String>,
    /// The column of the train/test split of a score (default: split)
    #[arg(long, value_name = "COLUMN")]
    split: Option<String>,
    /// The column of the seeds (default: seed); a number is the seed of what this verb draws itself
    /// (default: 0). May be given once for each
    #[arg(long, value_name = "COLUMN|N")]
    seed: Vec<SeedArgument>,
    /// The column that names the item that was answered (default: item); several joined by +, where
    /// only together they tell items apart (dataset+question)
    #[arg(long, value_name = "COLUMN")]
    item: Option<String>,
    /// What an evaluation that failed, or has no score, counts as: nothing, an error, or the worst
    /// score there can be (or was). Default: error; in reports, and for other tools' results in
    /// belief, simulate and plan, drop with a notice
    #[arg(long, value_name = "drop|error|worst")]
    pub(super) failed: Option<Failed>,
    /// Smaller scores are better
    #[arg(long)]
    pub(super) minimize: bool,
    /// Larger scores are better, as `--direction maximize` says
    #[arg(long, hide = true, conflicts_with = "minimize")]
    pub(super) maximize: bool,
    /// Refuse scores outside these bounds, for example 0,1
    #[arg(long, value_name = "LOW,HIGH", value_parser = bounds)]
    pub(super) bounds: Option<(f64, f64)>,
    /// Only these arms: in a table with a column for each, these columns are the arms, whatever they
    /// are called
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub(super) arms: Vec<String>,
    /// The column of the right answers, in a table with a column of predictions for each arm
    ///
    /// The column of the right answers, in a table with a column of predictions for each arm (those of
    /// --arms, or all that hold such answers): each row is an item, on which an arm scores 1 if its
    /// cell holds the same text, and else 0
    #[arg(long, value_name = "COLUMN")]
    pub(super) gold: Option<String>,
    /// The rows of the file are splits: those of a CSV with a column for each arm, elsewhere the
    /// k-th score of every arm is on the k-th split; a file with a column `split` says so itself
    #[arg(long)]
    pub(super) paired_rows: bool,
}

/// Value of `--seed`: a column, or a number.
#[derive(Debug, Clone)]
enum SeedArgument {
    Column(String),
    Number(u64),
}

impl FromStr for SeedArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "" => Err("name a column, or give a number".to_owned()),
            text => Ok(text
                .parse()
                .map_or_else(|_| Self::Column(text.to_owned()), Self::Number)),
        }
    }
}

/// Reason why `--counts` refuses to pair rows.
pub(super) const OF_COUNTS: &str =
    "counts are paired by their documents, or where there are none by their rows";

pub(super) fn bounds(text: &str) -> Result<(f64, f64), String> {
    let pair = text
        .split_once(',')
        .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    match pair {
        Some((low, high)) if low < high => Ok((low, high)),
        _ => Err("give two numbers, the smaller first, for example 0,1".to_owned()),
    }
}

impl ScoresArguments {
    /// Refuses `--paired-rows` if the results are not a file of scores; `what` says what they are.
    pub(super) fn refuse_paired_rows(&self, what: &str) -> Result<(), Failure> {
        if self.paired_rows {
            return Err(Failure::Usage(format!(
                "--paired-rows is about files of scores that do not state their splits, and {what}: leave it out"
            )));
        }
        Ok(())
    }

    /// Refuses flags that name columns if the results have no columns; `what` says what they are.
    pub(super) fn refuse_columns(&self, what: &str) -> Result<(), Failure> {
        let names = self.columns()?;
        let given = [
            ("arm", names.arm.is_some()),
            ("split", names.split.is_some()),
            ("seed", names.seed.is_some()),
            ("item", names.item.is_some()),
            ("gold", self.gold.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "--{flag} is about results with a column for each of these, and {what}: leave it out"
            ))),
            None => Ok(()),
        }
    }

    /// Returns the seed of a verb's random draws. `None` if no seed was given.
    pub(super) fn drawing_seed(&self) -> Result<Option<u64>, Failure> {
        let numbers = self.seed.iter().filter_map(|seed| match seed {
            SeedArgument::Number(number) => Some(*number),
            SeedArgument::Column(_) => None,
        });
        once(numbers)
    }

    /// Refuses a seed for random draws if the verb draws nothing.
    pub(super) fn draws_nothing(&self) -> Result<(), Failure> {
        match self.drawing_seed()? {
            None => Ok(()),
            Some(number) => Err(Failure::Usage(format!(
                "--seed {number} is the seed of what is drawn, and nothing is drawn here: leave it out, or name the column of the seeds"
            ))),
        }
    }

    /// Returns the names of columns that the flags give.
    pub(super) fn columns(&self) -> Result<ColumnNames, Failure> {
        let seeds = self.seed.iter().filter_map(|seed| match seed {
            SeedArgument::Column(name) => Some(name.clone()),
            SeedArgument::Number(_) => None,
        });
        Ok(ColumnNames {
            arm: self.arm.clone(),
            item: self.item.clone(),
            split: self.split.clone(),
            seed: once(seeds)?,
        })
    }

    /// Returns the options of reading a file.
    pub(super) fn reading(&self, keep_failures: bool) -> Result<Reading, Failure> {
        Ok(Reading {
            metric: self.metric.clone(),
            columns: self.columns()?,
            arms: self.arms.clone(),
            bounds: self.bounds,
            keep_failures,
            keep_missing: keep_failures,
            keep_columns: true,
            paired_rows: self.paired_rows,
            gold: self.gold.clone(),
            ..Reading::default()
        })
    }
}

/// Returns the value of `--seed` if it was given once, `None` if it was not given. An error if it was given more often.
fn once<T>(mut given: impl Iterator<Item = T>) -> Result<Option<T>, Failure> {
    let first = given.next();
    match given.next() {
        Some(_) => Err(Failure::Usage(
            "--seed is given twice for the same: once it names the column of the seeds, once it is the number from which this verb draws"
                .to_owned(),
        )),
        None => Ok(first),
    }
}
