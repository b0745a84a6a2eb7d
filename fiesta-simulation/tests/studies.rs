//! Whole studies, simulated from seeds ([`fiesta_simulation::controller`]).
//!
//! `FIESTA_SIMULATIONS` sets how many, `FIESTA_SIMULATION_SEED` the first seed.

use fiesta_simulation::controller::{Simulation, simulate};
use std::{collections::BTreeSet, env, fs};

fn setting(name: &str, default: u64) -> u64 {
    let value = env::var(name).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

/// Simulates the study of a seed, in a place that is the same each time.
fn simulated(seed: u64, without: &BTreeSet<usize>) -> Simulation {
    let place = tempfile::tempdir_in(shared_memory()).unwrap();
    let directory = place.path().join("study");
    fs::create_dir(&directory).unwrap();
    simulate(seed, without, &directory)
}

/// Returns a directory in memory, where a write to the ledger takes no time. Elsewhere the one of temporary files.
fn shared_memory() -> std::path::PathBuf {
    let memory = std::path::PathBuf::from("/dev/shm");
    if memory.is_dir() {
        memory
    } else {
        env::temp_dir()
    }
}

#[test]
fn every_promise_is_kept() {
    let first = setting("FIESTA_SIMULATION_SEED", 0);
    for seed in first..first + setting("FIESTA_SIMULATIONS", 60) {
        let simulation = simulated(seed, &BTreeSet::new());
        let story = || simulation.story.join("\n");
        assert_eq!(simulation.broken, None, "seed {seed}:\n{}", story());
    }
}

#[test]
fn a_seed_gives_one_story() {
    let mut kinds = BTreeSet::new();
    for seed in 1000..1005 {
        let [one, other] = [(); 2].map(|()| {
            let mut simulation = simulated(seed, &BTreeSet::new());
            // Directories have names of their own.
            for line in &mut simulation.story {
                if line.contains("/dev/shm") {
                    line.clear();
                }
            }
            simulation
        });
        for (line, same) in one.story.iter().zip(&other.story) {
            assert_eq!(line, same, "seed {seed}");
        }
        assert_eq!(one, other);
        kinds.extend(one.kinds.into_keys());
    }
    // Faults strike at file calls as well, SQLite's among them.
    for kind in [
        "Kill",
        "killed in write",
        "write cut short",
        "killed in fsync",
    ] {
        assert!(kinds.contains(kind), "{kind} is none of {kinds:?}");
    }
}

#[test]
fn a_study_without_faults_runs_in_one_session() {
    let all: BTreeSet<usize> = (0..1000).collect();
    for seed in 2000..2010 {
        let simulation = simulated(seed, &all);
        assert_eq!(
            (simulation.broken, simulation.faults),
            (None, 0),
            "seed {seed}"
        );
    }
}
