//! Tests of the replay of recorded counts of documents.

use super::{Design, Observe, Policy, Problem, Simulation, uniform};
use fiesta_core::{
    ArmId, Belief, Case, Counts, FBeta, Marginal, ObserveError, Posterior, Reason, StoppingRule,
    Streams, Verdict, View,
};
use fiesta_policies::{
    simulate::{Durations, MakeRule, RecordedItems, RecordedItemsError},
    stopping::{OfScores, PosteriorThreshold},
};
use fiesta_posterior::{AsScores, FMeasureArms, GaussianArms, f_measure::Measure};
use rand::Rng;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

const DOCUMENTS: u64 = 9;

/// Returns counts that say whose and of which document they are.
fn telling() -> RecordedItems<Counts> {
    let arms = (0..3_u64).map(|arm| {
        let counts = |document| Counts::from_cells([document + 1, arm, 0, 10 + arm]);
        let documents = (0..DOCUMENTS).map(|document| (format!("d{document}"), counts(document)));
        (format!("arm{arm}"), documents.collect())
    });
    RecordedItems::of_counts(arms, FBeta::F1).unwrap()
}

/// Observation that a posterior was given: number of the run, arm, document and counts.
type Noted = (usize, usize, u64, Counts);

/// Posterior that notes every observation.
struct Spy {
    inner: AsScores<GaussianArms<fiesta_posterior::Pooled>>,
    noted: Arc<Mutex<Vec<Noted>>>,
    run: usize,
}

impl Posterior for Spy {
    fn arms(&self) -> usize {
        self.inner.arms()
    }
    fn required(&self, arm: ArmId) -> u64 {
        self.inner.required(arm)
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        self.inner.mean(arm)
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        self.inner.marginal(arm)
    }
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        self.inner.difference(a, b)
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        self.inner.draw(rng, means);
    }
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        self.inner.belief(candidates)
    }
    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        self.inner.within(arm, margin, candidates)
    }
}

impl Observe<Counts> for Spy {
    fn observe(&mut self, arm: ArmId, case: Case, counts: Counts) -> Result<(), ObserveError> {
        let noted = (self.run, arm.index(), case.split, counts);
        self.noted.lock().unwrap().push(noted);
        self.inner.observe(arm, case, counts)
    }
}

/// Tests that every arm gets every document once, each its own counts, all arms in the same order,
/// which is another one in another run.
#[test]
fn documents_come_without_replacement_in_one_order_for_all_arms() {
    const RUNS: usize = 6;
    let problem = telling();
    let noted = Arc::new(Mutex::new(Vec::new()));
    let next = Mutex::new(0);
    let posterior = |arms: usize| -> Box<dyn Observe<Counts>> {
        let mut next = next.lock().unwrap();
        *next += 1;
        Box::new(Spy {
            inner: AsScores {
                posterior: GaussianArms::pooled(arms),
                f_beta: FBeta::F1,
            },
            noted: Arc::clone(&noted),
            run: *next - 1,
        })
    };
    let simulation = Simulation::new(&problem, RUNS as u64)
        .design(problem.design())
        .workers(4, Durations::Constant)
        .threads(1);
    let summary = simulation.budget(posterior, uniform, 1000).unwrap();
    assert_eq!((summary.min, summary.max), (3 * DOCUMENTS, 3 * DOCUMENTS));
    assert_eq!((summary.exhausted, summary.capped), (RUNS as u64, 0));
    let noted = noted.lock().unwrap();
    let mut orders = BTreeSet::new();
    for run in 0..RUNS {
        let of = |wanted| -> Vec<u64> {
            let all = noted
                .iter()
                .filter(|&&(at, arm, ..)| (at, arm) == (run, wanted));
            all.map(|&(_, arm, document, counts)| {
                let arm = arm as u64;
                assert_eq!(counts.cells(), [document + 1, arm, 0, 10 + arm]);
                document
            })
            .collect()
        };
        assert_eq!(of(0), of(1));
        assert_eq!(of(0), of(2));
        let distinct: BTreeSet<u64> = of(0).into_iter().collect();
        assert_eq!(distinct, (0..DOCUMENTS).collect());
        orders.insert(of(0));
    }
    assert_eq!(orders.len(), RUNS);
}

