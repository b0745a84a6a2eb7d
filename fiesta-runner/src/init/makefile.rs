//! Reads makefiles: their variables as options of `make`, and their targets as candidates.

use super::options::{ScriptOption, Written, is_of_study, last_part};
use crate::pattern::is_one;
use regex::Regex;
use std::collections::HashSet;

/// Names under which `make` looks for its file, in its order.
pub(super) const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Targets of makefiles that are never candidates, such as `clean`.
const CHORES: &str = "all clean deploy distclean help install test uninstall";

/// Lists what each match of a regular expression captured.
fn captured<const N: usize>(form: &str, text: &str) -> Vec<[String; N]> {
    let Ok(form) = Regex::new(form) else {
        return Vec::new();
    };
    let found = form.captures_iter(text);
    found
        .map(|own| {
            std::array::from_fn(|at| own.get(at + 1).map_or("", |part| part.as_str()).to_owned())
        })
        .collect()
}

/// Lists the variables of a makefile that are called as the arm, the split or the seed of a study:
/// `MODEL ?= lstm`, or `$(SEED)` alone.
pub(super) fn variables(text: &str) -> Vec<ScriptOption> {
    let set: Vec<[String; 2]> = captured(
        r"(?m)^(?:export[ \t]+)?(\w+)[ \t]*[:?]{0,2}=[ \t]*([^#\n]*)",
        text,
    );
    let used: Vec<[String; 2]> = captured(r"\$[({](\w+)()[)}]", text);
    let mut options: Vec<ScriptOption> = Vec::new();
    for [name, value] in set.into_iter().chain(used) {
        if is_of_study(&last_part(&name)) && options.iter().all(|own| own.name != name) {
            let mut option = ScriptOption::new(&name, Written::Joined(name.clone()), "makefile");
            let value = value.trim();
            option.default = (!value.is_empty() && !value.contains('$')).then(|| value.to_owned());
            options.push(option);
        }
    }
    options
}

/// Returns the argument for the target, whose choices are the candidates: the targets that the caller
/// names, if these are several, which are taken out of the arguments; else the phony ones; else all.
/// `None` if the caller names one target, or there is none.
pub(super) fn target(text: &str, arguments: &mut Vec<String>) -> Option<ScriptOption> {
    let words = |found: Vec<[String; 1]>| -> Vec<String> {
        let words = found.iter().flat_map(|[line]| line.split_whitespace());
        words.map(ToOwned::to_owned).collect()
    };
    let mut all = words(captured(
        r"(?m)^([A-Za-z0-9][\w ./-]*?)[ \t]*::?(?:[^:=]|$)",
        text,
    ));
    let mut phony = words(captured(r"(?m)^\.PHONY[ \t]*:([^#\n]*)", text));
    phony.retain(|own| all.contains(own));
    let given = arguments.iter().filter(|word| all.contains(word));
    let given: Vec<String> = given.cloned().collect();
    // Who names them means them.
    for targets in [&mut all, &mut phony] {
        targets.retain(|own| !is_one(CHORES, own));
    }
    let mut choices = match given.len() {
        0 if phony.is_empty() => all,
        0 => phony,
        1 => return None,
        _ => given,
    };
    arguments.retain(|word| !choices.contains(word));
    let mut seen = HashSet::new();
    choices.retain(|own| seen.insert(own.clone()));
    let mut option = ScriptOption::new("arm", Written::Position(1), "makefile");
    option.is_required = true;
    option.choices = choices;
    (!option.choices.is_empty()).then_some(option)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "MODEL ?= lstm  # one of\nOUT := $(DIR)/out\nSEED = $(N)\n.PHONY: train clean\n\ntrain eval: data/a.csv\n\tpython train.py $(MODEL) ${FOLD}\nclean:\n\trm -r $(OUT)\n%.o: %.c\n$(OUT): x\n";

    #[test]
    fn variables_of_a_study() {
        let found = variables(TEXT);
        let found: Vec<_> = found
            .iter()
            .map(|own| (&*own.name, own.default.as_deref()))
            .collect();
        assert_eq!(
            found,
            [("MODEL", Some("lstm")), ("SEED", None), ("FOLD", None)]
        );
    }

    #[test]
    fn targets_are_candidates() {
        let choices = |words: &[&str]| {
            let mut words = words.iter().map(|word| (*word).to_owned()).collect();
            target(TEXT, &mut words).map(|own| (own.choices.join(" "), words.join(" ")))
        };
        let of = |choices: &str, rest: &str| Some((choices.to_owned(), rest.to_owned()));
        assert_eq!(choices(&[]), of("train", ""));
        assert_eq!(choices(&["-s", "eval", "train"]), of("eval train", "-s"));
        assert_eq!(choices(&["train"]), None);
        let without = TEXT.replace(".PHONY", ".SILENT");
        let all = target(&without, &mut Vec::new()).unwrap();
        assert_eq!(all.choices, ["train", "eval"]);
    }
}
