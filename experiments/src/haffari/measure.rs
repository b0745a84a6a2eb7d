//! Measurement of methods on documents of one kind, over configurations of systems.

use super::{
    baselines::{Baseline, Benchmark, OfDocuments},
    systems::Systems,
};
use crate::{Failure, makers, output::Estimate};
use fiesta_core::{Counts, FBeta, Observe, Streams};
use fiesta_policies::{
    Parameters,
    simulate::{MakeRule, Simulation, SimulationSummary, SyntheticDocuments},
    stopping::{Distance, PosteriorThreshold},
};
use fiesta_posterior::{
    AsScores, FMeasureArms, GaussianArms, KnownVariance,
    f_measure::{Concentration, Prior},
};
use rayon::prelude::*;
use serde::Serialize;

/// The paper's concentration α, its number of draws for each system, and its prior α₀; θ₀ is not stated.
const ALPHA: f64 = 1.0;
const DRAWS: usize = 1000;
pub(super) const PRIOR: [f64; 4] = [0.25; 4];

/// Model of the systems' counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Model {
    /// The paper's hierarchical model of F with α = 1.
    FFixed,
    /// The paper's hierarchical model of F with an α that is learned: the default of studies.
    FLearned,
    /// A Gaussian model of the documents' F, with known standard deviations.
    GaussianKnown,
    /// A Gaussian model of the documents' F.
    GaussianUnknown,
}

impl Model {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::FFixed => "hierarchical, α = 1",
            Self::FLearned => "hierarchical, α learned",
            Self::GaussianKnown => "Gaussian, variances known",
            Self::GaussianUnknown => "Gaussian, variances unknown",
        }
    }

    /// Returns the posterior of systems under this model, which may be told the spread of their F.
    fn posterior(
        self,
        truth: &[OfDocuments],
        seed: u64,
    ) -> Result<Box<dyn Observe<Counts>>, Failure> {
        let arms = truth.len();
        let of_scores = |posterior: Box<dyn Observe<f64>>| -> Box<dyn Observe<Counts>> {
            Box::new(AsScores {
                posterior,
                f_beta: FBeta::F1,
            })
        };
        let hierarchical =
            || Ok::<_, Failure>(FMeasureArms::new(arms).prior(Prior::new(PRIOR)?).seed(seed));
        Ok(match self {
            Self::FLearned => Box::new(hierarchical()?),
            Self::FFixed => {
                let fixed = hierarchical()?.concentration(Concentration::fixed(ALPHA)?);
                Box::new(fixed.draws(DRAWS))
            }
            Self::GaussianKnown => {
                let known = KnownVariance::new(truth.iter().map(|truth| truth.sd))?;
                of_scores(Box::new(GaussianArms::new(known, arms)))
            }
            Self::GaussianUnknown => of_scores(Box::new(GaussianArms::uniform(arms))),
        })
    }
}

/// Rule for the end of a run, once P(best) ≥ 1 − δ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Rule {
    /// The run ends at once, as in the paper.
    AtOnce,
    /// The run does not end before the two best have three documents and are settled: the default
    /// of studies.
    Waits,
}

/// A policy with a model, and the stopping rules that its runs are measured at.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) policy: &'static str,
    pub(super) model: Model,
    pub(super) rules: &'static [Rule],
}

/// A number of systems with a margin, and the settings of the measurement.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Setup {
    pub(super) systems: usize,
    /// Lead of the best F₁ over the second, to within a tenth of the lead.
    pub(super) margin: f64,
    pub(super) delta: f64,
    /// Queries after which a run is given up.
    pub(super) most_queries: u64,
    pub(super) runs: u64,
    /// The configurations of systems on which the runs are spread evenly.
    pub(super) configurations: u64,
    pub(super) seed: u64,
    /// Whether the classical benchmarks are measured as well.
    pub(super) baselines: bool,
}

/// Results of a method under one of its stopping rules.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) policy: &'static str,
    pub(super) model: Model,
    pub(super) rule: Rule,
    pub(super) queries: Estimate,
    /// The share of runs that named the best system; runs that were given up count as well.
    pub(super) success: Estimate,
    pub(super) capped: u64,
}

/// Results of a benchmark. The paper counts the queries of all K systems for both benchmarks.
#[derive(Debug, Serialize)]
pub(super) struct BaselineRow {
    pub(super) baseline: Baseline,
    pub(super) documents: Estimate,
    /// Number of queries of the baseline: K times the documents.
    pub(super) queries: Estimate,
    pub(super) success_by_mean: Estimate,
    pub(super) success_by_counts: Estimate,
}

/// Results of all methods on documents of one kind.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    #[serde(flatten)]
    pub(super) setup: Setup,
    /// The concentration of the documents; JSON has null for ∞, with which all are alike.
    pub(super) alpha: f64,
    /// Number of items of a document.
    pub(super) length: u64,
    /// The share of configurations in which the highest F is also the highest mean of the
    /// documents' F.
    pub(super) same_best: f64,
    /// The standard deviation of a document's F, over systems and configurations.
    pub(super) document_sd: f64,
    pub(super) rows: Vec<Row>,
    pub(super) baselines: Vec<BaselineRow>,
}

/// Results on one configuration of systems.
struct OfSystems {
    truth: Vec<OfDocuments>,
    same_best: bool,
    /// Summaries of every method, at each of its rules.
    summaries: Vec<Vec<SimulationSummary>>,
    benchmarks: Vec<Benchmark>,
}

