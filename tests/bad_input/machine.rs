//! Studies that are good but for what the machine has.

use super::support::{Bench, Running, STUDY, code};
use std::{fs, os::unix::fs::PermissionsExt};

#[test]
fn a_gpu_where_there_is_none() {
    let study = STUDY.replace("timeout = \"1m\"", "gpus_per_job = 1");
    let bench = Bench::with_study(&study);
    let mut command = bench.command(&["run", "study.toml"]);
    // Also where there is one.
    command.env("CUDA_VISIBLE_DEVICES", "");
    Running::start(command).wait().says(
        code::USAGE,
        &[
            "each job needs 1 GPU, but there is none",
            "lower gpus_per_job",
        ],
    );
    // Nothing has begun, so that the file can be put right.
    bench.edit("study.toml", "gpus_per_job = 1", "gpus_per_job = 0");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

#[test]
fn gpus_that_cannot_be() {
    let with = |gpus: &str| {
        let kind = format!("kind = \"local\"\ngpus = {gpus}");
        Bench::with_study(&STUDY.replace("kind = \"local\"", &kind)).fiesta(&["run", "study.toml"])
    };
    with("[0, 0]").says(code::USAGE, &["the GPU `0` is listed twice"]);
    with("[\"a b\"]").says(code::USAGE, &["`a b` cannot be a GPU", "nvidia-smi -L"]);
}

/// The first arm's job would show that something was run.
const FIRST_WORKS: &str = "echo ran >> ran\necho '{\"accuracy\": 0.5}'\n";

fn unusable(command: &str, says: &[&str]) {
    let bench = Bench::with_job(
        FIRST_WORKS,
        &format!("[[arm]]\nname = \"works\"\n[[arm]]\nname = \"broken\"\ncommand = {command}"),
    );
    bench.file("plain.py", "print(1)\n");
    bench.file("foreign", "\0\0\0\0");
    fs::set_permissions(bench.path("foreign"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::USAGE,
        &[&["the arm `broken` cannot be evaluated"], says].concat(),
    );
    assert_eq!(bench.text("ran"), "", "{command}");
    // Nothing has begun, so that the file can be put right.
    let put_right = "[\"sh\", \"job.sh\"]\n[goal]\nbudget = { evaluations = 4 }";
    bench.edit("study.toml", command, put_right);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

#[test]
fn a_command_that_cannot_be_started_is_noticed_before_anything_is_run() {
    unusable(
        "[\"no-such-program-anywhere\"]",
        &["`no-such-program-anywhere` was not found", "full path"],
    );
    unusable("[\"./missing.sh\"]", &["missing.sh` does not exist"]);
    unusable(
        "[\"./plain.py\"]",
        &["plain.py` is not executable", "chmod +x"],
    );
}

#[test]
fn a_check_shows_which_command_cannot_be_started() {
    let bench = Bench::with_job(
        FIRST_WORKS,
        "[[arm]]\nname = \"works\"\n[[arm]]\nname = \"broken\"\ncommand = [\"no-such-program-anywhere\"]",
    );
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(
        code::ARM_FAILED,
        &["broken: the command `no-such-program-anywhere` was not found"],
    );
    let row = |name: &str| {
        ran.stdout
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
    };
    assert!(
        row("works").contains("0.5") && row("broken").contains("failed"),
        "{ran:?}"
    );
}

#[test]
fn an_arm_s_own_path_is_where_its_program_is_sought() {
    let bench = Bench::with_job(
        FIRST_WORKS,
        "[goal]\nbudget = { evaluations = 4 }\n[[arm]]\nname = \"works\"\n[[arm]]\nname = \"own\"\ncommand = [\"own-program\"]\nenv = { PATH = \"bin:/usr/bin:/bin\" }",
    );
    fs::create_dir(bench.path("bin")).unwrap();
    let program = bench.file("bin/own-program", "#!/bin/sh\necho '{\"accuracy\": 0.4}'\n");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::USAGE, &["`own-program` is not executable"]);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

#[test]
fn a_command_that_is_found_wanting_when_it_is_started_is_not_tried_again() {
    let bench = Bench::with_study(STUDY);
    bench.file("foreign", "\0\0\0\0");
    fs::set_permissions(bench.path("foreign"), fs::Permissions::from_mode(0o755)).unwrap();
    bench.edit(
        "study.toml",
        "command = [\"sh\", \"score.sh\",",
        "command = [\"./foreign\",",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::USAGE,
        &[
            "foreign` is no program for this machine",
            "#!/usr/bin/env python3",
        ],
    );
    assert!(!ran.stderr.contains("tried again"), "{ran:?}");
    // The same with a program that depends on the arm.
    let bench = Bench::with_study(STUDY);
    bench.edit(
        "study.toml",
        "command = [\"sh\", \"score.sh\",",
        "command = [\"./{arm}.sh\",",
    );
    bench.edit("study.toml", "parallel = 2", "parallel = 1");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::USAGE,
        &[
            "the arm `low` cannot be evaluated",
            "low.sh` does not exist",
        ],
    );
}

/// Only the start itself tells that the interpreter is missing. It stops the study, until it is there.
#[test]
fn what_could_not_be_started_is_made_when_it_can_be() {
    let bench = Bench::new();
    let job = bench.file("job.sh", "#!/nowhere/sh\necho '{\"accuracy\": 0.5}'\n");
    fs::set_permissions(&job, fs::Permissions::from_mode(0o755)).unwrap();
    bench.file(
        "study.toml",
        "name = \"trial\"\ncommand = [\"./job.sh\"]\n[goal]\nbudget = { evaluations = 3 }\n[metric]\nname = \"accuracy\"\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::USAGE, &["interpreter"]);
    bench.edit("job.sh", "/nowhere/sh", "/bin/sh");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming"]);
}
