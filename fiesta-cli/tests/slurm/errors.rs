//! Errors of requests that Slurm cannot meet.

use super::{Cluster, OnCluster, SLURM, uniform};
use crate::support::{code, within};
use std::time::Duration;

fn refused(executor: &str, said: &[&str]) {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let there = OnCluster::new(cluster, &uniform(6), &format!("{SLURM}\n{executor}"));
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
