//! Everything killed: controllers, wrappers, jobs and what they started, one at a time and all at once, while jobs share GPUs.
//!
//! A job holds a lock for its share of a GPU as long as anything of it lives, and says so if it finds none free. An
//! evaluation whose processes were killed is made again, and counts once.

use super::{controller, ended, setting};
use fiesta::core::{Observation, Outcome, Streams};
use rand::RngExt;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Child,
    thread,
    time::{Duration, Instant},
};

/// Evaluations of one study.
const EVALUATIONS: usize = 120;
/// How many kills a study gets before it may end in peace.
const KILLS_OF_A_STUDY: u64 = 60;
/// A variable that all processes of a study inherit.
const MARKER: &str = "FIESTA_TORTURED";

/// A job of 0 to 200 ms, of which two share each GPU. That its own `flock` was killed does not mean that somebody has the GPU.
const JOB: &str = r#"#!/bin/bash
gpu=$CUDA_VISIBLE_DEVICES
echo "$1 $2 $3 $gpu" >> begun
# 0 if it got the share, 66 if somebody has it; anything else is a flock that was killed.
try() {
    exec 9>"gpu-$gpu-$1"
    while :; do
        flock -n -E 66 9
        case $? in 0) return 0 ;; 66) return 66 ;; esac
    done
}
try 0 || try 1 || echo "$1 $2 $3 $gpu" >> crowded
case $(($3 % 4)) in 0) ;; 1) sleep 0.05 ;; 2) sleep 0.1 ;; *) sleep 0.2 & wait ;; esac
echo "$1 $2 $3" >> finished
printf '{"score": 0.%04d}\n' $(($3 % 10000))
"#;

fn write_study(directory: &Path, seed: u64, parallel: u64) {
    let job = directory.join("job.sh");
    if !job.exists() {
        fs::write(&job, JOB).unwrap();
        fs::set_permissions(&job, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let study = format!(
        r#"
name = "torture"
command = ["./job.sh", "{{arm}}", "{{split}}", "{{seed}}"]
metric = {{ name = "score" }}
goal = {{ budget = {{ evaluations = {EVALUATIONS} }} }}
design = {{ policy = "ttts", parallel = {parallel}, seed = {seed} }}
# Whatever is killed is lost to the infrastructure.
resources = {{ gpus_per_job = 0.5, retries = 1000000, grace = "1s" }}
executor = {{ kind = "local", gpus = ["left", "right"] }}
arm = [{{ name = "good" }}, {{ name = "fair" }}, {{ name = "poor" }}]
"#
    );
    fs::write(directory.join("study.toml"), study).unwrap();
}

fn start(directory: &Path) -> Child {
    let log = fs::File::options()
        .create(true)
        .append(true)
        .open(directory.join("said"))
        .unwrap();
    controller(directory)
        .arg("--accept-changes")
        .env(MARKER, directory)
        .stderr(log)
        .spawn()
        .unwrap()
}

/// The processes of a study, whatever has become of their parents.
fn processes(directory: &Path) -> Vec<i32> {
    let marker = format!("{MARKER}={}", directory.display()).into_bytes();
    let pids = fs::read_dir("/proc").unwrap();
    pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|&byte| byte == 0)
                .any(|variable| variable == marker)
        })
        .collect()
}

fn kill(pid: i32) {
    // It may have ended by itself.
    let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
}

/// Runs a study to its end, killing what there is; says how often it killed.
fn torture(directory: &Path, seed: u64, rng: &mut impl rand::Rng, most: u64) -> u64 {
    write_study(directory, seed, 4);
    let mut child = start(directory);
    let mut kills = 0;
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        assert!(Instant::now() < deadline, "hangs: {}", said(directory));
        thread::sleep(Duration::from_micros(rng.random_range(0..200_000)));
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(0), "{}", said(directory));
            return kills;
        }
        if kills >= most {
            continue;
        }
        let all = processes(directory);
        let own = i32::try_from(child.id()).unwrap();
        let others: Vec<i32> = all.iter().copied().filter(|&pid| pid != own).collect();
        let is_own = match rng.random_range(0..4) {
            0 => {
                kill(own);
                true
            }
            1 => {
                for &pid in &all {
                    kill(pid);
                }
                all.contains(&own)
            }
            _ if others.is_empty() => continue,
            _ => {
                kill(others[rng.random_range(0..others.len())]);
                false
            }
        };
        kills += 1;
        if is_own {
            child.wait().unwrap();
            write_study(directory, seed, rng.random_range(2..=8));
            child = start(directory);
        }
    }
}

