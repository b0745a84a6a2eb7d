//! Tests of results that come late, of attempts lost through no fault of the arm, and of budgets with running jobs.

use super::{
    Bench, TWO, arm, code,
    support::{is_alive, until},
};
use fiesta::runner::{Ledger, Study, ledger::Entry};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Job whose first attempt leaves a process that cannot be found. Long after its supervisor was
/// killed, this process writes a result, as on a node that was taken for lost. The second attempt
/// has its own result by then, which counts.
const LATE: &str = r#"
run=$(dirname "$FIESTA_RESULT")
case $run in
  *trial-0-a0)
    env -i PATH="$PATH" setsid sh -c '
      while [ ! -e go ]; do sleep 0.02; done
      echo "{\"accuracy\": 0.111}" > "'"$run"'/result.json"
      echo > late
    ' < /dev/null > /dev/null 2>&1 &
    echo > started
    sleep 1000 ;;
  *trial-0-a1)
    echo > go
    while [ ! -e late ]; do sleep 0.02; done
    echo '{"accuracy": 0.777}' ;;
  *) echo '{"accuracy": 0.5}' ;;
esac
"#;

#[test]
fn a_late_result_of_a_lost_attempt_is_kept_and_not_counted() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 3 }}\n{TWO}");
    let bench = Bench::with_job(LATE, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("the first attempt runs", || bench.path("started").exists());
    running.signal(Signal::KILL);
    running.wait();
    let runs = bench.path("study.fiesta/runs");
    let meta: Value =
        serde_json::from_str(&std::fs::read_to_string(runs.join("trial-0-a0/meta.json")).unwrap())
            .unwrap();
    let supervisor = i32::try_from(meta["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(supervisor).unwrap(), Signal::KILL).unwrap();
    until("the supervisor is gone", || {
        !is_alive(&supervisor.to_string())
    });

    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["evaluation 1 of `low` is tried again"]);
    let study = Study::read(&bench.path("study.toml")).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    let ends: Vec<(u32, Value)> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Ended {
                evaluation,
                attempt,
                outcome,
                ..
            } if evaluation.0 == 0 => Some((*attempt, serde_json::to_value(outcome).unwrap())),
            _ => None,
        })
        .collect();
    assert_eq!(ends, [(1, serde_json::json!({ "observed": 0.777 }))]);
    // The other one is there for whoever asks.
    let late = std::fs::read_to_string(runs.join("trial-0-a0/result.json")).unwrap();
    assert!(late.contains("0.111"), "{late}");
    // Resuming does not find it either.
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    let mean = arm(&status, "low")["mean"].as_f64().unwrap();
    assert!(mean > 0.5, "{mean}");
}

/// Tests that a supervisor stops when asked, and that a command cannot ask so without end.
#[test]
fn a_command_that_stops_its_own_supervisor_fails_in_the_end() {
    let job = "echo $1 >> tried\n[ $1 = low ] && { kill -TERM $PPID; sleep 1000; }\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 2 }}\n[resources]\nretries = 0\n[design]\npolicy = \"uniform\"\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert!(
        ran.stderr.contains("stopped from outside 11 times"),
        "{ran:#?}"
    );
    let tried = bench.log("tried");
    assert!(tried.iter().filter(|line| line[0] == "low").count() <= 11);
}

/// Tests that runs left by a removed ledger are not taken for the attempts of a new one with the
/// same numbers.
#[test]
fn attempts_of_a_study_before_are_not_taken_for_those_of_this_one() {
    let job = "mkdir killed 2>/dev/null && kill -9 $$\necho '{\"accuracy\": 0.1}'\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 4 }}\n[design]\npolicy = \"uniform\"\nparallel = 1\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["is tried again"]);
    for entry in std::fs::read_dir(bench.path("study.fiesta")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::remove_file(path).unwrap();
        }
    }
    std::fs::remove_dir(bench.path("killed")).unwrap();
    bench.file("job.sh", &job.replace("0.1", "0.9"));
    bench.edit("study.toml", "\"{seed}\"]", "\"{seed}\", \"another\"]");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["is tried again", "was moved to"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    for name in ["low", "high"] {
        assert_eq!(arm(&status, name)["mean"], 0.9, "{status}");
    }
}

