//! The number of folds that a script makes, where all places that tell it agree.

use super::{
    options::{ScriptOption, is_one, last_part},
    reader::Facts,
    split::{Meaning, is_repetition, meaning},
};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// The folds of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Folds {
    /// How many there are.
    pub count: u64,
    /// The number of the first one: 0 or 1.
    pub first: u64,
}

/// What one place tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Reading {
    count: Option<u64>,
    first: Option<u64>,
}

impl Reading {
    fn of_count(count: u64) -> Self {
        Self {
            count: Some(count),
            first: None,
        }
    }

    /// Folds from a first to a last one.
    fn between(first: u64, last: u64) -> Option<Self> {
        (first < 2 && last > first).then_some(Self {
            count: Some((last - first).saturating_add(1)),
            first: Some(first),
        })
    }
}

/// What a place in the source tells: that folds go from a first one up to an end.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    /// The name that is compared with these numbers. `None` of a number of folds.
    of: Option<String>,
    first: Option<u64>,
    end: Option<u64>,
    /// The option whose value is the end.
    option: Option<String>,
    /// 1 if the end is a fold itself.
    more: u64,
}

/// Names of options that say how many folds there are.
const NAMES: &str =
    "n_folds num_folds nfolds folds n_splits num_splits nsplits k_folds k_fold kfolds cv_folds k";

/// The folds of a script: what the help, the choices and the checks of the option for the fold
/// say, the value of an option for their number, and the calls that divide the data. `value` tells
/// what an option is worth that the caller gave or that has a default.
pub(super) fn folds(
    facts: &Facts,
    options: &[ScriptOption],
    split: Option<&ScriptOption>,
    value: &dyn Fn(&ScriptOption) -> Option<String>,
) -> Option<Folds> {
    // Of folds that are divided anew several times, each place tells a part.
    if facts.are_repeated {
        return None;
    }
    let mut readings = Vec::new();
    if let Some(split) = split {
        readings.extend(of_choices(&split.choices));
        if split.name.contains("seed") || is_repetition(split) {
            return agreed(&readings);
        }
        readings.extend(split.help.as_deref().and_then(of_help));
    }
    let declared = options.iter().filter(|option| {
        Some(*option) != split
            && (is_one(NAMES, &last_part(&option.name))
                || meaning(option) == Meaning::Count && !is_repetition(option))
    });
    let declared = declared.filter_map(|option| value(option)?.parse().ok());
    readings.extend(declared.map(Reading::of_count));
    let name = split.map_or("fold".to_owned(), |split| last_part(&split.name));
    for told in &facts.folds {
        let named = options
            .iter()
            .find(|own| Some(&own.name) == told.option.as_ref());
        let end = told.end.or_else(|| value(named?)?.parse().ok());
        readings.extend(match (&told.of, end) {
            (_, None) => None,
            (None, Some(end)) => Some(Reading::of_count(end)),
            (Some(own), Some(_)) if *own != name => None,
            (Some(_), Some(end)) => (end.saturating_add(told.more).checked_sub(1))
                .and_then(|last| Reading::between(told.first.unwrap_or(0), last)),
        });
    }
    agreed(&readings)
}

/// What all readings say, if they agree and one of them tells the number.
fn agreed(readings: &[Reading]) -> Option<Folds> {
    let one = |values: Vec<u64>| {
        let first = *values.first()?;
        values.iter().all(|&other| other == first).then_some(first)
    };
    let count = one(readings.iter().filter_map(|own| own.count).collect())?;
    let firsts: Vec<u64> = readings.iter().filter_map(|own| own.first).collect();
    let first = if firsts.is_empty() { 0 } else { one(firsts)? };
    (count > 1).then_some(Folds { count, first })
}

/// Numbers one after another, from 0 or 1.
fn of_choices(choices: &[String]) -> Option<Reading> {
    let numbers = choices.iter().map(|choice| choice.parse().ok());
    let mut numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    numbers.sort_unstable();
    let (&first, &last) = (numbers.first()?, numbers.last()?);
    (numbers.len() as u64 == last.checked_sub(first)?.saturating_add(1))
        .then(|| Reading::between(first, last))
        .flatten()
}

