//! Tests of studies on a real Slurm, whose parts are killed, stopped and misled while it runs them.

mod cluster;
#[path = "../support/counted.rs"]
mod counted;
#[path = "../support/engine.rs"]
mod engine;
mod errors;
mod injuries;
#[path = "../support/lag.rs"]
mod lag;
mod rates;
#[path = "../support/mod.rs"]
mod support;

use cluster::Cluster;
use counted::counted_once;
use fiesta::runner::History;
use lag::Lags;
use serde_json::Value;
use std::{collections::BTreeSet, time::Duration};
use support::{Bench, Running, code};

/// A study on a cluster of Slurm, with its bench.
struct OnCluster {
    cluster: Cluster,
    bench: Bench,
}

impl OnCluster {
    fn new(cluster: Cluster, rest: &str, executor: &str) -> Self {
        let bench = engine::study(rest, executor);
        Self { cluster, bench }
    }

    fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.bench.command(arguments);
        command.envs(self.cluster.variables());
        Running::start(command)
    }

    /// Runs the study on Slurm to its end.
    fn run(&self) {
        self.start(&["run", "study.toml", "--quiet"])
            .wait_for(Duration::from_mins(5))
            .says(code::DONE, &[]);
    }

    /// Checks that every evaluation is counted once, with its score, and that no job is left.
    fn audit(&self, evaluations: usize) -> History {
        let history = counted_once(&self.bench, evaluations);
        // A job whose node's daemon was killed is completing until Slurm has asked the daemon again.
        let left = support::within(Duration::from_mins(2), || {
            self.cluster.tasks("PD,R,CG,S").is_empty()
        });
        let listed = self
            .cluster
            .call("squeue", &["-h", "-r", "-o", "%F_%K %T %r %B"]);
        assert!(left, "left: {listed}");
        history
    }
}

const SLURM: &str = "kind = \"slurm\"\ninterval = \"1s\"\nvisibility = \"5s\"";

/// Returns the goal and design of a study of `evaluations` evaluations, eight at a time.
fn uniform(evaluations: u64) -> String {
    engine::uniform(evaluations, 8, 2)
}

/// Tests that Slurm leads to the same decisions as this machine, if evaluations end in one order.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_engine_changes_no_decision() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let there = OnCluster::new(cluster, &engine::one_by_one(12), SLURM);
    there.run();
    engine::decided_as_here(&there.bench, 12);
}

/// Tests that the quickstart's study makes the same decisions on Slurm as on this machine.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_quickstart_decides_as_here() {
    let executor = "kind = \"slurm\"\ninterval = \"500ms\"\nvisibility = \"5s\"";
    let (Some(cluster), Some(bench)) = (Cluster::start(), engine::quickstart(executor)) else {
        return;
    };
    let there = OnCluster { cluster, bench };
    there
        .start(&["run", engine::QUICKSTART, "--quiet"])
        .wait_for(Duration::from_mins(5))
        .says(code::DONE, &[]);
    engine::quickstart_decided_as_here(&there.bench);
}

/// Tests that scores are found in what jobs on Slurm print, and that an output without a score is shown as on this machine.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn scores_are_found_in_what_jobs_print() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let bench = engine::printing(SLURM);
    let there = OnCluster { cluster, bench };
    there.run();
    engine::found_as_here(&there.bench);
}

/// Tests that a job has the GPUs of Slurm's choice, that runs decided together are one array, and
/// that a poll is one request.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn jobs_get_their_gpus_and_are_submitted_together() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let rest = uniform(24).replace("retries = 2", "gpus_per_job = 2, retries = 2");
    let there = OnCluster::new(cluster, &rest, SLURM);
    there.run();
    there.audit(24);
    let began = there.bench.log("began");
    assert_eq!(began.len(), 24);
    assert!(began.iter().all(|line| line[4] == "gpus=0,1"), "{began:?}");
    let first: BTreeSet<&String> = began[..8].iter().map(|line| &line[3]).collect();
    assert!(
        first.len() <= 2,
        "eight runs in one array or two: {first:?}"
    );
}

/// Tests that other processes see waiting and running jobs with times, reasons and places, and that
/// a pause takes waiting jobs back.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_states_of_jobs_are_seen_from_outside() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let rest = uniform(24).replace("parallel = 8", "parallel = 12");
    let there = OnCluster::new(cluster, &rest, SLURM);
    there.bench.file("slow", "");
    there
        .bench
        .edit("job.sh", "sleep 4", "while [ -e slow ]; do sleep 0.2; done");
    let running = there.start(&["run", "study.toml"]);
    support::until("it runs", || there.bench.log("began").len() >= 8);
    let of_state = |state: &str| {
        let (_, slots) = there.bench.json(&["slots", "study.toml"]);
        let slots = slots["slots"].as_array().unwrap().clone();
        let of_state = slots.into_iter().filter(|slot| slot["state"] == state);
        of_state.collect::<Vec<Value>>()
    };
    support::until("eight run and four wait", || {
        of_state("busy").len() == 8
            && of_state("queued")
                .iter()
                .filter(|slot| slot["reason"] == "Resources" || slot["reason"] == "Priority")
                .count()
                == 4
    });
    let nodes = of_state("busy")
        .iter()
        .map(|slot| slot["runs"][0]["node"].as_str().unwrap().to_owned())
        .collect::<BTreeSet<_>>();
    assert_eq!(nodes, BTreeSet::from(["n1".to_owned(), "n2".to_owned()]));
    let text = there.bench.fiesta(&["status", "study.toml"]).stdout;
    assert!(text.contains("wait for the engine ("), "{text}");

    there
        .bench
        .fiesta(&["slots", "study.toml", "--pause"])
        .says(code::DONE, &[]);
    let waiting = || there.cluster.tasks("PD").is_empty();
    assert!(
        support::within(Duration::from_secs(20), waiting),
        "{:?}",
        there.cluster.tasks("PD")
    );
    assert_eq!(there.cluster.tasks("R").len(), 8);
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    support::until("all that ran has ended", || {
        there.cluster.tasks("R,CG").is_empty()
    });
    assert_eq!(there.bench.log("answered").len(), 8);
    there
        .bench
        .fiesta(&["slots", "study.toml", "--resume"])
        .says(code::DONE, &[]);
    running
        .wait_for(Duration::from_mins(2))
        .says(code::DONE, &[]);
    there.audit(24);
    assert_eq!(there.bench.log("answered").len(), 24);
}

/// Tests a statically linked program as the supervisor of the runs.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_static_program_supervises_the_runs() {
    let (Some(cluster), Some(program)) = (Cluster::start(), engine::static_supervisor()) else {
        return;
    };
    let executor = format!("{SLURM}\nprogram = \"{}\"", program.display());
    let there = OnCluster::new(cluster, &uniform(12), &executor);
    there.run();
    there.audit(12);
    assert!(!there.bench.copies_program(), "the other one was there");
}

/// Tests that the next decision follows the end of a job within one interval of polling.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn decisions_follow_the_ends_of_jobs() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let there = OnCluster::new(cluster, &uniform(150), SLURM);
    lag::note_ends(&there.bench);
    there.run();
    let lags = Lags::of(&there.bench);
    assert!(lags.of_scores.len() >= 100 && lags.of_scores.len() + lags.of_failures.len() == 150);
    lags.check(1.0, 0.5);
}
