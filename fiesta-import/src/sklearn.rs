//! scikit-learn's `cv_results_` of a grid or random search: a row per setting, with a column for
//! the test score on each fold.
//!
//! The module `cross_validate` reads what scikit-learn's function of this name returns.
//!
//! `pandas.DataFrame(search.cv_results_)` as CSV or JSON; the columns are `mean_fit_time`, …,
//! `param_NAME`, `params`, `split0_test_score`, `split1_test_score`, …, `mean_test_score`,
//! `rank_test_score`. With several metrics, `score` is the name of each. Halving searches add `iter` and
//! `n_resources`: their last round with several settings is read. A row with the setting and the scores of an earlier one is left out.

use crate::{
    Imported, Result, Tool,
    choose::{self, Arm, Candidates, Tally},
    collected::Collected,
    cross_validate,
    error::{nothing_ended, refused},
};
use fiesta_core::Direction;
use fiesta_records::table::{Line, Table};
use fiesta_records::{
    ColumnRole, Folds, Record, Role, RowProblem, Rule, excerpt,
    words::{agree, count, quoted},
};
use fiesta_records::{Missing, Reading};
use std::collections::{BTreeMap, HashSet};

const PARAMS: &str = "params";
const FIT_TIME: &str = "mean_fit_time";
/// Columns of halving searches: the round, and how much of the data or of another resource a setting got.
const ITER: &str = "iter";
const RESOURCES: &str = "n_resources";

/// Returns whether this is a table of a search, by its header or the keys of JSON.
pub(crate) fn is(text: &str, first: &str) -> bool {
    let names: Vec<&str> = first
        .split([',', ';', '\t'])
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    let has = |name: &str| names.contains(&name);
    let is_json = text.trim_start().starts_with(['{', '[']);
    let of_json = || {
        let keys = ["\"params\"", "\"mean_fit_time\"", "\"split0_test_"];
        let of_search = || keys.iter().all(|key| text.contains(key));
        is_json && (of_search() || cross_validate::is_json(text))
    };
    let has_fold = names.iter().any(|name| name.starts_with("split0_test_"));
    let of_csv = (has(PARAMS) && has_fold) || cross_validate::is(&names);
    !has("arm") && (of_csv || of_json())
}

/// Returns the number of the fold and the name of the score from the name of a column.
fn fold(column: &str) -> Option<(u64, &str)> {
    let (number, metric) = column.strip_prefix("split")?.split_once("_test_")?;
    Some((number.parse().ok()?, metric))
}

pub(crate) fn read(table: &Table, options: &Reading, file: &str) -> Result<Imported> {
    if cross_validate::is(table.columns()) {
        return cross_validate::read(table, options, file);
    }
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
    let mut collected = Collected::new(&metric, options)?;
    let kept: Vec<(usize, &String)> = table
        .columns()
        .iter()
        .enumerate()
        .filter(|(column, name)| name.starts_with("param_") && arm != Arm::Column(*column))
        .collect();
    let time = table.column(FIT_TIME);
    let mut missing = Tally::default();
    let (is_last, of_rounds) = last_round(table);
    if are_trials && of_rounds.is_some() {
        return Err(refused(format!(
            "{file}: a halving search gives settings that go on more data (`{ITER}`, `{RESOURCES}`), so that they are no random sample of trials: run a random search for a curve"
        )));
    }
    let (mut copies, mut seen) = (Tally::default(), HashSet::new());
    for row in table.rows().iter().filter(|row| is_last(row)) {
        let place = format!("{file}:{}", row.line);
        let params = table.column(PARAMS).and_then(|column| row.cell(column));
        let cells_of_scores = scores.iter().map(|&(_, column)| row.cell(column));
        let own: Vec<Option<&str>> = cells_of_scores.collect();
        if params.is_some() && !are_trials && !seen.insert((params, own)) {
            copies.add(|| place.clone());
            continue;
        }
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
            let score = choose::score(row.cell(column).unwrap_or_default());
            let score = score.map_err(&wrong)?;
            if score.is_none() {
                missing.add(|| place.clone());
                if options.missing_as() != Some(Missing::Fail) {
                    continue;
                }
            }
            let record = Record {
                split,
                duration,
                line: row.line,
                ..Record::failed(called)
            };
            collected.push(record, score, cells()).map_err(&wrong)?;
        }
    }
    let mut records = collected.finish(options, file)?;
    let mut notices: Vec<String> = notice.into_iter().collect();
    let named = excerpt(&metric);
    if are_trials {
        notices.push(format!("each setting is a trial, by `mean_test_{named}`"));
    }
    if mean.is_none() {
        records.set_folds(Some(Folds::OfSearch));
        notices.push(format!(
            "the splits are the {} folds of `split0_test_{named}`, …, each an evaluation; with --metric mean_test_{named} each setting is one",
            scores.len()
        ));
    }
    notices.extend(of_rounds);
    notices.extend(copies.notice("setting", "with the scores of an earlier row left out"));
    let fate = choose::missing(&missing, &named, options)?;
    notices.extend(missing.notice("fit", &format!("without a finite score {fate}")));
    if records.rows().next().is_none() {
        return Err(nothing_ended(file));
    }
    Ok(Imported {
        texts: crate::TextPlaces::default(),
        records,
        tool: Some(Tool::Sklearn),
        direction: direction(&metric),
        notices,
        roles: roles(table, &scores, options),
    })
}

