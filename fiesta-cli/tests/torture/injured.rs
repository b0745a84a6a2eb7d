//! A study that is damaged while it runs: its directory, its jobs, and its present controller.

use super::{controller, everything::ARM_FAILED};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Number of evaluations of a study.
pub(super) const EVALUATIONS: usize = 120;
/// A variable that all processes of a study inherit.
const MARKER: &str = "FIESTA_TORTURED";
/// Time after which a controller that is to leave is taken to hang.
const HANGS: Duration = Duration::from_mins(2);

/// A job of 0 to 200 ms, and of the arm `slow` of 1 s, that notes its beginning and its end. On
/// SIGTERM it ends at once, with its score. The jobs of the arm `broken` fail until there is a file
/// `mended`. Two jobs share each GPU, unless `flock` would be one process too many: a job of a user
/// with few processes starts none of its own.
const JOB: &str = r#"#!/bin/bash
arm=$1 split=$2 seed=$3
exec 8<>never
report() {
    trap '' TERM
    echo "$arm $split $seed" >> finished
    printf '{"score": 0.%04d}\n' $((seed % 10000))
    exit 0
}
echo "$arm $split $seed" >> begun
if [ $arm = broken ] && [ ! -e mended ]; then
    echo "the model file is missing" >&2
    exit 1
fi
# 0 if the job got the share, 66 if somebody has it; anything else is a flock that was killed.
try() {
    exec 9>"gpu-$CUDA_VISIBLE_DEVICES-$1"
    while :; do
        flock -n -E 66 9
        case $? in 0) return 0 ;; 66) return 66 ;; esac
    done
}
if [ ! -e few-processes ]; then
    try 0 || try 1 || echo "$arm $split $seed $CUDA_VISIBLE_DEVICES" >> crowded
fi
trap report TERM
case $arm-$((seed % 4)) in
    slow-*) read -r -t 1 -u 8 ;;
    *-0) ;;
    *-1) read -r -t 0.05 -u 8 ;;
    *-2) read -r -t 0.1 -u 8 ;;
    *) if [ -e few-processes ]; then read -r -t 0.2 -u 8; else sleep 0.2 & wait; fi ;;
esac
report
"#;

/// The user who runs a study.
#[derive(Clone, Copy)]
pub(super) enum User {
    /// The user who runs the tests.
    Own,
    /// Another user, limited to `processes` processes.
    Limited { id: u32, processes: u64 },
}

/// A study that the test damages, and its controller.
pub(super) struct Injured {
    root: TempDir,
    /// Number of times that the study's directory was moved.
    moves: u64,
    seed: u64,
    user: User,
    pub(super) controller: Child,
    since: Instant,
    /// Lifetime of each ended controller, and whether it reported the study's end.
    lives: Vec<(Duration, bool)>,
}

impl Injured {
    /// Writes a study and starts it.
    pub(super) fn start(seed: u64, user: User) -> Self {
        let root = tempfile::tempdir().unwrap();
        let place = place(root.path(), 0);
        fs::create_dir(&place).unwrap();
        let job = place.join("job.sh");
        fs::write(&job, JOB).unwrap();
        let fifo = Command::new("mkfifo").arg(place.join("never")).status();
        assert!(fifo.unwrap().success());
        for path in [root.path(), &place, &job] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        if let User::Limited { id, .. } = user {
            fs::write(place.join("few-processes"), "").unwrap();
            fs::copy(env!("CARGO_BIN_EXE_fiesta"), root.path().join("fiesta")).unwrap();
            for path in [place.clone(), place.join("never")] {
                chown(path, Some(id), Some(id)).unwrap();
            }
            chown(root.path(), Some(id), Some(id)).unwrap();
        }
        write_study(&place, seed, 4);
        Self {
            controller: spawn(root.path(), &place, user, &[]),
            root,
            moves: 0,
            seed,
            user,
            since: Instant::now(),
            lives: Vec::new(),
        }
    }

    /// Returns the directory of the study.
    pub(super) fn place(&self) -> PathBuf {
        place(self.root.path(), self.moves)
    }

    /// Moves the study's directory, whatever processes use it.
    pub(super) fn move_away(&mut self) {
        let from = self.place();
        self.moves += 1;
        fs::rename(from, self.place()).unwrap();
    }

    /// Makes the arm `broken` work from now on.
    pub(super) fn mend(&self) {
        fs::write(self.place().join("mended"), "").unwrap();
    }

    pub(super) fn is_mended(&self) -> bool {
        self.place().join("mended").exists()
    }

