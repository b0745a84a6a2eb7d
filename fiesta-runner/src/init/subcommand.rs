//! The subcommand of a script that a study runs.

use super::{
    fill_in,
    options::{Roles, ScriptOption},
};

/// The word that has to be added to the command, if none of the arguments is a subcommand, and the
/// options that the subcommand has or the whole script.
pub(super) fn chosen(
    options: Vec<ScriptOption>,
    arguments: &[String],
) -> (Option<String>, Vec<ScriptOption>) {
    let mut names: Vec<String> = Vec::new();
    for name in options
        .iter()
        .filter_map(|option| option.subcommand.as_ref())
    {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        return (None, options);
    }
    let of = |name: &str| {
        let own = options.iter().filter(|option| {
            option.subcommand.is_none() || option.subcommand.as_deref() == Some(name)
        });
        own.cloned().collect::<Vec<_>>()
    };
    if let Some(given) = arguments.iter().find(|word| names.contains(word)) {
        return (None, of(given));
    }
    // The one whose own options tell more of a study than those of the others.
    let score = |name: &String| {
        let own: Vec<ScriptOption> = of(name)
            .into_iter()
            .filter(|own| own.subcommand.is_some())
            .collect();
        let roles = Roles::of(&own);
        [roles.arm, roles.split, roles.seed]
            .iter()
            .flatten()
            .count()
    };
    let best = names.iter().map(score).max().unwrap_or_default();
    let mut fitting = names.iter().filter(|name| score(name) == best);
    if let (Some(name), None) = (fitting.next(), fitting.next()) {
        return (Some(name.clone()), of(name));
    }
    let what = fill_in(&format!("a subcommand: {}", names.join(", ")));
    let mut general = options;
    general.retain(|option| option.subcommand.is_none());
    (Some(what), general)
}
