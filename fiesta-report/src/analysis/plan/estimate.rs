//! Computation of a plan: bounds, simulated studies and classical tests.

use super::{
    LowerBound, PlanAtConfidence, PlanOptions, PlanReport, Planned, SimulatedEvaluations,
    SimulatedStudies, SupposedArm, SupposedArms, Test, Tests,
};
use crate::{analysis::AnalysisError, words::in_percent};
use fiesta_core::{Design, Limits, StoppingRule};
use fiesta_policies::{
    self as policies, Parameters,
    plan::{TTest, complexity, unknown_variances},
    simulate::{
        Durations, MakeRule, Noise, Simulation, SimulationSummary, Synthetic, SyntheticArm,
    },
    stopping::PosteriorThreshold,
};
use fiesta_posterior as posterior;

/// The policy of a study that names none.
const POLICY: &str = "auto";
/// Posterior of the planned study.
const POSTERIOR: &str = posterior::DEFAULT;
/// Stopping rule of the planned study.
const STOPPING: &str = "posterior";

impl PlanReport {
    /// Computes the plan of a study of these arms.
    ///
    /// # Errors
    /// [`AnalysisError`] if the gap to the second arm is too small to plan with, or the power is
    /// none.
    pub fn new(supposed: &SupposedArms, options: &PlanOptions) -> Result<Self, AnalysisError> {
        let instance = &supposed.instance;
        let arms = supposed.names.len();
        let (means, sds) = (instance.means(), instance.residual_sds());
        let known = complexity(means, sds, &vec![1.0; arms])?;
        let unknown = unknown_variances(means, sds)?;
        let halving = instance.halving().ok_or_else(|| {
            let reason = "the gap to the second arm is too small to plan with";
            AnalysisError::Refused(reason.to_owned())
        })?;
        let cap = options.cap.unwrap_or(Limits::CAP_PER_ARM * arms as u64);
        let is_within = |&level: &f64| known.lower_bound(1.0 - level) <= cap as f64;
        let levels = options.confidence.iter().copied();
        let within: Vec<f64> = levels.filter(is_within).collect();
        let mut summaries = simulate(supposed, options, &within, cap)?.into_iter();
        let unit = options
            .cost_per_evaluation
            .map(|cost| cost.as_secs_f64() / 3600.0);
        let planned = |evaluations: f64| Planned {
            evaluations,
            hours: options
                .cost_per_evaluation
                .map(|cost| evaluations * cost.as_secs_f64() / 3600.0),
        };
        let mut results = Vec::new();
        for &confidence in &options.confidence {
            let delta = 1.0 - confidence;
            let level = in_percent(delta) / 100.0;
            let test = |per_arm: f64, arms: usize, level: f64| Test {
                level,
                per_arm,
                total: planned(per_arm.ceil() * arms as f64),
            };
            let simulated = within.contains(&confidence).then(|| summaries.next());
            let second = instance.t_test(instance.second(), delta, options.power)?;
            let all = instance.t_tests(delta, options.power)?;
            results.push(PlanAtConfidence {
                confidence,
                lower_bound: LowerBound {
                    known_variances: planned(known.lower_bound(delta)),
                    unknown_variances: planned(unknown.lower_bound(delta)),
                },
                simulated: simulated.flatten().map(|summary| SimulatedStudies {
                    evaluations: SimulatedEvaluations {
                        mean: summary.mean,
                        standard_error: summary.standard_error,
                        q90: summary.quantile(0.9),
                    },
                    error: 1.0 - summary.correct,
                    error_standard_error: summary.correct_standard_error,
                    capped: summary.capped,
                    hours: planned(summary.mean).hours,
                    elapsed_hours: planned(summary.time).hours,
                }),
                sequential_halving: planned(halving.budget(delta)),
                t_test: Tests {
                    second: test(second, 2, level),
                    all: test(all, arms, level / (arms - 1) as f64),
                },
            });
        }
        let (best, second) = (instance.best(), instance.second());
        let arm = |arm: usize| SupposedArm {
            name: supposed.names[arm].clone(),
            mean: supposed.direction.orient(means[arm]),
            standard_deviation: instance.sds()[arm],
            residual_standard_deviation: sds[arm],
        };
        Ok(Self {
            arms: (0..arms).map(arm).collect(),
            best: supposed.names[best].clone(),
            second: supposed.names[second].clone(),
            gap: instance.gap(second),
            split_standard_deviation: instance.split_sd(),
            difference_standard_deviation: instance.difference_sd(second),
            pilot_scores: supposed.pilot,
            splits: supposed.design.name(),
            policy: policies::resolve(POLICY, STOPPING, POSTERIOR).to_owned(),
            posterior: POSTERIOR.to_owned(),
            stopping: STOPPING.to_owned(),
            parallel: options.parallel,
            runs: options.runs,
            seed: options.seed,
            cap,
            h2: halving.h2,
            power: options.power,
            comparison: match instance.comparison() {
                TTest::Paired => "paired",
                TTest::Unpaired => "unpaired",
            },
            results,
            unit,
        })
    }
}

/// Simulates a study with the defaults, many times.
fn simulate(
    supposed: &SupposedArms,
    options: &PlanOptions,
    levels: &[f64],
    cap: u64,
) -> Result<Vec<SimulationSummary>, AnalysisError> {
    if levels.is_empty() {
        return Ok(Vec::new());
    }
    let instance = &supposed.instance;
    let noise = Noise {
        split: match supposed.design {
            Design::Independent => 0.0,
            _ => instance.split_sd(),
        },
        ..Noise::default()
    };
    let arms = instance.means().iter().zip(instance.residual_sds());
    let problem = Synthetic::new(arms.map(|(&mean, &sd)| SyntheticArm::new(mean, sd)), noise)?;
    let arms = supposed.names.len();
    let parameters = Parameters {
        arms,
        batch: options.parallel,
        ..Parameters::default()
    };
    let durations = match options.parallel {
        1 => Durations::Constant,
        _ => Durations::Exponential,
    };
    let rules = levels.iter().map(|&level| {
        let rule = PosteriorThreshold::new(level)?;
        Ok(Box::new(move || Box::new(rule) as Box<dyn StoppingRule>) as MakeRule<'_>)
    });
    let rules = rules.collect::<Result<Vec<_>, AnalysisError>>()?;
    posterior::posterior_by_name(POSTERIOR, arms)?;
    policies::policy_by_name(POLICY, &parameters)?;
    let make_posterior = |arms: usize| {
        posterior::posterior_by_name(POSTERIOR, arms).expect("the posterior was checked")
    };
    let make_policy =
        || policies::policy_by_name(POLICY, &parameters).expect("the policy was checked");
    let simulation = Simulation::new(&problem, options.runs)
        .seed(options.seed)
        .design(supposed.design)
        .workers(options.parallel as usize, durations)
        .cap(cap);
    Ok(simulation.confidence(make_posterior, make_policy, &rules)?)
}
