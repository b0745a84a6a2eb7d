//! Tables with a column for each arm: whether a table certainly is one, and the question to the user if not.

use super::candidates::{
    is_system_in_spite, may_be_no_candidate, names_no_candidate, names_reference,
};
use super::{
    column::{Sample, number},
    words::{self, Kind, is_no_system, no_system, plain, role_of},
};
use crate::{
    data_part::are_parts, excerpt, number::is_missing, proposal::names_summary, spread::pair,
    words::quoted,
};
use std::collections::HashSet;

/// Largest ratio between the medians of two columns of comparable numbers.
const FACTOR: f64 = 20.0;

/// The columns of a table, seen as a table with a column for each arm.
#[derive(Debug, Default)]
pub(crate) struct ArmsTable {
    /// The column that names or numbers the rows, and its name in the long form.
    pub(crate) key: Option<(usize, &'static str)>,
    /// The columns that may be arms.
    pub(crate) arms: Vec<usize>,
    /// Why the table may not have a column for each arm. `None` if it certainly has.
    pub(crate) doubt: Option<String>,
    /// Whether the columns in `arms` may be arms in spite of the doubt, as nothing else is known.
    pub(crate) is_likely: bool,
}

impl Sample {
    /// Returns which columns may be arms, and which column names the rows unless the rows are said
    /// to be splits.
    pub(crate) fn arms_table(&self, rows_are_splits: bool) -> ArmsTable {
        let plain: Vec<String> = self.names.iter().map(|name| plain(name)).collect();
        // Capitals within a name divide words (`valLoss`), or do not (`mIoU`).
        let joined = |name: &str| self::plain(&name.to_lowercase());
        let key = self.key(&plain);
        let is_own =
            |place: usize| matches!(&*self.names[place], "item" | "split" | "seed" | "document");
        let is_comment = self.names.first().is_some_and(|name| name.starts_with('#'));
        let is_index = |place: usize| place == 0 && self.names[0].is_empty();
        let is_summary = |place: usize| names_summary(&self.names[place]);
        let columns = (0..self.names.len()).filter(|&place| {
            let is_key = Some(place) == key.map(|(key, _)| key);
            let is_left_out =
                is_summary(place) || names_no_candidate(&self.names[place], &self.names);
            !is_key && !is_own(place) && !is_index(place) && !is_left_out
        });
        let are_answers = columns.clone().all(|place| self.are_answers(place));
        let (mut arms, mut doubts, mut is_likely) = (Vec::new(), Vec::new(), true);
        let mut unknown = 0;
        for place in columns {
            let name = excerpt(&self.names[place]);
            let names = [&plain[place], &joined(&self.names[place])];
            if !name.is_empty() && may_be_no_candidate(&name) && self.numbers(place).is_some() {
                doubts.push(format!(
                    "`{name}` is by its name a number that compares systems"
                ));
                continue;
            }
            let known = names.into_iter().find_map(|name| no_system(name));
            let is_system = is_system_in_spite(&name) || names_reference(&name);
            let known = known.filter(|_| !is_system);
            // No step, setting or time is 0 or 1 throughout, as answers are.
            let known = known
                .filter(|&what| what == "a metric" || !are_answers || self.distinct(place) < 2);
            let sure = names.into_iter().any(|name| is_no_system(name));
            match (known, self.numbers(place)) {
                (Some("a metric"), None) => {
                    doubts.insert(0, self.no_number(place));
                    is_likely = false;
                }
                (Some(what), numbers) => {
                    doubts.push(format!("`{name}` is by its name {what}"));
                    is_likely &= !sure;
                    if !sure && numbers.is_some() && what != "a summary" {
                        arms.push(place);
                    }
                }
                (None, None) => doubts.push(self.no_number(place)),
                (None, Some(_)) => {
                    unknown += 1;
                    arms.push(place);
                }
            }
        }
        if is_comment {
            let doubt = "the first line begins with `#`: remove lines that are comments";
            doubts.insert(0, doubt.to_owned());
        }
        let called = arms.iter().map(|&arm| self.names[arm].as_str());
        if are_parts(called.clone()) {
            doubts.insert(
                0,
                format!("{} are by their names parts of the data", quoted(called)),
            );
            is_likely = false;
        }
        if let Some((one, other)) = self.unlike(&arms) {
            doubts.push(format!(
                "the numbers of `{}` and `{}` are of different kinds",
                excerpt(&self.names[one]),
                excerpt(&self.names[other])
            ));
            is_likely = false;
        }
        if arms.len() < 2 && key.is_none_or(|(place, _)| !is_own(place)) {
            doubts.push("there are fewer than two columns of scores".to_owned());
        }
        let first = usize::from(is_index(0));
        if !rows_are_splits && key.is_none_or(|(place, _)| place > first && !is_own(place)) {
            doubts.push("no first column names or numbers the rows".to_owned());
        }
        is_likely &= unknown > 1;
        ArmsTable {
            key,
            arms,
            doubt: doubts.into_iter().next(),
            is_likely,
        }
    }

