//! The command of a proposed study, and its candidates: what the caller gave to the script, with
//! placeholders for the arm, the split and the seed.

use super::{
    Draft, fill_in,
    options::{Roles, ScriptOption, Written, is_of_study, last_part},
    script::Script,
    split::{Meaning, meaning},
};

/// The arguments that the caller gave to the script.
pub(super) struct Given {
    /// Without those of options that have a role.
    rest: Vec<String>,
    /// The value that the option of the arm was given.
    arm: Option<String>,
}

impl Given {
    pub(super) fn of(script: &Script, roles: &Roles, subcommand: Option<String>) -> Self {
        let mut rest: Vec<String> = subcommand.into_iter().collect();
        let mut arm = None;
        let mut words = script.arguments.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let is = |option: &Option<ScriptOption>| {
                option.as_ref().is_some_and(|option| match &option.written {
                    Written::Flag(flag) => flag == name,
                    Written::Joined(own) => own == name && value.is_some(),
                    Written::Position(_) | Written::Variable(_) => false,
                })
            };
            let of_arm = is(&roles.arm);
            if !of_arm && !is(&roles.split) && !is(&roles.seed) {
                rest.push(word.clone());
                continue;
            }
            let value = value.or_else(|| words.next().cloned());
            if of_arm {
                arm = value;
            }
        }
        Self { rest, arm }
    }

    /// What an option is worth: what it was given, or has by default.
    pub(super) fn value(&self, option: &ScriptOption) -> Option<String> {
        let mut words = self.rest.iter();
        let given = match &option.written {
            Written::Flag(name) | Written::Joined(name) => words.find_map(|word| {
                let rest = word.strip_prefix(name.as_str())?;
                match rest.strip_prefix('=') {
                    Some(value) => Some(value.to_owned()),
                    None => rest.is_empty().then(String::new),
                }
            }),
            Written::Position(_) | Written::Variable(_) => None,
        };
        match given {
            Some(own) if own.is_empty() => words.next().cloned(),
            Some(own) => Some(own),
            None => option.default.clone(),
        }
    }

    fn has(&self, option: &ScriptOption) -> bool {
        let Written::Flag(flag) = &option.written else {
            return false;
        };
        self.rest
            .iter()
            .any(|word| word == flag || word.starts_with(&format!("{flag}=")))
    }
}

/// Adds options that the caller's command gives and that nothing else told, if their names are
/// those of a study: `--model lstm`, `--seed=1`, `model=lstm`.
pub(super) fn add_given(options: &mut Vec<ScriptOption>, arguments: &[String]) {
    for (at, word) in arguments.iter().enumerate() {
        let (flag, value) = word.split_once('=').unwrap_or((word, ""));
        let next = arguments.get(at + 1).filter(|next| !next.starts_with('-'));
        let is_flag = flag.starts_with('-');
        let written = match word.contains('=') {
            true if !value.is_empty() => Written::Joined(flag.to_owned()),
            false if is_flag && next.is_some() => Written::Flag(flag.to_owned()),
            _ => continue,
        };
        let option = ScriptOption::new(flag.trim_start_matches('-'), written, "command");
        let is_known = options.iter().any(|own| own.name == option.name);
        if is_of_study(&last_part(&option.name)) && !is_known {
            options.push(option);
        }
    }
}

/// The candidates: the values that the arm's option may have, with that which was given, and that
/// which it has by default, first.
pub(super) fn arms(roles: &Roles, given: &Given) -> Vec<String> {
    let Some(option) = &roles.arm else {
        return Vec::new();
    };
    let mut arms: Vec<String> = given.arm.iter().cloned().collect();
    let default = option.default.iter().filter(|default| !default.is_empty());
    for name in option.choices.iter().chain(default) {
        if !arms.contains(name) && !name.is_empty() {
            arms.push(name.clone());
        }
    }
    arms
}

