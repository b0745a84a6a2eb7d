//! Tests of policies that misbehave.

use crate::fakes::{arm, builder, choose, evaluation, failed, never, observed};
use fiesta_core::{Ask, Next, Selector, SelectorError};

fn always(next: Next) -> Selector {
    builder(2, choose(move |_, _| next), never())
        .build()
        .unwrap()
}

#[test]
fn waiting_for_nothing() {
    assert_eq!(always(Next::Wait).ask(), Err(SelectorError::Stalled));
}

#[test]
fn waiting_for_something_is_fine_until_it_has_ended() {
    let policy = choose(|view, _| match view.attempts(arm(0)) {
        0 => Next::Evaluate(arm(0)),
        _ => Next::Wait,
    });
    let mut selector = builder(2, policy, never()).build().unwrap();
    let e = evaluation(&mut selector);
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(observed(e.id, 0.0)).unwrap();
    assert_eq!(selector.ask(), Err(SelectorError::Stalled));
}

#[test]
fn an_arm_that_is_none() {
    let wrong = Err(SelectorError::NoCandidate(2));
    assert_eq!(always(Next::Evaluate(arm(2))).ask(), wrong);
    assert_eq!(always(Next::Finished(arm(2))).ask(), wrong);
}

#[test]
fn a_retired_arm() {
    let mut selector = always(Next::Evaluate(arm(1)));
    for _ in 0..3 {
        let e = evaluation(&mut selector);
        selector.tell(failed(e.id)).unwrap();
    }
    assert_eq!(selector.ask(), Err(SelectorError::NoCandidate(1)));
}