    /// The column that names or numbers the rows: one of the long form's own, or the first if its
    /// name or its texts say so.
    fn key(&self, plain: &[String]) -> Option<(usize, &'static str)> {
        for own in ["item", "split", "seed", "document"] {
            if let Some(place) = self.names.iter().position(|name| name == own) {
                return Some((place, own));
            }
        }
        let first = plain.first()?;
        if let Some(first) = self.key_at(0, first) {
            return Some((0, first));
        }
        let mut named = plain
            .iter()
            .enumerate()
            .filter(|(_, name)| role_of(name).is_some());
        named.find_map(|(place, name)| Some((place, self.key_at(place, name)?)))
    }

    /// What the column at this place is called in the long form, if each of its values stands once
    /// and its name or its texts say that they name or number the rows.
    fn key_at(&self, place: usize, plain: &str) -> Option<&'static str> {
        let values: Vec<&str> = self.known(place).collect();
        let is_full = values.len() == self.cells.len() && self.distinct(place) == values.len();
        if !is_full || words::has(Kind::Step, plain) {
            return None;
        }
        match role_of(plain) {
            Some("seed") => values
                .iter()
                .all(|value| value.parse::<u64>().is_ok())
                .then_some("seed"),
            Some("split") => Some("split"),
            Some(_) => Some("item"),
            None => {
                let are_texts =
                    values.len() > 1 && values.iter().all(|value| number(value).is_none());
                let is_named = words::are_of_arms(plain) || no_system(plain).is_some();
                (place == 0 && are_texts && !is_named).then_some("item")
            }
        }
    }

    /// The cells of a column that are not missing.
    pub(crate) fn known(&self, place: usize) -> impl Iterator<Item = &str> {
        let cells = self.cells.iter().filter_map(move |row| row.get(place));
        cells.filter(|cell| !is_missing(cell))
    }

    /// The numbers of a column. `None` if it holds something else, or nothing.
    pub(super) fn numbers(&self, place: usize) -> Option<Vec<f64>> {
        let numbers: Option<Vec<f64>> = self.known(place).map(number).collect();
        numbers.filter(|numbers| !numbers.is_empty())
    }

    /// Whether a column holds nothing but 0 and 1.
    fn are_answers(&self, place: usize) -> bool {
        let numbers = self.numbers(place).unwrap_or_default();
        numbers.iter().all(|number| [0.0, 1.0].contains(number))
    }

    /// How many different values a column holds.
    pub(super) fn distinct(&self, place: usize) -> usize {
        self.known(place).collect::<HashSet<_>>().len()
    }

    /// Returns the message that a column holds a text that is not a number.
    fn no_number(&self, place: usize) -> String {
        let found = self.known(place).find(|cell| number(cell).is_none());
        let name = excerpt(&self.names[place]);
        match found {
            Some(found) if found.contains('±') && pair(found).is_some() => format!(
                "`{name}` holds means with their spread (`{}`), where each system is to have one number a row: leave the spreads out (sed -E 's/ *± *[0-9.]+//g' FILE | fiesta belief -)",
                excerpt(found)
            ),
            Some(found) if place == 0 && self.distinct(place) == self.cells.len() => format!(
                "`{name}` names another metric in each row (`{}`), which do not compare: keep the rows of one, of which there are to be several",
                excerpt(found)
            ),
            Some(found) => format!("`{name}` holds `{}`, which is no number", excerpt(found)),
            None => format!("`{name}` is empty"),
        }
    }

    /// Two columns whose numbers are certainly not scores of one kind: whole numbers beside
    /// fractions, or sizes that have nothing in common.
    pub(super) fn unlike(&self, places: &[usize]) -> Option<(usize, usize)> {
        let (mut sizes, mut counting, mut fractional) = (Vec::new(), None, None);
        for &place in places {
            let mut numbers = self.numbers(place)?;
            numbers.sort_by(f64::total_cmp);
            let is_whole = numbers.iter().all(|number| number.fract() == 0.0);
            if is_whole && numbers.iter().any(|number| number.abs() > 1.0) {
                counting = Some(place);
            }
            if numbers.iter().all(|number| number.fract() != 0.0) && numbers.len() > 1 {
                fractional = Some(place);
            }
            sizes.push((numbers[numbers.len() / 2].abs(), place));
        }
        if let (Some(one), Some(other)) = (counting, fractional) {
            return Some((one, other));
        }
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        match sizes[..] {
            [(least, one), .., (most, other)] if most > 1.0 && most > FACTOR * least => {
                Some((one, other))
            }
            _ => None,
        }
    }
}
