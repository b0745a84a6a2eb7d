//! Tests of the stops of rules on the posterior: not on a few lucky scores, at ties, strictly, by
//! shortfall.

use fiesta_core::{
    ArmId, Arms, Ask, Belief, Case, Event, FBeta, Marginal, Method, Next, Observe, ObserveError,
    Outcome, Policy, Posterior, Reason, Selector, StoppingRule, View,
};
use fiesta_policies::stopping::{Distance, PosteriorThreshold, Shortfall, Tolerance};
use fiesta_posterior::AsScores;
use rand::Rng;

/// Belief under which the first arm is best beyond doubt, and the third is its runner-up.
const CLEAR: [f64; 4] = [0.97, 0.004, 0.02, 0.006];
/// Belief under which the first and the third arm may be the best.
const UNCLEAR: [f64; 4] = [0.6, 0.01, 0.37, 0.02];

/// A posterior with one belief whatever it observes, but not before `required` observations of
/// every arm.
#[derive(Clone, Copy)]
struct Convinced {
    probability: [f64; 4],
    required: u64,
    settled: bool,
    /// P(within a margin of the best), for margins of .2 and more; for smaller ones P(best).
    near: [f64; 4],
    /// The posterior that is computed more accurately.
    finer: Option<&'static Self>,
}

impl Default for Convinced {
    fn default() -> Self {
        Self {
            probability: CLEAR,
            required: 1,
            settled: true,
            near: [0.0; 4],
            finer: None,
        }
    }
}

impl Posterior for Convinced {
    fn arms(&self) -> usize {
        self.probability.len()
    }
    fn required(&self, _arm: ArmId) -> u64 {
        self.required
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        Some(self.probability[arm.index()])
    }
    fn marginal(&self, _arm: ArmId) -> Option<Marginal> {
        None
    }
    fn difference(&self, _a: ArmId, _b: ArmId) -> Option<Marginal> {
        None
    }
    fn draw(&self, _rng: &mut dyn Rng, means: &mut [f64]) {
        means.copy_from_slice(&self.probability);
    }
    fn settled(&self, _arm: ArmId) -> bool {
        self.settled
    }
    fn within(&self, arm: ArmId, margin: f64, _candidates: &[ArmId]) -> f64 {
        let near = if margin >= 0.2 {
            self.near
        } else {
            self.probability
        };
        near[arm.index()]
    }
    fn finer(&self) -> Option<&dyn Posterior> {
        self.finer.map(|finer| finer as &dyn Posterior)
    }
    /// Returns the variance 1 of any difference between two evaluations.
    fn evaluation_variance(&self, _: ArmId, _: ArmId, _: [u64; 2]) -> Option<f64> {
        Some(1.0)
    }
    fn belief(&self, _candidates: &[ArmId]) -> Belief {
        Belief {
            probability: self.probability.to_vec(),
            shortfall: self.probability.map(|p| 0.1 * (1.0 - p)).to_vec(),
            absolute_error: 0.0,
            method: Method::Quadrature,
        }
    }
}

impl Observe<f64> for Convinced {
    fn observe(&mut self, _arm: ArmId, _case: Case, _score: f64) -> Result<(), ObserveError> {
        Ok(())
    }
}

