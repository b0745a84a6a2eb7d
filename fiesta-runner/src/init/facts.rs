//! Facts of a script beside its options: folds, what its seed splits, GPUs, a name for its study.

use super::{
    options::{Roles, ScriptOption},
    script::Script,
    source::Source,
};
use regex::Regex;
use std::path::Path;

/// How many folds a script makes: what an option for it has by default, or its source says.
pub(super) fn folds(text: &str, options: &[ScriptOption]) -> Option<u64> {
    const NAMES: [&str; 8] = [
        "n_folds",
        "num_folds",
        "folds",
        "n_splits",
        "num_splits",
        "k_folds",
        "kfolds",
        "k",
    ];
    let mut declared = options
        .iter()
        .filter(|option| NAMES.contains(&option.name.as_str()));
    let declared = declared.find_map(|option| option.default.as_ref()?.parse().ok());
    declared.or_else(|| {
        let count = Regex::new(r"(?:n_splits|n_folds|num_folds|KFold\()\s*=?\s*(\d+)").ok()?;
        count.captures(text)?[1].parse().ok()
    })
}

/// Functions that split data at random.
const SPLITTERS: [&str; 7] = [
    "train_test_split",
    "KFold",
    "StratifiedKFold",
    "ShuffleSplit",
    "StratifiedShuffleSplit",
    "random_split",
    "createDataPartition",
];

/// Whether the seed is given to something that splits the data.
pub(super) fn seed_splits(source: &Source<'_>, roles: &Roles) -> bool {
    let Some(seed) = &roles.seed else {
        return false;
    };
    let calls = SPLITTERS.iter().flat_map(|name| source.calls(name));
    calls
        .flat_map(|call| call.arguments)
        .any(|argument| argument.text.contains(&seed.name))
}

pub(super) fn uses_gpu(text: &str) -> bool {
    [
        "cuda",
        "import tensorflow",
        "import jax",
        "import cupy",
        "lightning",
        "accelerate",
        "transformers",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// The name of a study of a script: its own, or its directory's where its own says nothing.
pub(super) fn name(script: &Script, directory: &Path) -> String {
    let stem = script.path.as_deref().and_then(Path::file_stem);
    let stem = stem.and_then(|stem| stem.to_str()).unwrap_or_default();
    let of_directory = directory.file_name().and_then(|name| name.to_str());
    let says_nothing = [
        "",
        "train",
        "main",
        "run",
        "__main__",
        "evaluate",
        "experiment",
    ]
    .contains(&stem);
    let name = if says_nothing {
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
