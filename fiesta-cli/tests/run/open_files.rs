//! Tests of the limit of open files: the program raises its own, gives its jobs the original one,
//! and runs fewer jobs at a time if it is too low.

use super::{
    Bench, TWO, code,
    support::{Running, until},
};
use std::{fs, process::Command};

/// Starts the program with these limits of open files.
fn limited(bench: &Bench, limits: &str, arguments: &[&str]) -> Running {
    let inner = bench.command(arguments);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")])
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(bench.path("."))
        .env_remove("CUDA_VISIBLE_DEVICES");
    Running::start(command)
}

const WAITING: &str = "until [ -e go ]; do sleep 0.05; done";

fn rest(parallel: usize, evaluations: usize) -> String {
    format!(
        "goal = {{ budget = {{ evaluations = {evaluations} }} }}\n[design]\nparallel = {parallel}\npolicy = \"uniform\"\n{TWO}"
    )
}

#[test]
fn with_too_few_of_them_fewer_jobs_run_at_a_time() {
    let job = format!("{WAITING}\necho '{{\"accuracy\": 0.5}}'");
    let bench = Bench::with_job(&job, &rest(40, 80));
    let running = limited(&bench, "ulimit -n 40", &["run", "study.toml"]);
    until("it is told", || {
        running.stderr().contains("too many files are open")
    });
    bench.file("go", "");
    let ran = running.wait();
    ran.says(code::DONE, &["fewer jobs run at a time"]);
    assert_eq!(ran.stderr.matches("too many files").count(), 1, "{ran:#?}");
}

#[test]
fn the_program_raises_its_limit_and_its_jobs_have_the_old_one() {
    let job = format!(
        "echo $(ulimit -Sn) $(ulimit -Hn) >> limits\n{WAITING}\necho '{{\"accuracy\": 0.5}}'"
    );
    let bench = Bench::with_job(&job, &rest(2, 4));
    let limits = "ulimit -Sn 128; ulimit -Hn 512";
    let running = limited(&bench, limits, &["run", "study.toml"]);
    until("jobs run", || bench.log("limits").len() == 2);
    let own = fs::read_to_string(format!("/proc/{}/limits", running.pid())).unwrap();
    let own = own
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .unwrap();
    let own: Vec<&str> = own.split_whitespace().collect();
    assert_eq!(own[3..5], ["512", "512"]);
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
    assert_eq!(bench.text("limits"), "128 512\n".repeat(4));
}

#[test]
fn a_worker_has_the_old_limit_too() {
    let bench = Bench::new();
    bench.file(
        "worker.sh",
        "echo $(ulimit -Sn) >> limits\nwhile read -r line; do id=${line#*\\\"id\\\":\\\"}; echo \"{\\\"id\\\": \\\"${id%%\\\"*}\\\", \\\"accuracy\\\": 0.5}\"; done\n",
    );
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n{}\n[metric]\nname = \"accuracy\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n",
            rest(1, 4)
        ),
    );
    let limits = "ulimit -Sn 128; ulimit -Hn 512";
    let running = limited(&bench, limits, &["run", "study.toml"]);
    running.wait().says(code::DONE, &[]);
    assert!(bench.log("limits").iter().all(|line| line[0] == "128"));
    assert!(!bench.log("limits").is_empty());
}