/// Policy that evaluates the arms in this order, over and over.
struct InTurn(&'static [usize], usize);

impl Policy for InTurn {
    fn next(&mut self, _view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let arm = self.0[self.1 % self.0.len()];
        self.1 += 1;
        Next::Evaluate(ArmId::new(arm))
    }
}

/// Returns how often each arm was evaluated when the rule stopped, and why. `None` if it does not stop.
fn end(
    posterior: Convinced,
    order: &'static [usize],
    rule: impl StoppingRule + 'static,
) -> Option<(Vec<u64>, Reason)> {
    let arms = Arms::new(["best", "worst", "second", "third"]).unwrap();
    let mut selector = Selector::builder(arms, posterior, InTurn(order, 0), rule)
        .build()
        .unwrap();
    while selector.view().total_ended() < 100 {
        match selector.ask().unwrap() {
            Ask::Evaluate(e) => {
                let outcome = Outcome::Observed(0.5);
                let (id, cost) = (e.id, 1.0);
                selector.tell(Event::Ended { id, outcome, cost }).unwrap();
            }
            Ask::Wait => panic!("nothing is running"),
            Ask::Finished(end) => {
                assert_eq!(end.arm, ArmId::new(0));
                let arms = selector.arms().ids();
                let observed = arms.map(|arm| selector.view().observed(arm)).collect();
                return Some((observed, end.reason));
            }
        }
    }
    None
}

fn evaluations(order: &'static [usize], rule: impl StoppingRule + 'static) -> Vec<u64> {
    end(Convinced::default(), order, rule).expect("it stops").0
}

/// Tests that leader and runner-up have eight scores before a stop, and no more where only these
/// are lacking; the others what the policy gave them, at most eight. Whatever the policy, the
/// posterior and the rule.
#[test]
fn leader_and_runner_up_have_eight_scores() {
    // Of the two the leader first, or the runner-up; one of them alone; others, alone as well.
    for (order, expected) in [
        (&[2, 2, 0, 0][..], [8, 1, 8, 1]),
        (&[0, 0, 0, 2, 2], [8, 1, 8, 1]),
        (&[0], [8, 1, 8, 1]),
        (&[1, 1, 3, 3, 0, 2], [8, 8, 8, 8]),
        (&[3], [8, 1, 8, 8]),
    ] {
        let threshold = PosteriorThreshold::new(0.95).unwrap();
        assert_eq!(evaluations(order, threshold), expected);
        let tolerance = Tolerance::new(0.95, 0.01).unwrap();
        assert_eq!(evaluations(order, tolerance), expected);
        let shortfall = Shortfall::new(Distance::Score(0.01)).unwrap();
        assert_eq!(evaluations(order, shortfall), expected);
    }
    let two = Convinced {
        required: 2,
        ..Convinced::default()
    };
    let threshold = PosteriorThreshold::new(0.95).unwrap();
    assert_eq!(end(two, &[0, 2], threshold).unwrap().0, [8, 2, 8, 2]);
}

/// Tests that the papers' rule waits for nothing.
#[test]
fn at_once_means_at_once() {
    let rule = PosteriorThreshold::at_once(0.95).unwrap();
    assert_eq!(evaluations(&[0], rule), [1; 4]);
}

/// Tests that arms are tied if all that may be the best are near the best, within .3 standard
/// deviations or the distance asked for.
#[test]
fn arms_that_are_all_near_the_best_are_tied() {
    let unclear = |near| Convinced {
        probability: UNCLEAR,
        near,
        ..Convinced::default()
    };
    let rule = || PosteriorThreshold::new(0.95).unwrap();
    let near = [0.99, 0.2, 0.96, 0.2];
    let arms = vec![ArmId::new(0), ArmId::new(2)];
    let tied = |level, tolerance| Reason::Tied {
        level,
        tolerance,
        arms: arms.clone(),
    };
    let reason = |posterior, rule| end(posterior, &[0, 2], rule).map(|(_, reason)| reason);
    assert_eq!(reason(unclear(near), rule()), Some(tied(0.95, 0.3)));
    let wider = rule().tied_within(Distance::Score(0.7)).unwrap();
    assert_eq!(reason(unclear(near), wider), Some(tied(0.95, 0.7)));
    // They are near for margins of .2 and more, and have to be so within .9 of the distance.
    let within = |distance| rule().tied_within(Distance::Score(distance)).unwrap();
    assert_eq!(reason(unclear(near), within(0.23)), Some(tied(0.95, 0.23)));
    assert_eq!(reason(unclear(near), within(0.21)), None);
    // The second is not near enough, or the tie too narrow, or unwanted.
    assert_eq!(reason(unclear([0.99, 0.2, 0.94, 0.2]), rule()), None);
    let narrow = rule().tied_within(Distance::Sd(0.1)).unwrap();
    assert_eq!(reason(unclear(near), narrow), None);
    let never = rule().tied_within(Distance::ZERO).unwrap();
    assert_eq!(reason(unclear(near), never), None);
    assert_eq!(
        reason(unclear(near), PosteriorThreshold::at_once(0.95).unwrap()),
        None
    );
    // However low the confidence, nothing less than .9 makes a tie.
    let low = PosteriorThreshold::new(0.7).unwrap();
    assert_eq!(reason(unclear(near), low), Some(tied(0.9, 0.3)));
    assert_eq!(reason(unclear([0.99, 0.2, 0.89, 0.2]), low), None);
    assert!(rule().tied_within(Distance::Sd(f64::NAN)).is_err());
}

/// Tests that a study ends only if every finer belief stops as well, and concludes with the finest;
/// a simulation may do without.
#[test]
fn finer_beliefs_confirm_a_stop() {
    let finer = |probability, finer| -> &'static Convinced {
        Box::leak(Box::new(Convinced {
            probability,
            finer,
            ..Convinced::default()
        }))
    };
    let rule = || PosteriorThreshold::new(0.95).unwrap();
    let end = |posterior: &Convinced| end(*posterior, &[0, 2], rule());
    let (sure, unsure) = (finer([0.96, 0.0, 0.04, 0.0], None), finer(UNCLEAR, None));
    assert!(end(finer(CLEAR, Some(sure))).is_some());
    assert!(end(finer(CLEAR, Some(unsure))).is_none());
    assert!(end(finer(CLEAR, Some(finer(CLEAR, Some(unsure))))).is_none());
    let probability = |confirms: bool, posterior: &Convinced| {
        let arms = Arms::new(["best", "worst", "second", "third"]).unwrap();
        let builder = Selector::builder(arms, *posterior, InTurn(&[0, 2], 0), rule());
        let builder = if confirms {
            builder
        } else {
            builder.unconfirmed()
        };
        let mut selector = builder.build().unwrap();
        loop {
            match selector.ask().unwrap() {
                Ask::Evaluate(evaluation) => {
                    let (id, outcome, cost) = (evaluation.id, Outcome::Observed(0.5), 1.0);
                    selector.tell(Event::Ended { id, outcome, cost }).unwrap();
                }
                Ask::Wait => panic!("nothing is running"),
                Ask::Finished(end) => break end.probability.unwrap(),
            }
        }
    };
    let coarse = finer(CLEAR, Some(sure));
    assert!((probability(true, coarse) - 0.96).abs() < 1e-12);
    assert!((probability(false, finer(CLEAR, Some(unsure))) - 0.97).abs() < 1e-12);
}

