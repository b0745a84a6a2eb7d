//! Tests of first evaluations that take long: meanwhile the other arms are evaluated, and nothing
//! is concluded.

use crate::fakes::{Choose, Means, Rule, arm, arms, conclusion, evaluation, never, observed, see};
use fiesta_core::{
    ArmId, Ask, Evaluation, Limit, Limits, Next, Policy, Reason, Selector, StoppingRule, Verdict,
    View,
};

/// Returns a policy that chooses the candidate with the fewest attempts, and panics if it is shown
/// one whose required observations are lacking.
fn fewest() -> impl Policy {
    Choose {
        choose: |view: &View<'_>, _: &mut dyn rand::Rng| {
            let known = |&arm: &ArmId| view.observed(arm) >= view.required(arm);
            assert!(view.candidates().iter().all(known) && view.belief().is_some());
            let fewest = view.candidates().iter().copied();
            let fewest = fewest.min_by_key(|&arm| view.attempts(arm));
            fewest.map_or(Next::Wait, Next::Evaluate)
        },
        needs_posterior: true,
    }
}

/// Returns a selector of three arms that require two observations each, with the first arm's two
/// still running, and the other arms known.
fn selector(rule: impl StoppingRule + 'static, limits: Limits) -> (Selector, Vec<Evaluation>) {
    let posterior = Means::new(3, 2);
    let mut selector = Selector::builder(arms(3), posterior, fewest(), rule)
        .limits(limits)
        .build()
        .unwrap();
    let asked: Vec<Evaluation> = (0..6).map(|_| evaluation(&mut selector)).collect();
    let (awaited, others): (Vec<_>, Vec<_>) = asked.into_iter().partition(|e| e.arm == arm(0));
    for e in others {
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    (selector, awaited)
}

/// Makes every evaluation that the selector asks for until it waits, and returns their number.
fn until_it_waits(selector: &mut Selector) -> usize {
    for made in 0..100 {
        match selector.ask().unwrap() {
            Ask::Evaluate(e) => {
                assert_ne!(e.arm, arm(0), "it is awaited");
                selector.tell(observed(e.id, 0.5)).unwrap();
            }
            Ask::Wait => return made,
            Ask::Finished(conclusion) => panic!("{conclusion:?} without the awaited arm"),
        }
    }
    100
}

#[test]
fn the_others_go_on() {
    let (mut selector, awaited) = selector(never(), Limits::default());
    assert_eq!(until_it_waits(&mut selector), 100);
    let counts = [0, 1, 2].map(|index| selector.view().observed(arm(index)));
    assert_eq!(counts, [0, 52, 52]);
    // Everybody is a candidate again once everybody is known.
    for e in awaited {
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    assert_eq!(evaluation(&mut selector).arm, arm(0));
}

/// Tests that a rule that would stop among the known arms keeps them from being evaluated for
/// nothing, but concludes nothing: the awaited arm may be best.
#[test]
fn until_they_are_told_apart() {
    let rule = Rule(|view: &View<'_>| {
        let (others, all) = ([arm(1), arm(2)], [arm(0), arm(1), arm(2)]);
        let shown = view.candidates();
        assert!(shown == all || shown == others);
        assert_eq!(view.is_provisional(), shown == others);
        assert!(view.belief().is_some() && !view.is_retired(arm(0)));
        if view.total_ended() >= 9 {
            Verdict::Stop(shown[0], Reason::Schedule)
        } else {
            Verdict::Continue
        }
    });
    let (mut selector, awaited) = selector(rule, Limits::default());
    assert_eq!(until_it_waits(&mut selector), 5);
    let before = see(&selector);
    assert_eq!((selector.ask(), &see(&selector)), (Ok(Ask::Wait), &before));
    selector.tell(observed(awaited[0].id, 0.5)).unwrap();
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(observed(awaited[1].id, 0.5)).unwrap();
    assert_eq!(conclusion(&mut selector).arm, arm(0));
}

/// Tests that a third of the budget is kept for the awaited arm.
#[test]
fn a_budget_is_kept_for_those_that_are_awaited() {
    let limits = Limits {
        evaluations: Some(30),
        ..Limits::default()
    };
    let (mut selector, awaited) = selector(never(), limits);
    // 20 of 30, of which two are running and four were made before.
    assert_eq!(until_it_waits(&mut selector), 14);
    for e in awaited {
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    for _ in 0..10 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    let counts = [0, 1, 2].map(|index| selector.view().observed(arm(index)));
    assert_eq!(counts, [10, 10, 10]);
    let reason = Reason::Limit(Limit::Evaluations(30));
    assert_eq!(conclusion(&mut selector).reason, reason);
}

/// Tests that the selector waits while the only known arm has nobody to be compared with.
#[test]
fn one_known_arm_waits() {
    let mut selector = Selector::builder(arms(2), Means::new(2, 1), fewest(), never())
        .build()
        .unwrap();
    let asked = [evaluation(&mut selector), evaluation(&mut selector)];
    selector.tell(observed(asked[1].id, 0.5)).unwrap();
    assert_eq!(selector.ask(), Ok(Ask::Wait));
}
