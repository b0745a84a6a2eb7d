//! Tests of studies whose directory is moved, renamed or mounted elsewhere, with jobs that run and
//! jobs that have ended.

use super::{
    Bench, TWO, code,
    support::{Running, is_alive, until},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::symlink,
    process::Command,
    time::{Duration, Instant},
};

/// Job that records its start, and scores once its first directory, wherever it has been moved, has
/// a file `go`.
const WAITING: &str = "echo $$ $PPID $1 $2 $3 >> begun\nuntil [ -e go ]; do sleep 0.02; done\n";
const SCORES: &str = "echo '{\"accuracy\": 0.5}'\n";

const EVALUATIONS: usize = 6;

/// A study in the directory `old`, of which two jobs run at a time.
fn study(job: &str, rest: &str) -> Bench {
    let bench = Bench::new();
    fs::create_dir(bench.path("old")).unwrap();
    bench.file("old/job.sh", job);
    // A program of the study's own directory, as scripts are: its path is written down whole.
    symlink("/bin/sh", bench.path("old/shell")).unwrap();
    bench.file(
        "old/study.toml",
        &format!(
            "name = \"trial\"\ncommand = [\"./shell\", \"job.sh\", \"{{arm}}\", \"{{split}}\", \"{{seed}}\"]\n[metric]\nname = \"accuracy\"\n{}\n{rest}\n{TWO}",
            goal()
        ),
    );
    bench
}

fn goal() -> String {
    format!(
        "[goal]\nbudget = {{ evaluations = {EVALUATIONS} }}\n[design]\npolicy = \"uniform\"\nparallel = 2"
    )
}

/// Returns the study while its first jobs wait.
fn begun(bench: &Bench) -> Running {
    let running = bench.start(&["run", "old/study.toml"]);
    until("two jobs run", || bench.log("old/begun").len() == 2);
    running
}

fn kill(running: Running) {
    running.signal(Signal::KILL);
    running.wait();
}

fn renamed(bench: &Bench) {
    fs::rename(bench.path("old"), bench.path("new")).unwrap();
}

/// Resumes the study at its new place. Checks that nothing failed, and that nothing was started at
/// the old place.
fn resumes(bench: &Bench) -> Value {
    bench.file("new/go", "");
    let ran = bench.fiesta(&["run", "new/study.toml", "--format", "json"]);
    ran.says(code::DONE, &[]);
    assert!(!ran.stderr.contains("was moved to"), "{ran:#?}");
    let result = ran.json();
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&EVALUATIONS.into(), &0.into())
    );
    assert!(!bench.path("old").exists());
    result
}

fn resumes_with_each_made_once(bench: &Bench) {
    resumes(bench);
    assert_eq!(bench.log("new/begun").len(), EVALUATIONS);
}

#[test]
fn jobs_that_run_are_found_where_the_study_was_moved() {
    let bench = study(&format!("{WAITING}{SCORES}"), "");
    kill(begun(&bench));
    renamed(&bench);
    resumes_with_each_made_once(&bench);
}

#[test]
fn jobs_that_ended_before_or_after_the_study_was_moved_count() {
    for is_before in [true, false] {
        let bench = study(&format!("{WAITING}{SCORES}"), "");
        kill(begun(&bench));
        let place = if is_before { "old" } else { "new" };
        if !is_before {
            renamed(&bench);
        }
        bench.file(&format!("{place}/go"), "");
        until("both jobs end", || {
            ["trial-0-a0", "trial-1-a0"].iter().all(|run| {
                let end = format!("{place}/study.fiesta/runs/{run}/end.json");
                bench.path(&end).exists()
            })
        });
        if is_before {
            renamed(&bench);
        }
        resumes_with_each_made_once(&bench);
    }
}

/// Tests that documents stay the same where the study was moved, though they are handed over by
/// path: files of their own, or lines of one.
#[test]
fn documents_are_the_same_where_the_study_was_moved() {
    for named in ["texts/*.txt", "docs.jsonl"] {
        let job = format!("{}{SCORES}", WAITING.replace("$2 $3", "$3"));
        let bench = study(&job, "");
        fs::create_dir(bench.path("old/texts")).unwrap();
        for number in 0..9 {
            bench.file(&format!("old/texts/{number}.txt"), "text");
        }
        let line = |number| format!("{{\"id\": \"d{number}\"}}\n");
        bench.file("old/docs.jsonl", &(0..9).map(line).collect::<String>());
        bench.edit(
            "old/study.toml",
            "\"{split}\", \"{seed}\"]",
            "\"{document}\", \"{document_id}\"]",
        );
        bench.edit(
            "old/study.toml",
            "parallel = 2",
            &format!("parallel = 2\ndocuments = \"{named}\""),
        );
        kill(begun(&bench));
        renamed(&bench);
        resumes_with_each_made_once(&bench);
    }
}

#[test]
fn a_controller_whose_study_is_moved_leaves_the_jobs_and_says_where_to_resume() {
    let bench = study(&format!("{WAITING}{SCORES}"), "");
    let running = begun(&bench);
    renamed(&bench);
    let ran = running.wait();
    let new = fs::canonicalize(bench.path("new")).unwrap();
    ran.says(
        code::INTERRUPTED,
        &[
            &new.join("study.fiesta").display().to_string(),
            "the 2 jobs that run go on",
        ],
    );
    assert!(!bench.path("old").exists());
    for job in bench.log("new/begun") {
        assert!(is_alive(&job[0]), "{job:?}");
    }
    let (_, status) = bench.json(&["status", "new/study.toml"]);
    assert_eq!(
        (&status["state"], &status["pending"]),
        (&"stopped".into(), &2.into())
    );
    resumes_with_each_made_once(&bench);
}

