//! Errors of hosts that cannot be used, in ssh's own words.

use super::{InLab, Lab, uniform};
use crate::support::code;
use std::time::Duration;

/// A study on these hosts, with a change of its file; it must stop and say this.
fn refused(hosts: &str, change: impl FnOnce(&InLab), said: &[&str]) {
    let Some(lab) = Lab::start() else {
        return;
    };
    let there = InLab::new(lab, &uniform(6), hosts);
    change(&there);
    let running = there.start(&["run", "study.toml"]);
    let ran = running.wait_for(Duration::from_secs(40));
    ran.says(code::USAGE, said);
    assert_eq!(there.bench.log("answered").len(), 0);
    there.nothing_is_left();
}

#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_name_that_is_none() {
    refused(
        "hosts = [\"nowhere.invalid\"]",
        |_| {},
        &[
            "ssh refuses the job: nowhere.invalid: ssh: Could not resolve hostname nowhere.invalid",
            "~/.ssh/config",
        ],
    );
}

#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_key_that_is_refused() {
    refused(
        "hosts = [\"h1\", \"h2\"]",
        |there| {
            let (own, strange) = (there.lab.path("key"), there.lab.path("strange_key"));
            std::fs::copy(strange, own).unwrap();
            std::fs::remove_file(there.lab.path("key.pub")).unwrap();
        },
        &[
            "h1: root@10.99.1.2: Permission denied (publickey)",
            "h2: root@10.99.2.2: Permission denied (publickey)",
            "ssh -o BatchMode=yes h1 true",
        ],
    );
}

#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_host_whose_key_is_unknown() {
    refused(
        "hosts = [\"h1\"]",
        |there| {
            std::fs::write(there.lab.path("known_hosts"), "").unwrap();
        },
        &[
            "Host key verification failed",
            "connect by hand once (ssh h1)",
        ],
    );
}

#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_program_that_is_not_there() {
    refused(
        "hosts = [\"h1\"]\nprogram = \"nowhere/fiesta\"",
        |_| {},
        &[
            "nowhere/fiesta: not found",
            "the study's directory must be seen by all hosts",
        ],
    );
}

/// The program cannot be loaded there, as with a C library that is too old.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_program_for_a_later_library() {
    refused(
        "hosts = [\"h1\"]\nprogram = \"fiesta-new\"",
        |there| {
            // What the loader says then.
            there.bench.file("fiesta-new", "#!/bin/sh\necho \"$0: /lib/x86_64-linux-gnu/libc.so.6: version \\`GLIBC_2.99' not found (required by $0)\" >&2\nexit 1\n");
            std::process::Command::new("chmod")
                .arg("+x")
                .arg(there.bench.path("fiesta-new"))
                .status()
                .unwrap();
        },
        &["GLIBC_2.99' not found", "build a static one"],
    );
}

#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_command_that_is_not_there() {
    refused(
        "hosts = [\"h1\"]",
        |there| {
            there.bench.edit(
                "study.toml",
                "command = [\"sh\"",
                "command = [\"no-such-command\"",
            );
        },
        &["the command `no-such-command` was not found"],
    );
}

#[test]
#[ignore = "a lab: scripts/test ssh"]
fn more_gpus_than_any_host_has() {
    refused(
        "hosts = [{ host = \"h1\", gpus = 2 }, \"h2\"]",
        |there| {
            there
                .bench
                .edit("study.toml", "retries = 0", "gpus_per_job = 4, retries = 0");
        },
        &["it needs 4 GPUs", "h1 has 2, h2 has 0"],
    );
}

/// One host of several is no reason to stop: it is told, and the others go on.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_host_that_never_answers_is_left_out() {
    let Some(lab) = Lab::start() else {
        return;
    };
    let there = InLab::new(
        lab,
        &uniform(18),
        "hosts = [\"h9\", \"nowhere.invalid\", { host = \"h2\", slots = 3 }]",
    );
    let ran = there.run();
    ran.says(
        code::DONE,
        &[
            "h9 cannot be used: ssh: connect to host 10.99.1.9 port 22",
            "nowhere.invalid cannot be used: ssh: Could not resolve hostname",
        ],
    );
    there.audit(18);
    let began = there.bench.log("began");
    assert!(began.iter().all(|line| line[3] == "h2"), "{began:?}");
}
