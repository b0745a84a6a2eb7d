//! The posterior of a study, of scores or of counts.

use super::{
    StudyError,
    benchmarks::OfBenchmark,
    error::Source,
    file::{Alpha, DesignTable},
    measure::Measure,
    own::built_in,
};
use fiesta_core::{FBeta, Observation, Observe, Target};
use fiesta_posterior::{
    AsScores, BENCHMARKS, BenchmarksOfStudy, Best, FMeasureArms, FOfItems, OfCounts, PAIRED,
    Paired, Pool,
    f_measure::{self, Concentration, FMeasureError, Measure as Compared, Prior},
};

/// Name of the posterior of F-measures, which learns from counts and is their default.
const F_MEASURE: &str = f_measure::NAME;

/// Name of the posterior of means over a pool of items, the default for items with bounded scores.
const POOL: &str = fiesta_posterior::POOL;

/// A posterior that has been checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PosteriorKind {
    /// Posterior of the F-measure of all documents' counts.
    FMeasure {
        f_beta: FBeta,
        documents: u64,
        concentration: Concentration,
        prior: Prior,
    },
    /// Posterior of the mean of scores, or of the documents' F-measures.
    Mean { f_beta: FBeta },
    /// Posterior of the mean over a pool of items, with scores within the bounds, which are negated
    /// where smaller is better.
    Pool {
        items: u64,
        bounds: (f64, f64),
        f_beta: FBeta,
        repeats: bool,
        target: Target,
    },
    /// Posterior of the weighted mean over several benchmarks, whose scores lie within the bounds.
    Benchmarks {
        benchmarks: Vec<OfBenchmark>,
        bounds: (f64, f64),
        target: Target,
    },
    /// No posterior, as in a random search: the best score decides.
    Best,
}

/// Returns the posterior of a study file, with its name. In place of one of the program's own it is
/// the default. `documents` is their number, and the target says which items the verdict is of.
pub(super) fn posterior(
    source: &Source<'_>,
    design: &DesignTable,
    measure: &Measure,
    (documents, asked, benchmarks): (Option<u64>, Option<Target>, Vec<OfBenchmark>),
    arms: usize,
) -> Result<(String, PosteriorKind), StudyError> {
    let bounds = measure.oriented_bounds();
    if !benchmarks.is_empty() {
        return of_benchmarks(source, design, measure, (benchmarks, asked));
    }
    let default = match (measure.counts, documents) {
        (Some(_), _) => F_MEASURE,
        (None, Some(_)) if design.items.is_some() && bounds.is_some() => POOL,
        (None, _) => fiesta_posterior::DEFAULT,
    };
    let name = built_in(design.posterior.as_ref()).unwrap_or(default);
    let wrong = |key: &str, message: String| Err(source.wrong(&["design", key], message));
    let target = asked.unwrap_or_default();
    if asked.is_some() && (design.items.is_none() || target != Target::default() && name != POOL) {
        let message = format!(
            "a verdict on {target} is about a pool of items whose scores have bounds, under the posterior {POOL}, and this study has the posterior {name}: leave the target out, or name the items under [design] and give [metric] its bounds"
        );
        return Err(source.wrong(&["goal", "target"], message));
    }
    if name != F_MEASURE {
        let mut own = ["alpha", "alpha0", "theta0"].into_iter();
        if let Some(key) = own.find(|key| source.has(&format!("design.{key}"))) {
            let message = format!("the posterior {name} takes no `{key}`; {F_MEASURE} does");
            return wrong(key, message);
        }
        if name == POOL {
            let (Some(items), Some(bounds)) = (documents, bounds) else {
                let message = format!(
                    "the posterior {POOL} is of the means over a pool of items whose scores have bounds: name the items under [design], and give [metric] its bounds"
                );
                return wrong("posterior", message);
            };
            let f_beta = measure.counts.unwrap_or_default();
            let kind = PosteriorKind::Pool {
                items,
                bounds,
                f_beta,
                repeats: design.repeats(),
                target,
            };
            return Ok((name.to_owned(), kind));
        }
        if let Err(error) = fiesta_posterior::posterior_by_name(name, arms) {
            let also = match measure.counts {
                Some(_) => format!(" or {F_MEASURE}"),
                None => String::new(),
            };
            return wrong("posterior", format!("{error}{also}"));
        }
        let f_beta = measure.counts.unwrap_or_default();
        return Ok((name.to_owned(), PosteriorKind::Mean { f_beta }));
    }
    let (Some(f_beta), Some(documents)) = (measure.counts, documents) else {
        let message = format!(
            "the posterior {F_MEASURE} learns from the confusion counts of documents: name those under [design], and give [metric] an f_beta or leave it out"
        );
        return wrong("posterior", message);
    };
    let concentration = concentration(design.alpha.as_ref());
    let kind = PosteriorKind::FMeasure {
        f_beta,
        documents,
        concentration: concentration
            .map_err(|message| source.wrong(&["design", "alpha"], message))?,
        prior: prior(design).map_err(|error| {
            let key = match error {
                FMeasureError::Shapes(_) if design.alpha0.is_some() => "alpha0",
                _ => "theta0",
            };
            source.wrong(&["design", key], error)
        })?,
    };
    Ok((name.to_owned(), kind))
}

