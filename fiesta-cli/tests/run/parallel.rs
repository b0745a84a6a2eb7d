//! Tests of several jobs at a time, and of their GPUs, which are only names here and are not looked up.

use super::{Bench, TWO, code, support::until};

/// Job that logs its start and its end, each with the devices that it sees.
const TIMED: &str = r#"
echo start $$ "gpu:$CUDA_VISIBLE_DEVICES" >> log
sleep 0.1
echo end $$ "gpu:$CUDA_VISIBLE_DEVICES" >> log
printf '{"accuracy": 0.%03d}\n' $(($3 % 1000))
"#;

/// Returns the largest number of jobs that ran at a time, and of those that shared a device.
fn overlap(log: &[Vec<String>]) -> (usize, usize) {
    let (mut most, mut most_on_one) = (0, 0);
    let mut running: Vec<&[String]> = Vec::new();
    for line in log {
        if line[0] == "start" {
            running.push(&line[1..]);
        } else {
            running.retain(|other| *other != &line[1..]);
        }
        most = most.max(running.len());
        let on = |gpu: &str| running.iter().filter(|other| other[1] == gpu).count();
        most_on_one = most_on_one.max(running.iter().map(|other| on(&other[1])).max().unwrap_or(0));
    }
    assert!(running.is_empty(), "{log:?}");
    (most, most_on_one)
}

fn run(parallel: usize, more: &str) -> Vec<Vec<String>> {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 16 }}\n[design]\npolicy = \"uniform\"\nparallel = {parallel}\n{more}\n{TWO}"
    );
    let bench = Bench::with_job(TIMED, &rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let log = bench.log("log");
    assert_eq!(log.len(), 32, "{log:?}");
    log
}

#[test]
fn jobs_overlap_as_far_as_they_may() {
    assert_eq!(overlap(&run(3, "")).0, 3);
    assert_eq!(overlap(&run(1, "")).0, 1);
}

fn devices(log: &[Vec<String>]) -> Vec<&str> {
    let mut devices: Vec<&str> = log.iter().map(|line| line[2].as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    devices
}

#[test]
fn a_gpu_each() {
    let log = run(
        4,
        "[resources]\ngpus_per_job = 1\n[executor]\ngpus = [0, \"GPU-5ee\"]\nwatch_gpus = false",
    );
    assert_eq!(overlap(&log), (2, 1));
    assert_eq!(devices(&log), ["gpu:0", "gpu:GPU-5ee"]);
}

#[test]
fn half_a_gpu_each() {
    let log = run(
        8,
        "[resources]\ngpus_per_job = 0.5\n[executor]\ngpus = [0, 1]\nwatch_gpus = false",
    );
    assert_eq!(overlap(&log), (4, 2));
    assert_eq!(devices(&log), ["gpu:0", "gpu:1"]);
}

#[test]
fn two_gpus_each() {
    let log = run(
        4,
        "[resources]\ngpus_per_job = 2\n[executor]\ngpus = [4, 5, 6]\nwatch_gpus = false",
    );
    assert_eq!(overlap(&log).0, 1);
    assert_eq!(devices(&log), ["gpu:4,5"]);
}

#[test]
fn no_gpu_hides_all_of_them() {
    let rest =
        format!("[goal]\nbudget = {{ evaluations = 2 }}\n[resources]\ngpus_per_job = 0\n{TWO}");
    let bench = Bench::with_job(TIMED, &rest);
    let mut command = bench.command(&["run", "study.toml"]);
    command.env("CUDA_VISIBLE_DEVICES", "0,1");
    super::support::Running::start(command)
        .wait()
        .says(code::DONE, &[]);
    assert_eq!(devices(&bench.log("log")), ["gpu:"]);
}

#[test]
fn gpus_of_the_environment() {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 8 }}\n[design]\nparallel = 4\n[resources]\ngpus_per_job = 1\n[executor]\nwatch_gpus = false\n{TWO}"
    );
    let bench = Bench::with_job(TIMED, &rest);
    let mut command = bench.command(&["run", "study.toml"]);
    command.env("CUDA_VISIBLE_DEVICES", "MIG-7,3");
    super::support::Running::start(command)
        .wait()
        .says(code::DONE, &[]);
    let log = bench.log("log");
    assert_eq!(devices(&log), ["gpu:3", "gpu:MIG-7"]);
    assert_eq!(overlap(&log), (2, 1));
}

/// Job that ends at once; of the arm `stuck`, only when there is a file `go`.
const STUCK: &str = r#"
echo $1 >> begun
n=0
if [ $1 = stuck ]; then until [ -e go ] || [ $((n += 1)) -gt 3000 ]; do sleep 0.02; done; fi
printf '{"accuracy": 0.%03d}\n' $((500 + $3 % 99))
"#;

/// Tests that other arms need not wait for an arm whose first evaluation hangs; its end decides the
/// study.
#[test]
fn a_job_that_hangs_leaves_no_slot_idle() {
    let arms = ["stuck", "one", "two", "three"].map(|arm| format!("[[arm]]\nname = \"{arm}\"\n"));
    let rest = format!(
        "[goal]\nconfidence = 0.9999\nbudget = {{ evaluations = 40 }}\n[design]\nparallel = 4\n{}",
        arms.concat()
    );
    let bench = Bench::with_job(STUCK, &rest);
    let running = bench.start(&["run", "study.toml", "--format", "json"]);
    let begun = |of: fn(&str) -> bool| {
        let log = bench.log("begun");
        log.iter().filter(|line| of(&line[0])).count()
    };
    // Two evaluations each are what the posterior asks for at most, and three quarters of the
    // budget are theirs.
    until("the others go on", || begun(|arm| arm != "stuck") >= 24);
    assert!((1..=2).contains(&begun(|arm| arm == "stuck")));
    bench.file("go", "");
    let ran = running.wait();
    ran.says(code::SHORT, &[]);
    let result = ran.json();
    assert_eq!(result["evaluations"], 40);
    assert!(
        super::arm(&result, "stuck")["evaluations"].as_u64() >= Some(3),
        "{result}"
    );
}
