//! Inputs of arms: the files whose contents make an arm what it is.
//!
//! They are the files that an arm's command and its variables name once the arm's name and the
//! choices of its hyperparameters are filled in, and those that the study file lists as `inputs`.
//! What a program reads by itself is not seen.

use super::{
    StudyError,
    arms::{named as named_arm, recorded},
    environment::texts,
    error::Source,
    file::{ArmTable, StudyFile},
    items::{Digest, matching},
    job::Job,
};
use crate::{
    ordinary,
    run::files::{read_whole, replace},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// Directories of system programs, whose files are not inputs as the system may replace them.
const OF_SYSTEM: &str = "/bin /sbin /lib /usr/bin /usr/sbin /usr/lib /usr/libexec /nix /snap";
/// Placeholder for the arm's name in the names of inputs.
pub(super) const ARM: &str = "{arm}";
/// Size, in bytes, from which a file's digest is kept, so that the file is not read again.
const KEPT_FROM: u64 = 1 << 20;
/// Seconds within which a file may change twice without a new modification time.
const UNSURE: f64 = 2.0;

/// A file that determines what an arm does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The file as the study file names it.
    pub(crate) name: String,
    path: PathBuf,
    seen: Seen,
}

/// The state of a file when it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Size of the file, in bytes.
    size: u64,
    /// Time of the file's last change, in seconds and nanoseconds.
    modified: (i64, i64),
    /// Digest of the file's content.
    pub(super) digest: Digest,
    /// Time at which the file was read, in seconds since 1970.
    at: f64,
}

impl Seen {
    /// Reads the state of a file. Returns `before` without reading if size and time are unchanged.
    pub(super) fn look(path: &Path, before: Option<&Self>) -> io::Result<Self> {
        let status = fs::metadata(path)?;
        let (size, modified) = (status.size(), (status.mtime(), status.mtime_nsec()));
        if let Some(before) = before
            && (before.size, before.modified) == (size, modified)
            && modified.0 as f64 + UNSURE < before.at
        {
            return Ok(before.clone());
        }
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = at.map_or(0.0, |since| since.as_secs_f64());
        let digest = Digest::of_reader(ordinary::open(path)?)?;
        Ok(Self {
            size,
            modified,
            digest,
            at,
        })
    }

    /// Whether a file still has the content that was seen. A file that cannot be read at present,
    /// such as for want of open files, counts as unchanged.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        match Self::look(path, Some(self)) {
            Ok(now) => now.digest == self.digest,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }
}

impl Input {
    /// Returns the digest of the file's content when the study file was read.
    pub(crate) fn digest(&self) -> Digest {
        self.seen.digest
    }

    /// Whether the file still has the content that it had when the study file was read.
    pub(crate) fn is_current(&self) -> bool {
        self.seen.is_current(&self.path)
    }

    /// Whether the file contains one of these texts.
    pub(super) fn mentions(&self, texts: &[&str]) -> bool {
        mentions(&self.path, texts)
    }
}

/// Whether a file contains one of these texts. Returns false if it cannot be read.
pub(super) fn mentions(path: &Path, texts: &[&str]) -> bool {
    let Ok(mut file) = ordinary::open(path) else {
        return false;
    };
    let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
    let (mut buffer, mut kept) = (vec![0; longest + (1 << 16)], 0);
    while let Ok(read) = file.read(&mut buffer[kept..]) {
        let filled = kept + read;
        let found = |text: &&str| {
            let mut windows = buffer[..filled].windows(text.len());
            windows.any(|window| window == text.as_bytes())
        };
        if texts.iter().any(found) {
            return true;
        }
        if read == 0 {
            break;
        }
        // A text may stand across the end of what was read.
        let from = filled.saturating_sub(longest);
        buffer.copy_within(from..filled, 0);
        kept = filled - from;
    }
    false
}

/// Kept digests of large files, by their paths.
#[derive(Debug, Default)]
pub(super) struct Kept(BTreeMap<PathBuf, Seen>);

impl Kept {
    fn file(state: &Path) -> PathBuf {
        state.join("digests.json")
    }

    /// Reads the kept digests from a study's state directory.
    pub(super) fn read(state: &Path) -> Self {
        let read = read_whole(&Self::file(state));
        Self(read.ok().flatten().unwrap_or_default())
    }

    fn look(&mut self, path: &Path) -> io::Result<Seen> {
        let seen = Seen::look(path, self.0.get(path))?;
        self.0.insert(path.to_owned(), seen.clone());
        Ok(seen)
    }
}

/// Writes the digests of large files to the study's state. If that fails, the files are read again
/// later.
pub(super) fn keep<'a>(inputs: impl Iterator<Item = &'a Input>, state: &Path) {
    let large = inputs.filter(|input| input.seen.size >= KEPT_FROM);
    let large: BTreeMap<&Path, &Seen> = large.map(|own| (&*own.path, &own.seen)).collect();
    if let Some(content) = serde_json::to_vec(&large)
        .ok()
        .filter(|_| !large.is_empty())
    {
        let _ = replace(&Kept::file(state), &content);
    }
}