/// Returns the posterior of a study of several benchmarks, with its name.
fn of_benchmarks(
    source: &Source<'_>,
    design: &DesignTable,
    measure: &Measure,
    (benchmarks, target): (Vec<OfBenchmark>, Option<Target>),
) -> Result<(String, PosteriorKind), StudyError> {
    if let Some(name) = built_in(design.posterior.as_ref()).filter(|name| *name != BENCHMARKS) {
        let message = format!(
            "the posterior {name} knows no benchmarks: leave posterior out, or write {BENCHMARKS:?}"
        );
        return Err(source.wrong(&["design", "posterior"], message));
    }
    let Some(bounds) = measure
        .oriented_bounds()
        .filter(|_| measure.counts.is_none())
    else {
        let message = "means of several benchmarks are of scores within bounds: give [metric] its bounds, and leave f_beta out";
        return Err(source.wrong(&["metric"], message));
    };
    let kind = PosteriorKind::Benchmarks {
        benchmarks,
        bounds,
        target: target.unwrap_or_default(),
    };
    Ok((BENCHMARKS.to_owned(), kind))
}

fn prior(design: &DesignTable) -> Result<Prior, FMeasureError> {
    let default = Prior::default();
    Prior::expecting(
        design.theta0.unwrap_or(default.theta0()),
        design.alpha0.unwrap_or(default.alpha0()),
    )
}

fn concentration(alpha: Option<&Alpha>) -> Result<Concentration, String> {
    match alpha {
        None => Ok(Concentration::Learned),
        Some(Alpha::Name(name)) if name == "learned" => Ok(Concentration::Learned),
        Some(Alpha::Name(name)) if name == "shared" => Ok(Concentration::Shared),
        Some(Alpha::Name(name)) => Err(format!(
            "alpha = \"{name}\": use \"learned\" (of each arm by itself), \"shared\" (learned of all arms together) or a number"
        )),
        Some(Alpha::Number(number)) => {
            Concentration::fixed(*number).map_err(|error| error.to_string())
        }
    }
}

/// Makes a pool whose bounds were checked.
fn pool(arms: usize, items: u64, (low, high): (f64, f64), target: Target) -> Pool {
    let pool = Pool::new(arms, items)
        .bounded(low, high)
        .expect("the metric's bounds were checked");
    match target {
        Target::TheseItems => pool,
        Target::ItemsLikeThese => pool.like_these(),
    }
}

impl PosteriorKind {
    /// Whether the posterior is of means of the documents' F-measures, and not of the F-measure of
    /// their summed counts.
    pub(super) fn is_of_means(&self) -> bool {
        matches!(self, Self::Mean { .. } | Self::Pool { .. })
    }

    /// Returns the benchmarks, where there are several.
    #[cfg(feature = "report")]
    pub(super) fn benchmarks(&self) -> &[OfBenchmark] {
        match self {
            Self::Benchmarks { benchmarks, .. } => benchmarks,
            _ => &[],
        }
    }

    /// Makes the posterior of several benchmarks for `arms` arms. `None` of any other kind.
    pub(super) fn of_benchmarks(&self, arms: usize) -> Option<BenchmarksOfStudy> {
        let Self::Benchmarks {
            benchmarks,
            bounds,
            target,
        } = self
        else {
            return None;
        };
        let mut posterior = BenchmarksOfStudy::new(arms);
        for of in benchmarks {
            posterior.add(of.weight, of.cost, pool(arms, of.items, *bounds, *target));
        }
        Some(posterior)
    }

    /// Makes the posterior with this name for `arms` arms, of which the best `top` are sought, before
    /// any observation.
    pub(super) fn build(
        &self,
        name: &str,
        arms: usize,
        top: usize,
    ) -> Box<dyn Observe<Observation>> {
        if let Some(posterior) = self.of_benchmarks(arms) {
            let f_beta = FBeta::default();
            return Box::new(AsScores { posterior, f_beta });
        }
        match *self {
            Self::FMeasure {
                f_beta,
                documents,
                concentration,
                prior,
            } => {
                let of_documents = FMeasureArms::new(arms)
                    .measure(Compared::F(f_beta))
                    .prior(prior)
                    .documents(documents)
                    .concentration(concentration);
                Box::new(OfCounts(FOfItems::new(of_documents, documents, f_beta)))
            }
            Self::Pool {
                items,
                bounds,
                f_beta,
                repeats,
                target,
            } => {
                let pool = pool(arms, items, bounds, target);
                let posterior = if repeats { pool.repeating() } else { pool };
                Box::new(AsScores { posterior, f_beta })
            }
            Self::Mean { f_beta } if name == PAIRED => Box::new(AsScores {
                posterior: Paired::new(arms).top(top),
                f_beta,
            }),
            Self::Mean { f_beta } => Box::new(AsScores {
                posterior: fiesta_posterior::posterior_by_name(name, arms)
                    .expect("the posterior's name was checked"),
                f_beta,
            }),
            Self::Best | Self::Benchmarks { .. } => Box::new(AsScores {
                posterior: Best::new(arms),
                f_beta: FBeta::default(),
            }),
        }
    }
}
