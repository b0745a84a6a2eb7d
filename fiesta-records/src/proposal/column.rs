//! Columns of a file's first rows, and their likeness to scores and arms.

use super::words::{self, Kind, is_of_no_score, plain};
use crate::{Format, Reading, data_part::DataPart, number::is_missing, rows, scores::UNNAMED};
use std::collections::{HashMap, HashSet};

/// The first rows of a file.
pub(crate) struct Sample {
    pub(crate) names: Vec<String>,
    pub(crate) cells: Vec<Vec<String>>,
    /// Number of columns at the end whose cells are joined from other columns.
    pub(crate) joined: usize,
}

impl Sample {
    /// Reads the first rows of a file, with a column for each name that joins several columns.
    /// `None` if the file is no table.
    pub(super) fn read(
        bytes: &[u8],
        format: Option<Format>,
        options: &Reading,
        file: &str,
        most: usize,
    ) -> Option<Self> {
        let (mut names, mut cells) = rows::sample(bytes, format, file, most)?;
        let is_named = |(_, name): &(_, Option<&str>)| *name == Some(UNNAMED);
        if let Some(first) = names.first_mut().filter(|first| first.is_empty())
            && options.columns.named().iter().any(is_named)
        {
            UNNAMED.clone_into(first);
        }
        let joins = options.columns.joined(&names);
        let joined = joins.len();
        for (role, parts) in joins {
            for row in &mut cells {
                let parts = parts
                    .iter()
                    .map(|&part| row.get(part).map_or("", String::as_str));
                let parts: Vec<&str> = parts.collect();
                let name = rows::joined_name(role, &parts);
                row.resize(names.len(), String::new());
                row.push(name);
            }
            let parts = parts.iter().map(|&part| names[part].as_str());
            names.push(parts.collect::<Vec<&str>>().join("+"));
        }
        Some(Self {
            names,
            cells,
            joined,
        })
    }

    pub(super) fn columns(&self) -> Vec<Column<'_>> {
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
}

/// A column, with the properties from which its meaning is guessed.
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    pub(super) plain: String,
    pub(super) values: Vec<&'a str>,
}

/// Finds the column with this name. `None` if no name is given or no column has it.
pub(super) fn find<'c>(columns: &'c [Column<'c>], name: Option<&String>) -> Option<&'c Column<'c>> {
    let name = name?.trim();
    columns.iter().find(|column| column.name == name)
}

impl Column<'_> {
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.plain.split('_')
    }

    /// Returns whether a word of the column's name is of this kind.
    pub(super) fn has(&self, kind: Kind) -> bool {
        words::has(kind, &self.plain)
    }

    /// Returns whether the column's name is that of a score.
    pub(super) fn is_score(&self) -> bool {
        self.has(Kind::Score) || words::is_loss(&self.plain)
    }

    pub(super) fn is_number(&self) -> bool {
        !self.values.is_empty() && self.values.iter().all(|value| number(value).is_some())
    }

    pub(super) fn is_whole(&self) -> bool {
        let whole = |value: &&str| {
            let digits = value.strip_suffix(".0").unwrap_or(value);
            digits.parse::<u64>().is_ok()
        };
        !self.values.is_empty() && self.values.iter().all(whole)
    }

    /// Returns whether all values of the column are 0 or 1.
    pub(super) fn is_answers(&self) -> bool {
        let mut values = self.values.iter();
        values.all(|value| number(value).is_some_and(|number| [0.0, 1.0].contains(&number)))
    }

    /// Returns whether the column holds texts of several words, and its name says that items have such.
    pub(super) fn is_text(&self) -> bool {
        let has_words = |value: &&str| value.trim().contains(char::is_whitespace);
        words::is(Kind::ItemText, &self.plain) && self.values.iter().all(has_words)
    }

    /// Returns the number of different values in the column.
    pub(super) fn distinct(&self) -> usize {
        self.values.iter().collect::<HashSet<_>>().len()
    }

    /// Returns whether rows with equal values in this column all differ in the columns `keys`.
    pub(super) fn is_told_apart(&self, keys: &[&Self]) -> bool {
        let mut seen = HashSet::new();
        keys.iter().all(|key| key.values.len() == self.values.len())
            && (0..self.values.len()).all(|row| {
                let case: Vec<&str> = keys.iter().map(|key| key.values[row]).collect();
                seen.insert((self.values[row], case))
            })
    }

    /// Returns whether equal values of this column go with equal values of the other column.
    pub(super) fn determines(&self, other: &Self) -> bool {
        let mut of: HashMap<&str, &str> = HashMap::new();
        let mut pairs = self.values.iter().zip(&other.values);
        self.values.len() == other.values.len()
            && pairs.all(|(value, other)| *of.entry(value).or_insert(other) == *other)
    }

    /// Returns whether the column has at least two different values, and most occur several times.
    pub(super) fn repeats(&self) -> bool {
        (2..=self.values.len() / 2).contains(&self.distinct())
    }
}

pub(super) fn number(text: &str) -> Option<f64> {
    let parsed = text.parse().ok();
    parsed.or_else(|| text.replacen(',', ".", 1).parse().ok())
}

/// Returns how much a column of numbers looks like the score; a lower rank is more likely.
pub(super) fn score_rank(column: &Column<'_>) -> Option<usize> {
    let is_score = column.is_score();
    let is_mean = column.words().all(|word| words::is(Kind::Mean, word));
    if column.has(Kind::Spread) || is_mean {
        return None;
    }
    let is_other = column.words().any(is_of_no_score);
    if !is_score && (is_other || column.is_whole()) {
        return None;
    }
    if is_score && is_other && column.plain != "score_time" {
        return Some(9);
    }
    if column.plain == "score_time" {
        return None;
    }
    let of = |words: &[&str]| column.words().any(|word| words.contains(&word));
    let part = match () {
        () if of(&["test", "eval", "holdout"]) => 0,
        () if of(DataPart::Training.words()) => 3,
        () if of(&["val", "valid", "validation", "dev"]) => 1,
        () => 2,
    };
    let by_name = usize::from(!is_score) * 5 + usize::from(column.has(Kind::Loss));
    Some(by_name + part * 2)
}

/// Returns how much a column looks like that of the arms; a lower rank is more likely.
pub(super) fn arm_rank(column: &Column<'_>) -> Option<usize> {
    /// The rank of a column of texts whose name says nothing.
    const UNNAMED: usize = 50;
    let has_texts = !column.values.is_empty() && !column.is_number();
    let unsure = usize::from(!words::is_sure_arm(&column.plain)) * UNNAMED / 2;
    let may_be_numbers = column.plain == "arm" || words::are_of_arms(&column.plain);
    match words::rank(Kind::Arm, &column.plain).map(|rank| rank + unsure) {
        Some(rank) if column.repeats() && (has_texts || column.is_whole() && may_be_numbers) => {
            Some(rank)
        }
        None if has_texts && column.repeats() && words::no_system(&column.plain).is_none() => {
            Some(UNNAMED)
        }
        Some(rank) if has_texts && column.distinct() > 1 => Some(100 + rank),
        _ => None,
    }
}
