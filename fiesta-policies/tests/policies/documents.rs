//! Tests of policies and rules where every arm has a limited number of documents or splits.

use super::{
    Looks, arm, arms,
    every_policy::{all, parameters},
    tell,
};
use fiesta_core::{
    ArmId, Ask, Design, FBeta, Next, Observation, Observe, Outcome, Policy, Reason, Selector,
    StoppingRule, Verdict, View,
};
use fiesta_policies::{
    Parameters, Thompson, policy_by_name,
    stopping::{AnytimeValid, AtLeast, OfScores, PosteriorThreshold},
};
use fiesta_posterior::{GaussianArms, Paired};
use proptest::prelude::*;
use rand::Rng;
use std::sync::{Arc, Mutex};

/// Policy that fails the test if it chooses an arm that has queried every document: the selector
/// would help, and the policy should need no help.
struct Watched(Box<dyn Policy>);

impl Policy for Watched {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let next = self.0.next(view, rng);
        if let Next::Evaluate(arm) = next {
            assert!(view.has_case_left(arm), "arm {} is exhausted", arm.index());
        }
        next
    }
    fn needs_posterior(&self) -> bool {
        self.0.needs_posterior()
    }
    fn round_complete(&self, view: &View<'_>) -> bool {
        self.0.round_complete(view)
    }
    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        self.0.recommend(view)
    }
}

/// Returns designs of documents, and of splits that end, with `count` for each of four arms.
fn ending(count: u64) -> [(Design, Option<u64>); 3] {
    [
        (Design::Items { count }, None),
        (Design::Shared, Some(count)),
        (Design::Independent, Some(4 * count)),
    ]
}

/// Runs a study of a policy and four arms to its end, with `workers` evaluations at once. `ends`
/// has the order in which they end, and their scores.
fn end(
    (name, parameters): (&str, &Parameters),
    posterior: impl Observe<f64> + 'static,
    (design, splits): (Design, Option<u64>),
    (workers, seed): (usize, u64),
    ends: &[(usize, f64)],
) -> Selector {
    let policy = Watched(policy_by_name(name, parameters).unwrap());
    let rule = AnytimeValid::new(0.95, 4).unwrap();
    let mut selector = Selector::builder(arms(4), posterior, policy, rule)
        .design(design)
        .splits(splits)
        .seed(seed)
        .build()
        .unwrap();
    let mut ends = ends.iter();
    loop {
        while selector.pending().count() < workers {
            match selector.ask().unwrap() {
                Ask::Evaluate(_) => {}
                Ask::Wait => break,
                Ask::Finished(_) => return selector,
            }
        }
        let pending: Vec<_> = selector.pending().collect();
        // At most 32 evaluations of four arms.
        let (place, score) = ends.next().expect("it never ends");
        let e = pending[place % pending.len()];
        tell(&mut selector, e.id, Outcome::Observed(*score));
    }
}

/// Checks that every evaluation that there can be was made, unless a schedule was complete before.
fn check_end(name: &str, selector: &Selector, design: Design, count: u64) {
    let view = selector.view();
    let made: Vec<u64> = ArmId::all(4).map(|arm| view.observed(arm)).collect();
    match &selector.conclusion().unwrap().reason {
        Reason::Exhausted => {
            assert_eq!(view.candidates().len(), 4);
            assert_eq!(made.iter().sum::<u64>(), 4 * count, "{name}: {made:?}");
            let each = made.iter().all(|&made| made == count);
            assert!(each || design == Design::Independent, "{name}: {made:?}");
        }
        // Schedules that end before the documents or splits do.
        Reason::Schedule => assert!(name.starts_with('s'), "{name}"),
        other => panic!("{name}: {other:?}"),
    }
}

