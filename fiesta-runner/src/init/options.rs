//! Options of a script, and which of them are the arm, the split and the seed.

use super::split::{Meaning, meaning};
use crate::pattern::is_one;
use serde::{Deserialize, Serialize};

/// Ways to give a script an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Written {
    /// The option is a word before its value: `--model lstm`.
    Flag(String),
    /// The option and its value are one word, `model=lstm`, as Hydra has it.
    Joined(String),
    /// The value is the argument of this number, from 1.
    Position(usize),
    /// The value is a variable of the environment: `MODEL=lstm`.
    Variable(String),
    /// The script has no such option: its line of this number assigns a constant to a name.
    Constant(usize),
}

impl Written {
    /// Returns the words of a command line that give the option this value.
    pub(crate) fn words(&self, value: &str) -> Vec<String> {
        match self {
            Self::Flag(flag) => vec![flag.clone(), value.to_owned()],
            Self::Joined(name) | Self::Variable(name) => vec![format!("{name}={value}")],
            Self::Position(_) => vec![value.to_owned()],
            Self::Constant(_) => Vec::new(),
        }
    }

    /// Returns the name of the option for people.
    pub fn shown(&self) -> String {
        match self {
            Self::Flag(flag) => flag.clone(),
            Self::Joined(name) => format!("{name}=…"),
            Self::Variable(name) => name.clone(),
            Self::Position(number) => format!("argument {number}"),
            Self::Constant(line) => format!("line {line}"),
        }
    }
}

/// An option of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptOption {
    /// The name of the option, with underscores.
    pub name: String,
    /// Form in which the option is given.
    pub written: Written,
    /// The values that the option accepts, if they are known.
    pub choices: Vec<String>,
    /// The value of the option if it is not given.
    pub default: Option<String>,
    /// Whether the option must be given.
    pub is_required: bool,
    /// The subcommand that has the option. `None` for options of the whole script.
    pub subcommand: Option<String>,
    /// The script's help text on the option.
    pub help: Option<String>,
    /// Source of the option: its library (`argparse`, `click`), `--help`, or the command.
    pub library: String,
}

impl ScriptOption {
    pub(crate) fn new(name: &str, written: Written, library: &str) -> Self {
        Self {
            name: name.replace('-', "_"),
            written,
            choices: Vec::new(),
            default: None,
            is_required: false,
            subcommand: None,
            help: None,
            library: library.to_owned(),
        }
    }
}

pub(super) const SEEDS: &str =
    "seed random_seed rng_seed random_state manual_seed manualseed rand_seed global_seed";
pub(super) const SPLITS: &str = "split fold split_id fold_id cv_fold test_fold val_fold fold_idx split_idx split_index fold_index cv_split \
    data_split outer_fold outer_split heldout_fold held_out_fold holdout_fold fold_number split_number data_seed dataset_seed split_seed";
/// Names of options that may choose the arm, the most telling first.
pub(super) const ARMS: &str = "arm model arch architecture model_name model_type model_arch classifier clf algorithm algo method estimator \
    system net network backbone encoder model_name_or_path base_model learner prompt policy agent variant strategy tagger parser \
    experiment config optimizer";

/// Returns the last part of a dotted option name, in lower case.
pub(super) fn last_part(name: &str) -> String {
    let name = name.to_lowercase();
    name.rsplit('.').next().unwrap_or_default().to_owned()
}

/// Whether an option with this name chooses the arm, the split or the seed of a study.
pub(super) fn is_of_study(name: &str) -> bool {
    [ARMS, SPLITS, SEEDS]
        .iter()
        .any(|names| is_one(names, name))
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

/// The options that are the arm, the split and the seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Roles {
    /// The option that chooses the arm.
    pub arm: Option<ScriptOption>,
    /// The option that chooses the split.
    pub split: Option<ScriptOption>,
    /// The option that sets the seed.
    pub seed: Option<ScriptOption>,
}

impl Roles {
    /// Finds the arm, the split and the seed among the options.
    pub fn of(options: &[ScriptOption]) -> Self {
        let of_names = |names: &str, fits: &dyn Fn(&ScriptOption) -> bool| {
            let fitting = |name| {
                let mut all = options.iter();
                all.find(|option| last_part(&option.name) == name && fits(option))
            };
            names.split_whitespace().find_map(fitting).cloned()
        };
        let numeric = |option: &ScriptOption| {
            let default = option.default.as_deref();
            option.choices.iter().all(|choice| is_number(choice))
                && default.is_none_or(|default| is_number(default) || default == "None")
        };
        // A seed is a name of several; a model whose choices are known before one that is free.
        let named = |option: &ScriptOption| !numeric(option) || option.default.is_none();
        let with_choices = of_names(ARMS, &|option| {
            option.choices.len() > 1 && !option.choices.iter().all(|choice| is_number(choice))
        });
        let chooses_split = |option: &ScriptOption| meaning(option) == Meaning::Split;
        // A seed that is one of a few is a split: seeds of a study are any number.
        let limited = |option: &ScriptOption| numeric(option) && !option.choices.is_empty();
        let free = |option: &ScriptOption| numeric(option) && option.choices.is_empty();
        Self {
            arm: with_choices.or_else(|| of_names(ARMS, &named)),
            split: of_names(SPLITS, &chooses_split).or_else(|| of_names(SEEDS, &limited)),
            seed: of_names(SEEDS, &free),
        }
    }

    fn all(&self) -> impl Iterator<Item = &ScriptOption> {
        [&self.arm, &self.split, &self.seed].into_iter().flatten()
    }

    /// Whether an option chooses the arm, the split or the seed.
    pub(crate) fn has(&self, option: &ScriptOption) -> bool {
        self.all().any(|own| own == option)
    }

    /// Returns the highest position of an argument that has one of the three roles, or 0.
    pub(super) fn last_position(&self) -> usize {
        let number = |option: &ScriptOption| match option.written {
            Written::Position(number) => number,
            _ => 0,
        };
        self.all().map(number).max().unwrap_or(0)
    }
}
