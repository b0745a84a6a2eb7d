//! Tests of jobs that take long to die. Killed with their supervisors, they close a file on a slow
//! file system. Meanwhile they have no environment any more, but still their GPU.

use super::{
    slow_disk::SlowDisk,
    support::{Bench, code, until},
};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;

/// Job that holds a lock for its GPU, and a file on the slow disk that is closed first.
const JOB: &str = r#"
exec 8>"gpu-$CUDA_VISIBLE_DEVICES"
flock -n 8 || echo "gpu $CUDA_VISIBLE_DEVICES" >> crowded
exec 7>served-slowly/"$1-$2-$3"
echo "$$ $PPID $CUDA_VISIBLE_DEVICES" >> begun
if mkdir first 2>/dev/null; then exec sleep 1000; fi
echo '{"accuracy": 0.5}'
"#;

const REST: &str = "[goal]\nbudget = { evaluations = 4 }\n[design]\nparallel = 1\npolicy = \"uniform\"\n[resources]\ngpus_per_job = 1\n[executor]\nwatch_gpus = false\ngpus = [7]\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n";

fn kill(pid: &str) {
    kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
}

/// Returns a study whose controller, supervisor and job were killed while the job had a GPU;
/// closing its file takes `seconds`.
fn killed(seconds: u32) -> Option<(Bench, SlowDisk)> {
    let bench = Bench::with_job(JOB, REST);
    let disk = SlowDisk::mount(&bench, "served-slowly", 1)?;
    let running = bench.start(&["run", "study.toml"]);
    until("a job has its GPU", || bench.path("first").exists());
    let [job, supervisor, _] = &bench.log("begun")[0][..] else {
        panic!("three words");
    };
    // What it started before has the slow file as well.
    until("it is one process", || {
        fs::read_to_string(format!("/proc/{job}/comm")).is_ok_and(|name| name == "sleep\n")
    });
    disk.close_slowly(seconds);
    running.signal(Signal::KILL);
    kill(supervisor);
    kill(job);
    running.wait();
    Some((bench, disk))
}

#[test]
fn a_gpu_is_not_given_away_before_the_job_that_had_it_is_gone() {
    let Some((bench, disk)) = killed(2) else {
        return;
    };
    let running = bench.start(&["run", "study.toml"]);
    until("the next job begins", || bench.log("begun").len() > 1);
    disk.close_slowly(0);
    running.wait().says(code::DONE, &["went without a word"]);
    assert_eq!(bench.text("crowded"), "");
    assert_eq!(bench.log("begun").len(), 5);
}

#[test]
fn the_gpu_of_a_job_that_does_not_die_is_put_aside() {
    let Some((bench, disk)) = killed(12) else {
        return;
    };
    let job = &bench.log("begun")[0][0];
    let left = format!("GPU 7 is put aside: processes [{job}] of ");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::USAGE,
        &[&left, "too few GPUs are left that nothing else holds"],
    );
    assert_eq!(bench.log("begun").len(), 1);
    disk.close_slowly(0);
    until("the job is gone", || !super::support::is_alive(job));
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.text("crowded"), "");
}
