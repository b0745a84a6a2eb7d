//! Tables that hold several metrics below one another: a column names the metric of each row's score, by its own
//! name or by its values.

use crate::{
    Format, Reading, RecordsError,
    columns::joined,
    number::is_missing,
    proposal::{names_metric, names_quantity, plain},
    scores::UNNAMED,
    table::{Table, push_row},
    words::excerpt,
};
use std::collections::HashSet;

/// Names of columns that name the metric of a row.
const NAMES: [&str; 7] = [
    "metric",
    "metrics",
    "metric_name",
    "measure",
    "measure_name",
    "score_name",
    "criterion",
];

/// Names of columns that hold the scores of such a table.
const VALUES: [&str; 6] = [
    "score",
    "value",
    "result",
    "metric_value",
    "scores",
    "values",
];

/// Number of bytes in which the name of a column stands, if there is such a column.
const START: usize = 1 << 14;

/// Rows of a file that are of one metric, as a table of their own.
pub(crate) struct OfOneMetric {
    /// A table separated by tabs, whose column of scores is called as the metric. Rows stand on the lines of
    /// the file.
    pub(crate) tsv: String,
    /// The options to read the table.
    pub(crate) options: Reading,
    /// Notice that names the columns of the scores and of the metrics.
    pub(crate) remark: String,
}

/// Returns the rows of the metric that was asked for, or of the only one. `None` if no column names
/// metrics.
///
/// # Errors
/// [`RecordsError::Metrics`] if there are several, and none of them was asked for.
pub(crate) fn rows_of_one(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    file: &str,
) -> Result<Option<OfOneMetric>, RecordsError> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START)]).to_lowercase();
    let may_be = ["metric", "measure", "score_name", "criterion"]
        .iter()
        .any(|name| start.contains(name));
    if !may_be && !names_metrics(&start) || options.gold.is_some() {
        return Ok(None);
    }
    // What is no table is told of by its reader.
    let Ok(table) = Table::read(bytes, format, file) else {
        return Ok(None);
    };
    let names = table.columns();
    let Some((column, scores)) = columns(&table, options) else {
        return Ok(None);
    };
    let mut metrics: Vec<&str> = Vec::new();
    for metric in table.rows().iter().filter_map(|row| row.cell(column)) {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    let asked = options.metric.as_deref().map(str::trim);
    let metric = match (&metrics[..], asked) {
        (_, Some(asked)) if metrics.contains(&asked) => asked,
        ([], _) => return Ok(None),
        (_, Some(asked)) if asked != names[scores] => return Ok(None),
        // A score with a name of its own is another one: the column is about something else.
        ([_], _) if !VALUES.contains(&&*plain(&names[scores])) => return Ok(None),
        (&[only], _) => only,
        _ => {
            return Err(RecordsError::Metrics {
                file: file.to_owned(),
                column: names[column].clone(),
                metrics: metrics.iter().map(|&metric| metric.to_owned()).collect(),
            });
        }
    };
    let rows = table
        .rows()
        .iter()
        .filter(|row| row.cell(column) == Some(metric));
    // The numbers that pandas gives to rows do not follow one another any more.
    let is_kept =
        |place: &usize| *place != column && !names[*place].is_empty() && names[*place] != UNNAMED;
    let kept: Vec<usize> = (0..names.len()).filter(is_kept).collect();
    let mut tsv = String::new();
    let header = kept.iter().map(|&place| {
        if place == scores {
            metric
        } else {
            &*names[place]
        }
    });
    let mut next = 1 + push_row(&mut tsv, header);
    for row in rows {
        let blank = row.line.saturating_sub(next);
        tsv.extend((0..blank).map(|_| '\n'));
        let cells = kept
            .iter()
            .map(|&place| row.cell(place).unwrap_or_default());
        next += blank + push_row(&mut tsv, cells);
    }
    Ok(Some(OfOneMetric {
        tsv,
        options: Reading {
            metric: Some(metric.to_owned()),
            ..options.clone()
        },
        remark: format!(
            "`{}` holds scores of `{}`, as the column `{}` says",
            excerpt(&names[scores]),
            excerpt(metric),
            excerpt(&names[column])
        ),
    }))
}

/// Returns whether a text, in small letters, has two names of metrics below its first line.
fn names_metrics(text: &str) -> bool {
    let (_, rows) = text.split_once('\n').unwrap_or(("", text));
    let is_sign =
        |sign: char| !sign.is_alphanumeric() && !['_', '-', ' ', '/', '@'].contains(&sign);
    let mut found = rows.split(is_sign).filter(|cell| names_metric(cell));
    let first = found.next();
    first.is_some_and(|first| found.any(|other| other != first))
}

/// Returns whether a column without a telling name holds names of metrics, at least two: `acc`, `loss`. Those of
/// times, costs and counts may stand among them. Words of verdicts (`win`, `loss`) alone are none.
fn holds_metrics(table: &Table, place: usize) -> bool {
    const VERDICTS: [&str; 10] = [
        "correct", "error", "errors", "win", "loss", "pass", "passed", "match", "success", "miss",
    ];
    let cells = table.rows().iter().filter_map(|row| row.cell(place));
    let names: HashSet<String> = cells.map(plain).collect();
    let is_sure = |name: &String| names_metric(name) && !VERDICTS.contains(&name.as_str());
    names.len() > 1
        && names.iter().any(is_sure)
        && names
            .iter()
            .all(|name| names_metric(name) || names_quantity(name))
}

/// Returns the column that names metrics, and that of their scores.
fn columns(table: &Table, options: &Reading) -> Option<(usize, usize)> {
    let names = table.columns();
    let given = options
        .columns
        .named()
        .into_iter()
        .filter_map(|(_, name)| name);
    let given: Vec<&str> = given
        .flat_map(|name| [name].into_iter().chain(joined(name)))
        .collect();
    let is_free =
        |name: &String| !given.contains(&name.as_str()) && options.metric.as_deref() != Some(name);
    let is_text = |place: usize| {
        let mut cells = table.rows().iter().filter_map(|row| row.cell(place));
        cells.all(|cell| cell.parse::<f64>().is_err() && !is_missing(cell))
    };
    let mut found = names
        .iter()
        .enumerate()
        .filter(|(_, name)| NAMES.contains(&&*plain(name)) && is_free(name));
    let named = found.find(|(place, _)| is_text(*place));
    let column = named.map(|(place, _)| place).or_else(|| {
        let mut others = names.iter().enumerate();
        let is_other = |(place, name): &(usize, &String)| {
            *name != "arm" && is_free(name) && holds_metrics(table, *place)
        };
        others.find(is_other).map(|(place, _)| place)
    })?;
    let asked = options
        .metric
        .as_deref()
        .and_then(|metric| table.column(metric.trim()));
    let scores = asked.or_else(|| {
        let place = |known: &&str| names.iter().position(|name| plain(name) == **known);
        VALUES.iter().find_map(place)
    })?;
    Some((column, scores))
}
