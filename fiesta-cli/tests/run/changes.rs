//! Tests of study files that change while a study is under way, or after its end: what is told,
//! refused and taken over.

use super::{
    Bench, TWO, code, logging,
    support::{Ran, until},
};
use fiesta::runner::{History, Ledger, Study, history::Check, ledger::Entry};
use rustix::process::Signal;
use std::collections::BTreeSet;

/// Returns a study that was interrupted after some evaluations.
fn interrupted() -> Bench {
    let job = format!("[ -e quick ] || sleep 0.1\n{}", logging());
    let rest =
        format!("[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nparallel = 1\nseed = 5\n{TWO}");
    let bench = Bench::with_job(&job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("the first job has begun", || !bench.text("log").is_empty());
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    bench.file("quick", "");
    bench
}

/// Job whose scores vary more between runs than between arms, so that it takes some evaluations to tell the arms apart.
pub(super) const NOISY: &str = r#"
echo $1 $2 $3 >> log
case $1 in
  high) base=640 ;;
  new) base=900 ;;
  *) base=600 ;;
esac
printf '{"accuracy": 0.%03d}\n' $((base + ($2 * 7919 + $3) % 90))
"#;

/// Returns a finished study of [`NOISY`] scores.
pub(super) fn finished(rest: &str) -> Bench {
    let bench = Bench::with_job(NOISY, &format!("{rest}\n{TWO}"));
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench
}

fn entries(bench: &Bench) -> (Study, Vec<Entry>) {
    let study = Study::read(&bench.path("study.toml")).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    (study, entries)
}

/// Replays the ledger, checks that each of its decisions comes about again, and returns the number of conclusions:
/// a study that was extended has several.
#[track_caller]
pub(super) fn replays(bench: &Bench) -> usize {
    let (study, entries) = entries(bench);
    let ends = entries.iter().filter(|entry| entry.kind() == "concluded");
    let ends = ends.count();
    let history = History::replay(&study, entries, Check::Decisions).unwrap();
    assert_eq!(history.differences, Vec::<String>::new());
    ends
}

/// Tests that a job keeps its GPUs until its end, even those that the study no longer has.
#[test]
fn with_other_gpus_a_job_of_before_keeps_its_own() {
    let job = "[ $1 = low ] && { echo > low; while [ ! -e go ]; do sleep 0.02; done; }\necho $1 $CUDA_VISIBLE_DEVICES >> log\necho '{\"accuracy\": 0.5}'\n";
    let rest = "[goal]\nbudget = { evaluations = 2 }\n[design]\nparallel = 2\npolicy = \"uniform\"\n[executor]\nwatch_gpus = false\ngpus = [0, 1]\n[[arm]]\nname = \"low\"\ngpus_per_job = 2\n[[arm]]\nname = \"high\"\ngpus_per_job = 1\n";
    let bench = Bench::with_job(job, rest);
    let running = bench.start(&["run", "study.toml"]);
    until("the larger job runs", || bench.path("low").exists());
    running.signal(Signal::KILL);
    running.wait();
    bench.edit("study.toml", "gpus = [0, 1]", "gpus = [1, 2]");
    let resumed = bench.start(&["run", "study.toml", "--accept-changes"]);
    until("the other job is made", || {
        bench.text("log").contains("high")
    });
    bench.file("go", "");
    resumed.wait().says(code::DONE, &[]);
    assert_eq!(bench.text("log"), "high 2\nlow 0,1\n");
}

/// Checks that a changed study is refused, and runs it with the flag that accepts changes.
#[track_caller]
pub(super) fn accepted(bench: &Bench, changes: &[&str]) -> Ran {
    let log = bench.text("log");
    let refused = bench.fiesta(&["run", "study.toml"]);
    refused.says(code::CHANGED, changes);
    refused.says(code::CHANGED, &["use --accept-changes to go on with them"]);
    // Until then, everything can be looked at.
    for call in [
        &["status", "study.toml"][..],
        &["export", "study.toml"],
        &["report", "study.toml", "--formats", "svg"],
    ] {
        let looked = bench.fiesta(call);
        assert_eq!(looked.code, Some(code::DONE), "{call:?}: {looked:#?}");
    }
    assert_eq!(bench.text("log"), log);
    bench.fiesta(&["run", "study.toml", "--accept-changes"])
}

#[track_caller]
pub(super) fn refused(bench: &Bench, changes: &[&str]) {
    let before = bench.text("log");
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "study.toml", "--accept-changes"],
    ] {
        let ran = bench.fiesta(arguments);
        ran.says(code::CHANGED, changes);
        ran.says(code::CHANGED, &["undo them"]);
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(bench.text("log"), before);
}

