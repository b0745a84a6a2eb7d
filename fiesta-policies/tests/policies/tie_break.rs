//! Tests of tie-breaks between leader and challenger: shares against the closed form, and foreseen falls.

use super::{Known, OnlyFirst, agree, arm, arms, idle};
use fiesta_core::{
    ArmId, Ask, Belief, Case, Event, Marginal, Observe, ObserveError, Outcome, Policy, Posterior,
    Selector,
};
use fiesta_policies::{
    Parameters, TieBreakName, TopTwo, policy_by_name,
    stopping::Never,
    top_two::{Balanced, Coin, CostAware, EmpiricalBest, Rule, TieBreak, Transportation},
};
use fiesta_posterior::GaussianArms;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};

/// Returns how many of `evaluations` evaluations each arm of a pair with these standard deviations
/// and costs gets, with `workers` in flight.
fn pair(
    sds: [f64; 2],
    costs: [f64; 2],
    policy: impl Policy + 'static,
    workers: usize,
    evaluations: u64,
) -> [f64; 2] {
    // Close enough that neither policy is ever sure of one.
    let posterior = Known::new(&[(1e-6, sds[0]), (0.0, sds[1])]);
    let mut selector = Selector::builder(arms(2), posterior, policy, Never)
        .build()
        .unwrap();
    while selector.view().total_ended() < evaluations {
        while selector.pending().count() < workers {
            if selector.ask().unwrap() == Ask::Wait {
                break;
            }
        }
        let e = selector.pending().next().unwrap();
        let event = Event::Ended {
            id: e.id,
            outcome: Outcome::Observed(0.0),
            cost: costs[e.arm.index()],
        };
        selector.tell(event).unwrap();
    }
    let view = selector.view();
    [0, 1].map(|index| view.observed(arm(index)) as f64)
}

