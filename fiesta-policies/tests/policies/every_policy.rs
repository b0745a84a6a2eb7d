//! Tests of properties of every policy that has a name.

use super::{
    arm, arms,
    runs::{endless, finish, limited},
};
use fiesta_core::{Agreement, Ask, Event, FailureLimits, Limit, Outcome, Policy, Reason, Selector};
use fiesta_policies::{
    POLICIES, Parameters, PolicyError, TieBreakName, parameters_of, policy_by_name, resolve,
    simulate::{Gaussian, Simulation},
    stopping::PosteriorThreshold,
};
use fiesta_posterior::GaussianArms;
use proptest::{prelude::*, test_runner::TestCaseError};

pub(crate) fn parameters() -> Parameters {
    Parameters {
        arms: 4,
        budget: Some(50),
        batch: 3,
        extended: true,
        beta: None,
        tie_break: None,
        baseline: None,
    }
}

/// Returns every policy, with every tie-break that it takes.
pub(crate) fn all() -> Vec<(&'static str, Parameters)> {
    let tie_breaks = ["coin", "balanced", "cost-aware"].map(|name| name.parse().ok());
    let mut all = Vec::new();
    for (name, _) in POLICIES {
        all.push((name, parameters()));
        if parameters_of(name).contains(&"tie-break") {
            all.extend(tie_breaks.map(|tie_break| {
                (
                    name,
                    Parameters {
                        tie_break,
                        ..parameters()
                    },
                )
            }));
        }
    }
    all
}

fn error(name: &str, parameters: &Parameters) -> PolicyError {
    policy_by_name(name, parameters).err().unwrap()
}

#[test]
fn has_a_name_that_builds_it() {
    for (name, what) in POLICIES {
        let policy = policy_by_name(name, &parameters()).unwrap();
        assert_eq!(
            policy.needs_posterior(),
            !matches!(
                name,
                "uniform" | "sequential-halving" | "successive-rejects" | "ucb-e" | "turns"
            )
        );
        assert!(!what.is_empty());
    }
}

/// Tests that `auto` depends on the stopping rule, and on nothing else.
#[test]
fn auto_is_what_serves_the_stopping_rule() {
    assert_eq!(resolve("auto", "anytime", "pool"), "evidence");
    assert_eq!(resolve("auto", "posterior", "paired"), "ttps");
    assert_eq!(resolve("auto", "posterior", "pool"), "pool");
    assert_eq!(resolve("auto", "gate", "pool"), "turns");
    for (name, _) in POLICIES.into_iter().filter(|&(name, _)| name != "auto") {
        for (stopping, _) in fiesta_policies::stopping::NAMES {
            assert_eq!(resolve(name, stopping, "paired"), name);
        }
    }
}

#[test]
fn unknown_names_are_told_the_known_ones() {
    let message = error("tts", &parameters()).to_string();
    assert!(message.contains("`tts`"), "{message}");
    assert!(
        POLICIES.iter().all(|(name, _)| message.contains(name)),
        "{message}"
    );
}

