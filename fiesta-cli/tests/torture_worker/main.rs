//! Test of a study with a long-lived worker, of which the controller, the hosts, the workers, or
//! all of them at once are killed with SIGKILL, or whose directory is moved, at random moments,
//! again and again.
//!
//! The worker writes down every answer before it gives it, independently of the ledger. Afterwards
//! every evaluation must have been counted exactly once, with the score that its case has; what was
//! published must be what was counted; and nothing may be left running. `FIESTA_TORTURE_KILLS` sets
//! how often something is killed, `FIESTA_TORTURE_SEED` when and what.

mod prompts;
#[path = "../support/mod.rs"]
mod support;

use fiesta::runner::{History, Ledger, Study, history::Check, run::End, status::log::log};
use fiesta::{Observation, Outcome, Streams};
use rand::RngExt;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Evaluations per kill, enough that the study is not done before everything was killed.
const EVALUATIONS_PER_KILL: u64 = 25;

/// Worker in Python that answers after 0 to 130 ms, in any order: too slowly to be done before
/// everything was killed. It notes an answer in one short line, which `O_APPEND` keeps whole.
const WORKER: &str = r#"
import json, os, sys, threading, time
notes = os.open("answered", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def answer(case):
    time.sleep(case["seed"] % 5 / 30)
    score = {"good": 0.5, "fair": 0.4, "poor": 0.3}[case["arm"]] + case["seed"] % 1000 / 10000
    os.write(notes, (case["id"] + "\n").encode())
    os.write(1, (json.dumps({"id": case["id"], "score": round(score, 4)}) + "\n").encode())
for line in sys.stdin:
    threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
"#;

fn setting(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn write_to(directory: &Path, name: &str, text: &str) {
    fs::write(directory.join(name), text).unwrap();
}

fn write_study(directory: &Path, python: &str, evaluations: u64) {
    write_to(directory, "worker.py", WORKER);
    let study = format!(
        r#"
name = "torture"
[worker]
command = ["{python}", "worker.py"]
concurrency = 4
[metric]
name = "score"
[goal]
budget = {{ evaluations = {evaluations} }}
[resources]
retries = 1000
[design]
policy = "uniform"
parallel = 8
[[arm]]
name = "good"
[[arm]]
name = "fair"
[[arm]]
name = "poor"
"#
    );
    write_to(directory, "study.toml", &study);
}

/// A controller that runs. It is killed if the test is over before.
struct Controller(Child);

impl Controller {
    /// Kills the controller, unless the study has ended.
    fn kill(&mut self, directory: &Path) {
        self.0.kill().unwrap();
        self.ended(directory, &[None, Some(0)]);
    }

    /// Waits until the controller has left the moved study, or the study has ended.
    fn leave(&mut self, directory: &Path) {
        // With 2 if it had not opened the ledger yet.
        self.ended(directory, &[Some(4), Some(2), Some(0)]);
    }

    fn ended(&mut self, directory: &Path, codes: &[Option<i32>]) {
        let status = self.0.wait().unwrap();
        let complaints = fs::read_to_string(directory.join("complaints")).unwrap();
        assert!(
            codes.contains(&status.code()),
            "it ended with {status}: {complaints}"
        );
    }

    fn end(mut self, directory: &Path) {
        self.ended(directory, &[Some(0)]);
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn controller(directory: &Path) -> Controller {
    let child = Command::new(env!("CARGO_BIN_EXE_fiesta"))
        .args(["run", "study.toml", "--quiet"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(directory.join("complaints")).unwrap())
        .spawn()
        .unwrap();
    Controller(child)
}

/// Returns the processes started in this directory with this word in their command lines.
fn processes(directory: &Path, word: &str) -> Vec<i32> {
    let of = |entry: fs::DirEntry| -> Option<i32> {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let inside = fs::read_link(entry.path().join("cwd")).ok()? == directory;
        let command = fs::read(entry.path().join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).into_owned();
        (inside && command.contains(word)).then_some(pid)
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| of(entry.ok()?))
        .collect()
}

fn kill(pids: &[i32]) {
    for pid in pids {
        // It may just have ended.
        let _ = kill_process(Pid::from_raw(*pid).unwrap(), Signal::KILL);
    }
}

/// Checks an ended study; returns the number of answers lost because their host was killed before
/// it read them.
fn audit(directory: &Path, evaluations: u64) -> u64 {
    let study = Study::read(&directory.join("study.toml")).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    let history = History::replay(&study, entries, Check::Decisions).unwrap();
    assert_eq!(history.differences, Vec::<String>::new());
    assert!(history.selector.conclusion().is_some(), "no conclusion");
    assert_eq!(history.pending().count(), 0, "pending after the end");
    let mut answered: BTreeMap<String, u64> = BTreeMap::new();
    for line in fs::read_to_string(directory.join("answered"))
        .unwrap()
        .lines()
    {
        *answered.entry(line.to_owned()).or_default() += 1;
    }
    let given: u64 = answered.values().sum();
    let mut counted = 0;
    for record in history.records.values() {
        let evaluation = record.evaluation;
        let ending = record.ending.as_ref().unwrap();
        let base = [0.5, 0.4, 0.3][evaluation.arm.index()];
        let score = base + (evaluation.case.seed % 1000) as f64 / 10000.0;
        let Outcome::Observed(Observation::Score(found)) = ending.outcome else {
            panic!("{evaluation:?}: {ending:?}");
        };
        assert!((found - score).abs() < 1e-9, "{evaluation:?}: {found}");
        counted += 1;
        // What was published counts, and nothing was made again after it.
        let log = log(&study, evaluation.id.0 + 1).unwrap();
        for attempt in 0..=record.attempt {
            let id = study.run_id(&evaluation, attempt);
            let end = &log.attempts[attempt as usize].end;
            let is_counted = attempt == record.attempt;
            assert_eq!(*end == Some(End::Exited(0)), is_counted, "{id}: {end:?}");
            if is_counted {
                assert!(
                    answered.contains_key(id.as_str()),
                    "{id} counts and was never answered"
                );
            }
        }
    }
    assert_eq!(counted, evaluations);
    given - counted
}

/// Checks that no process of the study is left running. Processes that were told to go have 30 s to
/// end.
fn assert_none_left(directory: &Path) {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let left = processes(directory, "");
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "left: {left:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_answer_counts_twice_and_none_that_was_heard_is_lost_whoever_is_killed() {
    let Some(python) = support::python() else {
        return;
    };
    let kills = setting("FIESTA_TORTURE_KILLS", 60);
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let mut directory = root.join("place-0");
    fs::create_dir(&directory).unwrap();
    let evaluations = kills.max(1) * EVALUATIONS_PER_KILL;
    write_study(&directory, &python, evaluations);
    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(0);
    let mut running = controller(&directory);
    let mut injured = [0; 5];
    for _ in 0..kills {
        thread::sleep(Duration::from_micros(rng.random_range(0..300_000)));
        let what = rng.random_range(0..5);
        let workers = processes(&directory, "worker.py");
        let hosts = processes(&directory, "__fiesta-worker");
        if what == 0 || what == 3 {
            running.kill(&directory);
        }
        if what == 1 || what == 3 {
            kill(&hosts);
        }
        if what == 2 || what == 3 {
            kill(&workers);
        }
        if what == 4 {
            let from = directory;
            directory = root.join(format!("place-{}", injured[4] + 1));
            fs::rename(from, &directory).unwrap();
            running.leave(&directory);
        }
        if what == 0 || what >= 3 {
            running = controller(&directory);
        }
        injured[what] += 1;
    }
    running.end(&directory);
    let unheard = audit(&directory, evaluations);
    assert_none_left(&directory);
    eprintln!(
        "killed: controller {}, hosts {}, workers {}, all at once {}; moved: {}; {evaluations} evaluations, each counted once; {unheard} answers were given and not heard",
        injured[0], injured[1], injured[2], injured[3], injured[4]
    );
}

/// Tests that every answer counts if only the controller is killed, and neither hosts nor workers.
#[test]
fn every_answer_counts_however_often_the_controller_is_killed() {
    let Some(python) = support::python() else {
        return;
    };
    let kills = setting("FIESTA_TORTURE_KILLS", 60) / 2;
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().canonicalize().unwrap();
    let evaluations = kills.max(1) * EVALUATIONS_PER_KILL;
    write_study(&directory, &python, evaluations);
    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(1);
    for _ in 0..kills {
        let mut running = controller(&directory);
        thread::sleep(Duration::from_micros(rng.random_range(0..400_000)));
        running.kill(&directory);
    }
    controller(&directory).end(&directory);
    assert_eq!(
        audit(&directory, evaluations),
        0,
        "an answer was given twice"
    );
    assert_none_left(&directory);
}
