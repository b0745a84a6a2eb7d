//! A policy of one's own, ε-greedy, in a loop of asking and telling.

use fiesta::policies::stopping::PosteriorThreshold;
use fiesta::posterior::Paired;
use fiesta::{Arms, Ask, Evaluation, Event, Next, Outcome, Policy, Selector, View};
use rand::{Rng, RngExt};

struct Greedy {
    epsilon: f64,
}

impl Policy for Greedy {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let arms = view.candidates();
        match view.empirical_best() {
            Some(best) if rng.random::<f64>() >= self.epsilon => Next::Evaluate(best),
            _ => Next::Evaluate(arms[rng.random_range(0..arms.len())]),
        }
    }
}

fn accuracy(e: Evaluation) -> f64 {
    let (split, noise) = ((e.case.split as f64).sin(), (e.case.seed as f64).sin());
    0.6 + 0.02 * e.arm.index() as f64 + 0.01 * split + 0.005 * noise
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arms = Arms::new(["lstm", "gru", "transformer"])?;
    let stop = PosteriorThreshold::new(0.95)?;
    let mut selector =
        Selector::builder(arms, Paired::new(3), Greedy { epsilon: 0.3 }, stop).build()?;
    let conclusion = loop {
        match selector.ask()? {
            Ask::Evaluate(e) => {
                let outcome = Outcome::Observed(accuracy(e));
                selector.tell(Event::Ended {
                    id: e.id,
                    outcome,
                    cost: 1.0,
                })?;
            }
            Ask::Wait => unreachable!("nothing is pending"),
            Ask::Finished(conclusion) => break conclusion,
        }
    };
    println!(
        "{} is best, after {} evaluations",
        selector.arms().name(conclusion.arm),
        conclusion.evaluations
    );
    assert_eq!(selector.arms().name(conclusion.arm), "transformer");
    Ok(())
}