impl Draft {
    /// The words of the study's command.
    pub(super) fn command_with(&self, given: &Given) -> Vec<String> {
        let mut command = self.program.clone();
        command.extend(given.rest.iter().cloned());
        let seed = if self.seed_splits && self.roles.split.is_none() {
            "{split}"
        } else {
            "{seed}"
        };
        let split = match &self.roles.split {
            Some(split) if self.is_uneven(split) => fill_in(&format!(
                "a split: {{split}} is 0, 1, 2 and so on, but {} takes {}",
                split.written.shown(),
                split.choices.join(", ")
            )),
            _ => "{split}".to_owned(),
        };
        let from_one = self.counts_from_one();
        let roles = [&self.roles.arm, &self.roles.split, &self.roles.seed];
        let placeholder = |option: &ScriptOption| {
            let mut values = roles.into_iter().zip(["{arm}", &split, seed]);
            let own = values.find(|(role, _)| role.as_ref() == Some(option));
            own.map(|(_, value)| value.to_owned())
        };
        let positions = self
            .options
            .iter()
            .filter(|option| matches!(option.written, Written::Position(_)));
        let last = positions
            .clone()
            .filter(|option| self.roles.has(option))
            .map(position)
            .max();
        let positional_given = given
            .rest
            .iter()
            .filter(|word| !word.starts_with('-'))
            .count()
            .saturating_sub(usize::from(self.has_subcommands()));
        for option in positions {
            let is_needed = option.is_required || last.is_some_and(|last| position(option) <= last);
            let is_given = position(option) <= positional_given && !self.roles.has(option);
            if is_needed && !is_given {
                let value = placeholder(option).or_else(|| option.default.clone());
                command.push(value.unwrap_or_else(|| {
                    let choices = match option.choices.as_slice() {
                        [] => String::new(),
                        choices => format!(" (one of {})", choices.join(", ")),
                    };
                    fill_in(&format!(
                        "{}{choices}, which {} needs",
                        option.name,
                        self.program_name()
                    ))
                }));
            }
        }
        let mut variables = Vec::new();
        for option in self.options.iter().filter(|own| Some(*own) != from_one) {
            match &option.written {
                Written::Position(_) => continue,
                Written::Variable(_) => {
                    let value = placeholder(option);
                    variables.extend(value.iter().flat_map(|value| option.written.words(value)));
                    continue;
                }
                _ => {}
            }
            match placeholder(option) {
                // What the whole script has stands before the subcommand.
                Some(value) if option.subcommand.is_none() && self.has_subcommands() => {
                    let at = self.program.len();
                    command.splice(at..at, option.written.words(&value));
                }
                Some(value) => command.extend(option.written.words(&value)),
                None if option.is_required && !given.has(option) => {
                    let split = match meaning(option) {
                        Meaning::Perhaps if self.roles.split.is_none() => {
                            "; {split}, if it chooses a split of the data"
                        }
                        _ => "",
                    };
                    let value = fill_in(&format!(
                        "a value for {}, which must be given{split}",
                        option.written.shown()
                    ));
                    command.extend(option.written.words(&value));
                }
                None => {}
            }
        }
        self.around(command, variables)
    }

    /// The options that have no role, need not be given, and were not given.
    pub(super) fn not_in_command(&self, given: &Given) -> Vec<ScriptOption> {
        let positions = given
            .rest
            .iter()
            .filter(|word| !word.starts_with('-'))
            .count();
        let last = self.options.iter().filter(|own| self.roles.has(own));
        let last = last.map(position).max().unwrap_or(0).max(positions);
        let is_given = |option: &ScriptOption| match &option.written {
            Written::Flag(_) => given.has(option),
            Written::Joined(name) => {
                let start = format!("{name}=");
                given.rest.iter().any(|word| word.starts_with(&start))
            }
            Written::Position(number) => *number <= last,
            Written::Variable(_) => false,
        };
        let unused = self
            .options
            .iter()
            .filter(|own| !self.roles.has(own) && !own.is_required && !is_given(own));
        unused.cloned().collect()
    }

    /// The command with what sets variables before it, and a shell that adds 1 to the split where
    /// the script counts from 1.
    fn around(&self, mut command: Vec<String>, mut variables: Vec<String>) -> Vec<String> {
        if !variables.is_empty() {
            variables.insert(0, "env".to_owned());
            command.splice(0..0, variables);
        }
        let at = command.iter().position(|word| word == "{split}");
        if let Some(at) = at.filter(|_| self.counts_from_one().is_some()) {
            // An argument, which has its place among the others.
            let words = (1..=command.len()).map(|number| {
                if number == at + 1 {
                    format!("$((${{{number}}} + 1))")
                } else {
                    format!("\"${{{number}}}\"")
                }
            });
            let words: Vec<String> = words.collect();
            let line = format!("exec {}", words.join(" "));
            let shell = ["sh", "-c", &line, "sh"].map(ToOwned::to_owned);
            command.splice(0..0, shell);
        } else if let Some(split) = self.counts_from_one() {
            let words = split.written.words("$((FIESTA_SPLIT + 1))").join(" ");
            let line = match split.written {
                Written::Variable(_) => format!("export {words}; exec \"$@\""),
                _ => format!("exec \"$@\" {words}"),
            };
            let shell = ["sh", "-c", &line, "sh"].map(ToOwned::to_owned);
            command.splice(0..0, shell);
        }
        command
    }

    fn has_subcommands(&self) -> bool {
        self.options.iter().any(|own| own.subcommand.is_some())
    }

    /// The option for the split if its numbers are from 1.
    pub(super) fn counts_from_one(&self) -> Option<&ScriptOption> {
        let split = self.roles.split.as_ref()?;
        (self.folds?.first == 1).then_some(split)
    }

    /// Whether an option takes other values than numbers one after another from 0 or 1.
    fn is_uneven(&self, option: &ScriptOption) -> bool {
        self.folds.is_none() && !option.choices.is_empty()
    }

    pub(super) fn program_name(&self) -> &str {
        self.program.last().map_or("the command", String::as_str)
    }
}

fn position(option: &ScriptOption) -> usize {
    match option.written {
        Written::Position(number) => number,
        _ => 0,
    }
}
