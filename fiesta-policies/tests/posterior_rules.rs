//! When rules on the posterior may stop: not on a few lucky scores.

use fiesta_core::{
    ArmId, Arms, Ask, Belief, Case, Event, FBeta, Marginal, Method, Next, Observe, ObserveError,
    Outcome, Policy, Posterior, Selector, StoppingRule, View,
};
use fiesta_policies::stopping::{PosteriorThreshold, Tolerance};
use fiesta_posterior::OfScores;
use rand::Rng;

/// The first arm is best beyond doubt from the beginning, the third is its runner-up.
const PROBABILITY: [f64; 4] = [0.97, 0.004, 0.02, 0.006];

/// A posterior that says so whatever it observes, but not before so many observations of every arm.
struct Convinced {
    required: u64,
    settled: bool,
}

impl Posterior for Convinced {
    fn arms(&self) -> usize {
        PROBABILITY.len()
    }
    fn required(&self, _arm: ArmId) -> u64 {
        self.required
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        Some(PROBABILITY[arm.index()])
    }
    fn marginal(&self, _arm: ArmId) -> Option<Marginal> {
        None
    }
    fn difference(&self, _a: ArmId, _b: ArmId) -> Option<Marginal> {
        None
    }
    fn draw(&self, _rng: &mut dyn Rng, means: &mut [f64]) {
        means.copy_from_slice(&PROBABILITY);
    }
    fn settled(&self, _arm: ArmId) -> bool {
        self.settled
    }
    fn within(&self, arm: ArmId, _margin: f64, _candidates: &[ArmId]) -> f64 {
        PROBABILITY[arm.index()]
    }
    fn belief(&self, _candidates: &[ArmId]) -> Belief {
        Belief {
            probability: PROBABILITY.to_vec(),
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

/// Evaluates the arm that comes next in this order, over and over.
struct InTurn(&'static [usize], usize);

impl Policy for InTurn {
    fn next(&mut self, _view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let arm = self.0[self.1 % self.0.len()];
        self.1 += 1;
        Next::Evaluate(ArmId::new(arm))
    }
}

/// How often each arm was evaluated when the rule stopped.
fn evaluations(
    required: u64,
    order: &'static [usize],
    rule: impl StoppingRule + 'static,
) -> Vec<u64> {
    let arms = Arms::new(["best", "worst", "second", "third"]).unwrap();
    let mut selector = Selector::builder(
        arms,
        Convinced {
            required,
            settled: true,
        },
        InTurn(order, 0),
        rule,
    )
    .build()
    .unwrap();
    loop {
        match selector.ask().unwrap() {
            Ask::Evaluate(e) => {
                let outcome = Outcome::Observed(0.5);
                let (id, cost) = (e.id, 1.0);
                selector.tell(Event::Ended { id, outcome, cost }).unwrap();
                assert!(selector.view().total_ended() < 100, "it never stops");
            }
            Ask::Wait => panic!("nothing is running"),
            Ask::Finished(end) => {
                assert_eq!(end.arm, ArmId::new(0));
                let arms = selector.arms().ids();
                return arms.map(|arm| selector.view().observed(arm)).collect();
            }
        }
    }
}

/// Where one score suffices for a belief, leader and runner-up have three before a stop, the others
/// what they have.
#[test]
fn leader_and_runner_up_have_three_scores() {
    for (order, expected) in [
        // The leader last, or the runner-up; in the last, others are of no help.
        (&[2, 2, 0, 0][..], [3, 1, 3, 1]),
        (&[0, 0, 0, 2, 2], [4, 1, 3, 1]),
        (&[1, 1, 3, 3, 0, 2], [3, 5, 3, 5]),
    ] {
        let threshold = PosteriorThreshold::new(0.95).unwrap();
        assert_eq!(evaluations(1, order, threshold), expected);
        let tolerance = Tolerance::new(0.95, 0.01).unwrap();
        assert_eq!(evaluations(1, order, tolerance), expected);
    }
}

/// A posterior that asks for two knows what it says with two.
#[test]
fn a_posterior_that_asks_for_more_is_believed() {
    let threshold = PosteriorThreshold::new(0.95).unwrap();
    assert_eq!(evaluations(2, &[0], threshold), [2; 4]);
}

/// A rule does not stop on an arm that its posterior says is not known well enough, nor does it
/// through a supervisor.
#[test]
fn what_is_not_settled_is_not_stopped_on() {
    let ends = |settled| {
        let arms = Arms::new(["best", "worst", "second", "third"]).unwrap();
        let posterior = OfScores {
            posterior: Convinced {
                required: 2,
                settled,
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
    assert_eq!((ends(true), ends(false)), (Some(8), None));
}
