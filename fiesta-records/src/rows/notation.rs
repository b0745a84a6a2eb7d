//! Notations of the cells of a table: numbers with a decimal comma or a percent sign, words of truth,
//! dashes where there is no number, names of splits. A column is read so only if all of its cells
//! agree.

use super::marks::without_marks;
use crate::{
    HeaderProblem,
    formula::original,
    number::is_missing,
    proposal::{may_be_property, named_direction, names_answers},
    status::tells_of_failure,
    words::{excerpt, quoted},
};
use csv::StringRecord;
use fiesta_core::Direction;
use std::{borrow::Cow, collections::BTreeMap};

/// Way in which the cells of a column are written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// Cells are texts, or plain numbers and nothing else.
    #[default]
    Plain,
    /// Cells are numbers, and marks such as `-` where there is no number.
    Gaps,
    /// Cells are numbers with a decimal comma.
    Comma,
    /// Cells are numbers with a percent sign.
    Percent,
    /// Cells are numbers with marks of bold type or of footnotes.
    Marks,
    /// Cells are words of truth, for 1 and 0.
    Truth,
    /// Cells are names of splits.
    Names,
}

/// Use of a column: as what its cells are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Score,
    Expense,
    Split,
    Text,
}

/// Kind of a cell, such as a number with a percent sign. A number has two kinds: one for its sign, one for its decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A number with a percent sign.
    Percent,
    /// A number without a percent sign.
    Bare,
    Whole,
    /// A number with a decimal point, such as `0.71`.
    Point,
    /// A number with a decimal comma, such as `0,71`: no separator of thousands.
    Comma,
    /// A number that may have a decimal comma or a separator of thousands, such as `1,234`.
    Either,
    /// A number with marks of bold type or of footnotes.
    Marked,
    /// A word of truth that is said of answers alone.
    Answer,
    /// A word of truth that may be a property.
    Property,
    /// A word such as `error`, which among words of truth says that there is no answer.
    Failure,
    /// A mark that stands for no number.
    Gap,
    /// A text that is no number, no word of truth and no mark.
    Text,
}

/// The kinds of cell in a column, each with the line and the text of the first.
#[derive(Debug, Default, Clone)]
struct Column(BTreeMap<Kind, (u64, String)>);

/// Tally of the kinds of cell in all columns.
#[derive(Debug, Default)]
pub(super) struct Tally(Vec<Column>);

/// Returns the kind of a cell by the decimals of its number, or by its text. Below a text, words that
/// tell of failures are texts, too.
fn kind(cell: &str, is_below_text: bool) -> Kind {
    if is_gap(cell) || is_missing(cell) {
        return Kind::Gap;
    }
    if cell.parse::<f64>().is_ok() {
        return if cell.contains('.') {
            Kind::Point
        } else {
            Kind::Whole
        };
    }
    match (cell.split_once(','), truth(cell)) {
        (Some((whole, fraction)), _) if with_point(cell).is_some() => {
            let digits = whole.trim_start_matches(['-', '+']);
            let is_group = fraction.len() == 3 && fraction.bytes().all(|b| b.is_ascii_digit());
            if is_group && (1..=3).contains(&digits.len()) && !digits.starts_with('0') {
                Kind::Either
            } else {
                Kind::Comma
            }
        }
        (_, Some((_, true))) => Kind::Property,
        (_, Some((_, false))) => Kind::Answer,
        _ if !is_below_text && is_failure(cell) => Kind::Failure,
        _ => Kind::Text,
    }
}

