//! Fixture of the tests: a pool of workers, a directory for their runs, and time limits.

use crate::support::stop_all;
pub(crate) use crate::support::{LONG, eventually, kill};
use fiesta_core::{Direction, Metric, Observation};
use fiesta_runner::gpu::GpuPool;
use fiesta_runner::run::result::{self, NoScore, Scored, Wanted};
use fiesta_runner::{
    executor::{Executor, WorkerPool, WorkerSettings},
    run::{End, Ended, RunId, RunSpec},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::PipeReader;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Worker in Python that follows the instructions in its cases.
const WORKER: &str = include_str!("worker.py");

pub(crate) fn settings() -> WorkerSettings {
    WorkerSettings {
        concurrency: 1,
        processes: 1,
        rate_limit: None,
        start_timeout: None,
        grace: Duration::from_secs(20),
        keys: vec!["f1".to_owned()],
        gpus_per_worker: BTreeMap::new(),
    }
}

pub(crate) struct Bench {
    directory: TempDir,
    pub(crate) pool: WorkerPool,
    settings: WorkerSettings,
    gpus: GpuPool,
    command: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) wall_limit: Option<Duration>,
    quiet: (PipeReader, std::io::PipeWriter),
}

/// Returns whether there is a Python 3 for the worker. Says so loudly if not.
pub(crate) fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output();
    let there = found.is_ok_and(|output| output.status.success());
    if !there {
        crate::skipped::skipped("python3 is missing, and the test's worker with it");
    }
    there
}

impl Bench {
    pub(crate) fn new(change: impl FnOnce(&mut WorkerSettings)) -> Self {
        Self::with_gpus(GpuPool::new([""; 0]).unwrap(), change)
    }

