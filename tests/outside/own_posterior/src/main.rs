//! A posterior of one's own: rates of success under Beta(1, 1), in a selection of prompts.

use fiesta_core::{
    ArmId, Arms, Ask, Case, Event, Marginal, Observe, ObserveError, Outcome, Posterior, Selector,
};
use fiesta_policies::{TopTwo, stopping::PosteriorThreshold};
use rand::Rng;
use rand_distr::{Beta, Distribution};

/// Parameters of each arm's Beta posterior: successes + 1 and failures + 1.
struct Rates(Vec<[f64; 2]>);

impl Posterior for Rates {
    fn arms(&self) -> usize {
        self.0.len()
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        let [a, b] = self.0[arm.index()];
        let mean = a / (a + b);
        Some(Marginal::normal(
            mean,
            (mean * (1.0 - mean) / (a + b + 1.0)).sqrt(),
        ))
    }

    fn draw(&self, mut rng: &mut dyn Rng, means: &mut [f64]) {
        for ([a, b], mean) in self.0.iter().zip(means) {
            *mean = Beta::new(*a, *b).map_or(f64::NEG_INFINITY, |beta| beta.sample(&mut rng));
        }
    }
}

impl Observe<f64> for Rates {
    fn observe(&mut self, arm: ArmId, _: Case, score: f64) -> Result<(), ObserveError> {
        if score != 0.0 && score != 1.0 {
            return Err(ObserveError::OutOfDomain {
                score,
                reason: "an answer is right (1) or wrong (0)".to_owned(),
            });
        }
        self.0[arm.index()][usize::from(score == 0.0)] += 1.0;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arms = Arms::new(["terse", "step by step"])?;
    let rule = PosteriorThreshold::new(0.95)?;
    let mut selector =
        Selector::builder(arms, Rates(vec![[1.0; 2]; 2]), TopTwo::ttps(), rule).build()?;
    let conclusion = loop {
        match selector.ask()? {
            Ask::Evaluate(e) => {
                let right = e.case.seed % 10 < [4, 8][e.arm.index()];
                let outcome = Outcome::Observed(f64::from(u8::from(right)));
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
        "{} is best, after {} answers",
        selector.arms().name(conclusion.arm),
        conclusion.evaluations
    );
    assert_eq!(selector.arms().name(conclusion.arm), "step by step");
    Ok(())
}
