//! Tests of edge cases: odd values, changed settings, lost state.

use super::{Bench, SCORE, STUDY, TWO, arm, code, logging, support::until};
use rustix::process::Signal;
use std::fs;

#[test]
fn a_score_too_large_is_a_failure_and_no_end_of_the_study() {
    let job = "case $1 in low) echo '{\"accuracy\": 1e120}' ;; *) echo \"{\\\"accuracy\\\": 0.$3}\" ;; esac\n";
    let rest = format!("[goal]\nbudget = {{ evaluations = 8 }}\n{TWO}");
    let bench = Bench::with_job(job, &rest);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::ARM_FAILED));
    assert_eq!(arm(&result, "low")["failed"], 3);
    // It can be looked at and run again like any other.
    let again = bench.fiesta(&["run", "study.toml"]);
    again.says(code::ARM_FAILED, &["nothing was run"]);
}

#[test]
fn the_sentence_claims_no_comparison_that_was_not_made() {
    let job = "[ $1 = high ] && echo \"{\\\"accuracy\\\": 0.$3}\"\n";
    let bench = Bench::with_job(job, TWO);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::ARM_FAILED));
    let conclusion = &result["conclusion"];
    assert_eq!(conclusion["arm"], "high");
    assert_eq!(conclusion["reason"], "only-candidate");
    assert!(conclusion["probability"].is_null());
    let sentence = conclusion["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("not compared with any other"),
        "{sentence}"
    );
}

#[test]
fn a_lower_parallel_holds_for_what_an_earlier_session_left() {
    let job = format!(
        "echo $$ >> started\nuntil [ -e go ]; do sleep 0.01; done\n{}",
        logging()
    );
    let rest = format!("[goal]\nbudget = {{ evaluations = 6 }}\n[design]\nparallel = 4\n{TWO}");
    let bench = Bench::with_job(&job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("four jobs have started", || bench.log("started").len() == 4);
    // Once to drain, once more to stop them: all four are still to be made.
    running.signal(Signal::INT);
    until("it drains", || running.stderr().contains("once more"));
    std::thread::sleep(std::time::Duration::from_millis(150));
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    fs::remove_file(bench.path("started")).unwrap();
    bench.edit("study.toml", "parallel = 4", "parallel = 1");
    let running = bench.start(&["run", "study.toml", "--accept-changes"]);
    until("a job has started", || !bench.log("started").is_empty());
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(bench.log("started").len(), 1);
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 6);
}

#[test]
fn time_counts_over_sessions_that_were_interrupted() {
    // No job ever ends: only the interruptions themselves can record the time.
    let rest = format!("[goal]\nbudget = {{ wall = \"2s\" }}\n{TWO}");
    let bench = Bench::with_job("sleep 60\n", &rest);
    let mut sessions = 0;
    loop {
        sessions += 1;
        assert!(sessions < 12, "the time never runs out");
        let running = bench.start(&["run", "study.toml"]);
        std::thread::sleep(std::time::Duration::from_millis(400));
        running.signal(Signal::INT);
        std::thread::sleep(std::time::Duration::from_millis(150));
        running.signal(Signal::INT);
        let ran = running.wait();
        if ran.code == Some(code::SHORT) {
            break;
        }
        assert_eq!(ran.code, Some(code::INTERRUPTED), "{ran:?}");
    }
    assert!(sessions > 2, "{sessions}");
    let (_, result) = bench.json(&["status", "study.toml"]);
    assert!(result["seconds"].as_f64().unwrap() >= 2.0);
    assert_eq!(result["conclusion"]["reason"]["limit"]["wall"], 2.0);
    assert!(result["leader"].is_null(), "nothing is known of the arms");
}

#[test]
fn runs_of_a_lost_ledger_are_not_taken_for_others() {
    let bench = Bench::with_study(STUDY);
    bench.file("score.sh", SCORE);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(bench.path("study.fiesta").join(file));
    }
    // Another command under the same names: none of the old scores may count for it.
    bench.file("other.sh", "echo \"{\\\"accuracy\\\": 0.1$3}\"\n");
    bench.edit("study.toml", "score.sh", "other.sh");
    let (_, result) = bench.json(&["run", "study.toml"]);
    for name in ["low", "high"] {
        let mean = arm(&result, name)["mean"].as_f64().unwrap();
        assert!((0.1..0.2).contains(&mean), "{name}: {mean}");
    }
}

#[test]
fn a_budget_of_cost_alone_has_no_cap_on_evaluations() {
    let rest = format!("[goal]\nbudget = {{ cost = 250 }}\n{TWO}")
        .replace("name = \"low\"", "name = \"low\"\ncost = 1")
        .replace("name = \"high\"", "name = \"high\"\ncost = 1");
    let bench = Bench::with_job("echo \"{\\\"accuracy\\\": 0.$3}\"\n", &rest);
    let trial = bench.fiesta(&["run", "study.toml", "--check"]);
    trial.says(code::DONE, &[]);
    assert!(!trial.stdout.contains("at most"), "{trial:?}");
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE));
    assert_eq!(result["evaluations"], 250);
}

