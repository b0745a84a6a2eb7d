//! scikit-learn's `cross_validate`: a row per fold of one model.
//!
//! `pandas.DataFrame(cross_validate(…))` as CSV or JSON, or its lists as JSON; the columns are
//! `fit_time`, `score_time`, `test_score` or `test_NAME` of several scores, and `train_…`.

use crate::{
    Imported, Result, Tool,
    choose::{self, Arm},
    json::lenient,
    sklearn,
    trials::{Duration, Shape},
};
use fiesta_records::{Folds, Format, Reading, names_arms, table::Table, text};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const FIT_TIME: &str = "fit_time";
const TEST: &str = "test_";

/// Name of the column for the numbers of folds. Each row of the table is one fold.
const FOLD: &str = "fold";

/// Returns whether columns of these names are those that scikit-learn's `cross_validate` writes.
pub(crate) fn is<S: AsRef<str>>(names: &[S]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name.as_ref() == wanted);
    let has_score = names.iter().any(|name| name.as_ref().starts_with(TEST));
    !has("arm") && has(FIT_TIME) && has("score_time") && has_score
}

/// Returns whether a JSON text is what scikit-learn's `cross_validate` returned.
pub(crate) fn is_json(text: &str) -> bool {
    let keys = ["\"fit_time\"", "\"score_time\"", "\"test_"];
    keys.iter().all(|key| text.contains(key)) && !text.contains("\"arm\"")
}

pub(crate) fn read(table: &Table, options: &Reading, file: &str) -> Result<Imported> {
    let named = table.columns().iter().position(|name| names_arms(name));
    let arm = choose::arm(table, options, &[], named, file)?;
    let table = &numbered(table, &arm.0);
    let names = table.columns().iter().enumerate();
    let scores = names.filter(|(_, name)| name.starts_with(TEST));
    let scores: Vec<usize> = scores.map(|(column, _)| column).collect();
    let metric = choose::score_of_table(table, options, &[TEST], &scores, file)?;
    let name = &table.columns()[metric];
    let time = table.column(FIT_TIME).filter(|&time| time != metric);
    let mut shape = Shape {
        duration: time.map_or(Duration::Unknown, Duration::In),
        direction: sklearn::direction(name.strip_prefix(TEST).unwrap_or(name)),
        ..Shape::new(Tool::Sklearn, file, metric, arm)
    };
    let folds = "the splits are the folds of the cross-validation, one on each row";
    shape.notices.push(folds.to_owned());
    let mut options = options.clone();
    options.columns.split = Some(FOLD.to_owned());
    let mut found = shape.records(table, &options)?;
    found.records.set_folds(Some(Folds::OfSearch));
    Ok(found)
}

/// Returns the table with the number of each fold of an arm, from 0, unless a column states the folds.
fn numbered(table: &Table, arm: &Arm) -> Table {
    if matches!(arm, Arm::Column(_)) && table.column(FOLD).is_some() {
        return table.clone();
    }
    let kept = || {
        table
            .columns()
            .iter()
            .enumerate()
            .filter(|(_, name)| *name != FOLD)
    };
    let mut whole = Table::new(kept().map(|(_, name)| name.as_str()).chain([FOLD]));
    let mut folds: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for row in table.rows() {
        let of = match arm {
            Arm::Column(arm) => row.cell(*arm),
            Arm::One(_) => None,
        };
        let fold = folds.entry(of).or_default();
        let number = fold.to_string();
        *fold += 1;
        let cells = kept().map(|(column, _)| row.cell(column));
        whole.push(row.line, cells.chain([Some(number.as_str())]));
    }
    whole
}

/// Reads a table of scikit-learn's: CSV, a list of objects, or an object of columns, each of which
/// is a list, or an object by the numbers of rows as pandas writes it.
pub(crate) fn table(bytes: &[u8], format: Option<Format>, file: &str) -> Result<Table> {
    let text = text(bytes, file)?;
    if text.trim_start().starts_with('{')
        && let Ok(columns) = lenient(text, |text| {
            serde_json::from_str::<Map<String, Value>>(text)
        })
        && columns
            .values()
            .all(|column| column.is_array() || column.is_object())
    {
        return Ok(transposed(&columns));
    }
    Ok(Table::read(bytes, format, file)?)
}

fn transposed(columns: &Map<String, Value>) -> Table {
    let mut rows: BTreeMap<u64, BTreeMap<usize, String>> = BTreeMap::new();
    for (column, values) in columns.values().enumerate() {
        let listed = values.as_array().into_iter().flatten();
        let by_number = values.as_object().into_iter().flatten();
        let by_number = by_number.filter_map(|(number, value)| Some((number.parse().ok()?, value)));
        for (row, value) in (0..).zip(listed).chain(by_number) {
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            rows.entry(row).or_default().insert(column, text);
        }
    }
    let mut table = Table::new(columns.keys());
    for (row, cells) in (1..).zip(rows.values()) {
        let cell = |column| cells.get(&column).map(String::as_str);
        table.push(row, (0..columns.len()).map(cell));
    }
    table
}
