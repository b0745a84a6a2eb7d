//! Tests of valid studies on machines that lack something that they need.

use super::support::{Bench, Running, STUDY, code};
use std::{
    fs::{self, OpenOptions, Permissions},
    io::{Read, pipe},
    os::{fd::AsFd, unix::fs::PermissionsExt},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

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

/// Job of the first arm, which leaves a file if it is run.
const FIRST_WORKS: &str = "echo ran >> ran\necho '{\"accuracy\": 0.5}'\n";

fn unusable(command: &str, says: &[&str]) {
    let bench = Bench::with_job(
        FIRST_WORKS,
        &format!("[[arm]]\nname = \"works\"\n[[arm]]\nname = \"broken\"\ncommand = {command}"),
    );
    bench.file("plain.py", "print(1)\n");
    bench.file("foreign", "\0\0\0\0");
    fs::set_permissions(bench.path("foreign"), Permissions::from_mode(0o755)).unwrap();
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
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

#[test]
fn a_command_that_is_found_wanting_when_it_is_started_is_not_tried_again() {
    let bench = Bench::with_study(STUDY);
    bench.file("foreign", "\0\0\0\0");
    fs::set_permissions(bench.path("foreign"), Permissions::from_mode(0o755)).unwrap();
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

/// Tests that an interpreter which turns out to be missing when a job starts stops the study until
/// it is installed.
#[test]
fn what_could_not_be_started_is_made_when_it_can_be() {
    let bench = Bench::new();
    let job = bench.file("job.sh", "#!/nowhere/sh\necho '{\"accuracy\": 0.5}'\n");
    fs::set_permissions(&job, Permissions::from_mode(0o755)).unwrap();
    bench.file(
        "study.toml",
        "name = \"trial\"\ncommand = [\"./job.sh\", \"{arm}\"]\n[goal]\nbudget = { evaluations = 3 }\n[metric]\nname = \"accuracy\"\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::USAGE, &["interpreter"]);
    bench.edit("job.sh", "/nowhere/sh", "/bin/sh");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming"]);
}

/// Calls of the verbs that show a study.
const LOOKS: [&[&str]; 3] = [
    &["status", "study.toml"],
    &["export", "study.toml"],
    &["report", "study.toml", "--formats", "svg"],
];

#[test]
fn a_file_where_the_study_s_directory_is_to_be() {
    let bench = Bench::with_study(STUDY);
    bench.file("study.fiesta", "somebody's notes\n");
    for arguments in LOOKS.into_iter().chain([
        &["run", "study.toml"][..],
        &["run", "study.toml", "--check"],
    ]) {
        bench
            .fiesta(arguments)
            .says(code::USAGE, &["study.fiesta", ""]);
    }
    bench.fiesta(&["run", "study.toml"]).says(
        code::USAGE,
        &["there is a file of this name", "move it away"],
    );
    assert_eq!(bench.text("study.fiesta"), "somebody's notes\n");
}

#[test]
fn a_damaged_ledger() {
    let bench = Bench::with_study(STUDY);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.file(
        "study.fiesta/ledger.db",
        &"not a database at all\n".repeat(99),
    );
    for arguments in LOOKS.into_iter().chain([&["run", "study.toml"][..]]) {
        bench
            .fiesta(arguments)
            .says(code::USAGE, &["study.fiesta/ledger.db", "is damaged"]);
    }
}

/// Tests missing permissions on another user's ledger, whether its directory may be listed or not.
#[test]
fn permissions_that_are_missing() {
    if rustix::process::geteuid().is_root() && !can_be_nobody() {
        crate::support::skipped("root has every permission, and setpriv is missing");
        return;
    }
    let bench = Bench::with_study(STUDY);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let set = |name: &str, mode| {
        fs::set_permissions(bench.path(name), Permissions::from_mode(mode)).unwrap();
    };
    set("", 0o755);
    set("study.fiesta", 0o700);
    for arguments in LOOKS {
        as_nobody(&bench, arguments).says(code::USAGE, &["study.fiesta", "Permission denied"]);
    }
    let is_refused = || {
        as_nobody(&bench, &["run", "study.toml"])
            .says(code::USAGE, &["study.fiesta", "belongs to user"]);
    };
    is_refused();
    set("study.fiesta", 0o755);
    for arguments in LOOKS {
        as_nobody(&bench, arguments).says(
            code::USAGE,
            &["study.fiesta/ledger.db", "Permission denied"],
        );
    }
    is_refused();
    set("study.toml", 0o600);
    as_nobody(&bench, &["status", "study.toml"])
        .says(code::USAGE, &["study.toml", "Permission denied"]);
}

fn can_be_nobody() -> bool {
    let tried = Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups", "true"])
        .status();
    tried.is_ok_and(|status| status.success())
}

fn as_nobody(bench: &Bench, arguments: &[&str]) -> super::support::Ran {
    let inner = bench.command(arguments);
    if !rustix::process::geteuid().is_root() {
        return Running::start(inner).wait();
    }
    // The program itself may be where nobody else may look.
    let program = bench.path("fiesta");
    if !program.exists() {
        fs::copy(inner.get_program(), &program).unwrap();
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--clear-groups"])
        .arg(&program)
        .args(inner.get_args())
        .current_dir(bench.path(""));
    Running::start(command).wait()
}

/// Returns a file of scores with `arms` arms.
fn scores(arms: u32) -> String {
    let rows: Vec<String> = (0..arms).map(|arm| format!("{arm},0.5\n")).collect();
    format!("arm,score\n{}", rows.concat())
}

/// Tests standard outputs that cannot be written to: a full disk, a pipe that is full for a while,
/// a closed pipe, and none at all.
#[test]
fn a_standard_output_that_takes_nothing() {
    let bench = Bench::with_study(STUDY);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let verbs = [
        &["status", "study.toml"][..],
        &["export", "study.toml"],
        &["run", "study.toml"],
        &["generate", "completions", "bash"],
    ];
    for arguments in verbs {
        let to = |stdout: Stdio| {
            let mut command = bench.command(arguments);
            let child = command.stdout(stdout).stderr(Stdio::piped()).spawn();
            let output = child.unwrap().wait_with_output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
            (output.status.code(), stderr)
        };
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (exit, stderr) = to(full.into());
        assert_eq!(exit, Some(code::USAGE), "{arguments:?}: {stderr}");
        assert!(
            stderr.contains("the standard output") && stderr.contains("No space left"),
            "{stderr}"
        );
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        assert_eq!(to(writer.into()).0, Some(code::DONE), "{arguments:?}");
    }
    // Of a pipe that never blocks and is slow to be read, nothing is lost.
    bench.file("scores.csv", &scores(20_000));
    let expected = bench.fiesta(&["export", "scores.csv"]).stdout;
    let (mut reader, writer) = pipe().unwrap();
    let flags = rustix::fs::fcntl_getfl(writer.as_fd()).unwrap();
    rustix::fs::fcntl_setfl(writer.as_fd(), flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    let mut command = bench.command(&["export", "scores.csv"]);
    let mut child = command.stdout(writer).spawn().unwrap();
    drop(command);
    thread::sleep(Duration::from_millis(500));
    let mut printed = String::new();
    reader.read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(code::DONE));
    assert!(printed == expected && expected.lines().count() > 20_000);
}

/// Runs the program from a shell that first sets these limits on itself.
fn limited(bench: &Bench, limits: &str, arguments: &[&str]) -> super::support::Ran {
    let inner = bench.command(arguments);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")])
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(bench.path(""));
    Running::start(command).wait()
}

#[test]
fn limits_that_are_too_low() {
    // From some number of open files on they suffice; below it nothing may wait for what nobody
    // gives back.
    let with_open_files = |most: u32| {
        let bench = Bench::with_study(STUDY);
        limited(&bench, &format!("ulimit -n {most}"), &["run", "study.toml"])
    };
    let runs: Vec<_> = (4..64)
        .step_by(3)
        .map(|most| (most, thread::spawn(move || with_open_files(most))))
        .collect();
    let mut suffices = false;
    for (most, run) in runs {
        let ran = run.join().unwrap();
        suffices |= ran.code == Some(code::DONE);
        if !suffices {
            assert_eq!(ran.code, Some(code::USAGE), "{most}: {ran:?}");
            assert!(
                ran.stderr.to_lowercase().contains("open"),
                "{most}: {ran:?}"
            );
        }
    }
    assert!(suffices);
    let bench = Bench::with_study(STUDY);
    // In blocks of 512 or 1024 bytes: the ledger is larger.
    let ran = limited(&bench, "ulimit -f 8", &["run", "study.toml"]);
    ran.says(code::USAGE, &["study.fiesta", "ulimit -f"]);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    // To read takes no file of that size.
    limited(
        &bench,
        "ulimit -f 8",
        &["export", "study.toml", "-o", "out.csv"],
    )
    .says(code::DONE, &[]);
    bench.file("scores.csv", &scores(2_000));
    limited(
        &bench,
        "ulimit -f 8",
        &["export", "scores.csv", "-o", "out.csv"],
    )
    .says(code::USAGE, &["out.csv", "too large"]);
    // Nothing was damaged.
    bench
        .fiesta(&["status", "study.toml"])
        .says(code::DONE, &[]);
}