/// Tests that a command which fails by itself is not tried again, and one that the infrastructure
/// loses is. Its failure then says that it was lost.
#[test]
fn losses_are_told_apart_from_failures() {
    let job = "echo $1 >> tried\n[ $1 = low ] && kill -9 $$\n[ $1 = mid ] && { echo my own fault >&2; exit 3; }\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 12 }}\n[resources]\nretries = 2\n{TWO}[[arm]]\nname = \"mid\"\n[[arm]]\nname = \"other\"\n"
    );
    let bench = Bench::with_job(job, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::ARM_FAILED,
        &[
            "lost 3 times, now: killed by signal 9",
            "failed: exit code 3",
        ],
    );
    let tried = bench.text("tried");
    // Three evaluations each: of three attempts, and of one.
    let times = |name: &str| tried.lines().filter(|line| *line == name).count();
    assert_eq!((times("low"), times("mid")), (9, 3));
    assert!(times("high") >= 2, "the others go on: {tried}");
}

/// Tests the budget of evaluations with lost and failed ones, at any number at once.
#[test]
fn no_more_evaluations_than_the_budget_has() {
    let job = "echo $1 $2 $3 >> log\nsleep 0.0$(($3 % 10))\n[ $(($3 % 7)) -eq 0 ] && exit 1\n[ $(($3 % 5)) -eq 0 ] && [ ! -e lost-$1-$2 ] && { touch lost-$1-$2; kill -9 $$; }\necho \"{\\\"accuracy\\\": 0.$((100 + $3 % 800))}\"\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 21 }}\n[design]\nparallel = 8\npolicy = \"uniform\"\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    let (_, status) = bench.json(&["run", "study.toml"]);
    let made = status["evaluations"].as_u64().unwrap() + status["failed"].as_u64().unwrap();
    assert_eq!((made, &status["pending"]), (21, &0.into()));
    let mut cases = bench.log("log");
    cases.sort();
    cases.dedup();
    assert_eq!(cases.len(), 21);
}

/// Tests that declared costs are reserved for running jobs, even before any cost is known.
#[test]
fn no_more_cost_than_the_budget_has() {
    let job = "echo $1 >> log\nsleep 0.05\necho \"{\\\"accuracy\\\": 0.$((100 + $3 % 800))}\"\n";
    let arms = "[[arm]]\nname = \"low\"\ncost = 3\n[[arm]]\nname = \"high\"\ncost = 3\n";
    let rest = format!("[goal]\nbudget = {{ cost = 17 }}\n[design]\nparallel = 8\n{arms}");
    let bench = Bench::with_job(job, &rest);
    let (exit, status) = bench.json(&["run", "study.toml"]);
    assert_eq!((exit, &status["cost"]), (Some(code::DONE), &15.0.into()));
    assert_eq!(bench.log("log").len(), 5);
    assert_eq!(status["conclusion"]["reason"]["limit"]["cost"], 17.0);
}

/// Tests that jobs running at the end of the time are stopped, and not counted as evaluations.
#[test]
fn time_that_is_over_stops_what_runs() {
    let job = "echo $$ >> log\n[ $1 = low ] || exec sleep 1000\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!(
        "[goal]\nbudget = {{ wall = \"1500ms\" }}\n[design]\nparallel = 2\npolicy = \"uniform\"\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    let (_, status) = bench.json(&["run", "study.toml"]);
    assert_eq!(status["conclusion"]["reason"]["limit"]["wall"], 1.5);
    assert_eq!(
        (&status["pending"], &status["failed"]),
        (&0.into(), &0.into())
    );
    assert_eq!(arm(&status, "high")["evaluations"], 0);
    let pids = bench.log("log");
    until("nothing is left", || {
        pids.iter().all(|pid| !is_alive(&pid[0]))
    });
}
