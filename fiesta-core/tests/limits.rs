//! Tests of limits: what a study may spend, with any number of evaluations in flight.

mod fakes;

use fakes::{
    Random, arm, builder, choose, conclusion, ended, evaluation, failed, in_turn, never, observed,
    withdrawn,
};
use fiesta_core::{Ask, Event, Limit, Limits, Next, Outcome, Reason, Selector};
use proptest::prelude::*;

fn evaluations(limit: u64) -> Limits {
    Limits {
        evaluations: Some(limit),
        ..Limits::default()
    }
}

fn cost(limit: f64) -> Limits {
    Limits {
        cost: Some(limit),
        ..Limits::default()
    }
}

/// Runs a selection to its end with as many evaluations in flight as the selector gives out, up to
/// `width`. `next` says which of the pending ones ends next and how. Returns the most evaluations
/// that were ended or in flight at once.
fn run(
    selector: &mut Selector,
    width: usize,
    mut next: impl FnMut() -> (usize, Outcome, f64),
) -> u64 {
    let mut most = 0;
    loop {
        let pending: Vec<_> = selector.pending().collect();
        let ask = if pending.len() < width {
            selector.ask().unwrap()
        } else {
            Ask::Wait
        };
        match ask {
            Ask::Evaluate(_) => {
                let view = selector.view();
                most = most.max(view.total_ended() + view.total_pending());
            }
            Ask::Wait => {
                let (place, outcome, cost) = next();
                selector
                    .tell(ended(pending[place % pending.len()].id, outcome, cost))
                    .unwrap();
            }
            Ask::Finished(_) => {
                assert_eq!(pending.len(), 0, "the end came before what was running");
                return most;
            }
        }
    }
}

/// Tests that the cost of a lost attempt is spent, whatever becomes of its evaluation. It says
/// nothing of what the next evaluation will cost.
#[test]
fn lost_attempts_are_spent() {
    let mut selector = builder(2, in_turn(), never())
        .limits(cost(10.0))
        .build()
        .unwrap();
    let first = evaluation(&mut selector);
    for _ in 0..3 {
        let lost = Event::Lost {
            id: first.id,
            cost: 2.0,
        };
        selector.tell(lost).unwrap();
    }
    selector.tell(observed(first.id, 0.5)).unwrap();
    let view = selector.view();
    assert_eq!((view.lost(first.arm).count(), view.total_lost()), (3, 3));
    assert_eq!(view.lost(first.arm).total().to_bits(), 6.0_f64.to_bits());
    assert_eq!(view.total_cost().to_bits(), 7.0_f64.to_bits());
    assert_eq!(view.expected_cost(arm(0)).to_bits(), 1.0_f64.to_bits());
    assert_eq!(view.expected_cost(arm(1)).to_bits(), 1.0_f64.to_bits());
    // It is not pending any more, and no cost is less than nothing.
    let second = evaluation(&mut selector);
    for (id, cost) in [(first.id, 1.0), (second.id, -1.0), (second.id, f64::NAN)] {
        assert!(selector.tell(Event::Lost { id, cost }).is_err());
    }
    // Withdrawn, and paid for: the limit is reached.
    let withdrawn = ended(second.id, Outcome::Withdrawn, 2.5);
    selector.tell(withdrawn).unwrap();
    assert_eq!(
        conclusion(&mut selector).reason,
        Reason::Limit(Limit::Cost(10.0))
    );
}

