//! P(best) of the arms in a report: that of the study, or that of a file's scores.

use super::{ReportInput, ReportOptions, evaluations::ReportedEvaluations, pool::PoolEvidence};
use crate::analysis::{
    AnalysisError, ScoresOfArms, SplitsOutlook,
    belief::{BeliefOptions, BeliefReport, BeliefRequest, probabilities_better},
    pool::OutlookOptions,
    study::{StudyFacts, StudyFindings},
};
use fiesta_core::{ArmId, Belief, Observe, finest};
use fiesta_posterior::{DEFAULT, Lead, PAIRED, POOL, lead, posterior_by_name};
use std::collections::HashMap;

/// Source of the leads of arms over each other.
enum Leads {
    Unknown,
    /// Leads that a study states: of the row's mean over the column's.
    OfStudy(Vec<Vec<Option<Lead>>>),
    /// A posterior with the number of arms, all of which it knows.
    Of(Box<dyn Observe<f64>>, usize),
}

/// Belief about the arms.
pub(super) struct ReportedBelief {
    /// Name of the posterior.
    pub(super) posterior: String,
    /// Belief in the arms that have scores. The error says why there is no belief.
    pub(super) known: Result<BeliefReport, String>,
    leads: Leads,
    /// The note on scores that are not compared on the same splits or items.
    pub(super) note: Option<String>,
}

impl ReportedBelief {
    /// Takes the belief of the study, or computes that of the scores of a file.
    ///
    /// # Errors
    /// As [`BeliefRequest::report`], and [`AnalysisError`] for options that a study does not have.
    pub(super) fn new(
        input: &ReportInput,
        options: &ReportOptions,
        study: Option<&StudyFindings<'_>>,
        evaluations: &ReportedEvaluations,
        pool: Option<&PoolEvidence>,
    ) -> Result<Self, AnalysisError> {
        let belief = match (study, pool.and_then(|pool| pool.scores.as_ref())) {
            (Some(study), _) => {
                let mut belief = Self::of_study(study, options)?;
                if let Ok(known) = &mut belief.known {
                    known.outlook = outlook_of_study(study.facts(), input, options, evaluations)?;
                }
                belief
            }
            (None, Some(scores)) => {
                let request = BeliefRequest {
                    target: options.target,
                    ..BeliefRequest::default()
                };
                Self::of_scores(&request, POOL, scores, scores.arms.len())?
            }
            (None, None) if input.is_recorded_search() => Self::of_search(),
            (None, None) => Self::of_file(input, options, evaluations)?,
        };
        let leads = match pool {
            Some(pool) => Leads::Of(Box::new(pool.posterior.clone()), pool.answers.arms.len()),
            None => belief.leads,
        };
        Ok(Self { leads, ..belief })
    }

    fn lacking(posterior: &str, why: &str) -> Self {
        Self {
            posterior: posterior.to_owned(),
            known: Err(why.to_owned()),
            leads: Leads::Unknown,
            note: None,
        }
    }

    fn of_search() -> Self {
        Self::lacking(
            "none",
            "a search compares the best of many trials, not means",
        )
    }

    fn of_study(study: &StudyFindings<'_>, options: &ReportOptions) -> Result<Self, AnalysisError> {
        if options.posterior.is_some() {
            return Err(AnalysisError::refused(
                "the posterior of a study stands in its file: leave --posterior out",
            ));
        }
        if options.draws.is_some() {
            return Err(AnalysisError::refused(
                "a study's belief is that of its decisions: leave --draws out",
            ));
        }
        let facts = study.facts();
        if facts.search.is_some() {
            return Ok(Self::of_search());
        }
        let why = "too few evaluations have ended: the posterior needs more of some arm";
        let known = facts.belief.clone().map(|belief| {
            let table = study.arms();
            let arms = table.arms.iter().map(|arm| (arm.name.as_str(), arm.scores));
            let (metric, direction) = (&table.metric, table.direction);
            BeliefReport::bare(belief, &facts.posterior, metric, direction, arms)
        });
        Ok(Self {
            posterior: facts.posterior.clone(),
            known: known.ok_or_else(|| why.to_owned()),
            leads: Leads::OfStudy(facts.background.leads.clone()),
            note: None,
        })
    }