/// Tests that a strict rule names an arm at 1 − δ² only.
#[test]
fn strictness() {
    let named = |level: f64| {
        let rule = PosteriorThreshold::new(level).unwrap();
        let end = |rule| end(Convinced::default(), &[0, 2], rule).map(|(_, reason)| reason);
        (end(rule).is_some(), end(rule.strict()))
    };
    // Where it would have been named, arms may still be tied.
    let near = Convinced {
        near: [0.99, 0.2, 0.96, 0.2],
        ..Convinced::default()
    };
    let strict = PosteriorThreshold::new(0.95).unwrap().strict();
    let tied = end(near, &[0, 2], strict).map(|(_, reason)| reason);
    assert!(
        matches!(tied, Some(Reason::Tied { arms, .. }) if arms == [ArmId::new(0), ArmId::new(2)])
    );
    // P(best) is .97.
    assert_eq!(named(0.95), (true, None));
    let reason = Reason::PosteriorProbability { level: 0.8 };
    assert_eq!(named(0.8), (true, Some(reason)));
}

/// Tests that the bound of an expected shortfall may be in standard deviations; the reason says it
/// in scores.
#[test]
fn expected_shortfalls() {
    for (bound, expected) in [
        (Distance::Score(0.0031), Some(0.0031)),
        (Distance::Sd(0.0031), Some(0.0031)),
        (Distance::Score(0.0029), None),
    ] {
        let rule = Shortfall::new(bound).unwrap();
        let end = end(Convinced::default(), &[0, 2], rule).map(|(_, reason)| reason);
        let of = |reason| match reason {
            Reason::Shortfall { bound, shortfall } => {
                assert!((shortfall - 0.003).abs() < 1e-12);
                bound
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(end.map(of), expected);
    }
}

/// Tests that a rule does not stop on an arm that its posterior says is not known well enough,
/// neither by itself nor inside another rule.
#[test]
fn what_is_not_settled_is_not_stopped_on() {
    let ends = |settled| {
        let arms = Arms::new(["best", "worst", "second", "third"]).unwrap();
        let posterior = AsScores {
            posterior: Convinced {
                settled,
                ..Convinced::default()
            },
            f_beta: FBeta::F1,
        };
        let rule = PosteriorThreshold::new(0.95).unwrap();
        let policy = InTurn(&[0, 1, 2, 3], 0);
        let mut selector: Selector = Selector::builder(arms, posterior, policy, rule)
            .build()
            .unwrap();
        (0..100).find(|_| match selector.ask().unwrap() {
            Ask::Evaluate(evaluation) => {
                let (id, outcome) = (evaluation.id, Outcome::Observed(0.0));
                selector
                    .tell(Event::Ended {
                        id,
                        outcome,
                        cost: 1.0,
                    })
                    .unwrap();
                false
            }
            _ => true,
        })
    };
    assert_eq!((ends(true), ends(false)), (Some(31), None));
}

/// Tests that all arms of a set and their closest rival have eight scores before the set is named, that
/// what counts is how many of its arms do not belong there, and that a tie has one arm more at least.
#[test]
fn a_set_takes_the_leaders_place() {
    let end = |order, probability: [f64; 4], near: f64, rule: Box<dyn StoppingRule>| {
        let posterior = TwoBest(Convinced {
            probability,
            near: [near; 4],
            ..Convinced::default()
        });
        let arms = Arms::new(["best", "worst", "second", "third"]).unwrap();
        let mut selector = Selector::builder(arms, posterior, InTurn(order, 0), rule)
            .top(2)
            .build()
            .unwrap();
        for _ in 0..60 {
            match selector.ask().unwrap() {
                Ask::Evaluate(e) => {
                    let (id, outcome, cost) = (e.id, Outcome::Observed(0.5), 1.0);
                    selector.tell(Event::Ended { id, outcome, cost }).unwrap();
                }
                Ask::Wait => panic!("nothing is running"),
                Ask::Finished(end) => {
                    let view = selector.view();
                    let observed = selector.arms().ids().map(|arm| view.observed(arm));
                    return Some((observed.collect::<Vec<u64>>(), end));
                }
            }
        }
        None
    };
    let threshold = || Box::new(PosteriorThreshold::new(0.95).unwrap());
    let named = |tolerance| Reason::Top {
        level: 0.95,
        tolerance,
        arms: [0, 2].map(ArmId::new).to_vec(),
    };
    let (observed, found) = end(&[1], [0.99, 0.001, 0.97, 0.039], 0.0, threshold()).unwrap();
    assert_eq!((found.arm, &found.reason), (ArmId::new(0), &named(0.0)));
    assert!((found.probability.unwrap() - 0.96).abs() < 1e-12);
    assert_eq!(observed, [8, 8, 8, 8]);
    // Each arm belongs there with more than .95, both with .94.
    assert!(end(&[1], [0.97, 0.02, 0.97, 0.04], 0.0, threshold()).is_none());
    let tolerance = Box::new(Tolerance::new(0.95, 0.3).unwrap());
    let (_, found) = end(&[1], [0.9, 0.1, 0.8, 0.2], 0.99, tolerance).unwrap();
    assert_eq!(found.reason, named(0.3));
    let tolerance = Box::new(Tolerance::new(0.95, 0.3).unwrap());
    assert!(end(&[1], [0.9, 0.1, 0.8, 0.2], 0.97, tolerance).is_none());
    // The third arm may be one of the best two, the fourth is none.
    let (_, found) = end(&[0, 1, 2, 3], [0.999, 0.0, 0.6, 0.401], 0.99, threshold()).unwrap();
    let tied = [0, 2, 3].map(ArmId::new).to_vec();
    assert!(matches!(found.reason, Reason::Tied { arms, .. } if arms == tied));
}

/// A posterior about the two best of four arms, with P(among them) where P(best) stands.
struct TwoBest(Convinced);

impl Posterior for TwoBest {
    fn arms(&self) -> usize {
        4
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        self.0.marginal(arm)
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        self.0.draw(rng, means);
    }
    fn evaluation_variance(&self, _: ArmId, _: ArmId, _: [u64; 2]) -> Option<f64> {
        Some(1.0)
    }
    fn belief_of_top(
        &self,
        top: usize,
        candidates: &[ArmId],
        favoured: Option<(ArmId, f64)>,
    ) -> Belief {
        assert_eq!(top, 2);
        match favoured {
            Some(_) => Belief {
                probability: self.0.near.to_vec(),
                ..self.0.belief(candidates)
            },
            None => self.0.belief(candidates),
        }
    }
}

impl Observe<f64> for TwoBest {
    fn observe(&mut self, _: ArmId, _: Case, _: f64) -> Result<(), ObserveError> {
        Ok(())
    }
}
