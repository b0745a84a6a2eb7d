//! Measures the cost of the eight evaluations for which the default stop waits, policy by policy.

use crate::{
    Failure, fiesta, makers,
    output::{Estimate, Runs},
};
use fiesta_core::{Limits, Next, Policy, StoppingRule, Verdict, View};
use fiesta_policies::{
    Parameters,
    simulate::{Durations, Gaussian, Problem, Simulation, SimulationSummary},
    stopping::PosteriorThreshold,
};
use fiesta_posterior as posterior;
use rand::{Rng, RngExt};
use serde::Serialize;
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The arguments of `experiments minimum`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments minimum tdsa_macro_f1.csv --runs 300
  experiments minimum --policy auto --confidence 0.8 --parallel 8")]
pub(crate) struct Arguments {
    /// File of the scores that Moss et al. published, which are measured beside Gaussian arms
    scores: Option<PathBuf>,
    /// Measure only these policies (default: all of the table)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    policy: Vec<String>,
    /// The confidence of the stop
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    confidence: f64,
    /// Number of evaluations in flight at once; durations are constant with one at a time, else exponential
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    parallel: u32,
    #[command(flatten)]
    each: Runs,
}

/// The policies that are measured where none is named: `constant` and `random` are of this program.
const POLICIES: [&str; 8] = [
    "auto", "ts", "bts", "pets", "ttts", "uniform", "constant", "random",
];

/// Number of evaluations that the policy `bts` chooses at once.
const BATCH: u32 = 4;

/// A policy that does not use any observation.
enum Blind {
    /// Policy that always evaluates the first candidate.
    Constant,
    /// Policy that evaluates a candidate at random.
    Random,
}

impl Policy for Blind {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let candidates = view.candidates();
        Next::Evaluate(match self {
            Self::Constant => candidates[0],
            Self::Random => candidates[rng.random_range(0..candidates.len())],
        })
    }
}

/// A policy, with a count of the runs whose posterior is sure enough when the cap is reached.
struct Watched {
    policy: Box<dyn Policy>,
    cap: u64,
    level: f64,
    sure: Arc<AtomicU64>,
}

impl Policy for Watched {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let probability = || view.belief().map_or(0.0, |belief| belief.leader().1);
        let at_cap = view.total_ended() + view.total_pending() == self.cap;
        if at_cap && probability() >= self.level {
            self.sure.fetch_add(1, Ordering::Relaxed);
        }
        self.policy.next(view, rng)
    }

    fn needs_posterior(&self) -> bool {
        self.policy.needs_posterior()
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        self.policy.round_complete(view)
    }
}

/// The default stopping rule without its requests for the evaluations that it lacks.
struct Silent(PosteriorThreshold);

impl StoppingRule for Silent {
    fn check(&self, view: &View<'_>) -> Verdict {
        StoppingRule::<f64>::check(&self.0, view)
    }
}

/// Results of a policy on a problem: a row of the table.
#[derive(Debug, Serialize)]
struct Row {
    problem: String,
    policy: String,
    evaluations: Estimate,
    wrong: Estimate,
    capped: u64,
    /// Number of capped runs in which P(best) reached the confidence.
    capped_though_sure: u64,
    silent: Estimate,
    silent_capped: u64,
    silent_capped_though_sure: u64,
    at_once: Estimate,
    at_once_wrong: Estimate,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let level = arguments.confidence;
    let rule = PosteriorThreshold::new(level)?;
    let at_once = PosteriorThreshold::at_once(level)?;
    let policies = makers::or(&arguments.policy, &POLICIES.map(str::to_owned)).to_vec();
    let mut rows = Vec::new();
    for (problem, of) in problems(arguments)? {
        for name in &policies {
            let silent = move || Box::new(Silent(rule)) as Box<dyn StoppingRule>;
            let (asking, sure) = measure(arguments, &*of, name, &*makers::rule(rule))?;
            let (silent, silent_sure) = measure(arguments, &*of, name, &silent)?;
            let (at_once, _) = measure(arguments, &*of, name, &*makers::rule(at_once))?;
            rows.push(Row {
                problem: problem.to_owned(),
                policy: name.clone(),
                evaluations: Estimate::evaluations(&asking),
                wrong: Estimate::wrong(&asking),
                capped: asking.capped,
                capped_though_sure: sure,
                silent: Estimate::evaluations(&silent),
                silent_capped: silent.capped,
                silent_capped_though_sure: silent_sure,
                at_once: Estimate::evaluations(&at_once),
                at_once_wrong: Estimate::wrong(&at_once),
            });
            eprintln!("{problem}, {name}");
        }
    }
    let columns = [
        ("<problem", "{problem}"),
        ("<policy", "{policy}"),
        ("evaluations", "{evaluations:.1}"),
        ("wrong, %", "{wrong:%1}"),
        ("at the cap", "{capped}"),
        ("of these sure", "{capped_though_sure}"),
        ("without asking: evaluations", "{silent:.1}"),
        ("at the cap", "{silent_capped}"),
        ("of these sure", "{silent_capped_though_sure}"),
        ("at once: evaluations", "{at_once:.1}"),
        ("wrong, %", "{at_once_wrong:%1}"),
    ];
    arguments.each.output.show_rows("minimum", &rows, &columns)
}

