//! Tests of the stopping rule's place in a selection.

use crate::fakes::{
    Choose, Means, Rule, arm, arms, builder, choose, conclusion, evaluation, failed, never,
    observed,
};
use fiesta_core::{
    Agreement, ArmId, Ask, Event, Limit, Limits, Next, Policy, Reason, Selector, StoppingRule,
    Verdict, View,
};
use rand::Rng;
use std::sync::{Arc, Mutex};

/// Policy that alternates between two arms; a round is four attempts, all ended.
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

/// Tests that no stopping rule is asked before the posterior has its required observations.
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

/// Tests that a study stops at the first of several rules that stops.
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

/// Stopping rule that stops with four evaluations of the first arm and three of the second, and
/// asks for the second's when it has the first's.
struct Lacks;

impl StoppingRule for Lacks {
    fn check(&self, view: &View<'_>) -> Verdict {
        if view.observed(arm(0)) >= 4 && view.observed(arm(1)) >= 3 {
            Verdict::Stop(arm(0), Reason::PosteriorProbability { level: 0.8 })
        } else {
            Verdict::Continue
        }
    }

    fn lacking(&self, view: &View<'_>, _chosen: ArmId) -> Option<ArmId> {
        let lacks = view.observed(arm(1)) + view.pending(arm(1)) < 3;
        (view.observed(arm(0)) >= 4 && lacks).then_some(arm(1))
    }
}

/// Policy that always chooses the first arm.
struct First {
    gives_way: bool,
}

impl Policy for First {
    fn next(&mut self, _view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        Next::Evaluate(arm(0))
    }
    fn needs_posterior(&self) -> bool {
        false
    }
    fn gives_way(&self) -> bool {
        self.gives_way
    }
}

fn lacking(gives_way: bool, most: u64, splits: Option<u64>) -> Selector {
    let limits = Limits {
        evaluations: Some(most),
        ..Limits::default()
    };
    let selector = builder(
        2,
        First { gives_way },
        Box::new(Lacks) as Box<dyn StoppingRule>,
    );
    selector.limits(limits).splits(splits).build().unwrap()
}

/// Tests that evaluations that a stopping rule lacks are made whatever the policy, but not beyond a limit or
/// the splits that there are, and not in a schedule. A study that is made again decides the same.
#[test]
fn what_a_rule_lacks_is_evaluated() {
    let sure = Reason::PosteriorProbability { level: 0.8 };
    let limit = |count| Reason::Limit(Limit::Evaluations(count));
    for (gives_way, most, splits, expected, reason) in [
        (true, 20, None, [4, 3], sure),
        (true, 6, None, [4, 2], limit(6)),
        (false, 20, None, [20, 0], limit(20)),
        (true, 20, Some(2), [2, 2], Reason::Exhausted),
    ] {
        let mut selector = lacking(gives_way, most, splits);
        let mut again = lacking(gives_way, most, splits);
        let end = loop {
            let ask = selector.ask().unwrap();
            assert_eq!(again.replay(&ask).unwrap(), Agreement::Same);
            match ask {
                Ask::Evaluate(e) => {
                    selector.tell(observed(e.id, 0.0)).unwrap();
                    again.tell(observed(e.id, 0.0)).unwrap();
                }
                Ask::Wait => panic!("nothing is running"),
                Ask::Finished(end) => break end,
            }
        };
        let counts = [0, 1].map(|index| selector.view().observed(arm(index)));
        assert_eq!((counts, end.reason), (expected, reason));
    }
}

/// Tests that, with many workers, each evaluation that is lacking is asked for once, and again if
/// it fails; the others follow the policy.
#[test]
fn what_is_running_is_not_lacking() {
    let mut selector = lacking(true, 20, None);
    for _ in 0..4 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.0)).unwrap();
    }
    let asked: Vec<_> = (0..5).map(|_| evaluation(&mut selector)).collect();
    let arms: Vec<usize> = asked.iter().map(|e| e.arm.index()).collect();
    assert_eq!(arms, [1, 1, 1, 0, 0]);
    selector.tell(failed(asked[1].id)).unwrap();
    let again = [evaluation(&mut selector), evaluation(&mut selector)];
    assert_eq!(again.map(|e| e.arm.index()), [1, 0]);
}

/// Rule that stops after five evaluations.
fn after_five(view: &View<'_>) -> Verdict {
    if view.total_ended() >= 5 {
        Verdict::Stop(arm(1), Reason::PosteriorProbability { level: 0.8 })
    } else {
        Verdict::Continue
    }
}

/// Tests that a rule that stops after the last evaluation that a limit allows gives the reason,
/// also inside a round; that it is not asked of arms that are not yet known; and that the limit
/// ends what it does not stop.
#[test]
fn the_rule_comes_before_the_limit() {
    let sure = Reason::PosteriorProbability { level: 0.8 };
    let limit = |count| Reason::Limit(Limit::Evaluations(count));
    let warming_up = Choose {
        choose: |_: &View<'_>, _: &mut dyn Rng| Next::Evaluate(arm(0)),
        needs_posterior: true,
    };
    let cases: [(Box<dyn Policy>, _, _, _); 3] = [
        (Box::new(Rounds), 5, 2, sure.clone()),
        (Box::new(Rounds), 4, 2, limit(4)),
        (Box::new(warming_up), 5, 4, limit(5)),
    ];
    for (policy, most, required, expected) in cases {
        let limits = Limits {
            evaluations: Some(most),
            ..Limits::default()
        };
        let posterior = Means::new(2, required);
        let mut selector = Selector::builder(arms(2), posterior, policy, Rule(after_five))
            .limits(limits)
            .build()
            .unwrap();
        for _ in 0..most {
            let e = evaluation(&mut selector);
            selector.tell(observed(e.id, 0.0)).unwrap();
        }
        assert!(selector.is_at_limit());
        assert_eq!(conclusion(&mut selector).reason, expected);
    }
    // The time can be over while evaluations run, for which a verdict would wait.
    let limits = Limits {
        wall: Some(60.0),
        ..Limits::default()
    };
    let mut selector = builder(2, Rounds, Rule(after_five))
        .limits(limits)
        .build()
        .unwrap();
    for _ in 0..5 {
        let e = evaluation(&mut selector);
        selector.tell(observed(e.id, 0.0)).unwrap();
    }
    selector.tell(Event::Clock(61.0)).unwrap();
    assert_eq!(selector.expire().unwrap().map(|end| end.reason), Some(sure));
}
