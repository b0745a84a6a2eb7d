//! Tests of the GPUs that the driver names, and of requests that are refused before anything runs.

use super::{
    stand_in::{Machine, most_at_once},
    support::{Ran, Running, code},
};

const ONE_EACH: &str =
    "[goal]\nbudget = { evaluations = 8 }\n[design]\nparallel = 4\n[resources]\ngpus_per_job = 1\n";
const TWO: [&str; 2] = ["GPU-aaaa", "GPU-bbbb"];

fn devices(log: &[Vec<String>]) -> Vec<&str> {
    let mut devices: Vec<&str> = log.iter().map(|line| line[3].as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    devices
}

#[test]
fn gpus_that_only_the_driver_knows_are_used_one_job_each() {
    let Some(machine) = Machine::new(&TWO, "sleep 0.1", ONE_EACH) else {
        return;
    };
    machine.run().says(code::DONE, &[]);
    let log = machine.log();
    assert_eq!(devices(&log), ["gpu:GPU-aaaa", "gpu:GPU-bbbb"]);
    assert!(most_at_once(&log, |_| 1.0) <= 1.0);
    // A UUID means the same in every order.
    assert!(log.iter().all(|line| line[4] == "order:"));
}

#[test]
fn instances_of_a_divided_gpu_are_gpus() {
    let Some(machine) = Machine::new(&["GPU-aaaa"], "sleep 0.1", ONE_EACH) else {
        return;
    };
    machine.write("GPU-aaaa/instances", "MIG-1\nMIG-2\n");
    for instance in ["MIG-1", "MIG-2"] {
        std::fs::create_dir(machine.bench.path("nvml").join(instance)).unwrap();
    }
    machine.run().says(code::DONE, &[]);
    let log = machine.log();
    assert_eq!(devices(&log), ["gpu:MIG-1", "gpu:MIG-2"]);
    assert!(most_at_once(&log, |_| 1.0) <= 1.0);
}

/// Tests that numbers in the study file are nvidia-smi's, and get CUDA's meaning in variables.
#[test]
fn numbers_of_the_study_are_nvidia_smis() {
    let study = format!("{ONE_EACH}[executor]\ngpus = [1]\n");
    let Some(machine) = Machine::new(&TWO, "", &study) else {
        return;
    };
    std::fs::create_dir(machine.bench.path("nvml/1")).unwrap();
    machine.run().says(code::DONE, &[]);
    let log = machine.log();
    assert!(
        log.iter()
            .all(|line| (&*line[3], &*line[4]) == ("gpu:1", "order:PCI_BUS_ID")),
        "{log:?}"
    );
}

fn with_visible(machine: &Machine, visible: &str) -> Ran {
    let mut command = machine.command(&["run", "study.toml"]);
    command.env("CUDA_VISIBLE_DEVICES", visible);
    Running::start(command).wait()
}

#[test]
fn numbers_of_the_environment_are_cudas() {
    let Some(machine) = Machine::new(&TWO, "", ONE_EACH) else {
        return;
    };
    std::fs::create_dir(machine.bench.path("nvml/1")).unwrap();
    // Which of two unequal GPUs is CUDA's number 1, nobody can tell.
    machine.write("gpus", "GPU-aaaa|Slow|10000\nGPU-bbbb|Fast|10000\n");
    let ran = with_visible(&machine, "1");
    ran.says(
        code::DONE,
        &["GPU 1 is used without a look at who else uses it", "UUID"],
    );
    let log = machine.log();
    assert!(
        log.iter()
            .all(|line| (&*line[3], &*line[4]) == ("gpu:1", "order:")),
        "{log:?}"
    );
}

#[test]
fn gpus_that_the_driver_does_not_know_are_refused_before_anything_runs() {
    for (gpus, says) in [
        (
            "[0, 5]",
            "no GPU `5` here (there is 0: GPU-aaaa Stand-in, 1: GPU-bbbb Stand-in)",
        ),
        ("[\"GPU-cccc\"]", "no GPU `GPU-cccc` here"),
        ("[0, \"GPU-aaaa\"]", "`0` and `GPU-aaaa` are the same GPU"),
    ] {
        let study = format!("{ONE_EACH}[executor]\ngpus = {gpus}\n");
        let Some(machine) = Machine::new(&TWO, "", &study) else {
            return;
        };
        machine.run().says(code::USAGE, &[says]);
        assert!(machine.log().is_empty());
        assert!(!machine.bench.path("study.fiesta/slots.json").exists());
        // Nothing has begun, so that the file can be put right.
        machine.bench.edit("study.toml", "gpus_per_job = 1", "");
        machine.run().says(code::DONE, &[]);
    }
}

#[test]
fn fewer_gpus_than_a_job_needs() {
    let study = ONE_EACH.replace("gpus_per_job = 1", "gpus_per_job = 3");
    let Some(machine) = Machine::new(&TWO, "", &study) else {
        return;
    };
    machine.run().says(
        code::USAGE,
        &["each job needs 3 GPUs, but there are only 2 (GPU-aaaa, GPU-bbbb)"],
    );
    assert!(machine.log().is_empty());
}

/// Tests a driver that fails until the machine restarts, as after an update.
#[test]
fn a_driver_that_does_not_work_is_named() {
    let Some(machine) = Machine::new(&TWO, "", ONE_EACH) else {
        return;
    };
    machine.write("init", "18");
    machine.run().says(
        code::USAGE,
        &["the GPU driver does not say: NVML:", "[executor] gpus"],
    );
    assert!(machine.log().is_empty());
    let ran = with_visible(&machine, "GPU-aaaa");
    ran.says(
        code::DONE,
        &[
            "the GPU driver does not say: NVML:",
            "without a look at who else uses them",
        ],
    );
}

#[test]
fn a_study_that_needs_no_gpu_does_not_wake_the_driver() {
    for none in ["", "gpus_per_job = 0"] {
        let study = ONE_EACH.replace("gpus_per_job = 1", none);
        let Some(machine) = Machine::new(&TWO, "", &study) else {
            return;
        };
        machine.write("init", "18");
        let ran = machine.run();
        ran.says(code::DONE, &[]);
        assert!(!ran.stderr.contains("NVML"), "{ran:?}");
        assert!(!machine.bench.path("study.fiesta/slots.json").exists());
    }
}