proptest! {
    /// Tests that exactly as many evaluations end as the limit says, in any order, with failures
    /// and withdrawals.
    #[test]
    fn so_many_evaluations(
        limit in 4..40_u64,
        width in 1..9_usize,
        seed: u64,
        ends in prop::collection::vec((any::<usize>(), 0..10_u8), 1..50),
    ) {
        let mut selector =
            builder(3, Random::new(100), never()).limits(evaluations(limit)).seed(seed).build().unwrap();
        let mut ends = ends.into_iter().cycle();
        let mut told = 0;
        let most = run(&mut selector, width, || {
            let (place, kind) = ends.next().unwrap();
            told += 1;
            // At most two failures, so that no arm is ever retired, and withdrawals come to an end.
            let outcome = match kind {
                0 if told < 3 => Outcome::Failed,
                1 if told < 100 => Outcome::Withdrawn,
                _ => Outcome::Observed(0.5),
            };
            (place, outcome, 1.0)
        });
        prop_assert_eq!(most, limit);
        prop_assert_eq!(selector.view().total_ended(), limit);
        prop_assert_eq!(&conclusion(&mut selector).reason, &Reason::Limit(Limit::Evaluations(limit)));
    }

    /// Tests that constant costs are known as soon as one evaluation has ended: the limit then
    /// holds with all workers busy, and is used up but for less than one evaluation.
    #[test]
    fn so_much_cost(
        each in 1..16_u32,
        spare in 0..8_u32,
        count in 10..40_u32,
        width in 1..9_usize,
        ends in prop::collection::vec(any::<usize>(), 1..50),
    ) {
        // Costs in quarters add up exactly, so that the bound can be exact.
        let each = f64::from(each) / 4.0;
        let limit = each * (f64::from(count) + f64::from(spare) / 8.0);
        let mut selector = builder(3, in_turn(), never()).limits(cost(limit)).build().unwrap();
        let mut ends = ends.into_iter().cycle();
        let most = run(&mut selector, width, || (ends.next().unwrap(), Outcome::Observed(0.5), each));
        prop_assert_eq!(most, u64::from(count));
        prop_assert_eq!(selector.view().total_ended(), u64::from(count));
        prop_assert!(selector.view().total_cost() <= limit);
        prop_assert_eq!(&conclusion(&mut selector).reason, &Reason::Limit(Limit::Cost(limit)));
    }
}

/// Runs a selection to its end under a limit of cost; evaluations cost what `costs` says in turn,
/// and end in the order of `ends`.
fn spend(
    limit: f64,
    declared: [Option<f64>; 3],
    width: usize,
    costs: &[f64],
    ends: &[usize],
) -> f64 {
    let mut selector = builder(3, Random::new(100), never())
        .limits(cost(limit))
        .expected_costs(declared)
        .build()
        .unwrap();
    let mut costs = costs.iter().cycle();
    let mut ends = ends.iter().cycle();
    run(&mut selector, width, || {
        let (&place, &cost) = (ends.next().unwrap(), costs.next().unwrap());
        (place, Outcome::Observed(0.5), cost)
    });
    let end = conclusion(&mut selector);
    assert_eq!(end.reason, Reason::Limit(Limit::Cost(limit)));
    selector.view().total_cost()
}

proptest! {
    /// Tests the bounds of the documentation of [`Limits`], with costs that differ from each other
    /// and from what was declared.
    #[test]
    fn cost_exceeds_its_limit_by_a_bounded_amount(
        low in 0.1..2.0_f64,
        spread in 0.0..3.0_f64,
        costs in prop::collection::vec(0.0..=1.0_f64, 1..40),
        declared in [0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64],
        limit in 1.0..60.0_f64,
        width in 1..9_usize,
        ends in prop::collection::vec(any::<usize>(), 1..50),
    ) {
        let high = low + spread;
        let within = |share: f64| low + share * spread;
        let costs: Vec<f64> = costs.into_iter().map(within).collect();
        let slots = width as f64;
        let bound = limit.max(0.0) + slots * spread + 1e-6;
        let declared = declared.map(|share| Some(within(share)));
        if declared.iter().flatten().all(|&cost| cost <= limit) {
            let total = spend(limit, declared, width, &costs, &ends);
            prop_assert!(total <= bound, "{} > {}", total, bound);
        }
        let total = spend(limit, [None; 3], width, &costs, &ends);
        let bound = bound.max(slots * high + 1e-6);
        prop_assert!(total <= bound, "{} > {}", total, bound);
    }

    /// Tests that a study whose evaluations cost what was declared never spends more than the
    /// limit, from the first evaluation on.
    #[test]
    fn declared_costs_hold_from_the_beginning(
        each in 1..16_u32,
        limit in 1.0..60.0_f64,
        width in 1..9_usize,
        ends in prop::collection::vec(any::<usize>(), 1..50),
    ) {
        let each = f64::from(each) / 4.0;
        prop_assume!(each <= limit);
        let total = spend(limit, [Some(each); 3], width, &[each], &ends);
        prop_assert!(total <= limit && total + each > limit, "{}", total);
    }
}