/// Finds the inputs of each arm of a study file at this path.
///
/// A file that an arm's command names and that came into being after the ledger was begun was
/// written by its jobs, as long as the command is what it was: it is no input.
pub(super) fn inputs(
    source: &Source<'_>,
    file: &StudyFile,
    study: &Path,
    jobs: &[Job],
    ledger: Option<&Value>,
    mut kept: Kept,
) -> Result<Vec<Vec<Input>>, StudyError> {
    let directory = study.parent().unwrap_or(Path::new("/"));
    let is_of_each = |entry: &&String| entry.contains(ARM);
    let (of_each, of_all): (Vec<_>, Vec<_>) = file.inputs.iter().partition(is_of_each);
    let of_all = listed(source, &["inputs"], directory, of_all)?;
    let own = [Some(study.to_owned()), cache(file, directory)];
    let now = serde_json::to_value(file).unwrap_or_default();
    let of_arm = |(arm, job): (&ArmTable, &Job)| {
        let key = ["arm", &arm.place, "inputs"];
        let named_for_it = of_each.iter().copied().chain(&arm.inputs);
        let named_for_it: Vec<String> = named_for_it
            .map(|entry| entry.replace(ARM, &arm.name))
            .collect();
        let of_arm = listed(source, &key, directory, &named_for_it)?;
        let mut names = named(arm, job);
        if let Some(known) = known(&now, arm, ledger) {
            names.retain(|name| known.contains_key(name));
        }
        names.retain(|name| !of_all.without.contains(name) && !of_arm.without.contains(name));
        names.extend(of_all.files.iter().chain(&of_arm.files).cloned());
        let mut found = Vec::new();
        for name in names {
            let path = directory.join(&name);
            if !path.is_file()
                || own.iter().flatten().any(|own| *own == path)
                || is_of_system(&path)
            {
                continue;
            }
            let seen = kept.look(&path).map_err(|error| {
                let message = format!(
                    "cannot read {}, a file of the arm `{}`: {error}",
                    path.display(),
                    arm.name
                );
                source.wrong(&["arm", &arm.place, "name"], message)
            })?;
            found.push(Input { name, path, seen });
        }
        Ok(found)
    };
    file.arm.iter().zip(jobs).map(of_arm).collect()
}

/// Files that `inputs` includes, and files that it excludes.
#[derive(Default)]
struct Listed {
    files: BTreeSet<String>,
    without: BTreeSet<String>,
}

fn listed<'a>(
    source: &Source<'_>,
    key: &[&str],
    directory: &Path,
    entries: impl IntoIterator<Item = &'a String>,
) -> Result<Listed, StudyError> {
    let mut listed = Listed::default();
    for entry in entries {
        let wrong = |message: String| source.wrong(key, message);
        if let Some(name) = entry.strip_prefix('!') {
            listed.without.insert(name.to_owned());
            continue;
        }
        let paths = matching(directory, entry)
            .map_err(|reason| wrong(format!("inputs: \"{entry}\" {reason}")))?;
        let before = listed.files.len();
        for path in paths.into_iter().filter(|path| path.is_file()) {
            let name = path.strip_prefix(directory).unwrap_or(&path);
            listed.files.insert(name.to_string_lossy().into_owned());
        }
        if listed.files.len() == before && !listed.files.contains(entry) {
            return Err(wrong(format!(
                "inputs: no file is called \"{entry}\": write a file, or a pattern for files such as \"prompts/*.txt\", from the directory of the study file"
            )));
        }
    }
    Ok(listed)
}

/// Returns the words of an arm's command and variables that may be names of files.
fn named(arm: &ArmTable, job: &Job) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut take = |hyperparameter: Option<(&str, &str)>| {
        let value = |word: &str| match (word, hyperparameter) {
            ("arm", _) => arm.name.clone(),
            (word, Some((name, value))) if word == name => value.to_owned(),
            // No path has a zero byte.
            _ => "\0".to_owned(),
        };
        let words = job.command.fill(value);
        names.extend(of_words(&words));
    };
    take(None);
    for (name, parameter) in arm.search.iter().flatten() {
        for value in parameter
            .choice
            .iter()
            .flatten()
            .filter_map(toml::Value::as_str)
        {
            take(Some((name, value)));
        }
    }
    names.extend(texts(&job.environment).map(|(_, value)| value));
    names.retain(|name| !name.is_empty() && !name.contains('\0'));
    names
}

/// Returns the words of a command that may be names of files.
fn of_words(words: &[String]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (place, word) in words.iter().enumerate() {
        names.insert(word.clone());
        names.extend(pieces(word).map(str::to_owned));
        if place > 0 && words[place - 1] == "-m" {
            let module = word.replace('.', "/");
            names.extend([format!("{module}.py"), format!("{module}/__main__.py")]);
        }
    }
    names
}

