//! Test of damage to everything, chosen at random: controllers, supervisors, jobs and what they
//! started killed, one at a time and all at once; the study's directory moved under them; jobs
//! asked to stop; too few processes to be had; an arm that fails until it is mended.
//!
//! A job holds a lock for its share of a GPU as long as anything of it lives, and says so if it
//! finds none free. An evaluation whose processes were killed is made again, and counts once.

use super::{
    ended,
    injured::{EVALUATIONS, Injured, User, signal},
    setting,
};
use fiesta::runner::History;
use fiesta::{Observation, Outcome, Streams};
use rand::RngExt;
use rustix::process::Signal;
use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
    time::{Duration, Instant},
};

/// Number of times that a study is damaged before it may end in peace.
const INJURIES_OF_A_STUDY: u64 = 30;
/// Exit code of a controller that leaves its study to the next one, as it was asked to stop or the
/// study has moved.
const LEFT: i32 = 4;
pub(super) const ARM_FAILED: i32 = 5;
const USAGE: i32 = 2;

/// Damages a study until it has ended, and returns how often it did.
fn torture(study: &mut Injured, rng: &mut impl rand::Rng, most: u64) -> u64 {
    let mut injuries = 0;
    let deadline = Instant::now() + Duration::from_secs(400);
    loop {
        assert!(Instant::now() < deadline, "hangs: {}", study.said());
        thread::sleep(Duration::from_micros(rng.random_range(0..200_000)));
        if study.controller.try_wait().unwrap().is_some() {
            let code = study.wait();
            let broken = !study.is_mended() && code == Some(ARM_FAILED);
            assert!(code == Some(0) || broken, "{code:?}: {}", study.said());
            return injuries;
        }
        if injuries >= most {
            continue;
        }
        injuries += u64::from(injure(study, rng));
    }
}

/// Damages a study once. Returns false if there was no process to damage.
fn injure(study: &mut Injured, rng: &mut impl rand::Rng) -> bool {
    let own = i32::try_from(study.controller.id()).unwrap();
    let before = study.place();
    match rng.random_range(0..16) {
        0..3 => signal(own, Signal::KILL),
        3..6 => {
            for pid in study.processes() {
                signal(pid, Signal::KILL);
            }
        }
        6..11 => {
            let mut others = study.processes();
            others.retain(|&pid| pid != own);
            if others.is_empty() {
                return false;
            }
            signal(others[rng.random_range(0..others.len())], Signal::KILL);
            return true;
        }
        11 => {
            signal(own, Signal::KILL);
            study.move_away();
        }
        // The controller finds out by itself.
        12 => study.move_away(),
        13 => {
            signal(own, Signal::INT);
            thread::sleep(Duration::from_millis(20));
            signal(own, Signal::INT);
        }
        14 => signal(own, Signal::TERM),
        _ => {
            signal(own, Signal::KILL);
            study.mend();
        }
    }
    let code = study.wait();
    let is_moved = study.place() != before;
    let is_spent = study.is_mended() && study.said().contains("the budget under [goal] is spent");
    match code {
        // It was faster; the next one finds the study at its end.
        None | Some(0 | LEFT | ARM_FAILED) => {}
        // It had not opened the ledger yet, or was told of a retry that an earlier controller has made, to the end of the budget.
        Some(USAGE) if is_moved || is_spent => {}
        Some(code) => panic!("left with {code}: {}", study.said()),
    }
    assert!(
        !is_moved || !before.exists(),
        "{} was begun anew",
        before.display()
    );
    // A controller that was killed before it noted the retry has not made it: the next one is told again.
    let arguments: &[&str] = if study.is_mended() && !is_spent {
        &["--retry", "all"]
    } else {
        &[]
    };
    study.resume(rng.random_range(2..=8), arguments);
    true
}

/// Checks a study that has ended; returns the number of evaluations made more than once.
fn audit(study: &mut Injured) -> usize {
    let (history, again) = counted_once(study);
    let (least, most) = study.clock();
    assert!(
        (least..=most).contains(&history.clock),
        "the clock shows {} s, not {least} to {most}",
        history.clock
    );
    again
}

/// Checks that every evaluation of a study that has ended counts once, with its own score, and that
/// no share of a GPU was given twice. Returns how many evaluations were made more than once.
pub(super) fn counted_once(study: &Injured) -> (History, usize) {
    let (file, history) = ended(&study.place());
    let finished = study.lines("finished");
    let mut known = BTreeSet::new();
    let mut counted = 0;
    for record in history.records.values() {
        let case = record.evaluation.case;
        let arm = file.arms().name(record.evaluation.arm);
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
            _ if arm == "broken" => counted += 1,
            _ => panic!("{line} failed: {:?}", ending.message),
        }
        // Failures that are forgiven are made again on the same case.
        let is_new = known.insert(line.clone());
        assert!(is_new || arm == "broken", "{line}: decided twice");
    }
    assert_eq!(counted, EVALUATIONS);
    let unknown: Vec<&String> = finished
        .keys()
        .filter(|line| !known.contains(*line))
        .collect();
    assert!(unknown.is_empty(), "made and not known: {unknown:?}");
    assert_eq!(
        study.lines("crowded"),
        BTreeMap::new(),
        "shares of GPUs were given twice"
    );
    let again = finished.values().filter(|&&times| times > 1).count();
    (history, again)
}

/// Returns another user with few processes for every second study, if the test runs as root.
fn user_of(study: u64, rng: &mut impl rand::Rng) -> User {
    let processes = rng.random_range(9..=14);
    if study.is_multiple_of(2) {
        return User::Own;
    }
    if !rustix::process::geteuid().is_root() {
        crate::skipped::skipped_on_this_machine(
            "no study with few processes, as only root can run one as another user",
        );
        return User::Own;
    }
    let id = 40_000 + std::process::id() % 20_000;
    User::Limited { id, processes }
}

fn torture_studies(injuries: u64, seed: u64) {
    let mut rng = Streams::new(seed).run(7);
    let (mut made, mut again, mut studies) = (0, 0, 0);
    while made < injuries {
        let user = user_of(studies, &mut rng);
        let mut study = Injured::start(seed * 1000 + studies, user);
        let most = INJURIES_OF_A_STUDY.min(injuries - made);
        made += torture(&mut study, &mut rng, most);
        again += audit(&mut study);
        study.assert_nobody_is_left();
        studies += 1;
    }
    eprintln!(
        "seed {seed}: injured {made} times over {studies} studies of {EVALUATIONS} evaluations, each counted once; {again} were made again"
    );
}

#[test]
fn whatever_is_injured_every_evaluation_counts_once_and_no_gpu_is_crowded() {
    torture_studies(
        setting("FIESTA_TORTURE_KILLS", 30).min(60),
        setting("FIESTA_TORTURE_SEED", 1),
    );
}

#[test]
#[ignore = "heavy: 600 injuries"]
fn whatever_is_injured_again_and_again() {
    let injuries = setting("FIESTA_TORTURE_KILLS", 150);
    for seed in 1..=4 {
        torture_studies(injuries, seed);
    }
}