/// Tests that a job which removes its directory fails with a message, and the study goes on.
#[test]
fn a_job_that_removes_its_own_directory_is_a_failure() {
    for wait in ["", "sleep 3\n"] {
        let job = format!(
            "case $1 in low) rm -rf \"$(dirname \"$FIESTA_RESULT\")\"\n{wait};; esac\n{SCORE}"
        );
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 4 }}\n[design]\npolicy = \"uniform\"\n[resources]\nretries = 0\n{TWO}"
        );
        let bench = Bench::with_job(&job, &rest);
        let ran = bench.fiesta(&["run", "study.toml"]);
        assert_ne!(ran.code, Some(1), "{ran:?}");
        assert!(
            ran.stderr
                .contains("its directory was removed while it ran"),
            "{ran:?}"
        );
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(arm(&status, "low")["failed"], 2, "{status}");
        assert_eq!(arm(&status, "high")["evaluations"], 2, "{status}");
    }
}

/// Tests that a job which removed its own directory can be stopped.
#[test]
fn a_job_that_removed_its_own_directory_can_be_stopped() {
    let job = "rm -rf \"$(dirname \"$FIESTA_RESULT\")\"\necho $$ >> begun\nexec sleep 1000\n";
    let bench = Bench::with_job(job, TWO);
    let running = bench.start(&["run", "study.toml"]);
    until("a job runs", || !bench.log("begun").is_empty());
    running.signal(Signal::INT);
    until("it drains", || running.stderr().contains("once more"));
    std::thread::sleep(std::time::Duration::from_millis(150));
    running.signal(Signal::INT);
    let ran = running.wait();
    assert_eq!(ran.code, Some(code::INTERRUPTED), "{ran:?}");
}

/// Tests that a job which exceeds its own limit of file size fails, and is not retried.
#[test]
fn a_job_that_writes_more_than_it_may_is_a_failure_that_says_so() {
    for command in ["exec", "command"] {
        let job = format!(
            "ulimit -f 1\ncase $1 in low) {command} dd if=/dev/zero of=\"large-$3\" bs=64k count=4 2>/dev/null || exit $?;; esac\n{SCORE}"
        );
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 4 }}\n[design]\npolicy = \"uniform\"\n{TWO}"
        );
        let bench = Bench::with_job(&job, &rest);
        let ran = bench.fiesta(&["run", "study.toml"]);
        assert!(
            ran.stderr.contains("SIGXFSZ") && ran.stderr.contains("ulimit -f"),
            "{ran:?}"
        );
        assert!(!ran.stderr.contains("tried again"), "{ran:?}");
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(arm(&status, "low")["failed"], 2, "{status}");
    }
}

/// Tests that the files in a study file are ordinary files: pipes and devices are refused at once.
#[test]
fn pipes_and_devices_are_refused_at_once() {
    let study = |design: &str, rest: &str| {
        format!(
            "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\"]\ngoal = {{ budget = {{ evaluations = 4 }} }}\n[metric]\nname = \"accuracy\"\n[design]\n{design}\n{rest}\n{TWO}"
        )
    };
    let recorded = |file: &str| study("", &format!("[[recorded]]\nfile = \"{file}\"\n"));
    for text in [
        study("items = \"pipe.jsonl\"", ""),
        study("items = \"pipe.csv\"", ""),
        study("items = \"/dev/zero\"", ""),
        recorded("pipe.csv"),
        recorded("/dev/zero"),
    ] {
        let bench = Bench::new();
        bench.file("job.sh", "echo '{\"accuracy\": 0.5}'");
        for pipe in ["pipe.jsonl", "pipe.csv"] {
            let made = std::process::Command::new("mkfifo")
                .arg(bench.path(pipe))
                .status();
            assert!(made.unwrap().success());
        }
        bench.file("study.toml", &text);
        for verb in ["run", "status"] {
            let ran = bench.fiesta(&[verb, "study.toml"]);
            ran.says(code::USAGE, &["study.toml:"]);
            let said = ["a pipe or a device", "neither a file of JSON lines"];
            assert!(
                said.iter().any(|said| ran.stderr.contains(said)),
                "{ran:#?}"
            );
        }
    }
    let bench = Bench::new();
    let made = std::process::Command::new("mkfifo")
        .arg(bench.path("study.toml"))
        .status();
    assert!(made.unwrap().success());
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["study.toml", "a pipe or a device"]);
}

/// Tests a umask that would deny the program its own files: no failure follows.
#[test]
fn an_odd_umask_makes_nothing_unusable() {
    if !rustix::process::geteuid().is_root() {
        crate::support::skipped_on_this_machine(
            "no study of another user, as only root can run one as another user",
        );
        return;
    }
    let bench = Bench::with_job(
        &logging(),
        &format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}"),
    );
    fs::copy(env!("CARGO_BIN_EXE_fiesta"), bench.path("fiesta")).unwrap();
    for path in ["", "fiesta", "job.sh", "study.toml"] {
        std::os::unix::fs::chown(bench.path(path), Some(40_007), Some(40_007)).unwrap();
    }
    for verb in ["run", "status", "export", "report"] {
        let ran = std::process::Command::new("setpriv")
            .args(["--reuid=40007", "--regid=40007", "--clear-groups"])
            .args([
                "sh",
                "-c",
                &format!("umask 0777; exec ./fiesta {verb} study.toml"),
            ])
            .current_dir(bench.path(""))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{verb}: {ran:?}");
    }
}
