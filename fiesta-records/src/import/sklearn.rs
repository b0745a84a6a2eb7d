//! scikit-learn's `cv_results_` of a grid or random search: a row per setting, with a column for
//! the test score on each fold.
//!
//! `pandas.DataFrame(search.cv_results_)` as CSV or JSON; the columns are `mean_fit_time`, …,
//! `param_NAME`, `params`, `split0_test_score`, `split1_test_score`, …, `mean_test_score`,
//! `rank_test_score`. With several metrics, `score` is the name of each.

use super::{
    ImportError, ImportOptions, Imported, Missing, Tool,
    choose::{self, Arm},
    error::{self, choose_metric, no_column, nothing_ended, refused},
    table::{Line, Table},
};
use crate::{
    Folds, Record, Records, RecordsError, RowProblem, excerpt, number::is_missing, problem::quoted,
};
use fiesta_core::{Direction, Metric};

const PARAMS: &str = "params";
const FIT_TIME: &str = "mean_fit_time";

/// Whether this is such a table: by its header, or by the keys of JSON.
pub(super) fn is(text: &str, first: &str) -> bool {
    let names: Vec<&str> = first
        .split([',', ';', '\t'])
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    let has = |name: &str| names.contains(&name);
    let is_json = text.trim_start().starts_with(['{', '[']);
    let of_json = || {
        is_json
            && ["\"params\"", "\"mean_fit_time\"", "\"split0_test_"]
                .iter()
                .all(|key| text.contains(key))
    };
    let has_fold = names.iter().any(|name| name.starts_with("split0_test_"));
    !has("arm") && ((has(PARAMS) && has_fold) || of_json())
}

/// The number of the fold and the name of the score of a column.
fn fold(column: &str) -> Option<(u64, &str)> {
    let (number, metric) = column.strip_prefix("split")?.split_once("_test_")?;
    Some((number.parse().ok()?, metric))
}

pub(super) fn read(
    table: &Table,
    options: &ImportOptions,
    file: &str,
) -> Result<Imported, ImportError> {
    refuse_columns(options)?;
    let metric = score(table, options, file)?;
    let mean = mean_over_folds(table, options, &metric);
    let are_trials = options.settings_are_trials && mean.is_some();
    let all = table.columns().iter().enumerate();
    let folds = all.filter_map(|(column, name)| {
        let (number, of) = fold(name)?;
        (of == metric).then_some((Some(number), column))
    });
    let scores: Vec<(Option<u64>, usize)> = match mean {
        Some(mean) => vec![(None, mean)],
        None => folds.collect(),
    };
    let usual = table.column(PARAMS).filter(|_| !are_trials);
    let (arm, notice) = choose::arm(table, options, &["param_"], usual, file)?;
    let name = if metric == "score" {
        "score".to_owned()
    } else {
        metric.clone()
    };
    let checked = Metric::new(&*name, Direction::Maximize, options.bounds);
    let checked = checked.map_err(RecordsError::from)?;
    let mut records = Records::new(checked.name())?;
    let kept: Vec<(usize, &String)> = table
        .columns()
        .iter()
        .enumerate()
        .filter(|(column, name)| name.starts_with("param_") && arm != Arm::Column(*column))
        .collect();
    let time = table.column(FIT_TIME);
    let mut missing: Option<(usize, String)> = None;
    for row in table.rows() {
        let place = format!("{file}:{}", row.line);
        let wrong = |problem: RowProblem| refused(format!("{place}: {problem}"));
        let cells = || {
            let cells = kept.iter();
            cells.map(|(column, name)| (name.as_str(), row.cell(*column).unwrap_or_default()))
        };
        let called = match &arm {
            Arm::One(name) => name.as_str(),
            Arm::Column(column) => row.cell(*column).unwrap_or_default(),
        };
        let duration = time.and_then(|column| row.cell(column)?.parse::<f64>().ok());
        let duration = duration.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        for &(split, column) in &scores {
            let Some(score) = cell(row, column).map_err(&wrong)? else {
                let (count, _) = missing.get_or_insert((0, place.clone()));
                *count += 1;
                if options.missing == Some(Missing::Fail) {
                    let failed = Record {
                        split,
                        duration,
                        line: row.line,
                        ..Record::failed(called)
                    };
                    records.push_failure_with(failed, cells()).map_err(&wrong)?;
                }
                continue;
            };
            let score = checked.check(score).map_err(RowProblem::OutOfBounds);
            let record = Record {
                split,
                duration,
                line: row.line,
                ..Record::new(called, score.map_err(&wrong)?)
            };
            records.push_with(record, cells()).map_err(&wrong)?;
        }
    }
    let mut notices: Vec<String> = notice.into_iter().collect();
    let named = excerpt(&metric);
    if are_trials {
        notices.push(format!("each setting is a trial, by `mean_test_{named}`"));
    }
    if mean.is_none() {
        records.folds = Some(Folds::OfSearch);
        notices.push(format!(
            "the splits are the {} folds of `split0_test_{named}`, …, each an evaluation; with --metric mean_test_{named} each setting is one",
            scores.len()
        ));
    }
    if let Some((count, first)) = missing {
        notices.push(fate(options.missing, &metric, count, &first)?);
    }
    if records.rows().next().is_none() {
        return Err(nothing_ended(file));
    }
    Ok(Imported {
        records,
        tool: Some(Tool::Sklearn),
        direction: None,
        notices,
    })
}

