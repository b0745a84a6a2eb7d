//! Identity of arms and items, by which scores, kept answers and changes of a study are matched.

use super::{
    Study, StudyError,
    arms::{named, recorded},
    error::Source,
    file::StudyFile,
    inputs::ARM,
    items::Digest,
};
use fiesta_core::{ArmId, Evaluation};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Key of an answer in the cache, beside the digest of its arm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerKey<'a> {
    pub(crate) arm: &'a str,
    pub(crate) item: &'a str,
    /// Digest of the item's content, together with the seed if answers vary.
    pub(crate) digest: String,
}

/// A file of an arm that has changed since the study file was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedInput<'a> {
    pub(crate) arm: &'a str,
    pub(crate) file: &'a str,
}

/// Returns the parts that identify an arm beside its name, of a study in a ledger's form.
///
/// They are the arm's `version`, if it has one, and else its command, its variables, its GPUs, what
/// the executor sets up for it, and the digests of its files. The value of a variable from the
/// caller's environment is not among them.
pub(super) fn identity(study: &Value, arm: &Value) -> Map<String, Value> {
    let mut parts = Map::new();
    if !arm["version"].is_null() {
        parts.insert("version".to_owned(), arm["version"].clone());
        return parts;
    }
    let (worker, executor) = (&study["worker"], &study["executor"]);
    let first = |values: [&Value; 3]| {
        let given = values.into_iter().find(|value| !value.is_null());
        given.cloned().unwrap_or_default()
    };
    let command = first([&arm["command"], &worker["command"], &study["command"]]);
    let gpus = &study["resources"]["gpus_per_job"];
    let gpus = first([&arm["gpus_per_job"], gpus, &Value::Null]);
    let of_tables = [&worker["env"], &arm["env"]];
    let variables = of_tables.into_iter().filter_map(Value::as_object).flatten();
    let variables = variables.map(|(name, value)| match value {
        Value::Object(_) => (name.clone(), Value::Object(Map::new())),
        value => (name.clone(), value.clone()),
    });
    for (name, value) in [
        ("command", command),
        ("env", Value::Object(variables.collect())),
        ("gpus_per_job", gpus),
        ("executor.options", executor["options"].clone()),
        ("executor.prologue", executor["prologue"].clone()),
        ("executor.runtime_env", executor["runtime_env"].clone()),
        ("files", arm["files"].clone()),
    ] {
        parts.insert(name.to_owned(), value);
    }
    parts
}

/// A digest of what identifies an arm beside its name, of a study as a ledger records it.
pub(crate) fn arm_digest(study: &Value, arm: ArmId) -> String {
    let parts = identity(study, &study["arm"][arm.index()]);
    Digest::of(Value::Object(parts).to_string().as_bytes()).to_string()
}

/// Returns what identifies an arm wherever it stands in a study: its [`identity`], in which the arm's name in
/// names of files is a placeholder again. Where nothing but its name tells it from another arm, the name is
/// a part.
pub(super) fn portable_identity(study: &Value, arm: ArmId) -> Map<String, Value> {
    let arm = &study["arm"][arm.index()];
    let name = arm["name"].as_str().unwrap_or_default();
    let mut parts = identity(study, arm);
    let part = |name: &str| parts.get(name).unwrap_or(&Value::Null);
    let tables = [
        &study["inputs"],
        &arm["inputs"],
        part("command"),
        part("env"),
    ];
    let words: Vec<String> = { tables.into_iter().flat_map(texts) }
        .filter(|word| word.contains(ARM))
        .map(str::to_owned)
        .collect();
    let has = |key: &str| match &arm[key] {
        Value::Null => false,
        Value::Object(table) => !table.is_empty(),
        _ => true,
    };
    let mut is_told_apart = ["version", "command", "env"].into_iter().any(has);
    if let Some(Value::Object(files)) = parts.get_mut("files") {
        let general = |(file, digest): (String, Value)| {
            let general = words.iter().find_map(|word| general(&file, word, name));
            is_told_apart |= general.is_some();
            (general.unwrap_or(file), digest)
        };
        *files = std::mem::take(files).into_iter().map(general).collect();
    }
    if !is_told_apart {
        parts.insert("name".to_owned(), name.into());
    }
    parts
}

/// The texts of a list, or the values of a table.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let listed = value.as_array().into_iter().flatten();
    let of_table = value.as_object().into_iter().flat_map(Map::values);
    listed.chain(of_table).filter_map(Value::as_str)
}

