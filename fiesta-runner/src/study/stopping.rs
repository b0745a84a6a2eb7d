//! When a study stops because enough is known.

use super::{
    StudyError, Terms,
    error::Source,
    file::{DesignTable, GoalTable, StudyFile, named},
    measure::Measure,
    posterior::PosteriorChoice,
    search::NONE,
};
use fiesta_core::{Design, FBeta, Observation, StoppingRule};
use fiesta_policies::stopping::{
    AtLeast, Never, OfScores, Parameters, PosteriorThreshold, StoppingError, by_name,
};
use toml::Spanned;

/// When the study stops because enough is known.
#[derive(Debug)]
pub(super) struct Stopping {
    /// The rule's name.
    pub(super) name: String,
    /// None in a random search.
    parameters: Option<Parameters>,
}

/// The requested confidence; 95 % if nothing else ends the study.
pub(super) fn confidence(source: &Source<'_>, goal: &GoalTable) -> Result<Option<f64>, StudyError> {
    match (
        &goal.confidence,
        goal.budget.is_some() || goal.trials.is_some(),
    ) {
        (Some(confidence), _) => {
            let span = Some(confidence.span());
            PosteriorThreshold::new(*confidence.get_ref())
                .map_err(|error| source.wrong(span, format!("confidence: {error}")))?;
            Ok(Some(*confidence.get_ref()))
        }
        (None, false) => Ok(Some(0.95)),
        (None, true) => Ok(None),
    }
}

/// The stopping rule and its parameters, also of a study that ends by its budget alone.
pub(super) fn stopping(
    source: &Source<'_>,
    file: &StudyFile,
    confidence: Option<f64>,
    measure: &Measure,
    cases: Design,
    arms: usize,
) -> Result<Stopping, StudyError> {
    let metric = &measure.metric;
    let (rule, rule_span) = named(file.design.stopping.as_ref(), "posterior");
    let tolerance = file.goal.tolerance.as_ref();
    let span = tolerance.map(Spanned::span);
    if let (Some(_), None) = (tolerance, confidence) {
        let message = "a tolerance belongs to a confidence, and this study ends by its budget alone: give it a confidence, too";
        return Err(source.wrong(span, message));
    }
    // A failure is the worst that can be: the lower bound as scores are oriented, if there is one.
    let worst = metric.bounds().map(|(low, high)| {
        let direction = metric.direction();
        direction.orient(low).min(direction.orient(high))
    });
    let parameters = Parameters {
        level: confidence.unwrap_or(0.95),
        tolerance: tolerance.map_or(0.0, |tolerance| *tolerance.get_ref()),
        arms,
        design: cases,
        on_failure: worst,
    };
    by_name(&rule, &parameters).map_err(|error| match error {
        StoppingError::Parameter(_) => source.wrong(span, error),
        _ => source.wrong(rule_span, error),
    })?;
    Ok(Stopping {
        name: rule,
        parameters: Some(parameters),
    })
}

/// The anytime-valid rule beside a posterior that is not of means is refused.
pub(super) fn check_anytime(
    source: &Source<'_>,
    design: &DesignTable,
    stopping: &Stopping,
    measure: &Measure,
    posterior: &PosteriorChoice,
) -> Result<(), StudyError> {
    if stopping.name == "anytime" && measure.counts.is_some() && !posterior.is_of_means() {
        let span = design.stopping.as_ref().map(Spanned::span);
        let message = format!(
            "the stopping rule anytime tests means of scores, and the posterior {} is of the F-measure of all documents together: choose another posterior, such as paired, for the mean of the documents' F-measures",
            posterior.name
        );
        return Err(source.wrong(span, message));
    }
    Ok(())
}

impl Stopping {
    /// That of a study which ends by itself.
    pub(super) fn none() -> Self {
        Self {
            name: NONE.to_owned(),
            parameters: None,
        }
    }

    /// The rule for so many arms under these terms; `f_beta` is the F-measure of counts, for rules on scores.
    pub(super) fn rule(
        &self,
        f_beta: FBeta,
        terms: &Terms,
        arms: usize,
    ) -> Box<dyn StoppingRule<Observation>> {
        let (Some(parameters), Some(level)) = (&self.parameters, terms.confidence) else {
            return Box::new(Never);
        };
        let parameters = Parameters {
            level,
            tolerance: terms.tolerance,
            arms,
            ..*parameters
        };
        let Ok(rule) = by_name(&self.name, &parameters) else {
            // No checked study has such a level or tolerance; somebody has edited the ledger, and the decisions will differ.
            return Box::new(Never);
        };
        let rule = OfScores { rule, f_beta };
        match terms.min_documents {
            Some(evaluations) => Box::new(AtLeast { evaluations, rule }),
            None => Box::new(rule),
        }
    }
}
