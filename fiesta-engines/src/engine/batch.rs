//! Batches of runs that are submitted together, and the durable map from an engine's tasks to runs.

use fiesta_runner::{
    executor::{
        ExecutorError, Task,
        parts::{create_dir, ensure_dir, now, write},
    },
    process,
    run::RunSpec,
    supervisor::{ARGUMENT, PARENT, RESTARTS},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Needs of a run: GPUs and time on the machine that carries it out.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Needs {
    /// Number of whole GPUs that the run needs.
    #[serde(default)]
    pub gpus: Option<u64>,
    /// Time limit of the run's command, with its grace. `None` if it has no limit.
    #[serde(default)]
    pub time: Option<Duration>,
    /// Time that the run's command has from a request to stop until it is killed.
    #[serde(default)]
    pub grace: Duration,
}

impl Needs {
    pub(super) fn of(spec: &RunSpec) -> Self {
        Self {
            gpus: spec.gpus,
            time: spec
                .wall_limit
                .and_then(|limit| limit.checked_add(spec.grace)),
            grace: spec.grace,
        }
    }
}

/// Runs that are submitted together.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The name of the batch, unique among all studies.
    pub name: String,
    /// Needs that all runs of the batch have in common.
    pub needs: Needs,
    /// Number of runs in the batch.
    pub count: u32,
    /// Path of the file that lists the directories of the runs, one a line.
    pub list: PathBuf,
    /// Path of the file for output of the jobs that no supervisor records.
    pub log: PathBuf,
    /// The program that supervises a run on its node.
    pub program: PathBuf,
}

impl Batch {
    /// Returns the batches in which these runs would be submitted. Their directories would be below `place`.
    pub(crate) fn planned(
        specs: &[RunSpec],
        most_tasks: usize,
        place: &Path,
        program: &Path,
    ) -> Vec<Self> {
        let runs = specs.iter().map(|spec| (Needs::of(spec), ()));
        let batches = alike(runs, most_tasks).into_iter().zip(1..);
        let batches = batches.map(|((needs, runs), number)| {
            let name = format!("fiesta-TIME-HOST-PROCESS-{number}");
            Self {
                needs,
                count: u32::try_from(runs.len()).unwrap_or(u32::MAX),
                list: place.join(&name).join(LIST),
                log: place.join(&name).join(LOG),
                program: program.to_owned(),
                name,
            }
        });
        batches.collect()
    }

    pub(super) fn task(&self, number: u32) -> Task {
        Task {
            batch: self.name.clone(),
            number,
        }
    }

    /// Returns the shell script that carries out a task. `number` is the variable that holds the
    /// task's number.
    ///
    /// `restarts` is the variable in which the engine says how often it started the job anew.
    pub fn script(&self, prologue: &[String], number: &str, restarts: &str) -> String {
        let (beginning, program) = (self.beginning(prologue, number), quoted_path(&self.program));
        format!(
            "{beginning}export {RESTARTS}=\"${{{restarts}:-0}}\"\nexec {program} {ARGUMENT} \"$run\"\n"
        )
    }

    /// Returns the shell script for an engine that kills only the script's process group. The
    /// supervisor has a session of its own, and stops its run when the script has ended. The
    /// script's first argument is the task's number.
    pub fn script_of_parent(&self, prologue: &[String]) -> String {
        let (beginning, program) = (self.beginning(prologue, "1"), quoted_path(&self.program));
        format!("{beginning}{PARENT}=$$ {program} {ARGUMENT} \"$run\"\nexit $?\n")
    }

    /// Returns the first lines of a task's script, which find the run's directory.
    fn beginning(&self, prologue: &[String], number: &str) -> String {
        let list = quoted_path(&self.list);
        let prologue: String = prologue.iter().flat_map(|line| [line, "\n"]).collect();
        format!(
            "#!/bin/sh\n{prologue}run=$(sed -n \"${{{number}}}p\" {list}) || exit 66\n[ -d \"$run\" ] || {{ echo \"the directory $run is not seen on $(hostname)\"; exit 66; }}\n"
        )
    }
}

/// Returns a word quoted for a shell, also for shells without `$'…'`.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Groups runs of equal needs, at most `most` in a group. Groups are in the order of their first
/// runs.
pub(super) fn alike<T>(
    runs: impl IntoIterator<Item = (Needs, T)>,
    most: usize,
) -> Vec<(Needs, Vec<T>)> {
    let mut alike: Vec<(Needs, Vec<T>)> = Vec::new();
    for (needs, run) in runs {
        let group = alike
            .iter_mut()
            .find(|(others, runs)| *others == needs && runs.len() < most);
        match group {
            Some((_, runs)) => runs.push(run),
            None => alike.push((needs, vec![run])),
        }
    }
    alike
}