/// A problem with its name in the table.
type Named = (&'static str, Box<dyn Problem>);

/// Returns four problems of Gaussian arms, and the recorded scores of eight models if there are any.
fn problems(arguments: &Arguments) -> Result<Vec<Named>, Failure> {
    let close = [0.62, 0.63, 0.60, 0.65, 0.61].map(|mean| (mean, 0.03));
    let ahead = (0..20).map(|arm| (if arm == 7 { 0.7 } else { 0.6 }, 0.03));
    let noises = [(0.65, 0.06), (0.62, 0.01), (0.61, 0.03), (0.60, 0.02)];
    let mut problems: Vec<Named> = Vec::new();
    if let Some(file) = &arguments.scores {
        problems.push(("recorded, 8 arms", fiesta::recorded_eight(file)?));
    }
    problems.push(("2 arms, .7 sd", {
        Box::new(Gaussian::new([(0.62, 0.03), (0.65, 0.03)])?)
    }));
    problems.push(("5 arms, .5 sd", Box::new(Gaussian::new(close)?)));
    problems.push(("4 arms, best noisiest", Box::new(Gaussian::new(noises)?)));
    problems.push(("20 arms, 2.4 sd", Box::new(Gaussian::new(ahead)?)));
    Ok(problems)
}

/// Returns a summary of a policy's runs until a rule stopped, and the number of runs that were sure
/// when they reached the cap of evaluations.
fn measure(
    arguments: &Arguments,
    problem: &dyn Problem,
    name: &str,
    rule: &(dyn Fn() -> Box<dyn StoppingRule> + Sync),
) -> Result<(SimulationSummary, u64), Failure> {
    let arms = problem.arms().len();
    let parameters = Parameters {
        batch: BATCH,
        ..Parameters::of(arms)
    };
    let named: Box<dyn Fn() -> Box<dyn Policy> + Sync> = match name {
        "constant" => Box::new(|| Box::new(Blind::Constant)),
        "random" => Box::new(|| Box::new(Blind::Random)),
        name => Box::new(makers::policy(name, parameters)?),
    };
    let (cap, sure) = (Limits::CAP_PER_ARM * arms as u64, Arc::default());
    let policy = || Watched {
        policy: named(),
        cap,
        level: arguments.confidence,
        sure: Arc::clone(&sure),
    };
    let durations = match arguments.parallel {
        1 => Durations::Constant,
        _ => Durations::Exponential,
    };
    // One more than the cap, so that the policy sees what is known there.
    let simulation = Simulation::new(problem, arguments.each.number)
        .seed(arguments.each.seed)
        .workers(arguments.parallel as usize, durations)
        .cap(cap + 1);
    let posterior =
        |arms| posterior::posterior_by_name(posterior::DEFAULT, arms).expect("it is the default");
    let summaries = simulation.confidence(posterior, policy, &[rule])?;
    let sure = sure.load(Ordering::Relaxed);
    Ok((summaries[0].clone(), sure))
}
