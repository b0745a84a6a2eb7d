//! Tests of studies on a real Ray, whose parts are killed, stopped and misled while it runs them.

#[path = "../support/counted.rs"]
mod counted;
#[path = "../support/engine.rs"]
mod engine;
mod errors;
mod head;
mod https;
mod injuries;
#[path = "../support/mod.rs"]
mod support;
mod twice;

use counted::counted_once;
use fiesta::runner::History;
use head::Head;
use std::{collections::BTreeSet, time::Duration};
use support::{Bench, Running, code};

/// A study on a head of Ray, with its bench.
struct OnRay<'a> {
    head: &'a Head,
    bench: Bench,
    /// Ids of other studies' jobs on the same head. Ray stops a job that no node can carry out only
    /// when it gives up placing the job.
    others: Vec<String>,
}

impl<'a> OnRay<'a> {
    fn new(head: &'a Head, rest: &str) -> Self {
        Self::at(head, &head.address(), rest, "")
    }

    /// Makes a study with the dashboard at `address`; `more` is added to the executor's table.
    fn at(head: &'a Head, address: &str, rest: &str, more: &str) -> Self {
        let bench = engine::study(rest, &format!("{}\n{more}", executor(address)));
        // The first of several jobs may have begun long before the last.
        bench.edit(
            "job.sh",
            "[ -e slow ] && sleep 4",
            "i=0\nwhile [ -e slow ] && [ $i -lt 200 ]; do sleep 0.1; i=$((i + 1)); done",
        );
        let others = head.jobs(&["PENDING", "RUNNING"]);
        Self {
            head,
            bench,
            others,
        }
    }

    fn start(&self) -> Running {
        self.bench.start(&["run", "study.toml", "--quiet"])
    }

    /// Runs the study on Ray to its end.
    fn run(&self) {
        self.start()
            .wait_for(Duration::from_mins(4))
            .says(code::DONE, &[]);
    }

    /// Checks that every evaluation is counted once, with its score, and that no job is left.
    fn audit(&self, evaluations: usize) -> History {
        let history = counted_once(&self.bench, evaluations);
        let left = || {
            let mut jobs = self.head.jobs(&["PENDING", "RUNNING"]);
            jobs.retain(|job| !self.others.contains(job));
            jobs
        };
        // Ray notes the ends of its jobs when it comes to it: on a busy machine, late.
        let is_empty = || left().is_empty();
        assert!(
            support::within(Duration::from_mins(2), is_empty),
            "left: {:?}",
            left()
        );
        history
    }

    /// Returns the number of runs that answered, and checks that none was carried out twice.
    fn answered(&self) -> usize {
        engine::answered(&self.bench)
    }
}

fn executor(address: &str) -> String {
    format!("kind = \"ray\"\naddress = \"{address}\"\ninterval = \"500ms\"\nvisibility = \"3s\"")
}

/// Returns the goal and design of a study of `evaluations` evaluations, four at a time.
fn uniform(evaluations: u64) -> String {
    engine::uniform(evaluations, 4, 2)
}

/// Tests that Ray leads to the same decisions as this machine, if evaluations end in one order.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn the_engine_changes_no_decision() {
    let Some(head) = head::shared() else { return };
    let there = OnRay::new(head.as_ref().unwrap(), &engine::one_by_one(9));
    there.run();
    engine::decided_as_here(&there.bench, 9);
}

/// Tests that the quickstart's study makes the same decisions on Ray as on this machine.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn the_quickstart_decides_as_here() {
    let Some(head) = head::shared() else { return };
    let address = head.as_ref().unwrap().address();
    let Some(there) = engine::quickstart(&executor(&address)) else {
        return;
    };
    there
        .start(&["run", engine::QUICKSTART, "--quiet"])
        .wait_for(Duration::from_mins(8))
        .says(code::DONE, &[]);
    engine::quickstart_decided_as_here(&there);
}

/// Tests that scores are found in what jobs on Ray print, and that an output without a score is shown as on this machine.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn scores_are_found_in_what_jobs_print() {
    let Some(head) = head::shared() else { return };
    let address = head.as_ref().unwrap().address();
    let there = engine::printing(&executor(&address));
    there
        .start(&["run", "study.toml", "--quiet"])
        .wait_for(Duration::from_mins(4))
        .says(code::DONE, &[]);
    engine::found_as_here(&there);
}

/// Tests that a job alone has the GPU that Ray gave it, gets the runtime environment, and is
/// deleted after its end.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn jobs_get_their_gpus_and_are_deleted() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let rest = uniform(32).replace("retries = 2", "gpus_per_job = 1, retries = 2");
    let env = "runtime_env = { env_vars = { COLOUR = \"red\" } }";
    let there = OnRay::at(head, &head.address(), &rest, env);
    there.bench.edit(
        "job.sh",
        "i=0\n",
        "echo $COLOUR >> colours\ni=0\nmkdir gpu$CUDA_VISIBLE_DEVICES || exit 9\n",
    );
    there
        .bench
        .edit("job.sh", "printf", "rmdir gpu$CUDA_VISIBLE_DEVICES\nprintf");
    let running = there.start();
    let own = format!("-{}-", running.pid());
    running
        .wait_for(Duration::from_mins(4))
        .says(code::DONE, &[]);
    there.audit(32);
    assert_eq!(there.answered(), 32);
    let gpus: BTreeSet<String> = there
        .bench
        .log("began")
        .iter()
        .map(|line| line[4].clone())
        .collect();
    assert_eq!(gpus.into_iter().collect::<Vec<_>>(), ["gpus=0", "gpus=1"]);
    assert_eq!(there.bench.log("colours"), vec![vec!["red".to_owned()]; 32]);
    let of_study = |states: &[&str]| {
        let mut jobs = head.jobs(states);
        jobs.retain(|job| job.contains(&own));
        jobs
    };
    let (left, failed) = (of_study(&["SUCCEEDED"]), of_study(&["FAILED"]));
    // Two jobs at a time take more than 20 s together, and each is deleted 10 s after its end.
    assert!(left.len() <= 24, "those of the last seconds: {left:?}");
    // One that is deleted too early is written down anew.
    assert!(failed.is_empty(), "{failed:?}");
}
