//! Tests of rounds over all arms, and of when a rule looks.

use super::{Looks, arm, arms, tell};
use fiesta_core::{Ask, Outcome, Reason, Selector, StoppingRule, Verdict, View};
use fiesta_policies::{Uniform, stopping::Never};
use fiesta_posterior::GaussianArms;
use proptest::prelude::*;

proptest! {
    /// Tests that attempts of the arms never differ by more than one, however many are in flight
    /// and in whatever order they end.
    #[test]
    fn attempts_never_differ_by_more_than_one(
        workers in 1..8_usize,
        ends in prop::collection::vec((any::<usize>(), any::<bool>()), 60),
    ) {
        let mut selector = Selector::builder(arms(4), GaussianArms::pooled(4), Uniform, Never)
            .build()
            .unwrap();
        for (place, failed) in ends {
            while selector.pending().count() < workers {
                prop_assert!(matches!(selector.ask(), Ok(Ask::Evaluate(_))));
                let view = selector.view();
                let attempts = || view.candidates().iter().map(|&arm| view.attempts(arm));
                prop_assert!(attempts().max().unwrap() - attempts().min().unwrap() <= 1);
            }
            let pending: Vec<_> = selector.pending().collect();
            let e = pending[place % pending.len()];
            // Failures count as attempts; arm 0 alone has them, and not three in a row at first.
            let fails = failed && e.arm == arm(0) && selector.view().observed(arm(0)) > 0;
            let outcome = if fails { Outcome::Failed } else { Outcome::Observed(0.5) };
            tell(&mut selector, e.id, outcome);
        }
    }
}

#[test]
fn one_at_a_time_looks_only_after_complete_rounds() {
    let looks = Looks::default();
    let mut selector = Selector::builder(arms(4), GaussianArms::pooled(4), Uniform, looks.clone())
        .build()
        .unwrap();
    for number in 0..20 {
        let Ask::Evaluate(e) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        assert_eq!(e.arm, arm(number % 4));
        tell(&mut selector, e.id, Outcome::Observed(0.5));
    }
    selector.ask().unwrap();
    assert_eq!(*looks.0.lock().unwrap(), [0, 4, 8, 12, 16, 20]);
}

/// Rule that stops once five evaluations have ended.
struct AfterFive;

impl StoppingRule for AfterFive {
    fn check(&self, view: &View<'_>) -> Verdict {
        match view.total_ended() {
            0..5 => Verdict::Continue,
            _ => Verdict::Stop(arm(0), Reason::Schedule),
        }
    }
}

/// Tests that a verdict that waits for what runs is not followed by single evaluations that complete
/// a round one after the other.
#[test]
fn a_round_is_complete_when_all_of_it_was_asked() {
    let mut selector = Selector::builder(arms(4), GaussianArms::pooled(4), Uniform, AfterFive)
        .build()
        .unwrap();
    let mut started = 0;
    let ended = loop {
        match selector.ask().unwrap() {
            Ask::Evaluate(_) => {
                started += 1;
                assert!(started == 1 || selector.pending().count() > 1, "{started}");
                if selector.pending().count() < 3 {
                    continue;
                }
            }
            Ask::Wait => {}
            Ask::Finished(conclusion) => break conclusion.evaluations,
        }
        let first = selector.pending().next().unwrap();
        tell(&mut selector, first.id, Outcome::Observed(0.5));
    };
    assert_eq!(ended, 8);
}
