//! Tests of sentences: the kind of confidence, late evaluations and ties.

use super::{Setting, TieWords, sentence};
use crate::{Percentages, summary::Tie};
use fiesta_core::{ArmId, Assumption, Conclusion, Design, Limit, Reason};

fn of_tdlstm() -> Setting<'static> {
    Setting {
        arm: "tdlstm",
        arms: 8.into(),
        probability: Some("95.7 %"),
        overtaken_by: None,
        tie: None,
        cheapest_within: None,
        evaluations: 61,
        failed: 0,
        metric: "macro-F1",
        splits: 20,
        design: Design::Shared,
        noun: "split",
        unanswered: None,
        repeats: false,
        decimals: 4,
        cost_unit: None,
        version: "0.1.0",
    }
}

#[test]
fn names_the_kind_of_confidence() {
    let setting = of_tdlstm();
    let mut conclusion = Conclusion {
        arm: ArmId::new(0),
        reason: Reason::PosteriorProbability { level: 0.95 },
        probability: Some(0.9567),
        evaluations: 61,
    };
    assert_eq!(
        sentence(&conclusion, &setting),
        "With 95.7 % posterior probability, tdlstm is the best of 8 arms by macro-F1 (61 evaluations on 20 shared splits; FIESTA 0.1.0)."
    );
    conclusion.reason = Reason::Tolerance {
        level: 0.95,
        tolerance: 0.002,
    };
    assert!(sentence(&conclusion, &setting).starts_with(
        "With at least 95.0 % posterior probability, tdlstm is within 0.002 of the best of 8 arms"
    ));
    conclusion.reason = Reason::AnytimeValid {
        level: 0.95,
        tolerance: 0.0,
        assumes: Assumption::Gaussian,
    };
    assert!(sentence(&conclusion, &setting).starts_with(
        "tdlstm is the best of 8 arms by macro-F1: for Gaussian scores, the anytime-valid test behind this errs in at most 5.0 % of studies"
    ));
    conclusion.reason = Reason::AnytimeValid {
        level: 0.95,
        tolerance: 0.01,
        assumes: Assumption::Bounded,
    };
    assert!(sentence(&conclusion, &setting).starts_with("tdlstm is within 0.01 of the best of 8"));
    conclusion.reason = Reason::Limit(Limit::Evaluations(800));
    assert!(
        sentence(&conclusion, &setting).starts_with("After the limit of 800 evaluations, tdlstm")
    );
    conclusion.reason = Reason::Exhausted;
    let of_documents = Setting {
        design: Design::Items { count: 20 },
        noun: "document",
        repeats: false,
        probability: Some("50.0 %"),
        ..setting
    };
    assert_eq!(
        sentence(&conclusion, &of_documents),
        "With every document of the collection queried, tdlstm is recommended among 8 arms by macro-F1, with 50.0 % posterior probability of being the best; nothing more can be learnt from these documents (61 evaluations on 20 of 20 documents; FIESTA 0.1.0)."
    );
    // What failed is missing: then all is not known, and nobody says so.
    let lacking = Setting {
        noun: "item",
        unanswered: Some("tdlstm 3, atae 1"),
        ..of_documents
    };
    assert_eq!(
        sentence(&conclusion, &lacking),
        "With every item of the pool asked, and some evaluations failed (tdlstm 3, atae 1), tdlstm is recommended among 8 arms by macro-F1, with 50.0 % posterior probability of being the best; what is missing may decide otherwise (61 evaluations on 20 of 20 items; FIESTA 0.1.0)."
    );
    let of_splits = Setting {
        probability: Some("50.0 %"),
        ..setting
    };
    assert_eq!(
        sentence(&conclusion, &of_splits),
        "With every split used by the arms that may be the best, tdlstm is recommended among 8 arms by macro-F1, with 50.0 % posterior probability of being the best; more splits, or more seeds on these, would tell more (61 evaluations on 20 shared splits; FIESTA 0.1.0)."
    );
}

/// Tests that evaluations after the decision are counted: the numbers are those of now, and the
/// decision's are named beside them.
#[test]
fn evaluations_after_the_decision_are_counted() {
    let conclusion = Conclusion {
        arm: ArmId::new(0),
        reason: Reason::PosteriorProbability { level: 0.95 },
        probability: Some(0.963),
        evaluations: 29,
    };
    let setting = Setting {
        arm: "a",
        arms: 3.into(),
        probability: Some("97.3 %"),
        overtaken_by: None,
        tie: None,
        cheapest_within: None,
        evaluations: 30,
        failed: 2,
        metric: "f1",
        splits: 11,
        design: Design::Shared,
        noun: "split",
        unanswered: None,
        repeats: false,
        cost_unit: None,
        decimals: 4,
        version: "0.1.0",
    };
    assert_eq!(
        sentence(&conclusion, &setting),
        "With 97.3 % posterior probability, a is the best of 3 arms by f1 (30 evaluations, 2 of which failed, on 11 shared splits; FIESTA 0.1.0). It was decided after 29 evaluations, with 96.3 % posterior probability; 1 more ended afterwards and is counted."
    );
    let overtaken = Setting {
        probability: Some("41.0 %"),
        overtaken_by: Some(("b", "58.0 %")),
        evaluations: 31,
        failed: 0,
        ..setting
    };
    assert!(sentence(&conclusion, &overtaken).starts_with(
        "a was chosen among 3 arms by f1 after 29 evaluations, with 96.3 % posterior probability; with the 2 evaluations counted that ended afterwards, it is the best with 41.0 % posterior probability and b with 58.0 % (31 evaluations on"
    ));
}

