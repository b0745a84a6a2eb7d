//! The settings that a search tried, their scores and their names as arms.

use fiesta_core::{Direction, in_digits};
use fiesta_records::{
    Evaluations,
    words::{agree, count},
};
use std::collections::HashMap;

/// Largest number of characters of an arm's name.
const LONGEST: usize = 40;
/// Largest number of characters of a number in an arm's name.
const DIGITS: usize = 8;

/// A setting that a search tried.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tried {
    /// Value of each hyperparameter, as the first trial writes it.
    pub(super) values: Vec<String>,
    /// Score of each trial.
    pub(super) scores: Vec<f64>,
}

impl Tried {
    /// Returns the mean of the scores.
    pub(super) fn mean(&self) -> f64 {
        self.scores.iter().sum::<f64>() / self.scores.len() as f64
    }
}

/// Returns the spelling of a value by which equal ones are found: of a number the shortest one.
pub(super) fn spelled(value: &str) -> String {
    let value = value.trim();
    match value.parse::<f64>() {
        // -0 is 0.
        Ok(number) if number.is_finite() => (number + 0.0).to_string(),
        _ => value.to_owned(),
    }
}

/// Returns the settings with a score, in the order of their first trials, and lines on trials that were
/// left out. `columns` are those of the hyperparameters.
pub(super) fn tried(
    trials: &Evaluations,
    columns: &[usize],
    direction: Direction,
) -> (Vec<Tried>, Vec<String>) {
    let mut settings: Vec<Tried> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    let mut without = Vec::new();
    for (row, record) in trials.records().iter().enumerate() {
        let values = columns.iter().map(|&column| trials.cell(row, column));
        let Some(values) = values.collect::<Option<Vec<&str>>>() else {
            without.push((record.score, record.line));
            continue;
        };
        let key = values.iter().map(|value| spelled(value)).collect();
        let place = *places.entry(key).or_insert(settings.len());
        if place == settings.len() {
            settings.push(Tried {
                values: values.into_iter().map(str::to_owned).collect(),
                scores: Vec::new(),
            });
        }
        settings[place].scores.push(record.score);
    }
    let failed = trials.failures().len() as u64;
    let of_best = settings.iter().flat_map(|of| &of.scores).copied();
    let best = of_best
        .map(|score| direction.orient(score))
        .reduce(f64::max);
    let left_out = [
        (failed, "without a score", String::new()),
        (
            without.len() as u64,
            "without a value",
            best_of(&without, best, direction),
        ),
    ];
    let left_out = left_out.into_iter().filter(|(number, ..)| *number > 0);
    let notes = left_out.map(|(number, why, which)| {
        let are = agree(number, "is", "are");
        format!("{} {why} {are} left out{which}", count(number, "trial"))
    });
    (settings, notes.collect())
}

/// Returns in words which of the trials that are left out has the best score, and whether it is ahead of
/// the best one that counts, whose oriented score is given.
fn best_of(left_out: &[(f64, u64)], best: Option<f64>, direction: Direction) -> String {
    let own = |trial: &(f64, u64)| direction.orient(trial.0);
    let first = { left_out.iter().rev() }.max_by(|a, b| own(a).total_cmp(&own(b)));
    let Some(&(score, line)) = first else {
        return String::new();
    };
    let of_them = agree(left_out.len() as u64, "", "the best of them: ");
    let line = match line {
        0 => String::new(),
        line => format!("line {line}, "),
    };
    let is_ahead = if best.is_none_or(|best| direction.orient(score) > best) {
        ", the best one of the search"
    } else {
        ""
    };
    format!(" ({of_them}{line}score {}{is_ahead})", in_digits(score))
}

/// Returns a name for each setting: its values, or its number. The number is the name where the values are longer
/// than [`LONGEST`], hold a character other than printable ASCII, or are the name of an earlier setting.
pub(super) fn names(of: &[String], settings: &[Tried]) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for (place, setting) in settings.iter().enumerate() {
        let pairs = of.iter().zip(&setting.values);
        let pairs = pairs.map(|(name, value)| format!("{name}={}", short(value)));
        let name = pairs.collect::<Vec<_>>().join(" ");
        let is_plain = name.chars().all(|c| c.is_ascii_graphic() || c == ' ');
        let is_good = is_plain && name.len() <= LONGEST && !taken.contains(&name);
        taken.push(if is_good {
            name
        } else {
            format!("setting {}", place + 1)
        });
    }
    taken
}

/// Returns a value as the name of an arm has it: numbers with four digits.
fn short(value: &str) -> String {
    let value = value.trim();
    let is_whole = value.parse::<i64>().is_ok();
    let number = value.parse::<f64>().ok();
    let Some(number) = number.filter(|number| number.is_finite() && !is_whole) else {
        return value.to_owned();
    };
    let rounded = format!("{number:.3e}").parse().unwrap_or(number);
    let plain = rounded.to_string();
    if plain.len() <= DIGITS {
        plain
    } else {
        format!("{rounded:e}")
    }
}
