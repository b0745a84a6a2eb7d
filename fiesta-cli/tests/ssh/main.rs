//! Studies on three machines that `ssh` reaches, which are killed and cut off while they run them.

#[path = "../support/counted.rs"]
mod counted;
#[path = "../support/engine.rs"]
mod engine;
mod errors;
mod injuries;
mod lab;
#[path = "../support/lag.rs"]
mod lag;
#[path = "../support/mod.rs"]
mod support;

use counted::counted_once;
use fiesta::runner::History;
use lab::Lab;
use lag::Lags;
use std::{collections::BTreeSet, time::Duration};
use support::{Bench, Running, code};

/// A study in a lab.
struct InLab {
    lab: Lab,
    bench: Bench,
}

/// Three machines with two slots and two GPUs each.
const HOSTS: &str = "hosts = [{ host = \"h1\", gpus = 2 }, { host = \"root@h2:22\", gpus = [0, 1] }, { host = \"h3\", slots = 2, gpus = [\"0\", \"1\"] }]";

impl InLab {
    fn new(lab: Lab, rest: &str, hosts: &str) -> Self {
        let bench = engine::study(rest, &executor(&lab, hosts));
        Self { lab, bench }
    }

    fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.lab.within(env!("CARGO_BIN_EXE_fiesta"));
        command
            .args(arguments)
            .current_dir(self.bench.path(""))
            .env_remove("CUDA_VISIBLE_DEVICES")
            .stdin(std::process::Stdio::null());
        Running::start(command)
    }

    /// Runs the study to its end.
    fn run(&self) -> support::Ran {
        let running = self.start(&["run", "study.toml"]);
        let ran = running.wait_for(Duration::from_mins(2));
        ran.says(code::DONE, &[]);
        ran
    }

    /// What must hold in the end, whatever was injured: every evaluation is counted once, with its
    /// score; no process is left, on any machine.
    fn audit(&self, evaluations: usize) -> History {
        let history = counted_once(&self.bench, evaluations);
        self.nothing_is_left();
        history
    }

    fn nothing_is_left(&self) {
        // A killed controller leaves connections open for 20 s.
        let is_quiet = || self.lab.left().is_empty() && self.lab.callers().is_empty();
        let is_quiet = support::within(Duration::from_secs(30), is_quiet);
        let (left, callers) = (self.lab.left(), self.lab.callers());
        assert!(is_quiet, "on the machines: {left:?}; here: {callers:?}");
    }

    /// The runs that answered, which no run does twice.
    fn answered(&self) -> usize {
        engine::answered(&self.bench)
    }
}

fn executor(lab: &Lab, hosts: &str) -> String {
    format!(
        "kind = \"ssh\"\n{hosts}\ninterval = \"500ms\"\nvisibility = \"3s\"\noptions = [\"-F\", \"{}\", \"-o\", \"ServerAliveInterval=1\", \"-o\", \"ServerAliveCountMax=2\", \"-o\", \"ConnectTimeout=2\"]",
        lab.path("config").display()
    )
}

/// So many evaluations, six at once. What is nobody's fault must not need a retry.
fn uniform(evaluations: u64) -> String {
    engine::uniform(evaluations, 6, 0)
}

/// The decisions are those of this machine, where evaluations end in the same order.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn the_engine_changes_no_decision() {
    let Some(lab) = Lab::start() else {
        return;
    };
    let there = InLab::new(lab, &engine::one_by_one(12), HOSTS);
    there.run();
    engine::decided_as_here(&there.bench, 12);
    there.nothing_is_left();
}

/// So are those of the quickstart's study.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn the_quickstart_decides_as_here() {
    let Some(lab) = Lab::start() else {
        return;
    };
    let Some(bench) = engine::quickstart(&executor(&lab, HOSTS)) else {
        return;
    };
    let there = InLab { lab, bench };
    there
        .start(&["run", engine::QUICKSTART, "--quiet"])
        .wait_for(Duration::from_mins(3))
        .says(code::DONE, &[]);
    engine::quickstart_decided_as_here(&there.bench);
    there.nothing_is_left();
}

/// Scores are found in what jobs print, and what does not match is shown as on this machine.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn scores_are_found_in_what_jobs_print() {
    let Some(lab) = Lab::start() else {
        return;
    };
    let bench = engine::printing(&executor(&lab, HOSTS));
    let there = InLab { lab, bench };
    there.run();
    engine::found_as_here(&there.bench);
    there.nothing_is_left();
}

/// Jobs get GPUs that no other job of their machine has, on all machines; those for which there is
/// no room wait.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn jobs_get_gpus_of_their_own() {
    let Some(lab) = Lab::start() else {
        return;
    };
    let rest = uniform(30)
        .replace("retries = 0", "gpus_per_job = 1, retries = 0")
        .replace("parallel = 6", "parallel = 9");
    let there = InLab::new(lab, &rest, HOSTS);
    // One line of what begins and ends, in order.
    for (log, what) in [("began", "began"), ("answered", "ended")] {
        there.bench.edit(
            "job.sh",
            &format!(
                "echo \"$FIESTA_RUN $1 $2 ${{SLURM_ARRAY_JOB_ID:-$(hostname)}} gpus=$CUDA_VISIBLE_DEVICES\" >> {log}"
            ),
            &format!("echo \"{what} $FIESTA_RUN $(hostname)/$CUDA_VISIBLE_DEVICES\" >> gpus"),
        );
    }
    there.run();
    there.audit(30);
    let (mut held, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for line in there.bench.log("gpus") {
        let gpu = line[2].clone();
        if line[0] == "began" {
            assert!(held.insert(gpu.clone()), "{gpu} was given twice");
            seen.insert(gpu);
        } else {
            held.remove(&gpu);
        }
    }
    let all = ["h1", "h2", "h3"].map(|host| ["0", "1"].map(|gpu| format!("{host}/{gpu}")));
    assert_eq!(seen, all.into_iter().flatten().collect());
}

/// A program that needs no library of the hosts speaks with `fiesta run`, and supervises the runs.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_static_program_supervises_the_runs() {
    let (Some(lab), Some(program)) = (Lab::start(), engine::static_supervisor()) else {
        return;
    };
    let hosts = format!("{HOSTS}\nprogram = \"{}\"", program.display());
    let there = InLab::new(lab, &uniform(12), &hosts);
    there.run();
    there.audit(12);
    assert!(!there.bench.copies_program(), "the other one was there");
}

/// Decisions follow the ends of jobs within one interval.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn decisions_follow_the_ends_of_jobs() {
    let Some(lab) = Lab::start() else {
        return;
    };
    let there = InLab::new(lab, &uniform(150), HOSTS);
    lag::note_ends(&there.bench);
    there.run();
    let lags = Lags::of(&there.bench);
    assert!(lags.of_scores.len() >= 100 && lags.of_scores.len() + lags.of_failures.len() == 150);
    lags.check(0.5, 0.5);
}
