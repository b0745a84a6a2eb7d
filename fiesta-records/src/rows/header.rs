//! Headers of several lines, as pandas writes columns with levels: metrics above statistics or arms,
//! and a line with the name of the rows.
//!
//! ```text
//! ,rmse,rmse,rmse
//! ,mean,std,count
//! model,,,
//! tree,3.5,0.25,12
//! ```

use super::lines::{Next, Rows};
use crate::{number::is_missing, proposal::names_statistic};
use csv::StringRecord;

/// Returns the names of the columns and the number of lines of the header, if it has several. `rows`
/// are those after its first line.
pub(super) fn of(first: &StringRecord, mut rows: Rows<'_>) -> Option<(Vec<String>, usize)> {
    let outer: Vec<&str> = first.iter().map(str::trim).collect();
    let keys = outer.iter().take_while(|name| name.is_empty()).count();
    // pandas repeats the outer name, and calls the level of the inner ones by a name of their own.
    let named = outer.get(keys.max(1)..)?;
    let is_repeated = named
        .iter()
        .any(|name| named.iter().filter(|other| *other == name).count() > 1);
    if !is_repeated {
        return None;
    }
    let mut next = || {
        let mut row = StringRecord::new();
        let is_row = matches!(rows.next(&mut row), Ok(Next::Row(_)));
        let cells: Vec<String> = row.iter().map(|cell| cell.trim().to_owned()).collect();
        (is_row && cells.len() == outer.len()).then_some(cells)
    };
    let inner = next()?;
    let keys = keys.max(1);
    let is_name = |cell: &String| !is_missing(cell) && cell.parse::<f64>().is_err();
    if !inner[keys..].iter().all(is_name) {
        return None;
    }
    let index = next().filter(|cells| cells[keys..].iter().all(String::is_empty));
    // The line of the inner names begins with their own name, or with nothing.
    let is_blank = |cell: &String| cell.is_empty();
    let is_named = index.is_some() && outer[0].is_empty() && is_name(&inner[0]);
    if !is_named && !inner[..keys].iter().all(is_blank) {
        return None;
    }
    let are_statistics = inner[keys..].iter().all(|name| names_statistic(name));
    let is_one = named.iter().all(|name| name == &named[0]);
    let column = |place: usize| match (&index, place < keys) {
        (Some(index), true) => index[place].clone(),
        (None, true) if inner[place].is_empty() => outer[place].to_owned(),
        (None, true) => inner[place].clone(),
        _ if is_one && !are_statistics => inner[place].clone(),
        _ => format!("{}_{}", outer[place], inner[place]),
    };
    let names = (0..outer.len()).map(column).collect();
    Some((names, 2 + usize::from(index.is_some())))
}
