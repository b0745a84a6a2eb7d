//! Limits: what a study may spend, with any number of evaluations in flight.

mod fakes;

use fakes::{
    Random, arm, builder, choose, conclusion, ended, evaluation, failed, in_turn, never, observed,
    withdrawn,
};
use fiesta_core::{Ask, Event, Limit, Limits, Next, Outcome, Reason, Selector};
use proptest::{prelude::*, sample::Index};

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

/// Runs to the end with as many evaluations in flight as the selector gives out, up to `width`. `next` says
/// which of the pending ones ends next and how. The most evaluations that were ended or in flight at once.
fn run(
    selector: &mut Selector,
    width: usize,
    mut next: impl FnMut() -> (Index, Outcome, f64),
) -> u64 {
    let mut most = 0;
    loop {
        let pending: Vec<_> = selector.pending().collect();
        let ask = if pending.len() < width { selector.ask().unwrap() } else { Ask::Wait };
        match ask {
            Ask::Evaluate(_) => {
                let view = selector.view();
                most = most.max(view.total_ended() + view.total_pending());
            }
            Ask::Wait => {
                let (index, outcome, cost) = next();
                selector.tell(ended(index.get(&pending).id, outcome, cost)).unwrap();
            }
            Ask::Finished(_) => {
                assert_eq!(pending.len(), 0, "the end came before what was running");
                return most;
            }
        }
    }
}

proptest! {
    /// Exactly the limit, never more, in any order, with failures and withdrawals.
    #[test]
    fn so_many_evaluations(
        limit in 4..40_u64,
        width in 1..9_usize,
        seed: u64,
        ends in prop::collection::vec((any::<Index>(), 0..10_u8), 1..50),
    ) {
        let mut selector =
            builder(3, Random::new(100), never()).limits(evaluations(limit)).seed(seed).build().unwrap();
        let mut ends = ends.into_iter().cycle();
        let mut told = 0;
        let most = run(&mut selector, width, || {
            let (index, kind) = ends.next().unwrap();
            told += 1;
            // At most two failures, so that no arm is ever retired, and withdrawals come to an end.
            let outcome = match kind {
                0 if told < 3 => Outcome::Failed,
                1 if told < 100 => Outcome::Withdrawn,
                _ => Outcome::Observed(0.5),
            };
            (index, outcome, 1.0)
        });
        prop_assert_eq!(most, limit);
        prop_assert_eq!(selector.view().total_ended(), limit);
        prop_assert_eq!(&conclusion(&mut selector).reason, &Reason::Limit(Limit::Evaluations(limit)));
    }

    /// Constant costs are known as soon as one evaluation has ended: the limit then holds with all workers
    /// busy, and is used up but for less than one evaluation.
    #[test]
    fn so_much_cost(
        each in 1..16_u32,
        spare in 0..8_u32,
        count in 10..40_u32,
        width in 1..9_usize,
        ends in prop::collection::vec(any::<Index>(), 1..50),
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

/// With limits on both, the one that is met first ends the study.
#[test]
fn the_first_limit_reached_ends_the_study() {
    let both = Limits {
        evaluations: Some(10),
        cost: Some(7.0),
        wall: None,
    };
    let mut selector = builder(2, in_turn(), never()).limits(both).build().unwrap();
    let one = || (Index::from(0), Outcome::Observed(0.5), 1.0);
    run(&mut selector, 1, one);
    assert_eq!(conclusion(&mut selector).reason, Reason::Limit(Limit::Cost(7.0)));
    assert_eq!(selector.view().total_ended(), 7);
}

trait At {
    fn from(place: usize) -> Index;
}

impl At for Index {
    /// The index that picks this place of any list that is long enough for it to exist alone.
    fn from(_place: usize) -> Index {
        use proptest::{strategy::ValueTree, test_runner::TestRunner};
        any::<Index>().new_tree(&mut TestRunner::deterministic()).unwrap().current()
    }
}
