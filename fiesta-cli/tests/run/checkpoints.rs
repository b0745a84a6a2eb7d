//! Tests of checkpoints, which an attempt saves for the next one, and of their removal.

use super::{Bench, TWO, code, support::until};
use rustix::process::Signal;

/// Returns a job that saves half of its work. The first attempt at each evaluation stops there, as
/// `stop` says; the next one continues from its checkpoint.
fn job(stop: &str) -> String {
    format!(
        r#"
half="$FIESTA_CHECKPOINT/half"
if [ -e "$half" ]; then
  echo "$FIESTA_RUN goes on from $(cat "$half")" >> log
else
  echo "$FIESTA_RUN" > "$half"
  echo "$FIESTA_RUN begins" >> log
  {stop}
fi
echo '{{"accuracy": 0.5}}'
"#
    )
}

#[test]
fn an_attempt_finds_what_the_lost_one_had_saved() {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 4 }}\n[resources]\nretries = 1\n[design]\npolicy = \"uniform\"\n{TWO}"
    );
    // The shell's parent is its supervisor.
    let bench = Bench::with_job(&job("kill -9 $PPID; sleep 9"), &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    let mut log: Vec<String> = bench.text("log").lines().map(ToOwned::to_owned).collect();
    log.sort();
    let expected: Vec<String> = (0..4)
        .flat_map(|n| {
            [
                format!("trial-{n}-a0 begins"),
                format!("trial-{n}-a1 goes on from trial-{n}-a0"),
            ]
        })
        .collect();
    assert_eq!(log, expected);
    assert!(!bench.path("study.fiesta/checkpoints").exists());
}

#[test]
fn checkpoints_of_stopped_jobs_are_kept_and_others_removed() {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 2 }}\n[resources]\ngrace = \"1s\"\n[design]\nparallel = 2\npolicy = \"uniform\"\n{TWO}"
    );
    let bench = Bench::with_job(&job("exec sleep 100"), &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("both have saved", || bench.log("log").len() == 2);
    running.signal(Signal::INT);
    until("it waits", || running.stderr().contains("once more"));
    // Signals at one instant are one request.
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    // As a controller leaves one that is killed before it removes it.
    let checkpoints = bench.path("study.fiesta/checkpoints");
    let own = std::fs::read_dir(&checkpoints).unwrap().next().unwrap();
    let left = own.unwrap().path().join("77");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("model"), "left").unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let went_on = bench.text("log").matches("goes on from").count();
    assert_eq!(went_on, 2, "{}", bench.text("log"));
    assert!(!checkpoints.exists());
}

/// Tests that a trial does not use the checkpoint of a study that runs at the same time.
#[test]
fn a_trial_has_a_checkpoint_of_its_own() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 2 }}\n{TWO}");
    let bench = Bench::with_job(&job("true"), &rest);
    bench
        .fiesta(&["run", "study.toml", "--check"])
        .says(code::DONE, &[]);
    assert!(
        !bench.text("log").contains("goes on"),
        "{}",
        bench.text("log")
    );
    assert!(!bench.path("study.fiesta").exists());
}
