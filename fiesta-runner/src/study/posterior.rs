//! The posterior of a study, of scores or of counts.

use super::{
    StudyError,
    error::Source,
    file::{Alpha, DesignTable},
    measure::Measure,
    search::NONE,
};
use fiesta_core::{FBeta, Observation, Observe};
use fiesta_posterior::{
    Best, FMeasureArms, OfCounts, OfScores,
    f_measure::{self, Concentration, Measure as Compared},
};
use toml::Spanned;

/// The posterior of F-measures, which learns from counts and is the default where there are any.
const F_MEASURE: &str = f_measure::NAME;

/// A posterior that has been checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PosteriorChoice {
    pub(super) name: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// The F-measure of all documents' counts.
    FMeasure {
        f_beta: FBeta,
        documents: u64,
        concentration: Concentration,
    },
    /// The mean of scores, or of the documents' F-measures.
    Mean { f_beta: FBeta },
    /// No belief, as in a random search: the best score alone.
    Best,
}

/// The posterior that a study file asks for; `documents` is how many there are.
pub(super) fn posterior(
    source: &Source<'_>,
    design: &DesignTable,
    measure: &Measure,
    documents: Option<u64>,
    arms: usize,
) -> Result<PosteriorChoice, StudyError> {
    let default = match measure.counts {
        Some(_) => F_MEASURE,
        None => fiesta_posterior::DEFAULT,
    };
    let given = design.posterior.as_ref();
    let name = given.map_or(default, |given| given.get_ref().as_str());
    let span = given.map(Spanned::span);
    if name != F_MEASURE {
        if let Some(alpha) = &design.alpha {
            let message = format!("the posterior {name} takes no `alpha`; {F_MEASURE} does");
            return Err(source.wrong(Some(alpha.span()), message));
        }
        fiesta_posterior::by_name(name, arms).map_err(|error| {
            let also = if measure.counts.is_some() {
                format!(" or {F_MEASURE}")
            } else {
                String::new()
            };
            source.wrong(span.clone(), format!("{error}{also}"))
        })?;
        return Ok(PosteriorChoice {
            name: name.to_owned(),
            kind: Kind::Mean {
                f_beta: measure.counts.unwrap_or_default(),
            },
        });
    }
    let (Some(f_beta), Some(documents)) = (measure.counts, documents) else {
        let message = format!(
            "the posterior {F_MEASURE} learns from the confusion counts of documents: name those under [design], and give [metric] an f_beta or leave it out"
        );
        return Err(source.wrong(span, message));
    };
    let concentration = match &design.alpha {
        None => Concentration::Learned,
        Some(alpha) => concentration(source, alpha)?,
    };
    Ok(PosteriorChoice {
        name: name.to_owned(),
        kind: Kind::FMeasure {
            f_beta,
            documents,
            concentration,
        },
    })
}

fn concentration(source: &Source<'_>, alpha: &Spanned<Alpha>) -> Result<Concentration, StudyError> {
    let span = Some(alpha.span());
    match alpha.get_ref() {
        Alpha::Name(name) if name == "learned" => Ok(Concentration::Learned),
        Alpha::Name(name) if name == "shared" => Ok(Concentration::Shared),
        Alpha::Name(name) => {
            let message = format!(
                "alpha = \"{name}\": use \"learned\" (of each arm by itself), \"shared\" (learned of all arms together) or a number"
            );
            Err(source.wrong(span, message))
        }
        Alpha::Number(number) => {
            Concentration::fixed(*number).map_err(|error| source.wrong(span, error))
        }
    }
}

impl PosteriorChoice {
    /// That of a random search.
    pub(super) fn none() -> Self {
        Self {
            name: NONE.to_owned(),
            kind: Kind::Best,
        }
    }

    /// Whether it believes about means of documents' F-measures instead of the F-measure of all.
    pub(super) fn is_of_means(&self) -> bool {
        matches!(self.kind, Kind::Mean { .. })
    }

    /// The posterior over K arms, before any observation.
    pub(super) fn build(&self, arms: usize) -> Box<dyn Observe<Observation>> {
        match self.kind {
            Kind::FMeasure {
                f_beta,
                documents,
                concentration,
            } => Box::new(OfCounts(
                FMeasureArms::new(arms)
                    .measure(Compared::F(f_beta))
                    .documents(documents)
                    .concentration(concentration),
            )),
            Kind::Mean { f_beta } => Box::new(OfScores {
                posterior: fiesta_posterior::by_name(&self.name, arms)
                    .expect("the posterior's name was checked"),
                f_beta,
            }),
            Kind::Best => Box::new(OfScores {
                posterior: Best::new(arms),
                f_beta: FBeta::default(),
            }),
        }
    }
}
