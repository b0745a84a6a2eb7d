//! Posteriors of scores or of counts, for programs that take either kind.

use fiesta_core::{
    ArmId, Around, Case, Counts, FBeta, Observation, Observe, ObserveError, Posterior,
};

/// A posterior of scores that is given counts, or observations of either kind: a document's counts
/// as their F-measure ([`Observation::score`]).
///
/// Its arms' means are then means of the documents' F-measures, which is another quantity than the
/// F-measure of all counts together.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Posterior, Case, Counts, FBeta, Observation, Observe};
/// use fiesta_posterior::{AsScores, Paired};
/// let mut posterior = AsScores { posterior: Paired::new(2), f_beta: FBeta::F1 };
/// let arm = ArmId::new(0);
/// for (split, cells) in [(0, [1, 1, 0, 0]), (1, [100, 0, 0, 0])] {
///     let counts = Observation::Counts(Counts::from_cells(cells));
///     posterior.observe(arm, Case { split, seed: 0 }, counts)?;
/// }
/// assert_eq!(posterior.mean(arm), Some((2.0 / 3.0 + 1.0) / 2.0));
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AsScores<P> {
    /// The wrapped posterior of scores.
    pub posterior: P,
    /// The F-measure that turns counts into scores.
    pub f_beta: FBeta,
}

/// A posterior of counts that is given observations of either kind, and refuses scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfCounts<P>(
    /// The wrapped posterior of counts.
    pub P,
);

impl<O: Into<Observation>, P: Observe<f64>> Observe<O> for AsScores<P> {
    fn observe(&mut self, arm: ArmId, case: Case, observation: O) -> Result<(), ObserveError> {
        let score = observation.into().score(self.f_beta);
        self.posterior.observe(arm, case, score)
    }
}

impl<P: Observe<Counts>> Observe<Observation> for OfCounts<P> {
    fn observe(
        &mut self,
        arm: ArmId,
        case: Case,
        observation: Observation,
    ) -> Result<(), ObserveError> {
        match observation {
            Observation::Counts(counts) => self.0.observe(arm, case, counts),
            Observation::Score(_) => Err(ObserveError::Kind {
                expected: "confusion counts",
                found: "scores",
            }),
        }
    }
}

impl<P: Posterior> Around for AsScores<P> {
    type Inner = P;

    fn inner(&self) -> &P {
        &self.posterior
    }
}

impl<P: Posterior> Around for OfCounts<P> {
    type Inner = P;

    fn inner(&self) -> &P {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GaussianArms;

    /// Posterior of a test that keeps the last counts that it was given.
    struct Note<P> {
        beliefs: P,
        last: Option<Counts>,
    }

    impl<P: Posterior> Around for Note<P> {
        type Inner = P;

        fn inner(&self) -> &P {
            &self.beliefs
        }
    }

    impl<P: Posterior> Observe<Counts> for Note<P> {
        fn observe(&mut self, _: ArmId, _: Case, counts: Counts) -> Result<(), ObserveError> {
            self.last = Some(counts);
            Ok(())
        }
    }

    const CASE: Case = Case { split: 0, seed: 0 };

    #[test]
    fn counts_pass_and_scores_are_refused() {
        let mut posterior = OfCounts(Note {
            beliefs: GaussianArms::pooled(2),
            last: None,
        });
        let counts = Counts::from_cells([1, 2, 3, 4]);
        let arm = ArmId::new(1);
        posterior
            .observe(arm, CASE, Observation::Counts(counts))
            .unwrap();
        assert_eq!(posterior.0.last, Some(counts));
        let error = posterior.observe(arm, CASE, Observation::Score(0.5));
        let error = error.unwrap_err().to_string();
        assert_eq!(
            error,
            "scores were observed where this posterior learns from confusion counts"
        );
    }

    /// Tests that scores pass as they are, counts by the F-measure that is asked for, and that the
    /// belief is that of the scores.
    #[test]
    fn what_is_believed_is_what_the_scores_say() {
        let f_beta = FBeta::new(2.0).unwrap();
        let mut wrapped = AsScores {
            posterior: GaussianArms::pooled(2),
            f_beta,
        };
        let mut plain = GaussianArms::pooled(2);
        let cells = [[3, 1, 0, 2], [0, 0, 7, 0], [2, 0, 0, 1], [1, 1, 1, 1]];
        let arms: Vec<ArmId> = ArmId::all(2).collect();
        for (place, cells) in cells.into_iter().enumerate() {
            let counts = Counts::from_cells(cells);
            let score = f_beta.of_counts(&counts).unwrap_or(1.0);
            let arm = arms[place % 2];
            // Whether the study says that these are counts, or nothing else can come.
            if place < 2 {
                let observation = Observation::Counts(counts);
                wrapped.observe(arm, CASE, observation).unwrap();
            } else {
                wrapped.observe(arm, CASE, counts).unwrap();
            }
            plain.observe(arm, CASE, score).unwrap();
        }
        wrapped
            .observe(arms[0], CASE, Observation::Score(0.25))
            .unwrap();
        plain.observe(arms[0], CASE, 0.25).unwrap();
        assert_eq!(wrapped.belief(&arms), plain.belief(&arms));
        assert_eq!(wrapped.mean(arms[0]), plain.mean(arms[0]));
        let extra = [(arms[1], CASE)];
        assert_eq!(
            wrapped.variances(arms[0], &extra),
            plain.variances(arms[0], &extra)
        );
    }
}