/// Checks that no evaluation was made twice.
#[track_caller]
pub(super) fn each_once(bench: &Bench) -> Vec<Vec<String>> {
    let log = bench.log("log");
    let distinct: BTreeSet<&Vec<String>> = log.iter().collect();
    assert_eq!(distinct.len(), log.len(), "{log:?}");
    log
}

#[test]
fn are_listed_and_refused() {
    let bench = interrupted();
    bench.edit("study.toml", "seed = 5", "seed = 6");
    bench.edit("study.toml", "evaluations = 10", "evaluations = 8");
    refused(
        &bench,
        &[
            "design.seed: 5 → 6 (another study)",
            "goal.budget.evaluations: 10 → 8 (may end the study sooner)",
        ],
    );
    // Undone, the study goes on.
    bench.edit("study.toml", "seed = 6", "seed = 5");
    bench.edit("study.toml", "evaluations = 8", "evaluations = 10");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming after"]);
}

#[test]
fn are_taken_over_if_they_are_harmless() {
    let bench = interrupted();
    bench.edit("study.toml", "parallel = 1", "parallel = 2");
    accepted(&bench, &["design.parallel: 1 → 2 (harmless)"]).says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 10);
    // From now on, it is the study, also if it has ended.
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    bench.edit("study.toml", "parallel = 2", "parallel = 3");
    accepted(&bench, &["design.parallel: 2 → 3"]).says(code::DONE, &["nothing was run"]);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
}

#[test]
fn do_not_confuse_the_status() {
    let bench = interrupted();
    bench.edit(
        "study.toml",
        "[[arm]]\nname = \"low\"\n",
        "[[arm]]\nname = \"new\"\n",
    );
    let ran = bench.fiesta(&["status", "study.toml"]);
    ran.says(
        code::CHANGED,
        &[
            "the study file has changed",
            "arm.low: removed (another study: its evaluations cannot be taken back)",
            "arm.new: added (extends the study)",
        ],
    );
    refused(&bench, &["arm.low: removed"]);
    bench.edit("study.toml", "[[arm]]\nname = \"new\"\n", "");
    bench.edit(
        "study.toml",
        "[[arm]]\n",
        "[[arm]]\nname = \"low\"\ncommand = [\"true\"]\n[[arm]]\n",
    );
    // Somebody may say that scores are the same.
    let ran = bench.fiesta(&["status", "study.toml"]);
    ran.says(code::DONE, &["the study file has changed since"]);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::CHANGED,
        &["arm.low.command: null → [\"true\"] (after "],
    );
}

/// Tests that an arm without any score may get another command.
#[test]
fn of_a_command_that_never_worked_are_accepted() {
    let job = "[ \"$1\" = evaluate ] || { echo no such subcommand >&2; exit 2; }\nshift\necho $1 $2 $3 >> log\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!("[goal]\nbudget = {{ evaluations = 16 }}\n{TWO}");
    let bench = Bench::with_job(job, &rest);
    bench.fiesta(&["run", "study.toml"]).says(
        code::ARM_FAILED,
        &[
            "none succeeded, and all failed alike",
            "with --accept-changes if the study file was edited",
        ],
    );
    bench.edit("study.toml", "\"job.sh\", ", "\"job.sh\", \"evaluate\", ");
    let ran = accepted(
        &bench,
        &["command: [", "(possible while no evaluation has a score)"],
    );
    ran.says(
        code::DONE,
        &["earlier failures not held against them: low, high"],
    );
    each_once(&bench);
    replays(&bench);
    // From the first score on somebody has to say that others are the same.
    bench.edit("study.toml", "\"evaluate\", ", "\"evaluate\", \"x\", ");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::CHANGED,
        &[
            "command: [",
            "evaluations were made of low and high",
            "--again low",
        ],
    );
}

/// Tests that a changed command waits for a job which a killed controller left, as it may still report a score of the earlier command.
#[test]
fn of_a_command_wait_for_the_jobs_that_it_started() {
    let job = "echo $1 >> log\n[ -e go ] || while [ ! -e go ]; do sleep 0.02; done\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}");
    let bench = Bench::with_job(job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("the first job has begun", || !bench.text("log").is_empty());
    running.signal(Signal::KILL);
    running.wait();
    bench.edit("study.toml", "\"job.sh\", ", "\"job.sh\", \"evaluate\", ");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::CHANGED, &["after 1 evaluation was made of"]);
    bench.edit("study.toml", "[metric]", "[metric]\nnot_finite = 0.5");
    let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    ran.says(code::CHANGED, &["a job was started without it"]);
    bench.file("go", "");
    bench.edit("study.toml", "\nnot_finite = 0.5", "");
    let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    ran.says(code::DONE, &["scores are taken to be the same"]);
}
