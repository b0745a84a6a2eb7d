//! The number of folds that a script makes, where all places that tell it agree.

use super::{
    options::{ScriptOption, last_part},
    reader::Facts,
    split::{Meaning, meaning},
};
use crate::pattern::is_one;
use regex::Regex;
use serde::Serialize;

/// The folds of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Folds {
    /// Number of folds that the script makes.
    pub count: u64,
    /// The number of the first fold: 0 or 1.
    pub first: u64,
}

/// Numbers of folds and of first folds that different places in a script state.
#[derive(Debug, Default)]
struct Readings {
    counts: Vec<u64>,
    firsts: Vec<u64>,
}

/// Names of options for the number of folds.
const NAMES: &str = "n_folds num_folds nfolds folds n_splits num_splits nsplits k_folds k_fold kfolds kfold cv_folds k";

/// Returns the folds of a script: what the help and the choices of the option for the fold say, the
/// value of an option for their number, and what scikit-learn is told. `None` if no place tells
/// their number, if two places contradict each other, or if folds are made anew several times.
/// `value` tells what an option is worth that the caller gave or that has a default.
pub(super) fn folds(
    facts: &Facts,
    options: &[ScriptOption],
    split: Option<&ScriptOption>,
    value: &dyn Fn(&ScriptOption) -> Option<String>,
) -> Option<Folds> {
    if facts.repeats_folds {
        return None;
    }
    let mut readings = Readings::default();
    if let Some(split) = split {
        readings.add_choices(&split.choices);
        if split.name.contains("seed") {
            return readings.agreed();
        }
        readings.add_help(split.help.as_deref().unwrap_or_default());
    }
    let declared = options.iter().filter(|option| {
        let name = last_part(&option.name);
        let is_given = facts.folds.iter().any(|own| own.to_lowercase() == name);
        let is_count = is_given || is_one(NAMES, &name) || meaning(option) == Meaning::Count;
        is_count && Some(*option) != split
    });
    let declared = declared.filter_map(|option| value(option)?.parse::<u64>().ok());
    readings.counts.extend(declared);
    let given = facts.folds.iter().filter_map(|own| own.parse::<u64>().ok());
    readings.counts.extend(given);
    readings.agreed()
}

impl Readings {
    /// Adds folds numbered from `first` to `last`, if `first` is 0 or 1.
    fn add_range(&mut self, first: u64, last: u64) {
        if first < 2 && last > first {
            self.firsts.push(first);
            self.counts.push((last - first).saturating_add(1));
        }
    }

    /// Adds choices that are numbers one after another.
    fn add_choices(&mut self, choices: &[String]) {
        let numbers: Option<Vec<u64>> = choices.iter().map(|own| own.parse().ok()).collect();
        let numbers = numbers.unwrap_or_default();
        let ends = (numbers.iter().min(), numbers.iter().max());
        if let (Some(&first), Some(&last)) = ends
            && last - first == numbers.len() as u64 - 1
        {
            self.add_range(first, last);
        }
    }

    /// Adds what the help of an option says: "0..4", "0 to 4", "[0, 4]", "fold of 5", "5 folds
    /// (1-based)".
    fn add_help(&mut self, help: &str) {
        let help = help.to_lowercase();
        if help.contains("repeat") {
            return;
        }
        let numbers = |form: &str| -> Vec<(u64, u64)> {
            let Ok(form) = Regex::new(form) else {
                return Vec::new();
            };
            let parsed = form.captures_iter(&help).filter_map(|found| {
                let number = |name| found.name(name).map(|own| own.as_str().parse::<u64>().ok());
                Some((number("first").unwrap_or(Some(0))?, number("last")??))
            });
            parsed.collect()
        };
        // Not what is a part of a date, a version or a greater number.
        for form in [
            r"(?:^|[^\d.\-])(?P<first>[01])\s*(?:\.\.\.?|…|–|-|to|through|and|(?:<=|≤)\s*\w+\s*(?:<=|≤))\s*(?P<last>[1-9]\d*)(?:$|[^\d.\-]|\.(?:\D|$))",
            r"\[\s*(?P<first>[01])\s*,\s*(?P<last>[1-9]\d*)\s*\]",
        ] {
            for (first, last) in numbers(form) {
                self.add_range(first, last);
            }
        }
        for form in [
            r"\b(?P<last>[1-9]\d*)(?:[ -]+[a-z]+){0,2}[ -](?:folds?|splits|parts)\b",
            r"\bof\s+(?:the\s+|all\s+)?(?P<last>[1-9]\d{0,2})(?:$|[^\d.\-/]|\.(?:\D|$))",
        ] {
            let counts = numbers(form).into_iter().map(|(_, count)| count);
            self.counts.extend(counts.filter(|&count| count > 1));
        }
        let from_one = r"\b(?:1|one)[- ](?:based|indexed)|\b(?:start(?:s|ing)?|counted|numbered|counts)\s+(?:at|from|with)\s+1\b";
        if Regex::new(from_one).is_ok_and(|form| form.is_match(&help)) {
            self.firsts.push(1);
        }
    }

    /// Returns the folds, if all readings agree and one of them states the number.
    fn agreed(&self) -> Option<Folds> {
        let agree = |values: &[u64]| values.windows(2).all(|pair| pair[0] == pair[1]);
        let count = *self.counts.first()?;
        let first = self.firsts.first().copied().unwrap_or(0);
        (count > 1 && agree(&self.counts) && agree(&self.firsts)).then_some(Folds { count, first })
    }
}

#[cfg(test)]
mod tests {
    use super::Readings;

    fn of_help(help: &str) -> Option<(u64, u64)> {
        let mut readings = Readings::default();
        readings.add_help(help);
        readings.agreed().map(|own| (own.count, own.first))
    }

    /// Tests words of help texts, each with the number of folds and the number of the first fold.
    #[test]
    fn words_of_a_help_text() {
        for (help, count, first) in [
            ("fold 0..4", 5, 0),
            ("Fold to hold out (0-4).", 5, 0),
            ("fold, 0 to 4", 5, 0),
            ("which of the 5 folds", 5, 0),
            ("fold index (0-based, 5 folds)", 5, 0),
            ("which of the 5 folds, counted from 1", 5, 1),
            ("cross-validation fold between 1 and 10", 10, 1),
            ("fold in [0, 4]", 5, 0),
            ("0 <= fold <= 7", 8, 0),
            ("index of the 10-fold CV", 10, 0),
            ("fold 1-5 (default: 1)", 5, 1),
            ("fold 0-4 of the 5 outer folds", 5, 0),
        ] {
            assert_eq!(of_help(help), Some((count, first)), "{help}");
        }
        for help in [
            "which fold",
            "fold of the data of 2020-01-05",
            "fold (default: 0)",
            "fold of 3 repeats of 5-fold cross-validation",
            "fold 0 to k-1",
            "fold, version 1.2.3",
            "fold in [0, 5)",
            "0 <= fold < 8",
            "one of 0, 1, 2, 3",
            "0, ..., 9",
            // Two numbers that contradict each other.
            "fold 0..4 of the 10 folds",
        ] {
            assert_eq!(of_help(help), None, "{help}");
        }
    }
}
