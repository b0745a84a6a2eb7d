//! Tests of failures that may decide: with which scores of what failed another arm would be ahead.

use super::*;
use fiesta_core::{Counts, Observation};

/// Adds failures of an arm on splits from `first` on.
fn fail(facts: &mut StudyFacts, arm: ArmId, first: u64, count: u64) {
    let failures = (first..first + count).map(|split| EvaluationFacts {
        arm,
        case: Case { split, seed: 7 },
        outcome: Some(Outcome::Failed),
        ..facts.evaluations[0].clone()
    });
    let failures: Vec<EvaluationFacts> = failures.collect();
    facts.evaluations.extend(failures);
    facts.arms[arm.index()].failed += count;
}

/// Returns the facts of a study of two arms that named the first with four scores of mean .8 and
/// standard deviation .0258, ahead by `lead` on the splits of both, and with this many failures.
fn with_failures(failed: u64, lead: f64) -> StudyFacts {
    let scores = [0.77, 0.79, 0.81, 0.83];
    let mut facts = facts(&[&scores, &scores.map(|x| x - lead)], &[0.97, 0.03]);
    facts.conclusion = Some(concluded(Reason::PosteriorProbability { level: 0.95 }, 8));
    fail(&mut facts, ArmId::new(0), 4, failed);
    facts
}

/// Tests that a verdict is open where the failures of the named arm may hide scores by which it is
/// not the best: four of eight by .02·8/4 = .04 below its mean, which is 1.5 of its standard
/// deviations.
#[test]
fn failures_of_the_named_arm_may_decide() {
    let facts = with_failures(4, 0.02);
    let findings = StudyFindings::new(&facts);
    assert_eq!(findings.verdict(), StudyVerdict::Open);
    let sentence = findings.sentence().unwrap();
    let expected = "a leads 2 arms by f1 among the evaluations that did not fail, with 97.0 % posterior probability of being the best (8 evaluations, 4 of which failed, on 4 shared splits; FIESTA 0.1.0). 4 of the 8 evaluations of a failed and count for nothing: had they scored below 0.7600 on average, b would be ahead.";
    assert!(sentence.contains(expected), "{sentence}");
    let notice = findings.notice().unwrap();
    assert!(
        notice.starts_with("what failed of a may decide"),
        "{notice}"
    );
    let meaning = facts.meaning(facts.conclusion.as_ref().unwrap()).unwrap();
    assert!(meaning.contains("no level is promised"), "{meaning}");
    // One of five would have to be .2 below the mean, more than seven standard deviations.
    for (failed, lead) in [(0, 0.02), (1, 0.04)] {
        let facts = with_failures(failed, lead);
        let findings = StudyFindings::new(&facts);
        assert_eq!(findings.verdict(), StudyVerdict::Best);
        assert_eq!(findings.notice(), None);
    }
}

/// Tests that smaller may be better, and that failures of other arms hide nothing that would make
/// the named arm worse.
#[test]
fn failures_are_looked_at_in_the_metrics_direction() {
    let mut facts = with_failures(4, 0.02);
    facts.metric = Metric::new("loss", Direction::Minimize, None).unwrap();
    for evaluation in &mut facts.evaluations {
        if let Some(Outcome::Observed(observed)) = &mut evaluation.outcome {
            *observed = (1.0 - observed.score(FBeta::default())).into();
        }
    }
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    let expected = "scored above 0.2400 on average, b would be ahead";
    assert!(sentence.contains(expected), "{sentence}");
    for own in &mut facts.evaluations {
        if own.outcome == Some(Outcome::Failed) {
            own.arm = ArmId::new(1);
        }
    }
    assert_eq!(StudyFindings::new(&facts).verdict(), StudyVerdict::Best);
}

/// Tests that an arm that may be behind has to be further behind, and that of several named arms each
/// is looked at.
#[test]
fn failures_are_looked_at_as_the_question_is() {
    let mut facts = with_failures(4, 0.02);
    facts.conclusion.as_mut().unwrap().reason = Reason::Tolerance {
        level: 0.95,
        tolerance: 0.01,
    };
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    let expected = "scored below 0.7400 on average, b would be ahead by more than 0.01.";
    assert!(sentence.contains(expected), "{sentence}");
    let mut facts = with_failures(0, 0.02);
    facts.arms.push(arm("c"));
    facts
        .evaluations
        .extend(evaluations(&[&[], &[], &[0.9, 0.91, 0.92, 0.91]]));
    facts.belief.as_mut().unwrap().probability.push(0.99);
    facts.top = 2;
    let (first, second) = (ArmId::new(2), ArmId::new(0));
    facts.conclusion.as_mut().unwrap().arm = first;
    facts.conclusion.as_mut().unwrap().reason = Reason::Top {
        level: 0.95,
        tolerance: 0.0,
        arms: vec![first, second],
    };
    assert_eq!(StudyFindings::new(&facts).verdict(), StudyVerdict::Best);
    fail(&mut facts, second, 4, 4);
    assert_eq!(StudyFindings::new(&facts).verdict(), StudyVerdict::Open);
}

