//! Tests of the findings of a study: recommendation, ties, late evaluations, sentence, notice.

use super::*;
use fiesta_core::{
    ArmId, Belief, Case, Conclusion, Design, Direction, FBeta, Limit, Method, Metric, Outcome,
    Reason,
};
use fiesta_policies::random_search::{Parameter, Setting, Space, Value};

mod failing;

fn arm(name: &str) -> ArmFacts {
    ArmFacts {
        name: name.to_owned(),
        cost: 2.0,
        ..ArmFacts::default()
    }
}

/// Returns evaluations with these scores of each arm: the k-th evaluation of an arm is on split k.
fn evaluations(scores: &[&[f64]]) -> Vec<EvaluationFacts> {
    let arms = ArmId::all(scores.len()).zip(scores);
    let of_arm = |(arm, scores): (ArmId, &&[f64])| {
        let scores = (0..).zip(scores.to_vec());
        let evaluation = move |(split, score): (u64, f64)| EvaluationFacts {
            number: split + 1,
            arm,
            case: Case { split, seed: 7 },
            setting: Setting::default(),
            outcome: Some(Outcome::Observed(score.into())),
            cost: Some(1.0),
            seconds: Some(1.0),
            lost: LostAttempts::default(),
            recorded: false,
            turn: None,
        };
        scores.map(evaluation)
    };
    arms.flat_map(of_arm).collect()
}

fn facts(scores: &[&[f64]], p: &[f64]) -> StudyFacts {
    let evaluations = evaluations(scores);
    StudyFacts {
        name: "study".to_owned(),
        metric: Metric::new("f1", Direction::Maximize, Some((0.0, 1.0))).unwrap(),
        f_beta: None,
        of_mean_f: false,
        design: Design::Shared,
        noun: "split",
        splits: None,
        items: Vec::new(),
        strata: None,
        repeats: false,
        uses_splits_again: false,
        items_target: fiesta_core::Target::TheseItems,
        cost_unit: None,
        policy: "ttps".to_owned(),
        stopping: "posterior".to_owned(),
        posterior: "paired".to_owned(),
        confidence: Some(0.95),
        top: 1,
        default_cap: None,
        arms: ["a", "b"].map(arm).to_vec(),
        ended: evaluations.len() as u64,
        evaluations,
        cheapest_within: None,
        gate: None,
        belief: (!p.is_empty()).then(|| Belief {
            probability: p.to_vec(),
            absolute_error: 1e-9,
            ..Belief::nothing(p.len(), Method::Quadrature)
        }),
        empirical_best: Some(ArmId::new(0)),
        conclusion: None,
        recorded: 0,
        extensions: Vec::new(),
        search: None,
        search_winner: None,
        benchmarks: Vec::new(),
        notes: Vec::new(),
        background: StudyBackground::default(),
    }
}

fn concluded(reason: Reason, evaluations: u64) -> Conclusion {
    Conclusion {
        arm: ArmId::new(0),
        reason,
        probability: Some(0.96),
        evaluations,
    }
}

#[test]
fn nothing_is_recommended_before_a_score() {
    let facts = facts(&[&[], &[]], &[]);
    let findings = StudyFindings::new(&facts);
    assert_eq!((findings.recommended(), findings.sentence()), (None, None));
    assert_eq!(findings.notice(), None);
}

#[test]
fn the_leader_is_that_of_the_belief() {
    let facts = facts(&[&[0.6, 0.7], &[0.7, 0.75]], &[0.2, 0.8]);
    let findings = StudyFindings::new(&facts);
    assert_eq!(findings.recommended(), Some(ArmId::new(1)));
    assert_eq!(findings.probability_of(ArmId::new(0)).unwrap(), "20.0 %");
    assert_eq!(findings.sentence(), None);
    assert_eq!((findings.splits_used(), findings.compared()), (2, 2));
}

