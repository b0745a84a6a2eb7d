//! Tests of signals to the running program.

use super::{
    Bench, TWO, arm, code,
    support::{Running, is_alive, until},
};
use rustix::process::Signal;
use std::{collections::BTreeSet, time::Instant};

/// Job that begins, waits for `go`, and ends, with a child that does not heed a SIGTERM.
const WAITING: &str = r#"
echo $1 $2 $3 >> begun
sh -c 'trap "" TERM; echo $$ >> children; exec sleep 77' &
n=0
until [ -e go ] || [ $((n += 1)) -gt 1500 ]; do sleep 0.02; done
kill -9 $!
echo $1 $2 $3 >> ended
printf '{"accuracy": 0.%03d}\n' $((500 + $3 % 99))
"#;

fn study() -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 8 }}\n[design]\nparallel = 3\n[resources]\ngrace = \"1s\"\n{TWO}"
    );
    Bench::with_job(WAITING, &rest)
}

fn begun(bench: &Bench) -> Running {
    let running = bench.start(&["run", "study.toml"]);
    until("three jobs run", || bench.log("children").len() == 3);
    running
}

/// Resumes and checks that every evaluation was made, and ended once.
fn resumes(bench: &Bench) {
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&8.into(), &0.into())
    );
    let ended = bench.log("ended");
    let distinct: BTreeSet<&Vec<String>> = ended.iter().collect();
    assert_eq!((ended.len(), distinct.len()), (8, 8), "{ended:?}");
    for name in ["low", "high"] {
        let made = ended.iter().filter(|line| line[0] == name).count();
        assert_eq!(arm(&result, name)["evaluations"], made);
    }
}

#[test]
fn once_lets_the_jobs_finish() {
    for signal in [Signal::INT, Signal::TERM] {
        let bench = study();
        let running = begun(&bench);
        running.signal(signal);
        until("it says so", || {
            running.stderr().contains("waiting for 3 running jobs")
        });
        bench.file("go", "");
        let ran = running.wait();
        ran.says(
            code::INTERRUPTED,
            &["`fiesta run study.toml` goes on from here"],
        );
        assert_eq!(ran.stdout, "");
        // What ran has counted, and nothing else was started.
        assert_eq!(bench.log("begun").len(), 3);
        let (code, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(status["state"], "stopped");
        assert_eq!(
            (&status["evaluations"], &status["pending"]),
            (&3.into(), &0.into())
        );
        resumes(&bench);
        assert_eq!(bench.log("begun").len(), 8);
    }
}

#[test]
fn an_interrupted_study_becomes_what_it_would_have_been() {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"ts\"\nseed = 9\n{TWO}"
    );
    let whole = Bench::with_job(&super::logging(), &rest);
    whole.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let slow = format!("sleep 0.1\n{}", super::logging());
    let bench = Bench::with_job(&slow, &rest);
    for made in [2, 5] {
        let running = bench.start(&["run", "study.toml", "--format", "json", "--quiet"]);
        until("some are made", || bench.log("log").len() >= made);
        running.signal(Signal::INT);
        let ran = running.wait();
        ran.says(code::INTERRUPTED, &[]);
        assert_eq!(ran.stderr, "");
        let status = ran.json();
        assert_eq!(status["state"], "stopped");
        assert_eq!(status["evaluations"], bench.log("log").len());
    }
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming after"]);
    assert_eq!(bench.text("log"), whole.text("log"));
}

#[test]
fn a_check_is_stopped_and_leaves_nothing() {
    let bench = study();
    let running = bench.start(&["run", "study.toml", "--check"]);
    until("two jobs run", || bench.log("children").len() == 2);
    running.signal(Signal::INT);
    running
        .wait()
        .says(code::INTERRUPTED, &["nothing was recorded"]);
    for child in bench.log("children").concat() {
        assert!(!is_alive(&child), "{child}");
    }
    assert!(!bench.path("study.fiesta").exists());
}

#[test]
fn twice_kills_the_jobs_and_what_they_started() {
    for [first, second] in [[Signal::INT, Signal::INT], [Signal::TERM, Signal::TERM]] {
        stopped_by(first, second);
    }
}

fn stopped_by(first: Signal, second: Signal) {
    let bench = study();
    let running = begun(&bench);
    running.signal(first);
    until("it drains", || running.stderr().contains("waiting for 3"));
    // Signals that are closer together count as one.
    std::thread::sleep(std::time::Duration::from_millis(150));
    running.signal(second);
    let ran = running.wait();
    ran.says(code::INTERRUPTED, &["stopping the running jobs"]);
    for child in bench.log("children").concat() {
        assert!(!is_alive(&child), "{child}");
    }
    assert_eq!(bench.text("ended"), "");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["pending"]),
        (&0.into(), &3.into())
    );
    bench.file("go", "");
    resumes(&bench);
}

/// Job that ignores SIGTERM. Its study would wait an hour for its end.
const DEAF: &str = "trap '' TERM\necho $$ >> children\nwhile [ ! -e go ]; do sleep 0.02; done\necho '{\"accuracy\": 0.5}'\n";

