//! A policy of one's own in simulated studies, beside one of the crate: the widest posterior of the two leading means.

use fiesta_core::{Next, Policy, View};
use fiesta_policies::simulate::{Gaussian, MakePolicy, Simulation};
use fiesta_policies::{TopTwo, stopping::PosteriorThreshold};
use fiesta_posterior::GaussianArms;
use rand::Rng;

struct WiderOfTwo;

impl Policy for WiderOfTwo {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let mut arms: Vec<_> = view.with_case_left().collect();
        arms.sort_by(|&a, &b| {
            view.mean(b)
                .unwrap_or(f64::MAX)
                .total_cmp(&view.mean(a).unwrap_or(f64::MAX))
        });
        let scale = |arm| view.marginal(arm).map_or(f64::INFINITY, |m| m.scale);
        let widest = arms
            .into_iter()
            .take(2)
            .max_by(|&a, &b| scale(a).total_cmp(&scale(b)));
        widest.map_or(Next::Wait, Next::Evaluate)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = Gaussian::new([(0.60, 0.03), (0.62, 0.03), (0.66, 0.03)])?;
    let rule = PosteriorThreshold::new(0.95)?;
    let own = || Box::new(WiderOfTwo) as Box<dyn Policy>;
    let theirs = || Box::new(TopTwo::ttps()) as Box<dyn Policy>;
    let policies: [(&str, MakePolicy<'_>); 2] = [("wider of two", &own), ("ttps", &theirs)];
    for (name, policy) in policies {
        let summaries = Simulation::new(&problem, 20).seed(1).confidence(
            GaussianArms::pooled,
            policy,
            &[|| rule],
        )?;
        println!(
            "{name}: {:.1} evaluations, {:.0} % correct",
            summaries[0].mean,
            100.0 * summaries[0].correct
        );
        assert!(summaries[0].correct >= 0.8);
    }
    Ok(())
}
