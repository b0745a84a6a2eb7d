//! A program that runs a study of functions, killed with SIGKILL at random moments, again and again.
//!
//! The program is this test's own, started anew. Afterwards every evaluation must be counted exactly
//! once with the score that is its own, no attempt whose end was published may have been made again,
//! and no more calls than those that ran at a kill. `FIESTA_TORTURE_KILLS` sets how often it is
//! killed, `FIESTA_TORTURE_SEED` when.

use super::{
    bench::{Bench, score},
    support::{eventually, kill},
};
use fiesta_core::{Observation, Outcome, Streams};
use fiesta_runner::{
    Options, Study,
    executor::{Call, Functions},
    ledger::Entry,
    observer::Blind,
    run,
    run::RunDirectory,
    signal::Signals,
};
use rand::RngExt;
use std::{
    collections::BTreeSet,
    env,
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// Variable with the path of the program's study.
const PLACE: &str = "FIESTA_TEST_FUNCTIONS";
/// Variable with the file for the pid of a child process. If it is set, the program starts one.
const CHILD: &str = "FIESTA_TEST_CHILD";
const EVALUATIONS: u64 = 300;

/// Program that tests start and kill. Does nothing unless [`PLACE`] names a study.
#[expect(clippy::zombie_processes, reason = "it is to be left behind")]
#[test]
fn program() {
    let Some(path) = env::var_os(PLACE) else {
        return;
    };
    let study = Study::read(Path::new(&path)).unwrap();
    if let Some(path) = env::var_os(CHILD) {
        let child = Command::new("sleep").arg("61").spawn().unwrap();
        fs::write(path, child.id().to_string()).unwrap();
    }
    let calls = study.directory.join("calls");
    let mut functions = Functions::new(&study, move |call: &Call| {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&calls)
            .unwrap();
        // One line, appended in one piece.
        file.write_all(format!("{}\n", call.run()).as_bytes())
            .unwrap();
        thread::sleep(Duration::from_millis(call.seed() % 40));
        Ok(score(call.arm(), call.seed()))
    })
    .unwrap();
    let (mut signals, _stopper) = Signals::on_request().unwrap();
    run(
        &study,
        &mut functions,
        &mut signals,
        &mut Blind,
        &Options::default(),
    )
    .unwrap();
}

fn start(bench: &Bench) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "torture::program", "--test-threads", "1"])
        .env(PLACE, bench.path("study.toml"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn setting(name: &str, default: u64) -> u64 {
    let value = env::var(name).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

#[test]
fn every_evaluation_counts_once_however_often_the_program_is_killed() {
    let kills = setting("FIESTA_TORTURE_KILLS", 25);
    let evaluations = EVALUATIONS.max(kills * 12);
    let bench = Bench::new(&format!(
        "goal.budget.evaluations = {evaluations}\ndesign.policy = \"ttts\"\ndesign.parallel = 3"
    ));
    let study = bench.study();
    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(2);
    let mut published = BTreeSet::new();
    for _ in 0..kills {
        let mut child = start(&bench);
        thread::sleep(Duration::from_micros(rng.random_range(0..80_000)));
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "the program ended by itself"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        published.extend(ends(&study));
    }
    let status = start(&bench).wait().unwrap();
    assert!(status.success());
    published.extend(ends(&study));

    let history = bench.history();
    assert!(history.selector.conclusion().is_some());
    assert_eq!(history.pending().count(), 0);
    let mut counted = BTreeSet::new();
    for record in history.records.values() {
        let ending = record.ending.as_ref().unwrap();
        let (arm, seed) = (
            study.arms().name(record.evaluation.arm),
            record.evaluation.case.seed,
        );
        assert_eq!(
            ending.outcome,
            Outcome::Observed(Observation::Score(score(arm, seed)))
        );
        counted.insert(study.run_id(&record.evaluation, record.attempt).to_string());
    }
    assert_eq!(counted.len() as u64, evaluations);
    // Every end that was ever published is one that counts, and of its own evaluation the only one.
    let lost: Vec<&String> = published.difference(&counted).collect();
    assert!(lost.is_empty(), "published and not counted: {lost:?}");
    let ended = bench.entries();
    let ended = ended
        .iter()
        .filter(|entry| matches!(entry, Entry::Ended { .. }));
    assert_eq!(ended.count() as u64, evaluations);
    // A call that was made again was in flight at a kill, and nothing was called twice.
    let calls = fs::read_to_string(bench.path("calls")).unwrap();
    let distinct: BTreeSet<&str> = calls.lines().collect();
    assert_eq!(
        distinct.len(),
        calls.lines().count(),
        "a run was called twice"
    );
    let again = distinct.len() as u64 - evaluations;
    assert!(
        again <= 3 * kills,
        "{again} calls were made again after {kills} kills"
    );
    eprintln!(
        "killed {kills} times; {evaluations} evaluations, each counted once; {again} calls made again"
    );
}

/// Tests that other processes in a killed program's process group are left alone, such as under a
/// shell without job control or in a container.
#[test]
fn other_processes_of_a_killed_program_are_left_alone() {
    let bench = Bench::new("goal.budget.evaluations = 9\ndesign.parallel = 3");
    bench.study();
    let noted = bench.path("child");
    let mut leader = Command::new("setsid")
        .arg(env::current_exe().unwrap())
        .args(["--exact", "torture::program", "--test-threads", "1"])
        .env(PLACE, bench.path("study.toml"))
        .env(CHILD, &noted)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let has_begun = || fs::read_to_string(bench.path("calls")).is_ok_and(|calls| !calls.is_empty());
    eventually("a call has begun", has_begun);
    let child: i32 = fs::read_to_string(&noted).unwrap().parse().unwrap();
    let session = fs::read_to_string(format!("/proc/{child}/stat")).unwrap();
    assert_eq!(
        session.split(' ').nth(5),
        Some(leader.id().to_string().as_str())
    );
    leader.kill().unwrap();
    leader.wait().unwrap();
    assert!(start(&bench).wait().unwrap().success());
    let is_there =
        fs::read_to_string(format!("/proc/{child}/stat")).is_ok_and(|stat| !stat.contains(" Z "));
    kill(child);
    assert!(is_there, "a process of the program's was killed");
}

/// Returns the names of the runs whose ends are published.
fn ends(study: &Study) -> Vec<String> {
    let Ok(runs) = fs::read_dir(study.runs_directory()) else {
        return Vec::new();
    };
    let ended = runs
        .flatten()
        .filter(|run| RunDirectory::new(run.path()).read_end().unwrap().is_some());
    ended
        .map(|run| run.file_name().into_string().unwrap())
        .collect()
}
