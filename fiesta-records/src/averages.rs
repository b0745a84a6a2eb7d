//! Rows and columns of a table that are called means or sums of the others, and the check that they are.

use crate::{
    Evaluations, RowProblem,
    number::number,
    proposal::is_weighted,
    rows::Schema,
    scores::Scores,
    words::{agree, excerpt, quoted},
};
use csv::StringRecord;

/// Rows and columns of a table that are called means or sums of the others.
#[derive(Debug, Default)]
pub(crate) struct Averages {
    /// Columns with names of averages.
    pub(crate) columns: Vec<usize>,
    /// The columns of scores.
    pub(crate) scores: Vec<usize>,
    /// Line, name and cells of each row that is called a mean or a sum of the others.
    pub(crate) rows: Vec<(u64, String, StringRecord)>,
}

impl Averages {
    /// Refuses columns that do not summarise the scores on a row. `names` are those of all columns.
    pub(crate) fn check(&self, row: &StringRecord, names: &[String]) -> Result<(), RowProblem> {
        for &column in &self.columns {
            let cells = self.scores.iter().filter_map(|&column| row.get(column));
            let others: Vec<f64> = cells
                .filter_map(|cell| number("score", cell).ok()?)
                .collect();
            check(&names[column], row.get(column), &others)?;
        }
        Ok(())
    }

    /// Refuses rows that are no means or sums of the columns of scores, and notes which rows and
    /// columns are left out. `others` returns the scores of the other rows in a column.
    pub(crate) fn finish(
        self,
        names: &[String],
        scores: &mut Scores<'_>,
        others: impl Fn(&Evaluations, usize) -> Vec<f64>,
    ) {
        for (line, name, row) in &self.rows {
            let mut places = self.scores.iter().enumerate();
            let checked = places.try_for_each(|(place, &column)| {
                let checked = check(name, row.get(column), &others(&scores.records, place));
                checked.map_err(|problem| RowProblem::in_column(&names[column], problem))
            });
            if let Err(problem) = checked {
                scores.problems().add(*line, problem);
            }
        }
        let rows: Vec<&str> = self.rows.iter().map(|(_, name, _)| &**name).collect();
        let columns: Vec<&str> = self.columns.iter().map(|&place| &*names[place]).collect();
        let remarks = [remark("row", &rows), remark("column", &columns)];
        scores
            .records
            .file
            .remarks
            .extend(remarks.into_iter().flatten());
    }
}

/// Returns a line that says that rows or columns are left out.
fn remark(what: &str, names: &[&str]) -> Option<String> {
    let names_of = (!names.is_empty()).then(|| quoted(names))?;
    let (sums, is, s) = agree(
        names.len(),
        ("summarises", "is", ""),
        ("summarise", "are", "s"),
    );
    Some(format!(
        "the {what}{s} {names_of} {sums} the others, and {is} left out"
    ))
}

/// Refuses the cell of a summary that is neither the mean nor the sum of the others, as far as the
/// rounding of all of them allows.
fn check(name: &str, cell: Option<&str>, others: &[f64]) -> Result<(), RowProblem> {
    let cell = cell.unwrap_or_default().trim();
    let Some(found) = number("score", cell)? else {
        return Ok(());
    };
    if is_weighted(name) || summarises(found, cell, others) {
        return Ok(());
    }
    let (name, mean) = (
        excerpt(name),
        others.iter().sum::<f64>() / others.len() as f64,
    );
    Err(RowProblem::refused(format!(
        "by its name `{name}` is a mean or a sum of the others, and {found} is neither (their mean is {mean:.4}): either it or one of the others is wrong; correct that cell, or give `{name}` another name or leave it out"
    )))
}

/// Returns whether a number, which is printed as `cell`, is the mean or the sum of the others, as far as
/// the rounding of all of them allows.
pub(crate) fn summarises(found: f64, cell: &str, others: &[f64]) -> bool {
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, after)| after.len());
    let half = |decimals: usize| 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
    let of_others = others.iter().map(|other| decimals(&other.to_string()));
    let within = half(of_others.max().unwrap_or(0));
    let (sum, count) = (others.iter().sum::<f64>(), others.len() as f64);
    let is_near = |value: f64, within: f64| {
        (found - value).abs() <= half(decimals(cell)) + within + 1e-9 * found.abs()
    };
    is_near(sum / count, within) || is_near(sum, within * count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposal::names_summary;

    #[test]
    fn means_and_sums_are_so_within_rounding() {
        let is_summary = |cell: &str, others: &[f64]| check("mean", Some(cell), others).is_ok();
        assert!(names_summary("Avg.") && names_summary(" Overall ") && !names_summary("mean_f1"));
        assert!(is_summary("0.8", &[0.71, 0.89]));
        assert!(is_summary("0.67", &[0.5, 0.75, 0.75]));
        assert!(is_summary("1.6", &[0.71, 0.89]));
        // What was rounded may have been .05 larger or smaller.
        assert!(is_summary("0.65", &[0.6, 0.6]) && !is_summary("0.67", &[0.6, 0.6]));
        assert!(!is_summary("0.81", &[0.712, 0.888]));
        assert!(!is_summary("0.5", &[]) && is_summary(" ", &[]));
    }
}
