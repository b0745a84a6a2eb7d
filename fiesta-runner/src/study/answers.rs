//! The identity of answers in a cache: which arm, and which item.

use super::{Study, StudyError, error::Source, file::StudyFile, items::Digest};
use fiesta_core::{ArmId, Evaluation};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// What an answer is to, beside its arm's digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerKey<'a> {
    pub(crate) arm: &'a str,
    pub(crate) item: &'a str,
    /// That of the item's content; with the seed where answers vary.
    pub(crate) digest: String,
}

impl Study {
    /// The cache of answers, if the study has one.
    pub(crate) fn answer_cache(&self) -> Option<PathBuf> {
        let named = self.file.worker.as_ref()?.cache.as_ref()?;
        Some(self.directory.join(named))
    }

    /// The key of an answer in a cache; none in a study without items.
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

    /// A digest of what answers for an arm: its `version`, if it has one, else its command, its
    /// variables, and the content of the files that its command names. A file that cannot be read
    /// is the error.
    pub(crate) fn answerer(&self, arm: ArmId) -> Result<String, (PathBuf, io::Error)> {
        let table = self.file.arm.iter();
        let version = table
            .filter(|table| table.name == self.arms.name(arm))
            .find_map(|table| table.version.as_ref());
        if let Some(version) = version {
            return Ok(Digest::of(version.as_bytes()).to_string());
        }
        let job = &self.jobs[arm.index()];
        let command = job.command.fill(|word| format!("\0{word}\0"));
        let mut files = Vec::new();
        for word in &command {
            let path = self.directory.join(word);
            if is_file_beside(&path, word) {
                let content = fs::read(&path).map_err(|source| (path, source))?;
                files.push(Digest::of(&content).to_string());
            }
        }
        let said = serde_json::json!([command, job.environment, files]);
        Ok(Digest::of(said.to_string().as_bytes()).to_string())
    }
}

/// Whether a word of a command is a file, and no program of the system, which is what its path
/// says.
fn is_file_beside(path: &Path, word: &str) -> bool {
    !word.is_empty() && !Path::new(word).is_absolute() && path.is_file()
}

/// Checks that answers can be kept, if the study file asks for it.
pub(super) fn check_cache(source: &Source<'_>, file: &StudyFile) -> Result<(), StudyError> {
    let is_cached = file
        .worker
        .as_ref()
        .is_some_and(|table| table.cache.is_some());
    if is_cached && file.design.pool().is_none() {
        let message = "a cache keeps answers to items, and this is a study of splits: leave it out, or name the items under [design]";
        return Err(source.wrong(&["worker", "cache"], message));
    }
    let versioned = file.arm.iter().find(|arm| arm.version.is_some());
    match versioned.filter(|_| !is_cached) {
        Some(arm) => {
            let message = "a version identifies an arm in the cache of answers, and the study has none: leave it out, or give [worker] a cache";
            Err(source.wrong(&["arm", &arm.place, "version"], message))
        }
        None => Ok(()),
    }
}