#[test]
fn parameters_are_checked() {
    let without = Parameters {
        budget: None,
        ..parameters()
    };
    for name in ["sequential-halving", "successive-rejects", "ucb-e"] {
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
    for name in ["ttts", "auto", "pets", "t3c", "eb-tci", "ttucb"] {
        assert!(error(name, &certain).to_string().contains("beta"));
    }
    let share_of_no_coin = Parameters {
        beta: Some(0.4),
        tie_break: Some(TieBreakName::Balanced),
        ..parameters()
    };
    for name in ["ttts", "eb-tci"] {
        assert_eq!(error(name, &share_of_no_coin), PolicyError::BetaWithoutCoin);
    }
    let message = "dice".parse::<TieBreakName>().unwrap_err().to_string();
    assert!(message.contains("`dice`") && message.contains("cost-aware"));
    // What a policy does not need may be missing.
    for name in [
        "uniform", "ts", "ttts", "bts", "pets", "t3c", "eb-tci", "ttucb",
    ] {
        assert!(policy_by_name(name, &without).is_ok());
    }
}

fn selector(name: &str, parameters: &Parameters, seed: u64) -> Selector {
    let policy: Box<dyn Policy> = policy_by_name(name, parameters).unwrap();
    Selector::builder(
        arms(4),
        GaussianArms::pooled(4),
        policy,
        PosteriorThreshold::new(0.99).unwrap(),
    )
    .seed(seed)
    .limits(limited(60))
    .build()
    .unwrap()
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Asked(Ask),
    Told(Event),
}

/// Makes a whole run of a policy; `ends` says which of the pending evaluations ends next and how,
/// `again` how often a waiting selector is asked once more.
fn run(
    name: &str,
    parameters: &Parameters,
    seed: u64,
    workers: usize,
    ends: &[(usize, u8, f64)],
    again: &[usize],
) -> Result<Vec<Step>, TestCaseError> {
    let mut selector = selector(name, parameters, seed);
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
            // Dearer arms further on, and a free one.
            cost: e.arm.index() as f64,
        };
        selector.tell(event).unwrap();
        log.push(Step::Told(event));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Tests that waiting leaves no trace in any policy, and a record of any is replayed exactly.
    #[test]
    fn is_a_function_of_seed_and_events(
        seed: u64,
        workers in 1..7_usize,
        ends in prop::collection::vec((any::<usize>(), 0..10_u8, 0.0..1.0_f64), 1..80),
        again in prop::collection::vec(0..3_usize, 1..10),
    ) {
        for (name, parameters) in &all() {
            let log = run(name, parameters, seed, workers, &ends, &[0])?;
            let other = run(name, parameters, seed, workers, &ends, &again)?;
            prop_assert_eq!(&other, &log, "{}", name);
            let mut replayed = selector(name, parameters, seed);
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

/// Tests that an arm that never succeeds is retired before anything is known of it: no policy
/// stalls on it, asks for it again or recommends it, with one worker or several.
#[test]
fn gets_along_without_an_arm_that_never_succeeds() {
    for (name, parameters) in &all() {
        for (workers, failing) in [(1, 0), (1, 3), (5, 0), (5, 2)] {
            let policy = policy_by_name(name, parameters).unwrap();
            let mut selector = endless(4, policy, FailureLimits::default(), limited(50));
            let end = finish(&mut selector, workers, 1, |index, turn| {
                if index == failing {
                    Outcome::Failed
                } else {
                    Outcome::Observed(index as f64 + (turn as f64).sin())
                }
            });
            let what = format!("{name} {parameters:?}, {workers} workers");
            assert_ne!(end.arm, arm(failing), "{what}");
            let attempts = selector.view().attempts(arm(failing));
            assert!(attempts < 3 + workers as u64, "{what}: {attempts}");
        }
    }
}

/// Tests a fixed budget with any top-two policy: it is spent to the last evaluation, and the arm
/// with the highest mean is recommended.
#[test]
fn any_top_two_policy_runs_to_a_budget() {
    let mut found = 0.0;
    let policies: Vec<_> = all()
        .into_iter()
        .filter(|(name, _)| parameters_of(name).contains(&"tie-break"))
        .collect();
    // `auto` among them.
    assert_eq!(policies.len(), 7 * 4);
    for (name, parameters) in &policies {
        let problem = Gaussian::new([(0.5, 0.1), (0.6, 0.1), (0.75, 0.1), (0.55, 0.1)]).unwrap();
        let summary = Simulation::new(&problem, 20)
            .budget(
                |arms| Box::new(GaussianArms::pooled(arms)),
                || policy_by_name(name, parameters).unwrap(),
                80,
            )
            .unwrap();
        assert_eq!((summary.min, summary.max), (80, 80), "{name}");
        found += summary.correct / policies.len() as f64;

        let policy = policy_by_name(name, parameters).unwrap();
        let mut selector = endless(4, policy, FailureLimits::default(), limited(30));
        let end = finish(&mut selector, 1, 1, |index, turn| {
            Outcome::Observed((7.0 * index as f64 + 3.0 * turn as f64).sin())
        });
        assert_eq!(end.reason, Reason::Limit(Limit::Evaluations(30)), "{name}");
        assert_eq!(Some(end.arm), selector.view().empirical_best(), "{name}");
    }
    // 1.5 standard deviations apart and 20 evaluations an arm on average: hardly ever another.
    assert!(found >= 0.99, "{found}");
}