/// Tests that retired arms were not compared; forgiven failures, added arms and silent commands are
/// told.
#[test]
fn the_sentence_tells_what_a_reader_must_know() {
    let mut facts = facts(&[&[0.8, 0.9, 0.85], &[0.7, 0.75, 0.7]], &[0.97, 0.03]);
    facts.arms.push(ArmFacts {
        retired: true,
        failed: 3,
        ..arm("broken")
    });
    facts.belief.as_mut().unwrap().probability.push(0.0);
    facts.conclusion = Some(concluded(Reason::PosteriorProbability { level: 0.95 }, 5));
    facts.recorded = 2;
    facts.extensions.push(ExtensionFacts {
        evaluations: 4,
        arms: vec![ArmId::new(1)],
        reinstated: Vec::new(),
        set_aside: Vec::new(),
        asserted: Vec::new(),
        had_ended: true,
    });
    facts.arms[0].names_no_case = true;
    let findings = StudyFindings::new(&facts);
    assert_eq!((findings.compared(), findings.late()), (2, 1));
    let sentence = findings.sentence().unwrap();
    for part in [
        "With 97.0 % posterior probability, a is the best of 2 of 3 arms by f1",
        "It was decided after 5 evaluations, with 96.0 % posterior probability; 1 more ended",
        "Retired because its evaluations failed: broken.",
        "2 of the evaluations existed before the study.",
        "Added: b after 4 evaluations, when it had ended once.",
        "The command of a names no split: that it reads FIESTA_SPLIT is assumed.",
    ] {
        assert!(sentence.contains(part), "{part}\n{sentence}");
    }
}

#[test]
fn late_evaluations_can_make_another_arm_the_best() {
    let mut facts = facts(&[&[0.8, 0.9], &[0.9, 0.85]], &[0.4, 0.6]);
    facts.conclusion = Some(concluded(Reason::Schedule, 3));
    let findings = StudyFindings::new(&facts);
    assert_eq!(findings.recommended(), Some(ArmId::new(0)));
    assert_eq!(findings.overtaken_by(), Some(("b", "60.0 %".to_owned())));
    // Who is most probably the best is no news where the cheapest that is good enough was sought.
    facts.cheapest_within = Some(0.1);
    assert_eq!(StudyFindings::new(&facts).overtaken_by(), None);
    facts.cheapest_within = None;
    facts.conclusion = Some(concluded(Reason::Schedule, 4));
    assert_eq!(StudyFindings::new(&facts).overtaken_by(), None);
}

#[test]
fn equal_arms_are_tied_unless_the_posterior_is_sure() {
    let equal: [&[f64]; 2] = [&[0.8, 0.9], &[0.8, 0.9]];
    let unsure = facts(&equal, &[0.5, 0.5]);
    let findings = StudyFindings::new(&unsure);
    assert_eq!(findings.tied(), [0, 1]);
    assert!(findings.arms().arms.iter().all(|arm| arm.tied));
    let sure = facts(&equal, &[0.96, 0.04]);
    assert!(StudyFindings::new(&sure).tied().is_empty());
}

#[test]
fn the_default_limit_is_said_only_if_it_ended_the_study() {
    let mut facts = facts(&[&[0.8, 0.9], &[0.7, 0.8]], &[0.8, 0.2]);
    facts.conclusion = Some(concluded(Reason::Limit(Limit::Evaluations(200)), 4));
    assert_eq!(StudyFindings::new(&facts).notice(), None);
    facts.default_cap = Some(200);
    let notice = StudyFindings::new(&facts).notice().unwrap();
    assert!(notice.starts_with("stopped at the default cap of 200 evaluations (100 per arm)"));
    facts.conclusion = Some(concluded(Reason::Limit(Limit::Cost(3.0)), 4));
    assert_eq!(StudyFindings::new(&facts).notice(), None);
}