fn sure(problem: &RecordedItems<Counts>, f: bool) -> fiesta_policies::simulate::SimulationSummary {
    let documents = problem.items();
    let posterior = move |arms: usize| -> Box<dyn Observe<Counts>> {
        if f {
            Box::new(
                FMeasureArms::new(arms)
                    .measure(Measure::F(FBeta::F1))
                    .documents(documents),
            )
        } else {
            let posterior = GaussianArms::pooled(arms);
            Box::new(AsScores {
                posterior,
                f_beta: FBeta::F1,
            })
        }
    };
    let rule: MakeRule<'_, Counts> = Box::new(|| -> Box<dyn StoppingRule<Counts>> {
        let rule = PosteriorThreshold::new(0.999_999_999).unwrap();
        Box::new(OfScores {
            rule,
            f_beta: FBeta::F1,
        })
    });
    let policy = || -> Box<dyn Policy> { uniform() };
    let simulation = Simulation::new(problem, 8)
        .design(problem.design())
        .threads(1);
    let summaries = simulation.confidence(posterior, policy, &[rule]);
    summaries.unwrap().remove(0)
}

/// Tests that a posterior that knows the collection ends with certainty; one that does not ends
/// without a claim.
#[test]
fn the_end_of_the_collection_is_told_from_the_goal_and_from_the_cap() {
    let known = sure(&telling(), true);
    assert_eq!((known.exhausted, known.capped, known.wrong), (0, 0, 0));
    assert!((known.correct - 1.0).abs() < 1e-12);
    let unknown = sure(&telling(), false);
    assert_eq!(
        (unknown.exhausted, unknown.capped, unknown.wrong),
        (8, 0, 0)
    );
}