    pub(crate) fn with_gpus(gpus: GpuPool, change: impl FnOnce(&mut WorkerSettings)) -> Self {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("worker.py"), WORKER).unwrap();
        let mut settings = settings();
        change(&mut settings);
        Self {
            pool: pool(directory.path(), settings.clone(), gpus.clone()),
            directory,
            settings,
            gpus,
            command: ["python3", "worker.py"].map(ToOwned::to_owned).to_vec(),
            environment: Vec::new(),
            wall_limit: None,
            quiet: std::io::pipe().unwrap(),
        }
    }

    /// Uses a shell script as the worker.
    pub(crate) fn shell(mut self, script: &str) -> Self {
        self.command = ["/bin/sh", "-c", script].map(ToOwned::to_owned).to_vec();
        self
    }

    pub(crate) fn command(mut self, command: &[&str]) -> Self {
        self.command = command.iter().map(ToString::to_string).collect();
        self
    }

    /// Sets an environment variable that changes the worker in Python.
    pub(crate) fn setting(mut self, setting: &str) -> Self {
        let variable = ("WORKER".to_owned(), setting.to_owned());
        self.environment.push(variable);
        self
    }

    /// Replaces the pool by a new one, as a restarted controller would.
    pub(crate) fn restart(&mut self) {
        let (settings, gpus) = (self.settings.clone(), self.gpus.clone());
        self.pool = pool(self.directory.path(), settings, gpus);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub(crate) fn touch(&self, name: &str) {
        fs::write(self.path(name), "").unwrap();
    }

    /// Returns the requests that the workers in Python have logged: time, case and process of each.
    pub(crate) fn asked(&self) -> Vec<(f64, String, String)> {
        let text = self.text("asked");
        let of_line = |line: &str| {
            let mut words = line.split(' ').map(ToOwned::to_owned);
            let at = words.next().unwrap().parse().unwrap();
            (at, words.next().unwrap(), words.next().unwrap())
        };
        text.lines().map(of_line).collect()
    }

    pub(crate) fn spec(&self, number: u64, request: Value) -> RunSpec {
        spec(self, number, 0, request)
    }

    #[track_caller]
    pub(crate) fn submit(&mut self, number: u64, request: Value) -> RunSpec {
        let spec = self.spec(number, request);
        self.pool.submit(&spec).unwrap();
        spec
    }

    pub(crate) fn poll(&mut self, timeout: Duration) -> Vec<Ended> {
        self.pool.poll(Some(timeout), self.quiet.0.as_fd()).unwrap()
    }

    /// Waits for `count` ends. Returns them by the names of the runs.
    #[track_caller]
    pub(crate) fn wait(&mut self, count: usize) -> BTreeMap<String, Ended> {
        let deadline = Instant::now() + LONG;
        let mut ends = BTreeMap::new();
        while ends.len() < count {
            assert!(Instant::now() < deadline, "only these ended: {ends:#?}");
            for ended in self.poll(Duration::from_millis(200)) {
                let before = ends.insert(ended.id.to_string(), ended);
                assert_eq!(before, None, "a run ended twice");
            }
        }
        assert_eq!(ends.len(), count, "{ends:#?}");
        ends
    }

    /// Polls the pool until a condition holds, and checks that no run ends before.
    #[track_caller]
    pub(crate) fn poll_until(&mut self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        eventually(what, || {
            assert_eq!(self.poll(Duration::from_millis(10)), []);
            holds(self)
        });
    }

    /// Waits for the only run.
    #[track_caller]
    pub(crate) fn wait_one(&mut self) -> Ended {
        self.wait(1).into_values().next().unwrap()
    }

    /// Asks one case, and waits for its end.
    #[track_caller]
    pub(crate) fn ask(&mut self, number: u64, request: Value) -> Ended {
        self.submit(number, request);
        self.wait_one()
    }

    pub(crate) fn run(&self, number: u64, attempt: u32) -> PathBuf {
        self.path(&format!("study-{number}-a{attempt}"))
    }

    /// Reads the score of a run's answer.
    pub(crate) fn read(&self, number: u64) -> Result<Scored, NoScore> {
        let metric = Metric::new("f1", Direction::Maximize, None).unwrap();
        result::read(&self.run(number, 0), Wanted::Score(&metric))
    }

    #[track_caller]
    pub(crate) fn scored(&self, number: u64, expected: f64) {
        match self.read(number).unwrap().observation {
            Observation::Score(score) => assert!((score - expected).abs() < 1e-12, "{score}"),
            counts @ Observation::Counts(_) => panic!("{counts:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn await_text(&self, name: &str) -> String {
        eventually("a file is written", || self.text(name).ends_with('\n'));
        self.text(name)
    }

    /// The pids that the workers in Python wrote down.
    pub(crate) fn workers(&self) -> Vec<i32> {
        self.text("workers")
            .lines()
            .map(|pid| pid.parse().unwrap())
            .collect()
    }

    /// The pids of the hosts that live.
    pub(crate) fn hosts(&self) -> Vec<i32> {
        let Ok(workers) = fs::read_dir(self.path("workers.d")) else {
            return Vec::new();
        };
        let meta = |entry: std::io::Result<fs::DirEntry>| {
            let text = fs::read_to_string(entry.ok()?.path().join("meta.json")).ok()?;
            let meta: Value = serde_json::from_str(&text).ok()?;
            i32::try_from(meta["pid"].as_i64()?).ok()
        };
        workers
            .filter_map(meta)
            .filter(|&pid| exists(pid))
            .collect()
    }

    /// Returns the notes on the workers.
    pub(crate) fn notes(&self) -> String {
        let workers = fs::read_dir(self.path("workers.d")).unwrap();
        let notes = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("notes"));
        workers
            .map(|entry| notes(entry.unwrap()).unwrap_or_default())
            .collect()
    }
}

fn pool(directory: &Path, settings: WorkerSettings, gpus: GpuPool) -> WorkerPool {
    let program = env!("CARGO_BIN_EXE_fiesta-supervisor");
    WorkerPool::with_supervisor(program, directory.join("workers.d"), settings, gpus)
}

pub(crate) fn spec(bench: &Bench, number: u64, attempt: u32, request: Value) -> RunSpec {
    let id = RunId::new("study", number, attempt).unwrap();
    let Value::Object(request) = request else {
        panic!("a request is an object: {request}");
    };
    RunSpec {
        directory: bench.path(id.as_str()),
        id,
        command: bench.command.clone(),
        environment: bench.environment.clone(),
        of_caller: Vec::new(),
        working_directory: bench.directory.path().to_owned(),
        evaluation: None,
        gpus: None,
        carries_output: false,
        pattern: None,
        wall_limit: bench.wall_limit,
        silence: None,
        grace: Duration::from_secs(20),
        request: Some(Map::from_iter(request)),
        item: None,
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        stop_all(&mut self.pool, |pool| pool.followed().cloned().collect());
    }
}

pub(crate) fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// Sends SIGTERM to a host, as a stranger would.
pub(crate) fn stop(pid: i32) {
    signal(pid, Signal::TERM);
}

/// Whether a process runs, zombies excluded.
pub(crate) fn exists(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

pub(crate) fn distinct<T: Ord + Clone>(items: &[T]) -> usize {
    items.iter().cloned().collect::<BTreeSet<T>>().len()
}

#[track_caller]
pub(crate) fn is_answer(ended: &Ended) {
    assert_eq!(ended.end, End::Exited(0), "{ended:?}");
}
