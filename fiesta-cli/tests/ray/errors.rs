//! Tests of requests that Ray cannot meet, and of a Ray that does not answer.

use super::{OnRay, head, uniform};
use crate::support::{code, until, within};
use head::Head;
use rustix::process::Signal;
use std::{fs, path::Path, time::Duration};

#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn more_than_any_node_has() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let rest = uniform(6).replace("retries = 2", "gpus_per_job = 8, retries = 2");
    let there = OnRay::new(head, &rest);
    let running = there.bench.start(&["run", "study.toml"]);
    let said = || {
        running
            .stderr()
            .contains("no node of the cluster has what it asks for")
    };
    assert!(within(Duration::from_mins(1), said), "{}", running.stderr());
    assert!(
        running.stderr().contains("4 jobs wait in Ray: no node of the cluster has what it asks for (CPU 1, GPU 8); there are nodes with CPU 4, GPU 2"),
        "{}",
        running.stderr()
    );
    running.signal(Signal::INT);
    running
        .wait_for(Duration::from_secs(30))
        .says(code::INTERRUPTED, &[]);
    assert!(there.bench.log("began").is_empty());
}

#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn a_runtime_environment_that_cannot_be_made() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let env = "runtime_env = { working_dir = \"file:///nowhere/code.zip\" }";
    let there = OnRay::at(head, &head.address(), &uniform(6), env);
    there.start().wait_for(Duration::from_mins(2)).says(
        code::USAGE,
        &[
            "runtime_env setup failed",
            "nowhere/code.zip",
            "correct runtime_env under [executor]",
        ],
    );
}

#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn a_program_that_is_not_there() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let there = OnRay::at(
        head,
        &head.address(),
        &uniform(6),
        "program = \"nowhere/fiesta\"",
    );
    there.start().wait_for(Duration::from_mins(2)).says(
        code::USAGE,
        &["fiesta did not begin there", "nowhere/fiesta", "not found"],
    );
}

#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn nobody_at_the_address() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let nobody = format!("http://127.0.0.1:{}", head::free_port());
    let there = OnRay::at(head, &nobody, &uniform(6), "");
    there.start().wait_for(Duration::from_secs(30)).says(
        code::USAGE,
        &[
            "Ray cannot be asked",
            &nobody,
            "Connection refused",
            "correct `address` under [executor]",
        ],
    );
    let other = format!("{}/elsewhere", head.address());
    let there = OnRay::at(head, &other, &uniform(6), "");
    there.start().wait_for(Duration::from_secs(30)).says(
        code::USAGE,
        &[
            "404",
            "is `address` under [executor] that of Ray's dashboard?",
        ],
    );
}

/// Tests that a study runs on a cluster with the right token, which is written nowhere.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn a_cluster_with_a_token() {
    const TOKEN: &str = "b5f0a3a0e1dd4c1d9b36a8a2b0c7d4e5b5f0a3a0e1dd4c1d";
    head::alone();
    let Some(head) = Head::with_token(Some(TOKEN)) else {
        return;
    };
    let there = OnRay::new(&head, &uniform(6));
    let with = |token: Option<&str>| {
        let mut command = there.bench.command(&["run", "study.toml", "--quiet"]);
        command
            .env_remove("RAY_AUTH_MODE")
            .env_remove("RAY_AUTH_TOKEN")
            .env("HOME", there.bench.path(""));
        command.envs(token.map(|token| ("RAY_AUTH_TOKEN", token)));
        crate::support::Running::start(command)
    };
    with(None).wait().says(
        code::USAGE,
        &["401", "Missing authentication token", "RAY_AUTH_TOKEN"],
    );
    with(Some("another")).wait().says(
        code::USAGE,
        &["403", "Invalid authentication token", "~/.ray/auth_token"],
    );
    let running = with(Some(TOKEN));
    until("jobs have begun", || !there.bench.log("began").is_empty());
    for pid in head::pids() {
        let command = head::command_of(pid);
        assert!(!command.contains(TOKEN), "{command}");
    }
    running
        .wait_for(Duration::from_mins(2))
        .says(code::DONE, &[]);
    there.audit(6);
    assert!(
        !is_in(&there.bench.path(""), TOKEN.as_bytes()),
        "the token was written down"
    );
}

/// Returns whether any file below a directory contains these bytes.
fn is_in(directory: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(directory).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return is_in(&path, bytes);
        }
        let content = fs::read(&path).unwrap_or_default();
        content.windows(bytes.len()).any(|part| part == bytes)
    })
}
