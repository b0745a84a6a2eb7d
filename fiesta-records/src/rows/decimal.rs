//! Numbers with a decimal comma in the columns of a table: which columns hold them, where that is
//! certain.

use crate::{HeaderProblem, words::excerpt};
use csv::StringRecord;

/// Kinds of number in the cells of a column, with an example of each kind.
#[derive(Debug, Default, Clone)]
struct Column {
    /// `0,71`: no separator of thousands.
    comma: Option<String>,
    /// `1,234`: perhaps one.
    either: Option<String>,
    /// `0.71`.
    point: Option<String>,
    /// Anything but a number.
    text: bool,
}

/// Tally of the kinds of number in all columns.
#[derive(Debug, Default)]
pub(super) struct Tally(Vec<Column>);

/// Way in which a cell writes its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Whole,
    Point,
    Comma,
    Either,
    Text,
}

fn written(cell: &str) -> Written {
    if cell.parse::<f64>().is_ok() {
        return if cell.contains('.') {
            Written::Point
        } else {
            Written::Whole
        };
    }
    match cell.split_once(',') {
        Some((whole, fraction)) if with_point(cell).is_some() => {
            let digits = whole.trim_start_matches(['-', '+']);
            let is_group = fraction.len() == 3 && fraction.bytes().all(|b| b.is_ascii_digit());
            if is_group && (1..=3).contains(&digits.len()) && !digits.starts_with('0') {
                Written::Either
            } else {
                Written::Comma
            }
        }
        _ => Written::Text,
    }
}

/// Returns a number with a decimal comma rewritten with a point. `None` for other texts.
pub(super) fn with_point(cell: &str) -> Option<String> {
    let (whole, fraction) = cell.split_once(',')?;
    let is_digit = |text: &str| text.bytes().next().is_some_and(|b| b.is_ascii_digit());
    if fraction.contains([',', '.']) || whole.contains('.') || !is_digit(fraction) {
        return None;
    }
    let digits = whole.trim_start_matches(['-', '+']);
    if !is_digit(digits) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = format!("{whole}.{fraction}");
    number.parse::<f64>().is_ok().then_some(number)
}

impl Tally {
    pub(super) fn add(&mut self, row: &StringRecord) {
        if self.0.len() < row.len() {
            self.0.resize(row.len(), Column::default());
        }
        for (column, cell) in self.0.iter_mut().zip(row) {
            let cell = cell.trim();
            let kind = if cell.is_empty() {
                Written::Whole
            } else {
                written(cell)
            };
            let example = match kind {
                Written::Whole => continue,
                Written::Text => {
                    column.text = true;
                    continue;
                }
                Written::Point => &mut column.point,
                Written::Comma => &mut column.comma,
                Written::Either => &mut column.either,
            };
            example.get_or_insert_with(|| excerpt(cell));
        }
    }

    /// Which columns are written with a decimal comma; those that are `wanted` are read as numbers.
    ///
    /// # Errors
    /// [`HeaderProblem`] if some of these numbers have a comma and some a point, or all could as
    /// well have a separator of thousands.
    pub(super) fn columns(
        self,
        names: &[String],
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<bool>, HeaderProblem> {
        let columns = || names.iter().zip(&self.0);
        let of_numbers = || columns().filter(|(name, _)| wanted(name));
        let mut commas = of_numbers().filter_map(|(_, column)| column.comma.as_ref());
        let Some(comma) = commas.next() else {
            let mut either = of_numbers().filter_map(|(name, c)| Some((name, c.either.clone()?)));
            return match either.next() {
                Some((name, found)) => Err(HeaderProblem::Thousands {
                    column: excerpt(name),
                    found,
                }),
                None => Ok(vec![false; names.len()]),
            };
        };
        let mut points = of_numbers().filter_map(|(name, c)| Some((name, c.point.clone()?)));
        if let Some((name, point)) = points.next() {
            return Err(HeaderProblem::Decimals {
                column: excerpt(name),
                comma: comma.clone(),
                point,
            });
        }
        let is_number = |(name, column): (&String, &Column)| {
            wanted(name) || (!column.text && column.point.is_none())
        };
        Ok(columns().map(is_number).collect())
    }
}

/// Returns the row with decimal points for the commas in these columns.
pub(super) fn restore(row: &StringRecord, columns: &[bool]) -> StringRecord {
    let cells = row
        .iter()
        .zip(columns.iter().chain(std::iter::repeat(&false)));
    let cells = cells.map(|(cell, is_number)| match with_point(cell.trim()) {
        Some(number) if *is_number => number,
        _ => cell.to_owned(),
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_apart_by_their_marks() {
        for (cell, kind) in [
            ("0,71", Written::Comma),
            ("-12,5", Written::Comma),
            ("0,712", Written::Comma),
            ("1,5e-3", Written::Comma),
            ("1,234", Written::Either),
            ("1,2345", Written::Comma),
            ("1.5", Written::Point),
            ("7", Written::Whole),
            ("1.234,5", Written::Text),
            ("1,2,3", Written::Text),
            (",5", Written::Text),
            ("5,", Written::Text),
            ("a,b", Written::Text),
            ("1,nan", Written::Text),
        ] {
            assert_eq!(written(cell), kind, "{cell}");
        }
        assert_eq!(with_point("-12,5").as_deref(), Some("-12.5"));
    }
}
