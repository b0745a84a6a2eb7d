//! A posterior of one's own: the rate of errors that are counted, under Poisson's law.
//!
//! Which of four OCR programs makes the fewest errors a page? A page's score is minus the number of
//! its errors. Counts this small are not normal, and their variance is their mean: a posterior that
//! knows this decides sooner than one that has to learn how much scores scatter.

use fiesta::policies::{
    TopTwo,
    simulate::{MakePolicy, Observations, Problem, Simulation},
    stopping::PosteriorThreshold,
};
use fiesta::posterior::GaussianArms;
use fiesta::{
    ArmId, Arms, Case, Design, Marginal, Observe, ObserveError, Policy, Posterior, Streams,
};
use rand::{Rng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, Gamma, Poisson};

/// Minus the rates λ of Poisson counts, each with Jeffreys' prior, proportional to λ^(−1/2): after n
/// pages with e errors together, λ has the gamma distribution with shape e + 1/2 and rate n.
struct PoissonArms {
    /// Number of pages and sum of errors of each arm.
    seen: Vec<(u32, f64)>,
}

impl PoissonArms {
    fn new(arms: usize) -> Self {
        Self {
            seen: vec![(0, 0.0); arms],
        }
    }

    /// Returns shape and rate of an arm's gamma distribution. `None` before its first page.
    fn gamma(&self, arm: ArmId) -> Option<(f64, f64)> {
        let (pages, errors) = self.seen[arm.index()];
        (pages > 0).then(|| (errors + 0.5, f64::from(pages)))
    }
}

impl Posterior for PoissonArms {
    fn arms(&self) -> usize {
        self.seen.len()
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        let (shape, rate) = self.gamma(arm)?;
        Some(Marginal {
            location: -shape / rate,
            scale: shape.sqrt() / rate,
            degrees_of_freedom: f64::INFINITY,
        })
    }

    fn draw(&self, mut rng: &mut dyn Rng, means: &mut [f64]) {
        for (arm, mean) in ArmId::all(self.arms()).zip(means) {
            let gamma = self.gamma(arm);
            let gamma = gamma.and_then(|(shape, rate)| Gamma::new(shape, 1.0 / rate).ok());
            *mean = gamma.map_or(f64::NEG_INFINITY, |gamma| -gamma.sample(&mut rng));
        }
    }
}

impl Observe<f64> for PoissonArms {
    fn observe(&mut self, arm: ArmId, _case: Case, score: f64) -> Result<(), ObserveError> {
        let errors = -score;
        if errors < 0.0 || errors.fract() != 0.0 {
            return Err(ObserveError::OutOfDomain {
                score,
                reason: "minus a number of errors is expected".to_owned(),
            });
        }
        let arms = self.seen.len();
        let seen = self.seen.get_mut(arm.index());
        let (pages, sum) = seen.ok_or(ObserveError::NoSuchArm(arms))?;
        *pages += 1;
        *sum += errors;
        Ok(())
    }
}

/// Simulated OCR programs whose errors on a page follow Poisson's law.
struct Pages {
    arms: Arms,
    rates: Vec<f64>,
}

impl Problem for Pages {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn shortfall(&self, arm: ArmId) -> f64 {
        let least = self.rates.iter().copied().fold(f64::INFINITY, f64::min);
        self.rates[arm.index()] - least
    }

    fn observations(&self, _: Design, streams: &Streams, run: u64) -> Box<dyn Observations + '_> {
        Box::new(Reading {
            rates: &self.rates,
            rng: streams.run(run),
        })
    }
}

struct Reading<'a> {
    rates: &'a [f64],
    rng: ChaCha8Rng,
}

impl Observations for Reading<'_> {
    fn observe(&mut self, arm: ArmId, _case: Case) -> f64 {
        let errors = Poisson::new(self.rates[arm.index()]).map(|law| law.sample(&mut self.rng));
        -errors.unwrap_or_default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pages = Pages {
        arms: Arms::new(["new", "tuned", "old", "fast"])?,
        rates: vec![0.5, 1.0, 1.2, 2.0],
    };
    let rule = PosteriorThreshold::new(0.95)?;
    let ttts: MakePolicy<'_> = &|| Box::new(TopTwo::thompson()) as Box<dyn Policy>;
    let simulation = Simulation::new(&pages, 100).seed(1);
    let [poisson] = &simulation.confidence(PoissonArms::new, ttts, &[|| rule])?[..] else {
        unreachable!("there is one rule");
    };
    let [normal] = &simulation.confidence(GaussianArms::pooled, ttts, &[|| rule])?[..] else {
        unreachable!("there is one rule");
    };
    for (name, summary) in [("Poisson", poisson), ("normal", normal)] {
        println!(
            "{name:>8}: {:5.1} pages, {:.0} % correct",
            summary.mean,
            100.0 * summary.correct
        );
    }
    Ok(())
}
