//! The command of a proposed study, and its candidates: what the caller gave to the script, with
//! placeholders for the arm, the split and the seed.

use super::{
    Draft, fill_in,
    options::{Roles, ScriptOption, Written},
    script::Script,
};

/// The arguments that the caller gave to the script.
pub(super) struct Given {
    /// Without those of options that have a role.
    rest: Vec<String>,
    /// The value that the option of the arm was given.
    arm: Option<String>,
}

impl Given {
    pub(super) fn of(script: &Script, roles: &Roles) -> Self {
        let mut rest = Vec::new();
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
                    Written::Position(_) => false,
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

    fn has(&self, option: &ScriptOption) -> bool {
        let Written::Flag(flag) = &option.written else {
            return false;
        };
        self.rest
            .iter()
            .any(|word| word == flag || word.starts_with(&format!("{flag}=")))
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
        let placeholder = |option: &ScriptOption| {
            let is = |role: &Option<ScriptOption>| role.as_ref() == Some(option);
            if is(&self.roles.arm) {
                Some("{arm}".to_owned())
            } else if is(&self.roles.split) {
                Some("{split}".to_owned())
            } else if is(&self.roles.seed) {
                Some(seed.to_owned())
            } else {
                None
            }
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
            .count();
        for option in positions {
            let is_needed = option.is_required || last.is_some_and(|last| position(option) <= last);
            let is_given = position(option) <= positional_given && !self.roles.has(option);
            if is_needed && !is_given {
                let value = placeholder(option).or_else(|| option.default.clone());
                command.push(value.unwrap_or_else(|| {
                    fill_in(&format!(
                        "{}, which {} needs",
                        option.name,
                        self.program_name()
                    ))
                }));
            }
        }
        for option in &self.options {
            if matches!(option.written, Written::Position(_)) {
                continue;
            }
            match placeholder(option) {
                Some(value) => command.extend(option.written.words(&value)),
                None if option.is_required && !given.has(option) => {
                    let value = fill_in(&format!(
                        "a value for {}, which must be given",
                        option.written.shown()
                    ));
                    command.extend(option.written.words(&value));
                }
                None => {}
            }
        }
        command
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
