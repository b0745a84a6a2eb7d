//! P(best) of the arms in a report: that of the study, or that of scores under a posterior.

use super::{evaluations::Evaluations, pool::PoolEvidence};
use crate::analysis::{
    AnalysisError,
    belief::{Sampling, fit, probabilities_better},
    study::StudyFacts,
};
use fiesta_core::{ArmId, Belief, Direction, Method, Posterior, finest};
use fiesta_posterior::{PAIRED, POOL, by_name, lead};

/// Belief about the arms.
#[derive(Debug, Clone, Default)]
pub(super) struct Believed {
    /// P(best) of each arm; none where too little is known.
    pub(super) probability: Vec<Option<f64>>,
    /// The expected shortfall of each arm; empty where too little is known.
    pub(super) shortfall: Vec<f64>,
    /// P(the row's mean is better than the column's).
    pub(super) better: Option<Vec<Vec<f64>>>,
    /// The posterior's name.
    pub(super) posterior: String,
    /// How exact the probabilities are, in words.
    pub(super) accuracy: Option<String>,
    /// The note on arms that have no split in common, where the posterior pairs scores on splits.
    pub(super) disjoint: Option<String>,
    /// Why there is no belief.
    pub(super) lacking: Option<String>,
}

impl Believed {
    /// P(best) of all arms, if it is known of each.
    pub(super) fn all(&self) -> Option<Vec<f64>> {
        self.probability.iter().copied().collect()
    }

    /// The belief of all arms; `None` where too little is known.
    pub(super) fn as_belief(&self) -> Option<Belief> {
        let unknown = self.probability.iter().any(Option::is_none) || self.shortfall.is_empty();
        (!unknown).then(|| Belief {
            probability: self.probability.iter().map(|p| p.unwrap_or(0.0)).collect(),
            shortfall: self.shortfall.clone(),
            absolute_error: 0.0,
            method: Method::MonteCarlo,
        })
    }

    /// Returns a belief about all arms under a posterior, with P(better) of every two if known.
    fn known(posterior: &str, belief: &Belief, better: Option<Vec<Vec<f64>>>) -> Self {
        Self {
            probability: belief.probability.iter().copied().map(Some).collect(),
            shortfall: belief.shortfall.clone(),
            better,
            posterior: posterior.to_owned(),
            accuracy: Some(accuracy(belief)),
            ..Self::default()
        }
    }

    /// Returns no belief about `arms` arms under a posterior, and why.
    fn lacking(arms: usize, posterior: &str, why: impl Into<String>) -> Self {
        Self {
            probability: vec![None; arms],
            posterior: posterior.to_owned(),
            lacking: Some(why.into()),
            ..Self::default()
        }
    }

    /// Returns no belief about the arms of a search for hyperparameters.
    pub(super) fn of_search(arms: usize) -> Self {
        let why = "a search compares the best of many trials, not means";
        Self::lacking(arms, "none", why)
    }

    /// Returns the belief of a study.
    pub(super) fn of_study(study: &StudyFacts) -> Self {
        let (arms, posterior) = (study.arms.len(), &study.posterior);
        if study.search.is_some() {
            return Self::of_search(arms);
        }
        let leads = &study.background.leads;
        let better = probabilities_better(arms, |a, b| *leads.get(a.index())?.get(b.index())?);
        let Some(belief) = &study.belief else {
            let why = "too few evaluations have ended: the posterior needs more of some arm";
            return Self {
                better,
                ..Self::lacking(arms, posterior, why)
            };
        };
        Self::known(posterior, belief, better)
    }

    /// Returns the belief from the answers to the items of a pool.
    pub(super) fn of_pool(pool: &PoolEvidence) -> Self {
        let arms = pool.answers.arms.len();
        let lacks = |of_arm: &Vec<_>| of_arm.is_empty();
        if pool.answers.answers.iter().any(lacks) {
            let why = "some arm has no answer yet";
            return Self::lacking(arms, POOL, why);
        }
        let candidates: Vec<ArmId> = ArmId::all(arms).collect();
        let belief = pool.posterior.belief(&candidates);
        Self::known(POOL, &belief, pool.better())
    }

    /// Computes the belief from scores which exist already, under the posterior with this name.
    pub(super) fn of_scores(
        name: &str,
        evaluations: &Evaluations,
        direction: Direction,
        draws: Option<u64>,
    ) -> Result<Self, AnalysisError> {
        let arms = evaluations.arms.len();
        by_name(name, arms.max(2))?;
        let scored = evaluations.arms.iter().filter(|arm| !arm.scores.is_empty());
        match scored.count() {
            0 => return Ok(Self::lacking(arms, name, "no arm has a score")),
            1 => return Ok(Self::lacking(arms, name, "only one arm has a score")),
            _ => {}
        }
        let (scores, places) = evaluations.scores(direction)?;
        let posterior = match fit(&scores, name, None, Sampling { draws, seed: None }) {
            Err(AnalysisError::TooFew(why)) => return Ok(Self::lacking(arms, name, why)),
            fitted => fitted?,
        };
        let posterior = finest(&*posterior);
        let candidates: Vec<ArmId> = scores.arms.ids().collect();
        let belief = posterior.belief(&candidates);
        let better = probabilities_better(places.len(), |a, b| lead(posterior, a, b));
        let mut believed = Self::known(name, &belief, better.filter(|_| places.len() == arms));
        believed.probability = vec![None; arms];
        believed.shortfall = vec![f64::INFINITY; arms];
        for (arm, &place) in candidates.iter().zip(&places) {
            believed.probability[place] = Some(belief.of(*arm));
            believed.shortfall[place] = belief.shortfall_of(*arm);
        }
        believed.disjoint = scores.disjoint_note().filter(|_| name == PAIRED);
        Ok(believed)
    }
}

/// How exact the probabilities are, in words.
fn accuracy(belief: &Belief) -> String {
    let error = belief.absolute_error;
    match belief.method {
        _ if error < 1e-6 => "to more digits than are shown".to_owned(),
        Method::MonteCarlo => {
            format!("by Monte Carlo, with a standard error of at most {error:.1e}")
        }
        _ => format!("by quadrature, with an error of at most {error:.1e}"),
    }
}
