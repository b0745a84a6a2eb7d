//! Tests of jobs that outlive their study: the study, or its ledger, was removed while they ran.

use super::{
    Bench, TWO, code,
    support::{is_alive, until},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;

/// Job that runs until it is killed and ignores SIGTERM. Jobs of the second study score, and note
/// remaining jobs and checkpoints of the first.
const JOB: &str = r#"
if [ "$4" = first ]; then
  trap '' TERM
  echo $$ >> first
  while :; do echo mine > "$FIESTA_CHECKPOINT/state"; sleep 0.1; done
fi
for pid in $(cat first); do
  case $(cat /proc/$pid/stat 2>/dev/null) in "" | *") Z "*) ;; *) echo $pid >> met ;; esac
done
[ -e "$FIESTA_CHECKPOINT/state" ] && echo checkpoint >> met
echo '{"accuracy": 0.5}'
"#;

/// Returns two jobs whose controller was killed, and the process ids of their supervisors.
fn left() -> (Bench, Vec<String>) {
    let bench = Bench::with_job(
        JOB,
        &format!(
            "goal = {{ budget = {{ evaluations = 4 }} }}\n[design]\nparallel = 2\npolicy = \"uniform\"\n{TWO}"
        ),
    );
    bench.edit("study.toml", "\"{seed}\"]", "\"{seed}\", \"first\"]");
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("first").len() == 2);
    running.signal(Signal::KILL);
    running.wait();
    let supervisor = |run: &str| {
        let meta = bench.text(&format!("study.fiesta/runs/{run}/meta.json"));
        let meta: Value = serde_json::from_str(&meta).unwrap();
        meta["pid"].to_string()
    };
    let supervisors = ["trial-0-a0", "trial-1-a0"].map(supervisor);
    bench.edit("study.toml", "first", "second");
    (bench, supervisors.to_vec())
}

#[test]
fn jobs_of_a_study_that_was_removed_are_stopped_and_count_nothing() {
    let (bench, supervisors) = left();
    fs::remove_dir_all(bench.path("study.fiesta")).unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    until("the first study's jobs are gone", || {
        !bench
            .log("first")
            .concat()
            .iter()
            .chain(&supervisors)
            .any(|pid| is_alive(pid))
    });
    let exported = bench.fiesta(&["export", "study.toml"]).stdout;
    assert_eq!(exported.matches("0.5").count(), 4, "{exported}");
}

#[test]
fn jobs_of_a_study_whose_ledger_was_removed_are_stopped_before_others_start() {
    for supervisors_live in [true, false] {
        let (bench, supervisors) = left();
        if !supervisors_live {
            for supervisor in &supervisors {
                kill_process(
                    Pid::from_raw(supervisor.parse().unwrap()).unwrap(),
                    Signal::KILL,
                )
                .unwrap();
            }
        }
        for entry in fs::read_dir(bench.path("study.fiesta")).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(
            code::DONE,
            &["is not of this study's evaluations and was moved"],
        );
        // Each is stopped before its name is used again.
        let met = bench.log("met");
        let first = bench.log("first").concat();
        assert!(first.iter().all(|pid| !is_alive(pid)));
        assert!(met.len() <= 1, "{met:?}");
        assert!(!met.concat().contains(&"checkpoint".to_owned()), "{met:?}");
    }
}