    /// Computes the belief from the scores of a file that is no pool.
    fn of_file(
        input: &ReportInput,
        options: &ReportOptions,
        evaluations: &ReportedEvaluations,
    ) -> Result<Self, AnalysisError> {
        let name = options.posterior.as_deref().unwrap_or(DEFAULT);
        let arms = evaluations.arms.len();
        posterior_by_name(name, arms.max(2))?;
        let scored = { evaluations.counted.iter() }.filter(|scores| !scores.is_empty());
        match scored.count() {
            0 => return Ok(Self::lacking(name, "no arm has a score")),
            1 => return Ok(Self::lacking(name, "only one arm has a score")),
            _ => {}
        }
        let mut scores = evaluations.scores(input)?;
        // Where arms have no item in common, items are splits.
        if scores.pool.is_some() && scores.clone().on_common_items().is_err() {
            scores.pool = None;
        }
        let request = BeliefRequest {
            posterior: Some(name.to_owned()),
            options: BeliefOptions {
                draws: options.draws,
                ..BeliefOptions::default()
            },
            bounds: input.bounds.filter(|_| scores.pool.is_some()),
            outlook: options.outlook,
            confidence: options.outlook.then_some(options.confidence),
            ..BeliefRequest::default()
        };
        let mut belief = Self::of_scores(&request, name, &scores, arms)?;
        if let Ok(known) = &belief.known {
            let of_items = known.arms.iter().map(|arm| arm.evaluations).sum::<u64>();
            belief.note = match evaluations.counted() as u64 - of_items {
                0 => scores.disjoint_note().filter(|_| name == PAIRED),
                left_out => Some(format!(
                    "P(best) is from the items that all arms have answered: {left_out} scores on others are left out"
                )),
            };
        }
        Ok(belief)
    }

    /// Computes the belief from scores of some of `arms` arms, under the posterior with this name.
    fn of_scores(
        request: &BeliefRequest,
        name: &str,
        scores: &ScoresOfArms<'_>,
        arms: usize,
    ) -> Result<Self, AnalysisError> {
        let (report, posterior) = match request.fitted(scores.clone(), None) {
            Err(AnalysisError::TooFew(why)) => return Ok(Self::lacking(name, &why)),
            fitted => fitted?,
        };
        let leads = if report.arms.len() == arms {
            Leads::Of(posterior, arms)
        } else {
            Leads::Unknown
        };
        Ok(Self {
            posterior: name.to_owned(),
            known: Ok(report),
            leads,
            note: None,
        })
    }

    /// Returns the lead of an arm's mean over another's. `None` where it is not known.
    pub(super) fn lead(&self, one: ArmId, other: ArmId) -> Option<Lead> {
        match &self.leads {
            Leads::Unknown => None,
            Leads::OfStudy(leads) => *leads.get(one.index())?.get(other.index())?,
            Leads::Of(posterior, _) => lead(finest(&**posterior), one, other),
        }
    }

    /// P(the row's mean is better than the column's) of all arms. `None` where a lead is not known.
    pub(super) fn better(&self) -> Option<Vec<Vec<f64>>> {
        let arms = match &self.leads {
            Leads::Unknown => 0,
            Leads::OfStudy(leads) => leads.len(),
            Leads::Of(_, arms) => *arms,
        };
        probabilities_better(arms, |a, b| self.lead(a, b))
    }

    /// Returns P(best) of the arms with these names; none where too little is known.
    pub(super) fn probabilities(&self, names: &[&str]) -> Vec<Option<f64>> {
        let known = self.known.iter().flat_map(|report| &report.arms);
        let known = known.map(|arm| (arm.name.as_str(), arm.probability_best));
        let known: HashMap<&str, f64> = known.collect();
        names.iter().map(|name| known.get(name).copied()).collect()
    }

    /// Returns the belief about all of `arms` arms. `None` where too little is known of one.
    pub(super) fn of_all(&self, arms: usize) -> Option<&Belief> {
        let known = self.known.as_ref().ok()?;
        (known.arms.len() == arms).then_some(&known.belief)
    }
}

/// Simulates further evaluations of an undecided study of splits, if that was asked for.
fn outlook_of_study(
    study: &StudyFacts,
    input: &ReportInput,
    options: &ReportOptions,
    evaluations: &ReportedEvaluations,
) -> Result<Option<SplitsOutlook>, AnalysisError> {
    if !options.outlook || study.posterior != PAIRED || study.is_decided() {
        return Ok(None);
    }
    let asked = OutlookOptions {
        confidence: study.confidence.unwrap_or(options.confidence),
        seed: options.seed,
        ..OutlookOptions::default()
    };
    SplitsOutlook::of_scores(&evaluations.scores(input)?, &asked).map(Some)
}
