//! An executor of one's own: a study whose jobs a queue starts, here [Task Spooler]'s (`tsp`).
//!
//! Whatever queues jobs is an `Engine`: three methods, and `OnEngine` makes an executor of it, with
//! all that it takes to lose nothing and carry nothing out twice. The jobs are watched over by this
//! same program, on whichever machine the queue starts it, if that sees the study's directory.
//!
//! `cargo run --features engines --example custom_executor [DIRECTORY]`, with Debian's package
//! `task-spooler`. Killed and started again, it goes on, with the jobs that run meanwhile.
//!
//! [Task Spooler]: https://viric.name/soft/ts/

use fiesta::{
    engines::{Batch, Engine, EngineSettings, OnEngine, SubmissionError, Task, TaskEnd, TaskState},
    runner::{Options, RunError, Study, observer::Blind, run, signal::Signals, supervisor},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
    process::Command,
    time::Duration,
};

/// A queue of Task Spooler, identified by its socket.
#[derive(Debug)]
struct Spooler {
    socket: PathBuf,
}

impl Spooler {
    /// Returns the output of `tsp`, or an error message.
    fn ask(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("tsp");
        command.args(arguments).env("TS_SOCKET", &self.socket);
        // Two jobs at a time; the first call starts the queue.
        let answer = command.env("TS_SLOTS", "2").output();
        let answer = answer.map_err(|error| format!("cannot start tsp: {error}"))?;
        if answer.status.success() {
            Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&answer.stderr).trim().to_owned())
        }
    }

    /// Returns the number, the state and the label of each job in the queue.
    fn jobs(&self) -> Result<Vec<[String; 3]>, String> {
        let list = self.ask(&["-l"])?;
        // 7    finished   /tmp/ts-out.k2Zc   0   1.00/0.00/0.01   [fiesta-…#1]sh …/job.sh 1
        let job = |line: &str| {
            let label = line.split_once('[')?.1.split_once(']')?.0;
            let mut words = line.split_whitespace();
            Some([words.next()?, words.next()?, label].map(ToOwned::to_owned))
        };
        Ok(list.lines().skip(1).filter_map(job).collect())
    }
}

fn label(task: &Task) -> String {
    format!("{}#{}", task.batch, task.number)
}

impl Engine for Spooler {
    fn name(&self) -> &'static str {
        "Task Spooler"
    }

    fn most_tasks(&self) -> usize {
        100
    }

    fn submit(&mut self, batch: &Batch) -> Result<(), SubmissionError> {
        // The task's number is the first argument; no queue of this kind starts jobs anew.
        let script = batch.script(&[], "1", "RESTARTS_OF_NO_ENGINE");
        let path = batch.list.with_file_name("job.sh");
        fs::write(&path, script).map_err(|error| SubmissionError::Busy(error.to_string()))?;
        let path = path.to_string_lossy();
        for number in 1..=batch.count {
            let (batch, number) = (batch.name.clone(), number);
            let label = label(&Task { batch, number });
            // If a later task is not accepted, the earlier ones are.
            self.ask(&["-n", "-L", &label, "sh", &path, &number.to_string()])
                .map_err(SubmissionError::Unclear)?;
        }
        Ok(())
    }

    fn list(&mut self, batches: &BTreeSet<String>) -> Result<BTreeMap<Task, TaskState>, String> {
        let mut tasks = BTreeMap::new();
        for [_, state, label] in self.jobs()? {
            let Some((batch, number)) = label.rsplit_once('#') else {
                continue;
            };
            let (true, Ok(number)) = (batches.contains(batch), number.parse()) else {
                continue;
            };
            let state = match state.as_str() {
                "running" => TaskState::Running {
                    node: "this machine".to_owned(),
                },
                "finished" => TaskState::Ended(TaskEnd::Completed),
                other => TaskState::Queued {
                    reason: other.to_owned(),
                    hopeless: false,
                },
            };
            let batch = batch.to_owned();
            tasks.insert(Task { batch, number }, state);
        }
        Ok(tasks)
    }

    fn cancel(&mut self, tasks: &[Task]) -> Result<(), String> {
        let labels: BTreeSet<String> = tasks.iter().map(label).collect();
        for [number, state, label] in self.jobs()? {
            if labels.contains(&label) {
                // A job that waits is removed; one that runs is asked to stop, by SIGTERM.
                match state.as_str() {
                    "queued" => self.ask(&["-r", &number])?,
                    "running" => self.ask(&["-k", &number])?,
                    _ => continue,
                };
            }
        }
        Ok(())
    }
}

/// Study with made-up scores, which are the arm plus noise of ± 0.1.
const STUDY: &str = r#"
name = "spooled"
command = [
    "awk",
    "-v", "arm={arm}",
    "-v", "seed={seed}",
    'BEGIN { srand(seed % 2147483647); print "{\"score\": " arm + (rand() - 0.5) / 5 "}" }',
]

[metric]
name = "score"

[goal]
confidence = 0.95
budget = { evaluations = 60 }

[design]
splits = "independent"
parallel = 4
seed = 1

[[arm]]
name = "0.5"
[[arm]]
name = "0.55"
[[arm]]
name = "0.6"
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The queue starts this program once more for each job, to watch over it.
    supervisor::take_over();
    let directory = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let directory = fs::canonicalize(directory)?;
    let study = Study::write(STUDY, &directory.join("spooled.toml"))?;
    let spooler = Spooler {
        socket: directory.join("queue"),
    };
    let settings = EngineSettings {
        interval: Duration::from_millis(200),
        ..EngineSettings::default()
    };
    let batches = study.state_directory().join("batches");
    let mut executor = OnEngine::new(spooler, batches, env::current_exe()?, settings)?;
    let mut signals = Signals::new()?;
    let options = Options::default();
    let finished = match run(&study, &mut executor, &mut signals, &mut Blind, &options) {
        Err(RunError::Interrupted { .. }) => {
            println!("stopped; the next start goes on from here");
            return Ok(());
        }
        finished => finished?,
    };
    println!(
        "{} is best with {:.1} % posterior probability, after {} jobs of the queue",
        study.arms().name(finished.conclusion.arm),
        100.0 * finished.conclusion.probability.unwrap_or(0.0),
        finished.history.selector.view().total_ended(),
    );
    Ok(())
}
