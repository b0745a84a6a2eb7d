//! Test of faults that overlap: two or three at a time, chosen at random, again and again over one study.
//!
//! Its disk is full, its controllers are killed, or asked to stop, its jobs and their supervisors
//! are killed, or everything at once, and its directory is moved. Whatever lasts of one fault is
//! there when the next ones come.

use super::{
    everything::counted_once,
    injured::{Injured, User, signal},
    mount::Mount,
    setting,
};
use fiesta::Streams;
use rand::{RngExt, seq::IndexedRandom};
use rustix::process::Signal;
use std::{
    thread,
    time::{Duration, Instant},
};

/// Fault that a study has for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The disk of the study's state is full.
    DiskFull,
    /// Controllers of the study are killed.
    ControllersKilled,
    /// Supervisors and their processes are killed, one supervisor at a time.
    JobsKilled,
    /// All processes of the study are killed at once.
    EverybodyKilled,
    /// Controllers are asked to stop, some of them twice.
    AskedToStop,
    /// The study's directory is moved while controllers run.
    Moved,
}

use Fault::{AskedToStop, ControllersKilled, DiskFull, EverybodyKilled, JobsKilled, Moved};

const FAULTS: [Fault; 6] = [
    DiskFull,
    ControllersKilled,
    JobsKilled,
    EverybodyKilled,
    AskedToStop,
    Moved,
];

/// Number of rounds in which faults overlap.
const ROUNDS: usize = 4;

/// Longest start of a controller, and the time without faults between two rounds.
const BEGINS: Duration = Duration::from_millis(800);
const PEACE: Duration = Duration::from_secs(1);

/// Prints, if the test fails, which faults overlapped, and the seed.
struct Told {
    seed: u64,
    rounds: Vec<Vec<Fault>>,
}

impl Drop for Told {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("FIESTA_TORTURE_SEED={}: {:?}", self.seed, self.rounds);
        }
    }
}

/// Result of keeping a controller running.
#[derive(PartialEq, Eq)]
enum Became {
    Runs,
    /// Another controller was started.
    Another,
    /// The study has ended.
    Done,
}

/// Starts another controller if none runs, and returns what became of the study.
fn keep_running(study: &mut Injured, rng: &mut impl rand::Rng, may_fail: bool) -> Became {
    if study.controller.try_wait().unwrap().is_none() {
        return Became::Runs;
    }
    let code = study.wait();
    match code {
        Some(0) => return Became::Done,
        // Killed, or left when it was asked to, or its directory was moved.
        None | Some(4) => {}
        _ if may_fail => {}
        Some(code) => panic!("left with {code}: {}", study.said()),
    }
    study.resume(rng.random_range(2..=6), &[]);
    Became::Another
}

/// Does damage of this kind to a study once. Faults that last, such as a full disk, are made elsewhere.
fn injure(study: &mut Injured, disk: &mut Mount, fault: Fault, rng: &mut impl rand::Rng) {
    let own = i32::try_from(study.controller.id()).unwrap();
    match fault {
        DiskFull => {}
        ControllersKilled => signal(own, Signal::KILL),
        JobsKilled => {
            let mut others = study.processes();
            others.retain(|&pid| pid != own);
            if let Some(&pid) = others.choose(rng) {
                signal(pid, Signal::KILL);
            }
        }
        EverybodyKilled => {
            for pid in study.processes() {
                signal(pid, Signal::KILL);
            }
        }
        AskedToStop => {
            signal(own, Signal::INT);
            if rng.random_bool(0.5) {
                thread::sleep(Duration::from_millis(20));
                signal(own, Signal::INT);
            }
        }
        Moved => {
            study.move_away();
            disk.at = study.place().join("study.fiesta");
        }
    }
}

/// Subjects a study to these faults together for a while. Returns false if it ended meanwhile.
fn round(
    study: &mut Injured,
    disk: &mut Mount,
    faults: &[Fault],
    rng: &mut impl rand::Rng,
) -> bool {
    let is_full = faults.contains(&DiskFull);
    if is_full {
        disk.fill();
    }
    let until = Instant::now() + Duration::from_millis(rng.random_range(500..1200));
    // A controller that runs waits for room; one that begins without may say that it cannot.
    let mut is_new = study.age() < BEGINS;
    let mut goes_on = true;
    while goes_on && Instant::now() < until {
        thread::sleep(Duration::from_millis(rng.random_range(10..150)));
        if let Some(&fault) = faults.choose(rng) {
            injure(study, disk, fault, rng);
        }
        let may_fail = is_full && is_new || faults.contains(&Moved);
        let became = keep_running(study, rng, may_fail);
        is_new |= became == Became::Another;
        goes_on = became != Became::Done;
    }
    if is_full {
        disk.make_room();
    }
    goes_on
}

fn overlapping(seed: u64) {
    let mut rng = Streams::new(seed).run(8);
    let mut told = Told {
        seed,
        rounds: Vec::new(),
    };
    let mut study = Injured::start(seed, User::Own);
    study.mend();
    // The study's state is on a disk of its own; what the jobs note is not.
    signal(i32::try_from(study.controller.id()).unwrap(), Signal::KILL);
    study.wait();
    study.assert_nobody_is_left();
    let state = study.place().join("study.fiesta");
    let _ = std::fs::remove_dir_all(&state);
    let Some(mut disk) = Mount::tmpfs(&state, "size=16m") else {
        return;
    };
    study.resume(4, &[]);
    thread::sleep(PEACE);
    let mut goes_on = true;
    while goes_on && told.rounds.len() < ROUNDS {
        let count = rng.random_range(2..=3);
        let faults: Vec<Fault> = FAULTS.sample(&mut rng, count).copied().collect();
        told.rounds.push(faults.clone());
        goes_on = round(&mut study, &mut disk, &faults, &mut rng);
        // And a moment of peace, in which a study that waits must go on by itself.
        thread::sleep(PEACE);
        // What was wrong with a controller that began meanwhile has come out.
        goes_on = goes_on && keep_running(&mut study, &mut rng, true) != Became::Done;
    }
    let deadline = Instant::now() + Duration::from_mins(2);
    while goes_on {
        assert!(Instant::now() < deadline, "hangs: {}", study.said());
        thread::sleep(Duration::from_millis(20));
        goes_on = keep_running(&mut study, &mut rng, false) != Became::Done;
    }
    let (_, again) = counted_once(&study);
    study.assert_nobody_is_left();
    eprintln!(
        "seed {seed}: {:?}; each evaluation counted once, {again} made again",
        told.rounds
    );
}

#[test]
fn faults_that_overlap_lose_nothing() {
    overlapping(setting("FIESTA_TORTURE_SEED", 1));
}

#[test]
#[ignore = "heavy: 10 studies, or half as many as FIESTA_TORTURE_KILLS"]
fn faults_that_overlap_lose_nothing_however_they_come_together() {
    for seed in 2..2 + setting("FIESTA_TORTURE_KILLS", 20) / 2 {
        overlapping(seed);
    }
}
