//! The subcommand of a script that a study runs.

use super::{
    fill_in,
    options::{Roles, ScriptOption},
};

/// Returns the word that has to be added to the command, and the options of the whole script and of
/// the subcommand. The word is `None` if one of the arguments is the subcommand, or there are none.
pub(super) fn chosen(
    mut options: Vec<ScriptOption>,
    arguments: &[String],
) -> (Option<String>, Vec<ScriptOption>) {
    let mut names: Vec<String> = Vec::new();
    for name in options.iter().filter_map(|own| own.subcommand.as_ref()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    // The only one that chooses a model.
    let has_arm = |name: &&String| {
        let own = options
            .iter()
            .filter(|own| own.subcommand.as_ref() == Some(*name));
        Roles::of(&own.cloned().collect::<Vec<_>>()).arm.is_some()
    };
    let mut fitting = names.iter().filter(has_arm);
    let only = fitting.next().filter(|_| fitting.next().is_none()).cloned();
    let given = arguments.iter().find(|word| names.contains(word)).cloned();
    let word = match (&given, &only) {
        (None, None) if !names.is_empty() => {
            Some(fill_in(&format!("a subcommand: {}", names.join(", "))))
        }
        (None, only) => only.clone(),
        (Some(_), _) => None,
    };
    let name = given.or(only);
    options.retain(|own| own.subcommand.is_none() || own.subcommand == name);
    (word, options)
}
