//! P(best) by F₁ of two taggers from counts of documents: by a Gibbs sampler of one's own, beside the crate's posterior.

use fiesta_core::{ArmId, Case, Counts, FBeta, Observe, Posterior};
use fiesta_posterior::FMeasureArms;
use fiesta_posterior::best_arm::monte_carlo;
use fiesta_posterior::f_measure::{Concentration, Prior};
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, Gamma};

const DOCUMENTS: [[[u64; 4]; 4]; 2] = [
    [[12, 3, 80, 2], [7, 5, 60, 1], [20, 4, 90, 3], [9, 2, 50, 2]],
    [[9, 6, 77, 5], [6, 6, 59, 2], [14, 9, 85, 9], [8, 3, 50, 3]],
];
/// Concentration α: how similar the documents of a tagger are.
const ALPHA: f64 = 20.0;

fn dirichlet(shapes: [f64; 4], mut rng: &mut dyn Rng) -> [f64; 4] {
    let gammas = shapes.map(|shape| {
        Gamma::new(shape, 1.0)
            .expect("shapes are above 0")
            .sample(&mut rng)
    });
    let sum: f64 = gammas.iter().sum();
    gammas.map(|gamma| gamma / sum)
}

/// Makes one step of the sampler. A count n of a cell comes from t tables of a Chinese restaurant process, and θ given the tables is Dirichlet.
fn step(theta: [f64; 4], documents: &[[u64; 4]], rng: &mut dyn Rng) -> [f64; 4] {
    let mut shapes = [1.0; 4];
    for document in documents {
        for cell in 0..4 {
            let weight = ALPHA * theta[cell];
            for before in 0..document[cell] {
                let opens = rng.random::<f64>() * (weight + before as f64) < weight;
                shapes[cell] += f64::from(u8::from(opens));
            }
        }
    }
    dirichlet(shapes, rng)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut thetas = [[0.25; 4]; 2];
    let gibbs = monte_carlo(2, 4000, &mut rng, |rng, f| {
        for arm in 0..2 {
            thetas[arm] = step(thetas[arm], &DOCUMENTS[arm], rng);
            f[arm] = FBeta::F1.of(thetas[arm]);
        }
    })?;

    let mut posterior = FMeasureArms::new(2)
        .prior(Prior::uniform(4.0)?)
        .concentration(Concentration::fixed(ALPHA)?);
    for (arm, documents) in ArmId::all(2).zip(DOCUMENTS) {
        for (split, cells) in (0..).zip(documents) {
            posterior.observe(arm, Case { split, seed: 0 }, Counts::from_cells(cells))?;
        }
    }
    let first = ArmId::new(0);
    let belief = posterior.belief(&[first, ArmId::new(1)]);
    println!(
        "P(the first is best): {:.3} by Gibbs, {:.3} by the crate",
        gibbs.of(first),
        belief.of(first)
    );
    assert!((gibbs.of(first) - belief.of(first)).abs() < 0.05);
    Ok(())
}
