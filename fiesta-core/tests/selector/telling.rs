//! Tests of telling a selector the ends of evaluations.

use crate::fakes::{
    Means, Random, arm, arms, builder, conclusion, ended, evaluation, in_turn, never, observed,
    see, withdrawn,
};
use fiesta_core::{
    Ask, EvaluationId, Event, Limits, ObserveError, Outcome, Selector, SelectorError,
};

#[test]
fn any_order_will_do() {
    let run = |order: [usize; 6]| {
        let mut selector = builder(3, in_turn(), never()).build().unwrap();
        let asked: Vec<_> = (0..6).map(|_| evaluation(&mut selector)).collect();
        for place in order {
            // Scores in eighths add up exactly, so that the order cannot show in a mean.
            let score = f64::from(u32::try_from(place).unwrap()) / 8.0;
            selector.tell(observed(asked[place].id, score)).unwrap();
        }
        see(&selector)
    };
    let forward = run([0, 1, 2, 3, 4, 5]);
    assert_eq!(forward.arms[1].mean, Some((1.0 + 4.0) / 16.0));
    assert_eq!(run([5, 4, 3, 2, 1, 0]), forward);
    assert_eq!(run([3, 0, 4, 2, 5, 1]), forward);
}

/// Tests that the posterior is given the arm and the case of the evaluation, whichever comes first.
#[test]
fn the_posterior_sees_arm_and_case() {
    let posterior = Means::new(2, 1);
    let seen = posterior.observations.clone();
    let mut selector = Selector::builder(arms(2), posterior, in_turn(), never())
        .build()
        .unwrap();
    let asked: Vec<_> = (0..4).map(|_| evaluation(&mut selector)).collect();
    for (place, score) in [(3, 0.3), (0, 0.0), (2, 0.2)] {
        selector.tell(observed(asked[place].id, score)).unwrap();
    }
    let expected: Vec<_> = [(3, 0.3), (0, 0.0), (2, 0.2)]
        .map(|(p, s)| (asked[p].arm, asked[p].case, s))
        .to_vec();
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// Tests that every refusal leaves all as it was, and that the evaluation can still be told.
#[test]
fn what_cannot_be_changes_nothing() {
    let mut selector = builder(2, Random::new(3), never()).seed(4).build().unwrap();
    let first = evaluation(&mut selector);
    let second = evaluation(&mut selector);
    selector.tell(observed(first.id, 0.5)).unwrap();
    let before = see(&selector);
    let mut refuse = |event: Event, expected: fn(&SelectorError) -> bool| {
        let error = selector.tell(event).unwrap_err();
        assert!(expected(&error), "{event:?}: {error:?}");
        assert_eq!(see(&selector), before, "{event:?}");
    };
    let score = Outcome::Observed(0.5);
    refuse(observed(first.id, 0.5), |e| {
        *e == SelectorError::NotPending(0)
    });
    refuse(withdrawn(first.id), |e| *e == SelectorError::NotPending(0));
    refuse(observed(EvaluationId(7), 0.5), |e| {
        *e == SelectorError::NotPending(7)
    });
    for cost in [-1.0, f64::NAN, f64::INFINITY] {
        refuse(ended(second.id, score, cost), |e| {
            matches!(e, SelectorError::Cost { id: 1, .. })
        });
        refuse(ended(second.id, Outcome::Failed, cost), |e| {
            matches!(e, SelectorError::Cost { id: 1, .. })
        });
    }
    for score in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refuse(observed(second.id, score), |e| {
            matches!(e, SelectorError::Observe(ObserveError::NotFinite(_)))
        });
    }
    selector.tell(ended(second.id, score, 0.0)).unwrap();
    // What it decides is that of a selector that never heard the nonsense.
    let mut other = builder(2, Random::new(3), never()).seed(4).build().unwrap();
    evaluation(&mut other);
    evaluation(&mut other);
    other.tell(observed(first.id, 0.5)).unwrap();
    other.tell(ended(second.id, score, 0.0)).unwrap();
    for _ in 0..20 {
        let ask = selector.ask().unwrap();
        assert_eq!(ask, other.ask().unwrap());
        if let Ask::Evaluate(e) = ask {
            selector.tell(observed(e.id, 0.1)).unwrap();
            other.tell(observed(e.id, 0.1)).unwrap();
        }
    }
}

#[test]
fn what_was_withdrawn_comes_again() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let asked: Vec<_> = (0..6).map(|_| evaluation(&mut selector)).collect();
    let of = |index| asked.iter().filter(move |e| e.arm == arm(index)).copied();
    let (zero, one): (Vec<_>, Vec<_>) = (of(0).collect(), of(1).collect());
    // Arm 0 loses its turns 2 and 0, in this order; arm 1 is untouched by that.
    selector.tell(withdrawn(zero[2].id)).unwrap();
    selector.tell(withdrawn(zero[0].id)).unwrap();
    for evaluation in one {
        selector.tell(observed(evaluation.id, 0.0)).unwrap();
    }
    assert_eq!(selector.view().total_ended(), 3);
    let again: Vec<_> = (0..2).map(|_| evaluation(&mut selector)).collect();
    assert_eq!(
        again.iter().map(|e| e.case).collect::<Vec<_>>(),
        [zero[2].case, zero[0].case]
    );
    assert!(
        again
            .iter()
            .all(|e| e.arm == arm(0) && asked.iter().all(|a| a.id != e.id))
    );
    let fresh: Vec<_> = (0..2).map(|_| evaluation(&mut selector)).collect();
    assert!(fresh.iter().all(|e| e.case.split == 3), "{fresh:?}");
}

#[test]
fn after_the_end_knowledge_grows_and_the_conclusion_stays() {
    let limits = Limits {
        wall: Some(10.0),
        ..Limits::default()
    };
    let mut selector = builder(2, in_turn(), never())
        .limits(limits)
        .build()
        .unwrap();
    let asked: Vec<_> = (0..4).map(|_| evaluation(&mut selector)).collect();
    selector.tell(observed(asked[0].id, 0.9)).unwrap();
    selector.tell(Event::Clock(10.0)).unwrap();
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.probability), (arm(0), None));
    assert_eq!(selector.pending().count(), 3);
    selector.tell(observed(asked[1].id, 5.0)).unwrap();
    selector.tell(observed(asked[2].id, 0.9)).unwrap();
    selector.tell(observed(asked[3].id, 5.0)).unwrap();
    let view = selector.view();
    assert_eq!((view.total_ended(), view.mean(arm(1))), (4, Some(5.0)));
    assert!(view.belief().unwrap().of(arm(1)) > 0.9);
    assert_eq!(conclusion(&mut selector), end);
    assert_eq!(selector.conclusion(), Some(&end));
}