#[test]
fn the_best_has_the_highest_f_of_all_counts() {
    let counts = |cells: [[u64; 4]; 2]| {
        let named = ["x", "y"].map(str::to_owned).into_iter();
        named.zip(cells.map(Counts::from_cells)).collect::<Vec<_>>()
    };
    // 180/200 and 1/4 against 60/120 and 1: pooled F of the first is higher, the mean of the
    // documents' of the second.
    let arms = [
        ("long".to_owned(), counts([[90, 10, 0, 10], [1, 3, 0, 3]])),
        ("short".to_owned(), counts([[30, 30, 0, 30], [5, 0, 0, 0]])),
        ("same".to_owned(), counts([[1, 3, 5, 3], [90, 10, 7, 10]])),
    ];
    let problem = RecordedItems::of_counts(arms, FBeta::F1).unwrap();
    let best: Vec<bool> = ArmId::all(3).map(|arm| problem.is_best(arm)).collect();
    assert_eq!(best, [true, false, true]);
    assert_eq!(problem.design(), Design::Items { count: 2 });
    let low = problem.standardised(ArmId::new(0), Counts::from_cells([1, 3, 0, 3]));
    assert!(
        (low + std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-12,
        "{low}"
    );
}

#[test]
fn refuses_what_cannot_be_replayed() {
    let hit = Counts::from_cells([1, 0, 0, 0]);
    let nothing = Counts::from_cells([0, 0, 9, 0]);
    let refused = |a: &[(&str, Counts)], b: &[(&str, Counts)]| {
        let owned =
            |all: &[(&str, Counts)]| all.iter().map(|&(name, c)| (name.to_owned(), c)).collect();
        let arms = [("a".to_owned(), owned(a)), ("b".to_owned(), owned(b))];
        RecordedItems::of_counts(arms, FBeta::F1).unwrap_err()
    };
    let names = |arm: &str, document: &str| (arm.to_owned(), document.to_owned());
    let (arm, item) = names("b", "y");
    assert_eq!(
        refused(&[("x", hit), ("y", hit), ("z", hit)], &[("x", hit)]),
        RecordedItemsError::Hole { arm, item }
    );
    let (arm, item) = names("a", "z");
    assert_eq!(
        refused(&[("x", hit)], &[("x", hit), ("z", hit)]),
        RecordedItemsError::Hole { arm, item }
    );
    let (arm, item) = names("a", "x");
    assert_eq!(
        refused(&[("x", hit), ("x", hit)], &[("x", hit)]),
        RecordedItemsError::Twice { arm, item }
    );
    assert_eq!(
        refused(&[("x", hit), ("y", hit)], &[("x", nothing), ("y", nothing)]),
        RecordedItemsError::NoPositives("b".to_owned())
    );
    let alone = [("a".to_owned(), vec![("x".to_owned(), hit)])];
    assert!(matches!(
        RecordedItems::of_counts(alone, FBeta::F1),
        Err(RecordedItemsError::Arms(_))
    ));
}

/// Tests that each arm's every answer comes once, none twice, and that the best is by the mean over
/// the pool.
#[test]
fn scores_are_replayed_without_replacement() {
    let arms = [[1.0, 0.0, 0.5], [0.5, 0.5, 0.75]].map(|scores| {
        let items = ["x", "y", "z"].map(str::to_owned);
        items.into_iter().zip(scores).collect::<Vec<_>>()
    });
    let arms = ["a", "b"].map(str::to_owned).into_iter().zip(arms);
    let problem = RecordedItems::of_scores(arms).unwrap();
    assert!(problem.is_best(ArmId::new(1)) && !problem.is_best(ArmId::new(0)));
    assert_eq!(problem.design(), Design::Items { count: 3 });
    let mut answers = problem.observations(problem.design(), &fiesta_core::Streams::new(1), 0);
    let case = |split| Case { split, seed: 0 };
    let of_a: Vec<f64> = (0..3)
        .map(|item| answers.observe(ArmId::new(0), case(item)))
        .collect();
    assert_eq!(of_a, [1.0, 0.0, 0.5]);
}

/// Tests two arms that differ on one of 200 items, looked at after every answer: the other one is
/// named in no more than δ = .2 of 400 runs, with an allowance of 4 standard errors. A rule on the
/// probability of the pair alone names it in nearly half.
#[test]
fn a_pool_is_claimed_as_rarely_wrongly_as_said() {
    let score = |right: bool| f64::from(u8::from(right));
    let answers = |right: &dyn Fn(u64) -> bool| -> Vec<(String, f64)> {
        let items = 0..200_u64;
        items
            .map(|item| (item.to_string(), score(right(item))))
            .collect()
    };
    // Each is right alone on 30 items, the first on one more.
    let arms = [
        ("a".to_owned(), answers(&|item| item < 100 || item == 199)),
        ("b".to_owned(), answers(&|item| (30..130).contains(&item))),
    ];
    let problem = RecordedItems::of_scores(arms).unwrap();
    let rule = || {
        let rule = PosteriorThreshold::new(0.8).unwrap();
        rule.tied_within(0.0.into()).unwrap()
    };
    let summaries = Simulation::new(&problem, 400)
        .design(problem.design())
        .seed(5)
        .confidence(
            |arms| fiesta_posterior::Pool::new(arms, 200),
            fiesta_policies::PoolPolicy::default,
            &[rule],
        )
        .unwrap();
    let (wrong, runs) = (summaries[0].wrong, 400);
    assert!(wrong <= 80 + 32, "{wrong} of {runs}");
    assert!(summaries[0].mean < 380.0, "{}", summaries[0].mean);
}

/// Returns the answers of six arms to 150 items: the first is wrong on one, each other on two of its own.
fn nearly_perfect() -> RecordedItems {
    let arms = (0..6_u64).map(|arm| {
        let missed = if arm == 0 {
            7..8
        } else {
            20 * arm..20 * arm + 2
        };
        let answer = |item: u64| {
            (
                item.to_string(),
                f64::from(u8::from(!missed.contains(&item))),
            )
        };
        (format!("arm{arm}"), (0..150).map(answer).collect())
    });
    RecordedItems::of_scores(arms).unwrap()
}

/// Tests a saturated pool, on which the arm that is lucky leads all others at once: a wrong arm is
/// named in no more than δ = .2 of 300 runs, with an allowance of 3 standard errors.
#[test]
fn of_many_nearly_perfect_arms_the_lucky_one_is_rarely_named() {
    let problem = nearly_perfect();
    let rule = || {
        let rule = PosteriorThreshold::new(0.8).unwrap();
        rule.tied_within(0.0.into()).unwrap()
    };
    let summaries = Simulation::new(&problem, 300)
        .design(problem.design())
        .seed(5)
        .confidence(
            |arms| fiesta_posterior::Pool::new(arms, 150),
            fiesta_policies::PoolPolicy::default,
            &[rule],
        );
    let wrong = summaries.unwrap()[0].wrong;
    assert!(wrong <= 60 + 21, "{wrong}");
}

/// Rule that stops at once, and calls these arms equal within a distance.
#[derive(Clone)]
struct CallsTied(Vec<ArmId>, f64);

impl StoppingRule<f64> for CallsTied {
    fn check(&self, _: &View<'_>) -> Verdict {
        let (arms, tolerance) = (self.0.clone(), self.1);
        let level = 0.9;
        Verdict::Stop(
            arms[0],
            Reason::Tied {
                level,
                tolerance,
                arms,
            },
        )
    }
}

/// Tests that a tie is wrong without the best arm in it, and with an arm that is farther from the
/// best than it says.
#[test]
fn a_false_tie_is_an_error() {
    let problem = nearly_perfect();
    let tie = |arms: &[usize], distance: f64| {
        CallsTied(arms.iter().map(|&arm| ArmId::new(arm)).collect(), distance)
    };
    let item = 1.0 / 150.0;
    for (rule, is_wrong) in [
        (tie(&[1, 2], 0.0), true),
        (tie(&[0, 1], 0.0), true),
        (tie(&[0, 1], 0.9 * item), true),
        (tie(&[0, 1], 1.1 * item), false),
        (tie(&[1, 2], 1.1 * item), true),
    ] {
        let simulation = Simulation::new(&problem, 3).design(problem.design());
        let summaries = simulation.confidence(
            |arms| fiesta_posterior::Pool::new(arms, 150),
            fiesta_policies::PoolPolicy::default,
            &[|| rule.clone()],
        );
        let summary = &summaries.unwrap()[0];
        let expected = if is_wrong { 3 } else { 0 };
        assert_eq!(
            (summary.tied, summary.false_ties, summary.wrong),
            (3, expected, expected)
        );
    }
}

/// Returns a problem of two arms with prices, of which the first is right on more of 300 items.
fn priced(prices: [f64; 2]) -> RecordedItems {
    let answers = |right: &dyn Fn(u64) -> bool| -> Vec<(String, f64)> {
        let score = |item| f64::from(u8::from(right(item)));
        (0..300)
            .map(|item| (item.to_string(), score(item)))
            .collect()
    };
    let arms = [
        ("a".to_owned(), answers(&|item| item % 10 < 7)),
        ("b".to_owned(), answers(&|item| item % 10 > 3)),
    ];
    let recorded = RecordedItems::of_scores(arms).unwrap();
    recorded.priced(prices).unwrap()
}

/// Returns all evaluations and their cost until an arm is claimed at .9, in the mean of 60 runs.
fn claimed(problem: &RecordedItems, policy: fn() -> fiesta_policies::PoolPolicy) -> (f64, f64) {
    let rule = || PosteriorThreshold::new(0.9).unwrap();
    let summaries = Simulation::new(problem, 60)
        .design(problem.design())
        .seed(2)
        .confidence(
            |arms| fiesta_posterior::Pool::new(arms, 300),
            policy,
            &[rule],
        )
        .unwrap();
    (summaries[0].mean, summaries[0].cost)
}

/// Tests that decisions do not depend on prices that are equal; where the leader is cheap, it runs
/// ahead of its rival, and where it is dear, or prices are not looked at, it does not.
#[test]
fn only_a_cheap_leader_runs_ahead() {
    let (blind, plain) = (
        fiesta_policies::PoolPolicy::default,
        fiesta_policies::PoolPolicy::ahead,
    );
    let (evaluations, cost) = claimed(&priced([1.0, 1.0]), plain);
    let is_same = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(is_same(cost, evaluations));
    for equal in [0.1, 7.0] {
        let (found, cost) = claimed(&priced([equal; 2]), plain);
        assert!(is_same(found, evaluations));
        assert!((cost / (equal * evaluations) - 1.0).abs() < 1e-9, "{cost}");
    }
    let cheap = claimed(&priced([1.0, 20.0]), plain);
    let unseen = claimed(&priced([1.0, 20.0]), blind);
    assert!(is_same(unseen.0, evaluations));
    // a + b evaluations cost a + 20·b.
    let of_rival = |(all, cost): (f64, f64)| (cost - all) / 19.0;
    let ahead = |run: (f64, f64)| run.0 / of_rival(run) - 1.0;
    assert!(ahead(unseen) < 1.05, "{unseen:?}");
    assert!(ahead(cheap) > 1.5, "{cheap:?}");
    let (dear, _) = claimed(&priced([20.0, 1.0]), plain);
    assert!(
        (dear / evaluations - 1.0).abs() < 0.1,
        "{dear} {evaluations}"
    );
}

#[test]
fn what_is_no_price_is_refused() {
    let of = |prices: &[f64]| priced([1.0, 1.0]).priced(prices.to_vec());
    for prices in [
        &[1.0][..],
        &[1.0, 0.0],
        &[1.0, f64::NAN],
        &[1.0, f64::INFINITY],
        &[1.0; 3],
    ] {
        let error = of(prices).unwrap_err().to_string();
        assert!(error.contains("are no prices of 2 arms"), "{error}");
    }
}

/// Tests that items that stand for a population are drawn anew in each run, for all arms the same:
/// one that is right on 60 of 100 is seen right on about as many, and not on the same.
#[test]
fn items_are_drawn_with_replacement() {
    let answers = |right: u64| {
        let answer = |item: u64| (item.to_string(), f64::from(u8::from(item < right)));
        (0..100).map(answer).collect::<Vec<_>>()
    };
    let arms = [("a".to_owned(), answers(60)), ("b".to_owned(), answers(60))];
    let recorded = RecordedItems::of_scores(arms).unwrap();
    let design = recorded.design();
    let total = |problem: &RecordedItems, run: u64, arm: usize| {
        let mut observations = problem.observations(design, &Streams::new(1), run);
        let case = |split| Case { split, seed: 0 };
        (0..100)
            .map(|item| observations.observe(ArmId::new(arm), case(item)))
            .sum::<f64>()
    };
    assert!((total(&recorded, 0, 0) - 60.0).abs() < 1e-9);
    let drawn = recorded.drawn();
    let totals: Vec<f64> = (0..200).map(|run| total(&drawn, run, 0)).collect();
    let mean = totals.iter().sum::<f64>() / 200.0;
    // √(100·.6·.4/200) = .35.
    assert!((mean - 60.0).abs() < 1.2, "{mean}");
    let variance = totals.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / 199.0;
    assert!((15.0..35.0).contains(&variance), "{variance}");
    assert!((0..20).all(|run| (total(&drawn, run, 0) - total(&drawn, run, 1)).abs() < 1e-9));
}
