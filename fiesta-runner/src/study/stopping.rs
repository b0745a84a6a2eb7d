//! The stopping rule of a study.

use super::{
    Study, StudyError, Terms, error::Source, file::StudyFile, goal::CONFIDENCE, measure::Measure,
};
use fiesta_core::{Assumption, Design, Observation, StoppingRule};
use fiesta_policies::stopping::{
    AtLeast, Never, OfScores, StoppingError, StoppingParameters, assumption, by_name,
};

/// The stopping rule where a file names none.
const POSTERIOR: &str = "posterior";

/// The stopping rule that a study file asks for, checked, also of a study that ends by its budget
/// alone.
pub(super) fn stopping(
    source: &Source<'_>,
    file: &StudyFile,
    terms: &Terms,
    measure: &Measure,
    cases: Design,
) -> Result<String, StudyError> {
    let name = file.design.stopping.as_deref().unwrap_or(POSTERIOR);
    if file.goal.tolerance.is_some() && terms.confidence.is_none() {
        let message = "a tolerance belongs to a confidence, and this study ends by its budget alone: give it a confidence, too";
        return Err(source.wrong(&["goal", "tolerance"], message));
    }
    by_name(name, &parameters(terms, measure, cases)).map_err(|error| match error {
        StoppingError::Parameter(_) => source.wrong(&["goal", "tolerance"], error),
        StoppingError::Rate(_) | StoppingError::ForeignRate(_) => {
            source.wrong(&["goal", "rare_failures"], error)
        }
        _ => source.wrong(&["design", "stopping"], error),
    })?;
    Ok(name.to_owned())
}

fn parameters(terms: &Terms, measure: &Measure, cases: Design) -> StoppingParameters {
    let bounds = measure.metric.bounds().map(|(low, high)| {
        let [one, other] = [low, high].map(|bound| measure.metric.direction().orient(bound));
        (one.min(other), one.max(other))
    });
    StoppingParameters {
        level: terms.confidence.unwrap_or(CONFIDENCE),
        tolerance: terms.tolerance,
        arms: terms.arms,
        design: cases,
        // A failure is the worst that can be, if there is a bound.
        on_failure: bounds.map(|(worst, _)| worst),
        bounds,
        rare_failures: terms.rare_failures,
    }
}

/// An anytime-valid rule beside a posterior that is not of means is refused.
pub(super) fn check_anytime(
    source: &Source<'_>,
    stopping: &str,
    measure: &Measure,
    posterior: &str,
    is_of_means: bool,
) -> Result<(), StudyError> {
    if assumption(stopping).is_some() && measure.counts.is_some() && !is_of_means {
        let message = format!(
            "the stopping rule {stopping} tests means of scores, and the posterior {posterior} is of the F-measure of all documents together: choose another posterior, such as paired, for the mean of the documents' F-measures"
        );
        return Err(source.wrong(&["design", "stopping"], message));
    }
    Ok(())
}

impl Study {
    /// What is to be known of failures before the study: counted as the worst bound, they are not
    /// what the stopping rule takes scores to be. None of other rules, and without bounds.
    pub fn note_of_failures(&self) -> Option<String> {
        let supposes = assumption(self.stopping()) == Some(Assumption::Gaussian);
        let (low, high) = self.metric().bounds().filter(|_| supposes)?;
        let direction = self.metric().direction();
        let worst = if direction.orient(low) < direction.orient(high) {
            low
        } else {
            high
        };
        Some(format!(
            "note: an evaluation that fails counts as {worst}, the worst bound of the metric, and the rate of errors that anytime promises is proven for Gaussian scores only: if jobs may fail, stopping = \"anytime-bounded\" promises it whatever the scores"
        ))
    }

    /// The stopping rule under these terms; on scores, with the F-measure of counts.
    pub(super) fn stopping_rule(&self, terms: &Terms) -> Box<dyn StoppingRule<Observation>> {
        let parameters = parameters(terms, &self.measure, self.design);
        let name = self.file.design.stopping.as_deref().unwrap_or(POSTERIOR);
        // No checked study has a level or a tolerance that is refused: somebody has edited the
        // ledger, and the decisions will differ.
        let (Some(_), Ok(rule)) = (terms.confidence, by_name(name, &parameters)) else {
            return Box::new(Never);
        };
        let f_beta = self.measure.counts.unwrap_or_default();
        let rule = OfScores { rule, f_beta };
        match terms.min_documents {
            Some(evaluations) => Box::new(AtLeast { evaluations, rule }),
            None => Box::new(rule),
        }
    }
}