#[test]
fn a_search_recommends_the_best_score() {
    let mut facts = facts(&[&[0.8, 0.9], &[0.7, 0.75]], &[]);
    let space = Space::new([("lr", Parameter::uniform(0.0, 1.0).unwrap())]).unwrap();
    facts.search = Some(SearchFacts {
        trials: 2,
        spaces: vec![space.clone(), space],
    });
    facts.evaluations[1].setting = [("lr", Value::Number(0.5))].into_iter().collect();
    facts.conclusion = Some(concluded(Reason::Schedule, 4));
    let findings = StudyFindings::new(&facts);
    assert_eq!(findings.best_of_search(), Some((ArmId::new(0), 0.9)));
    let (best, score) = facts.best_trial(ArmId::new(0)).unwrap();
    assert_eq!((best.number, score), (2, 0.9));
    assert!(findings.sentence().unwrap().contains("with lr = 0.5"));
    let table = findings.table().text();
    assert!(table.starts_with("arm  trials  best f1"), "{table}");
    let (best, score) = facts.best_trial(ArmId::new(1)).unwrap();
    assert_eq!((best.number, score), (2, 0.75));
}

/// Tests that differences by turn end at the first gap: only as far as both arms have ended with a
/// score, and on shared splits only on the same ones.
#[test]
fn differences_by_turn_end_at_the_first_gap() {
    let mut facts = facts(&[&[0.5, 0.75, 1.0], &[0.25, 0.5, 0.5, 0.5]], &[]);
    let differences = |facts: &StudyFacts| facts.differences_by_turn(ArmId::new(0), ArmId::new(1));
    assert_eq!(differences(&facts), [0.25, 0.25, 0.5]);
    facts.evaluations[1].case.split = 9;
    assert_eq!(differences(&facts), [0.25]);
    facts.design = Design::Independent;
    assert_eq!(differences(&facts), [0.25, 0.25, 0.5]);
    facts.evaluations[1].outcome = Some(Outcome::Failed);
    assert_eq!(differences(&facts), [0.25]);
    facts.evaluations[3].outcome = None;
    assert_eq!(differences(&facts), [0.0; 0]);
}

/// Tests that a rate of error is stated only of what was simulated.
#[test]
fn rates_are_those_that_were_measured() {
    let of = |stopping: &str, posterior: &str, design| {
        let mut facts = facts(&[&[0.8, 0.9], &[0.7, 0.75]], &[0.91, 0.09]);
        facts.conclusion = Some(concluded(Reason::PosteriorProbability { level: 0.9 }, 4));
        stopping.clone_into(&mut facts.stopping);
        posterior.clone_into(&mut facts.posterior);
        facts.design = design;
        StudyFindings::new(&facts).meaning().unwrap()
    };
    let measured = of("posterior", "paired", Design::Shared);
    assert!(measured.contains("in at most 10.0 % if"), "{measured}");
    let mut beyond = facts(&[&[0.8, 0.9], &[0.7, 0.75]], &[0.91, 0.09]);
    beyond.conclusion = Some(concluded(Reason::PosteriorProbability { level: 0.9999 }, 4));
    let beyond = StudyFindings::new(&beyond).meaning().unwrap();
    assert!(
        beyond.contains("more than 99 % was not simulated"),
        "{beyond}"
    );
    for other in [
        of("posterior-at-once", "paired", Design::Shared),
        of("posterior", "pooled", Design::Shared),
        of("posterior", "paired", Design::Fixed),
    ] {
        assert!(other.contains("was not measured"), "{other}");
    }
}

