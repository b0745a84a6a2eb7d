//! The command of a proposed study, and its candidates: what the caller gave to the script, with
//! placeholders for the arm, the split and the seed.

use super::{
    Draft, fill_in,
    options::{Roles, ScriptOption, Written, is_of_study, last_part},
};

/// The arguments that the caller gave to the script.
pub(super) struct Given {
    /// Words of the caller's command, without options for the arm, split or seed.
    rest: Vec<String>,
    /// Whether the first word is a subcommand.
    has_subcommand: bool,
    /// The values that the option of the arm was given: several of `model=a,b`.
    arms: Vec<String>,
}

impl Given {
    pub(super) fn of(
        arguments: &[String],
        roles: &Roles,
        subcommand: Option<String>,
        has_subcommand: bool,
    ) -> Self {
        let mut rest: Vec<String> = subcommand.into_iter().collect();
        let mut arms = Vec::new();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.as_str(), None),
            };
            let is = |option: &Option<ScriptOption>| {
                option.as_ref().is_some_and(|option| match &option.written {
                    Written::Flag(flag) => flag == name,
                    Written::Joined(own) => own == name && value.is_some(),
                    _ => false,
                })
            };
            let of_arm = is(&roles.arm);
            if !of_arm && !is(&roles.split) && !is(&roles.seed) {
                rest.push(word.clone());
                continue;
            }
            let value = value.or_else(|| words.next().map(String::as_str));
            if of_arm {
                let is_joined = !name.starts_with('-');
                // A value in brackets is one: `model=[a,b]`.
                let value = value.unwrap_or_default();
                let is_list = is_joined && !value.contains(['[', '{']);
                let values = value.split(|c: char| is_list && c == ',');
                arms.extend(values.map(ToOwned::to_owned));
            }
        }
        Self {
            rest,
            has_subcommand,
            arms,
        }
    }

    /// Returns the caller's arguments that are not options.
    fn positions(&self) -> impl Iterator<Item = &String> {
        let words = self.rest.iter().filter(|word| !word.starts_with('-'));
        words.skip(usize::from(self.has_subcommand))
    }

    /// Returns the value that the caller gave to an option. `None` if none was given.
    fn given(&self, option: &ScriptOption) -> Option<String> {
        match &option.written {
            Written::Flag(name) | Written::Joined(name) => {
                let mut words = self.rest.iter().enumerate();
                words.find_map(|(at, word)| {
                    let rest = word.strip_prefix(name.as_str())?;
                    match rest.strip_prefix('=') {
                        Some(value) => Some(value.to_owned()),
                        None if rest.is_empty() => Some(self.rest.get(at + 1)?.clone()),
                        None => None,
                    }
                })
            }
            Written::Position(number) => self.positions().nth(number.checked_sub(1)?).cloned(),
            Written::Variable(_) | Written::Constant(_) => None,
        }
    }

    /// Returns the value of an option: the given one, or the default.
    pub(super) fn value(&self, option: &ScriptOption) -> Option<String> {
        self.given(option).or_else(|| option.default.clone())
    }
}

/// Adds options found only in the caller's command, if they are named like the arm, split or seed
/// of a study: `--model lstm`, `--seed=1`, `model=lstm`.
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
        // Hydra adds a key with `+model=lstm`.
        let option = ScriptOption::new(flag.trim_start_matches(['-', '+']), written, "command");
        let is_known = options.iter().any(|own| own.name == option.name);
        if is_of_study(&last_part(&option.name)) && !is_known {
            options.push(option);
        }
    }
}

/// Returns whether these choices are 0, 1, 2 and so on.
fn are_counted(choices: &[String]) -> bool {
    let mut numbered = choices.iter().enumerate();
    numbered.all(|(number, own)| *own == number.to_string())
}

/// Returns the candidates: the values that the arm's option was given, those that it may have, and
/// its default value.
pub(super) fn arms(roles: &Roles, given: &Given) -> Vec<String> {
    let Some(option) = &roles.arm else {
        return Vec::new();
    };
    let mut arms: Vec<String> = Vec::new();
    for name in given
        .arms
        .iter()
        .chain(&option.choices)
        .chain(&option.default)
    {
        if !arms.contains(name) && !name.is_empty() && name != "{arm}" {
            arms.push(name.clone());
        }
    }
    arms
}