/// Returns digests of the files that a policy's command names, but for those in `inputs` with `!`.
pub(super) fn of_command(
    source: &Source<'_>,
    command: &[String],
    inputs: &[String],
    study: &Path,
) -> Result<Map<String, Value>, StudyError> {
    let directory = study.parent().unwrap_or(Path::new("/"));
    let is_left_out = |name: &str| {
        let mut left_out = inputs.iter().filter_map(|entry| entry.strip_prefix('!'));
        left_out.any(|own| own == name)
    };
    let mut digests = Map::new();
    for name in of_words(command) {
        let path = directory.join(&name);
        let is_file = !name.is_empty() && !name.contains('\0') && path.is_file();
        if !is_file || path == study || is_left_out(&name) || is_of_system(&path) {
            continue;
        }
        let seen = Seen::look(&path, None).map_err(|error| {
            let message = format!("cannot read {}: {error}", path.display());
            source.wrong(&["design", "policy"], message)
        })?;
        digests.insert(name, seen.digest.to_string().into());
    }
    Ok(digests)
}

/// Splits an argument into parts that may be names of files: `--prompt=a.txt`, `@a.txt`, a line for
/// a shell.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "\"'`;|&<>()[]{}=,".contains(c);
    word.split(ends).map(|piece| piece.trim_start_matches('@'))
}

/// Returns the files that the ledger has for an arm, if the words that name them are unchanged.
/// `now` is the study file in the ledger's form.
fn known<'a>(
    now: &Value,
    arm: &ArmTable,
    ledger: Option<&'a Value>,
) -> Option<&'a Map<String, Value>> {
    let name = Value::from(arm.name.as_str());
    let (then, before) = (ledger?, named_arm(recorded(ledger?), &name)?);
    let after = named_arm(recorded(now), &name)?;
    let is_as_it_was = names_files(then, before) == names_files(now, after);
    before["files"].as_object().filter(|_| is_as_it_was)
}

/// Returns all parts of a recorded study that may name files of an arm.
fn names_files(study: &Value, arm: &Value) -> Value {
    let worker = &study["worker"];
    let env = |table: &Value| match &table["env"] {
        Value::Null => json!({}),
        env => env.clone(),
    };
    json!([
        study["command"],
        worker.is_object(),
        worker["command"],
        env(worker),
        arm["command"],
        env(arm),
        arm["search"],
    ])
}

/// Returns the path of the cache of answers, which is no input as it changes with every answer.
fn cache(file: &StudyFile, directory: &Path) -> Option<PathBuf> {
    Some(directory.join(file.worker.as_ref()?.cache.as_ref()?))
}

/// Whether a path leads to a program of the system.
fn is_of_system(path: &Path) -> bool {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    OF_SYSTEM
        .split_whitespace()
        .any(|place| real.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, time::Duration};

    #[test]
    fn a_text_is_found_across_pieces_that_are_read() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("program");
        for before in [0, 5, (1 << 16) - 4, 1 << 16, (1 << 17) - 1, 200_000] {
            fs::write(&path, format!("{}FIESTA_ARM", "x".repeat(before))).unwrap();
            assert!(mentions(&path, &["NONE", "FIESTA_ARM"]), "{before}");
            assert!(!mentions(&path, &["FIESTA_HP_"]), "{before}");
        }
        assert!(!mentions(&directory.path().join("none"), &["x"]));
    }

    /// Tests that a file with unchanged size and time is not read again, unless it may have changed
    /// within the same moment.
    #[test]
    fn a_digest_is_kept_with_size_and_time() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("model.bin");
        let old = SystemTime::now() - Duration::from_mins(1);
        let write = |text: &str| {
            fs::write(&path, text).unwrap();
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(old)
                .unwrap();
        };
        write("one");
        let first = Seen::look(&path, None).unwrap();
        write("two");
        assert_eq!(Seen::look(&path, Some(&first)).unwrap(), first);
        assert!(first.is_current(&path));
        write("three");
        assert_ne!(
            Seen::look(&path, Some(&first)).unwrap().digest,
            first.digest
        );
        // Just now, it is read again.
        fs::write(&path, "one").unwrap();
        let now = Seen::look(&path, None).unwrap();
        fs::write(&path, "two").unwrap();
        assert!(!now.is_current(&path));
        fs::remove_file(&path).unwrap();
        assert!(!now.is_current(&path));
    }

    #[test]
    fn large_digests_are_kept_for_the_next_look() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("model.bin");
        let size = usize::try_from(KEPT_FROM).unwrap();
        let input = |size: usize| {
            fs::write(&path, vec![1; size]).unwrap();
            let seen = Seen::look(&path, None).unwrap();
            Input {
                name: "model.bin".to_owned(),
                path: path.clone(),
                seen,
            }
        };
        keep([input(size - 1)].iter(), directory.path());
        assert!(Kept::read(directory.path()).0.is_empty());
        let large = input(size);
        keep([large.clone()].iter(), directory.path());
        assert_eq!(
            Kept::read(directory.path()).0,
            [(path.clone(), large.seen)].into()
        );
    }
}
