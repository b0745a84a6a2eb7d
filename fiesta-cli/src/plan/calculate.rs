//! The numbers of a plan, for each confidence.

use super::{Arguments, Failure, suppose::Supposed};
use fiesta::{
    core::{Design, Limits, StoppingRule},
    policies::{
        self, Parameters,
        plan::{Instance, complexity, unknown_variances},
        simulate::{Durations, MakeRule, Noise, Simulation, Summary, Synthetic, SyntheticArm},
        stopping::PosteriorThreshold,
    },
    posterior,
};

/// What a study uses that says nothing else.
pub(super) const POLICY: &str = "auto";
pub(super) const POSTERIOR: &str = posterior::DEFAULT;
pub(super) const STOPPING: &str = "posterior";

/// The evaluations that a study needs.
pub(super) struct Plan {
    /// H₂ of sequential halving.
    pub(super) h2: f64,
    pub(super) cap: u64,
    pub(super) levels: Vec<Level>,
}

/// At one confidence.
pub(super) struct Level {
    pub(super) confidence: f64,
    /// The least mean of any policy that is told the variances.
    pub(super) known: f64,
    /// The same without knowing them.
    pub(super) unknown: f64,
    /// The budget with which sequential halving is proven to err no more often.
    pub(super) halving: f64,
    /// Simulated studies; none where even the lower bound exceeds the cap.
    pub(super) simulated: Option<Summary>,
    /// Evaluations of each arm: of a t-test of the best against the second, and of the best against all.
    pub(super) second: f64,
    pub(super) all: f64,
}

pub(super) fn calculate(arguments: &Arguments, supposed: &Supposed) -> Result<Plan, Failure> {
    let instance = &supposed.instance;
    let (means, sds) = (instance.means(), instance.residual_sds());
    let known = complexity(means, sds, &vec![1.0; means.len()])?;
    let unknown = unknown_variances(means, sds)?;
    let Some(halving) = instance.halving() else {
        return Err(Failure::Usage(
            "the gap to the second arm is too small to plan with".to_owned(),
        ));
    };
    let cap = arguments
        .cap
        .unwrap_or(Limits::CAP_PER_ARM * means.len() as u64);
    let within: Vec<f64> = {
        let bound = |level: &f64| known.lower_bound(1.0 - level) <= cap as f64;
        arguments.confidence.iter().copied().filter(bound).collect()
    };
    let mut summaries = simulate(arguments, supposed, &within, cap)?.into_iter();
    let levels = arguments
        .confidence
        .iter()
        .map(|&confidence| {
            let delta = 1.0 - confidence;
            Ok(Level {
                confidence,
                known: known.lower_bound(delta),
                unknown: unknown.lower_bound(delta),
                halving: halving.budget(delta),
                simulated: within
                    .contains(&confidence)
                    .then(|| summaries.next())
                    .flatten(),
                second: instance.t_test(instance.second(), delta, arguments.power)?,
                all: instance.t_tests(delta, arguments.power)?,
            })
        })
        .collect::<Result<_, Failure>>()?;
    Ok(Plan {
        h2: halving.h2,
        cap,
        levels,
    })
}

fn problem(instance: &Instance, design: Design) -> Result<Synthetic, Failure> {
    let arms = instance.means().iter().zip(instance.residual_sds());
    let split = if design == Design::Independent {
        0.0
    } else {
        instance.split_sd()
    };
    let noise = Noise {
        split,
        ..Noise::default()
    };
    Ok(Synthetic::new(
        arms.map(|(&mean, &sd)| SyntheticArm::new(mean, sd)),
        noise,
    )?)
}

/// A study with the defaults, many times.
fn simulate(
    arguments: &Arguments,
    supposed: &Supposed,
    levels: &[f64],
    cap: u64,
) -> Result<Vec<Summary>, Failure> {
    if levels.is_empty() {
        return Ok(Vec::new());
    }
    let problem = problem(&supposed.instance, supposed.design)?;
    let arms = supposed.names.len();
    let parameters = Parameters {
        arms,
        batch: arguments.parallel,
        ..Parameters::default()
    };
    let durations = if arguments.parallel == 1 {
        Durations::Constant
    } else {
        Durations::Exponential
    };
    let rules = levels
        .iter()
        .map(|&level| {
            let rule = PosteriorThreshold::new(level)?;
            Ok(Box::new(move || Box::new(rule) as Box<dyn StoppingRule>) as MakeRule<'_>)
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    posterior::by_name(POSTERIOR, arms)?;
    policies::by_name(POLICY, &parameters)?;
    let make_posterior =
        |arms: usize| posterior::by_name(POSTERIOR, arms).expect("the posterior was checked");
    let make_policy = || policies::by_name(POLICY, &parameters).expect("the policy was checked");
    let simulation = Simulation::new(&problem, arguments.runs)
        .seed(arguments.seed)
        .design(supposed.design)
        .workers(arguments.parallel as usize, durations)
        .cap(cap);
    Ok(simulation.confidence(&make_posterior, &make_policy, &rules)?)
}