fn with(tie_break: impl TieBreak + 'static) -> impl Policy + 'static {
    TopTwo {
        leader: EmpiricalBest,
        challenger: Transportation::default(),
        tie_break,
    }
}

/// Returns the share of arm 0, from `n_i/n_j = (σ_i/σ_j)·√(c_j/c_i)`.
fn share(sds: [f64; 2], costs: [f64; 2]) -> f64 {
    let weights = [0, 1].map(|index| sds[index] / costs[index].sqrt());
    weights[0] / (weights[0] + weights[1])
}

/// Tests the arms' shares to within 4.5 standard errors of as many coins: shares that are drawn
/// towards their limit vary less, so that this fails falsely at most once in 147,000 comparisons.
#[test]
fn shares_are_those_of_neyman() {
    let sds_and_costs = [
        ([0.1, 0.3], [1.0, 1.0]),
        ([0.3, 0.1], [1.0, 1.0]),
        ([0.2, 0.2], [1.0, 9.0]),
        ([0.1, 0.3], [8.0, 2.0]),
    ];
    for (sds, costs) in sds_and_costs {
        for workers in [1, 5] {
            let evaluations = 3000;
            let of = |policy: Box<dyn Policy>| pair(sds, costs, policy, workers, evaluations);
            let (blind, aware) = (share(sds, [1.0; 2]), share(sds, costs));
            agree(
                &of(Box::new(with(Balanced::default()))),
                &[blind, 1.0 - blind],
            );
            agree(
                &of(Box::new(with(CostAware::default()))),
                &[aware, 1.0 - aware],
            );
            // Without chance it is exact, but for what is in flight and the first evaluation of
            // either.
            for (counts, expected) in [
                (
                    of(Box::new(with(Balanced {
                        rule: Rule::Greatest,
                    }))),
                    blind,
                ),
                (
                    of(Box::new(with(CostAware {
                        rule: Rule::Greatest,
                    }))),
                    aware,
                ),
            ] {
                let error = counts[0] - expected * evaluations as f64;
                assert!(error.abs() < 3.0 + workers as f64, "{counts:?} {expected}");
            }
        }
    }
}

/// Tests that evaluations are counted where none has a cost. One free arm beside one with a cost
/// counts with a thousandth.
#[test]
fn free_evaluations_are_counted() {
    let sds = [0.1, 0.3];
    let greatest = || {
        with(CostAware {
            rule: Rule::Greatest,
        })
    };
    let free = pair(sds, [0.0; 2], greatest(), 1, 2000);
    assert!((free[0] - 500.0).abs() < 4.0, "{free:?}");
    let expected = 2000.0 * share(sds, [0.001, 1.0]);
    let one = pair(sds, [0.0, 2.0], greatest(), 1, 2000);
    assert!((one[0] - expected).abs() < 4.0, "{one:?} {expected}");
}

/// Tests that an arm that was never paid for counts with the mean over all: as dear as the others,
/// so that the precision decides.
#[test]
fn unknown_costs_are_those_of_the_others() {
    let choice = |sds: [f64; 2]| {
        let posterior = Known::after(&[(0.5, sds[0]), (0.4, sds[1])], &[5; 2]);
        let mut selector = Selector::builder(arms(2), posterior, OnlyFirst, Never)
            .build()
            .unwrap();
        let Ask::Evaluate(e) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        let event = Event::Ended {
            id: e.id,
            outcome: Outcome::Observed(0.0),
            cost: 100.0,
        };
        selector.tell(event).unwrap();
        let mut tie_break = CostAware {
            rule: Rule::Greatest,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        tie_break.choose(&selector.view(), [arm(0), arm(1)], &mut rng)
    };
    assert_eq!(choice([0.3, 0.2]), arm(0));
    assert_eq!(choice([0.2, 0.3]), arm(1));
}

/// A posterior whose variance of any difference is 1 less what each foreseen evaluation takes from
/// it.
struct Falls([f64; 2]);

impl Posterior for Falls {
    fn arms(&self) -> usize {
        2
    }
    fn required(&self, _: ArmId) -> u64 {
        0
    }
    fn mean(&self, _: ArmId) -> Option<f64> {
        Some(0.0)
    }
    fn marginal(&self, _: ArmId) -> Option<Marginal> {
        None
    }
    fn difference(&self, _: ArmId, _: ArmId) -> Option<Marginal> {
        None
    }
    fn draw(&self, _: &mut dyn Rng, means: &mut [f64]) {
        means.fill(0.0);
    }
    fn within(&self, _: ArmId, _: f64, _: &[ArmId]) -> f64 {
        0.5
    }
    fn belief(&self, _: &[ArmId]) -> Belief {
        unreachable!("no policy here needs it")
    }
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        let fall: f64 = extra.iter().map(|(arm, _)| self.0[arm.index()]).sum();
        let of = |arm| if arm == from { 0.0 } else { 1.0 - fall };
        Some(ArmId::all(2).map(of).collect())
    }
}

impl Observe<f64> for Falls {
    fn observe(&mut self, _: ArmId, _: Case, _: f64) -> Result<(), ObserveError> {
        Ok(())
    }
}

/// Returns how often leader and challenger are chosen, arm 0 being the leader, in `decisions` independent choices.
fn choices(selector: &Selector, mut tie_break: impl TieBreak, decisions: u64) -> [f64; 2] {
    let mut chosen = [0.0; 2];
    for seed in 0..decisions {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let arm = tie_break.choose(&selector.view(), [arm(0), arm(1)], &mut rng);
        chosen[arm.index()] += 1.0;
    }
    chosen
}

/// Tests that falls f are weighed with counts, as f·(n + 1), with n counting what is running:
/// .02·(2 + 1) against .04·(0 + 1).
#[test]
fn falls_are_weighed_with_counts() {
    let mut selector = Selector::builder(arms(2), Falls([0.02, 0.04]), OnlyFirst, Never)
        .build()
        .unwrap();
    for _ in 0..2 {
        selector.ask().unwrap();
    }
    agree(
        &choices(&selector, Balanced::default(), 3000),
        &[0.06 / 0.1, 0.04 / 0.1],
    );
    let greatest = Balanced {
        rule: Rule::Greatest,
    };
    assert!(choices(&selector, greatest, 50)[0] < 0.5);
}

/// Tests that the arm with three times as many evaluations lets the other arm go first until that
/// has eight, however little the other's evaluations are foreseen to tell.
#[test]
fn an_arm_that_lags_goes_first() {
    let rules = [Rule::Share, Rule::Greatest].map(|rule| Balanced { rule });
    for (ahead, expected) in [(2, 1.0), (3, 0.0)] {
        let mut selector = Selector::builder(arms(2), Falls([0.04, 0.0]), OnlyFirst, Never)
            .build()
            .unwrap();
        for _ in 0..ahead {
            selector.ask().unwrap();
        }
        for tie_break in rules {
            let of_leader = choices(&selector, tie_break, 20)[0];
            assert!((of_leader - 20.0 * expected).abs() < 0.5);
        }
    }
}

/// Tests that a fair coin decides at equal falls, at none, at a variance that would rise, and for a
/// posterior that can say nothing yet.
#[test]
fn a_fair_coin_decides_where_nothing_else_does() {
    let half = [0.5; 2];
    let greatest = Balanced {
        rule: Rule::Greatest,
    };
    for falls in [[0.1, 0.1], [0.0, 0.0], [-0.1, -0.2]] {
        let selector = idle(Falls(falls));
        agree(&choices(&selector, Balanced::default(), 2000), &half);
        agree(&choices(&selector, greatest, 2000), &half);
        agree(&choices(&selector, CostAware::default(), 2000), &half);
    }
    let selector = idle(GaussianArms::pooled(2));
    agree(&choices(&selector, Balanced::default(), 2000), &half);
    agree(&choices(&selector, greatest, 2000), &half);
}

/// Tests that names and parameters mean these tie-breaks: by the share of the first of two arms
/// with σ = .1 and .3.
#[test]
fn names_choose_the_tie_break() {
    let balanced = share([0.1, 0.3], [1.0; 2]);
    let aware = share([0.1, 0.3], [4.0, 1.0]);
    let of = |name, beta, tie_break| {
        let parameters = Parameters {
            arms: 2,
            beta,
            tie_break,
            ..Parameters::default()
        };
        let policy = policy_by_name(name, &parameters).unwrap();
        pair([0.1, 0.3], [4.0, 1.0], policy, 1, 1500)
    };
    for (name, default) in [
        ("ttts", 0.5),
        ("pets", 0.5),
        ("t3c", balanced),
        ("eb-tci", balanced),
        ("ttucb", balanced),
    ] {
        agree(&of(name, None, None), &[default, 1.0 - default]);
        for (tie_break, share) in [
            (TieBreakName::Coin, 0.5),
            (TieBreakName::Balanced, balanced),
            (TieBreakName::CostAware, aware),
        ] {
            agree(&of(name, None, Some(tie_break)), &[share, 1.0 - share]);
        }
    }
    // The leader of EB-TCI is always the first arm here; β without a tie-break means the coin.
    for tie_break in [None, Some(TieBreakName::Coin)] {
        agree(&of("eb-tci", Some(0.8), tie_break), &[0.8, 0.2]);
    }
    assert_eq!(Coin::default(), Coin::new(0.5).unwrap());
}

/// Tests that the default rule takes the arm whose evaluation tells more, without chance, in both
/// tie-breaks that compare this.
#[test]
fn ttps_by_name_takes_the_greatest() {
    let rule = Rule::Greatest;
    for (tie_break, cost) in [
        (None, 4.0),
        (Some(TieBreakName::CostAware), 4.0),
        (Some(TieBreakName::Balanced), 1.0),
    ] {
        for evaluations in 20..60 {
            let parameters = Parameters {
                arms: 2,
                tie_break,
                ..Parameters::default()
            };
            let of = |costs, policy| pair([0.1, 0.3], costs, policy, 1, evaluations);
            let named = of([4.0, 1.0], policy_by_name("ttps", &parameters).unwrap());
            let greatest = of([cost, 1.0], Box::new(with(CostAware { rule })));
            assert!(
                (named[0] - greatest[0]).abs() < 0.5,
                "{tie_break:?}: {named:?}, not {greatest:?}"
            );
        }
    }
}
