//! An executor of one's own: an engine that starts each task as a process of the shell, at most two at a time.

use fiesta_engines::{
    Batch, Engine, EngineSettings, OnEngine, SubmissionError, Task, TaskEnd, TaskState,
};
use fiesta_runner::{Options, Study, observer::Blind, run, signal::Signals, supervisor};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command};
use std::{env, fs, path::Path, time::Duration};

const STUDY: &str = r#"
    name = "queued"
    command = ["sh", "-c", 'echo "{\"score\": 0.$(({arm} + {seed} % 50))}"']
    metric.name = "score"
    goal = { confidence = 0.9, budget = { evaluations = 40 } }
    design = { parallel = 2, seed = 1 }
    arm = [{ name = "400" }, { name = "600" }]
"#;

#[derive(Debug, Default)]
struct Shell {
    started: BTreeMap<Task, Child>,
}

impl Engine for Shell {
    fn name(&self) -> &'static str {
        "the shell"
    }

    fn most_tasks(&self) -> usize {
        2
    }

    fn submit(&mut self, batch: &Batch) -> Result<(), SubmissionError> {
        let path = batch.list.with_file_name("job.sh");
        let script = batch.script(&[], "1", "NO_RESTARTS");
        fs::write(&path, script).map_err(|error| SubmissionError::Busy(error.to_string()))?;
        for number in 1..=batch.count {
            let child = Command::new("sh")
                .arg(&path)
                .arg(number.to_string())
                .spawn();
            let child = child.map_err(|error| SubmissionError::Unclear(error.to_string()))?;
            self.started.insert(
                Task {
                    batch: batch.name.clone(),
                    number,
                },
                child,
            );
        }
        Ok(())
    }

    fn list(&mut self, batches: &BTreeSet<String>) -> Result<BTreeMap<Task, TaskState>, String> {
        let mut states = BTreeMap::new();
        for (task, child) in &mut self.started {
            let state = match child.try_wait().map_err(|error| error.to_string())? {
                None => TaskState::Running {
                    node: "this machine".to_owned(),
                },
                Some(status) if status.success() => TaskState::Ended(TaskEnd::Completed),
                Some(_) => TaskState::Ended(TaskEnd::Failed),
            };
            if batches.contains(&task.batch) {
                states.insert(task.clone(), state);
            }
        }
        Ok(states)
    }

    fn cancel(&mut self, tasks: &[Task]) -> Result<(), String> {
        for task in tasks {
            if let Some(child) = self.started.get_mut(task) {
                child.kill().map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    supervisor::take_over();
    let study = Study::write(STUDY, Path::new("queued.toml"))?;
    let settings = EngineSettings {
        interval: Duration::from_millis(200),
        ..EngineSettings::default()
    };
    let batches = study.state_directory().join("batches");
    let mut executor = OnEngine::new(Shell::default(), batches, env::current_exe()?, settings)?;
    let finished = run(
        &study,
        &mut executor,
        &mut Signals::new()?,
        &mut Blind,
        &Options::default(),
    )?;
    let (arm, jobs) = (
        study.arms().name(finished.conclusion.arm),
        finished.conclusion.evaluations,
    );
    println!("{arm} is best, after {jobs} jobs");
    assert_eq!(arm, "600");
    Ok(())
}
