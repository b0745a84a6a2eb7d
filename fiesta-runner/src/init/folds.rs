//! The number of folds that a script makes, where all places that tell it agree.

use super::{
    options::{ScriptOption, last_part},
    python::value_of,
    source::{Language, Source},
    split::{Meaning, is_repetition, meaning},
};
use regex::Regex;
use serde::Serialize;

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
            count: Some(last + 1 - first),
            first: Some(first),
        })
    }
}

/// Names of options and variables that say how many folds there are.
const NAMES: [&str; 12] = [
    "n_folds",
    "num_folds",
    "nfolds",
    "folds",
    "n_splits",
    "num_splits",
    "nsplits",
    "k_folds",
    "k_fold",
    "kfolds",
    "cv_folds",
    "k",
];

/// Functions that divide data into folds, with the keyword of their number and what it is by
/// default.
const SPLITTERS: [(&str, &str, Option<u64>); 9] = [
    ("KFold", "n_splits", Some(5)),
    ("StratifiedKFold", "n_splits", Some(5)),
    ("GroupKFold", "n_splits", Some(5)),
    ("StratifiedGroupKFold", "n_splits", Some(5)),
    ("TimeSeriesSplit", "n_splits", Some(5)),
    ("ShuffleSplit", "n_splits", Some(10)),
    ("StratifiedShuffleSplit", "n_splits", Some(10)),
    ("createFolds", "k", Some(10)),
    ("vfold_cv", "v", Some(10)),
];

/// The folds of a script: what the help, the choices and the checks of the option for the fold
/// say, the value of an option for their number, and the calls that divide the data. `value` tells
/// what an option is worth that the caller gave or that has a default.
pub(super) fn folds(
    source: &Source<'_>,
    language: Language,
    options: &[ScriptOption],
    split: Option<&ScriptOption>,
    value: &dyn Fn(&ScriptOption) -> Option<String>,
) -> Option<Folds> {
    // Of folds that are divided anew several times, each place tells a part.
    if !source.find("RepeatedKFold").is_empty()
        || !source.find("RepeatedStratifiedKFold").is_empty()
    {
        return None;
    }
    let number = |expression: &str| {
        let name = expression.rsplit(['.', '$']).next().unwrap_or_default();
        let option = options.iter().find(|option| option.name == name.trim());
        let text = match option {
            Some(option) => value(option),
            None if language == Language::Python => value_of(source, expression),
            None => super::source::literal(expression),
        };
        text?.parse::<u64>().ok()
    };
    let mut readings = Vec::new();
    if let Some(split) = split.filter(|split| split.name.contains("seed") || is_repetition(split)) {
        return agreed(&of_choices(&split.choices).into_iter().collect::<Vec<_>>());
    }
    if let Some(split) = split {
        readings.extend(of_choices(&split.choices));
        readings.extend(split.help.as_deref().and_then(of_help));
    }
    let declared = options.iter().filter(|option| {
        Some(*option) != split
            && (NAMES.contains(&last_part(&option.name).as_str())
                || meaning(option) == Meaning::Count && !is_repetition(option))
    });
    let declared = declared.filter_map(|option| value(option)?.parse().ok());
    readings.extend(declared.map(Reading::of_count));
    for (name, keyword, default) in SPLITTERS {
        for call in source.calls(name) {
            // Data come first in R.
            let given = call.keyword(keyword).or_else(|| match language {
                Language::Python => call.positional().next(),
                _ => call.positional().nth(1),
            });
            let count = given.map_or(default, number);
            // The elements of a list are counted from 1 there.
            let first = (language == Language::R).then_some(1);
            readings.extend(count.map(|count| Reading {
                count: Some(count),
                first,
            }));
        }
    }
    readings.extend(assigned(source));
    let name = split.map_or("fold".to_owned(), |split| last_part(&split.name));
    readings.extend(checked(source, &name, &number));
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
    (numbers.len() as u64 == last.checked_sub(first)? + 1)
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
    for form in [inclusive, between, closed] {
        readings.extend(
            numbers(form)
                .into_iter()
                .filter_map(|(first, last)| Reading::between(first, last)),
        );
    }
    let open = r"\[\s*(?P<first>[01])\s*,\s*(?P<last>[1-9]\d*)\s*[)\[]";
    let less = r"(?P<first>[01])\s*(?:<=|≤)\s*\w+\s*<\s*(?P<last>[1-9]\d*)\b";
    for form in [open, less] {
        readings.extend(
            numbers(form)
                .into_iter()
                .filter_map(|(first, last)| Reading::between(first, last.checked_sub(1)?)),
        );
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

/// Numbers that variables and keywords are given whose names say that it is one of folds.
fn assigned(source: &Source<'_>) -> Vec<Reading> {
    let names = NAMES[..NAMES.len() - 1].join("|");
    let form = format!(r"(?i)\b(?:{names})\s*(?::\s*int\s*)?(?:=|<-)\s*(\d+)\b");
    let Ok(form) = Regex::new(&form) else {
        return Vec::new();
    };
    let found = form.captures_iter(source.text);
    found
        .filter(|found| {
            found
                .get(0)
                .is_some_and(|whole| source.is_code(whole.start()))
        })
        .filter_map(|found| Some(Reading::of_count(found[1].parse().ok()?)))
        .collect()
}

/// What the script checks of the fold: `assert 0 <= args.fold < 5`, `fold in range(5)`.
fn checked(source: &Source<'_>, name: &str, number: &dyn Fn(&str) -> Option<u64>) -> Vec<Reading> {
    let own = format!(r"(?:\w+[.$])*{}", regex::escape(name));
    let value = r"(?P<last>[\w.$]+)";
    let forms = [
        // With both ends.
        (format!(r"\b(?P<first>[01])\s*<=\s*{own}\s*<\s*{value}"), 1),
        (format!(r"\b(?P<first>[01])\s*<=\s*{own}\s*<=\s*{value}"), 0),
        (format!(r"\b{own} (?:not )?in range\(\s*{value}\s*\)"), 1),
        (
            format!(r"\b{own} (?:not )?in range\(\s*(?P<first>[01])\s*,\s*{value}\s*\)"),
            1,
        ),
        // With one: what a script does not go on with.
        (format!(r"(?m)^\s*assert {own}\s*<\s*{value}"), 1),
        (
            format!(
                r"(?m)\bif {own}\s*>=\s*{value}\s*:\s*(?:raise|sys\.exit|exit|parser\.error)\b"
            ),
            1,
        ),
    ];
    let mut readings = Vec::new();
    for (form, beyond) in forms {
        let Ok(form) = Regex::new(&form) else {
            continue;
        };
        for found in form.captures_iter(source.text) {
            if !found
                .get(0)
                .is_some_and(|whole| source.is_code(whole.start()))
            {
                continue;
            }
            let first = found
                .name("first")
                .map_or(0, |first| u64::from(first.as_str() == "1"));
            let last = number(&found["last"]).and_then(|last| last.checked_sub(beyond));
            readings.extend(last.and_then(|last| Reading::between(first, last)));
        }
    }
    readings
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
