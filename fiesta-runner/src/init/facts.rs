//! Facts of a script beside its options: what its seed splits, GPUs, a name for its study.

use super::{
    options::{OF_STUDY, Roles, is_one},
    reader::Assigned,
    script::Script,
};
use serde::Serialize;
use std::path::Path;

/// A variable that a script sets to a constant, where a study would choose its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Constant {
    /// The number of the line of the script.
    pub line: usize,
    /// The value.
    pub value: String,
    /// What the line has to be for a study to choose it.
    pub instead: String,
}

/// The variables of a study, in the order of the arm, the split and the seed.
pub(super) const VARIABLES: [&str; 3] = ["FIESTA_ARM", "FIESTA_SPLIT", "FIESTA_SEED"];

/// The constants in a Python script that are the arm, the split and the seed of a study, in this
/// order, as far as no option is.
pub(super) fn constants(
    assigned: &[Assigned],
    roles: &Roles,
    variables: &[String],
) -> [Option<Constant>; 3] {
    let options = [&roles.arm, &roles.split, &roles.seed];
    std::array::from_fn(|index| {
        let variable = VARIABLES[index];
        if options[index].is_some() || variables.iter().any(|own| own == variable) {
            return None;
        }
        // Models are called by names, seeds and splits are numbers.
        let fits = |own: &&Assigned| (own.value.parse::<f64>().is_ok()) != (index == 0);
        let mut names = OF_STUDY[index].split_whitespace();
        let own = names.find_map(|name| {
            let mut fitting = assigned.iter().filter(fits);
            fitting.find(|own| own.name.to_lowercase() == name)
        })?;
        let read = format!("os.environ[\"{variable}\"]");
        Some(Constant {
            line: own.line,
            value: own.value.clone(),
            instead: match index {
                0 => format!("{} = {read}", own.name),
                _ => format!("{} = int({read})", own.name),
            },
        })
    })
}

pub(super) fn uses_gpu(text: &str) -> bool {
    let words = "cuda|import tensorflow|import jax|import cupy|lightning|accelerate|transformers";
    words.split('|').any(|word| text.contains(word))
}

/// The name of a study of a script: its own, or its directory's where its own says nothing.
pub(super) fn name(script: &Script, directory: &Path) -> String {
    let stem = script.path.as_deref().and_then(Path::file_stem);
    let stem = stem.and_then(|stem| stem.to_str()).unwrap_or_default();
    let of_directory = directory.file_name().and_then(|name| name.to_str());
    let says_nothing = is_one("train main run __main__ evaluate experiment", stem);
    let name = if says_nothing || stem.is_empty() {
        of_directory.unwrap_or("study")
    } else {
        stem
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name
        .chars()
        .map(|c| if fits(c) { c } else { '-' })
        .take(100)
        .collect();
    let name = name.trim_matches(['.', '-']).to_owned();
    if name.is_empty() {
        "study".to_owned()
    } else {
        name
    }
}
