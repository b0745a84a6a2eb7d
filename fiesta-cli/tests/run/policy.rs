//! Tests of a policy that is a command: it is asked for the next evaluation, killed with its study, changed, and wrong.

use crate::{
    TWO,
    changes::{each_once, replays},
    support::{Bench, code, python, until},
};
use rustix::process::Signal;

/// Policy of the example, as a script in Python. An answer takes a moment, so that a study can be
/// killed between two.
const POLICY: &str = include_str!("../../../examples/own-policy/policy.py");

/// Returns a study of two arms that asks `policy.py`. `None`, with a message, if there is no Python.
fn asking(policy: &str) -> Option<Bench> {
    let python = python()?;
    let job = "echo $1 $2 $3 >> log\nprintf '{\"accuracy\": 0.%03d}\\n' $((600 + ($2 * 7919 + $3) % 90))\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 24 }}\n[design]\nseed = 3\npolicy = {{ command = [\"{python}\", \"policy.py\"] }}\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    bench.file("policy.py", policy);
    Some(bench)
}

#[test]
fn a_killed_study_goes_on_by_the_same_policy() {
    let Some(whole) = asking(POLICY) else { return };
    whole.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let (_, decided) = whole.decisions();
    assert_eq!(decided.len(), 24);

    let slow = POLICY.replace("import sys", "import sys, time");
    let slow = slow.replace("    print(", "    time.sleep(0.1)\n    print(");
    assert_ne!(slow, POLICY);
    let killed = asking(&slow).unwrap();
    for ended in [6, 14] {
        let running = killed.start(&["run", "study.toml"]);
        until("evaluations have ended", || killed.log("log").len() > ended);
        running.signal(Signal::KILL);
        running.wait();
    }
    killed
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming after"]);
    assert_eq!(killed.decisions().1, decided);
    assert_eq!(each_once(&killed).len(), 24);
    assert_eq!(replays(&killed), 1);
}

#[test]
fn a_study_whose_policy_was_changed_is_refused() {
    let Some(bench) = asking(POLICY) else { return };
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit("policy.py", "< 0.1", "< 0.2");
    bench.edit("study.toml", "evaluations = 24", "evaluations = 30");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::CHANGED, &["policy.py"]);
    // The policy with which it was begun goes on.
    bench.edit("policy.py", "< 0.2", "< 0.1");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &["resuming after 24"]);
    assert_eq!(bench.decisions().1.len(), 30);
}

#[test]
fn a_wrong_answer_ends_the_session_and_loses_nothing() {
    for (answer, says) in [
        ("{\"arm\": \"nobody\"}", "nobody"),
        ("the first one", "the first one"),
        ("{\"arm\": \"low\", \"why\": 1}", "why"),
    ] {
        let Some(bench) = asking(&POLICY.replace(
            "    print(",
            &format!("    if question[\"ended\"] > 9:\n        print('{answer}', flush=True)\n        continue\n    print("),
        )) else {
            return;
        };
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, &[says]);
        assert!(!ran.stderr.contains("panicked"), "{ran:#?}");
        assert_eq!(bench.decisions().1.len(), 10, "{answer}");
    }
}

#[test]
fn a_policy_that_cannot_be_started_is_told() {
    let Some(bench) = asking("raise SystemExit('no policy here')") else {
        return;
    };
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["ended 3 times", "no policy here"]);
}