fn within(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while !is_so() {
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

fn said(directory: &Path) -> String {
    let said = fs::read_to_string(directory.join("said")).unwrap_or_default();
    said.chars().skip(said.len().saturating_sub(3000)).collect()
}

fn lines(directory: &Path, name: &str) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let text = fs::read_to_string(directory.join(name)).unwrap_or_default();
    for line in text.lines() {
        *found.entry(line.to_owned()).or_default() += 1;
    }
    found
}

/// What must hold of a study that has ended; how many evaluations were made more than once.
fn audit(directory: &Path) -> usize {
    let (study, history) = ended(directory);

    let finished = lines(directory, "finished");
    let mut known = BTreeSet::new();
    let mut counted = 0;
    for record in history.records.values() {
        let case = record.evaluation.case;
        let arm = study.arms().name(record.evaluation.arm);
        let line = format!("{arm} {} {}", case.split, case.seed);
        let ending = record.ending.as_ref().unwrap();
        match ending.outcome {
            Outcome::Observed(Observation::Score(score)) => {
                assert!(
                    finished.contains_key(&line),
                    "{line}: counts, and was never made"
                );
                let own = (case.seed % 10_000) as f64 / 10_000.0;
                assert!(
                    (score - own).abs() < 1e-12,
                    "{line}: {score} is another's score"
                );
                counted += 1;
            }
            Outcome::Withdrawn => {}
            _ => panic!("{line} failed: {:?}", ending.message),
        }
        assert!(known.insert(line.clone()), "{line}: decided twice");
    }
    assert_eq!(counted, EVALUATIONS);
    let unknown: Vec<&String> = finished
        .keys()
        .filter(|line| !known.contains(*line))
        .collect();
    assert!(unknown.is_empty(), "made and not known: {unknown:?}");
    assert_eq!(
        lines(directory, "crowded"),
        BTreeMap::new(),
        "shares of GPUs were given twice"
    );
    finished.values().filter(|&&times| times > 1).count()
}

fn nobody_is_left(directory: &Path) {
    let gone = within(Duration::from_secs(30), || processes(directory).is_empty());
    let left = processes(directory);
    let commands: Vec<String> = left
        .iter()
        .map(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default())
        .collect();
    for &pid in &left {
        kill(pid);
    }
    assert!(gone, "orphans: {commands:?}");
}

fn torture_studies(kills: u64, seed: u64) {
    let mut rng = Streams::new(seed).run(7);
    let (mut made, mut again, mut studies) = (0, 0, 0);
    while made < kills {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        made += torture(
            directory,
            seed * 1000 + studies,
            &mut rng,
            KILLS_OF_A_STUDY.min(kills - made),
        );
        again += audit(directory);
        nobody_is_left(directory);
        studies += 1;
    }
    eprintln!(
        "seed {seed}: killed {made} times over {studies} studies of {EVALUATIONS} evaluations, each counted once; {again} were made again"
    );
}

#[test]
fn whatever_is_killed_every_evaluation_counts_once_and_no_gpu_is_crowded() {
    torture_studies(
        setting("FIESTA_TORTURE_KILLS", 30).min(60),
        setting("FIESTA_TORTURE_SEED", 1),
    );
}

#[test]
#[ignore = "heavy: 600 kills"]
fn whatever_is_killed_again_and_again() {
    let kills = setting("FIESTA_TORTURE_KILLS", 150);
    for seed in 1..=4 {
        torture_studies(kills, seed);
    }
}