#[test]
fn three_times_leaves_the_jobs_no_time() {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 8 }}\n[design]\nparallel = 2\n[resources]\ngrace = \"1h\"\n{TWO}"
    );
    let bench = Bench::with_job(DEAF, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("children").len() == 2);
    for says in ["once more to stop them", "once more to leave them no time"] {
        running.signal(Signal::INT);
        until(says, || running.stderr().contains(says));
        std::thread::sleep(std::time::Duration::from_millis(150));
    }
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    for child in bench.log("children").concat() {
        assert!(!is_alive(&child), "{child}");
    }
    bench.file("go", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

/// Tests a hangup while slow jobs end after the time of the study is over.
#[test]
fn a_hangup_is_heeded_after_the_conclusion() {
    let rest = format!(
        "[goal]\nbudget = {{ wall = \"1s\" }}\n[design]\nparallel = 2\n[resources]\ngrace = \"1h\"\n{TWO}"
    );
    let bench = Bench::with_job(DEAF, &rest);
    let cancelled = || {
        let runs = std::fs::read_dir(bench.path("study.fiesta/runs")).into_iter();
        runs.flatten()
            .filter(|run| run.as_ref().unwrap().path().join("cancel.json").exists())
            .count()
    };
    let running = bench.start(&["run", "study.toml"]);
    until("its jobs are to stop", || cancelled() == 2);
    running.signal(Signal::HUP);
    running.wait().says(code::INTERRUPTED, &[]);
    for child in bench.log("children").concat() {
        assert!(is_alive(&child), "{child}");
    }
    bench.file("go", "");
    let (code, result) = bench.json(&["run", "study.toml"]);
    // They ended properly within their hour.
    assert_eq!(
        (code, &result["pending"], &result["evaluations"]),
        (Some(code::DONE), &0.into(), &2.into())
    );
    assert_eq!(bench.log("children").len(), 2);
}

#[test]
fn a_hangup_leaves_the_jobs_running_to_be_found_again() {
    let bench = study();
    let running = begun(&bench);
    running.signal(Signal::HUP);
    let ran = running.wait();
    ran.says(code::INTERRUPTED, &["3 jobs", "finds them again"]);
    for child in bench.log("children").concat() {
        assert!(is_alive(&child), "{child}");
    }
    // One ends while nobody looks, the others are followed again.
    let second = bench.start(&["run", "study.toml"]);
    until("it has resumed", || {
        second.stderr().contains("resuming after 0 evaluations")
    });
    bench.file("go", "");
    second.wait().says(code::DONE, &[]);
    resumes(&bench);
    assert_eq!(bench.log("begun").len(), 8, "a job was started twice");
}

#[test]
fn jobs_that_ended_while_nobody_looked_count() {
    let bench = study();
    let running = begun(&bench);
    running.signal(Signal::HUP);
    running.wait().says(code::INTERRUPTED, &[]);
    bench.file("go", "");
    until("all have ended", || bench.log("ended").len() == 3);
    for child in bench.log("children").concat() {
        until("the child is gone", || !is_alive(&child));
    }
    resumes(&bench);
    assert_eq!(bench.log("begun").len(), 8, "a job was started twice");
}

#[test]
fn a_closed_terminal_stops_nothing() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 8 }}\n{TWO}");
    let bench = Bench::with_job("echo ran >> log; echo '{\"accuracy\": 0.5}'\n", &rest);
    // A pipe whose reader is gone.
    let mut command = bench.command(&["run", "study.toml"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = command
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .unwrap();
    drop(command);
    let began = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(code::DONE));
    assert!(began.elapsed().as_secs() < 30);
    assert_eq!(bench.log("log").len(), 8);
}

/// Tests that signals which the program was started to ignore or block, as by `nohup`, a shell's
/// background or an engine, act on jobs as usual. The program goes on ignoring a hangup.
#[test]
fn jobs_react_to_every_signal_whatever_the_program_was_started_to_ignore() {
    let job = "grep -E 'SigIgn|SigBlk' /proc/self/status >> masks\n\
               until [ -e go ]; do sleep 0.02; done\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!("[goal]\nbudget = {{ evaluations = 2 }}\n[design]\nparallel = 2\n{TWO}");
    let bench = Bench::with_job(job, &rest);
    let own = bench.command(&["run", "study.toml"]);
    let mut command = std::process::Command::new("env");
    let ignored = ["HUP", "INT", "QUIT", "USR1", "CHLD", "XFSZ"];
    command
        .args(ignored.map(|name| format!("--ignore-signal={name}")))
        .arg("--block-signal=USR2")
        .arg(own.get_program())
        .args(own.get_args())
        .current_dir(own.get_current_dir().unwrap());
    let running = Running::start(command);
    until("both jobs run", || bench.log("masks").len() == 4);
    for line in bench.log("masks") {
        // Those of threads, 32 and 33, are the C library's own.
        let mask = u64::from_str_radix(&line[1], 16).unwrap() & !(3 << 31);
        assert_eq!(mask, 0, "{line:?}");
    }
    // Ignored by the program as before.
    running.signal(Signal::HUP);
    running.signal(Signal::INT);
    std::thread::sleep(std::time::Duration::from_millis(300));
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
}