#[test]
fn tied_arms_are_not_recommended_as_if_one_were_best() {
    let conclusion = Conclusion {
        arm: ArmId::new(0),
        reason: Reason::Limit(Limit::Evaluations(300)),
        probability: Some(0.333),
        evaluations: 300,
    };
    let tie = Tie {
        arms: vec![0, 1, 2],
        value: 0.831,
        common: Some(99),
    };
    let names = ["a", "b", "c", "d"];
    let belief = Percentages::new(&[0.334, 0.332, 0.332, 0.002]);
    let words = TieWords::new(&tie, &names, Some(&belief));
    let setting = Setting {
        arm: "a",
        arms: 4.into(),
        probability: Some("33.4 %"),
        overtaken_by: None,
        tie: Some(&words),
        cheapest_within: None,
        evaluations: 300,
        failed: 0,
        metric: "accuracy",
        splits: 100,
        design: Design::Shared,
        noun: "split",
        unanswered: None,
        repeats: false,
        cost_unit: None,
        decimals: 4,
        version: "0.1.0",
    };
    let found = sentence(&conclusion, &setting);
    assert!(
        found.starts_with("After the limit of 300 evaluations, a, b and c are tied at 0.8310: no difference in any of their 99 common evaluations; with 99.8 % posterior probability, the best of 4 arms by accuracy is one of them (300 evaluations on"),
        "{found}"
    );
    let all = Setting {
        arms: 3.into(),
        ..setting
    };
    let found = sentence(&conclusion, &all);
    assert!(
        found.contains("; each of the 3 arms is the best by accuracy with at most 33.4 % posterior probability ("),
        "{found}"
    );
}

#[test]
fn the_example_of_tie_words() -> Result<(), crate::summary::SummaryError> {
    use crate::summary::Sample;
    let arm = || Sample::grouped([(0, 0.8), (1, 0.9)]).map(Some);
    let tie = Tie::with(&[arm()?, arm()?], 0).expect("they are equal");
    let words = TieWords::new(&tie, &["lstm", "gru"], None);
    assert_eq!(
        words.plain(),
        "lstm and gru are tied at 0.8500: no difference in any of their 2 common evaluations"
    );
    Ok(())
}

/// Tests that the cheapest arm within a distance is told as what it was sought for, also where a limit came first.
#[test]
fn the_cheapest_arm_is_told_as_such() {
    let mut conclusion = Conclusion {
        arm: ArmId::new(0),
        reason: Reason::CheapestWithin {
            level: 0.95,
            within: 0.01,
        },
        probability: Some(0.3),
        evaluations: 61,
    };
    let cheapest = Setting {
        cheapest_within: Some(0.01),
        ..of_tdlstm()
    };
    let sought = "the cheapest arm, by mean cost, within 0.01 of the best of 8 arms by macro-F1";
    let named = sentence(&conclusion, &cheapest);
    let claim = format!("With at least 95.0 % posterior probability, tdlstm is {sought} (");
    assert!(named.starts_with(&claim), "{named}");
    let on_items = Setting {
        noun: "item",
        ..cheapest
    };
    let named = sentence(&conclusion, &on_items);
    assert!(
        named.starts_with("At a confidence of 95.0 %, tdlstm"),
        "{named}"
    );
    // Once all answers are in, nothing is left to a probability.
    conclusion.reason = Reason::CheapestWithin {
        level: 1.0,
        within: 0.01,
    };
    let named = sentence(&conclusion, &cheapest);
    let claim = format!("All answers that decide are known: tdlstm is {sought} (");
    assert!(named.starts_with(&claim), "{named}");
    // A limit names no arm with the level that was asked for, nor says how probably the arm is the best.
    conclusion.reason = Reason::Limit(Limit::Evaluations(61));
    let named = sentence(&conclusion, &cheapest);
    let claim = format!(
        "After the limit of 61 evaluations, tdlstm is recommended as {sought}; no level of confidence is claimed ("
    );
    assert!(named.starts_with(&claim), "{named}");
}
