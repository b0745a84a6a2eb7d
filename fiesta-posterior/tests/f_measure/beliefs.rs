//! Tests of P(best) of several systems.

use super::{systems, world::document};
use fiesta_core::{ArmId, Case, Counts, Posterior};
use fiesta_posterior::f_measure::Concentration;
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn three() -> Vec<Vec<Counts>> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    [
        [0.50, 0.10, 0.30, 0.10],
        [0.45, 0.12, 0.30, 0.13],
        [0.40, 0.15, 0.30, 0.15_f64],
    ]
    .map(|theta| {
        (0..8)
            .map(|_| document(theta.map(f64::ln), 8.0, 60, &mut rng))
            .collect()
    })
    .to_vec()
}

fn kinds() -> [Concentration; 3] {
    let fixed = Concentration::fixed(8.0).unwrap();
    [Concentration::Learned, Concentration::Shared, fixed]
}

#[test]
fn probabilities_are_the_frequencies_of_draws() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    for kind in kinds() {
        let posterior = systems(&three(), kind).draws(20_000);
        let belief = posterior.belief(&arms);
        assert!((belief.probability.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(belief.absolute_error < 0.008, "{}", belief.absolute_error);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut wins = [0.0; 3];
        let mut means = [0.0; 3];
        let draws = 40_000;
        for _ in 0..draws {
            posterior.draw(&mut rng, &mut means);
            let best = (0..3)
                .max_by(|&a, &b| means[a].total_cmp(&means[b]))
                .unwrap();
            wins[best] += 1.0 / f64::from(draws);
        }
        for (p, frequency) in belief.probability.iter().zip(wins) {
            // Four standard errors of a frequency.
            assert!(
                (p - frequency).abs() < 0.01,
                "{kind:?}: {:?} {wins:?}",
                belief.probability
            );
        }
        for (&arm, &p) in arms.iter().zip(&belief.probability) {
            assert!((posterior.within(arm, 0.0, &arms) - p).abs() < 1e-9);
            assert!(posterior.within(arm, 0.05, &arms) > p);
        }
    }
}

#[test]
fn the_same_documents_give_the_same_belief_in_any_order() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    for kind in kinds() {
        let documents = three();
        let reversed: Vec<Vec<Counts>> = documents
            .iter()
            .map(|d| d.iter().rev().copied().collect())
            .collect();
        let (a, b) = (systems(&documents, kind), systems(&reversed, kind));
        for (p, q) in a
            .belief(&arms)
            .probability
            .iter()
            .zip(&b.belief(&arms).probability)
        {
            assert!((p - q).abs() < 1e-9);
        }
    }
}

#[test]
fn a_document_more_of_an_arm_makes_its_differences_narrower() {
    let posterior = systems(&three(), Concentration::Learned);
    let (from, other) = (ArmId::new(0), ArmId::new(1));
    let now = posterior.variances(from, &[]).unwrap();
    let case = Case { split: 9, seed: 0 };
    let then = posterior.variances(from, &[(other, case)]).unwrap();
    let scale = posterior.difference(from, other).unwrap().scale;
    assert!((now[1] - scale * scale).abs() < 1e-12);
    assert!(then[1] < now[1]);
    assert_eq!(now[2].to_bits(), then[2].to_bits());
    assert_eq!(then[0].to_bits(), 0.0_f64.to_bits());
}
