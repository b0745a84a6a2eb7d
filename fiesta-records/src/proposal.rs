//! Columns that look like those of the long form, by their names and by what they hold: proposed
//! where a file has other names, and never taken unasked.

use crate::{ColumnNames, ReadOptions, RecordsError, excerpt, number::is_missing, rows, scores};
use fiesta_core::Direction;
use std::{collections::HashSet, fmt};

/// So many rows are looked at.
const SAMPLE: usize = 1000;

/// Words in the names of columns of arms, the more telling first.
const ARMS: [&str; 21] = [
    "arm",
    "model",
    "system",
    "candidate",
    "method",
    "algorithm",
    "algo",
    "classifier",
    "estimator",
    "learner",
    "approach",
    "architecture",
    "variant",
    "agent",
    "prompt",
    "optimizer",
    "config",
    "sweep",
    "experiment",
    "group",
    "name",
];

/// Names of columns of splits.
const SPLITS: [&str; 15] = [
    "split",
    "fold",
    "cv_fold",
    "fold_id",
    "fold_idx",
    "split_id",
    "cv_split",
    "outer_fold",
    "partition",
    "repeat",
    "rep",
    "repetition",
    "resample",
    "replicate",
    "iteration",
];

/// Names of columns of seeds.
const SEEDS: [&str; 8] = [
    "seed",
    "random_state",
    "random_seed",
    "rng_seed",
    "randomseed",
    "rng",
    "seed_id",
    "torch_seed",
];

/// Names of columns of items.
const ITEMS: [&str; 12] = [
    "item",
    "item_id",
    "question_id",
    "question",
    "doc_id",
    "sample_id",
    "example_id",
    "qid",
    "problem_id",
    "prompt_id",
    "task_id",
    "instance_id",
];

/// Words in the names of scores that are better when larger.
const SCORES: [&str; 31] = [
    "score",
    "acc",
    "accuracy",
    "f1",
    "auc",
    "auroc",
    "roc",
    "ap",
    "map",
    "bleu",
    "rouge",
    "chrf",
    "mrr",
    "ndcg",
    "precision",
    "recall",
    "r2",
    "reward",
    "return",
    "value",
    "metric",
    "em",
    "match",
    "kappa",
    "mcc",
    "dice",
    "iou",
    "correct",
    "success",
    "performance",
    "result",
];

/// Words in the names of scores that are better when smaller.
const LOSSES: [&str; 15] = [
    "loss",
    "error",
    "err",
    "rmse",
    "mse",
    "mae",
    "mape",
    "perplexity",
    "ppl",
    "wer",
    "cer",
    "nll",
    "bpb",
    "regret",
    "fid",
];

/// Words in the names of numbers that are no score.
const NO_SCORES: [&str; 30] = [
    "time",
    "duration",
    "runtime",
    "seconds",
    "secs",
    "sec",
    "ms",
    "minutes",
    "hours",
    "cost",
    "price",
    "usd",
    "tokens",
    "epoch",
    "epochs",
    "step",
    "steps",
    "lr",
    "rate",
    "batch",
    "size",
    "id",
    "index",
    "num",
    "n",
    "params",
    "std",
    "stderr",
    "rank",
    "timestamp",
];

/// The names with which a file would be read whose columns are called otherwise than those of the
/// long form. They were tried: the file is read with them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// The columns of arms, items, splits and seeds.
    pub columns: ColumnNames,
    /// The column of the score, if it is another one than was sought.
    pub metric: Option<String>,
    /// Other columns that could be the score.
    pub others: Vec<String>,
    /// Whether smaller scores are better, by the name of the score.
    pub direction: Direction,
    /// Whether some evaluations have no score.
    pub failures: bool,
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metric = self.metric.as_deref().map(|metric| ("score", metric));
        let named = self.columns.named().into_iter();
        let named = named.filter_map(|(role, name)| Some((role, name?)));
        let all: Vec<String> = named
            .chain(metric)
            .map(|(role, name)| format!("`{}` could be the {role}", excerpt(name)))
            .collect();
        f.write_str(&all.join(", "))?;
        if !self.others.is_empty() {
            let others = self
                .others
                .iter()
                .map(|name| format!("`{}`", excerpt(name)));
            let others: Vec<String> = others.collect();
            write!(f, " (and so could {})", others.join(", "))?;
        }
        Ok(())
    }
}

/// The part of a column that its name says it is, in a file with a column for each arm: of none
/// that is certainly an arm.
pub(crate) fn role_of(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    let is = |names: &[&str]| names.contains(&plain.as_str());
    match () {
        () if is(&SPLITS) => Some("split"),
        () if is(&SEEDS) => Some("seed"),
        () if is(&ITEMS) => Some("item"),
        () => None,
    }
}