/// Returns a number with a decimal comma rewritten with a point. `None` for other texts.
fn with_point(cell: &str) -> Option<String> {
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

/// Returns the number before a percent sign. `None` if there is no sign.
fn before_percent(cell: &str) -> Option<&str> {
    cell.strip_suffix('%').map(str::trim_end)
}

/// Returns the number in a cell with marks of bold type or of footnotes. `None` for any other cell.
#[allow(clippy::manual_pattern_char_comparison, reason = "an array is slower")]
fn bare(cell: &str) -> Option<String> {
    // Nearly every cell has no mark.
    if !cell.contains(|c| matches!(c, '*' | '_' | '\\' | '$' | '^' | '†' | '‡' | '§' | '¶')) {
        return None;
    }
    without_marks(cell).filter(|bare| {
        let number = before_percent(bare).unwrap_or(bare);
        number.parse::<f64>().is_ok() || with_point(number).is_some()
    })
}

/// Returns the truth value of a word such as `pass` or `yes`, and whether the word may also tell of a property. `None` for other words.
pub(super) fn truth(cell: &str) -> Option<(bool, bool)> {
    match cell.to_ascii_lowercase().as_str() {
        "pass" | "passed" | "correct" | "right" | "solved" | "resolved" => Some((true, false)),
        "fail" | "failed" | "incorrect" | "wrong" | "unsolved" | "unresolved" => {
            Some((false, false))
        }
        "true" | "yes" | "✓" | "✔" => Some((true, true)),
        "false" | "no" | "✗" | "✘" => Some((false, true)),
        _ => None,
    }
}

/// Returns whether a cell is a word of a failed evaluation, and none of a wrong answer.
fn is_failure(cell: &str) -> bool {
    const LONGEST: usize = 24;
    cell.len() <= LONGEST && truth(cell).is_none() && tells_of_failure(cell)
}

/// Returns whether a cell is a mark that stands where there is no number.
fn is_gap(cell: &str) -> bool {
    matches!(cell, "-" | "–" | "—" | "?") || cell.eq_ignore_ascii_case("n.a.")
}

impl Column {
    fn add(&mut self, line: u64, marked: &str) {
        let bare = bare(marked);
        let cell = bare.as_deref().unwrap_or(marked);
        if bare.is_some() {
            let first = self.0.entry(Kind::Marked);
            first.or_insert_with(|| (line, excerpt(marked)));
        }
        let kind = |cell: &str| kind(cell, self.has(&[Kind::Text]));
        let kinds = match (before_percent(cell).map(kind), kind(cell)) {
            // Nobody writes thousands of percents.
            (Some(Kind::Comma | Kind::Either), _) => [Kind::Percent, Kind::Comma],
            (Some(of @ (Kind::Whole | Kind::Point)), _) => [Kind::Percent, of],
            (None, of) if of <= Kind::Either => [Kind::Bare, of],
            (_, other) => [other, other],
        };
        for kind in kinds {
            let first = self.0.entry(kind);
            first.or_insert_with(|| (line, excerpt(cell)));
        }
    }

    fn has(&self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.0.contains_key(kind))
    }

    /// Returns the notation of a column, apart from decimal commas.
    fn notation(&self) -> Notation {
        let has_truth = self.has(&[Kind::Answer, Kind::Property]);
        match (self.has(&[Kind::Percent]), self.has(&[Kind::Bare])) {
            _ if self.has(&[Kind::Text]) => Notation::Plain,
            (false, false) if has_truth => Notation::Truth,
            _ if self.has(&[Kind::Failure]) => Notation::Plain,
            (true, false) if !has_truth => Notation::Percent,
            (false, _) if !has_truth && self.has(&[Kind::Gap]) => Notation::Gaps,
            _ if self.has(&[Kind::Marked]) => Notation::Marks,
            _ => Notation::Plain,
        }
    }
}

impl Tally {
    pub(super) fn add(&mut self, line: u64, row: &StringRecord) {
        if self.0.len() < row.len() {
            self.0.resize(row.len(), Column::default());
        }
        for (column, cell) in self.0.iter_mut().zip(row) {
            // JSON's texts are as CSV has them.
            let cell = original(cell.trim());
            if !cell.is_empty() {
                column.add(line, &cell);
            }
        }
    }

