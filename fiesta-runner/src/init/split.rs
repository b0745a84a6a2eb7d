//! Options of a script that choose a split or give the number of splits, told by their names, help,
//! defaults and choices.

use super::options::{ARMS, SEEDS, SPLITS, ScriptOption, last_part};
use crate::pattern::is_one;
use regex::Regex;

/// Relation of an option to splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The value of the option is the number of a split.
    Split,
    /// The value of the option is the number of splits.
    Count,
    /// The option is about splits, but its name and help do not say in which way.
    Perhaps,
    /// The option has nothing to do with splits.
    None,
}

/// Names of options that may be the number of one split or the number of all splits.
const EITHER: &str = "cv kfold k_fold partition holdout";
/// Pattern for the help of an option in small letters whose value is the number of splits.
const COUNT: &str = r"\b(?:how many|(?:number|count|amount|nr|no\.?|#) ?(?:of)?) ?(?:[\w-]+ ){0,3}(?:folds|splits|partitions)\b";
/// Parts of the names of options that say how much of something: `min_samples_split`, `n_folds`.
const AMOUNTS: &str =
    "min max samples size ratio frac fraction percent share n num folds splits repeats";

/// Returns the relation of an option to splits.
pub(super) fn meaning(option: &ScriptOption) -> Meaning {
    let name = last_part(&option.name);
    let name = name.as_str();
    if !is_whole(option) || is_one(SEEDS, name) || is_one(ARMS, name) {
        return Meaning::None;
    }
    let help = option.help.as_deref().unwrap_or_default().to_lowercase();
    let matches = |form: &str| Regex::new(form).is_ok_and(|form| form.is_match(&help));
    if matches(COUNT) {
        return Meaning::Count;
    }
    if is_one(SPLITS, name) {
        // Splits that have names, such as train and test.
        let has_names = matches(r"\b(?:train|training|test|val|valid|validation|dev)\b");
        let has_numbers = help.contains("fold") || name.contains("seed") || matches(r"\d");
        return if has_names && !has_numbers {
            Meaning::Perhaps
        } else {
            Meaning::Split
        };
    }
    let parts = name.split('_');
    let is_amount = parts.clone().any(|part| is_one(AMOUNTS, part));
    let mut names = parts.filter(|part| ["fold", "split"].contains(part));
    let is_told = names.next().is_some() || matches(r"\b(?:folds?|splits?)\b");
    if is_one(EITHER, name) || !is_amount && is_told {
        Meaning::Perhaps
    } else {
        Meaning::None
    }
}

/// Whether an option's splits are folds, which are limited in number.
pub(super) fn is_fold(option: &ScriptOption) -> bool {
    let help = option.help.as_deref().unwrap_or_default().to_lowercase();
    let name = last_part(&option.name);
    name.contains("fold")
        || name == "cv"
        || Regex::new(r"\bfolds?\b").is_ok_and(|word| word.is_match(&help))
}

/// Whether the values of an option are whole numbers, as far as they are known.
fn is_whole(option: &ScriptOption) -> bool {
    let is_whole = |text: &str| text.parse::<i64>().is_ok();
    let default = option.default.as_deref();
    option.choices.iter().all(|choice| is_whole(choice))
        && default.is_none_or(|default| is_whole(default) || default == "None")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::options::Written;

    fn of(name: &str, default: &str, help: &str) -> Meaning {
        let mut option = ScriptOption::new(name, Written::Flag(format!("--{name}")), "argparse");
        option.default = (!default.is_empty()).then(|| default.to_owned());
        option.help = (!help.is_empty()).then(|| help.to_owned());
        meaning(&option)
    }

    #[test]
    fn options_that_choose_a_split() {
        for (name, default, help) in [
            ("cv-split", "", "which fold of 10-fold CV"),
            ("cv-split", "0", ""),
            ("data-split", "", ""),
            ("outer-fold", "3", ""),
            ("heldout-fold", "", ""),
            ("dataset-seed", "0", ""),
            ("data-split", "", "which train/test split (0-9)"),
        ] {
            assert_eq!(of(name, default, help), Meaning::Split, "{name} {help}");
        }
    }

    #[test]
    fn options_that_count_splits() {
        for (name, default, help) in [
            ("fold", "5", "number of folds"),
            ("cv", "", "number of cross-validation folds"),
            ("kfold", "", "how many folds to use"),
        ] {
            assert_eq!(of(name, default, help), Meaning::Count, "{name} {help}");
        }
    }

    #[test]
    fn options_that_have_nothing_to_do_with_it_or_may() {
        for (name, default, help) in [
            ("cv", "", ""),
            ("cv", "5", ""),
            ("kfold", "0", ""),
            ("kfold", "10", ""),
            ("kfold", "", "k-fold cross-validation"),
            ("partition", "0", ""),
            ("part", "", "index of the split"),
            ("cv", "", "fold to hold out"),
            ("cv", "1", "index of the CV fold"),
            ("x", "5", "fold index, 0-9"),
            ("eval-split", "", "which split to score: train or test"),
            ("split", "", "which split to score: train or test"),
        ] {
            assert_eq!(of(name, default, help), Meaning::Perhaps, "{name} {help}");
        }
        for (name, default, help) in [
            ("split", "0.8", "share of the training split"),
            ("split", "train", ""),
            ("epochs", "5", ""),
            ("repeats", "3", ""),
            ("run", "", ""),
            ("run", "0", ""),
            ("repeat", "0", ""),
            ("n-folds", "", ""),
            (
                "min-samples-split",
                "2",
                "samples that a node needs to be split",
            ),
            ("output", "", "folder of the results"),
            ("data-folder", "", ""),
        ] {
            assert_eq!(of(name, default, help), Meaning::None, "{name} {help}");
        }
    }
}
