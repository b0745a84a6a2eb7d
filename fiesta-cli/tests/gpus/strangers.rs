//! Tests of foreign processes on the study's GPUs.

use super::{
    stand_in::{Machine, Stranger},
    support::{Running, code, until},
};
use rustix::process::Signal;

const STUDY: &str = "[goal]\nbudget = { evaluations = 10 }\n[design]\npolicy = \"uniform\"\nparallel = 2\n[resources]\ngpus_per_job = 1\n";
const TWO: [&str; 2] = ["GPU-aaaa", "GPU-bbbb"];

#[test]
fn a_gpu_that_somebody_else_uses_is_skipped_and_its_user_named_once() {
    let Some(machine) = Machine::new(&TWO, "sleep 0.05", STUDY) else {
        return;
    };
    let stranger = Stranger::new();
    machine.write(&format!("GPU-aaaa/{}", stranger.pid()), "3000");
    let ran = machine.run();
    let named = format!(
        "GPU 0 (Stand-in, GPU-aaaa) is skipped: process {} (sleep) uses 3000 MiB",
        stranger.pid()
    );
    ran.says(code::DONE, &[&named]);
    assert_eq!(ran.stderr.matches("is skipped").count(), 1, "{ran:?}");
    assert_eq!(
        (machine.began("GPU-aaaa"), machine.began("GPU-bbbb")),
        (0, 10)
    );
}

#[test]
fn where_every_gpu_is_in_use_the_study_waits_and_says_so() {
    let Some(machine) = Machine::new(&TWO, "", STUDY) else {
        return;
    };
    let stranger = Stranger::new();
    for gpu in TWO {
        machine.write(&format!("{gpu}/{}", stranger.pid()), "3000");
    }
    let running = machine.start();
    until("it says that it waits", || {
        running
            .stderr()
            .contains("no GPU is free for the next job: waiting for one")
    });
    until("status says why", || machine.state("GPU-aaaa") == "foreign");
    let shown = machine.bench.fiesta(&["status", "study.toml"]).stdout;
    let reason = format!(
        "GPU 0 Stand-in is in use by others: process {} (sleep) uses 3000 MiB",
        stranger.pid()
    );
    assert!(shown.contains(&reason), "{shown}");
    assert!(machine.log().is_empty());
    // It can be left, and it goes on as soon as a GPU is free.
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    let running = machine.start();
    until("it waits again", || machine.state("GPU-bbbb") == "foreign");
    machine.remove(&format!("GPU-bbbb/{}", stranger.pid()));
    running
        .wait()
        .says(code::DONE, &["GPU 1 (Stand-in, GPU-bbbb) is free again"]);
    assert_eq!(
        (machine.began("GPU-aaaa"), machine.began("GPU-bbbb")),
        (0, 10)
    );
}

#[test]
fn a_display_is_no_stranger() {
    let Some(machine) = Machine::new(&["GPU-aaaa"], "", STUDY) else {
        return;
    };
    let (display, service) = (Stranger::new(), Stranger::new());
    machine.write(&format!("GPU-aaaa/{}", display.pid()), "3000 G");
    machine.write(&format!("GPU-aaaa/{}", service.pid()), "30");
    let ran = machine.run();
    ran.says(code::DONE, &[]);
    assert!(!ran.stderr.contains("skipped"), "{ran:?}");
}

/// Tests processes in other containers: they are not listed, but their memory is counted.
#[test]
fn memory_of_processes_out_of_sight_is_somebodys() {
    // Longer altogether than a stranger has to be there to be one.
    let Some(machine) = Machine::new(&TWO, "sleep 0.2", STUDY) else {
        return;
    };
    machine.write("GPU-aaaa/unclaimed", "2000");
    machine.run().says(
        code::DONE,
        &["GPU-aaaa) is skipped: processes out of sight use 2000 MiB"],
    );
    assert_eq!(
        (machine.began("GPU-aaaa"), machine.began("GPU-bbbb")),
        (0, 10)
    );
}

#[test]
fn a_job_that_leaves_its_gpu_for_another_is_named() {
    // It does not heed CUDA_VISIBLE_DEVICES.
    let work = "echo 1000 > \"$NVML_STAND_IN/GPU-bbbb/$$\"; until [ -e go ]; do sleep 0.02; done; rm \"$NVML_STAND_IN/GPU-bbbb/$$\"";
    let study = STUDY.replace("parallel = 2", "parallel = 1");
    let Some(machine) = Machine::new(&TWO, work, &study) else {
        return;
    };
    let first = machine.start();
    until("the first job is astray", || {
        machine
            .bench
            .path("nvml/GPU-bbbb")
            .read_dir()
            .unwrap()
            .count()
            == 1
    });
    first.signal(Signal::KILL);
    first.wait();
    machine
        .bench
        .edit("study.toml", "parallel = 1", "parallel = 2");
    let mut command = machine.command(&["run", "study.toml", "--accept-changes"]);
    command.env_remove("CUDA_VISIBLE_DEVICES");
    let second = Running::start(command);
    until("it is named", || {
        second
            .stderr()
            .contains("of trial-0-a0, which was given another GPU) uses 1000 MiB")
    });
    machine.bench.file("go", "");
    second.wait().says(code::DONE, &[]);
}

#[test]
fn who_wants_to_share_gpus_with_others_can() {
    let study = format!("{STUDY}[executor]\nwatch_gpus = false\n");
    let Some(machine) = Machine::new(&["GPU-aaaa"], "", &study) else {
        return;
    };
    let stranger = Stranger::new();
    machine.write(&format!("GPU-aaaa/{}", stranger.pid()), "3000");
    machine.run().says(code::DONE, &[]);
    assert_eq!(machine.began("GPU-aaaa"), 10);
}

#[test]
fn a_trial_does_not_wait_for_strangers() {
    let Some(machine) = Machine::new(&["GPU-aaaa"], "", STUDY) else {
        return;
    };
    let check = || Running::start(machine.command(&["run", "study.toml", "--check"])).wait();
    let stranger = Stranger::new();
    let file = format!("GPU-aaaa/{}", stranger.pid());
    machine.write(&file, "3000");
    let ran = check();
    let named = format!("process {} (sleep) uses 3000 MiB", stranger.pid());
    ran.says(code::USAGE, &["no GPU is free for a trial", &named]);
    assert!(machine.log().is_empty());
    machine.remove(&file);
    check().says(code::DONE, &[]);
    assert_eq!(machine.began("GPU-aaaa"), 2);
}