/// Tests jobs that end while the study is moved: a failed read at the old place is not a result.
#[test]
fn jobs_that_end_as_a_running_study_is_moved_count() {
    for _ in 0..3 {
        let bench = study(&format!("{WAITING}{SCORES}"), "");
        let running = begun(&bench);
        bench.file("old/go", "");
        renamed(&bench);
        let ran = running.wait();
        ran.says(code::INTERRUPTED, &["was moved while the study ran"]);
        resumes(&bench);
        // Some were started anew where a working directory was gone.
        let (_, status) = bench.json(&["status", "new/study.toml"]);
        assert_eq!(status["lost"]["attempts"], 0, "{status}");
    }
}

#[test]
fn a_worker_s_cases_are_found_where_the_study_was_moved() {
    const WORKER: &str = "while read -r line; do\n    id=${line#*\\\"id\\\":\\\"}; id=${id%%\\\"*}\n    echo $id >> begun\n    until [ -e go ]; do sleep 0.02; done\n    echo \"{\\\"id\\\": \\\"$id\\\", \\\"accuracy\\\": 0.5}\"\ndone\n";
    for is_killed in [true, false] {
        let bench = Bench::new();
        fs::create_dir(bench.path("old")).unwrap();
        bench.file("old/worker.sh", WORKER);
        bench.file(
            "old/study.toml",
            &format!(
                "name = \"trial\"\n[metric]\nname = \"accuracy\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\nprocesses = 2\n{}\n{TWO}",
                goal()
            ),
        );
        let running = begun(&bench);
        if is_killed {
            kill(running);
            renamed(&bench);
        } else {
            renamed(&bench);
            running
                .wait()
                .says(code::INTERRUPTED, &["was moved while the study ran"]);
        }
        resumes_with_each_made_once(&bench);
    }
}

/// Tests a job that cannot write its result at the old place: it is made again, without a failure
/// of its arm or use of a retry.
#[test]
fn a_job_that_fails_because_its_study_was_moved_is_made_again() {
    let writes = format!("{WAITING}echo '{{\"accuracy\": 0.5}}' > \"$FIESTA_RESULT\" || exit 3\n");
    for is_killed in [true, false] {
        let bench = study(&writes, "[resources]\nretries = 0");
        let running = begun(&bench);
        if is_killed {
            kill(running);
            renamed(&bench);
        } else {
            renamed(&bench);
            running.wait().says(code::INTERRUPTED, &[]);
        }
        resumes(&bench);
        assert_eq!(bench.log("new/begun").len(), EVALUATIONS + 2);
    }
}

/// Tests that remaining processes, marked with the path before the move, are stopped.
#[test]
fn what_a_killed_supervisor_left_is_stopped_where_the_study_was_moved() {
    let job = format!("setsid sh -c 'echo $$ >> children; exec sleep 1000' &\n{WAITING}{SCORES}");
    let bench = study(&job, "");
    let running = begun(&bench);
    until("their children run", || {
        bench.log("old/children").len() == 2
    });
    kill(running);
    let left = [bench.log("old/begun"), bench.log("old/children")].concat();
    for job in bench.log("old/begun") {
        let supervisor = Pid::from_raw(job[1].parse().unwrap()).unwrap();
        kill_process(supervisor, Signal::KILL).unwrap();
        until("the supervisor is gone", || !is_alive(&job[1]));
    }
    renamed(&bench);
    resumes(&bench);
    for process in left {
        assert!(!is_alive(&process[0]), "{process:?}");
    }
}

/// Tests a second study begun at the old place, with runs of the same names: neither study takes
/// the other's runs.
#[test]
fn a_study_that_is_begun_where_another_one_was_disturbs_nothing() {
    let bench = study(&format!("{WAITING}{SCORES}"), "");
    kill(begun(&bench));
    let mine = bench.log("old/begun");
    renamed(&bench);
    fs::create_dir(bench.path("old")).unwrap();
    symlink("/bin/sh", bench.path("old/shell")).unwrap();
    for name in ["job.sh", "study.toml"] {
        let (from, to) = (format!("new/{name}"), format!("old/{name}"));
        fs::copy(bench.path(&from), bench.path(&to)).unwrap();
    }
    bench.edit("old/study.toml", "uniform\"", "uniform\"\nseed = 7");
    let other = begun(&bench);
    // Longer than it takes a supervisor to look.
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(2500) {
        assert!(mine.iter().all(|job| is_alive(&job[0])), "{mine:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    bench.file("old/go", "");
    other.wait().says(code::DONE, &[]);
    fs::remove_dir_all(bench.path("old")).unwrap();
    resumes_with_each_made_once(&bench);
}

#[test]
fn a_study_is_the_same_under_another_mount_point() {
    let bench = study(&format!("{WAITING}{SCORES}"), "");
    fs::create_dir(bench.path("elsewhere")).unwrap();
    let mounted = |then: &str| {
        let mut command = Command::new("unshare");
        let script = format!("mount --bind old elsewhere && {then}");
        command
            .args(["-m", "sh", "-c", &script])
            .arg(env!("CARGO_BIN_EXE_fiesta"))
            .current_dir(bench.path("."))
            .env_remove("CUDA_VISIBLE_DEVICES");
        command
    };
    if !mounted("true")
        .status()
        .is_ok_and(|status| status.success())
    {
        crate::support::skipped_on_this_machine("nothing can be mounted here");
        return;
    }
    kill(begun(&bench));
    bench.file("old/go", "");
    let ran = Running::start(mounted("exec \"$0\" run elsewhere/study.toml")).wait();
    ran.says(code::DONE, &["resuming after 0 evaluations"]);
    assert!(!ran.stderr.contains("was moved to"), "{ran:#?}");
    assert_eq!(bench.log("old/begun").len(), EVALUATIONS);
}