/// Returns which rows of a halving search are of its last round with several settings, and a notice. Settings that
/// went on to a later round have scores of more data, so that only those of one round compare. All rows of any
/// other search.
fn last_round(table: &Table) -> (impl Fn(&Line) -> bool, Option<String>) {
    let columns = table.column(ITER).zip(table.column(RESOURCES));
    let round = move |row: &Line| row.cell(columns?.0)?.parse::<u64>().ok();
    let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
    for round in table.rows().iter().filter_map(round) {
        *sizes.entry(round).or_default() += 1;
    }
    let several = sizes.iter().rev().find(|(_, settings)| **settings > 1);
    let last = several.or(sizes.iter().next_back());
    let last = last.map(|(&round, &settings)| (round, settings));
    let notice = last.map(|(round, settings)| {
        let others = table.rows().len() - settings;
        format!(
            "the rounds of a halving search differ in their data (`{RESOURCES}`), and only scores of one round compare: read is the last with several settings, `{ITER}` {round}; {} of other rounds {} left out",
            count(others as u64, "row"),
            agree(others as u64, "is", "are")
        )
    });
    let last = last.map(|(round, _)| round);
    (move |row: &Line| round(row) == last, notice)
}

/// Returns the role of each column, where these hold scores.
fn roles(table: &Table, scores: &[(Option<u64>, usize)], options: &Reading) -> Vec<ColumnRole> {
    let by = if options.metric.is_some() {
        Rule::Named
    } else {
        Rule::Tool
    };
    let of = |(column, name): (usize, &String)| {
        let (role, rule) = match name.as_str() {
            _ if scores.iter().any(|&(_, of)| of == column) => (Role::Score, by),
            PARAMS => (Role::Arm, Rule::Tool),
            FIT_TIME => (Role::Duration, Rule::Tool),
            "" => (Role::Nothing, Rule::Nameless),
            _ => (Role::Kept, Rule::Tool),
        };
        ColumnRole::new(name.as_str(), role, rule)
    };
    table.columns().iter().enumerate().map(of).collect()
}

/// Returns the direction that the name of a score states: a score that would be minimized is
/// negated, and its name begins with `neg_`.
pub(crate) fn direction(score: &str) -> Option<Direction> {
    score.starts_with("neg_").then_some(Direction::Maximize)
}

/// Returns the column of the means over the folds, if the user asked for it or for settings as
/// trials. Each setting is then one trial.
fn mean_over_folds(table: &Table, options: &Reading, metric: &str) -> Option<usize> {
    if options.settings_are_trials {
        return table.column(&format!("mean_test_{metric}"));
    }
    let asked = options.metric.as_deref()?.trim();
    let is_mean = asked.starts_with("mean_test_");
    table.column(asked).filter(|_| is_mean)
}

/// Returns the name of the score: the one that was asked for, or the only one.
fn score(table: &Table, options: &Reading, file: &str) -> Result<String> {
    const FIRST: &str = "split0_test_";
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in table.columns().iter().filter_map(|column| fold(column)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let asked = options.metric.as_deref().map(|asked| {
        let asked = asked.trim();
        let plain = asked.strip_prefix("mean_test_").unwrap_or(asked);
        format!("{FIRST}{}", plain.strip_prefix("test_").unwrap_or(plain))
    });
    if names.is_empty() && asked.is_none() {
        let expected = "write pandas.DataFrame(search.cv_results_).to_csv(…)";
        let column = "split0_test_score";
        return Err(choose::not_of_tool(column, Tool::Sklearn, expected, file));
    }
    let find = |asked: &str| {
        let is_asked = |name: &&str| asked.strip_prefix(FIRST) == Some(name);
        names.iter().copied().find(is_asked)
    };
    let named = names.iter().map(|&name| (name.to_owned(), name));
    let scores = Candidates::scores(named, quoted(&names));
    choose::metric(asked.as_deref(), find, scores, file).map(str::to_owned)
}