    /// Returns the notations of columns whose use is not known. Words of truth that may be properties
    /// are numbers only below the name of a score, or where all columns but the items' hold such words.
    pub(super) fn of_sample(&self, names: &[String]) -> Vec<Notation> {
        let columns = names.iter().zip(&self.0);
        let named = columns.filter(|(name, _)| !name.is_empty() && !name.starts_with("Unnamed: "));
        let (keys, answers): (Vec<_>, Vec<_>) =
            named.partition(|(_, column)| column.notation() != Notation::Truth);
        let are_answers = answers.len() > 1
            && keys.len() == 1
            && names_answers(keys[0].0)
            && !answers.iter().any(|(name, _)| may_be_property(name));
        let may_be_property = |name: &String, column: &Column| {
            let is_score = are_answers || named_direction(name) == Some(Direction::Maximize);
            column.has(&[Kind::Property]) && !is_score
        };
        let columns = names.iter().zip(&self.0);
        let notation = |(name, column): (&String, &Column)| match column.notation() {
            Notation::Truth if may_be_property(name, column) => Notation::Plain,
            notation => notation,
        };
        columns.map(notation).collect()
    }

    /// Returns the notations of columns whose use `of` tells by their names.
    ///
    /// # Errors
    /// A line and the problem if some of the numbers have a comma and some a point, all could as
    /// well have a separator of thousands, or some scores have a percent sign and some have none.
    pub(super) fn columns(
        &self,
        names: &[String],
        of: impl Fn(&str) -> Use,
    ) -> Result<Vec<Notation>, (u64, HeaderProblem)> {
        let columns = || names.iter().map(|name| (name, of(name))).zip(&self.0);
        let first = |uses: &[Use], kind: Kind| {
            let mut columns = columns().filter(|((_, of), _)| uses.contains(of));
            columns.find_map(|((name, _), column)| {
                let (line, found) = column.0.get(&kind)?.clone();
                Some((excerpt(name), line, found))
            })
        };
        let (scores, numbers) = (&[Use::Score][..], &[Use::Score, Use::Expense][..]);
        let signs = (first(scores, Kind::Percent), first(scores, Kind::Bare));
        if let (Some((_, line, with)), Some((column, other, without))) = signs {
            let problem = HeaderProblem::refused(format!(
                "some scores have a percent sign (`{with}`), and some in the column `{column}` have none (`{without}`): write all of them with the sign, or all without"
            ));
            return Err((line.max(other), problem));
        }
        let comma = first(numbers, Kind::Comma);
        let has_commas = comma.is_some();
        if let (Some((_, _, comma)), Some((column, line, point))) =
            (comma, first(numbers, Kind::Point))
        {
            let problem = HeaderProblem::refused(format!(
                "some numbers have a decimal comma (`{comma}`), and some in the column `{column}` a point (`{point}`), which may separate thousands: write all of them with a decimal point, and without separators of thousands"
            ));
            return Err((line, problem));
        }
        if let Some((column, line, found)) = first(numbers, Kind::Either).filter(|_| !has_commas) {
            let problem = HeaderProblem::refused(format!(
                "`{found}` in the column `{column}` may be a number with three decimals or a whole one with its thousands apart: write it with a decimal point, and without separators of thousands"
            ));
            return Err((line, problem));
        }
        // An answer of one arm is no number of another.
        let mut of_scores = columns().filter(|((_, of), _)| *of == Use::Score);
        let are_answers = of_scores.all(|(_, column)| column.notation() == Notation::Truth);
        let notation = |((_, of), column): ((&String, Use), &Column)| {
            let notation = column.notation();
            let has_commas_alone = column.has(&[Kind::Comma, Kind::Either])
                && !column.has(&[Kind::Text, Kind::Failure, Kind::Point, Kind::Gap]);
            match of {
                Use::Split if column.has(&[Kind::Bare, Kind::Percent]) => Notation::Plain,
                Use::Split => Notation::Names,
                Use::Score if notation == Notation::Truth && are_answers => notation,
                Use::Score if notation == Notation::Percent => notation,
                Use::Score | Use::Expense if has_commas => Notation::Comma,
                Use::Score | Use::Expense
                    if matches!(notation, Notation::Gaps | Notation::Marks) =>
                {
                    notation
                }
                Use::Text if has_commas && has_commas_alone => Notation::Comma,
                _ => Notation::Plain,
            }
        };
        Ok(columns().map(notation).collect())
    }

