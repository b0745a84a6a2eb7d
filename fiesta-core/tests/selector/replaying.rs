//! Tests of replaying a recorded study.

use crate::fakes::{arm, builder, evaluation, in_turn, never, observed};
use fiesta_core::{Agreement, Ask, Case, Conclusion, Evaluation, EvaluationId, Reason};

/// Tests that a record that says otherwise is followed: its evaluation is pending, its numbers go
/// on.
#[test]
fn the_record_is_followed() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let recorded = Evaluation {
        id: EvaluationId(0),
        arm: arm(1),
        case: Case { split: 5, seed: 17 },
    };
    let Ok(Agreement::Differs(Ask::Evaluate(own))) = selector.replay(&Ask::Evaluate(recorded))
    else {
        panic!("arm 0 would have been first")
    };
    assert_eq!((own.id, own.arm), (EvaluationId(0), arm(0)));
    assert!(selector.pending().eq([recorded]));
    selector.tell(observed(EvaluationId(0), 0.5)).unwrap();
    assert_eq!(
        (
            selector.view().observed(arm(1)),
            selector.view().attempts(arm(0))
        ),
        (1, 0)
    );
    let next = evaluation(&mut selector);
    assert_eq!(
        (next.id, next.arm, next.case.split),
        (EvaluationId(1), arm(0), 0)
    );
}

/// Tests that the arm alone is not the decision: another case is another decision.
#[test]
fn another_case_differs() {
    let mut selector = builder(2, in_turn(), never()).seed(1).build().unwrap();
    let mut other = builder(2, in_turn(), never()).seed(2).build().unwrap();
    let ask = other.ask().unwrap();
    assert!(matches!(
        selector.replay(&ask),
        Ok(Agreement::Differs(Ask::Evaluate(_)))
    ));
}

#[test]
fn a_recorded_end_is_the_end() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let end = Conclusion {
        evaluations: 0,
        arm: arm(1),
        reason: Reason::Schedule,
        probability: None,
    };
    let agreement = selector.replay(&Ask::Finished(end.clone())).unwrap();
    assert!(matches!(agreement, Agreement::Differs(Ask::Evaluate(_))));
    assert_eq!(selector.ask(), Ok(Ask::Finished(end)));
}

#[test]
fn a_recorded_wait_is_no_evaluation() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let agreement = selector.replay(&Ask::Wait).unwrap();
    assert!(matches!(agreement, Agreement::Differs(Ask::Evaluate(_))));
    assert_eq!(selector.pending().count(), 0);
}
