//! Tests of memory that an ended job still holds, and of GPUs that stop answering.

use super::{
    stand_in::{Machine, Stranger},
    support::{code, until},
};
use rustix::process::Signal;
use std::{
    fs, thread,
    time::{Duration, Instant},
};

/// Part of a job's script: the first job kills itself while it holds its GPU, all others succeed.
const FIRST_IS_KILLED: &str =
    "if mkdir killed 2>/dev/null; then echo $$ > victim; kill -9 $$; fi\n";

fn study(more: &str) -> String {
    format!(
        "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"uniform\"\nparallel = 2\n[resources]\ngpus_per_job = 1\nretries = 2\n{more}"
    )
}

#[test]
fn a_killed_jobs_memory_is_waited_for_while_the_other_gpu_goes_on() {
    let Some(machine) = Machine::new(&["GPU-aaaa", "GPU-bbbb"], FIRST_IS_KILLED, &study("")) else {
        return;
    };
    let running = machine.start();
    until("the first job was killed", || {
        machine.bench.path("victim").exists()
    });
    let victim = machine.bench.text("victim").trim().to_owned();
    let on = |gpu: &str| machine.bench.path("nvml").join(gpu).join(&victim).exists();
    let (held, other) = if on("GPU-aaaa") {
        ("GPU-aaaa", "GPU-bbbb")
    } else {
        ("GPU-bbbb", "GPU-aaaa")
    };
    until("the GPU waits for its memory", || {
        machine.state(held) == "waiting"
    });
    until("the other GPU goes on", || machine.began(other) >= 6);
    assert_eq!(machine.began(held), 1, "{:?}", machine.log());
    machine.remove(&format!("{held}/{victim}"));
    let ran = running.wait();
    ran.says(code::DONE, &["tried again: killed by signal 9"]);
    assert!(
        machine.began(held) > 1 || machine.began(other) == 12,
        "{ran:?}"
    );
    // It came in time: nobody needs to know.
    assert!(!ran.stderr.contains("put aside"), "{ran:?}");
}

#[test]
fn the_only_gpu_is_waited_for() {
    let Some(machine) = Machine::new(&["GPU-aaaa"], FIRST_IS_KILLED, &study("")) else {
        return;
    };
    let running = machine.start();
    until("the GPU waits for its memory", || {
        machine.state("GPU-aaaa") == "waiting"
    });
    assert_eq!(machine.began("GPU-aaaa"), 1);
    let victim = machine.bench.text("victim");
    machine.remove(&format!("GPU-aaaa/{}", victim.trim()));
    running.wait().says(code::DONE, &[]);
    assert_eq!(machine.began("GPU-aaaa"), 13);
}

/// Tests that GPU memory of no visible process is compared with its amount before the job.
#[test]
fn memory_without_a_process_is_waited_for() {
    let work =
        "if mkdir first 2>/dev/null; then echo 4000 > \"$NVML_STAND_IN/GPU-aaaa/unclaimed\"; fi\n";
    let Some(machine) = Machine::new(&["GPU-aaaa"], work, &study("")) else {
        return;
    };
    // As on any GPU that draws the screen.
    machine.write("GPU-aaaa/unclaimed", "300");
    let running = machine.start();
    until("the GPU waits for its memory", || {
        machine.state("GPU-aaaa") == "waiting"
    });
    assert_eq!(machine.began("GPU-aaaa"), 1);
    machine.write("GPU-aaaa/unclaimed", "500");
    running.wait().says(code::DONE, &[]);
}

#[test]
#[ignore = "waits for half a minute, as the program does: scripts/test heavy"]
fn memory_that_is_not_freed_puts_the_gpu_into_quarantine_and_free_it_is_used_again() {
    let Some(machine) = Machine::new(&["GPU-aaaa"], FIRST_IS_KILLED, &study("")) else {
        return;
    };
    let running = machine.start();
    let waits = || machine.state("GPU-aaaa") == "quarantined";
    assert!(super::support::within(Duration::from_secs(50), waits));
    let victim = machine.bench.text("victim");
    let victim = victim.trim();
    let said = running.stderr();
    for words in [
        &format!(
            "put aside: process {victim} (ended, or out of sight) uses 1000 MiB, 30 s after the last run ended"
        ),
        "no GPU is free for the next job",
        "watch_gpus = false",
    ] {
        assert!(said.contains(words), "{words} is missing in {said}");
    }
    assert_eq!(machine.began("GPU-aaaa"), 1);
    machine.remove(&format!("GPU-aaaa/{victim}"));
    running.wait().says(code::DONE, &["is free again"]);
    assert_eq!(machine.began("GPU-aaaa"), 13);
}