/// Tests that the failed evaluations are compared with what the next arm scored on their splits, and
/// that equal scores tell nothing of what is hidden.
#[test]
fn failures_are_compared_on_their_splits() {
    let mut facts = with_failures(1, 0.02);
    let theirs = EvaluationFacts {
        arm: ArmId::new(1),
        case: Case { split: 4, seed: 7 },
        outcome: Some(Outcome::Observed(0.5.into())),
        ..facts.evaluations[0].clone()
    };
    facts.evaluations.push(theirs);
    // Expected .52 there, as b had .5, and .02 · 5 less for b to be ahead.
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    let expected = "1 of the 5 evaluations of a failed and counts for nothing: had it scored below 0.4200, b would be ahead.";
    assert!(sentence.contains(expected), "{sentence}");
    for evaluation in &mut facts.evaluations {
        if matches!(evaluation.outcome, Some(Outcome::Observed(_))) {
            let score = if evaluation.arm == ArmId::new(0) {
                1.0
            } else {
                0.9
            };
            evaluation.outcome = Some(Outcome::Observed(score.into()));
        }
    }
    assert_eq!(StudyFindings::new(&facts).verdict(), StudyVerdict::Open);
}

/// Tests that failures are looked at whatever ended the study: a budget, a schedule, or a tie, whose
/// arms have to be within the tolerance of each other.
#[test]
fn failures_are_looked_at_whatever_ended_the_study() {
    let tied = |arms: &[usize]| Reason::Tied {
        level: 0.95,
        tolerance: 0.03,
        arms: arms.iter().map(|&arm| ArmId::new(arm)).collect(),
    };
    for (reason, lead, expected) in [
        (
            Reason::Limit(Limit::Evaluations(8)),
            0.02,
            "0.7600 on average, b would be ahead.",
        ),
        (
            Reason::Schedule,
            0.02,
            "0.7600 on average, b would be ahead.",
        ),
        (
            tied(&[0, 1]),
            0.0,
            "0.7400 on average, b would be ahead by more than 0.03.",
        ),
        (
            tied(&[1, 0]),
            -0.02,
            "0.7800 on average, b would be ahead by more than 0.03.",
        ),
    ] {
        let mut facts = with_failures(4, lead);
        facts.conclusion.as_mut().unwrap().reason = reason;
        let findings = StudyFindings::new(&facts);
        let sentence = findings.sentence().unwrap();
        assert!(sentence.contains(expected), "{sentence}");
        assert!(findings.failures_may_decide());
        assert_eq!(findings.verdict(), StudyVerdict::Open);
        assert_eq!(facts.arm_of_decisive_failures().as_deref(), Some("a"));
    }
    // What is missing is told of such a study, and no arm is named.
    let mut facts = with_failures(4, 0.02);
    facts.conclusion.as_mut().unwrap().reason = Reason::Exhausted;
    assert!(!StudyFindings::new(&facts).failures_may_decide());
    assert_eq!(facts.unanswered().unwrap(), "a 4");
}

/// Tests that failures that were made before the study count, and those that were made again do not,
/// whether or not the arm has other scores on their split.
#[test]
fn a_failure_counts_until_it_is_made_again() {
    let mut facts = with_failures(4, 0.02);
    for own in facts
        .evaluations
        .iter_mut()
        .filter(|own| own.outcome == Some(Outcome::Failed))
    {
        own.recorded = true;
    }
    assert!(StudyFindings::new(&facts).failures_may_decide());
    let again: Vec<EvaluationFacts> = { facts.evaluations.iter() }
        .filter(|own| own.outcome == Some(Outcome::Failed))
        .map(|own| EvaluationFacts {
            outcome: Some(Outcome::Observed(0.8.into())),
            ..own.clone()
        })
        .collect();
    let mut failed_again = facts.clone();
    let twice = facts.evaluations.last().unwrap().clone();
    failed_again.evaluations.push(twice);
    let sentence = StudyFindings::new(&failed_again).sentence().unwrap();
    assert!(
        sentence.contains("4 of the 8 evaluations of a failed"),
        "{sentence}"
    );
    facts.evaluations.extend(again);
    assert!(!StudyFindings::new(&facts).failures_may_decide());
    // The same splits with another seed are other evaluations.
    for own in facts.evaluations.iter_mut().rev().take(4) {
        own.case.seed = 8;
    }
    assert!(StudyFindings::new(&facts).failures_may_decide());
    // A search names its best score, which no failure makes worse.
    facts.search = Some(SearchFacts {
        trials: 8,
        spaces: Vec::new(),
    });
    assert!(!StudyFindings::new(&facts).failures_may_decide());
}

