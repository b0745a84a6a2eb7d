//! Tests of TS and PETS on systems that are compared by F-measure: algorithms 1 and 2 of Haffari et
//! al., step by step.

use super::{agree, arms};
use fiesta_core::{
    ArmId, Ask, Case, Counts, Design, EvaluationId, Event, FBeta, Limit, Limits, Observe, Outcome,
    Policy, Reason, Selector, StoppingRule, Streams, Verdict, View,
};
use fiesta_policies::{
    Parameters, policy_by_name,
    simulate::{Problem, SyntheticDocuments},
    stopping::{Never, PosteriorThreshold},
};
use fiesta_posterior::f_measure::{Concentration, FMeasureArms};
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::sync::{Arc, Mutex};

/// Returns the paper's model of three systems, with its number of draws; its α is 1.
fn posterior(alpha: f64) -> FMeasureArms {
    FMeasureArms::new(3)
        .concentration(Concentration::fixed(alpha).unwrap())
        .draws(1000)
}

fn policy(name: &str, beta: Option<f64>) -> Box<dyn Policy> {
    let parameters = Parameters {
        arms: 3,
        beta,
        ..Parameters::default()
    };
    policy_by_name(name, &parameters).unwrap()
}

/// Counts of one document of each of three systems, after which the first leads and each has a chance.
const DOCUMENTS: [[u64; 4]; 3] = [[13, 1, 5, 1], [7, 6, 5, 2], [5, 6, 6, 3]];

/// Draws of all systems as the paper makes them, independent of the draws behind the beliefs; they
/// give the best system of each draw.
struct Drawn {
    /// F of each system's draws, each with the sum of the weights up to it.
    systems: Vec<Vec<(f64, f64)>>,
}

impl Drawn {
    fn new() -> Self {
        let mut posterior = posterior(10.0);
        let case = Case { split: 0, seed: 0 };
        for (arm, cells) in ArmId::all(3).zip(DOCUMENTS) {
            let counts = Counts::from_cells(cells);
            posterior.observe(arm, case, counts).unwrap();
        }
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let draws = |arm| {
            let mut sum = 0.0;
            let draws = posterior.sample(arm, 100_000, &mut rng).unwrap();
            let with_sum = |(theta, _, weight): ([f64; 4], f64, f64)| {
                sum += weight;
                (FBeta::F1.of(theta), sum)
            };
            draws.iter().map(with_sum).collect()
        };
        Self {
            systems: ArmId::all(3).map(draws).collect(),
        }
    }

    fn best(&self, rng: &mut impl Rng) -> usize {
        let f = |draws: &Vec<(f64, f64)>| {
            let uniform: f64 = rng.random();
            let place = draws.partition_point(|&(_, sum)| sum < uniform);
            draws[place.min(draws.len() - 1)].0
        };
        let f: Vec<f64> = self.systems.iter().map(f).collect();
        (0..3).max_by(|&a, &b| f[a].total_cmp(&f[b])).unwrap()
    }
}

/// Returns how often each system is queried next, in `number` decisions on the same knowledge.
fn decisions(policy: Box<dyn Policy>, number: u32) -> Vec<f64> {
    let mut selector = Selector::builder(arms(3), posterior(10.0), policy, Never)
        .seed(4)
        .build()
        .unwrap();
    let mut next = || match selector.ask().unwrap() {
        Ask::Evaluate(evaluation) => evaluation,
        other => panic!("no query but {other:?}"),
    };
    let first = [next(), next(), next()];
    for e in first {
        let counts = Counts::from_cells(DOCUMENTS[e.arm.index()]);
        tell(&mut selector, e.id, counts);
    }
    let mut chosen = vec![0.0; 3];
    for _ in 0..number {
        let Ask::Evaluate(evaluation) = selector.ask().unwrap() else {
            panic!("no query")
        };
        chosen[evaluation.arm.index()] += 1.0;
    }
    chosen
}

fn tell(selector: &mut Selector<Counts>, id: EvaluationId, counts: Counts) {
    let outcome = Outcome::Observed(counts);
    let cost = 1.0;
    selector.tell(Event::Ended { id, outcome, cost }).unwrap();
}

const DECISIONS: u32 = 4000;

/// Tests Thompson sampling against the algorithm as it is printed: draw, and query the best.
#[test]
fn ts_queries_the_best_of_a_draw() {
    let drawn = Drawn::new();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut wins = [0.0; 3];
    let draws = 2000;
    for _ in 0..draws {
        wins[drawn.best(&mut rng)] += 1.0 / f64::from(draws);
    }
    assert!(wins.iter().all(|&p| p > 0.03), "{wins:?}");
    assert!(wins[0] > 0.6, "{wins:?}");
    within(&decisions(policy("ts", None), DECISIONS), &wins, draws);
}