/// Tests that the optimism is of the first evaluations, whatever comes after them, and names failures.
#[test]
fn a_searchs_winner_is_judged_by_its_first_evaluations() {
    let mut facts = facts(&[&[0.7, 0.8], &[0.80, 0.84, 0.82, 0.99]], &[0.1, 0.9]);
    facts.search_winner = Some(SearchWinnerFacts {
        arm: ArmId::new(1),
        score: 0.9,
        first: 3,
        default: Some(ArmId::new(0)),
        default_better: Some(0.032),
    });
    let report = facts.search_winner().unwrap();
    assert!((report.optimism.unwrap() - 0.08).abs() < 1e-12);
    // The standard deviation of .80, .84, .82 is .02.
    assert!((report.standard_error.unwrap() - 0.02 / 3_f64.sqrt()).abs() < 1e-12);
    assert_eq!(
        facts.search_winner_words().unwrap(),
        "The search overstated its winner, b, by 0.080 ± 0.012 (standard error): its first 3 evaluations on fresh splits have the mean 0.820, in the search it had 0.900. a is better than this winner with 3.2 % posterior probability."
    );
    facts.evaluations[3].outcome = Some(Outcome::Failed);
    let words = facts.search_winner_words().unwrap();
    assert!(
        words.contains("0.9000; 1 of them failed and is left out."),
        "{words}"
    );
    assert!(words.contains("have the mean 0.8100"), "{words}");
    // What is withdrawn or was recorded before does not count: the fourth takes its place.
    facts.evaluations[3].outcome = Some(Outcome::Withdrawn);
    let words = facts.search_winner_words().unwrap();
    assert!(words.contains("have the mean 0.870"), "{words}");
    facts.evaluations[4].recorded = true;
    assert_eq!(facts.search_winner().unwrap().ended, 2);
    let words = facts.search_winner_words().unwrap();
    assert!(
        words.contains("is not known: of its first 3 evaluations, 2 have ended. a is"),
        "{words}"
    );
    facts.evaluations[2].outcome = None;
    assert_eq!(facts.search_winner().unwrap().ended, 1);
}

/// Tests the sentence on the best arms of a study that names several, however it ended.
#[test]
fn several_best_arms_are_named_together() {
    let mut facts = facts(&[&[0.8, 0.9], &[0.7, 0.75], &[0.8, 0.8], &[0.6, 0.7]], &[]);
    facts.arms.extend([arm("c"), arm("d")]);
    facts.top = 2;
    facts.belief = Some(Belief {
        probability: vec![0.99, 0.02, 0.97, 0.02],
        ..Belief::nothing(4, Method::Quadrature)
    });
    let words = |reason: Option<Reason>| {
        let mut facts = facts.clone();
        facts.conclusion = reason.map(|reason| concluded(reason, 4));
        StudyFindings::new(&facts).top_in_words().unwrap()
    };
    let of = |arms: &[usize]| arms.iter().copied().map(ArmId::new).collect();
    let top = |tolerance| Reason::Top {
        level: 0.95,
        tolerance,
        arms: of(&[0, 2]),
    };
    assert_eq!(
        words(Some(top(0.0))),
        "a and c are the best 2 of 4 arms by f1, with at least 96.0 % posterior probability"
    );
    assert_eq!(
        words(Some(top(0.01))),
        "a and c are the best 2 of 4 arms by f1, or within 0.010 of these, with at least 95.0 % posterior probability"
    );
    let tied = |tolerance| Reason::Tied {
        level: 0.95,
        tolerance,
        arms: of(&[0, 2, 1]),
    };
    assert_eq!(
        words(Some(tied(0.0))),
        "The best 2 of 4 arms by f1 are among a, c and b, each of which is one of them or equal to one"
    );
    assert!(
        words(Some(tied(0.1)))
            .ends_with("or within 0.10 of them with at least 95.0 % posterior probability")
    );
    assert!(
        words(None).starts_with("a and c lead as the best 2 of 4 arms by f1 so far, with at least")
    );
    let limit = words(Some(Reason::Limit(fiesta_core::Limit::Evaluations(4))));
    assert!(
        limit.starts_with("After the limit of 4 evaluations, a and c lead as"),
        "{limit}"
    );
    facts.conclusion = Some(concluded(top(0.0), 3));
    let findings = StudyFindings::new(&facts);
    let sentence = findings.sentence().unwrap();
    assert!(sentence.starts_with("a and c are the best 2 of 4 arms by f1, with at least 96.0 % posterior probability (8 evaluations on"), "{sentence}");
    assert!(findings.text().contains("P(top 2)") && findings.tied().is_empty());
    assert_eq!(facts.top().unwrap().arms, ["a", "c"]);
    facts.top = 1;
    assert_eq!(facts.top(), None);
}
