//! Runs as jobs of Slurm: a batch is a job array, and one `squeue` tells of all of them.
//!
//! Source: the manual pages of sbatch, squeue and scancel of Slurm 22.05 to 24.11. Their text
//! output is read with named fields; their JSON changed its shape between these versions.

mod call;
mod keys;
mod listing;

pub(crate) use keys::KIND;
pub use keys::SlurmSettings;

use crate::engine::{Batch, Engine, SubmissionError, quoted};
use call::{Answer, call};
use fiesta_runner::executor::{Task, TaskState};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Largest number of tasks in an array, by Slurm's default (`MaxArraySize`).
const MOST_TASKS: usize = 1000;
/// Time that a supervisor takes in addition to its run.
const MARGIN: Duration = Duration::from_mins(1);
/// Largest number of batches or jobs in one call.
const AT_ONCE: usize = 500;

/// Slurm as an engine, through its commands.
#[derive(Debug)]
pub struct Slurm {
    settings: SlurmSettings,
    /// Job number of each batch, from listings.
    jobs: BTreeMap<String, String>,
}

impl Slurm {
    /// Returns Slurm as an engine with these settings.
    pub fn new(settings: SlurmSettings) -> Self {
        Self {
            settings,
            jobs: BTreeMap::new(),
        }
    }

    /// Returns the arguments of `sbatch` for a batch.
    pub fn arguments(&self, batch: &Batch) -> Vec<String> {
        let settings = &self.settings;
        let log = batch.log.to_string_lossy();
        let mut arguments = vec![
            "--parsable".to_owned(),
            format!("--job-name={}", batch.name),
            format!("--array=1-{}", batch.count),
            format!("--output={log}"),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
        ];
        let of_time = || {
            let limit = batch.needs.time? + MARGIN;
            Some(limit.as_secs().div_ceil(60).to_string())
        };
        let gpus = batch.needs.gpus.filter(|&gpus| gpus > 0);
        for (option, value) in [
            (
                "--cpus-per-task",
                settings.cpus.map(|cpus| cpus.to_string()),
            ),
            ("--mem", settings.memory.clone()),
            ("--time", settings.time.clone().or_else(of_time)),
            ("--partition", settings.partition.clone()),
            ("--account", settings.account.clone()),
            ("--qos", settings.qos.clone()),
            ("--gres", gpus.map(|gpus| format!("gpu:{gpus}"))),
        ] {
            arguments.extend(value.map(|value| format!("{option}={value}")));
        }
        arguments.extend(settings.options.iter().flatten().cloned());
        arguments
    }

    /// Returns the script of a batch for `sbatch`.
    pub fn script(&self, batch: &Batch) -> String {
        batch.script(
            self.settings.prologue.as_deref().unwrap_or_default(),
            "SLURM_ARRAY_TASK_ID",
            "SLURM_RESTART_COUNT",
        )
    }

    /// Returns, for people, the shell command that would submit a batch.
    pub(crate) fn preview(&self, batch: &Batch) -> String {
        let arguments = self.arguments(batch);
        let words = arguments.iter().map(|argument| quoted(argument));
        let words: Vec<String> = words.collect();
        format!(
            "sbatch {} <<'EOF'\n{}EOF",
            words.join(" "),
            self.script(batch)
        )
    }
}

impl Engine for Slurm {
    fn name(&self) -> &'static str {
        "Slurm"
    }

    fn most_tasks(&self) -> usize {
        MOST_TASKS
    }

    fn submit(&mut self, batch: &Batch) -> Result<(), SubmissionError> {
        let arguments = self.arguments(batch);
        let answer = call("sbatch", &arguments, Some(&self.script(batch)));
        match answer {
            Ok(Answer {
                ok: true, stdout, ..
            }) => {
                // The number, and on some clusters the cluster's name after a semicolon.
                let job = stdout.trim().split(';').next().unwrap_or_default();
                self.jobs.insert(batch.name.clone(), job.to_owned());
                Ok(())
            }
            Ok(answer) => Err(refusal(&answer.words())),
            // It cannot be started here: not found, or not executable.
            Err(error) if error.is_of_program => Err(SubmissionError::Refused(error.words)),
            Err(error) => Err(SubmissionError::Unclear(error.words)),
        }
    }

    fn list(&mut self, batches: &BTreeSet<String>) -> Result<BTreeMap<Task, TaskState>, String> {
        let mut arguments = listing::ARGUMENTS.map(ToOwned::to_owned).to_vec();
        // A name that no job has is no error. Of many batches, all jobs of the user are listed.
        if batches.len() <= AT_ONCE {
            let names: Vec<&str> = batches.iter().map(String::as_str).collect();
            arguments.push(format!("--name={}", names.join(",")));
        } else {
            arguments.push("--me".to_owned());
        }
        let answer = call("squeue", &arguments, None).map_err(|error| error.words)?;
        if !answer.ok {
            return Err(answer.words());
        }
        let mut found = BTreeMap::new();
        for line in answer.stdout.lines() {
            let Some(listed) = listing::parse(line) else {
                continue;
            };
            if batches.contains(&listed.task.batch) {
                self.jobs.insert(listed.task.batch.clone(), listed.job);
                // Of a batch that was taken twice, the task that goes further counts.
                let known = found.entry(listed.task).or_insert(listed.state.clone());
                if rank(&listed.state) > rank(known) {
                    *known = listed.state;
                }
            }
        }
        Ok(found)
    }

    fn cancel(&mut self, tasks: &[Task]) -> Result<(), String> {
        let names = tasks.iter().filter_map(|task| {
            let job = self.jobs.get(&task.batch)?;
            Some(format!("{job}_{}", task.number))
        });
        let names: Vec<String> = names.collect();
        for names in names.chunks(AT_ONCE) {
            // Those that wait are withdrawn; of those that run, the supervisor alone is asked,
            // which leaves its command the study's grace.
            for how in [&["--state=PENDING"][..], &["--batch", "--signal=TERM"]] {
                let mut arguments: Vec<String> = how.iter().map(|&word| word.to_owned()).collect();
                arguments.push("--quiet".to_owned());
                arguments.extend(names.iter().cloned());
                let answer = call("scancel", &arguments, None).map_err(|error| error.words)?;
                // That a job has ended meanwhile is no error worth telling.
                let words = answer.words();
                if !answer.ok && is_silence(&words) {
                    return Err(words);
                }
            }
        }
        Ok(())
    }
}