/// The error, with the names with which the file would be read where these are what it lacks.
pub(crate) fn explained(
    error: RecordsError,
    bytes: &[u8],
    format: Option<crate::Format>,
    options: &ReadOptions,
    file: &str,
) -> RecordsError {
    if !error.is_about_columns() {
        return error;
    }
    let Some((names, cells)) = rows::sample(bytes, format, file, SAMPLE) else {
        return error;
    };
    let table = Sample { names, cells };
    let says_something = |proposal: &Proposal| {
        let named = proposal.columns.named();
        proposal.metric.is_some() || named.iter().any(|(_, name)| name.is_some())
    };
    let proposals = table.proposals(options).into_iter();
    let tried = proposals.filter(says_something).find_map(|proposal| {
        let tried = ReadOptions {
            metric: proposal.metric.clone().or(options.metric.clone()),
            columns: proposal.columns.clone(),
            keep_failures: true,
            keep_missing: true,
            ..options.clone()
        };
        let records = scores::attempt(bytes, format, &tried, file).ok()?;
        let failures = !records.failures().is_empty() && !options.keep_failures;
        Some(Proposal {
            failures,
            ..proposal
        })
    });
    match tried {
        Some(proposal) => RecordsError::Columns {
            problem: Box::new(match proposal.columns.arm {
                Some(_) => error.of_long_form(&table.names, options),
                None => error,
            }),
            proposal: Box::new(proposal),
        },
        None => error,
    }
}

/// The first rows of a file.
struct Sample {
    names: Vec<String>,
    cells: Vec<Vec<String>>,
}

/// What may be guessed of a column.
struct Column<'a> {
    name: &'a str,
    plain: String,
    values: Vec<&'a str>,
}

impl Column<'_> {
    fn words(&self) -> impl Iterator<Item = &str> {
        self.plain.split('_')
    }

    fn rank(&self, words: &[&str]) -> Option<usize> {
        words
            .iter()
            .position(|word| self.words().any(|own| own == *word))
    }

    fn is_number(&self) -> bool {
        !self.values.is_empty() && self.values.iter().all(|value| number(value).is_some())
    }

    fn is_whole(&self) -> bool {
        let whole = |value: &&str| {
            let digits = value.strip_suffix(".0").unwrap_or(value);
            digits.parse::<u64>().is_ok()
        };
        !self.values.is_empty() && self.values.iter().all(whole)
    }

    /// How many different values there are.
    fn distinct(&self) -> usize {
        self.values.iter().collect::<HashSet<_>>().len()
    }

    /// Whether most values occur several times, and there are two or more.
    fn repeats(&self) -> bool {
        (2..=self.values.len() / 2).contains(&self.distinct())
    }
}

fn number(text: &str) -> Option<f64> {
    let parsed = text.parse().ok();
    parsed.or_else(|| text.replacen(',', ".", 1).parse().ok())
}

/// A name in small letters, its words joined by `_`.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    let mut before = '_';
    for character in name.trim().chars() {
        if character.is_alphanumeric() {
            if character.is_uppercase() && before.is_lowercase() {
                plain.push('_');
            }
            plain.extend(character.to_lowercase());
        } else if !plain.is_empty() && !plain.ends_with('_') {
            plain.push('_');
        }
        before = character;
    }
    plain.trim_end_matches('_').to_owned()
}

