//! Tests of jobs that print nothing for too long.

use super::{Bench, TWO, arm, code};

#[test]
fn a_silent_job_is_stopped_and_has_failed() {
    let job = "echo working; [ $1 = low ] && sleep 1000; echo '{\"accuracy\": 0.5}'\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 2 }}\n[design]\nparallel = 2\n[resources]\nsilence = \"1500ms\"\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    let says = [
        "printed nothing for too long (silence = \"1s 500ms\")",
        "stdout ends with:",
        "working",
    ];
    ran.says(code::DONE, &says);
    let result = ran.json();
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&1.into(), &1.into())
    );
    assert_eq!(arm(&result, "low")["failed"], 1);
    // A study may be resumed with another limit.
    bench.edit("study.toml", "evaluations = 2", "evaluations = 3");
    bench.edit("study.toml", "silence = \"1500ms\"", "silence = \"1h\"");
    let changed = bench.fiesta(&["run", "study.toml"]);
    changed.says(
        code::CHANGED,
        &["resources.silence: \"1500ms\" → \"1h\" (harmless)"],
    );
}