/// Tests every policy under the posterior that pairs arms on their splits.
#[test]
fn every_policy_ends_by_itself_under_the_paired_posterior() {
    let ends: Vec<(usize, f64)> = (0..40_u32)
        .map(|k| (k as usize * 7, f64::from(k * 37 % 41) / 41.0))
        .collect();
    for (name, parameters) in all() {
        for case in ending(3) {
            // How exact P(best) is makes no difference here.
            let posterior = Paired::new(4).draws(20);
            let selector = end((name, &parameters), posterior, case, (2, 5), &ends);
            check_end(name, &selector, case.0, 3);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Tests that every policy ends by itself, however many evaluations run at once and in whatever
    /// order they end.
    #[test]
    fn every_policy_ends_by_itself(
        count in 3..9_u64,
        workers in 1..6_usize,
        seed: u64,
        ends in prop::collection::vec((any::<usize>(), 0.0..1.0_f64), 40),
    ) {
        for (name, parameters) in all() {
            for case in ending(count) {
                let posterior = GaussianArms::pooled(4);
                let selector = end((name, &parameters), posterior, case, (workers, seed), &ends);
                check_end(name, &selector, case.0, count);
            }
        }
    }
}

/// Stopping rule that stops at once, in favour of the most probable arm.
struct Hasty;

impl<O> StoppingRule<O> for Hasty {
    fn check(&self, view: &View<'_>) -> Verdict {
        let leader = view.belief().map(|belief| belief.leader().0);
        leader.map_or(Verdict::Continue, |arm| {
            Verdict::Stop(arm, Reason::Schedule)
        })
    }
}

/// Returns the evaluations of each arm when a study of clearly different arms ends that asks for `least` of the best two.
fn evaluations(least: u64, design: Design) -> (Vec<u64>, Reason) {
    let rule = AtLeast {
        evaluations: least,
        rule: Hasty,
    };
    let mut selector =
        Selector::builder(arms(3), GaussianArms::pooled(3), Thompson::default(), rule)
            .design(design)
            .build()
            .unwrap();
    let reason = loop {
        match selector.ask().unwrap() {
            Ask::Evaluate(e) => {
                let noise = (e.case.seed % 100) as f64 / 100.0;
                let score = [0.0, 0.5, 0.6][e.arm.index()] + 0.3 * noise;
                tell(&mut selector, e.id, Outcome::Observed(score));
            }
            Ask::Wait => panic!("nothing is running"),
            Ask::Finished(conclusion) => break conclusion.reason,
        }
    };
    let view = selector.view();
    (
        ArmId::all(3).map(|arm| view.observed(arm)).collect(),
        reason,
    )
}

#[test]
fn a_minimum_holds_for_the_leader_and_its_rival() {
    assert_eq!(evaluations(0, Design::Shared).0, [2, 2, 2]);
    let (made, reason) = evaluations(10, Design::Shared);
    assert_eq!(reason, Reason::Schedule);
    assert!(made[1] >= 10 && made[2] >= 10, "{made:?}");
    // The arm that is clearly worse is not evaluated for its sake.
    assert!(made[0] < 10, "{made:?}");
}

/// Tests that a minimum that a collection cannot give ends with its documents, and holds back no
/// end.
#[test]
fn a_minimum_ends_with_the_documents() {
    let (made, reason) = evaluations(10, Design::Items { count: 6 });
    assert_eq!(reason, Reason::Schedule);
    assert_eq!((made[1], made[2]), (6, 6));
}

/// Tests that rules around another rule pass on the outcomes that it is told, and its evidence about pairs.
#[test]
fn rules_inside_hear_and_are_heard() {
    #[derive(Default, Clone)]
    struct Heard(Arc<Mutex<Vec<(u64, Outcome)>>>);
    impl StoppingRule for Heard {
        fn check(&self, _: &View<'_>) -> Verdict {
            Verdict::Continue
        }
        fn ended(&mut self, _: &fiesta_core::Evaluation, turn: u64, outcome: &Outcome) {
            self.0.lock().unwrap().push((turn, *outcome));
        }
        fn evidence(&self, _: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
            Some((leader.index() * 10 + arm.index()) as f64)
        }
    }
    let heard = Heard::default();
    let of_scores = OfScores {
        rule: heard.clone(),
        f_beta: FBeta::F1,
    };
    let mut rule = AtLeast {
        evaluations: 1,
        rule: of_scores,
    };
    let evaluation = fiesta_core::Evaluation {
        id: fiesta_core::EvaluationId(3),
        arm: arm(1),
        case: fiesta_core::Case { split: 7, seed: 0 },
    };
    let counts = |cells| Observation::Counts(fiesta_core::Counts::from_cells(cells));
    let outcomes = [
        Outcome::Observed(counts([1, 1, 0, 0])),
        Outcome::Observed(counts([0, 0, 5, 0])),
        Outcome::Observed(Observation::Score(0.25)),
        Outcome::Failed,
    ];
    for (turn, outcome) in (0..).zip(&outcomes) {
        rule.ended(&evaluation, turn, outcome);
    }
    let expected = [
        Outcome::Observed(2.0 / 3.0),
        Outcome::Observed(1.0),
        Outcome::Observed(0.25),
        Outcome::Failed,
    ];
    let expected: Vec<_> = (0..).zip(expected).collect();
    assert_eq!(*heard.0.lock().unwrap(), expected);
    let selector = Selector::builder(
        arms(3),
        Paired::new(3),
        fiesta_policies::Uniform,
        Looks::default(),
    );
    let selector = selector.build().unwrap();
    let evidence = StoppingRule::<Observation>::evidence(&rule, &selector.view(), arm(2), arm(1));
    assert_eq!(evidence, Some(21.0));
}

/// Tests that a study of two documents ends by the posterior's probability, although the rule asks
/// for more evaluations of each arm.
#[test]
fn a_posterior_may_speak_of_what_cannot_be_evaluated_any_more() {
    let rule = PosteriorThreshold::new(0.9).unwrap();
    let mut selector = Selector::builder(arms(2), Paired::new(2), fiesta_policies::Uniform, rule)
        .design(Design::Items { count: 2 })
        .build()
        .unwrap();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        let score = e.arm.index() as f64 + 1e-3 * (e.case.seed % 10) as f64;
        tell(&mut selector, e.id, Outcome::Observed(score));
    }
    let end = selector.conclusion().unwrap();
    assert_eq!(end.arm, arm(1));
    assert_eq!(end.reason, Reason::PosteriorProbability { level: 0.9 });
}

/// Tests that a round in which the documents run out is complete, and looked at.
#[test]
fn rounds_end_with_the_documents() {
    // Evaluations after which the last round, of two arms, can go no further: 6 of four and 2 more
    // of two; 8 of four, 2 more of three and 2 more of two.
    for (name, count, last) in [
        ("sequential-halving", 8, 28),
        ("successive-rejects", 12, 42),
    ] {
        let looks = Looks::default();
        let parameters = Parameters {
            extended: false,
            ..parameters()
        };
        let policy = policy_by_name(name, &parameters).unwrap();
        let mut selector =
            Selector::builder(arms(4), GaussianArms::pooled(4), policy, looks.clone())
                .design(Design::Items { count })
                .build()
                .unwrap();
        while let Ask::Evaluate(e) = selector.ask().unwrap() {
            let score = e.arm.index() as f64 + 1e-3 * (e.case.seed % 10) as f64;
            tell(&mut selector, e.id, Outcome::Observed(score));
        }
        let end = selector.conclusion().unwrap();
        assert_eq!((end.arm, &end.reason), (arm(3), &Reason::Schedule));
        assert_eq!(looks.0.lock().unwrap().last(), Some(&last), "{name}");
    }
}
