//! What holds of every policy that has a name.

use super::{arm, arms};
use fiesta_core::{Agreement, Ask, Event, Limits, Outcome, Policy, Selector};
use fiesta_policies::{NAMES, Parameters, PolicyError, by_name, stopping::PosteriorThreshold};
use fiesta_posterior::GaussianArms;
use proptest::{prelude::*, test_runner::TestCaseError};

fn parameters() -> Parameters {
    Parameters {
        arms: 4,
        budget: Some(50),
        batch: 3,
        extended: true,
        beta: None,
        tie_break: None,
    }
}

fn error(name: &str, parameters: &Parameters) -> PolicyError {
    by_name(name, parameters).err().unwrap()
}

#[test]
fn has_a_name_that_builds_it() {
    for (name, what) in NAMES {
        let policy = by_name(name, &parameters()).unwrap();
        assert_eq!(
            policy.needs_posterior(),
            !matches!(
                name,
                "uniform" | "sequential-halving" | "successive-rejects"
            )
        );
        assert!(!what.is_empty());
    }
}

#[test]
fn unknown_names_are_told_the_known_ones() {
    let message = error("tts", &parameters()).to_string();
    assert!(message.contains("`tts`"), "{message}");
    assert!(
        NAMES.iter().all(|(name, _)| message.contains(name)),
        "{message}"
    );
}

#[test]
fn parameters_are_checked() {
    let without = Parameters {
        budget: None,
        ..parameters()
    };
    for name in ["sequential-halving", "successive-rejects"] {
        assert_eq!(error(name, &without), PolicyError::NoBudget(name));
        let message = PolicyError::NoBudget(name).to_string();
        assert!(message.contains(name) && message.contains("budget"));
    }
    let small = Parameters {
        budget: Some(7),
        ..parameters()
    };
    let message = error("sequential-halving", &small).to_string();
    assert!(message.contains("at least 8"), "{message}");
    let certain = Parameters {
        beta: Some(1.0),
        ..parameters()
    };
    for name in ["ttts", "auto"] {
        assert!(error(name, &certain).to_string().contains("beta"));
    }
    // What a policy does not need may be missing.
    for name in ["uniform", "ts", "ttts", "bts"] {
        assert!(by_name(name, &without).is_ok());
    }
}

fn selector(name: &str, seed: u64) -> Selector {
    let policy: Box<dyn Policy> = by_name(name, &parameters()).unwrap();
    let limits = Limits {
        evaluations: Some(60),
        ..Limits::default()
    };
    Selector::builder(
        arms(4),
        GaussianArms::pooled(4),
        policy,
        PosteriorThreshold::new(0.99).unwrap(),
    )
    .seed(seed)
    .limits(limits)
    .build()
    .unwrap()
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Asked(Ask),
    Told(Event),
}

/// A whole run; `ends` says which of the pending ends next and how, `again` how often a waiting selector is
/// asked once more.
fn run(
    name: &str,
    seed: u64,
    workers: usize,
    ends: &[(usize, u8, f64)],
    again: &[usize],
) -> Result<Vec<Step>, TestCaseError> {
    let mut selector = selector(name, seed);
    let (mut ends, mut again) = (ends.iter().cycle(), again.iter().cycle());
    let mut log = Vec::new();
    loop {
        while selector.pending().count() < workers {
            let ask = selector.ask().unwrap();
            log.push(Step::Asked(ask.clone()));
            match ask {
                Ask::Evaluate(_) => {}
                Ask::Wait => {
                    for _ in 0..*again.next().unwrap() {
                        prop_assert_eq!(selector.ask(), Ok(Ask::Wait));
                    }
                    break;
                }
                Ask::Finished(_) => return Ok(log),
            }
        }
        let &(place, kind, score) = ends.next().unwrap();
        let pending: Vec<_> = selector.pending().collect();
        let e = pending[place % pending.len()];
        // Only the last arm fails, and is retired sooner or later.
        let outcome = match kind {
            0..3 if e.arm == arm(3) => Outcome::Failed,
            3 if log.len() < 300 => Outcome::Withdrawn,
            _ => Outcome::Observed(score),
        };
        let event = Event::Ended {
            id: e.id,
            outcome,
            cost: 1.0,
        };
        selector.tell(event).unwrap();
        log.push(Step::Told(event));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Waiting leaves no trace in any policy, and a record of any is replayed exactly.
    #[test]
    fn is_a_function_of_seed_and_events(
        seed: u64,
        workers in 1..7_usize,
        ends in prop::collection::vec((any::<usize>(), 0..10_u8, 0.0..1.0_f64), 1..80),
        again in prop::collection::vec(0..3_usize, 1..10),
    ) {
        for (name, _) in NAMES {
            let log = run(name, seed, workers, &ends, &[0])?;
            prop_assert_eq!(&run(name, seed, workers, &ends, &again)?, &log, "{}", name);
            let mut replayed = selector(name, seed);
            for step in &log {
                match step {
                    Step::Asked(ask) => {
                        prop_assert_eq!(replayed.replay(ask), Ok(Agreement::Same), "{}", name);
                    }
                    Step::Told(event) => replayed.tell(*event).unwrap(),
                }
            }
        }
    }
}