/// Tests that a score beyond the best bound is none: what failed was surely below it.
#[test]
fn failures_where_the_others_scored_well_may_decide() {
    let mut facts = with_failures(1, 0.02);
    let theirs = EvaluationFacts {
        arm: ArmId::new(1),
        case: Case { split: 4, seed: 7 },
        outcome: Some(Outcome::Observed(1.0.into())),
        ..facts.evaluations[0].clone()
    };
    facts.evaluations.push(theirs);
    facts.metric = Metric::new("f1", Direction::Maximize, Some((0.0, 0.9))).unwrap();
    // 1.02 is expected there, less .02 · 5.
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    assert!(
        sentence.contains("had it scored below 0.9000, b would be ahead"),
        "{sentence}"
    );
}

/// Returns counts of `found` right ones, with as many wrong and missed ones as make 20 in all.
fn counts(found: u64) -> Observation {
    Observation::Counts(Counts {
        true_positives: found,
        false_positives: 20 - found,
        false_negatives: 20 - found,
        ..Counts::default()
    })
}

/// Tests that of counts it is the F-measure of all documents that decides: with as many right in the
/// documents that failed as the sentence says, both arms have the same.
#[test]
fn failures_of_documents_may_decide() {
    let mut facts = with_failures(2, 0.0);
    (facts.f_beta, facts.design, facts.noun) =
        (Some(FBeta::F1), Design::Items { count: 40 }, "document");
    let found = [[19, 13, 17, 15], [18, 12, 16, 14]];
    let mut places = found.iter().flatten();
    for own in &mut facts.evaluations {
        if let Some(Outcome::Observed(observed)) = &mut own.outcome {
            *observed = counts(*places.next().unwrap());
        }
    }
    for (split, found) in [(4, 6), (5, 8)] {
        facts.evaluations.push(EvaluationFacts {
            arm: ArmId::new(1),
            case: Case { split, seed: 7 },
            outcome: Some(Outcome::Observed(counts(found))),
            ..facts.evaluations[0].clone()
        });
    }
    // F is the share that is found: .80 in four documents, b .75, and .35 in the two others. a would
    // have to find 10 of their 40 for (64 + 10)/120 = (60 + 14)/120.
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    let expected = "2 of the 6 evaluations of a failed and count for nothing: had they scored below 0.2500 all together, b would be ahead.";
    assert!(sentence.contains(expected), "{sentence}");
    // Documents that failed and are ten times as long weigh ten times as much.
    for own in facts.evaluations.iter_mut().rev().take(2) {
        if let Some(Outcome::Observed(Observation::Counts(counts))) = &mut own.outcome {
            *counts = Counts::from_cells(counts.cells().map(|cell| 10 * cell));
        }
    }
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    assert!(
        sentence.contains("below 0.3400 all together, b"),
        "{sentence}"
    );
    // The mean of the documents' F-measures counts each document alike.
    facts.of_mean_f = true;
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    assert!(
        sentence.contains("below 0.2500 on average, b"),
        "{sentence}"
    );
}

/// Tests that of several benchmarks the weighted mean decides: the lead is of all, and what failed is
/// on one.
#[test]
fn failures_on_a_benchmark_may_decide() {
    let mut facts = with_failures(2, 0.0);
    facts.design = Design::Items { count: 40 };
    let benchmark = |name: &str, weight| BenchmarkFacts {
        name: name.to_owned(),
        weight,
        items: 2,
        arms: Vec::new(),
    };
    facts.benchmarks = [("large", 0.25), ("small", 0.5), ("other", 0.25)]
        .map(|(name, weight)| benchmark(name, weight))
        .to_vec();
    facts.evaluations = evaluations(&[
        &[0.5, 0.7, 0.8, 0.9, 0.4, 0.6],
        &[0.4, 0.6, 0.7, 0.8, 0.5, 0.7],
    ]);
    let failed = |facts: &mut StudyFacts, place: usize| {
        facts.evaluations[place].outcome = Some(Outcome::Failed);
    };
    // On small a keeps .9, where b has .8, and is ahead by .1 on large and behind on other. The lead of
    // .05 in all is 0 if a has .7 on the item that failed, where b has .7: .8 − .05/(.5 · 1/2).
    failed(&mut facts, 2);
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    let expected = "1 of the 2 evaluations of a on small failed and counts for nothing: had it scored below 0.6000, b would be ahead.";
    assert!(sentence.contains(expected), "{sentence}");
    // Of two benchmarks it is the mean with their weights: .05 is the lead, and the two items have
    // a quarter and an eighth of the value. Expected are .8 and .6 there.
    failed(&mut facts, 5);
    let sentence = StudyFindings::new(&facts).sentence().unwrap();
    let expected = "2 of the 4 evaluations of a on small and other failed and count for nothing: had they scored below 0.6000 on the weighted average, b would be ahead.";
    assert!(sentence.contains(expected), "{sentence}");
    // As far below what is expected no score is, in a study whose scores go down to .61.
    facts.metric = Metric::new("f1", Direction::Maximize, Some((0.61, 1.0))).unwrap();
    assert!(!StudyFindings::new(&facts).failures_may_decide());
}
