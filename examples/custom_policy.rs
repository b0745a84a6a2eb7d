//! A policy of one's own: always the arm whose optimistic estimate is highest.

use fiesta::{Next, Policy, View};
use rand::Rng;

/// Policy of upper confidence bounds, mean + `width` · scale of the posterior.
struct Optimist {
    width: f64,
}

impl Policy for Optimist {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        // The selector makes the evaluations that the stopping rule waits for by itself.
        let bound = |arm| match view.marginal(arm) {
            Some(m) => m.location + self.width * m.scale,
            None => f64::INFINITY,
        };
        let best = view
            .with_case_left()
            .max_by(|&a, &b| bound(a).total_cmp(&bound(b)));
        best.map_or(Next::Wait, Next::Evaluate)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    use fiesta::policies::simulate::{Gaussian, MakePolicy, Simulation};
    use fiesta::policies::{TopTwo, stopping::PosteriorThreshold};
    use fiesta::posterior::GaussianArms;

    // Five arms, the best one 0.02 ahead; how does the policy compare with top-two Thompson
    // sampling?
    let problem = Gaussian::new([
        (0.62, 0.03),
        (0.63, 0.03),
        (0.60, 0.03),
        (0.65, 0.03),
        (0.61, 0.03),
    ])?;
    let rule = PosteriorThreshold::new(0.95)?;
    let optimist = || Box::new(Optimist { width: 3.0 }) as Box<dyn Policy>;
    let ttts = || Box::new(TopTwo::thompson()) as Box<dyn Policy>;
    let policies: [(&str, MakePolicy<'_>); 2] = [("optimist", &optimist), ("ttts", &ttts)];
    for (name, policy) in policies {
        let summary = &Simulation::new(&problem, 100).seed(1).confidence(
            GaussianArms::pooled,
            policy,
            &[|| rule],
        )?[0];
        println!(
            "{name:>9}: {:6.1} evaluations, {:.1} % correct",
            summary.mean,
            100.0 * summary.correct
        );
    }
    Ok(())
}