impl Draft {
    /// Returns the words of the study's command.
    pub(super) fn command_with(&self, given: &Given) -> Vec<String> {
        let mut general = Vec::new();
        let mut positions = Vec::new();
        let mut others = Vec::new();
        let mut variables = Vec::new();
        for option in &self.options {
            let Some(value) = self.value_of(option, given) else {
                continue;
            };
            let words = option.written.words(&value);
            match &option.written {
                Written::Variable(_) => variables.extend(words),
                Written::Position(_) => positions.extend(words),
                // What the whole script has stands before the subcommand.
                _ if given.has_subcommand && option.subcommand.is_none() => general.extend(words),
                _ => others.extend(words),
            }
        }
        let mut command = Vec::new();
        if let Some(split) = self.counts_from_one() {
            let words = split.written.words("$((FIESTA_SPLIT + 1))").join(" ");
            let line = match split.written {
                Written::Variable(_) => format!("export {words}; exec \"$@\""),
                _ => format!("exec \"$@\" {words}"),
            };
            command.extend(["sh", "-c", &line, "sh"].map(ToOwned::to_owned));
        }
        if !variables.is_empty() {
            command.push("env".to_owned());
        }
        let given = given.rest.clone();
        let parts = [
            variables,
            self.program.clone(),
            general,
            given,
            positions,
            others,
        ];
        command.extend(parts.into_iter().flatten());
        if command.is_empty() {
            let what =
                "the command that answers one question with one prompt: its words, as a list";
            command.push(fill_in(what));
        }
        command
    }

    /// Returns the value for an option in the study's command. `None` if the command leaves it out,
    /// or the caller gave it.
    fn value_of(&self, option: &ScriptOption, given: &Given) -> Option<String> {
        let roles = &self.roles;
        let is = |role: &Option<ScriptOption>| role.as_ref() == Some(option);
        if is(&roles.arm) {
            return Some("{arm}".to_owned());
        }
        if is(&roles.split) {
            return self.value_of_split(option);
        }
        if is(&roles.seed) {
            let is_split = self.seed_splits && roles.split.is_none();
            return Some(if is_split { "{split}" } else { "{seed}" }.to_owned());
        }
        let is_needed = option.is_required
            || match option.written {
                // Arguments before one that has a role.
                Written::Position(number) => number < roles.last_position(),
                _ => false,
            };
        if !is_needed || given.given(option).is_some() {
            return None;
        }
        let choices = match option.choices.as_slice() {
            [] => String::new(),
            choices => format!(" (one of {})", choices.join(", ")),
        };
        let shown = match option.written {
            Written::Position(_) => option.name.clone(),
            _ => option.written.shown(),
        };
        let missing = || {
            fill_in(&format!(
                "a value for {shown}{choices}, which must be given"
            ))
        };
        Some(option.default.clone().unwrap_or_else(missing))
    }

    /// Returns the value for the option of the split. `None` if a shell adds it to the command.
    fn value_of_split(&self, option: &ScriptOption) -> Option<String> {
        if self.counts_from_one().is_some() {
            return None;
        }
        let choices = match (self.folds, option.choices.as_slice()) {
            (None, choices) if are_counted(choices) => return Some("{split}".to_owned()),
            (None, choices) => choices.join(", "),
            (Some(folds), _) if folds.first == 0 => return Some("{split}".to_owned()),
            (Some(folds), _) => format!("1 to {}", folds.count),
        };
        Some(fill_in(&format!(
            "a split: {{split}} is 0, 1, 2 and so on, but {} takes {choices}",
            option.written.shown()
        )))
    }

    /// Returns the script's options that have no role and that the study's command does not give.
    pub(super) fn not_in_command(&self, given: &Given) -> Vec<ScriptOption> {
        let is_given = |option: &ScriptOption| {
            self.roles.has(option)
                || self.value_of(option, given).is_some()
                || given.given(option).is_some()
        };
        let unused = self.options.iter().filter(|own| !is_given(own));
        unused.cloned().collect()
    }

    /// Returns the option for the split, if the script counts splits from 1 and a shell can add 1
    /// to the number. A shell cannot add 1 to an argument without a name.
    pub(super) fn counts_from_one(&self) -> Option<&ScriptOption> {
        let split = self.roles.split.as_ref()?;
        let can_add = !matches!(split.written, Written::Position(_) | Written::Constant(_));
        (self.folds?.first == 1 && can_add).then_some(split)
    }

    pub(super) fn program_name(&self) -> &str {
        self.program.last().map_or("the command", String::as_str)
    }
}