/// Tests that a budget that not even the first evaluation fits in ends the study before it begins.
#[test]
fn a_declared_cost_beyond_the_budget() {
    let mut selector = builder(2, in_turn(), never())
        .limits(cost(5.0))
        .expected_costs([Some(6.0), Some(7.0)])
        .build()
        .unwrap();
    let end = conclusion(&mut selector);
    assert_eq!(end.reason, Reason::Limit(Limit::Cost(5.0)));
}

/// Tests that the limit that is met first ends a study with limits on both evaluations and cost.
#[test]
fn the_first_limit_reached_ends_the_study() {
    let both = Limits {
        evaluations: Some(10),
        cost: Some(7.0),
        wall: None,
    };
    let mut selector = builder(2, in_turn(), never()).limits(both).build().unwrap();
    run(&mut selector, 1, || (0, Outcome::Observed(0.5), 1.0));
    assert_eq!(
        conclusion(&mut selector).reason,
        Reason::Limit(Limit::Cost(7.0))
    );
    assert_eq!(selector.view().total_ended(), 7);
}

/// Tests that failures are evaluations whose cost is spent.
#[test]
fn failures_spend() {
    let mut selector = builder(2, in_turn(), never())
        .limits(evaluations(3))
        .build()
        .unwrap();
    for outcome in [Outcome::Failed, Outcome::Observed(0.5), Outcome::Failed] {
        let e = evaluation(&mut selector);
        selector.tell(ended(e.id, outcome, 2.5)).unwrap();
    }
    assert_eq!(selector.view().total_cost().to_bits(), 7.5_f64.to_bits());
    assert_eq!(conclusion(&mut selector).arm, arm(1));
}

/// Tests that a withdrawn evaluation counts as never made: its place in the budget is free again,
/// and only its cost so far is spent.
#[test]
fn withdrawals_free_the_budget() {
    let mut selector = builder(2, in_turn(), never())
        .limits(evaluations(3))
        .build()
        .unwrap();
    let asked = [0; 3].map(|_| evaluation(&mut selector));
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(withdrawn(asked[1].id)).unwrap();
    let again = evaluation(&mut selector);
    assert_eq!((again.arm, again.case), (asked[1].arm, asked[1].case));
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    for e in [asked[0], asked[2], again] {
        assert_eq!(selector.ask(), Ok(Ask::Wait));
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    conclusion(&mut selector);

    let mut selector = builder(2, in_turn(), never())
        .limits(cost(2.0))
        .build()
        .unwrap();
    let e = evaluation(&mut selector);
    selector.tell(withdrawn(e.id)).unwrap();
    assert_eq!(selector.view().total_lost(), 0);
    assert_eq!(selector.view().total_cost().to_bits(), 0.0_f64.to_bits());
    for _ in 0..2 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    conclusion(&mut selector);
}

/// Tests that an evaluation in flight is expected to cost the mean of its own arm: one dear
/// evaluation reserves its share.
#[test]
fn what_is_in_flight_is_reserved_at_its_arm_s_mean_cost() {
    // Arm 0 costs 1, arm 1 costs 10; after one of each, arm 1 is evaluated again, and then arm 0.
    let policy = choose(|view, _| match view.total_ended() + view.total_pending() {
        1 | 2 => Next::Evaluate(arm(1)),
        _ => Next::Evaluate(arm(0)),
    });
    let mut selector = builder(2, policy, never())
        .limits(cost(23.0))
        .build()
        .unwrap();
    for cost in [1.0, 10.0] {
        let e = evaluation(&mut selector);
        selector
            .tell(ended(e.id, Outcome::Observed(0.5), cost))
            .unwrap();
    }
    // 11 are spent, 10 reserved, and two evaluations of arm 0 fit exactly.
    let dear = evaluation(&mut selector);
    assert_eq!(dear.arm, arm(1));
    let cheap = [evaluation(&mut selector), evaluation(&mut selector)];
    assert!(cheap.iter().all(|e| e.arm == arm(0)));
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    for (e, cost) in [(dear, 10.0), (cheap[0], 1.0), (cheap[1], 1.0)] {
        assert_eq!(selector.ask(), Ok(Ask::Wait));
        selector
            .tell(ended(e.id, Outcome::Observed(0.5), cost))
            .unwrap();
    }
    assert_eq!(
        conclusion(&mut selector).reason,
        Reason::Limit(Limit::Cost(23.0))
    );
}

/// Tests that a reservation that was not used can be spent after all.
#[test]
fn savings_are_used() {
    let policy = choose(|view, _| Next::Evaluate(arm(usize::from(view.attempts(arm(0)) == 1))));
    let mut selector = builder(2, policy, never())
        .limits(cost(21.0))
        .build()
        .unwrap();
    let cheap = evaluation(&mut selector);
    selector
        .tell(ended(cheap.id, Outcome::Observed(0.5), 1.0))
        .unwrap();
    let dear = evaluation(&mut selector);
    selector
        .tell(ended(dear.id, Outcome::Observed(0.5), 10.0))
        .unwrap();
    let again = evaluation(&mut selector);
    assert_eq!(again.arm, arm(1));
    // 11 are spent and 10 reserved.
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector
        .tell(ended(again.id, Outcome::Observed(0.5), 2.0))
        .unwrap();
    evaluation(&mut selector);
}

/// Tests that a limit is looked at before the arm is known: it can be exceeded, by less than the
/// dearest evaluation.
#[test]
fn costs_that_differ_exceed_a_limit_by_less_than_one_evaluation() {
    let policy = choose(|view, _| Next::Evaluate(arm(usize::from(view.attempts(arm(0)) > 0))));
    let mut selector = builder(2, policy, never())
        .limits(cost(25.0))
        .build()
        .unwrap();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        let cost = if e.arm == arm(0) { 1.0 } else { 10.0 };
        selector
            .tell(ended(e.id, Outcome::Observed(0.5), cost))
            .unwrap();
    }
    assert_eq!(selector.view().total_cost().to_bits(), 31.0_f64.to_bits());
}

