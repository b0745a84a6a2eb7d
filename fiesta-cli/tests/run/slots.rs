//! Tests of changing the number of jobs at a time while a study runs.

use super::{Bench, TWO, code, support::until};
use std::{thread, time::Duration};

/// Job that notes how many jobs run, and ends once there is a file `go`.
const JOB: &str = r#"
echo "$FIESTA_RUN" >> begun
until [ -e go ]; do sleep 0.02; done
echo '{"accuracy": 0.5}'
"#;

fn study(executor: &str) -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\nparallel = 2\npolicy = \"uniform\"\n{executor}{TWO}"
    );
    Bench::with_job(JOB, &rest)
}

/// Returns the number of jobs started, after time enough to start all.
fn begun_soon(bench: &Bench) -> usize {
    thread::sleep(Duration::from_millis(900));
    bench.log("begun").len()
}

#[test]
fn slots_are_added_drained_paused_and_resumed() {
    let bench = study("");
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("begun").len() == 2);
    let (code, slots) = bench.json(&["slots", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(
        (&slots["jobs"], &slots["paused"]),
        (&2.into(), &false.into())
    );
    assert_eq!(slots["slots"].as_array().unwrap().len(), 2);

    bench
        .fiesta(&["slots", "study.toml", "--parallel", "5"])
        .says(code::DONE, &[]);
    until("five jobs run", || bench.log("begun").len() == 5);
    assert_eq!(begun_soon(&bench), 5);

    let drained = bench.fiesta(&["slots", "study.toml", "--drain", "2"]);
    assert_eq!(
        drained.stdout.trim(),
        "3 jobs at a time from now on (5 before)"
    );
    until("it is heard", || {
        running.stderr().contains("3 jobs at a time")
    });
    bench
        .fiesta(&["slots", "study.toml", "--pause"])
        .says(code::DONE, &[]);
    until("it pauses", || running.stderr().contains("paused"));
    bench.file("go", "");
    assert_eq!(begun_soon(&bench), 5);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["state"]),
        (&5.into(), &"running".into())
    );

    std::fs::remove_file(bench.path("go")).unwrap();
    let resumed = bench.fiesta(&["slots", "study.toml", "--resume"]);
    assert_eq!(
        resumed.stdout.trim(),
        "3 jobs at a time from now on (0 before)"
    );
    until("three more run", || bench.log("begun").len() == 8);
    assert_eq!(begun_soon(&bench), 8);
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
    assert_eq!(bench.log("begun").len(), 12);
}

/// Tests that a change of slots ends with its session, and is refused if no session runs.
#[test]
fn a_change_ends_with_its_session() {
    let bench = study("");
    let refused = bench.fiesta(&["slots", "study.toml", "--parallel", "5"]);
    refused.says(code::USAGE, &["nobody runs the study trial", "[design]"]);
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("begun").len() == 2);
    for (option, number, words) in [
        ("--parallel", "0", "--pause"),
        ("--drain", "2", "the study has 2 slots, and one must stay"),
    ] {
        bench
            .fiesta(&["slots", "study.toml", option, number])
            .says(code::USAGE, &[words]);
    }
    bench
        .fiesta(&["slots", "study.toml", "--parallel", "4"])
        .says(code::DONE, &[]);
    until("four jobs run", || bench.log("begun").len() == 4);
    running.signal(rustix::process::Signal::KILL);
    running.wait();
    let running = bench.start(&["run", "study.toml"]);
    until("it has resumed", || running.stderr().contains("resuming"));
    let (_, slots) = bench.json(&["slots", "study.toml"]);
    assert_eq!(slots["jobs"], 2);
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
    for arguments in [
        &["slots", "study.toml"][..],
        &["slots", "study.toml", "--pause"],
    ] {
        let refused = bench.fiesta(arguments);
        refused.says(code::USAGE, &["the study trial has finished"]);
    }
}

/// Tests that additional slots start additional workers.
#[test]
fn workers_are_added() {
    let bench = Bench::new();
    bench.file(
        "worker.sh",
        r#"
echo $$ >> workers
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  echo "$id" >> begun
  until [ -e go ]; do sleep 0.02; done
  echo "{\"id\": \"$id\", \"accuracy\": 0.5}"
done
"#,
    );
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = {{ evaluations = 12 }}\n[design]\nparallel = 2\npolicy = \"uniform\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n{TWO}"
        ),
    );
    let running = bench.start(&["run", "study.toml"]);
    until("two cases are asked", || bench.log("begun").len() == 2);
    bench
        .fiesta(&["slots", "study.toml", "--parallel", "4"])
        .says(code::DONE, &[]);
    until("four cases are asked", || bench.log("begun").len() == 4);
    assert_eq!(bench.log("workers").len(), 4);
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
    assert_eq!(bench.log("begun").len(), 12);
}