impl Sample {
    fn columns(&self) -> Vec<Column<'_>> {
        let of = |(place, name): (usize, &'_ String)| {
            let cells = self.cells.iter().filter_map(|row| row.get(place));
            let known = cells.map(String::as_str).filter(|cell| !is_missing(cell));
            (place, name.clone(), known.collect::<Vec<&str>>())
        };
        let named = self.names.iter().enumerate().map(of);
        let kept = named.filter(|(_, name, _)| {
            !name.is_empty()
                && !name.starts_with("Unnamed: ")
                && !name.chars().any(char::is_control)
        });
        kept.map(|(place, name, values)| Column {
            name: &self.names[place],
            plain: plain(&name),
            values,
        })
        .collect()
    }

    /// What the columns could be, the fullest proposal first.
    fn proposals(&self, options: &ReadOptions) -> Vec<Proposal> {
        let columns = self.columns();
        let mut names = named(&columns, options);
        let is = |wanted: Option<&String>, column: &Column<'_>| {
            wanted.is_some_and(|name| name == column.name)
        };
        let is_used = |column: &Column<'_>, names: &ColumnNames| {
            [&names.arm, &names.item, &names.split, &names.seed]
                .into_iter()
                .any(|used| is(used.as_ref(), column))
        };
        let asked = options.metric.as_deref().unwrap_or("score").trim();
        let of_asked = columns
            .iter()
            .find(|column| column.name == asked && column.is_number());
        let mut scores: Vec<(usize, &Column<'_>)> = columns
            .iter()
            .filter(|column| !is_used(column, &names) && column.is_number())
            .filter_map(|column| Some((score_rank(column)?, column)))
            .collect();
        scores.sort_by_key(|(rank, _)| *rank);
        let Some(score) = of_asked.or(scores.first().map(|(_, column)| *column)) else {
            return Vec::new();
        };
        if names.arm.is_none() {
            let mut arms: Vec<(usize, &Column<'_>)> = columns
                .iter()
                .filter(|column| !is_used(column, &names) && column.name != score.name)
                .filter_map(|column| Some((arm_rank(column)?, column)))
                .collect();
            arms.sort_by_key(|(rank, _)| *rank);
            names.arm = arms.first().map(|(_, column)| column.name.to_owned());
        }
        let is_wide = names.arm.is_none() && (names.split.is_some() || names.seed.is_some());
        let direction = if score.rank(&LOSSES).is_some() {
            Direction::Minimize
        } else {
            Direction::Maximize
        };
        let others = scores.iter().map(|(_, other)| other.name);
        let others = others.filter(|name| *name != score.name && of_asked.is_none());
        let full = Proposal {
            metric: (score.name != asked && !is_wide).then(|| score.name.to_owned()),
            others: others.take(4).map(ToOwned::to_owned).collect(),
            direction,
            columns: names,
            failures: false,
        };
        if is_wide {
            let others = Vec::new();
            let direction = Direction::Maximize;
            return vec![Proposal {
                others,
                direction,
                ..full
            }];
        }
        if full.columns.arm.is_none() {
            return Vec::new();
        }
        let without = |drop: &dyn Fn(&mut ColumnNames)| {
            let mut less = full.clone();
            drop(&mut less.columns);
            less
        };
        vec![
            full.clone(),
            without(&|names| names.seed = None),
            without(&|names| names.split = None),
            without(&|names| names.item = None),
            without(&|names| {
                *names = ColumnNames {
                    arm: names.arm.clone(),
                    ..ColumnNames::default()
                };
            }),
        ]
    }
}

/// The names that are given or meant of the columns beside the score and the arm.
fn named(columns: &[Column<'_>], options: &ReadOptions) -> ColumnNames {
    let is_there = |name: &str| columns.iter().any(|column| column.name == name);
    let kept = |given: &Option<String>, long: &str| {
        let given = given.clone().filter(|given| is_there(given.trim()));
        given.or_else(|| is_there(long).then(|| long.to_owned()))
    };
    let mut names = ColumnNames {
        arm: kept(&options.columns.arm, "arm"),
        item: kept(&options.columns.item, "item"),
        split: kept(&options.columns.split, "split"),
        seed: kept(&options.columns.seed, "seed"),
    };
    let find = |words: &[&str]| {
        let mut found = columns
            .iter()
            .filter(|column| words.contains(&&*column.plain));
        found
            .find(|column| column.is_whole())
            .map(|c| c.name.to_owned())
    };
    let item = |column: &&Column<'_>| ITEMS.contains(&&*column.plain) && column.repeats();
    names.split = names.split.or_else(|| find(&SPLITS));
    names.seed = names.seed.or_else(|| find(&SEEDS));
    if names.item.is_none() && names.split.is_none() {
        names.item = columns
            .iter()
            .find(item)
            .map(|column| column.name.to_owned());
    }
    names
}

/// How much a column of numbers looks like the score: less is more.
fn score_rank(column: &Column<'_>) -> Option<usize> {
    let is_score = column.rank(&SCORES).is_some() || column.rank(&LOSSES).is_some();
    if !is_score && (column.rank(&NO_SCORES).is_some() || column.is_whole()) {
        return None;
    }
    if is_score && column.rank(&NO_SCORES).is_some() && column.plain != "score_time" {
        return Some(9);
    }
    if column.plain == "score_time" {
        return None;
    }
    let of = |words: &[&str]| column.rank(words).is_some();
    let part = match () {
        () if of(&["test", "eval", "holdout"]) => 0,
        () if of(&["train", "training"]) => 3,
        () if of(&["val", "valid", "validation", "dev"]) => 1,
        () => 2,
    };
    let by_name = usize::from(!is_score) * 5 + usize::from(column.rank(&LOSSES).is_some());
    Some(by_name + part * 2)
}

/// How much a column looks like that of the arms: less is more.
fn arm_rank(column: &Column<'_>) -> Option<usize> {
    let named = column.rank(&ARMS);
    let has_texts = !column.values.is_empty() && !column.is_number();
    match named {
        Some(rank) if column.repeats() && (has_texts || column.is_whole()) => Some(rank),
        None if has_texts && column.repeats() => Some(ARMS.len()),
        Some(rank) if has_texts && column.distinct() > 1 => Some(100 + rank),
        _ => None,
    }
}
