//! Tests of the hierarchical F-measure against exact values, and against itself on data that it made up.

mod beliefs;
mod calibration;
mod edges;
mod prior_mean;
mod reference;
mod world;

use fiesta_core::{ArmId, Case, Counts, Observe};
use fiesta_posterior::f_measure::{Concentration, FMeasureArms};

/// Returns a posterior of one system with these documents.
fn system(documents: &[Counts], concentration: Concentration) -> FMeasureArms {
    systems(&[documents.to_vec()], concentration)
}

/// Returns a posterior of systems with these documents.
fn systems(documents: &[Vec<Counts>], concentration: Concentration) -> FMeasureArms {
    let mut posterior = FMeasureArms::new(documents.len()).concentration(concentration);
    for (arm, documents) in ArmId::all(documents.len()).zip(documents) {
        for (split, &counts) in (0..).zip(documents) {
            posterior
                .observe(arm, Case { split, seed: 0 }, counts)
                .unwrap();
        }
    }
    posterior
}