/// Returns a path quoted for a shell.
pub(crate) fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// Batches of a study, those of earlier controllers too.
#[derive(Debug)]
pub(super) struct Batches {
    place: PathBuf,
    program: PathBuf,
    /// The latest task of every run, by the name of its directory.
    tasks: BTreeMap<PathBuf, Task>,
    begun: u64,
}

/// Name of the file, in a batch's directory, that lists its runs.
const LIST: &str = "runs";
const LOG: &str = "log";

impl Batches {
    pub(super) fn read(place: PathBuf, program: PathBuf) -> Result<Self, ExecutorError> {
        let mut tasks = BTreeMap::new();
        let mut names = Vec::new();
        match fs::read_dir(&place) {
            Ok(entries) => {
                for entry in entries.flatten() {
                    names.extend(entry.file_name().into_string().ok());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ExecutorError::file(&place)(error)),
        }
        // By the time in their names: of a run that was submitted again, the last counts.
        names.sort();
        for name in names {
            let list = place.join(&name).join(LIST);
            let Ok(text) = fs::read_to_string(&list) else {
                continue;
            };
            for (run, number) in text.lines().zip(1..) {
                let batch = name.clone();
                tasks.insert(own_name(Path::new(run)), Task { batch, number });
            }
        }
        Ok(Self {
            place,
            program,
            tasks,
            begun: 0,
        })
    }

    /// Writes a new batch to disk, before it is submitted to the engine.
    pub(super) fn begin(
        &mut self,
        needs: Needs,
        runs: impl Iterator<Item = PathBuf>,
    ) -> Result<Batch, ExecutorError> {
        let runs: Vec<PathBuf> = runs.collect();
        self.begun += 1;
        let host = process::host().unwrap_or_default();
        let host: String = host.chars().filter(char::is_ascii_alphanumeric).collect();
        let name = format!(
            "fiesta-{:013.0}-{host}-{}-{}",
            now() * 1e3,
            std::process::id(),
            self.begun
        );
        let directory = self.place.join(&name);
        let list = directory.join(LIST);
        let lines = runs.iter().map(|run| run.to_string_lossy());
        let text: String = lines
            .flat_map(|line| {
                [
                    line,
                    "
"
                    .into(),
                ]
            })
            .collect();
        ensure_dir(&self.place)
            .and_then(|()| create_dir(&directory))
            .and_then(|()| write(&list, &text))
            .map_err(ExecutorError::file(&directory))?;
        for (run, number) in runs.iter().zip(1..) {
            let batch = name.clone();
            self.tasks.insert(own_name(run), Task { batch, number });
        }
        Ok(Batch {
            name,
            needs,
            count: u32::try_from(runs.len()).unwrap_or(u32::MAX),
            list,
            log: directory.join(LOG),
            program: self.program.clone(),
        })
    }

    /// Returns the task of the run in this directory. `None` if the run was never in a batch.
    pub(super) fn task_of(&self, run: &Path) -> Option<Task> {
        self.tasks.get(&own_name(run)).cloned()
    }

    /// Returns the last lines that the jobs of a task's batch printed, as text to append to a message.
    pub(super) fn log(&self, task: &Task) -> String {
        let log = fs::read_to_string(self.place.join(&task.batch).join(LOG));
        let log = log.unwrap_or_default();
        let lines: Vec<&str> = log.lines().rev().take(5).collect();
        if lines.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        format!("; the job printed:\n{}", lines.join("\n"))
    }

    /// Removes all batches without a run that is followed, and without an open answer of the engine.
    pub(super) fn forget_but<'a>(
        &mut self,
        live: impl Iterator<Item = &'a Task>,
        unanswered: &BTreeSet<String>,
    ) {
        let live: BTreeSet<&str> = live.map(|task| task.batch.as_str()).collect();
        let is_live = |name: &str| live.contains(name) || unanswered.contains(name);
        let over: BTreeSet<String> = self
            .tasks
            .values()
            .filter(|task| !is_live(&task.batch))
            .map(|task| task.batch.clone())
            .collect();
        for name in &over {
            // What stays does no harm.
            let _ = fs::remove_dir_all(self.place.join(name));
        }
        self.tasks.retain(|_, task| !over.contains(&task.batch));
    }
}

/// Returns the name of a run's directory, which stays the same if its study is moved.
fn own_name(run: &Path) -> PathBuf {
    run.file_name().map_or_else(PathBuf::new, PathBuf::from)
}