/// Returns the name of a file with the placeholder of the arm's name, as a word of the study names it. `None` if
/// the word names another file.
fn general(file: &str, word: &str, name: &str) -> Option<String> {
    let fill = |text: &str| text.replace(ARM, name);
    match word.find(['*', '?', '[']) {
        Some(end) if word[..end].contains(ARM) => {
            let rest = file.strip_prefix(&fill(&word[..end]))?;
            Some(format!("{}{rest}", &word[..end]))
        }
        Some(_) => None,
        // A word such as `--prompt=prompts/{arm}.txt` ends with the file.
        None => {
            let ends = word.char_indices().map(|(at, _)| &word[at..]);
            let mut ends = ends.filter(|end| end.contains(ARM));
            ends.find(|end| fill(end) == file).map(str::to_owned)
        }
    }
}

/// Returns a digest of the arms of a study as a ledger records it, by which its ledger is told from those of
/// earlier versions of these arms.
pub(crate) fn arms_digest(study: &Value) -> String {
    let mut digest = Digest::default();
    for (arm, table) in ArmId::all(recorded(study).len()).zip(recorded(study)) {
        digest.add(table["name"].as_str().unwrap_or_default().as_bytes());
        digest.add(arm_digest(study, arm).as_bytes());
    }
    digest.to_string()
}

/// Names the arms of two versions of a study that are in both, and are identified by other parts.
pub(crate) fn edited(before: &Value, after: &Value) -> Vec<String> {
    let same_name = |old: &&Value| {
        let new = named(recorded(after), &old["name"]);
        new.is_some_and(|new| identity(before, old) != identity(after, new))
    };
    let edited = recorded(before).iter().filter(same_name);
    edited
        .filter_map(|arm| arm["name"].as_str())
        .map(str::to_owned)
        .collect()
}

/// Returns a seed that follows from what identifies the arms of a study as a ledger records it: another
/// one where an arm was edited. JSON holds it exactly.
pub(super) fn seed_of_arms(study: &Value) -> u64 {
    let count = study["arm"].as_array().map_or(0, Vec::len);
    let digests = ArmId::all(count).map(|arm| arm_digest(study, arm));
    let digest = Digest::of(digests.collect::<String>().as_bytes());
    digest.number().unsigned_abs() >> 11
}

impl Study {
    /// Returns the path of the cache of answers. `None` if the study has none.
    pub(crate) fn answer_cache(&self) -> Option<PathBuf> {
        let named = self.file.worker.as_ref()?.cache.as_ref()?;
        Some(self.directory.join(named))
    }

    /// Returns the key of an answer in a cache. `None` in a study without items.
    pub(crate) fn answer_key(&self, evaluation: &Evaluation) -> Option<AnswerKey<'_>> {
        let items = self.items.as_ref()?;
        let digest = items.digest(evaluation.case.split).to_string();
        Some(AnswerKey {
            arm: self.arms.name(evaluation.arm),
            item: items.id(evaluation.case.split),
            // Where answers vary, each is also that to its seed.
            digest: if self.repeats() {
                format!("{digest} seed {}", evaluation.case.seed)
            } else {
                digest
            },
        })
    }

    /// Returns a digest of the parts that identify an arm beside its name.
    pub(crate) fn arm_digest(&self, arm: ArmId) -> String {
        arm_digest(&self.fingerprint, arm)
    }

    /// Returns a file of an arm that has changed since the study file was read. `None` if none has.
    pub(crate) fn changed_input(&self, arm: ArmId) -> Option<ChangedInput<'_>> {
        // A version stands for all of them.
        let has_version = self.file.arm[arm.index()].version.is_some();
        let mut inputs = self.inputs[arm.index()].iter().filter(|_| !has_version);
        let changed = inputs.find(|input| !input.is_current())?;
        Some(ChangedInput {
            arm: self.arms.name(arm),
            file: &changed.name,
        })
    }

    /// Writes the digests of the arms' large files to the study's state, for later use.
    pub(crate) fn keep_digests(&self) {
        super::inputs::keep(self.inputs.iter().flatten(), &self.state_directory());
    }
}

/// Checks that answers can be kept in a cache, if the study file asks for a cache.
pub(super) fn check_cache(source: &Source<'_>, file: &StudyFile) -> Result<(), StudyError> {
    let has_cache = file.worker.iter().any(|table| table.cache.is_some());
    if has_cache && file.design.pool().is_none() {
        let message = "a cache keeps answers to items, and this is a study of splits: leave it out, or name the items under [design]";
        return Err(source.wrong(&["worker", "cache"], message));
    }
    Ok(())
}
