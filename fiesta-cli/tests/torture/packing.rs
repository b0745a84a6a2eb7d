//! Test of a controller that is killed at random moments while it packs the directories of ended runs.

use super::{controller, setting};
use fiesta::Streams;
use fiesta::runner::{Study, run::End, status::log::log};
use rand::RngExt;
use std::{fs, path::Path, process::Command, thread, time::Instant};

const EVALUATIONS: u64 = 300;
/// Number of ended runs whose directories are not packed.
const KEPT: usize = 100;

const STUDY: &str = r#"
name = "packing"
command = ["sh", "-c", 'echo said $0 $1 $2 >&2; echo >> made; : > "${FIESTA_RESULT%/*}/own"; echo "{\"score\": 0.$((1000 + $2 % 9000))}"', "{arm}", "{split}", "{seed}"]
[metric]
name = "score"
[goal]
budget = { evaluations = 300 }
[design]
policy = "uniform"
parallel = 2
[[arm]]
name = "one"
[[arm]]
name = "other"
"#;

/// Checks every `step`-th log: each is whole, wherever it is.
fn all_are_whole(directory: &Path, step: usize) {
    let study = Study::read(&directory.join("study.toml")).unwrap();
    for number in (1..=EVALUATIONS).step_by(step) {
        let log = log(&study, number).unwrap();
        let attempt = &log.attempts[0];
        assert_eq!(attempt.end, Some(End::Exited(0)), "{log:?}");
        let said = format!("said {} {} {}\n", log.arm, log.split, log.seed);
        assert_eq!(String::from_utf8_lossy(&attempt.stderr), said, "{log:?}");
        let score = format!("{{\"score\": 0.{}}}\n", 1000 + log.seed % 9000);
        assert_eq!(String::from_utf8_lossy(&attempt.stdout), score, "{log:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.unwrap().success());
}

/// Returns the number of directories of runs.
fn runs(state: &Path) -> usize {
    fs::read_dir(state.join("runs")).unwrap().count()
}

fn made(directory: &Path) -> usize {
    let made = fs::read_to_string(directory.join("made"));
    made.map_or(0, |made| made.lines().count())
}

fn exported(directory: &Path) -> Vec<u8> {
    let mut export = Command::new(env!("CARGO_BIN_EXE_fiesta"));
    let export = export.args(["export", "study.toml"]).current_dir(directory);
    export.output().unwrap().stdout
}

#[test]
fn each_run_is_whole_in_one_place_however_often_packing_is_killed() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path();
    fs::write(directory.join("study.toml"), STUDY).unwrap();
    // While a file of its command is in each directory, none is packed.
    let state = directory.join("study.fiesta");
    assert!(controller(directory).status().unwrap().success());
    assert_eq!(runs(&state) as u64, EVALUATIONS);
    for run in fs::read_dir(state.join("runs")).unwrap() {
        fs::remove_file(run.unwrap().path().join("own")).unwrap();
    }
    let (scores, times) = (exported(directory), made(directory));
    let before = directory.join("before");
    copy(&state, &before);

    // How long it takes undisturbed says when to kill it: most of that is packing.
    let began = Instant::now();
    assert!(controller(directory).status().unwrap().success());
    let usual = began.elapsed();
    all_are_whole(directory, 1);

    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(2);
    let (mut kills, mut rounds) = (0, 0);
    while kills < setting("FIESTA_TORTURE_KILLS", 50) / 4 {
        copy(&before, &state);
        rounds += 1;
        loop {
            let mut child = controller(directory).spawn().unwrap();
            thread::sleep(usual.mul_f64(rng.random_range(0.2..1.2)));
            if let Some(status) = child.try_wait().unwrap() {
                assert_eq!(status.code(), Some(0));
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            all_are_whole(directory, 5);
        }
        all_are_whole(directory, 1);
        assert_eq!(runs(&state), KEPT);
        assert!(exported(directory) == scores, "the scores have changed");
        assert_eq!(made(directory), times, "made again");
    }
    eprintln!("killed {kills} times while {rounds} studies of {EVALUATIONS} runs were packed");
}
