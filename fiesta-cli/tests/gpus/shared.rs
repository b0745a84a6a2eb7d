//! Tests of jobs that need a fraction of a GPU, beside jobs that need several GPUs.

use super::{
    stand_in::{Machine, most_at_once},
    support::{code, until},
};

fn study(gpus_per_job: &str, parallel: usize) -> String {
    format!(
        "[goal]\nbudget = {{ evaluations = 16 }}\n[design]\npolicy = \"uniform\"\nparallel = {parallel}\n[resources]\n{gpus_per_job}\n"
    )
}

#[test]
fn jobs_that_share_a_gpu_are_no_strangers_to_each_other() {
    let work = "sleep 0.05\nif [ ! -e go ]; then until [ -e go ]; do sleep 0.02; done; fi";
    let Some(machine) = Machine::new(&["GPU-aaaa"], work, &study("gpus_per_job = 0.5", 4)) else {
        return;
    };
    let running = machine.start();
    until("two jobs are on the GPU", || machine.began("GPU-aaaa") == 2);
    let slots = machine.slots();
    assert_eq!(slots.len(), 1, "{slots:?}");
    assert_eq!(slots[0]["runs"].as_array().unwrap().len(), 2, "{slots:?}");
    machine.bench.file("go", "");
    let ran = running.wait();
    ran.says(code::DONE, &[]);
    assert!(!ran.stderr.contains("GPU"), "{ran:?}");
    assert!((most_at_once(&machine.log(), |_| 0.5) - 1.0).abs() < 1e-9);
}

/// Tests a job without a marker, as of a program that overwrites its environment with a title.
#[test]
fn jobs_without_their_marker_are_no_strangers_either() {
    let work = "until [ -e go ]; do sleep 0.02; done";
    let Some(machine) = Machine::new(&["GPU-aaaa"], work, &study("gpus_per_job = 0.5", 2)) else {
        return;
    };
    let again = "ARM=$1\n[ -z \"$FIESTA_RUN\" ] || exec env -u FIESTA_RUN -u FIESTA_RESULT sh job.sh \"$@\"\n";
    machine.bench.edit("job.sh", "ARM=$1\n", again);
    let running = machine.start();
    until("two jobs are on the GPU", || machine.began("GPU-aaaa") == 2);
    machine.bench.file("go", "");
    let ran = running.wait();
    ran.says(code::DONE, &[]);
    assert!(!ran.stderr.contains("GPU"), "{ran:?}");
}

/// Tests that half a GPU is not given away while an ended job's memory is still on the GPU.
#[test]
fn memory_of_the_job_beside_is_waited_for() {
    let work = "until [ -e go-$FIESTA_RUN ] || [ -e go ]; do sleep 0.02; done
if mkdir killed 2>/dev/null; then echo $$ > victim; kill -9 $$; fi\n";
    let Some(machine) = Machine::new(
        &["GPU-aaaa"],
        work,
        &study("gpus_per_job = 0.5\nretries = 2", 2),
    ) else {
        return;
    };
    let running = machine.start();
    until("two jobs are on the GPU", || machine.began("GPU-aaaa") == 2);
    machine.bench.file("go-trial-0-a0", "");
    until("the GPU waits for its memory", || {
        machine.state("GPU-aaaa") == "waiting"
    });
    assert_eq!(machine.began("GPU-aaaa"), 2);
    let slots = machine.slots();
    assert_eq!(slots[0]["runs"].as_array().unwrap().len(), 1, "{slots:?}");
    let victim = machine.bench.text("victim").trim().to_owned();
    machine.remove(&format!("GPU-aaaa/{victim}"));
    until("the next job is on the GPU", || {
        machine.began("GPU-aaaa") == 3
    });
    machine.bench.file("go", "");
    running.wait().says(code::DONE, &[]);
}

#[test]
fn arms_with_other_needs_never_overfill_a_gpu_nor_overtake() {
    let arms = "[[arm]]\nname = \"third\"\ngpus_per_job = 0.33\n[[arm]]\nname = \"one\"\n[[arm]]\nname = \"three\"\ngpus_per_job = 3\n[[arm]]\nname = \"none\"\ngpus_per_job = 0\n";
    let gpus = ["GPU-aaaa", "GPU-bbbb", "GPU-cccc"];
    let Some(machine) =
        Machine::with_arms(&gpus, "sleep 0.05", &study("gpus_per_job = 1", 8), arms)
    else {
        return;
    };
    machine.run().says(code::DONE, &[]);
    let log = machine.log();
    assert_eq!(log.len(), 32, "{log:?}");
    let share = |arm: &str| match arm {
        "third" => 1.0 / 3.0,
        "none" => 0.0,
        _ => 1.0,
    };
    assert!(most_at_once(&log, share) < 1.0 + 1e-9, "{log:?}");
    // Of those that want GPUs, whoever was decided first began first: three at once are never
    // passed over.
    let wanting = log
        .iter()
        .filter(|line| line[0] == "start" && line[2] != "none");
    let number = |run: &str| -> u64 { run.split('-').nth(1).unwrap().parse().unwrap() };
    let order: Vec<u64> = wanting.map(|line| number(&line[5])).collect();
    let big = log
        .iter()
        .filter(|line| line[0] == "start" && line[2] == "three");
    for big in big.map(|line| number(&line[5])) {
        let place = order.iter().position(|&other| other == big).unwrap();
        assert!(
            order[..place].iter().all(|&other| other < big),
            "{big} was overtaken in {order:?}"
        );
    }
}
