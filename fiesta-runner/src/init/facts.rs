//! Facts of a script beside its options: what its seed splits, GPUs, a name for its study.

use super::{
    options::{OF_STUDY, Roles},
    script::Script,
    source::{Source, literal},
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

/// The constants in a Python script that are the arm, the split and the seed of a study, in this
/// order, as far as no option is.
pub(super) fn constants(
    source: &Source<'_>,
    roles: &Roles,
    variables: &[String],
) -> [Option<Constant>; 3] {
    let options = [&roles.arm, &roles.split, &roles.seed];
    let names = ["FIESTA_ARM", "FIESTA_SPLIT", "FIESTA_SEED"];
    std::array::from_fn(|index| {
        if options[index].is_some() || variables.iter().any(|own| own == names[index]) {
            return None;
        }
        let both = OF_STUDY[index]
            .iter()
            .flat_map(|name| [(*name).to_owned(), name.to_uppercase()]);
        let mut found = both.filter_map(|name| {
            let set = source.assigned(&name)?;
            let at = set.as_ptr() as usize - source.text.as_ptr() as usize;
            let code = set.split(" #").next()?.trim();
            let value = literal(code)?;
            // Models are called by names, seeds and splits are numbers.
            let is_number = value.parse::<f64>().is_ok();
            let read = format!("os.environ[\"{}\"]", names[index]);
            let instead = if index == 0 {
                format!("{name} = {read}")
            } else {
                format!("{name} = int({read})")
            };
            (is_number != (index == 0)).then_some(Constant {
                line: source.line(at),
                value,
                instead,
            })
        });
        found.next()
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