#[test]
fn the_wall_clock_ends_the_study_at_once() {
    let limits = Limits {
        wall: Some(60.0),
        ..Limits::default()
    };
    let mut selector = builder(2, in_turn(), never())
        .limits(limits)
        .build()
        .unwrap();
    let asked = [0; 3].map(|_| evaluation(&mut selector));
    selector.tell(observed(asked[1].id, 0.5)).unwrap();
    selector.tell(Event::Clock(59.9)).unwrap();
    evaluation(&mut selector);
    // A clock that goes back, or is not a number, is not believed.
    selector.tell(Event::Clock(60.0)).unwrap();
    selector.tell(Event::Clock(5.0)).unwrap();
    selector.tell(Event::Clock(f64::NAN)).unwrap();
    assert_eq!(selector.view().clock().to_bits(), 60.0_f64.to_bits());
    let end = conclusion(&mut selector);
    assert_eq!(
        (end.arm, end.reason),
        (arm(1), Reason::Limit(Limit::Wall(60.0)))
    );
    assert_eq!(selector.pending().count(), 3);
}

/// Tests that a limit before any outcome ends the study with the first arm, which is as good as
/// any.
#[test]
fn a_limit_before_the_first_outcome() {
    let limits = Limits {
        wall: Some(1.0),
        ..Limits::default()
    };
    let mut selector = builder(2, in_turn(), never())
        .limits(limits)
        .build()
        .unwrap();
    selector.tell(Event::Clock(2.0)).unwrap();
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.probability), (arm(0), None));
}

/// Tests that the best mean is recommended at a limit: of equals the first, and never an arm that
/// was not tried.
#[test]
fn at_a_limit_the_best_mean_is_recommended() {
    let recommend = |scores: [Option<f64>; 3]| {
        let policy = choose(|view, _| {
            let fewest = view
                .candidates()
                .iter()
                .min_by_key(|&&arm| view.attempts(arm));
            Next::Evaluate(*fewest.unwrap())
        });
        let mut selector = builder(3, policy, never())
            .limits(evaluations(3))
            .build()
            .unwrap();
        for score in scores {
            let e = evaluation(&mut selector);
            let event = score.map_or(failed(e.id), |score| observed(e.id, score));
            selector.tell(event).unwrap();
        }
        conclusion(&mut selector).arm.index()
    };
    assert_eq!(recommend([Some(0.1), Some(0.3), Some(0.2)]), 1);
    assert_eq!(recommend([Some(0.1), Some(0.3), Some(0.3)]), 1);
    assert_eq!(recommend([None, Some(-7.0), None]), 1);
}