/// Refuses names of columns: the folds are in names of columns of their own.
fn refuse_columns(options: &ImportOptions) -> Result<(), ImportError> {
    let named = [
        ("item", &options.item),
        ("split", &options.split),
        ("seed", &options.seed),
    ];
    match named.into_iter().find(|(_, given)| given.is_some()) {
        Some((flag, _)) => Err(refused(format!(
            "--{flag} names no column of {}: its folds are the splits; leave it out",
            Tool::Sklearn
        ))),
        None => Ok(()),
    }
}

/// The column of the means over the folds, where that was asked for or settings are trials: each
/// setting is one trial then.
fn mean_over_folds(table: &Table, options: &ImportOptions, metric: &str) -> Option<usize> {
    if options.settings_are_trials {
        return table.column(&format!("mean_test_{metric}"));
    }
    let asked = options.metric.as_deref()?.trim();
    let is_mean = asked.starts_with("mean_test_");
    table.column(asked).filter(|_| is_mean)
}

/// Says in words what became of `count` fits without a finite score, of which the first is at
/// `first`.
fn fate(
    missing: Option<Missing>,
    metric: &str,
    count: usize,
    first: &str,
) -> Result<String, ImportError> {
    let fate = match missing {
        None => return Err(error::missing(count, &excerpt(metric), first)),
        Some(Missing::Fail) => "counted as failures",
        Some(Missing::Drop) => "left out",
    };
    Ok(format!(
        "{count} fits without a finite score {fate} (the first is {first})"
    ))
}

/// The name of the score: the one that was asked for, or the only one.
fn score(table: &Table, options: &ImportOptions, file: &str) -> Result<String, ImportError> {
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in table.columns().iter().filter_map(|column| fold(column)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if let Some(asked) = options.metric.as_deref().map(str::trim) {
        let plain = asked.strip_prefix("mean_test_").unwrap_or(asked);
        let plain = plain.strip_prefix("test_").unwrap_or(plain);
        if names.contains(&plain) {
            return Ok(plain.to_owned());
        }
        let column = format!("split0_test_{}", excerpt(plain));
        return Err(no_column(file, &column, &quoted(&names), "metric"));
    }
    match names[..] {
        [only] => Ok(only.to_owned()),
        [] => {
            let expected = "write pandas.DataFrame(search.cv_results_).to_csv(…)";
            Err(choose::not_of_tool(
                "split0_test_score",
                Tool::Sklearn,
                expected,
                file,
            ))
        }
        _ => {
            let shown = quoted(&names);
            let names = names.into_iter().map(str::to_owned).collect();
            Err(choose_metric(file, &shown, names))
        }
    }
}

/// A finite score; none if there is none.
fn cell(row: &Line, column: usize) -> Result<Option<f64>, RowProblem> {
    let text = row.cell(column).unwrap_or_default();
    if is_missing(text) {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(score) => Ok(Some(score).filter(|score| score.is_finite())),
        Err(_) => Err(RowProblem::NotANumber {
            field: "score",
            found: excerpt(text),
        }),
    }
}