/// Returns the order of a task's state as a number: ended, held, queued, running.
fn rank(state: &TaskState) -> u8 {
    match state {
        TaskState::Ended(_) => 0,
        TaskState::Held { .. } => 1,
        TaskState::Queued { .. } => 2,
        TaskState::Running { .. } => 3,
    }
}

/// Returns the error of a submission from sbatch's message.
fn refusal(words: &str) -> SubmissionError {
    let words = words.to_owned();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if is_silence(&words) {
        SubmissionError::Unclear(words)
    } else if says(&[
        "temporarily unable",
        "temporarily unavailable",
        "Limit",
        "limit reached",
        "Job violates",
        "retrying",
    ]) && !says(&["Requested time limit is invalid"])
    {
        SubmissionError::Busy(words)
    } else {
        SubmissionError::Refused(words)
    }
}

/// Returns whether an error means that the controller was not reached, or did not answer. It may still have received the request.
fn is_silence(words: &str) -> bool {
    [
        "Unable to contact",
        "timed out",
        "Zero Bytes",
        "Connection refused",
        "communication",
        "Transport endpoint",
        "Socket",
    ]
    .iter()
    .any(|part| words.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Needs;

    fn batch(needs: Needs) -> Batch {
        Batch {
            name: "fiesta-1-host-2-3".to_owned(),
            needs,
            count: 7,
            list: "/shared/it's/runs".into(),
            log: "/shared/log".into(),
            program: "/shared/fiesta".into(),
        }
    }

    #[test]
    fn what_is_asked_for_is_in_the_arguments() {
        let slurm = Slurm::new(SlurmSettings {
            cpus: Some(4),
            memory: Some("16G".to_owned()),
            partition: Some("gpu".to_owned()),
            options: Some(vec!["--constraint=a100".to_owned()]),
            ..SlurmSettings::default()
        });
        let arguments = slurm.arguments(&batch(Needs {
            gpus: Some(2),
            time: Some(Duration::from_hours(1)),
            grace: Duration::ZERO,
        }));
        for expected in [
            "--array=1-7",
            "--job-name=fiesta-1-host-2-3",
            "--cpus-per-task=4",
            "--mem=16G",
            "--partition=gpu",
            "--gres=gpu:2",
            "--time=61",
            "--constraint=a100",
        ] {
            assert!(arguments.iter().any(|a| a == expected), "{expected}");
        }
        let bare = Slurm::new(SlurmSettings::default()).arguments(&batch(Needs::default()));
        assert!(bare.iter().all(|a| !a.starts_with("--time")), "{bare:?}");
    }

    #[test]
    fn paths_stand_in_the_script_as_they_are() {
        let slurm = Slurm::new(SlurmSettings {
            prologue: Some(vec!["module load cuda".to_owned()]),
            ..SlurmSettings::default()
        });
        let script = slurm.script(&batch(Needs::default()));
        assert!(
            script.starts_with("#!/bin/sh\nmodule load cuda\n"),
            "{script}"
        );
        assert!(script.contains(r"'/shared/it'\''s/runs'"), "{script}");
    }

    #[test]
    fn errors_say_whether_the_job_may_be_there() {
        let kind = |words: &str| match refusal(words) {
            SubmissionError::Refused(_) => "refused",
            SubmissionError::Busy(_) => "busy",
            SubmissionError::Unclear(_) => "unclear",
        };
        for (words, expected) in [
            (
                "sbatch: error: invalid partition specified: nowhere",
                "refused",
            ),
            (
                "sbatch: error: Batch job submission failed: Requested node configuration is not available",
                "refused",
            ),
            (
                "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)",
                "unclear",
            ),
            (
                "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
                "unclear",
            ),
            (
                "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
                "busy",
            ),
            (
                "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying",
                "busy",
            ),
            (
                "sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
                "refused",
            ),
        ] {
            assert_eq!(kind(words), expected, "{words}");
        }
    }
}
