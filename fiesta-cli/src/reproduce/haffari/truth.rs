//! What is true of the documents' own F-measures, which the Gaussian beliefs and the t-test are about.

use super::Failure;
use fiesta::{
    core::{ArmId, Case, Counts, Design, FBeta, Moments, Observation, Streams},
    policies::simulate::Problem,
};

/// So many documents of each system tell it: standard deviations to about a percent.
const DOCUMENTS: u64 = 10_000;
/// The number of the stream they come from, which is no run's.
const STREAM: u64 = 1 << 40;

/// The documents' F of one system.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfDocuments {
    pub(super) mean: f64,
    pub(super) sd: f64,
}

/// Mean and standard deviation of the documents' F of each system, by simulation.
pub(super) fn of_documents(
    problem: &dyn Problem<Counts>,
    streams: &Streams,
) -> Result<Vec<OfDocuments>, Failure> {
    let mut documents = problem.observations(Design::Shared, streams, STREAM);
    let of = |arm: ArmId| {
        let mut moments = Moments::default();
        for split in 0..DOCUMENTS {
            let counts = documents.observe(arm, Case { split, seed: 0 });
            moments.push(score(counts));
        }
        let (mean, sd) = (moments.mean(), moments.standard_error());
        let sd = sd.unwrap_or(0.0) * (DOCUMENTS as f64).sqrt();
        if sd > 0.0 {
            Ok(OfDocuments { mean, sd })
        } else {
            Err(Failure::Usage(format!(
                "all documents of {} have the same F: no Gaussian model and no t-test can be made of them; ask for longer documents",
                problem.arms().name(arm)
            )))
        }
    };
    problem.arms().ids().map(of).collect()
}

/// A document's F₁, 1 where nothing was to be found and nothing was.
pub(super) fn score(counts: Counts) -> f64 {
    Observation::Counts(counts).score(FBeta::F1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta::policies::simulate::SyntheticDocuments;

    /// With documents of a single item, F is 1 of TP and TN and 0 of FP and FN: a coin.
    #[test]
    fn documents_of_one_item() {
        let systems = vec![[0.3, 0.2, 0.1, 0.4], [0.1, 0.5, 0.1, 0.3]];
        let problem = SyntheticDocuments::new(systems, 2.0, 1, FBeta::F1).unwrap();
        let truth = of_documents(&problem, &Streams::new(3)).unwrap();
        for (truth, p) in truth.iter().zip([0.4_f64, 0.2]) {
            let sd = (p * (1.0 - p)).sqrt();
            assert!((truth.mean - p).abs() < 4.5 * sd / 100.0, "{truth:?}");
            assert!((truth.sd / sd - 1.0).abs() < 0.03, "{truth:?}");
        }
    }
}
