//! Tests of studies whose user may have too few processes for all jobs. Only root can become a user
//! of whom nothing else runs; elsewhere these tests say loudly that they were skipped.

use super::{
    Bench, TWO, code,
    support::{Running, until},
};
use rustix::process::Signal;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// Returns a user id without processes, another one for each study.
fn user() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = std::process::id() % 10_000 * 16 + NEXT.fetch_add(1, Ordering::Relaxed);
    2_000_000 + number
}

/// A study that is run by a user of its own.
struct Limited {
    running: Running,
    user: [String; 3],
}

/// Starts the program as a user who may have `processes` processes. `None` if nobody can become
/// another user here.
fn limited(bench: &Bench, processes: u32) -> Option<Limited> {
    fs::set_permissions(bench.path("."), fs::Permissions::from_mode(0o777)).unwrap();
    let number = user();
    let user = [
        format!("--reuid={number}"),
        format!("--regid={number}"),
        "--clear-groups".to_owned(),
    ];
    let program = env!("CARGO_BIN_EXE_fiesta");
    let mut possible = Command::new("setpriv");
    possible.args(&user).args([program, "--version"]);
    if !possible
        .output()
        .is_ok_and(|output| output.status.success())
    {
        crate::support::skipped_on_this_machine("nobody can become another user here");
        return None;
    }
    let mut command = Command::new("setpriv");
    command
        .args(&user)
        .args(["prlimit", &format!("--nproc={processes}:1000")])
        .args([program, "run", "study.toml"])
        .current_dir(bench.path("."))
        .env_remove("CUDA_VISIBLE_DEVICES");
    let running = Running::start(command);
    Some(Limited { running, user })
}

impl Limited {
    /// Raises the limit of processes for the program and what it starts from then on.
    fn raise(&self) {
        let mut command = Command::new("setpriv");
        let pid = self.running.pid().to_string();
        command.args(&self.user);
        command.args(["prlimit", "--pid", &pid, "--nproc=1000:1000"]);
        assert!(command.status().unwrap().success());
    }
}

const SHORT: &str = "there are too many processes";

fn study(command: &str) -> Bench {
    let bench = Bench::new();
    bench.file("job.sh", "echo >> begun\necho '{\"accuracy\": 0.5}'\n");
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n{command}\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"uniform\"\nparallel = 6\n[resources]\nretries = 0\n{TWO}"
        ),
    );
    bench
}

fn jobs() -> Bench {
    study("arm_from = \"environment\"\ncommand = [\"sh\", \"job.sh\"]")
}

fn workers() -> Bench {
    let bench = study("[worker]\ncommand = [\"sh\", \"worker.sh\"]\nprocesses = 3");
    bench.file(
        "worker.sh",
        "while read -r line; do id=${line#*\\\"id\\\":\\\"}; echo \"{\\\"id\\\": \\\"${id%%\\\"*}\\\", \\\"accuracy\\\": 0.5}\"; done\n",
    );
    bench
}

fn is_made_whole(bench: &Bench, running: Running) {
    let ran = running.wait();
    ran.says(code::DONE, &[SHORT]);
    assert_eq!(ran.stderr.matches(SHORT).count(), 1, "{ran:#?}");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&12.into(), &0.into())
    );
}

/// Tests a limit below thirteen processes, those of the program, six supervisors and six jobs; two
/// processes suffice for one job.
#[test]
fn fewer_jobs_run_at_a_time_where_there_are_too_few_processes() {
    for processes in [7, 3] {
        let bench = jobs();
        let Some(limited) = limited(&bench, processes) else {
            return;
        };
        is_made_whole(&bench, limited.running);
        // No attempt was wasted.
        let runs = fs::read_dir(bench.path("study.fiesta/runs")).unwrap();
        assert_eq!(runs.count(), 12);
    }
}

/// Tests limits at which a supervisor (one process), its command (two), the host of a worker, or
/// the worker cannot be started.
#[test]
fn a_study_waits_for_processes_and_goes_on() {
    for (bench, processes) in [(jobs(), 1), (jobs(), 2), (workers(), 1), (workers(), 2)] {
        let Some(limited) = limited(&bench, processes) else {
            return;
        };
        until("it is told", || limited.running.stderr().contains(SHORT));
        // Long enough for a few tries more.
        std::thread::sleep(Duration::from_secs(3));
        limited.raise();
        is_made_whole(&bench, limited.running);
    }
}

#[test]
fn a_study_that_waits_for_processes_can_be_stopped_and_resumed() {
    let bench = jobs();
    let Some(Limited { running, .. }) = limited(&bench, 2) else {
        return;
    };
    until("it is told", || running.stderr().contains(SHORT));
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    // A study is run only where its state is one's own.
    let state = bench.path("study.fiesta");
    let mut take = std::process::Command::new("chown");
    let taken = take.args(["-R", "0"]).arg(state).status();
    assert!(taken.unwrap().success());
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(code::DONE, &[]);
    let result = ran.json();
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&12.into(), &0.into())
    );
}
