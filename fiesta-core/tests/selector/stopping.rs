//! Stopping.

use crate::fakes::{Choose, Rule, arm, builder, choose, conclusion, evaluation, never, observed};
use fiesta_core::{Next, Policy, Reason, Verdict, View};
use rand::Rng;
use std::sync::{Arc, Mutex};

/// Alternates between two arms; a round is four attempts, all ended.
struct Rounds;

impl Policy for Rounds {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        Next::Evaluate(arm(usize::from(
            view.attempts(arm(0)) > view.attempts(arm(1)),
        )))
    }
    fn needs_posterior(&self) -> bool {
        false
    }
    fn round_complete(&self, view: &View<'_>) -> bool {
        view.total_pending() == 0 && view.total_ended().is_multiple_of(4)
    }
}

#[test]
fn no_look_inside_a_round() {
    let looks = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&looks);
    let rule = Rule(move |view: &View<'_>| {
        noted.lock().unwrap().push(view.total_ended());
        // Inclined to stop from the fifth evaluation on, and heard after the eighth.
        if view.total_ended() >= 5 {
            Verdict::Stop(arm(1), Reason::PosteriorProbability { level: 0.8 })
        } else {
            Verdict::Continue
        }
    });
    let mut selector = builder(2, Rounds, rule).build().unwrap();
    for _ in 0..8 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.0)).unwrap();
    }
    let end = conclusion(&mut selector);
    assert_eq!(
        (end.arm, end.reason),
        (arm(1), Reason::PosteriorProbability { level: 0.8 })
    );
    assert_eq!(*looks.lock().unwrap(), [0, 4, 8]);
}

/// Nor while the posterior cannot say anything yet.
#[test]
fn no_look_while_warming_up() {
    let policy = Choose {
        choose: |_: &View<'_>, _: &mut dyn Rng| Next::Evaluate(arm(0)),
        needs_posterior: true,
    };
    let rule = Rule(|view: &View<'_>| {
        assert!(view.belief().is_some());
        Verdict::Stop(arm(1), Reason::Schedule)
    });
    let mut selector = builder(2, policy, rule).build().unwrap();
    for _ in 0..4 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.0)).unwrap();
    }
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.probability), (arm(1), Some(0.5)));
}

#[test]
fn a_policy_may_finish_by_itself() {
    let policy = choose(|view, _| match view.total_ended() {
        3 => Next::Finished(arm(1)),
        _ => Next::Evaluate(arm(0)),
    });
    let mut selector = builder(2, policy, never()).build().unwrap();
    for _ in 0..3 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.0)).unwrap();
    }
    let end = conclusion(&mut selector);
    assert_eq!(
        (end.arm, end.reason, end.probability),
        (arm(1), Reason::Schedule, None)
    );
}

/// The first rule of several that stops, stops.
#[test]
fn several_rules() {
    let after = |count: u64, index: usize| {
        Rule(move |view: &View<'_>| {
            if view.total_ended() >= count {
                Verdict::Stop(arm(index), Reason::Schedule)
            } else {
                Verdict::Continue
            }
        })
    };
    let policy = choose(|_, _| Next::Evaluate(arm(0)));
    let mut selector = builder(3, policy, vec![after(5, 1), after(2, 2)])
        .build()
        .unwrap();
    for _ in 0..2 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.0)).unwrap();
    }
    assert_eq!(conclusion(&mut selector).arm, arm(2));
}