/// Tests PETS against the algorithm as it is printed: draw; with probability β query the best,
/// otherwise draw until another is best, and query that.
#[test]
fn pets_queries_the_best_or_the_next() {
    let drawn = Drawn::new();
    for beta in [0.5, 0.9] {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut queried = [0.0; 3];
        let draws = 2000;
        for _ in 0..draws {
            let first = drawn.best(&mut rng);
            let mut next = first;
            if rng.random::<f64>() >= beta {
                while next == first {
                    next = drawn.best(&mut rng);
                }
            }
            queried[next] += 1.0 / f64::from(draws);
        }
        within(
            &decisions(policy("pets", Some(beta)), DECISIONS),
            &queried,
            draws,
        );
    }
    agree(
        &decisions(policy("pets", None), DECISIONS),
        &decisions(policy("pets", Some(0.5)), DECISIONS)
            .iter()
            .map(|n| n / f64::from(DECISIONS))
            .collect::<Vec<f64>>(),
    );
}

/// Asserts that counts and shares agree to within 4.5 standard errors. Beliefs are worth some 1,000
/// draws.
fn within(counts: &[f64], shares: &[f64], draws: u32) {
    let n: f64 = counts.iter().sum();
    for (count, p) in counts.iter().zip(shares) {
        let error = (p * (1.0 - p) * (1.0 / n + 1.0 / f64::from(draws) + 1e-3)).sqrt();
        assert!((count / n - p).abs() < 4.5 * error, "{counts:?} {shares:?}");
    }
}

/// Stopping rule of the paper that notes the beliefs which it sees.
#[derive(Clone)]
struct Noted {
    rule: PosteriorThreshold,
    beliefs: Arc<Mutex<Vec<f64>>>,
}

impl StoppingRule<Counts> for Noted {
    fn check(&self, view: &View<'_>) -> Verdict {
        if let Some(belief) = view.belief() {
            self.beliefs.lock().unwrap().push(belief.leader().1);
        }
        StoppingRule::<Counts>::check(&self.rule, view)
    }
}

/// Makes queries until the end: returns the systems in turn, the beliefs at the looks, and why it
/// ended.
fn study(name: &str, rule: PosteriorThreshold, most: u64) -> (Vec<usize>, Vec<f64>, Reason) {
    let systems = vec![
        [0.5, 0.1, 0.3, 0.1],
        [0.4, 0.2, 0.2, 0.2],
        [0.1, 0.3, 0.3, 0.3],
    ];
    let problem = SyntheticDocuments::new(systems, 1.0, 50, FBeta::F1).unwrap();
    let streams = Streams::new(7);
    let mut documents = problem.observations(Design::Shared, &streams, 0);
    let noted = Noted {
        rule,
        beliefs: Arc::default(),
    };
    let mut selector =
        Selector::builder(arms(3), posterior(1.0), policy(name, None), noted.clone())
            .limits(Limits {
                evaluations: Some(most),
                ..Limits::default()
            })
            .seed(1)
            .build()
            .unwrap();
    let mut queried = Vec::new();
    let reason = loop {
        match selector.ask().unwrap() {
            Ask::Evaluate(e) => {
                queried.push(e.arm.index());
                tell(&mut selector, e.id, documents.observe(e.arm, e.case));
            }
            Ask::Wait => panic!("nothing is running"),
            Ask::Finished(conclusion) => break conclusion.reason,
        }
    };
    let beliefs = noted.beliefs.lock().unwrap().clone();
    (queried, beliefs, reason)
}

/// Tests that every system is queried once, then as the policy says until P(best) ≥ 1 − δ, and not
/// once more.
#[test]
fn begins_and_ends_as_the_paper_says() {
    for name in ["ts", "pets"] {
        let rule = PosteriorThreshold::at_once(0.95).unwrap();
        let (queried, beliefs, reason) = study(name, rule, 5000);
        let mut first = queried[..3].to_vec();
        first.sort_unstable();
        assert_eq!(first, [0, 1, 2], "{name}: {queried:?}");
        assert!(
            queried.len() > 5,
            "{name} has nothing to decide: {queried:?}"
        );
        assert_eq!(reason, Reason::PosteriorProbability { level: 0.95 });
        let (last, before) = beliefs.split_last().unwrap();
        assert!(*last >= 0.95, "{name}: {beliefs:?}");
        assert!(before.iter().all(|&p| p < 0.95), "{name}: {beliefs:?}");
    }
}

/// Tests that the default stopping rule, which waits for more documents, goes on where the paper's rule ends.
#[test]
fn waiting_takes_longer() {
    let at_once = study("ts", PosteriorThreshold::at_once(0.8).unwrap(), 5000);
    let waiting = study("ts", PosteriorThreshold::new(0.8).unwrap(), 5000);
    assert!(at_once.0.len() < waiting.0.len());
    assert_eq!(waiting.0[..at_once.0.len()], at_once.0);
}

#[test]
fn no_more_queries_than_allowed() {
    for name in ["ts", "pets"] {
        let rule = PosteriorThreshold::at_once(0.999_999).unwrap();
        let (queried, _, reason) = study(name, rule, 12);
        assert_eq!(queried.len(), 12, "{name}");
        assert_eq!(reason, Reason::Limit(Limit::Evaluations(12)), "{name}");
    }
}