/// What the help of an option says: "0..4", "0 to 4", "fold of 5", "5 folds (1-based)".
fn of_help(help: &str) -> Option<Reading> {
    const WORDS: [&str; 9] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let mut help = help.to_lowercase();
    if help.contains("repeat") {
        return None;
    }
    for (word, number) in WORDS.into_iter().zip(2..) {
        let whole = Regex::new(&format!(r"\b{word}\b")).ok()?;
        help = whole.replace_all(&help, number.to_string()).into_owned();
    }
    let mut readings = Vec::new();
    let numbers = |form: &str| -> Vec<(u64, u64)> {
        let Ok(form) = Regex::new(form) else {
            return Vec::new();
        };
        let parsed = form.captures_iter(&help).filter_map(|found| {
            let last = found.name("last")?.as_str().parse().ok()?;
            let first = found
                .name("first")
                .map_or(Some(0), |first| first.as_str().parse().ok());
            Some((first?, last))
        });
        parsed.collect()
    };
    // Not what is a part of a date, a version or a greater number.
    let inclusive = r"(?:^|[^\d.\-])(?P<first>[01])\s*(?:\.\.\.?|…|–|-|to|through|,\s*(?:\.\.\.|…),|(?:<=|≤)\s*\w+\s*(?:<=|≤))\s*(?P<last>[1-9]\d*)(?:$|[^\d.\-]|\.(?:\D|$))";
    let between = r"\bbetween\s+(?P<first>[01])\s+and\s+(?P<last>[1-9]\d*)\b";
    let closed = r"\[\s*(?P<first>[01])\s*,\s*(?P<last>[1-9]\d*)\s*\]";
    let open = r"\[\s*(?P<first>[01])\s*,\s*(?P<last>[1-9]\d*)\s*[)\[]";
    let less = r"(?P<first>[01])\s*(?:<=|≤)\s*\w+\s*<\s*(?P<last>[1-9]\d*)\b";
    for (form, beyond) in [
        (inclusive, 0),
        (between, 0),
        (closed, 0),
        (open, 1),
        (less, 1),
    ] {
        let ends = numbers(form).into_iter();
        readings.extend(ends.filter_map(|(first, end)| Reading::between(first, end - beyond)));
    }
    let list = Regex::new(r"\b[01](?:\s*[,/|]\s*\d+){2,}\b").ok()?;
    for found in list.find_iter(&help) {
        let parts = found.as_str().split([',', '/', '|']);
        let parts: Vec<String> = parts.map(|part| part.trim().to_owned()).collect();
        readings.extend(of_choices(&parts));
    }
    for form in [
        r"\b(?P<last>[1-9]\d*)(?:[ -]+[a-z]+){0,2}[ -](?:folds?|splits|parts)\b",
        r"\bof\s+(?:the\s+|all\s+)?(?P<last>[1-9]\d{0,2})(?:$|[^\d.\-/]|\.(?:\D|$))",
    ] {
        readings.extend(
            numbers(form)
                .into_iter()
                .filter(|&(_, count)| count > 1)
                .map(|(_, count)| Reading::of_count(count)),
        );
    }
    let based = Regex::new(r"\b([01]|zero|one)[- ](?:based|indexed)|\b(?:start(?:s|ing)?|counted|numbered|counts)\s+(?:at|from|with)\s+([01])\b").ok()?;
    for found in based.captures_iter(&help) {
        let word = found
            .get(1)
            .or(found.get(2))
            .map_or("0", |word| word.as_str());
        readings.push(Reading {
            count: None,
            first: Some(u64::from(["1", "one"].contains(&word))),
        });
    }
    let first = readings.iter().find_map(|reading| reading.first);
    match agreed(&readings) {
        Some(folds) => Some(Reading {
            count: Some(folds.count),
            first,
        }),
        // Two numbers contradict each other: no other place is believed either.
        None if readings.iter().any(|reading| reading.count.is_some()) => {
            Some(Reading::of_count(0))
        }
        None => first.map(|_| Reading { count: None, first }),
    }
}

#[cfg(test)]
mod tests {
    use super::of_help;

    /// Each with the number of folds and the number of the first, 0 for none that is told.
    #[test]
    fn words_of_a_help_text() {
        for (help, count, first) in [
            ("fold 0..4", 5, Some(0)),
            ("Fold to hold out (0-4).", 5, Some(0)),
            ("fold, 0 to 4", 5, Some(0)),
            ("which of the 5 folds", 5, None),
            ("which of the five folds is held out", 5, None),
            ("fold index (0-based, 5 folds)", 5, Some(0)),
            ("cross-validation fold between 1 and 10", 10, Some(1)),
            ("fold in [0, 5)", 5, Some(0)),
            ("fold in [0, 4]", 5, Some(0)),
            ("0 <= fold < 8", 8, Some(0)),
            ("0 <= fold <= 7", 8, Some(0)),
            ("one of 0, 1, 2, 3", 4, Some(0)),
            ("0, ..., 9", 10, Some(0)),
            ("index of the 10-fold CV", 10, None),
            ("fold 1-5 (default: 1)", 5, Some(1)),
            ("fold 0-4 of the 5 outer folds", 5, Some(0)),
        ] {
            let read = of_help(help).unwrap_or_else(|| panic!("{help}"));
            assert_eq!((read.count, read.first), (Some(count), first), "{help}");
        }
        for help in [
            "which fold",
            "fold of the data of 2020-01-05",
            "fold (default: 0)",
            "fold of 3 repeats of 5-fold cross-validation",
            "fold 0 to k-1",
            "fold, version 1.2.3",
        ] {
            let count = of_help(help).and_then(|read| read.count);
            assert_eq!(count, None, "{help}");
        }
        let contradicts = of_help("fold 0..4 of the 10 folds").unwrap();
        assert_eq!(contradicts.count, Some(0));
    }
}
