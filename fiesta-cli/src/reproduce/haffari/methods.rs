//! How systems are chosen, what is believed of them, and when that suffices.

use super::{Arguments, Failure, initial::Initially, truth::OfDocuments};
use fiesta::{
    core::{Counts, FBeta, Observe, Policy, StoppingRule},
    policies::{self, Parameters, simulate::MakeRule, stopping::PosteriorThreshold},
    posterior::{
        FMeasureArms, GaussianArms, KnownVariance, OfScores, by_name,
        f_measure::{Concentration, Prior},
    },
};

/// The paper's draws from the posterior of each system.
pub(super) const PAPERS_DRAWS: usize = 1000;

/// What is believed of systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    /// The hierarchical model with the paper's fixed concentration.
    Fixed,
    /// The hierarchical model with a concentration that is learned: the default.
    Learned,
    /// The mean of the documents' F, whose standard deviations are known.
    KnownVariance,
    /// The mean of the documents' F.
    UnknownVariance,
}

impl Model {
    pub(super) const ALL: [Self; 4] = [
        Self::Fixed,
        Self::Learned,
        Self::KnownVariance,
        Self::UnknownVariance,
    ];

    /// The rules at which its runs are looked at. Both rules of the Gaussian models would be nearly the same.
    pub(super) fn rules(self) -> &'static [Rule] {
        match self {
            Self::Fixed | Self::Learned => &[Rule::AtOnce, Rule::Waits],
            Self::KnownVariance | Self::UnknownVariance => &[Rule::AtOnce],
        }
    }
}

/// When P(best) ≥ 1 − δ ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// At once, as in the paper.
    AtOnce,
    /// Not before the two best have three documents and are settled: the default.
    Waits,
}

/// A policy with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Method {
    /// The policy's own name.
    pub(super) policy: String,
    pub(super) model: Model,
}

/// Every policy that is asked for with each of the models.
pub(super) fn methods(arguments: &Arguments, models: &[Model]) -> Vec<Method> {
    let mut all: Vec<Method> = Vec::new();
    for name in arguments.policies() {
        for &model in models {
            let policy = policies::resolve(&name, "posterior").to_owned();
            let method = Method { policy, model };
            if !all.contains(&method) {
                all.push(method);
            }
        }
    }
    all
}

pub(super) fn policy(name: &str, arguments: &Arguments) -> Result<Box<dyn Policy>, Failure> {
    let parameters = Parameters {
        arms: arguments.systems,
        beta: (name == "pets").then_some(arguments.beta),
        batch: 1,
        ..Parameters::default()
    };
    let then = policies::by_name(name, &parameters)?;
    let queries = arguments.initial;
    Ok(if queries > 1 {
        Box::new(Initially { queries, then })
    } else {
        then
    })
}

/// The rule, as one that can be made for every run.
pub(super) fn rule(
    rule: Rule,
    arguments: &Arguments,
) -> Result<MakeRule<'static, Counts>, Failure> {
    let level = 1.0 - arguments.delta;
    let then = match rule {
        Rule::AtOnce => PosteriorThreshold::at_once(level)?,
        Rule::Waits => PosteriorThreshold::new(level)?,
    };
    let queries = arguments.initial;
    Ok(Box::new(move || {
        Box::new(Initially { queries, then }) as Box<dyn StoppingRule<Counts>>
    }))
}

/// The posterior that a model makes of so many systems, whose documents' F are known to be such.
pub(super) fn posterior(
    model: Model,
    arguments: &Arguments,
    truth: &[OfDocuments],
    seed: u64,
) -> Result<Box<dyn Observe<Counts>>, Failure> {
    let arms = arguments.systems;
    let of_scores = |posterior: Box<dyn Observe<f64>>| -> Box<dyn Observe<Counts>> {
        Box::new(OfScores {
            posterior,
            f_beta: FBeta::F1,
        })
    };
    let hierarchical = || -> Result<FMeasureArms, Failure> {
        let prior = Prior::new(arguments.theta0()?.map(|share| share * arguments.alpha0))?;
        let posterior = FMeasureArms::new(arms).prior(prior).seed(seed);
        Ok(match arguments.draws {
            Some(draws) => posterior.draws(draws),
            None => posterior,
        })
    };
    Ok(match model {
        Model::Learned => Box::new(hierarchical()?),
        Model::Fixed => {
            let posterior = hierarchical()?.concentration(Concentration::fixed(arguments.alpha)?);
            // The paper's number, unless another is asked for.
            Box::new(posterior.draws(arguments.draws.unwrap_or(PAPERS_DRAWS)))
        }
        Model::KnownVariance => {
            let known = KnownVariance::new(truth.iter().map(|truth| truth.sd))?;
            of_scores(Box::new(GaussianArms::new(known, arms)))
        }
        Model::UnknownVariance => of_scores(by_name(&arguments.gaussian, arms)?),
    })
}