pub(super) fn cell(
    setup: Setup,
    methods: &[Method],
    alpha: f64,
    length: u64,
) -> Result<Cell, Failure> {
    let all = (0..setup.configurations)
        .into_par_iter()
        .map(|number| of_systems(setup, methods, alpha, length, number))
        .collect::<Result<Vec<_>, _>>()?;
    let runs = setup.runs / setup.configurations;
    let mut rows = Vec::new();
    for (place, method) in methods.iter().enumerate() {
        for (column, &rule) in method.rules.iter().enumerate() {
            let summaries = || all.iter().map(|one| &one.summaries[place][column]);
            rows.push(Row {
                policy: method.policy,
                model: method.model,
                rule,
                queries: Estimate::over(summaries().map(Estimate::evaluations)),
                success: Estimate::over(summaries().map(|one| Estimate::share(one.correct, runs))),
                capped: summaries().map(|one| one.capped).sum(),
            });
        }
    }
    let baseline = |(place, &baseline): (usize, &Baseline)| {
        let made = || all.iter().map(|one| one.benchmarks[place]);
        let systems = setup.systems as u64;
        BaselineRow {
            baseline,
            documents: Estimate::over(made().map(|one| Estimate::exact(one.documents as f64))),
            queries: Estimate::over(
                made().map(|one| Estimate::exact((systems * one.documents) as f64)),
            ),
            success_by_mean: Estimate::over(made().map(|one| Estimate::share(one.by_mean, runs))),
            success_by_counts: Estimate::over(
                made().map(|one| Estimate::share(one.by_counts, runs)),
            ),
        }
    };
    let baselines: &[Baseline] = if setup.baselines {
        &Baseline::BOTH
    } else {
        &[]
    };
    let same = all.iter().filter(|one| one.same_best).count();
    let truths = all.iter().flat_map(|one| &one.truth);
    let variance: f64 = truths.map(|truth| truth.sd * truth.sd).sum();
    Ok(Cell {
        setup,
        alpha,
        length,
        same_best: same as f64 / all.len() as f64,
        document_sd: (variance / (all.len() * setup.systems) as f64).sqrt(),
        rows,
        baselines: baselines.iter().enumerate().map(baseline).collect(),
    })
}

fn of_systems(
    setup: Setup,
    methods: &[Method],
    alpha: f64,
    length: u64,
    number: u64,
) -> Result<OfSystems, Failure> {
    let systems = Systems::draw(setup.systems, setup.margin, setup.seed, number)?;
    // The same for every kind of documents and every method.
    let seed = Streams::new(setup.seed).run_seed(systems.number);
    let streams = Streams::new(seed);
    let problem = SyntheticDocuments::new(systems.theta.clone(), alpha, length, FBeta::F1)?;
    let truth = OfDocuments::all(&problem, &streams)?;
    let best_mean = (0..truth.len()).max_by(|&a, &b| truth[a].mean.total_cmp(&truth[b].mean));
    let runs = setup.runs / setup.configurations;
    let simulation = Simulation::new(&problem, runs)
        .seed(seed)
        .cap(setup.most_queries)
        .threads(1);
    let mut summaries = Vec::new();
    for method in methods {
        let policy = makers::policy(method.policy, Parameters::of(setup.systems))?;
        method.model.posterior(&truth, seed)?;
        let rules = method
            .rules
            .iter()
            .map(|&rule| make_rule(rule, 1.0 - setup.delta));
        summaries.push(simulation.confidence(
            |_| {
                method
                    .model
                    .posterior(&truth, seed)
                    .expect("it was made before")
            },
            policy,
            &rules.collect::<Result<Vec<_>, _>>()?,
        )?);
    }
    let mut benchmarks = Vec::new();
    if setup.baselines {
        for baseline in Baseline::BOTH {
            let documents = baseline.documents(setup.delta, &systems, &truth)?;
            benchmarks.push(baseline.simulate(documents, &problem, &systems, &streams, runs));
        }
    }
    Ok(OfSystems {
        same_best: best_mean == Some(systems.ranked()[0]),
        truth,
        summaries,
        benchmarks,
    })
}

fn make_rule(rule: Rule, level: f64) -> Result<MakeRule<'static, Counts>, Failure> {
    let rule = match rule {
        Rule::AtOnce => PosteriorThreshold::at_once(level)?,
        Rule::Waits => PosteriorThreshold::new(level)?.tied_within(Distance::ZERO)?,
    };
    Ok(makers::rule(rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests a concentration that overstates how alike documents are: its runs end too soon and err
    /// more often.
    #[test]
    fn a_wrong_concentration_errs() {
        let setup = Setup {
            systems: 3,
            margin: 0.2,
            delta: 0.05,
            most_queries: 200,
            runs: 60,
            configurations: 60,
            seed: 0,
            baselines: false,
        };
        let methods = [Model::FLearned, Model::FFixed].map(|model| Method {
            policy: "ttps",
            model,
            rules: &[Rule::AtOnce],
        });
        let cell = cell(setup, &methods, 0.05, 100).unwrap();
        let [right, wrong] = &cell.rows[..] else {
            panic!("{:?}", cell.rows)
        };
        assert!(right.success.mean > wrong.success.mean + 0.08, "{cell:?}");
        assert!(right.queries.mean > 2.0 * wrong.queries.mean, "{cell:?}");
    }
}
