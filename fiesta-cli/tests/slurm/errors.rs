//! Tests of requests that Slurm cannot meet.

use super::{Cluster, OnCluster, SLURM, uniform};
use crate::support::{arm, code, within};
use std::time::Duration;

fn refused(executor: &str, said: &[&str]) {
    refused_after(|_| {}, executor, said);
}

/// Checks that a study is refused with these words after `change` was applied.
fn refused_after(change: impl FnOnce(&OnCluster), executor: &str, said: &[&str]) {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let there = OnCluster::new(cluster, &uniform(6), &format!("{SLURM}\n{executor}"));
    change(&there);
    let ran = there
        .start(&["run", "study.toml", "--quiet"])
        .wait_for(Duration::from_mins(2));
    ran.says(code::USAGE, said);
    let is_empty = || there.cluster.tasks("PD,R").is_empty();
    assert!(
        within(Duration::from_secs(20), is_empty),
        "what was refused is withdrawn"
    );
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_partition_that_is_none() {
    refused(
        "partition = \"nowhere\"",
        &[
            "Slurm refuses the job",
            "invalid partition specified: nowhere",
        ],
    );
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn more_than_any_node_has() {
    refused(
        "cpus = 64",
        &["Slurm can never start its job (PartitionConfig)"],
    );
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_program_that_is_not_there() {
    refused(
        "program = \"nowhere/fiesta\"",
        &["fiesta did not begin there", "nowhere/fiesta", "not found"],
    );
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_command_that_is_not_there() {
    refused_after(
        |there| {
            there.bench.edit(
                "study.toml",
                "command = [\"sh\"",
                "command = [\"no-such-command\"",
            );
        },
        "",
        &["the command `no-such-command` was not found"],
    );
}

/// Tests that a job which exceeds the engine's own time limit is lost, with a message on what to ask for instead.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_job_past_the_limit_of_the_engine() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let rest = uniform(3).replace("retries = 2", "retries = 0");
    let there = OnCluster::new(cluster, &rest, &format!("{SLURM}\ntime = \"1\""));
    // It fails as it is told to stop, which is none of its faults.
    there.bench.edit(
        "job.sh",
        "sleep 0.$(($3 % 7))",
        "trap 'exit 7' TERM\n[ $1 = low ] && for i in $(seq 900); do sleep 0.2; done",
    );
    let ran = there
        .start(&["run", "study.toml", "--format", "json", "--quiet"])
        .wait_for(Duration::from_mins(4));
    assert_eq!(ran.code, Some(code::DONE), "{}", ran.stderr);
    let status = ran.json();
    assert_eq!(arm(&status, "low")["failed"], 1);
    let message = status["failures"][0]["message"].as_str().unwrap();
    assert!(message.contains("its own limit of time"), "{message}");
    assert!(message.contains("`time` under [executor]"), "{message}");
}