    /// Returns a notice on each notation that the user should know.
    pub(super) fn remarks(&self, names: &[String], notations: &[Notation]) -> Vec<String> {
        let told = |wanted: &[Notation], kinds: &[Kind], what: &str| {
            let columns = names.iter().zip(&self.0).zip(notations);
            let columns = columns.filter(|(_, notation)| wanted.contains(notation));
            let first = |column: &Column| {
                kinds
                    .iter()
                    .find_map(|kind| Some(column.0.get(kind)?.1.clone()))
            };
            let found = columns.filter_map(|((name, column), _)| Some((name, first(column)?)));
            let (names, cells): (Vec<&String>, Vec<String>) = found.unzip();
            let cell = cells.first()?;
            Some(format!("{}: {}", quoted(names), what.replace("{}", cell)))
        };
        let percents = "numbers have percent signs (`{}`), and scores are percentages";
        let marks = "marks beside numbers are read off (`{}`)";
        let truth = "words such as `{}` are taken for 1 (true) and 0 (false)";
        let failures = "`{}` stands for no answer";
        let splits = "splits have names such as `{}`, and are numbered in the order of their first appearance";
        let numbers = [
            Notation::Gaps,
            Notation::Comma,
            Notation::Percent,
            Notation::Truth,
            Notation::Marks,
        ];
        let texts = [
            Kind::Text,
            Kind::Answer,
            Kind::Property,
            Kind::Failure,
            Kind::Gap,
        ];
        let lines = [
            told(&numbers[2..3], &[Kind::Percent], percents),
            told(&numbers[3..4], &[Kind::Answer, Kind::Property], truth),
            told(&numbers[3..4], &[Kind::Failure], failures),
            told(&numbers, &[Kind::Marked], marks),
            told(&[Notation::Names], &texts, splits),
            told(&numbers, &[Kind::Gap], "`{}` stands for no number"),
        ];
        lines.into_iter().flatten().collect()
    }
}

/// Returns the row with plain numbers for the cells of columns in another notation.
pub(super) fn restore(row: &StringRecord, columns: &[Notation]) -> StringRecord {
    let notations = columns.iter().chain(std::iter::repeat(&Notation::Plain));
    let mut restored = StringRecord::with_capacity(row.as_slice().len(), row.len());
    for (cell, notation) in row.iter().zip(notations) {
        let marked = &*original(cell.trim());
        let is_text = matches!(notation, Notation::Plain | Notation::Names);
        let bare = if is_text { None } else { bare(marked) };
        let text = bare.as_deref().unwrap_or(marked);
        let point = |number| with_point(number).map(Cow::Owned);
        let other: Option<Cow<'_, str>> = match notation {
            _ if is_text => None,
            _ if is_gap(text) => Some("".into()),
            _ if is_missing(text) && !text.is_empty() => Some("NaN".into()),
            Notation::Gaps | Notation::Marks => bare.as_deref().map(Cow::Borrowed),
            Notation::Comma => point(text),
            Notation::Percent => {
                before_percent(text).map(|number| point(number).unwrap_or(number.into()))
            }
            _ => match truth(text) {
                Some((is, _)) => Some(if is { "1" } else { "0" }.into()),
                None => is_failure(text).then(|| "NaN".into()),
            },
        };
        restored.push_field(other.as_deref().unwrap_or(cell));
    }
    restored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_apart_by_their_marks() {
        for (cell, expected) in [
            ("0,71", Kind::Comma),
            ("-12,5", Kind::Comma),
            ("0,712", Kind::Comma),
            ("1,5e-3", Kind::Comma),
            ("1,234", Kind::Either),
            ("1,2345", Kind::Comma),
            ("1.5", Kind::Point),
            ("7", Kind::Whole),
            ("1.234,5", Kind::Text),
            ("1,2,3", Kind::Text),
            (",5", Kind::Text),
            ("5,", Kind::Text),
            ("a,b", Kind::Text),
            ("1,nan", Kind::Text),
            ("NaN", Kind::Gap),
        ] {
            assert_eq!(kind(cell, false), expected, "{cell}");
        }
        assert_eq!(with_point("-12,5").as_deref(), Some("-12.5"));
    }
}