    /// Waits for the controller's end. Returns its exit code, or `None` if a signal ended it.
    pub(super) fn wait(&mut self) -> Option<i32> {
        let deadline = Instant::now() + HANGS;
        loop {
            if let Some(status) = self.controller.try_wait().unwrap() {
                let tells = matches!(status.code(), Some(0 | ARM_FAILED));
                self.lives.push((self.since.elapsed(), tells));
                return status.code();
            }
            assert!(Instant::now() < deadline, "hangs: {}", self.said());
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Starts the next controller, for `parallel` jobs at a time.
    pub(super) fn resume(&mut self, parallel: u64, arguments: &[&str]) {
        write_study(&self.place(), self.seed, parallel);
        self.controller = spawn(self.root.path(), &self.place(), self.user, arguments);
        self.since = Instant::now();
    }

    /// Returns the time since the controller started.
    pub(super) fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Returns the processes of the study, even those whose parents have ended.
    pub(super) fn processes(&self) -> Vec<i32> {
        let marker = format!("{MARKER}={}", self.root.path().display()).into_bytes();
        let pids = fs::read_dir("/proc").unwrap();
        pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|pid: &i32| {
                let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environment
                    .split(|&byte| byte == 0)
                    .any(|variable| variable == marker)
            })
            .collect()
    }

    /// Returns the last lines that the controllers printed.
    pub(super) fn said(&self) -> String {
        let said = fs::read_to_string(self.root.path().join("said")).unwrap_or_default();
        let from = said.chars().count().saturating_sub(3000);
        said.chars().skip(from).collect()
    }

    /// Returns the lines of a file that jobs write, with the number of times each is there.
    pub(super) fn lines(&self, name: &str) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        let text = fs::read_to_string(self.place().join(name)).unwrap_or_default();
        for line in text.lines() {
            *found.entry(line.to_owned()).or_default() += 1;
        }
        found
    }

    /// Returns the least and the greatest number of seconds that the study's clock may show. Each
    /// killed controller may have lost a second, and needs time to begin. The clock stands while
    /// the result is computed at the end; another controller, started here, shows how long that
    /// takes.
    pub(super) fn clock(&mut self) -> (f64, f64) {
        let lives = std::mem::take(&mut self.lives);
        self.resume(1, &[]);
        self.wait();
        let telling = self.lives[0].0.as_secs_f64();
        let least = |&(life, tells): &(Duration, bool)| {
            let beginning = telling.max(0.5);
            let aside = 1.0 + beginning + if tells { telling } else { 0.0 };
            (life.as_secs_f64() - aside).max(0.0)
        };
        let most = lives.iter().map(|(life, _)| life.as_secs_f64()).sum();
        (lives.iter().map(least).sum(), most)
    }

    /// Checks that no process of the study is left running. Processes that were told to go have 30
    /// s to end.
    pub(super) fn assert_nobody_is_left(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.processes().is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        let left = self.processes();
        let command = |pid: &i32| fs::read_to_string(format!("/proc/{pid}/cmdline"));
        let commands: Vec<_> = left.iter().flat_map(command).collect();
        for pid in left {
            signal(pid, Signal::KILL);
        }
        assert!(commands.is_empty(), "orphans: {commands:?}");
    }
}

/// Kills the processes that a failed test leaves.
impl Drop for Injured {
    fn drop(&mut self) {
        for pid in self.processes() {
            signal(pid, Signal::KILL);
        }
        let _ = self.controller.wait();
    }
}

pub(super) fn signal(pid: i32, signal: Signal) {
    // It may have ended by itself.
    let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
}

fn place(root: &Path, moves: u64) -> PathBuf {
    root.join(format!("place-{moves}"))
}

fn write_study(place: &Path, seed: u64, parallel: u64) {
    let study = format!(
        r#"
name = "torture"
command = ["./job.sh", "{{arm}}", "{{split}}", "{{seed}}"]
metric = {{ name = "score" }}
goal = {{ budget = {{ evaluations = {EVALUATIONS}, wall = "1h" }} }}
design = {{ policy = "ttts", parallel = {parallel}, seed = {seed} }}
# Whatever is killed is lost to the infrastructure.
resources = {{ gpus_per_job = 0.5, retries = 1000000, grace = "5s" }}
executor = {{ kind = "local", gpus = ["left", "right"] }}
arm = [{{ name = "good" }}, {{ name = "fair" }}, {{ name = "poor" }}, {{ name = "slow" }}, {{ name = "broken" }}]
"#
    );
    // Another one may read it at this moment.
    let part = place.join("study.toml.part");
    fs::write(&part, study).unwrap();
    fs::rename(part, place.join("study.toml")).unwrap();
}

fn spawn(root: &Path, place: &Path, user: User, arguments: &[&str]) -> Child {
    let said = fs::File::options()
        .create(true)
        .append(true)
        .open(root.join("said"))
        .unwrap();
    let mut command = match user {
        User::Own => controller(place),
        User::Limited { id, processes } => {
            let mut command = Command::new("setpriv");
            command
                .args([format!("--reuid={id}"), format!("--regid={id}")])
                .args(["--clear-groups", "prlimit"])
                .arg(format!("--nproc={processes}:{processes}"))
                .arg(root.join("fiesta"))
                .args(["run", "study.toml", "--quiet"])
                .current_dir(place)
                .stdin(Stdio::null())
                .stdout(Stdio::null());
            command
        }
    };
    command
        .arg("--accept-changes")
        .args(arguments)
        .env(MARKER, root)
        .stderr(said)
        .spawn()
        .unwrap()
}
