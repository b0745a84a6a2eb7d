//! Tests of first evaluations that take long: meanwhile the other arms are evaluated, and nothing
//! is concluded.

use crate::fakes::{
    Choose, Means, Rule, arm, arms, conclusion, evaluation, failed, never, observed, see,
};
use fiesta_core::{
    ArmId, Ask, Evaluation, Event, FailureLimits, Limit, Limits, Next, Policy, Reason, Selector,
    StoppingRule, Verdict, View,
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

/// Returns a rule that stops with the first arm while its mean is more than .6.
fn above() -> impl StoppingRule {
    Rule(|view: &View<'_>| match view.mean(arm(0)) {
        Some(mean) if mean > 0.6 => Verdict::Stop(arm(0), Reason::Schedule),
        _ => Verdict::Continue,
    })
}

/// Returns a selector of two arms, and three evaluations that run: of the second arm, the first and
/// the second. The rule of [`above`] would stop.
fn nearly_ended(limits: Limits) -> (Selector, [Evaluation; 3]) {
    let mut selector = Selector::builder(arms(2), Means::new(2, 1), fewest(), above())
        .limits(limits)
        .build()
        .unwrap();
    for e in [(); 2].map(|()| evaluation(&mut selector)) {
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    let [first, running @ ..] = [(); 4].map(|()| evaluation(&mut selector));
    selector.tell(observed(first.id, 0.9)).unwrap();
    assert_eq!(running.map(|e| e.arm), [arm(1), arm(0), arm(1)]);
    (selector, running)
}

/// Tests that nothing is concluded before what runs has ended, and nothing more is started: what
/// ended first may have ended first because it is good.
#[test]
fn a_verdict_waits_for_what_runs() {
    let (mut selector, running) = nearly_ended(Limits::default());
    for (e, score) in running.into_iter().zip([0.1, 0.7, 0.2]) {
        let before = see(&selector);
        assert_eq!((selector.ask(), &see(&selector)), (Ok(Ask::Wait), &before));
        selector.tell(observed(e.id, score)).unwrap();
    }
    let conclusion = conclusion(&mut selector);
    assert_eq!((conclusion.arm, conclusion.evaluations), (arm(0), 6));
}

/// Tests that a bad score takes the verdict back, and the study goes on although others still run.
#[test]
fn a_verdict_that_waits_may_be_taken_back() {
    let (mut selector, running) = nearly_ended(Limits::default());
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(observed(running[1].id, 0.1)).unwrap();
    evaluation(&mut selector);
}

/// Tests that the wall-clock time ends a study whose verdict waits, without the verdict.
#[test]
fn a_verdict_that_waits_is_none_when_time_is_over() {
    let limits = Limits {
        wall: Some(60.0),
        ..Limits::default()
    };
    let (mut selector, _) = nearly_ended(limits);
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(Event::Clock(61.0)).unwrap();
    let reason = Reason::Limit(Limit::Wall(60.0));
    assert_eq!(conclusion(&mut selector).reason, reason);
}

/// Tests that a verdict does not wait for an arm that was retired.
#[test]
fn a_verdict_does_not_wait_for_a_retired_arm() {
    let mut selector = Selector::builder(arms(3), Means::new(3, 1), fewest(), above())
        .failure_limits(FailureLimits {
            at_first: 1,
            later: 1,
        })
        .build()
        .unwrap();
    for e in [(); 3].map(|()| evaluation(&mut selector)) {
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    let asked = [(); 6].map(|()| evaluation(&mut selector));
    // The second arm's first evaluation fails, and its second one runs on.
    assert_eq!((asked[1].arm, asked[4].arm), (arm(1), arm(1)));
    for e in asked.iter().filter(|e| e.arm != arm(1)) {
        selector.tell(observed(e.id, 0.8)).unwrap();
    }
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(failed(asked[1].id)).unwrap();
    assert!(selector.view().is_retired(arm(1)) && selector.pending().count() == 1);
    assert_eq!(conclusion(&mut selector).arm, arm(0));
}

/// Tests that what failed and is asked again is evaluated before the verdict, which stands without it.
#[test]
fn a_verdict_waits_for_what_is_asked_again() {
    let (mut selector, running) = nearly_ended(Limits::default());
    for (e, told) in running.iter().zip([observed, |id, _| failed(id), observed]) {
        selector.tell(told(e.id, 0.1)).unwrap();
    }
    assert_eq!(conclusion(&mut selector).arm, arm(0));
    selector.tell(Event::AskedAgain(running[1].id)).unwrap();
    let again = evaluation(&mut selector);
    assert_eq!((again.arm, again.case), (running[1].arm, running[1].case));
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(observed(again.id, 0.8)).unwrap();
    assert_eq!(conclusion(&mut selector).evaluations, 7);
}

/// Tests that a limit ends the study without a verdict while an evaluation that failed is due.
#[test]
fn a_limit_gives_no_verdict_without_what_is_asked_again() {
    let limits = Limits {
        evaluations: Some(6),
        ..Limits::default()
    };
    let (mut selector, running) = nearly_ended(limits);
    for (e, told) in running.iter().zip([observed, |id, _| failed(id), observed]) {
        selector.tell(told(e.id, 0.1)).unwrap();
    }
    assert_eq!(conclusion(&mut selector).reason, Reason::Schedule);
    selector.tell(Event::AskedAgain(running[1].id)).unwrap();
    let reason = Reason::Limit(Limit::Evaluations(6));
    assert_eq!(conclusion(&mut selector).reason, reason);
}
