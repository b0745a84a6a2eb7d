//! Studies on a real Ray, whose parts are killed, stopped and misled while it runs them.

#[path = "../support/counted.rs"]
mod counted;
mod errors;
mod head;
mod injuries;
#[path = "../support/mod.rs"]
mod support;
mod twice;

use counted::counted_once;
use fiesta::runner::History;
use head::Head;
use std::{collections::BTreeSet, time::Duration};
use support::{Bench, Running, code};

/// Notes when it begins and when it has answered. `sh job.sh ARM SPLIT SEED`.
const JOB: &str = r#"
echo "$FIESTA_RUN $1 $2 gpus=$CUDA_VISIBLE_DEVICES" >> began
i=0
while [ -e slow ] && [ $i -lt 200 ]; do sleep 0.1; i=$((i + 1)); done
sleep 0.$(($3 % 5))
case $1 in high) base=700 ;; mid) base=650 ;; *) base=600 ;; esac
echo "$FIESTA_RUN gpus=$CUDA_VISIBLE_DEVICES" >> answered
printf '{"accuracy": 0.%03d}\n' $((base + $3 % 40))
"#;

const ARMS: &str = "[[arm]]\nname = \"low\"\n[[arm]]\nname = \"mid\"\n[[arm]]\nname = \"high\"\n";

/// A study on a head.
struct OnRay<'a> {
    head: &'a Head,
    bench: Bench,
}

impl<'a> OnRay<'a> {
    fn new(head: &'a Head, rest: &str) -> Self {
        Self::at(head, &head.address(), rest, "")
    }

    /// Whose dashboard is asked at this address; `more` stands in the table of the executor.
    fn at(head: &'a Head, address: &str, rest: &str, more: &str) -> Self {
        let bench = Bench::new();
        bench.file("job.sh", JOB);
        let executor = format!(
            "kind = \"ray\"\naddress = \"{address}\"\ninterval = \"500ms\"\nvisibility = \"3s\"\n{more}"
        );
        bench.file("study.toml", &study(rest, &executor));
        Self { head, bench }
    }

    fn start(&self) -> Running {
        self.bench.start(&["run", "study.toml", "--quiet"])
    }

    /// Runs the study to its end.
    fn run(&self) {
        self.start()
            .wait_for(Duration::from_mins(4))
            .says(code::DONE, &[]);
    }

    /// What must hold in the end, whatever was injured: every evaluation is counted once, with its
    /// score; no job is left.
    fn audit(&self, evaluations: usize) -> History {
        let history = counted_once(&self.bench, evaluations);
        let is_empty = || self.head.jobs(&["PENDING", "RUNNING"]).is_empty();
        assert!(
            support::within(Duration::from_secs(30), is_empty),
            "left: {:?}",
            self.head.jobs(&["PENDING", "RUNNING"])
        );
        history
    }

    /// How many runs answered, each of which must have been carried out once.
    fn answered(&self) -> usize {
        let answered = self.bench.log("answered");
        let runs: BTreeSet<&String> = answered.iter().map(|line| &line[0]).collect();
        assert_eq!(runs.len(), answered.len(), "a run was carried out twice");
        answered.len()
    }
}

fn study(rest: &str, executor: &str) -> String {
    format!(
        "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{split}}\", \"{{seed}}\"]\n{rest}\n[metric]\nname = \"accuracy\"\n[executor]\n{executor}\n{ARMS}"
    )
}

/// So many evaluations, four at once, each arm as often as the others.
fn uniform(evaluations: u64) -> String {
    format!(
        "goal.budget.evaluations = {evaluations}\ndesign = {{ policy = \"uniform\", parallel = 4, seed = 1 }}\nresources = {{ retries = 2, grace = \"2s\" }}"
    )
}

/// The decisions are those of this machine, where evaluations end in the same order.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn the_engine_changes_no_decision() {
    let Some(head) = head::shared() else { return };
    let one_by_one = "goal.budget.evaluations = 9\ndesign = { seed = 3, parallel = 1 }\n";
    let there = OnRay::new(head.as_ref().unwrap(), one_by_one);
    there.run();
    let here = Bench::new();
    here.file("job.sh", JOB);
    here.file("study.toml", &study(one_by_one, "kind = \"local\""));
    here.fiesta(&["run", "study.toml", "--quiet"])
        .says(code::DONE, &[]);
    assert_eq!(there.bench.decisions(), here.decisions());
}

/// A job has the GPU that Ray gave it, and no other job has it at the same time; what the runtime
/// environment says reaches it; jobs that have ended are deleted.
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
        .map(|line| line[3].clone())
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