#[test]
fn a_gpu_that_falls_off_the_bus_is_put_aside_until_it_answers() {
    // Long enough that the study goes on while it is looked at.
    let work = "until [ -e go ]; do sleep 0.02; done\nsleep 0.3\n";
    let Some(machine) = Machine::new(&["GPU-aaaa", "GPU-bbbb"], work, &study("")) else {
        return;
    };
    let running = machine.start();
    until("both GPUs work", || {
        machine.began("GPU-aaaa") + machine.began("GPU-bbbb") == 2
    });
    machine.write("GPU-aaaa/lost", "");
    machine.bench.file("go", "");
    until("the GPU is put aside", || {
        machine.state("GPU-aaaa") == "quarantined"
    });
    until("the other GPU goes on", || machine.began("GPU-bbbb") >= 8);
    let said = running.stderr();
    assert!(
        said.contains("put aside: the GPU driver does not say: NVML: device fell off the bus"),
        "{said}"
    );
    assert_eq!(machine.began("GPU-aaaa"), 1);
    machine.remove("GPU-aaaa/lost");
    running.wait().says(code::DONE, &[]);
}

/// Tests that a wait for the driver at a study's start is reported, and ended by a signal.
#[test]
fn a_wait_for_the_driver_at_first_is_said_and_ends_at_a_signal() {
    let Some(machine) = Machine::new(&["GPU-aaaa"], "", &study("")) else {
        return;
    };
    machine.write("hangs", "");
    let running = machine.start();
    let told = "the driver of the GPUs has not answered yet";
    until("the wait is said", || running.stderr().contains(told));
    let began = Instant::now();
    running.signal(Signal::TERM);
    running.wait().says(code::INTERRUPTED, &[told]);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
#[ignore = "waits for several seconds, as the program does: scripts/test heavy"]
fn a_driver_that_hangs_keeps_nobody() {
    let work = "until [ -e go ]; do sleep 0.02; done\n";
    let Some(machine) = Machine::new(&["GPU-aaaa"], work, &study("")) else {
        return;
    };
    let running = machine.start();
    until("the GPU works", || machine.began("GPU-aaaa") == 1);
    machine.write("GPU-aaaa/slow", "");
    machine.bench.file("go", "");
    until("the GPU is put aside", || {
        machine.state("GPU-aaaa") == "quarantined"
    });
    let said = running.stderr();
    assert!(
        said.contains("the GPU driver does not say: it does not answer"),
        "{said}"
    );
    // Still there for whoever asks.
    running.signal(Signal::INT);
    running
        .wait()
        .says(code::INTERRUPTED, &["goes on from here"]);
}

/// Tests that the next controller knows the processes on a GPU: of a run that it finds again, and
/// of one that ended without a controller.
#[test]
fn after_a_killed_controller_runs_keep_their_gpu_and_what_they_left_is_waited_for() {
    // The first is killed on request, and leaves its memory behind; the second goes on.
    let work = "if mkdir first 2>/dev/null; then echo $$ > victim; until [ -e kill ]; do sleep 0.02; done; kill -9 $$; fi
if mkdir second 2>/dev/null; then until [ -e go ]; do sleep 0.02; done; fi\n";
    let gpus = ["GPU-aaaa", "GPU-bbbb"];
    let Some(machine) = Machine::new(&gpus, work, &study("")) else {
        return;
    };
    let first = machine.start();
    until("both GPUs work", || {
        machine.log().len() == 2
            && machine.bench.path("second").exists()
            && machine.bench.text("victim").ends_with('\n')
    });
    first.signal(Signal::KILL);
    first.wait();
    let victim = machine.bench.text("victim").trim().to_owned();
    machine.bench.file("kill", "");
    until("the first job is gone", || {
        !super::support::is_alive(&victim)
    });
    let has_ended = || {
        let runs = fs::read_dir(machine.bench.path("study.fiesta/runs")).unwrap();
        runs.filter(|run| run.as_ref().unwrap().path().join("end.json").exists())
            .count()
            == 1
    };
    until("its end is written down", has_ended);
    // What a dead controller said is not believed; what still runs is seen.
    let slots = machine.slots();
    assert_eq!(slots.len(), 1, "{slots:?}");
    assert_eq!(slots[0]["state"], "busy");
    let second = machine.start();
    let waits = |state: &str| gpus.iter().any(|gpu| machine.state(gpu) == state);
    until("the killed job's memory is waited for", || {
        waits("waiting") || waits("foreign")
    });
    thread::sleep(Duration::from_millis(300));
    // Neither GPU was given away: one is in use, one is held.
    assert_eq!(machine.log().len(), 2, "{:?}", machine.log());
    for gpu in gpus {
        let held = machine.bench.path("nvml").join(gpu).join(&victim);
        if held.exists() {
            fs::remove_file(held).unwrap();
        }
    }
    machine.bench.file("go", "");
    second.wait().says(code::DONE, &[]);
    drop(Stranger::new());
}
